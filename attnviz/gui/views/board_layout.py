"""Where everything on the board of stages lies: pure geometry, in px, from sizes alone.

Nothing here depends on a value that is shown, so nothing moves while a value changes. Nothing here draws.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QRectF

MARGIN, GAP = 6.0, 12.0
HEADER, LEGEND, LEGEND_ASIDE = 26.0, 18.0, 56.0
CORNER = 28.0  # two lines that name the axes
NOTE = 18.0  # the line below a plot that says what its pixels stand for
CLOSE = 4.0
MIN_NUMBER_HEIGHT = 13.0
LARGE_FROM = 26.0  # px of height, from which on numbers are larger where their width allows
_WIDEST_CELL = 2.5  # cells are square, or up to so much wider where numbers then fit
_LABEL_ROOM = 16.0  # … and so wide where labels of keys then stand apart
_AIR = 1.3
_SNAPPED = 4.0  # cells this large are whole px, so that all of them are equal
_SMALLEST_PLOT = 48.0
_LONGEST_SIDE = 3  # a plot of a long document is at most so many times as long as wide
_LEAST_PANEL = 248.0  # px of width for a title and controls
_CLEAR = 16.0  # px of a cell; a matrix of few rows or columns that are so large is not too small


@dataclass(frozen=True)
class Measures:
    """What the layout needs to know of the texts, in px.

    Attributes
    ----------
    widest_query, widest_key
        The widest label of a query and of a key along its line.
    tallest_key
        The tallest label of a key across its line.
    corner
        The names of the axes.
    short_number, number, large_number
        A number in a cell: with one decimal, with two, and with two in the large size.
    is_long
        The document is long: there is a line below each plot, and the plots need not keep its proportions.
    aside
        Width that is left free at the right where there is so much to spare.
    """

    widest_query: float
    widest_key: float
    tallest_key: float
    corner: float
    short_number: float
    number: float
    large_number: float
    is_long: bool = False
    aside: float = 0.0


@dataclass(frozen=True)
class PanelPlace:
    """One panel: the whole, and its parts; parts there is no room for are empty."""

    whole: QRectF
    header: QRectF
    columns: QRectF
    rows: QRectF
    plot: QRectF
    legend: QRectF
    note: QRectF = field(default_factory=QRectF)


@dataclass(frozen=True)
class BoardPlan:
    """All panels shown, and how the labels of keys are set (across their line or along it)."""

    panels: tuple[PanelPlace, ...]
    keys_across: bool
    has_corner: bool


def plan_board(
    width: float, height: float, n_query: int, n_key: int, measures: Measures, n_panels: int
) -> BoardPlan:
    """Lay out four panels two by two, or one panel alone.

    Parameters
    ----------
    width, height
        The area in px; any positive size.
    n_query, n_key
        Rows and columns of every panel.
    measures
        Sizes of texts.
    n_panels
        1 or 4.
    """
    if measures.is_long:  # few rows of very many keys would be no more than a line
        longest = max(n_query, n_key)
        n_query, n_key = (max(count, -(-longest // _LONGEST_SIDE)) for count in (n_query, n_key))
    across, down = (1, 1) if n_panels == 1 else (2, 2)
    margin = MARGIN if min(width, height) >= 160 else 0.0
    gap = GAP if min(width, height) >= 160 else min(2.0, min(width, height) / 8)
    each_w = max((width - 2 * margin - (across - 1) * gap) / across, 0.25)
    each_h = max((height - 2 * margin - (down - 1) * gap) / down, 0.25)
    parts = _parts(each_w, each_h, n_query, n_key, measures)
    plot_w, plot_h = parts.cell_w * n_key, parts.cell_h * n_query
    used_w = parts.left + plot_w + parts.aside
    if n_key < n_query and not measures.is_long:  # a narrow matrix leaves its header room all the same
        used_w = max(used_w, min(each_w, _LEAST_PANEL))
    spare_w = max(each_w - used_w, 0.0) * across
    spare_h = max(each_h - parts.above - plot_h - parts.under, 0.0) * down
    taken = measures.aside + gap if measures.aside and spare_w >= measures.aside + gap else 0.0
    left = margin + math.floor((spare_w - taken) / 2)
    is_square = n_query == n_key or measures.is_long
    top = margin + math.floor(min(spare_h / 2, 24.0) if is_square else spare_h / 2)
    places = []
    for row in range(down):
        for column in range(across):
            x = _snapped(left + column * (used_w + gap), plot_w)
            y = _snapped(top + row * (parts.above + plot_h + parts.under + gap), plot_h)
            places.append(_place(x, y, plot_w, plot_h, parts, used_w))
    return BoardPlan(tuple(places), parts.keys_across, parts.has_corner)


def label_places(
    count: int, first: float, cell: float, length: float, pitch: float, always: Sequence[int] = ()
) -> list[tuple[int, float]]:
    """Give (index, centre in px) of the labels along an axis that do not overlap.

    Parameters
    ----------
    count
        Cells along the axis.
    first, cell, length
        The first visible cell (may be fractional), px per cell, and px of the axis.
    pitch
        The least distance between two centres.
    always
        Indices labelled before all others.
    """
    # Labels of neighbours may stand close; where some are left out, the rest get air.
    step = 1 if cell >= pitch - 1e-6 else math.ceil(_AIR * pitch / cell)
    begin, end = max(0, math.floor(first)), min(count, math.ceil(first + length / cell))
    taken: dict[int, float] = {}
    for index in (*always, *range(-(-begin // step) * step, end, step)):
        centre = (index + 0.5 - first) * cell
        apart = index not in taken and (
            step == 1
            or not always
            or all(abs(centre - taken[other]) >= pitch - 0.01 for other in always if other in taken)
        )
        if begin <= index < end and 0.0 <= centre <= length and apart:
            taken[index] = centre
    return sorted(taken.items())


def tick_places(
    count: int, first: float, cell: float, length: float, pitch: float, always: Sequence[int] = ()
) -> list[tuple[int, float]]:
    """Give (index, centre in px) of the numbers along an axis: round ones that do not overlap.

    Parameters and order as in ``label_places``; what is in ``always`` is there whatever number it is.
    """
    least = max(_AIR * pitch / cell, 1.0)
    power = 10 ** math.floor(math.log10(least))
    step = next(nice * power for nice in (1, 2, 5, 10) if nice * power >= least)
    begin, end = max(0, math.floor(first)), min(count, math.ceil(first + length / cell))
    taken: dict[int, float] = {}
    for index in (*always, *range(-(-begin // step) * step, end, step)):
        centre = (index + 0.5 - first) * cell
        apart = all(abs(centre - other) >= pitch for other in taken.values())
        if begin <= index < end and 0.0 <= centre <= length and apart:
            taken[index] = centre
    return sorted(taken.items())


@dataclass(frozen=True)
class _Parts:
    left: float
    header: float
    columns: float
    below: float
    aside: float
    note: float
    cell_w: float
    cell_h: float
    keys_across: bool
    has_corner: bool

    @property
    def above(self) -> float:
        return self.header + self.columns

    @property
    def under(self) -> float:
        return self.below + self.note


def _parts(each_w: float, each_h: float, n_query: int, n_key: int, measures: Measures) -> _Parts:
    """Choose labels, header and legend for one panel, dropping in turn what there is no room for."""
    for keeps in ("all", "no corner", "no labels", "plot"):
        has_labels = keeps in ("all", "no corner")
        has_frame = keeps != "plot"
        corner = measures.corner if keeps == "all" else 0.0
        left = min(max(measures.widest_query, corner), 112.0, each_w / 3) + CLOSE if has_labels else 0.0
        header, below = (HEADER, LEGEND) if has_frame else (0.0, 0.0)
        note = NOTE if has_frame and measures.is_long else 0.0
        all_h = each_h - note
        along = max(CORNER if corner else 18.0, 18.0)
        across = max(min(measures.tallest_key, 96.0, each_h / 4) + CLOSE, CORNER + CLOSE if corner else 0.0)
        if measures.is_long:  # a px of the picture is a px of the screen
            left, across = math.ceil(left), math.ceil(across)
        room_w = each_w - left
        keys_across = measures.widest_key + 2 * CLOSE > room_w / n_key
        columns = (across if keys_across else along) if has_labels else 0.0
        cell_w, cell_h = _cell(room_w, all_h - header - columns - below, n_query, n_key, measures)
        if keys_across is False and measures.widest_key + 2 * CLOSE > cell_w:
            keys_across, columns = True, across if has_labels else 0.0
            cell_w, cell_h = _cell(room_w, all_h - header - columns - below, n_query, n_key, measures)
        aside = 0.0
        if has_frame:
            has_numbers = cell_h >= MIN_NUMBER_HEIGHT and cell_w >= measures.short_number
            # Where height is scarce and width is not, the legend stands beside the plot.
            beside = _cell(room_w - LEGEND_ASIDE, all_h - header - columns, n_query, n_key, measures)
            has_room = keys_across or beside[0] >= measures.widest_key + 2 * CLOSE
            if has_room and beside[1] > cell_h and (beside[0] >= cell_w or not has_numbers):
                (cell_w, cell_h), below, aside = beside, 0.0, LEGEND_ASIDE
        is_large = cell_w * n_key >= min(_SMALLEST_PLOT, n_key * _CLEAR) and cell_h * n_query >= min(
            _SMALLEST_PLOT, n_query * _CLEAR
        )
        if is_large or keeps == "plot":
            return _Parts(
                left, header, columns, below, aside, note, cell_w, cell_h, keys_across, keeps == "all"
            )
    raise AssertionError("the last choice always holds")


def _cell(room_w: float, room_h: float, n_query: int, n_key: int, measures: Measures) -> tuple[float, float]:
    """Give (width, height) of a cell: square, or wider just so far that numbers fit."""
    widest, tallest = max(room_w, 0.25) / n_key, max(room_h, 0.25) / n_query
    side = min(widest, tallest)
    wide = side
    # Two decimals where there is room, else one: a token more must not take all numbers away.
    numbers = (measures.number, measures.short_number)
    number = next((number for number in numbers if number <= min(widest, _WIDEST_CELL * side)), None)
    if side >= LARGE_FROM and measures.large_number <= min(widest, 1.5 * side):
        wide = max(side, measures.large_number)
    elif tallest >= MIN_NUMBER_HEIGHT and number is not None and side < number:
        wide = min(widest, _WIDEST_CELL * side, number * 1.15)
    elif _LABEL_ROOM / 2 <= side < _LABEL_ROOM:
        wide = min(widest, _LABEL_ROOM)
    # Few rows of many keys, or many rows of few, would be a strip: its cells are less than square.
    if n_query < n_key and not measures.is_long:
        side = min(tallest, max(side, min(_LABEL_ROOM, wide * n_key / n_query)))
    elif n_key < n_query and not measures.is_long:
        wide = min(widest, max(wide, min(2 * _LABEL_ROOM, side * n_query / n_key)))
    return _snapped_cell(wide, n_key), _snapped_cell(side, n_query)


def _snapped_cell(size: float, count: int) -> float:
    """Give a cell whole px; smaller cells a plot of whole px, so that none shares one with the frame."""
    return math.floor(size) if size >= _SNAPPED else _whole(size * count) / count


def _place(x: float, y: float, plot_w: float, plot_h: float, parts: _Parts, width: float) -> PanelPlace:
    plot = QRectF(x + parts.left, y + parts.above, plot_w, plot_h)
    whole = QRectF(x, y, width, parts.above + plot_h + parts.under)
    below = QRectF(plot.left(), plot.bottom(), plot_w, parts.below)
    return PanelPlace(
        whole=whole,
        header=QRectF(x, y, whole.width(), parts.header),
        columns=QRectF(plot.left(), y + parts.header, plot_w, parts.columns),
        rows=QRectF(x, plot.top(), parts.left, plot_h),
        plot=plot,
        legend=QRectF(plot.right(), plot.top(), parts.aside, plot_h) if parts.aside else below,
        note=QRectF(x, plot.bottom() + parts.below, whole.width(), parts.note),
    )


def _whole(size: float) -> float:
    return math.floor(size + 1e-6) if size >= 1 else size


def _snapped(position: float, size: float) -> float:
    """Give a whole px where the plot is large enough to show the difference."""
    return math.floor(position) if size >= 8 else position
