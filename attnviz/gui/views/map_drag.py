"""A drag over the panels: it moves what is in view, or where it went nowhere, was a click."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication, QWidget

from attnviz.gui.views.map_view import MapView
from attnviz.gui.views.map_window import Window
from attnviz.gui.views.stage_board import StageBoard


class MapDrag:
    """Follows the left button from its press to its release.

    Parameters
    ----------
    board
        What shows the matrix.
    view
        What of it is in view, and is moved.
    area
        The widget that is dragged over, whose cursor says so.
    """

    def __init__(self, board: StageBoard, view: MapView, area: QWidget) -> None:
        self._board, self._view, self._area = board, view, area
        self._pressed: tuple[QPoint, Window] | None = None
        self._is_panning = False

    def press(self, position: QPointF) -> None:
        """Begin at a place in px of the area."""
        self._pressed = (position.toPoint(), self._board.state.window)
        self._is_panning = False

    def move(self, position: QPointF) -> None:
        """Take what is in view along, where not all of it is, and the pointer has gone far enough."""
        if self._pressed is None:
            return
        start, window = self._pressed
        moved = position.toPoint() - start
        state = self._board.state
        far = moved.manhattanLength() >= QApplication.startDragDistance()
        if (far or self._is_panning) and not window.is_whole(state.n_query, state.n_key):
            self._is_panning = True
            self._area.setCursor(Qt.CursorShape.ClosedHandCursor)
            width, height = self._board.visible_panels()[0].cells.cell_size()
            self._view.move(-moved.x() / width, -moved.y() / height, window)

    def release(self, position: QPointF) -> bool:
        """End; says whether it was a click."""
        if self._pressed is None:
            return False
        start, was_panning = self._pressed[0], self._is_panning
        self._pressed, self._is_panning = None, False
        self._area.unsetCursor()
        near = (position.toPoint() - start).manhattanLength() < QApplication.startDragDistance()
        return near and not was_panning

    def forget(self) -> None:
        """End without a click."""
        self._pressed = None
