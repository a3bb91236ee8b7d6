"""Makes a long text ready for its first edit: else that would join all its tokens while a person waits.

Nothing is kept here; what was joined is known where texts are joined.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from attnviz.core.inputs import Inputs
from attnviz.gui.document import Document
from attnviz.gui.later import Later
from attnviz.text.lexicon import load_lexicon
from attnviz.text.token_edits import joined

_AT_ONCE = 8192
"""Tokens that are joined in one turn of the event loop, some ms."""


class ReadyText(QObject):
    """Joins the tokens of each long document that a window comes to hold, a piece at a time."""

    def __init__(self, document: Document, later: Later, parent: QObject) -> None:
        super().__init__(parent)
        self._document, self._later = document, later
        self._number = -1
        document.inputs_changed.connect(self._follow)
        self._follow(document.inputs)

    def _follow(self, inputs: Inputs) -> None:
        if self._number == self._document.number:
            return
        self._number = self._document.number
        if inputs.is_long:
            self._later.add(load_lexicon)  # gives a new token its vectors
            for end in range(_AT_ONCE, inputs.n_query + _AT_ONCE, _AT_ONCE):
                self._later.add(partial(self._join, inputs.tokens, end))

    def _join(self, tokens: tuple[str, ...], end: int) -> None:
        if tokens is self._document.inputs.tokens:  # else an edit has joined them
            joined(tokens[:end])
