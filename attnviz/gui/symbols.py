"""Symbols of mathematics on a line: what stands after an underscore is set low and small."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

_SMALL = 0.75  # of the letter before it
_LOWERED = 0.22  # of the height of the letters


def symbol_width(font: QFont, symbol: str) -> float:
    """Give the width of a symbol such as ``W_Q`` in px."""
    letter, _, low = symbol.partition("_")
    return QFontMetricsF(font).horizontalAdvance(letter) + QFontMetricsF(_low(font)).horizontalAdvance(low)


def draw_symbol(painter: QPainter, x: float, baseline: float, font: QFont, symbol: str) -> None:
    """Draw a symbol from ``x`` to the right, its letter on the baseline, in the painter's colour."""
    letter, _, low = symbol.partition("_")
    painter.setFont(font)
    painter.drawText(QPointF(x, baseline), letter)
    if low:
        x += QFontMetricsF(font).horizontalAdvance(letter)
        painter.setFont(_low(font))
        painter.drawText(QPointF(x, baseline + _LOWERED * font.pixelSize()), low)
        painter.setFont(font)


def _low(font: QFont) -> QFont:
    low = QFont(font)
    low.setPixelSize(round(_SMALL * font.pixelSize()))
    return low
