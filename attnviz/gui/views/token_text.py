"""Tokens as labels: measured once, elided, and set along or across the axis.

Nothing here knows a stage or a widget.
"""

from __future__ import annotations

import unicodedata

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QStaticText, QTextOption

_NOT_UPRIGHT = set(
    "ー〜～…‥—―（）()「」『』［］〈〉《》【】〔〕｛｝：；＝－"
)  # turn with the line in vertical text


def is_upright(text: str) -> bool:
    """Say whether the text reads well with one character below the other, as Japanese does."""
    return 0 < len(text) <= 12 and all(
        unicodedata.east_asian_width(c) == "W" and c not in _NOT_UPRIGHT and not _is_emoji(c) for c in text
    )


class Labels:
    """Draws short texts in one font, keeping what was measured and laid out.

    Parameters
    ----------
    font
        The font of all of them.
    """

    def __init__(self, font: QFont) -> None:
        self.font = font
        self.metrics = QFontMetricsF(font)
        self.ascent = self.metrics.ascent()
        self.pitch = float(font.pixelSize())
        self._widths: dict[str, float] = {}
        self._elided: dict[tuple[str, float], str] = {}
        self._static: dict[str, QStaticText] = {}

    def width(self, text: str) -> float:
        """Give the width of ``text`` in px."""
        width = self._widths.get(text)
        if width is None:
            width = self._widths[text] = self.metrics.horizontalAdvance(text)
        return width

    def upright_height(self, text: str) -> float:
        """Give the height in px of ``text`` set across its line: stacked where it is upright, else turned."""
        return len(text) * self.pitch if is_upright(text) else self.width(text)

    def elided(self, text: str, width: float) -> str:
        """Give ``text``, or its beginning and an ellipsis where it is wider than ``width``."""
        if self.width(text) <= width:
            return text
        key = (text, width)
        short = self._elided.get(key)
        if short is None:
            short = self._elided[key] = self.metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
            if self.width(short) > width:  # not even the ellipsis fits
                short = self._elided[key] = ""
        return short

    def draw(self, painter: QPainter, x: float, middle: float, text: str) -> None:
        """Draw ``text`` from ``x`` to the right, its figures centred on the height ``middle``."""
        painter.setFont(self.font)
        painter.drawStaticText(QPointF(x, self._top(middle)), self.laid_out(text))

    def draw_centred(self, painter: QPainter, centre: float, middle: float, text: str) -> None:
        """Draw ``text`` centred on a point."""
        self.draw(painter, centre - self.width(text) / 2, middle, text)

    def draw_right(self, painter: QPainter, right: float, middle: float, text: str) -> None:
        """Draw ``text`` so that it ends at ``right``."""
        self.draw(painter, right - self.width(text), middle, text)

    def draw_across(self, painter: QPainter, centre: float, bottom: float, text: str, room: float) -> None:
        """Draw ``text`` above ``bottom``, around ``centre``, at most ``room`` high: stacked or turned."""
        if is_upright(text):
            fitting = int(room // self.pitch)
            if len(text) > fitting:
                text = text[: max(fitting - 1, 0)] + ("︙" if fitting else "")
            for index, character in enumerate(text):
                middle = bottom - (len(text) - index - 0.5) * self.pitch
                self.draw_centred(painter, centre, middle, character)
            return
        painter.save()
        painter.translate(centre, bottom)
        painter.rotate(-90)
        self.draw(painter, 0.0, 0.0, self.elided(text, room))
        painter.restore()

    def _top(self, middle: float) -> float:
        # Figures and ideographs are about 0.74 of the size high; that is centred, not the line.
        return middle + 0.37 * self.font.pixelSize() - self.ascent

    def corner(self, centre: float, middle: float, text: str) -> QPointF:
        """Give where a text centred on a point begins, for ``QPainter.drawStaticText`` with this font."""
        return QPointF(centre - self.width(text) / 2, self._top(middle))

    def laid_out(self, text: str) -> QStaticText:
        """Give the text laid out in this font, made once."""
        static = self._static.get(text)
        if static is None:
            if len(self._static) > 20_000:
                self._static.clear()
            static = QStaticText(text)
            static.setTextFormat(Qt.TextFormat.PlainText)
            static.setTextOption(QTextOption(Qt.AlignmentFlag.AlignLeft))
            static.prepare(font=self.font)
            self._static[text] = static
        return static


def _is_emoji(character: str) -> bool:
    return ord(character) >= 0x1F000 or unicodedata.category(character) == "So"
