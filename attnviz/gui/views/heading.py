"""The heading over a view: one line, elided where it must be, whole on hover."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attnviz.gui.fonts import text_font
from attnviz.gui.labels import Labels
from attnviz.gui.plain_text import tooltip
from attnviz.gui.theme import SPACE


class Heading(QWidget):
    """One line of text in bold that never asks for more width than there is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels = Labels(text_font(bold=True))
        self._full = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_text(self, text: str) -> None:
        """Show another text."""
        if text != self._full:
            self._full = text
            self.setAccessibleName(text)
            self.update()

    def full_text(self) -> str:
        """Give the text, elided or not."""
        return self._full

    # Qt's overrides

    def sizeHint(self) -> QSize:
        return QSize(int(self._labels.width(self._full)) + SPACE, 6 * SPACE)

    def minimumSizeHint(self) -> QSize:
        return QSize(12 * SPACE, 6 * SPACE)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        shown = self._labels.elided(self._full, self.width() - SPACE)
        self._labels.draw(painter, SPACE, self.height() / 2, shown)
        painter.end()
        tip = tooltip(self._full) if shown != self._full else ""
        if tip != self.toolTip():
            self.setToolTip(tip)
