"""The document that a command works on: a file's, or a preset's. The window reads in its own way."""

from __future__ import annotations

from attnviz.cli.arguments import UsageError
from attnviz.core.inputs import Inputs
from attnviz.core.selection import Selection
from attnviz.io.opening import kind_of, open_document
from attnviz.io.presets import DEFAULT, example_in, load_preset
from attnviz.io.text_files import read_text
from attnviz.text.token_edits import set_text


def document(file: str | None, preset: str | None, language: str | None = None) -> tuple[Inputs, Selection]:
    """Give the document that FILE or --preset names, the default preset where neither is given.

    Raises
    ------
    UsageError
        When both are given.
    FileError
        When there is no such preset, or the file cannot be opened.
    InputError
        When a text has no token, or more than a document can hold.
    """
    if file is not None and preset is not None:
        raise UsageError("A file and a preset were given; name one of them.")
    if file is not None and kind_of(file) == "text":
        inputs = set_text(load_preset(example_in(language), language).inputs, read_text(file).text)
        return inputs, Selection(0, inputs.n_query - 1, 0)
    if file is not None:
        session = open_document(file).session
        return session.inputs, session.selection
    loaded = load_preset(DEFAULT if preset is None else preset, language)
    return loaded.inputs, loaded.selection
