"""The sentence as one line: a whole text is written here and split on Enter."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from attnviz.gui.text_field import TextField


class SentenceField(TextField):
    """A sentence of the document: that of the tokens, or that of the keys.

    Signals
    -------
    text_entered(str)
        Enter was pressed; the text is to become the sentence.

    Notes
    -----
    Leaving the field keeps what is written and splits nothing. A change of the tokens from elsewhere (undo, a
    preset, a chip) replaces what was written, unless an input method is at work.
    """

    text_entered = Signal(str)

    leaving_commits = False

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens: tuple[str, ...] | None = None
        self.committed.connect(self._enter)

    def show_sentence(self, text: str, tokens: tuple[str, ...]) -> None:
        """Show a sentence and know what it was split into; says nothing."""
        changed = text != self.shown or (tokens is not self._tokens and tokens != self._tokens)
        self._tokens = tokens
        if changed:
            self.set_shown(text)
            self.restore()

    def split(self) -> None:
        """Ask for what is written to become the sentence, as Enter does."""
        if not self.is_composing:
            self._enter(self.text())

    def _enter(self, text: str) -> None:
        self.text_entered.emit(text)
        self.restore()  # a sentence that was taken is shown by now; one that was refused gives way to the old
