"""One panel of the grid as a widget, for its accessible name and for scripts that ask what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage, QRegion
from PySide6.QtWidgets import QWidget

from attnviz.gui.views.board_state import pooling_note, title_of
from attnviz.gui.views.leaks import leak_words

if TYPE_CHECKING:
    from attnviz.gui.views.stage_grid import StageGrid
    from attnviz.gui.views.stage_panel import StagePanel


class PanelHandle(QWidget):
    """Lies over one panel and lets everything through. Its objectName is ``stage/`` and the stage.

    All places are in px of the grid's viewport, as ``QTest.mouseClick(grid.viewport(), …, pos=…)`` has them.
    """

    def __init__(self, grid: StageGrid, panel: StagePanel) -> None:
        super().__init__(grid.viewport())
        self._grid, self._panel = grid, panel
        self.setObjectName(f"stage/{panel.stage}")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def title(self) -> str:
        """Give the title and the remarks beside it."""
        leaks = leak_words() if self._panel.cells.leaks is not None else ""
        return "  ".join(part for part in (*title_of(self._panel.stage, self._panel.state), leaks) if part)

    def note(self) -> str:
        """Give what stands below the plot: what a px stands for; nothing where it is one cell or less."""
        return pooling_note(self._panel.stage, self._panel.state)

    def is_coarse(self) -> bool:
        """Say whether the picture is marked as coarse."""
        return self._panel.is_coarse

    def plot_rect(self) -> QRect:
        """Give where the matrix lies."""
        return self._panel.place_now.plot.toRect()

    def cell_rect(self, query: int, key: int) -> QRect:
        """Give where a cell lies; outside plot_rect() where it is zoomed out of view."""
        return self._panel.cells.cell_rect(query, key).toRect()

    def label_rect(self, axis: str, index: int) -> QRect:
        """Give where the label of a ``query`` or a ``key`` lies; empty where it is left out."""
        labels = self._panel.axes[0 if axis == "query" else 1].labels()
        return next((rect.toRect() for at, rect in labels if at == index), QRect())

    def labels(self, axis: str) -> list[int]:
        """Give which queries, or which keys (``"key"``), have a label."""
        return [index for index, _ in self._panel.axes[0 if axis == "query" else 1].labels()]

    def shown_number(self, query: int, key: int) -> str:
        """Give the number that stands in a cell, as it is written; nothing where there is none."""
        return self._panel.cells.shown_number(query, key)

    def is_hatched(self, query: int, key: int) -> bool:
        """Say whether a cell is struck out as hidden."""
        state, panel = self._panel.state, self._panel
        if state.allowed is None or not state.frame.holds(query, key):
            return False
        is_struck = panel.picture.hides or not state.frame.is_exact
        return is_struck and not bool(state.allowed.array[state.frame.place_of(query, key)])

    def is_leaking(self, query: int, key: int) -> bool:
        """Say whether a cell is marked as hidden, yet with a weight above 0."""
        leaks, frame = self._panel.cells.leaks, self._panel.state.frame
        return leaks is not None and frame.holds(query, key) and bool(leaks[frame.place_of(query, key)])

    def colour_at(self, query: int, key: int) -> QColor:
        """Give a cell's colour on the screen, taken from its left top corner, where no number stands."""
        rect = self._panel.cells.cell_rect(query, key)
        x, y = int(rect.x() + min(2.0, rect.width() / 3)), int(rect.y() + min(2.0, rect.height() / 3))
        # Rendered rather than grabbed: a pixmap has only the colours of the X server's screen.
        image = QImage(1, 1, QImage.Format.Format_RGB32)
        self._grid.viewport().render(image, QPoint(), QRegion(x, y, 1, 1))
        return image.pixelColor(0, 0)

    def shown_range(self) -> tuple[float, float] | None:
        """Give the least and the largest allowed value, as the legend says; None where nothing is allowed."""
        picture = self._panel.picture
        return picture.range if picture.has_range else None
