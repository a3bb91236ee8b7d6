"""The definition of attention and of a document: numpy and the standard library only."""
