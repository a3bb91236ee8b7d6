"""The button of a page: a name with a line under the one that is in front."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from attnviz.gui.fonts import text_font
from attnviz.gui.theme import LIGHT, Theme

_PADDING = 8
_HEIGHT = 28


class PageButton(QAbstractButton):
    """A page's name; checked where the page is in front, which is told and not taken.

    Signals
    -------
    stepped(int)
        An arrow key asks for the page after (1) or before (−1).
    """

    stepped = Signal(int)

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self.setText(text)
        self.setFont(text_font())
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._theme = theme
        self.update()

    def nextCheckState(self) -> None:
        """Stay as it is: which page is in front is told, not taken."""

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 2 * _PADDING, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.stepped.emit(step)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        if self.underMouse():
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
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, self.text())
        painter.end()
