"""The sentence as one line: a whole text is written here and split on Enter.

A text too long for a line is shown by its beginning, and edited elsewhere.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from attnviz.core.inputs import DENSE_TOKENS
from attnviz.gui.plain_text import visible
from attnviz.gui.text_field import TextField
from attnviz.text.token_edits import joined

MOST_IN_LINE = 10_000
"""Characters that are shown and edited in one line; more, or a document of very many tokens, is abridged."""
_BEGINNING = 400
"""Characters or tokens of an abridged text that are looked at; no line is wider."""


class SentenceField(TextField):
    """A sentence of the document: that of the tokens, or that of the keys.

    Signals
    -------
    text_entered(str)
        Enter was pressed; the text is to become the sentence.
    editing_asked(str)
        This text is too long for a line and is to be edited elsewhere.

    Notes
    -----
    Leaving the field keeps what is written and splits nothing. A change of the tokens from elsewhere (undo, a
    preset, a chip) replaces what was written, unless an input method is at work.
    """

    text_entered = Signal(str)
    editing_asked = Signal(object)  # an object: Qt has no lone surrogates

    leaving_commits = False

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sentence = ""
        self._tokens: tuple[str, ...] | None = None
        self._is_abridged = False
        self.committed.connect(self._enter)

    def show_sentence(self, text: str, tokens: tuple[str, ...]) -> None:
        """Show a sentence and know what it was split into; says nothing."""
        has_other_tokens = tokens is not self._tokens and tokens != self._tokens
        changed = text != self._sentence or has_other_tokens
        self._sentence, self._tokens = text, tokens
        if not changed:
            return
        self._is_abridged = len(text) > MOST_IN_LINE or len(tokens) > DENSE_TOKENS
        if self._is_abridged:
            self.setReadOnly(True)
            self._abridge()
        else:
            self.setReadOnly(False)
            self.setToolTip("")
            self.set_shown(text)
            self.restore()

    def begin(self) -> None:
        """Let the sentence be edited: here, or elsewhere where it is too long."""
        if self._is_abridged:
            self.editing_asked.emit(self._whole_text())
        else:
            self.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.selectAll()

    def split(self) -> None:
        """Ask for what is written to become the sentence, as Enter does."""
        if not self.is_composing:
            self._enter(self.text())

    def retranslate(self) -> None:
        """Say all texts in the language that is now installed."""
        self.setPlaceholderText(self.tr("Write a sentence and press Enter."))
        self._abridge()

    def _enter(self, text: str) -> None:
        if self._is_abridged:
            self.begin()
            return
        if len(text) > MOST_IN_LINE:  # a book is split beside the window, where a person can stop it
            self.restore()
            self.editing_asked.emit(text)
            return
        self.text_entered.emit(text)
        self.restore()  # a sentence that was taken is shown by now; one that was refused gives way to the old

    def _whole_text(self) -> str:
        return self._sentence or joined(self._tokens or ())

    def _abridge(self) -> None:
        """Show as much of the beginning as there is room for, and how many tokens there are."""
        if not self._is_abridged:
            return
        tokens = self._tokens or ()
        count = self.tr("{n} tokens").format(n=f"{len(tokens):,}")
        beginning = visible(self._sentence[:_BEGINNING] or joined(tokens[:_BEGINNING])[:_BEGINNING])
        metrics = self.fontMetrics()
        room = self.width() - metrics.horizontalAdvance(f"  {count}") - 16
        # More than fits, so that there is always an ellipsis: this is not all of it.
        shown = metrics.elidedText(f"{beginning} …", Qt.TextElideMode.ElideRight, max(room, 0))
        self.set_shown(f"{shown}  {count}".strip())
        self.restore()
        self.setToolTip(self.tr("{count}; press Enter or double-click to edit the text").format(count=count))

    # Qt's overrides

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_paste = event.matches(QKeySequence.StandardKey.Paste)
        pasted = QGuiApplication.clipboard().text() if is_paste else ""
        if is_paste and len(pasted) > MOST_IN_LINE:
            text, start = self.text(), self.selectionStart()
            end = start + len(self.selectedText())
            if start < 0:
                start = end = self.cursorPosition()
            self.editing_asked.emit(pasted if self._is_abridged else text[:start] + pasted + text[end:])
        elif self._is_abridged and (is_paste or event.key() == Qt.Key.Key_F2 or _writes(event)):
            self.begin()
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._is_abridged:
            self.begin()
        else:
            super().mouseDoubleClickEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._abridge()


def _writes(event: QKeyEvent) -> bool:
    """Say whether a key would write a letter."""
    modifiers = event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
    return bool(event.text()) and event.text().isprintable() and not modifiers
