"""A scroll bar that steps back: a thin rounded stroke, no arrows, no frame."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QScrollBar, QWidget

from attnviz.gui.theme import LIGHT, Theme

THICKNESS = 8
"""Its room across, in px."""


class SlimScrollBar(QScrollBar):
    """A scroll bar drawn with the theme; a press anywhere goes there, a drag follows."""

    def __init__(self, orientation: Qt.Orientation, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        self._theme = LIGHT
        self._grip: float | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._theme = theme
        self.update()

    def handle_rect(self) -> QRectF:
        """Give the place of the part that moves, in px of this widget."""
        length = self._length()
        total = self.maximum() - self.minimum() + self.pageStep()
        size = max(24.0, length * self.pageStep() / max(1, total))
        span = max(1, self.maximum() - self.minimum())
        start = (length - size) * (self.value() - self.minimum()) / span
        if self._is_horizontal():
            return QRectF(start, 2, size, self.height() - 4)
        return QRectF(2, start, self.width() - 4, size)

    def _is_horizontal(self) -> bool:
        return self.orientation() == Qt.Orientation.Horizontal

    def _length(self) -> int:
        return self.width() if self._is_horizontal() else self.height()

    def _along(self, event: QMouseEvent) -> float:
        return event.position().x() if self._is_horizontal() else event.position().y()

    def _drag_to(self, along: float) -> None:
        rect = self.handle_rect()
        size = rect.width() if self._is_horizontal() else rect.height()
        share = (along - (self._grip or 0.0)) / max(1.0, self._length() - size)
        self.setValue(self.minimum() + round(share * (self.maximum() - self.minimum())))

    def sizeHint(self) -> QSize:
        return QSize(48, THICKNESS) if self._is_horizontal() else QSize(THICKNESS, 48)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        rect = self.handle_rect()
        start = rect.left() if self._is_horizontal() else rect.top()
        size = rect.width() if self._is_horizontal() else rect.height()
        inside = start <= self._along(event) <= start + size
        self._grip = self._along(event) - start if inside else size / 2
        if not inside:
            self._drag_to(self._along(event))
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grip is not None:
            self._drag_to(self._along(event))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._grip = None
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.maximum() <= self.minimum():
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        lively = self.underMouse() or self._grip is not None
        painter.setBrush(self._theme.muted if lively else self._theme.border)
        radius = (THICKNESS - 4) / 2
        painter.drawRoundedRect(self.handle_rect(), radius, radius)
        painter.end()
