"""A name that can be chosen, with a line under the chosen one: what buttons of heads and of pages share."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from attnviz.gui.fonts import text_font
from attnviz.gui.theme import LIGHT, Theme

HEIGHT = 28


class NameButton(QAbstractButton):
    """A name; checked where it is the chosen one, which is told and not taken."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self.setFont(text_font())
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._theme = theme
        self.update()

    def is_raised(self) -> bool:
        """Say whether the button stands out from its ground."""
        return self.underMouse()

    def text_room(self) -> QRect:
        """Give where the name is painted."""
        return self.rect()

    def text_in(self, width: int) -> str:
        """Give the name as it is painted in so many px."""
        return self.text()

    def nextCheckState(self) -> None:
        """Stay as it is: which one is chosen is told, not taken."""

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        if self.is_raised():
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
        room = self.text_room()
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(room, flags, self.text_in(room.width()))
        painter.end()
