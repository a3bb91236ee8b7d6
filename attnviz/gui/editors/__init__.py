"""Editors may ask for a change; they know neither the document, the runner, an engine nor a file."""
