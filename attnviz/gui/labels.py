"""Short texts as labels: measured once, elided, and set along or across an axis.

Nothing here knows a stage or a widget.
"""

from __future__ import annotations

import unicodedata
from typing import Any

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QGlyphRun,
    QPainter,
    QRawFont,
    QStaticText,
    QTextLayout,
    QTextOption,
)

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
        self._shaped: dict[str, list[tuple[str, list[int], list[tuple[float, float]]]]] = {}
        self._raw_fonts: dict[str, QRawFont] = {}

    def width(self, text: str) -> float:
        """Give the width of ``text`` in px."""
        width = self._widths.get(text)
        if width is None:
            _make_room(self._widths)
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
            _make_room(self._elided)
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

    def centred_runs(
        self, middle: float, texts: list[tuple[QColor, float, str]]
    ) -> list[tuple[QColor, QGlyphRun]]:
        """Set many texts on one line as a few runs of glyphs, which are drawn much faster than the texts.

        Parameters
        ----------
        middle
            The height their figures are centred on.
        texts
            (colour, centre, text) of each.

        Returns
        -------
        list
            What ``QPainter.drawGlyphRun`` draws at (0, 0), with the colour to draw it in.
        """
        parts: dict[tuple[int, str], tuple[QColor, list[int], list[QPointF]]] = {}
        top = self._top(middle)
        for colour, centre, text in texts:
            left = centre - self.width(text) / 2
            for family, glyphs, places in self._glyphs(text):
                key = (colour.rgba(), family)
                if key not in parts:
                    parts[key] = (colour, [], [])
                parts[key][1].extend(glyphs)
                parts[key][2].extend([QPointF(left + x, top + y) for x, y in places])
        runs = []
        for (_, family), (colour, glyphs, points) in parts.items():
            run = QGlyphRun()
            run.setRawFont(self._raw_fonts[family])
            run.setGlyphIndexes(glyphs)
            run.setPositions(points)
            runs.append((colour, run))
        return runs

    def _glyphs(self, text: str) -> list[tuple[str, list[int], list[tuple[float, float]]]]:
        """Give (font family, glyphs, their places in px from the text's left top corner), made once."""
        shaped = self._shaped.get(text)
        if shaped is None:
            _make_room(self._shaped)
            layout = QTextLayout(text, self.font)
            layout.beginLayout()
            layout.createLine()
            layout.endLayout()
            shaped = self._shaped[text] = []
            for run in layout.glyphRuns():
                font = run.rawFont()
                self._raw_fonts.setdefault(font.familyName(), font)
                places = [(place.x(), place.y()) for place in run.positions()]
                shaped.append((font.familyName(), run.glyphIndexes(), places))
        return shaped

    def laid_out(self, text: str) -> QStaticText:
        """Give the text laid out in this font, made once."""
        static = self._static.get(text)
        if static is None:
            _make_room(self._static)
            static = QStaticText(text)
            static.setTextFormat(Qt.TextFormat.PlainText)
            static.setTextOption(QTextOption(Qt.AlignmentFlag.AlignLeft))
            static.prepare(font=self.font)
            self._static[text] = static
        return static


def _make_room(kept: dict[Any, Any]) -> None:
    """Forget everything once there is very much of it: numbers in cells are ever new ones."""
    if len(kept) > 20_000:
        kept.clear()


def _is_emoji(character: str) -> bool:
    return ord(character) >= 0x1F000 or unicodedata.category(character) == "So"
