"""The brush over the mask panel: where a stroke goes, as rectangles of cells. It paints nothing itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QWidget

from attnviz.core.masks import Rectangle
from attnviz.gui.views.stage_board import StageBoard

Told = Callable[[Sequence[Rectangle], bool, bool], None]

_TIP = 4.0  # px; where cells are smaller, the brush covers several


class MaskBrush:
    """Follows one stroke at a time: it hides cells where it began on a seen one, else lets them be seen.

    Parameters
    ----------
    board
        Whose panel ``masked`` is painted on.
    area
        Where the pointer shows that a stroke may begin.
    told
        Hears of rectangles of cells, each a half-open range of queries and one of keys; whether they are to
        be seen; and whether a stroke begins with them.
    """

    def __init__(self, board: StageBoard, area: QWidget, told: Told) -> None:
        self._board, self._area, self._told = board, area, told
        self._last: tuple[int, int] | None = None
        self._allowed = False
        self.is_on = False

    @property
    def is_down(self) -> bool:
        """Whether a stroke is under way."""
        return self._last is not None

    def set_on(self, is_on: bool) -> None:
        """Be ready to paint, or no more."""
        self.is_on = is_on
        if not is_on:
            self._last = None
            self._area.unsetCursor()

    def is_over(self, point: QPointF) -> bool:
        """Say whether a stroke may begin at a point in px of the scene."""
        return self.is_on and self._cell_at(point) is not None

    def press(self, point: QPointF) -> None:
        """Begin a stroke."""
        cell, stages = self._cell_at(point), self._board.state.stages
        if cell is not None and stages is not None:
            (query, key), inputs = cell, stages.request.inputs
            is_seen = bool(inputs.allowed((query, query + 1), (key, key + 1))[0, 0])
            self._last, self._allowed = cell, not is_seen
            self._told([self._tip(*cell)], self._allowed, True)

    def move(self, point: QPointF) -> None:
        """Go on, over all cells between the last place and this one; outside the matrix, along its edge."""
        if self._last is None:
            if self.is_on:
                self._show_cross(self.is_over(point))
            return
        plot = self._board.panels["masked"].place_now.plot
        inside = QPointF(
            min(max(point.x(), plot.left()), plot.right() - 0.5),
            min(max(point.y(), plot.top()), plot.bottom() - 0.5),
        )
        cell = self._cell_at(inside)
        if cell is None or cell == self._last:
            return
        (query, key), self._last = self._last, cell
        steps = max(abs(cell[0] - query), abs(cell[1] - key))
        line = [
            self._tip(
                round(query + (cell[0] - query) * step / steps), round(key + (cell[1] - key) * step / steps)
            )
            for step in range(1, steps + 1)
        ]
        self._told(line, self._allowed, False)

    def release(self) -> None:
        """End the stroke."""
        self._last = None

    def _show_cross(self, is_over: bool) -> None:
        if is_over != (self._area.cursor().shape() == Qt.CursorShape.CrossCursor):
            if is_over:
                self._area.setCursor(Qt.CursorShape.CrossCursor)
            else:
                self._area.unsetCursor()

    def _cell_at(self, point: QPointF) -> tuple[int, int] | None:
        panel = self._board.panels["masked"]
        return self._board.cell_at(panel, point) if panel in self._board.visible_panels() else None

    def _tip(self, query: int, key: int) -> Rectangle:
        """Give the cells under the brush: one, or as many as make it wide enough to see."""
        state = self._board.state
        width, height = self._board.panels["masked"].cells.cell_size()
        return _around(query, _TIP / height, state.n_query), _around(key, _TIP / width, state.n_key)


def _around(middle: int, size: float, count: int) -> tuple[int, int]:
    reach = max(0, math.ceil(size) - 1)
    first = max(0, middle - reach // 2)
    return first, min(count, first + reach + 1)
