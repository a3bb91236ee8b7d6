"""The button of a page: a name with a line under the one that is in front."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from attnviz.gui.editors.name_button import HEIGHT, NameButton

_PADDING = 8


class PageButton(NameButton):
    """A page's name; checked where the page is in front, which is told and not taken.

    Signals
    -------
    stepped(int)
        An arrow key asks for the page after (1) or before (−1).
    """

    stepped = Signal(int)

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(text)

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 2 * _PADDING, HEIGHT)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.stepped.emit(step)
