"""What the pointer is over: the cell in all panels, the readout beside it, and what a click there means.

Where a picture shows several cells as one, it is the cell whose value is seen that is read out and chosen.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF
from PySide6.QtWidgets import QWidget

from attnviz.core.block_peak import peak_of
from attnviz.gui.views.hover_card import HoverCard
from attnviz.gui.views.picture_frame import Range
from attnviz.gui.views.stage_board import StageBoard
from attnviz.gui.views.stage_panel import StagePanel


class CellPointer:
    """Points at cells of a board.

    Attributes
    ----------
    card
        The readout, a child of the area.

    Parameters
    ----------
    board
        Whose cells they are.
    area
        The widget it is shown in.
    """

    def __init__(self, board: StageBoard, area: QWidget) -> None:
        self._board, self._area = board, area
        self.card = HoverCard(area)

    def point(self, position: QPointF | None) -> None:
        """Point at the cell under a position in all panels and read it out; at none outside the matrix."""
        cell = None
        if position is not None and (panel := self._board.panel_at(position)) is not None:
            cell = self._board.cell_at(panel, position)
        self._board.set_hover(cell)
        if cell is None or position is None:
            self.card.hide()
        else:
            self._read_out(cell, position)

    def follow(self) -> None:
        """Read out what is pointed at of another moment."""
        cell = self._board.state.hover
        if cell is None:
            self.card.hide()
        elif self.card.isVisible():
            self._read_out(cell, QPointF(self._area.mapFromGlobal(self._area.cursor().pos())))

    def choice_at(self, panel: StagePanel, position: QPointF) -> tuple[int, int] | None:
        """Give the (query, key) that a click at a position means; None outside the matrix."""
        cell = self._board.cell_at(panel, position)
        return cell if cell is None else self._seen(panel, position) or cell

    def label_at(self, panel: StagePanel, position: QPointF) -> tuple[str, int] | None:
        """Give (``query`` or ``key``, index) of the label at a place, over the whole length of each axis."""
        place, state = panel.place_now, self._board.state
        window = state.window
        if place.rows.contains(position):
            index = int(window.y + (position.y() - place.rows.top()) / place.rows.height() * window.rows)
            return "query", min(index, state.n_query - 1)
        if place.columns.contains(position):
            index = int(
                window.x + (position.x() - place.columns.left()) / place.columns.width() * window.columns
            )
            return "key", min(index, state.n_key - 1)
        return None

    def _read_out(self, cell: tuple[int, int], position: QPointF) -> None:
        panel, stages = self._board.panel_at(position), self._board.state.stages
        if stages is None:
            return
        block = None if panel is None else self._block(panel, position)
        seen = None if panel is None else self._seen(panel, position)
        size = (1, 1)
        if block is not None:
            (first, last), (left, right) = block
            size = last - first, right - left
        at: QPoint = position.toPoint()
        self.card.show_cell(stages, *(seen or cell), at, size, is_seen=seen is not None)

    def _block(self, panel: StagePanel, position: QPointF) -> tuple[Range, Range] | None:
        """Give the queries and keys that are shown as one at a position; None where each cell is seen."""
        state, plot = self._board.state, panel.place_now.plot
        if not state.is_long or state.frame.is_exact:
            return None
        place = (
            position - plot.topLeft() + QPointF(0.5, 0.5)
        )  # what is drawn in a px is what lies in its middle
        return state.frame.block_at(place, state.window, plot.width(), plot.height())

    def _seen(self, panel: StagePanel, position: QPointF) -> tuple[int, int] | None:
        """Give the cell whose value is seen where several are shown as one; None where it is none alone."""
        stages, block = self._board.state.stages, self._block(panel, position)
        if stages is None or block is None:
            return None
        if panel.stage == "weights" and stages.request.region.pooling == "mean":
            return None
        return peak_of(stages, panel.stage, *block)
