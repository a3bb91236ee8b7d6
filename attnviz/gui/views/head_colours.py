"""A colour for every head, told apart by colour-blind eyes too; after six they come again, hatched."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter

from attnviz.gui.theme import Theme

# Okabe and Ito, "Color Universal Design" (2008), without black and the purple, which is near the accent.
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#56B4E9", "#D55E00", "#F0E442")


def fill_share(painter: QPainter, rect: QRectF, head: int, theme: Theme) -> None:
    """Fill a rectangle with the colour of a head; −1 stands for the bias."""
    if head < 0:
        painter.fillRect(rect, theme.border)
        return
    colour = QColor(_COLOURS[head % len(_COLOURS)])
    painter.fillRect(rect, colour)
    turn = head // len(_COLOURS) % 4
    if turn:
        patterns = (Qt.BrushStyle.BDiagPattern, Qt.BrushStyle.FDiagPattern, Qt.BrushStyle.VerPattern)
        painter.fillRect(rect, QBrush(QColor(29, 31, 34), patterns[turn - 1]))
