"""A line of text laid over what it renames; it says once how it ended."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QWidget

from attnviz.gui.text_field import TextField


class InlineField(TextField):
    """A field that lives while something is named in place.

    Signals
    -------
    finished(str)
        Enter was pressed or the field was left: this is the name.
    dropped()
        Esc was pressed: nothing is to change.
    """

    finished = Signal(str)
    dropped = Signal()

    leaving_commits = False

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_over = False
        self.set_shown(text)
        self.selectAll()
        self.committed.connect(self._finish)

    def begin(self) -> None:
        """Show the field over what it renames, with the keyboard."""
        self.show()
        self.raise_()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def put_away(self, heir: QWidget) -> None:
        """Be gone and say nothing more; ``heir`` gets the keyboard where the field has it."""
        self.blockSignals(True)
        if self.hasFocus():
            heir.setFocus(Qt.FocusReason.OtherFocusReason)
        self.hide()
        self.deleteLater()

    def _finish(self, text: str) -> None:
        if not self._is_over:
            self._is_over = True
            self.finished.emit(text)

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and not self.is_composing:
            if not self._is_over:
                self._is_over = True
                self.dropped.emit()
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            event.accept()  # must not reach what lies below
        else:
            super().keyPressEvent(event)
            event.accept()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason):
            self._finish(self.text())
