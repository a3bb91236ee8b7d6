"""One painting of the bars beside a map: the means, the scale, and a bar or a px of an outline per row."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from attnviz.core.inputs import Inputs
from attnviz.core.summaries import EFFECTIVE_KEYS, ENTROPY, MEASURES, RowSummaries
from attnviz.gui.fonts import number_font, small_font
from attnviz.gui.labels import Labels
from attnviz.gui.plain_text import visible
from attnviz.gui.theme import SPACE, Theme
from attnviz.gui.views.marginal_profile import longest_per_px, outline, shares
from attnviz.gui.views.measure_words import ends, measure_name, told_value, value_text
from attnviz.gui.views.row_span import RowSpan

CONTROL = 24
"""Height in px of what stands at the height of the panel's heading."""
_LINE = 16
_LEAST_ROW = 3.0  # px from which on a row has a bar of its own
_NUMBER_ROW = 13.0  # px from which on it has its number too


class MarginalFonts:
    """The labels, one per font."""

    def __init__(self) -> None:
        self.small, self.bold = Labels(small_font()), Labels(small_font(bold=True))
        self.number = Labels(number_font(small=True))
        self.number_width = self.number.width("100.0%")


def told_row(told: RowSummaries, measure: str, query: int) -> str:
    """Give a row's number with its unit, — where it has no weight."""
    return "—" if told.is_empty[query] else told_value(measure, float(told.of(measure)[query]))


class MarginalPainting:
    """Paints one moment.

    Parameters
    ----------
    span
        Where the rows are.
    told, measure
        The rows' summaries, and which of ``MEASURES`` is shown.
    inputs
        What they are of.
    size
        Width and height of the whole in px.
    """

    def __init__(
        self,
        fonts: MarginalFonts,
        theme: Theme,
        span: RowSpan,
        told: RowSummaries,
        measure: str,
        inputs: Inputs,
        size: tuple[int, int],
    ) -> None:
        self._fonts, self._theme, self._span, self._told = fonts, theme, span, told
        self._measure, self._inputs = measure, inputs
        self._width, self._height = size
        self._right = float(self._width - SPACE)
        self._track = self._width - fonts.number_width - 4 * SPACE

    def bar_rect(self, query: int) -> QRectF:
        """Give where a row's bar lies, in px; empty where the row is out of view."""
        span, height = self._span, self._span.row_height
        top = span.y(query)
        if top + height <= span.top or top >= span.top + span.height:
            return QRectF()
        value = self._told.of(self._measure)[query : query + 1]
        length = float(shares(self._measure, value, self._inputs.n_key)[0]) * self._track
        inset = min(3.0, height / 5)
        return QRectF(SPACE, top + inset, length, max(height - 2 * inset, 1.0))

    def paint(
        self, painter: QPainter, selected: int, hover: int | None, most: NDArray[np.float64] | None
    ) -> None:
        """Paint all of it.

        Parameters
        ----------
        selected, hover
            The queries that are selected and pointed at.
        most
            How many keys each row may attend to, (n_query,), where that is to be seen.
        """
        span = self._span
        self._paint_means(painter)
        self._paint_scale(painter)
        painter.setClipRect(QRectF(0, span.top, self._width, span.height))
        if span.row_height >= _LEAST_ROW:
            self._paint_rows(painter, selected, hover)
        else:
            self._paint_profile(painter, selected, hover)
        if most is not None and self._measure in (ENTROPY, EFFECTIVE_KEYS):
            self._paint_most(painter, most)
        painter.setClipping(False)
        self._paint_below(painter, hover)

    def _paint_means(self, painter: QPainter) -> None:
        """Write the means of all measures above the plot, where there is room."""
        fonts, theme = self._fonts, self._theme
        if self._span.header < (len(MEASURES) + 1) * _LINE + 3 * SPACE:
            return
        y = 3.0 * SPACE
        painter.setPen(theme.text)
        title = QCoreApplication.translate("MarginalPlot", "mean of all rows")
        fonts.bold.draw(painter, SPACE, y, fonts.bold.elided(title, self._width - 2 * SPACE))
        for measure in MEASURES:
            y += _LINE
            name = measure_name(measure, is_cross=self._inputs.is_cross)
            self._paint_line(painter, y, name, value_text(measure, self._told.mean(measure)))

    def _paint_line(
        self, painter: QPainter, y: float, name: str, value: str, *, is_read: bool = True
    ) -> None:
        """Write a name at the left, and at the right its number."""
        fonts, theme = self._fonts, self._theme
        room = self._width - 4 * SPACE - fonts.number.width(value)
        painter.setPen(theme.muted)
        fonts.small.draw(painter, SPACE, y, fonts.small.elided(name, room))
        painter.setPen(theme.text if is_read else theme.muted)
        fonts.number.draw_right(painter, self._right, y, value)

    def _paint_scale(self, painter: QPainter) -> None:
        """Write what the ends of the scale are, and draw them down the rows."""
        theme, span, number = self._theme, self._span, self._fonts.number
        low, high = ends(self._measure, self._inputs.n_key)
        painter.setPen(theme.muted)
        number.draw(painter, SPACE, span.top - 7, low)
        at = min(SPACE + self._track - number.width(high) / 2, self._right - number.width(high))
        number.draw(painter, max(at, 4 * SPACE), span.top - 7, high)
        for part, colour in ((0.5, theme.grid), (1.0, theme.grid), (0.0, theme.border)):
            x = SPACE + self._track * part
            painter.setPen(QPen(colour, 1.0))
            painter.drawLine(QPointF(x, span.top), QPointF(x, span.top + span.height))

    def _paint_rows(self, painter: QPainter, selected: int, hover: int | None) -> None:
        """Draw a bar and a number per row."""
        theme, span, told = self._theme, self._span, self._told
        first, last = math.floor(span.first), min(told.n_query, math.ceil(span.first + span.rows))
        for query in range(first, last):
            is_selected = query == selected
            row = QRectF(0, span.y(query), self._width, span.row_height)
            if is_selected:
                painter.fillRect(row, theme.accent_soft)
            elif query == hover:
                painter.fillRect(row, theme.raised)
            painter.fillRect(self.bar_rect(query), theme.accent if is_selected else theme.bar)
            if is_selected or span.row_height >= _NUMBER_ROW:
                is_empty = bool(told.is_empty[query])
                value = float(told.of(self._measure)[query])
                painter.setPen(theme.muted if is_empty else theme.text)
                text = "—" if is_empty else value_text(self._measure, value)
                self._fonts.number.draw_right(painter, self._right, row.center().y(), text)

    def _paint_profile(self, painter: QPainter, selected: int, hover: int | None) -> None:
        """Draw rows that are too low for bars: each px is as long as the longest of its rows."""
        theme, span = self._theme, self._span
        lengths = self._lengths(self._told.of(self._measure))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.bar)
        painter.drawPolygon(outline(lengths, SPACE, span.top))
        for query, colour in ((hover, theme.muted), (selected, theme.accent)):
            if query is None or not span.first <= query + 0.5 < span.first + span.rows:
                continue
            y = span.y(query + 0.5)
            painter.setPen(QPen(colour, 1.0))
            painter.drawLine(QPointF(SPACE, y), QPointF(self._right, y))
            if query == selected:
                middle = min(max(y - 8, span.top + 7), span.top + span.height - 7)
                text = told_row(self._told, self._measure, query)
                self._fonts.number.draw_right(painter, self._right, middle, text)

    def _paint_most(self, painter: QPainter, most: NDArray[np.float64]) -> None:
        """Draw how far a row would reach whose allowed keys all had the same weight."""
        values = most if self._measure == EFFECTIVE_KEYS else np.log2(np.maximum(most, 1))
        lengths = self._lengths(values.astype(np.float32)).tolist()
        points = [QPointF(SPACE + x, self._span.top + y + 0.5) for y, x in enumerate(lengths)]
        painter.setPen(QPen(self._theme.muted, 1.0, Qt.PenStyle.DotLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF(points))

    def _paint_below(self, painter: QPainter, hover: int | None) -> None:
        """Write of the row under the pointer, else the mean: below the rows, or above where that is full."""
        span = self._span
        y = span.top + span.height + 10
        if y + 6 > self._height:
            y = span.top - 24
            if y < span.header + CONTROL + 7:
                return
        if hover is not None:
            name, value = visible(self._inputs.tokens[hover]), told_row(self._told, self._measure, hover)
        else:
            name = QCoreApplication.translate("MarginalPlot", "mean")
            value = told_value(self._measure, self._told.mean(self._measure))
        self._paint_line(painter, y, name, value, is_read=hover is not None)

    def _lengths(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """Give a bar's length for each px of height."""
        shown = longest_per_px(values, self._span)
        return shares(self._measure, shown, self._inputs.n_key) * self._track
