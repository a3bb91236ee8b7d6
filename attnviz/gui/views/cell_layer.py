"""What lies upon a panel's picture: gaps, strokes over hidden cells, numbers, and marks of the selection."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QGlyphRun, QImage, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from attnviz.gui.colormaps import HIDDEN, Colours, Indices, inks
from attnviz.gui.labels import Labels
from attnviz.gui.views.board_layout import LARGE_FROM, MIN_NUMBER_HEIGHT
from attnviz.gui.views.board_state import BoardState
from attnviz.gui.views.leaks import SIGN, draw_sign

_GAPS_FROM = 8.0  # px; smaller cells touch
_MOST_NUMBERS = 6000
_THIN = 3.0  # px; a row less high is marked by a line
_NO_NUMBER = 255  # in the place of an ink
_ORIGIN = QPointF()

Rows = Callable[[int, int], NDArray[np.float32]]
Formatter = Callable[[float, int], str]


class _Row(NamedTuple):
    place: QRectF
    numbers: list[tuple[QColor, float, str]]
    """Colour, centre in px and text of each."""
    runs: list[tuple[QColor, QGlyphRun]]


class CellLayer(QGraphicsItem):
    """Draws over one panel's picture; the panel says what, by ``show_cells`` and ``hatch``."""

    def __init__(self, state: BoardState, parent: QGraphicsItem) -> None:
        super().__init__(parent)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)
        self.state = state
        self.plot = QRectF()
        self._bounds = self.plot.adjusted(-3, -3, 3, 3)
        self.hatch: QImage | None = None
        self.hatch_source: object = None
        self.marks_leaks = False
        self.format: Formatter = lambda value, decimals: ""
        self._values: NDArray[np.float32] | None = None
        self._inks: NDArray[np.uint8] | None = None
        self._shown: tuple[object, ...] = ()
        self._rows: dict[int, _Row] = {}
        self._gaps: tuple[object, list[QLineF]] = (None, [])
        self._labels: Labels | None = None
        self._first = (0, 0)

    def place(self, plot: QRectF) -> None:
        """Take a new place."""
        self.prepareGeometryChange()
        self.plot, self._bounds = plot, plot.adjusted(-3, -3, 3, 3)

    def cell_size(self) -> tuple[float, float]:
        """Give (width, height) of a cell in px."""
        window = self.state.window
        return self.plot.width() / window.columns, self.plot.height() / window.rows

    def cell_rect(self, query: int, key: int) -> QRectF:
        """Give a cell's rectangle in scene px; it may lie outside the plot when zoomed in."""
        width, height = self.cell_size()
        window = self.state.window
        return QRectF(
            self.plot.left() + (key - window.x) * width,
            self.plot.top() + (query - window.y) * height,
            width,
            height,
        )

    def show_cells(
        self, values: Rows, indices: Indices, table: Colours, formatter: Formatter, *, shows_hidden: bool
    ) -> list[int]:
        """Lay out the numbers of the cells in view again, rows that changed only, and give these rows.

        Parameters
        ----------
        values
            Gives the rows first to last of the stage's picture, float32.
        indices
            The picture as indices, uint8 (rows, columns).
        table
            The map's colours, uint8 (256, 3).
        formatter
            Gives a number's text with so many decimals.
        shows_hidden
            Whether hidden cells carry a number too.
        """
        window, state = self.state.window, self.state
        width, height = self.cell_size()
        (top, bottom), (left, right) = state.frame.shown(window)
        n_cells = (bottom - top) * (right - left)
        is_small = height < MIN_NUMBER_HEIGHT or width < 12
        if is_small or not 0 < n_cells <= _MOST_NUMBERS or not state.frame.is_exact:
            self._values, self._labels = None, None
            self._rows.clear()
            return []
        (row, column) = state.frame.place_of(top, left)
        columns = slice(column, column + right - left)
        now = values(row, row + bottom - top)[:, columns]
        shown = indices[row : row + bottom - top, columns]
        colours, ink_of = inks(table.tobytes())
        ink = ink_of[shown]  # the strokes over a hidden cell lie on the ground
        if not shows_hidden:
            ink[shown == HIDDEN] = _NO_NUMBER
        visible = now if shows_hidden else now[shown != HIDDEN]
        labels, decimals = self._choice(visible, formatter, width, height)
        place = (self.plot, window, labels, decimals, id(table), formatter, shows_hidden)
        if place != self._shown or self._values is None or self._values.shape != now.shape:
            stale = list(range(bottom - top))
            self._rows.clear()
        else:
            same = (now == self._values) & (ink == self._inks)
            stale = np.flatnonzero(~same.all(axis=1)).tolist()
        self._shown, self._values, self._inks = place, now, ink
        self._labels, self._first, self.format = labels, (top, left), formatter
        if labels is None:
            self._rows.clear()
        else:
            for row in stale:
                cells = [
                    (column, formatter(value, decimals), colours[number])
                    for column, (value, number) in enumerate(
                        zip(now[row].tolist(), ink[row].tolist(), strict=True)
                    )
                    if number != _NO_NUMBER
                ]
                self._rows[row] = self._laid_out(labels, row, cells)
        return [top + row for row in stale]

    def update_rows(self, first: int, last: int) -> None:
        """Have the rows ``first`` to ``last`` painted again."""
        top, bottom = self.cell_rect(first, 0).top(), self.cell_rect(last, 0).bottom()
        self.update(QRectF(self.plot.left(), top, self.plot.width(), bottom - top).adjusted(-3, -3, 3, 3))

    def shown_number(self, query: int, key: int) -> str:
        """Give the number a cell carries on the screen, or nothing."""
        number = self._number_at(query, key)
        return number[2] if number is not None else ""

    def number_colour(self, query: int, key: int) -> QColor | None:
        """Give the colour of the number a cell carries, or None."""
        number = self._number_at(query, key)
        return number[0] if number is not None else None

    def _number_at(self, query: int, key: int) -> tuple[QColor, float, str] | None:
        centre = self.cell_rect(query, key).center().x()
        row = self._rows.get(query - self._first[0])
        numbers = row.numbers if row is not None else []
        return next((number for number in numbers if abs(number[1] - centre) < 0.5), None)

    def _choice(
        self, visible: NDArray[np.float32], formatter: Formatter, width: float, height: float
    ) -> tuple[Labels | None, int]:
        """Choose a size and decimals, one for the whole panel, so that the longest number fits its cell."""
        fonts = self.state.fonts
        if visible.size == 0:
            return fonts.number, 2
        ends = [float(visible.min()), float(visible.max())]
        largest = max(abs(end) for end in ends)
        # Two figures say enough and fewer would mislead: smaller numbers keep both decimals or go.
        choices = (2,) if largest < 1 else (2, 1) if largest < 100 else (2, 1, 0)
        has_large = height >= LARGE_FROM and width >= fonts.large_number.width("−0.00") + 6
        for decimals in choices:
            if fonts.number.width(formatter(0.1, decimals)) + 4 > width:
                continue  # usual numbers would run into one another
            texts = [formatter(end, decimals) for end in ends]
            # Digits all have one width, so the longest number is at one of the ends.
            if has_large and self._widest(fonts.large_number, texts) + 6 <= width:
                return fonts.large_number, decimals
            if self._widest(fonts.number, texts) + 1 <= width:
                return fonts.number, decimals
        return None, 0

    def _laid_out(self, labels: Labels, row: int, cells: list[tuple[int, str, QColor]]) -> _Row:
        """Lay out one row's numbers: (column, text, colour) of each."""
        width, height = self.cell_size()
        plot, window, (top, left) = self.plot, self.state.window, self._first
        y = plot.top() + (top + row - window.y) * height
        x0 = plot.left() + (left + 0.5 - window.x) * width
        numbers = [(colour, x0 + column * width, text) for column, text, colour in cells]
        runs = labels.centred_runs(y + height / 2, numbers)
        return _Row(QRectF(plot.left(), y, plot.width(), height), numbers, runs)

    @staticmethod
    def _widest(labels: Labels, texts: list[str]) -> float:
        return max(labels.width(text) for text in texts)

    # Qt's overrides

    def boundingRect(self) -> QRectF:
        return self._bounds

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        if self.plot.isEmpty() or self.state.stages is None:
            return
        painter.save()
        painter.setClipRect(self.plot, Qt.ClipOperation.IntersectClip)
        if self.hatch is not None:
            painter.drawImage(self.plot.topLeft(), self.hatch)
        self._paint_gaps(painter)
        if self._labels is not None:
            self._paint_numbers(painter)
        if self.leaks is not None:
            self._paint_leaks(painter, self.leaks)
        painter.restore()
        self._paint_marks(painter)

    def _paint_numbers(self, painter: QPainter) -> None:
        for row in self._rows.values():
            if self.state.is_exposed(row.place):
                for colour, run in row.runs:
                    painter.setPen(colour)
                    painter.drawGlyphRun(_ORIGIN, run)

    def _paint_gaps(self, painter: QPainter) -> None:
        width, height = self.cell_size()
        if min(width, height) < _GAPS_FROM:
            return
        painter.setPen(QPen(self.state.theme.ground, 1.0))
        if self._gaps[0] != (self.plot, self.state.window):
            self._gaps = ((QRectF(self.plot), self.state.window), self._gap_lines(width, height))
        painter.drawLines(self._gaps[1])

    def _gap_lines(self, width: float, height: float) -> list[QLineF]:
        plot, window = self.plot, self.state.window
        lines = [
            QLineF(x, plot.top(), x, plot.bottom())
            for key in range(math.ceil(window.x), math.floor(window.x + window.columns) + 1)
            if plot.left() < (x := plot.left() + (key - window.x) * width) < plot.right() - 0.5
        ]
        lines += [
            QLineF(plot.left(), y, plot.right(), y)
            for query in range(math.ceil(window.y), math.floor(window.y + window.rows) + 1)
            if plot.top() < (y := plot.top() + (query - window.y) * height) < plot.bottom() - 0.5
        ]
        return lines

    @property
    def leaks(self) -> NDArray[np.bool_] | None:
        """The leaking cells that are marked here: in the panel of the weights."""
        return self.state.leaks if self.marks_leaks else None

    def _paint_leaks(self, painter: QPainter, leaks: NDArray[np.bool_]) -> None:
        """Mark hidden cells whose weight is above 0 with a small corner."""
        state, window = self.state, self.state.window
        width, height = self.cell_size()
        size = min(SIGN, width / 3, height / 3)
        if size < 1.5:
            return
        (top, bottom), (left, right) = state.frame.shown(window)
        row, column = state.frame.place_of(top, left)
        painter.setPen(Qt.PenStyle.NoPen)
        shown = leaks[row : row + bottom - top, column : column + right - left]
        for query, key in np.argwhere(shown).tolist():
            corner = self.cell_rect(top + query, left + key).topRight() + QPointF(-1, 1)
            draw_sign(painter, corner, size, state.theme.text)

    def _paint_marks(self, painter: QPainter) -> None:
        """Outline the selected query's row and the selected cell, and show the row and column pointed at."""
        state, theme, plot = self.state, self.state.theme, self.plot
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.border, 1.0))
        painter.drawRect(
            plot.adjusted(-1, -1, 0, 0)
        )  # around the cells: at 1,024 tokens a px is three of them
        painter.setClipRect(plot.adjusted(-2, -2, 2, 2), Qt.ClipOperation.IntersectClip)
        if state.hover is not None:
            cell = self.cell_rect(*state.hover)
            painter.setPen(QPen(theme.muted, 1.0))
            painter.setOpacity(0.6)
            painter.drawLines(
                [
                    QLineF(plot.left(), cell.top(), plot.right(), cell.top()),
                    QLineF(plot.left(), cell.bottom(), plot.right(), cell.bottom()),
                    QLineF(cell.left(), plot.top(), cell.left(), plot.bottom()),
                    QLineF(cell.right(), plot.top(), cell.right(), plot.bottom()),
                ]
            )
            painter.setOpacity(1.0)
        cell = self.cell_rect(state.selection.query, state.selection.key)
        row = QRectF(plot.left(), cell.top(), plot.width(), cell.height())
        if row.bottom() > plot.top() and row.top() < plot.bottom():
            if state.is_long and row.height() < _THIN:
                self._line(painter, row.center().y())
            else:
                self._outline(painter, row, 1.5)
            if cell.right() > plot.left() and cell.left() < plot.right():
                self._outline(
                    painter, cell, 2.0 + state.has_focus if min(cell.width(), cell.height()) > 6 else 1.5
                )

    def _line(self, painter: QPainter, y: float) -> None:
        """Mark a row that is less than a line: of a long document an outline would cover many others."""
        plot = self.plot
        y = min(max(math.floor(y), plot.top()), plot.bottom() - 1) + 0.5
        painter.setPen(QPen(self.state.theme.accent, 1.0))
        painter.drawLine(QLineF(plot.left() - 1, y, plot.right() + 1, y))

    def _outline(self, painter: QPainter, rect: QRectF, width: float) -> None:
        """Draw in accent with a thin edge of the ground's colour, so that it stands out from any map."""
        theme = self.state.theme
        pen = QPen(theme.ground, width + 1.0)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        painter.setPen(pen)
        painter.drawRect(rect)
        pen.setColor(theme.accent)
        pen.setWidthF(width)
        painter.setPen(pen)
        painter.drawRect(rect)
