"""The small sign ``{ }`` at a heading that opens the code of what stands below it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QToolButton, QWidget

from attnviz.gui.fonts import small_font
from attnviz.gui.theme import LIGHT, Theme

SIDE = 24
"""Width and height in px."""


class CodeButton(QToolButton):
    """A button that steps back until the pointer or the keyboard is at it."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self.setObjectName(name)
        self.setFont(small_font())
        self.setFixedSize(SIDE, SIDE)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme
        self.update()

    def say(self, text: str) -> None:
        """Take the words of the present language."""
        self.setAccessibleName(text)
        self.setToolTip(text)

    # Qt's overrides

    def sizeHint(self) -> QSize:
        return QSize(SIDE, SIDE)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), self._theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        lively = self.underMouse() or self.hasFocus() or self.isDown()
        if lively:
            painter.setPen(theme.border if not self.hasFocus() else theme.accent)
            painter.setBrush(theme.raised)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5), 3, 3)
        painter.setPen(theme.text if lively else theme.muted)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, "{ }")
        painter.end()
