"""A line of text that a person can rely on: input methods, grapheme clusters, and what is uncommitted.

It knows two texts: the one it was told to show, and the one a person is writing; not what they mean.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QInputMethodEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QWidget

_MOST_CONTEXT = 64
"""Characters beside the cursor that are looked at for a cluster's edge; the longest emoji family has 11."""
_MOST = 1_000_000
"""Characters a field holds, far more than any is taken with: QLineEdit's own 32,767 cuts a text unsaid."""


class TextField(QLineEdit):
    """One line of text; nothing is said while typing.

    Signals
    -------
    committed(str)
        Enter was pressed, or the field was left with its text changed (see ``leaving_commits``).
    """

    committed = Signal(str)

    leaving_commits = True
    """Whether leaving the field commits a changed text, as Enter does."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = ""
        self._is_composing = False
        self.setMaxLength(_MOST)
        self.returnPressed.connect(self._commit)

    @property
    def shown(self) -> str:
        """The text last told to be shown."""
        return self._shown

    @property
    def is_composing(self) -> bool:
        """True while an input method holds text that is not yet part of the field."""
        return self._is_composing

    @property
    def is_edited(self) -> bool:
        """True while the field holds something other than what it was told to show."""
        return self._is_composing or self.text() != self._shown

    def set_shown(self, text: str) -> None:
        """Show ``text``, unless a person is writing here; then it is what Esc brings back."""
        keep = self.is_edited
        self._shown = text
        if not keep and self.text() != text:
            self._replace_text(text)

    def restore(self) -> None:
        """Show the text last told to be shown, dropping what was written."""
        if not self._is_composing and self.text() != self._shown:
            self._replace_text(self._shown)

    def _replace_text(self, text: str) -> None:
        had_all = self.hasFocus() and self.selectionLength() == len(self.text()) and bool(self.text())
        cursor = self.cursorPosition()
        self.setText(text)
        if had_all:
            self.selectAll()
        else:
            self.setCursorPosition(min(cursor, len(text)) if self.hasFocus() else 0)

    def _commit(self) -> None:
        if not self._is_composing:
            self.committed.emit(self.text())

    def _delete_cluster(self, *, before: bool) -> None:
        import regex  # only now: it takes as long to load as half of the fields take to make

        units = self.text().encode("utf-16-le", "surrogatepass")
        cut = 2 * self.cursorPosition()
        if before:
            near = units[max(0, cut - 2 * _MOST_CONTEXT) : cut].decode("utf-16-le", "replace")
            clusters = regex.findall(r"\X", near)
            length = _units(clusters[-1]) if clusters else 0
            start = self.cursorPosition() - length
        else:
            near = units[cut : cut + 2 * _MOST_CONTEXT].decode("utf-16-le", "replace")
            found = regex.match(r"\X", near)
            length = _units(found.group()) if found else 0
            start = self.cursorPosition()
        if length:
            self.setSelection(start, length)
            self.del_()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape and self.is_edited:
                event.accept()
                return True
            undo = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)
            if not self.is_edited and any(event.matches(key) for key in undo):
                event.ignore()  # nothing to take back here: the document's undo is meant
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if plain and event.key() == Qt.Key.Key_Escape:
            if self.is_edited:
                self.restore()
            else:
                event.ignore()
        elif (
            plain
            and event.key() in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete)
            and not self.hasSelectedText()
            and not self.isReadOnly()
        ):
            # QLineEdit's own Backspace takes emoji families and flags apart.
            self._delete_cluster(before=event.key() == Qt.Key.Key_Backspace)
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._is_composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._is_composing = False  # an input method commits or drops its text when the focus goes
        away = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
        if event.reason() not in away and self.is_edited and self.leaving_commits:
            self._commit()


def _units(text: str) -> int:
    """Give the length of ``text`` as Qt counts it, in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
