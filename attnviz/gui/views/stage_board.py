"""The board: four panels in a scene, laid out on one grid, brought from one moment to the next.

The window's grid and the exported picture are both this board, so that they look alike. Nothing here listens
to a mouse or a key.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QGraphicsItem, QGraphicsScene

from attnviz.core.masks import Mask
from attnviz.core.selection import Selection
from attnviz.core.stages import STAGE_NAMES, Stages
from attnviz.gui.colormaps import HIDDEN
from attnviz.gui.theme import Theme
from attnviz.gui.views.board_layout import Measures, plan_board
from attnviz.gui.views.board_state import BoardState, Window, axis_names
from attnviz.gui.views.hatching import hatch_image
from attnviz.gui.views.leaks import leaking_cells
from attnviz.gui.views.stage_panel import StagePanel
from attnviz.gui.views.stage_picture import AllowedCells


class StageBoard:
    """Shows the four stages of one moment in a scene.

    Parameters
    ----------
    scene
        Where the panels are put.
    theme
        The look to begin with.
    is_live
        On a screen, where what seldom changes is kept as pixels.
    """

    def __init__(self, scene: QGraphicsScene, theme: Theme, *, is_live: bool = False) -> None:
        self.state = BoardState(theme)
        self.panels = {stage: StagePanel(stage, self.state) for stage in STAGE_NAMES}
        for panel in self.panels.values():
            scene.addItem(panel)
            if is_live:
                for axis in panel.axes:
                    axis.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        self.alone: str | None = None
        self._size = (0.0, 0.0)
        self._measures: tuple[object, Measures] | None = None
        self._hatch_key: tuple[object, ...] = ()
        self._mask: Mask | None = None
        self.arrangement = 0  # counts how often panels took new places

    def draw(self, stages: Stages, selection: Selection) -> None:
        """Show a new moment; what is the same as before is not drawn anew."""
        state, before = self.state, self.state.stages
        chosen, names, arrangement = state.selection, state.names, self.arrangement
        if stages is before:
            self.select(selection)
            return
        if before is None or before.scores.shape != stages.scores.shape:
            state.window = Window.whole(*stages.scores.shape)
        state.stages, state.selection = stages, selection
        if before is None or _labels(before) != _labels(stages):
            state.take_names()
            self._measures = None
            self._arrange()
        if state.hover is not None and not _is_within(state.hover, stages.scores.shape):
            state.hover = None
        self._take_numbers()
        self._refresh(
            everything=before is None or state.names is not names or self.arrangement != arrangement
        )
        if chosen != selection:
            self.refresh_marks()

    def _take_numbers(self) -> None:
        """Bring the pictures to the present moment; rows that did not change stay."""
        state, stages = self.state, self.state.stages
        if stages is None:
            return
        self._take_mask(stages)
        assert state.allowed is not None
        panels = self.panels
        panels["scores"].picture.update(stages.scores, state.allowed)
        panels["scaled"].picture.update(stages.scaled, state.allowed)
        panels["masked"].picture.update(stages.masked, state.allowed, like=panels["scaled"].picture)
        panels["weights"].picture.update(
            stages.weights, state.allowed, level=None if state.weights_to_largest else 1.0
        )
        self._take_leaks(leaking_cells(stages, state.allowed))

    def _take_leaks(self, leaks: NDArray[np.bool_] | None) -> None:
        """Mark other cells than before, where they are others; the heading says whether there are any."""
        before = self.state.leaks
        self.state.leaks = leaks
        if leaks is not before and (leaks is None or before is None or not np.array_equal(leaks, before)):
            self.panels["weights"].cells.update()
        if (leaks is None) != (before is None):
            self.panels["weights"].update()

    def select(self, selection: Selection) -> None:
        """Show another selection of the same moment."""
        self.state.selection = selection
        self.refresh_marks()

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self.state.theme = theme
        self._refresh()

    def set_options(
        self, *, mask_shows_m: bool | None = None, weights_to_largest: bool | None = None
    ) -> None:
        """Let the mask panel show M itself, or the map of weights end at the largest weight."""
        state = self.state
        if mask_shows_m is not None:
            state.mask_shows_m = mask_shows_m
        if weights_to_largest is not None:
            state.weights_to_largest = weights_to_largest
        self._take_numbers()
        self._refresh()

    def resize(self, width: float, height: float, scale: float) -> None:
        """Take the size of the area in px, and how many device px a px has."""
        self._size, self.state.scale = (width, height), scale
        self._arrange()
        self._refresh()

    def show_alone(self, stage: str | None) -> None:
        """Give one panel the whole area, or all four their places."""
        self.alone = stage
        self._arrange()
        self._refresh()

    def set_window(self, window: Window) -> None:
        """Show another part of the matrix, in all panels."""
        if window != self.state.window:
            self.state.window = window
            self._refresh()

    def set_hover(self, cell: tuple[int, int] | None) -> None:
        """Point at a (query, key) in all panels."""
        if cell != self.state.hover:
            self.state.hover = cell
            self.refresh_marks()

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self._measures = None
        self._arrange()
        self._refresh()

    def refresh_marks(self) -> None:
        """Draw what is selected and pointed at anew."""
        for panel in self.panels.values():
            panel.refresh_marks()

    def visible_panels(self) -> list[StagePanel]:
        """Give the panels on the screen, in the order of the stages."""
        return [panel for stage, panel in self.panels.items() if self.alone in (None, stage)]

    def panel_at(self, point: QPointF) -> StagePanel | None:
        """Give the panel at a point in scene px."""
        for panel in self.visible_panels():
            if panel.place_now.whole.contains(point):
                return panel
        return None

    def cell_at(self, panel: StagePanel, point: QPointF) -> tuple[int, int] | None:
        """Give the (query, key) under a point in scene px, or None outside the matrix."""
        plot, window, state = panel.place_now.plot, self.state.window, self.state
        if not plot.contains(point) or plot.isEmpty() or state.stages is None:
            return None
        key = int((point.x() - plot.left()) / plot.width() * window.columns + window.x)
        query = int((point.y() - plot.top()) / plot.height() * window.rows + window.y)
        return min(query, state.n_query - 1), min(key, state.n_key - 1)

    def _take_mask(self, stages: Stages) -> None:
        """Resolve the mask where it is another one than before."""
        mask, shape = stages.request.inputs.mask, stages.scores.shape
        known, allowed = self._mask, self.state.allowed
        if (
            known is not None
            and allowed is not None
            and allowed.array.shape == shape
            and (known is mask or mask.equals(known))
        ):
            return
        region = stages.request.region
        self._mask = mask
        self.state.allowed = AllowedCells(stages.request.inputs.allowed(region.queries, region.keys))

    def _arrange(self) -> None:
        state = self.state
        width, height = self._size
        if width <= 0 or height <= 0:
            return
        visible = self.visible_panels()
        plan = plan_board(width, height, state.n_query, state.n_key, self._measured(), len(visible))
        self.arrangement += 1
        for panel in self.panels.values():
            panel.setVisible(panel in visible)
        for panel, place in zip(visible, plan.panels, strict=True):
            panel.place(place, keys_across=plan.keys_across, has_corner=plan.has_corner)

    def _measured(self) -> Measures:
        state = self.state
        if self._measures is None or self._measures[0] is not state.names:
            token, fonts = state.fonts.token_bold, state.fonts
            queries, keys = (set(names) or {""} for names in state.names)
            measures = Measures(
                widest_query=max(token.width(name) for name in queries),
                widest_key=max(token.width(name) for name in keys),
                tallest_key=max(token.upright_height(name) for name in keys),
                corner=max(fonts.note.width(name) for name in axis_names()),
                short_number=fonts.number.width("100.0") + 1,
                number=fonts.number.width("−0.00") + 1,
                large_number=fonts.large_number.width("−0.00") + 8,
            )
            self._measures = (state.names, measures)
        return self._measures[1]

    def _refresh(self, *, everything: bool = True) -> None:
        state = self.state
        if state.stages is None:
            return
        for panel in self.visible_panels():
            panel.refresh(everything=everything)
        self._refresh_hatch()

    def _refresh_hatch(self) -> None:
        """Give the strokes over hidden cells to the panels that show them; both have the same."""
        state = self.state
        panels = [panel for panel in self.visible_panels() if panel.picture.hides]
        if not panels or state.stages is None or state.allowed is None:
            return
        plot = panels[0].place_now.plot
        key = (id(state.allowed), state.window, plot.width(), plot.height(), state.scale, state.theme.name)
        if key != self._hatch_key or panels[0].cells.hatch_source is not state.allowed:
            self._hatch_key = key
            image = None
            if not state.allowed.all and not plot.isEmpty():
                shown = panels[0].pooled()
                if (shown == HIDDEN).any():
                    image = hatch_image(
                        shown,
                        panels[0].image_target(),
                        (plot.width(), plot.height()),
                        state.scale,
                        state.theme.hatch,
                    )
            for panel in panels:
                panel.cells.hatch, panel.cells.hatch_source = image, state.allowed
                panel.cells.update()


def _labels(stages: Stages) -> tuple[tuple[str, ...], tuple[str, ...]]:
    inputs = stages.request.inputs
    return inputs.tokens, inputs.key_labels


def _is_within(cell: tuple[int, int], shape: tuple[int, int]) -> bool:
    """Say whether a matrix of a shape has a cell."""
    return cell[0] < shape[0] and cell[1] < shape[1]
