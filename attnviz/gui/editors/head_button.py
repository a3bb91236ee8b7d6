"""The button of one head: a name with a line under the active one."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QSizePolicy, QWidget

from attnviz.gui.fonts import text_font
from attnviz.gui.plain_text import elided, tooltip, visible
from attnviz.gui.theme import LIGHT, Theme

_PADDING = 10
_MOST_WIDTH = 160
_HEIGHT = 28


class HeadButton(QAbstractButton):
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
        self._theme = LIGHT
        self._pressed_at: QPoint | None = None
        self._is_dragging = False
        self.setObjectName(f"head/{head}")
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFont(text_font())

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._theme = theme
        self.update()

    def set_name(self, name: str) -> None:
        """Show another name."""
        if name != self.text():
            self.setText(name)
            self.setToolTip(tooltip(name))
            self.updateGeometry()
            self.update()

    def nextCheckState(self) -> None:
        """Stay as it is: which head is active is told, not taken."""

    def sizeHint(self) -> QSize:
        width = self.fontMetrics().horizontalAdvance(visible(self.text())) + 2 * _PADDING
        return QSize(max(36, min(_MOST_WIDTH, width)), _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

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

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        if self._is_dragging or self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.raised)
            painter.drawRoundedRect(box, 4, 4)
        if self.isChecked():
            painter.fillRect(QRectF(6, self.height() - 3, self.width() - 12, 2), theme.accent)
        if self.hasFocus():
            painter.setPen(theme.muted)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box, 4, 4)
        painter.setPen(theme.text if self.isChecked() or self.underMouse() else theme.muted)
        inside = self.rect().adjusted(_PADDING - 2, 0, 2 - _PADDING, 0)
        text = elided(self.text(), painter.fontMetrics(), inside.width())
        painter.drawText(inside, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, text)
        painter.end()
