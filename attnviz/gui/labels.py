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

_FIGURES = frozenset("0123456789.−%")
_Shaped = list[tuple[str, list[int], list[tuple[float, float]]]]
"""Of each run of a text: the family, the glyphs, and their places in px from the left top corner."""


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
        self._numbers: set[str] = set()  # drawn once
        self._family = ""  # of the figures
        self._figures: tuple[dict[str, float], dict[str, tuple[int, float, float]]] = ({}, {})
        self._shaped: dict[str, _Shaped] = {}
        self._raw_fonts: dict[str, QRawFont] = {}

    def width(self, text: str) -> float:
        """Give the width of ``text`` in px."""
        width = self._widths.get(text)
        if width is None:
            _make_room(self._widths)
            advances = self._figures[0] or self._measure_figures()
            try:
                width = sum([advances[figure] for figure in text])
            except KeyError:
                width = self.metrics.horizontalAdvance(text)
            self._widths[text] = width
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
        static = self._static.get(text)
        if static is None and self._is_new_number(text) and _has_one_to_one(painter):
            painter.drawText(QPointF(x, self._top(middle) + self.ascent), text)
        else:
            painter.drawStaticText(QPointF(x, self._top(middle)), static or self.laid_out(text))

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

    def _is_new_number(self, text: str) -> bool:
        """Say whether a text is a number drawn for the first time: it may never come again.

        To lay it out takes twice as long as to draw it at once.
        """
        if text in self._numbers or not _FIGURES.issuperset(text):
            return False
        _make_room(self._numbers)
        self._numbers.add(text)
        return True

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

    def _glyphs(self, text: str) -> _Shaped:
        """Give (font family, glyphs, their places in px from the text's left top corner), made once."""
        shaped = self._shaped.get(text)
        if shaped is None:
            _make_room(self._shaped)
            shaped = self._shaped[text] = self._number_glyphs(text) or self._shape(text)
        return shaped

    def _shape(self, text: str) -> _Shaped:
        layout = QTextLayout(text, self.font)
        layout.beginLayout()
        layout.createLine()
        layout.endLayout()
        shaped = []
        for run in layout.glyphRuns():
            font = run.rawFont()
            self._raw_fonts.setdefault(font.familyName(), font)
            places = [(place.x(), place.y()) for place in run.positions()]
            shaped.append((font.familyName(), run.glyphIndexes(), places))
        return shaped

    def _measure_figures(self) -> dict[str, float]:
        """Measure and shape what numbers consist of, once: of no number do two of them change each other."""
        shaped = {figure: self._shape(figure)[0] for figure in _FIGURES}
        self._family = shaped["0"][0]
        advances = {figure: self.metrics.horizontalAdvance(figure) for figure in _FIGURES}
        glyphs = {figure: (glyphs[0], *places[0]) for figure, (_, glyphs, places) in shaped.items()}
        self._figures = (advances, glyphs)
        return advances

    def _number_glyphs(self, text: str) -> _Shaped:
        """Give the glyphs of a number, nothing for another text."""
        advances, figures = self._figures
        try:
            glyphs, places, left = [], [], 0.0
            for figure in text:
                glyph, x, y = figures[figure]
                glyphs.append(glyph)
                places.append((left + x, y))
                left += advances[figure]
        except KeyError:
            return []
        return [(self._family, glyphs, places)]

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


def _has_one_to_one(painter: QPainter) -> bool:
    """Say whether a px is one of the device: then text that was laid out and other text look the same."""
    transform = painter.deviceTransform()
    return transform.m11() == 1.0 and transform.m12() == 0.0


def _make_room(kept: dict[Any, Any] | set[Any]) -> None:
    """Forget everything once there is very much of it: numbers in cells are ever new ones."""
    if len(kept) > 20_000:
        kept.clear()


def _is_emoji(character: str) -> bool:
    return ord(character) >= 0x1F000 or unicodedata.category(character) == "So"
