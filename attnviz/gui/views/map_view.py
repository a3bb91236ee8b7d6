"""Looking at parts of the matrix: zoom and pan, the overview, and which picture the screen wants of it.

It moves what the board has in view, and tells when a long document is wanted elsewhere or in other px.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtWidgets import QWidget

from attnviz.core.stages import Stages
from attnviz.gui.views.board_layout import CLOSE, GAP
from attnviz.gui.views.map_window import Window
from attnviz.gui.views.overview import Overview
from attnviz.gui.views.picture_frame import Range, wanted_frame
from attnviz.gui.views.stage_board import StageBoard

ZOOM_STEP = 1.25
"""By how much a step of the wheel, or a key, zooms in."""
_SIDE, _LEAST_SIDE, _LEAST_OVER = 120, 56, 40  # px of the overview, beside the panels or over one
_COVERED = 0.38  # of a plot's side
_SMALL_CELL = 24.0  # px; a cell that is gone to is shown at least so large
_GONE_TO = 34.0  # px of a cell that is zoomed in to: numbers have room

Ask = Callable[[Range, Range, tuple[int, int]], None]


class MapView:
    """What a board has in view.

    Attributes
    ----------
    overview
        The small map, a child of the area.

    Parameters
    ----------
    board
        What shows the matrix.
    area
        The widget it is shown in.
    ask
        Called with the queries, the keys and the most cells that a picture of a long document is to have,
        each time they are others.
    """

    def __init__(self, board: StageBoard, area: QWidget, ask: Ask) -> None:
        self._board, self._area, self._ask = board, area, ask
        self._wanted: tuple[Range, Range, tuple[int, int]] | None = None
        self._drawn: tuple[Stages | None, float] = (None, 0.0)
        board.aside = float(_SIDE)
        self.overview = Overview(area)
        self.overview.place_chosen.connect(
            lambda key, query: self.look_at(self.window.centred(query, key, *self._shape))
        )
        self.overview.moved.connect(self.move)

    @property
    def window(self) -> Window:
        """The part of the matrix in view."""
        return self._board.state.window

    @property
    def _shape(self) -> tuple[int, int]:
        return self._board.state.n_query, self._board.state.n_key

    def look_at(self, window: Window) -> None:
        """Show another part of the matrix."""
        self._board.set_window(window)
        self.follow()

    def zoom(self, factor: float, at: tuple[float, float]) -> None:
        """Zoom in or out around a place (key, query) in cells."""
        self.look_at(self.window.zoomed(factor, at, *self._shape))

    def turn(self, steps: float, position: QPointF, plot: QRectF) -> None:
        """Zoom in by steps of the wheel, or out by negative ones, around a place in a plot; both in px."""
        window = self.window
        across = min(max((position.x() - plot.left()) / plot.width(), 0.0), 1.0)
        down = min(max((position.y() - plot.top()) / plot.height(), 0.0), 1.0)
        self.zoom(ZOOM_STEP**steps, (across * window.columns + window.x, down * window.rows + window.y))

    def move(self, columns: float, rows: float, start: Window | None = None) -> None:
        """Move what is in view, or what was at the start of a drag, by so many cells."""
        self.look_at((start or self.window).moved(columns, rows, *self._shape))

    def show_cell(self, query: int, key: int) -> None:
        """Bring a cell into the middle, as large as it can be read."""
        window, plot = self.window, self._plot()
        if plot.isEmpty():
            return
        columns, rows = window.columns, window.rows
        if plot.width() / columns < _SMALL_CELL or plot.height() / rows < _SMALL_CELL:
            columns, rows = min(columns, plot.width() / _GONE_TO), min(rows, plot.height() / _GONE_TO)
        near = Window(window.x, window.y, columns, rows)
        self.look_at(near.centred(query + 0.5, key + 0.5, *self._shape))

    def follow(self) -> None:
        """Bring the overview up to date, and ask for the picture that the screen wants now."""
        self._follow_overview()
        self._ask_for_picture()

    def _plot(self) -> QRectF:
        return self._board.visible_panels()[0].place_now.plot

    def _ask_for_picture(self) -> None:
        state, plot = self._board.state, self._plot()
        if not state.is_long:
            self._wanted = None
            return
        if plot.isEmpty():
            return
        size = plot.width() * state.scale, plot.height() * state.scale
        wanted = wanted_frame(state.window, *size, *self._shape)
        if wanted != self._wanted:
            self._wanted = wanted
            self._ask(*wanted)

    def _follow_overview(self) -> None:
        state = self._board.state
        is_wanted = state.stages is not None and (state.is_long or not state.window.is_whole(*self._shape))
        place = self._overview_place() if is_wanted else QRect()
        self.overview.setVisible(not place.isEmpty())
        if place.isEmpty():
            return
        self.overview.setGeometry(place)
        self.overview.raise_()
        self.overview.show_window(state.window, *self._shape, state.selection.query)
        source = state.overview if state.is_long else state.stages
        level = self._board.panels["weights"].picture.level
        if (source, level) != self._drawn:
            self._drawn = (source, level)
            if source is None:
                self.overview.clear()
            else:
                self.overview.draw(source, level)

    def _overview_place(self) -> QRect:
        """Give the place beside the panels, or in a corner of the last of them where there is none beside."""
        panels = [panel.place_now for panel in self._board.visible_panels()]
        right = max(place.whole.right() for place in panels) + GAP
        side = min(_SIDE, int(self._area.width() - right - CLOSE))
        if side >= _LEAST_SIDE:
            return QRect(int(right), int(panels[0].plot.top()), side, side)
        plot = panels[-1].plot
        side = min(_SIDE, int(min(plot.width(), plot.height()) * _COVERED))
        if side < _LEAST_OVER or self.window.is_whole(*self._shape):
            return QRect()
        return QRect(int(plot.right()) - side - 2, int(plot.top()) + 2, side, side)
