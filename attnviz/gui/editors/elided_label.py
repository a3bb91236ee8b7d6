"""A label of one line for any text: plain, cut with an ellipsis where room is short, whole in its tooltip."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from attnviz.gui.plain_text import elided, tooltip, visible


class ElidedLabel(QWidget):
    """One line of plain text that gives way when room is short.

    Parameters
    ----------
    least
        The width in px it never falls below.
    """

    def __init__(self, parent: QWidget | None = None, *, least: int = 32) -> None:
        super().__init__(parent)
        self._text = ""
        self._least = least
        self._colour: QColor | None = None
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    @property
    def text(self) -> str:
        """The whole text."""
        return self._text

    def set_text(self, text: str) -> None:
        """Show another text."""
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            self.setToolTip(tooltip(text))
            self.updateGeometry()
            self.update()

    def set_colour(self, colour: QColor) -> None:
        """Draw in another colour."""
        self._colour = colour
        self.update()

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(visible(self._text)) + 2, metrics.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self._least, self.sizeHint().width()), self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self._colour or self.palette().color(QPalette.ColorRole.WindowText))
        text = elided(self._text, painter.fontMetrics(), self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        painter.end()
