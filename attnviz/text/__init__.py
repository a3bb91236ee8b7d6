"""Text: sentences to tokens and back, the lexicon of everyday words, and edits of tokens.

This room knows characters, words and vectors of words. It must not hold widgets, files of a person, or
anything computed by attention.
"""
