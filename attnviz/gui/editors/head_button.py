"""The button of one head: a name with a line under the active one."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from attnviz.gui.editors.name_button import HEIGHT, NameButton
from attnviz.gui.plain_text import elided, tooltip, visible

_PADDING = 10
_MOST_WIDTH = 160


class HeadButton(NameButton):
    """A head's name; checked where it is the active head.

    Signals
    -------
    dropped(QPoint)
        The button was dragged and let go at a global position.
    rename_asked()
        It was double-clicked.
    """

    dropped = Signal(QPoint)
    rename_asked = Signal()

    def __init__(self, head: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pressed_at: QPoint | None = None
        self._is_dragging = False
        self.setObjectName(f"head/{head}")

    def set_name(self, name: str) -> None:
        """Show another name."""
        if name != self.text():
            self.setText(name)
            self.setToolTip(tooltip(name))
            self.updateGeometry()
            self.update()

    def is_raised(self) -> bool:
        """Say whether it is under the pointer, or dragged."""
        return self._is_dragging or self.underMouse()

    def text_room(self) -> QRect:
        """Give where the name is painted."""
        return self.rect().adjusted(_PADDING - 2, 0, 2 - _PADDING, 0)

    def text_in(self, width: int) -> str:
        """Give the name, elided where it is longer."""
        return elided(self.text(), self.fontMetrics(), width)

    def sizeHint(self) -> QSize:
        width = self.fontMetrics().horizontalAdvance(visible(self.text())) + 2 * _PADDING
        return QSize(max(36, min(_MOST_WIDTH, width)), HEIGHT)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed_at = event.position().toPoint()
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed_at is not None:
            away = (event.position().toPoint() - self._pressed_at).manhattanLength()
            if self._is_dragging or away >= QApplication.startDragDistance():
                self._is_dragging = True
                return
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        was_dragging, self._is_dragging, self._pressed_at = self._is_dragging, False, None
        if was_dragging:
            self.setDown(False)
            self.dropped.emit(event.globalPosition().toPoint())
        else:
            super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.rename_asked.emit()
