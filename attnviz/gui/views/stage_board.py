"""The board: four panels in a scene, laid out on one grid, brought from one moment to the next.

The window's grid and the exported picture are both this board, so that they look alike. Nothing here listens
to a mouse or a key.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QGraphicsItem, QGraphicsScene

from attnviz.core.selection import Selection
from attnviz.core.stages import STAGE_NAMES, Stages
from attnviz.gui.colormaps import HIDDEN
from attnviz.gui.theme import Theme
from attnviz.gui.views.board_layout import CLOSE, Measures, plan_board
from attnviz.gui.views.board_state import BoardState, axis_names
from attnviz.gui.views.hatching import hatch_image
from attnviz.gui.views.leaks import leaking_cells
from attnviz.gui.views.map_window import Window
from attnviz.gui.views.picture_frame import PictureFrame, Range, drawn_frame
from attnviz.gui.views.stage_panel import StagePanel
from attnviz.gui.views.stage_picture import AllowedCells

_TALLEST_KEY = 36.0  # px of a key's label in a long document, where the height is needed for the map


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
        self._mask_key: tuple[object, ...] = ()
        self._seen: dict[str, float] = {}  # how far the maps of a long document have reached
        self.aside = 0.0  # px at the right to be left free for a long document
        self.arrangement = 0  # counts how often panels took new places

    def draw(self, stages: Stages, selection: Selection) -> None:
        """Show a new moment; what is the same as before is not drawn anew."""
        for _ in self.drawing(stages, selection):
            pass

    def drawing(self, stages: Stages, selection: Selection) -> Iterator[None]:
        """Do what ``draw`` does a piece at a time, for whoever draws more than a screen has.

        After the first piece it is known what lies where.
        """
        state, before = self.state, self.state.stages
        chosen, names, arrangement = state.selection, state.names, self.arrangement
        if stages is before:
            self.select(selection)
            return
        frame, state.stages, state.selection = state.frame, stages, selection
        state.frame = PictureFrame.of(stages.request.region)
        shape = state.n_query, state.n_key
        if before is None or not _is_same_map(before, stages):
            state.window, self._seen = Window.whole(*shape), {}
        state.window = state.window.limited(*shape)
        if before is None or before.request.region.head != stages.request.region.head:
            self._seen = {}
        self._take_overview(stages)
        if before is None or not _has_same_labels(before, stages):
            state.take_names()
            self._measures = None
            self._arrange()
        if state.hover is not None and not _is_within(state.hover, shape):
            state.hover = None
        yield
        yield from self._taking_numbers()
        is_elsewhere = before is None or state.names is not names or state.frame != frame
        yield from self._refreshing(everything=is_elsewhere or self.arrangement != arrangement)
        if chosen != selection:
            self.refresh_marks()

    def _take_numbers(self) -> None:
        for _ in self._taking_numbers():
            pass

    def _taking_numbers(self) -> Iterator[None]:
        """Bring the pictures to the present moment; rows that did not change stay."""
        state, stages = self.state, self.state.stages
        if stages is None:
            return
        self._take_mask(stages)
        assert state.allowed is not None
        if state.frame.covers(Window.whole(state.n_query, state.n_key)):
            self._seen = {}
        panels, seen = self.panels, self._seen
        for stage in STAGE_NAMES:
            # Another part of a long document keeps the colours of the whole, as far as that has been seen.
            panels[stage].picture.update(
                stages.picture(stage),
                state.allowed,
                level=1.0 if stage == "weights" and not state.weights_to_largest else None,
                like=panels["scaled"].picture if stage == "masked" else None,
                least=seen.get(stage, 0.0),
                is_pooled=not state.frame.is_exact,
            )
            if state.is_long:
                seen[stage] = panels[stage].picture.level
            panels[stage].take_overview(state.overview)
            yield
        self._take_leaks(leaking_cells(stages, state.allowed))

    def draw_overview(self, overview: Stages) -> None:
        """Take an answer of all of the document, to be seen where the pictures do not reach."""
        self.state.overview = overview
        for panel in self.panels.values():
            panel.take_overview(overview)
            panel.refresh_behind()

    def _take_overview(self, stages: Stages) -> None:
        """Let an answer of all of a long document be the overview, and one of another moment go."""
        state, overview = self.state, self.state.overview
        if state.is_long and state.frame.covers(Window.whole(state.n_query, state.n_key)):
            state.overview = stages
        elif overview is not None and (
            overview.request.inputs is not stages.request.inputs
            or overview.request.region.head != stages.request.region.head
        ):
            state.overview = None

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

    def frame_to_draw(self) -> tuple[Range, Range, tuple[int, int]] | None:
        """Give the queries, keys and most cells that the panels show at their px; None where all are there.

        Documents that are not long have every cell in their pictures.
        """
        plot, state = self.visible_panels()[0].place_now.plot, self.state
        if not state.is_long:
            return None
        size = plot.width() * state.scale, plot.height() * state.scale
        return drawn_frame(state.window, *size, state.n_query, state.n_key)

    def _take_mask(self, stages: Stages) -> None:
        """Resolve the mask where it is another one than before, or where the pictures lie elsewhere.

        Pooled pictures say themselves where all that a cell stands for is hidden.
        """
        state, inputs = self.state, stages.request.inputs
        if not state.frame.is_exact:
            shown = np.isfinite(stages.scores.array())
            if state.allowed is None or not np.array_equal(state.allowed.array, shown):
                state.allowed = AllowedCells(shown)
            self._mask_key = ()
            return
        known = self._mask_key
        place = (state.frame, state.n_query, state.n_key)
        if known and known[1:] == place and (known[0] is inputs.mask or inputs.mask.equals(known[0])):  # type: ignore[arg-type]
            return
        self._mask_key = (inputs.mask, *place)
        state.allowed = AllowedCells(inputs.allowed(state.frame.queries, state.frame.keys))

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
        key = (state.names, state.is_long, self.aside, self.alone)
        if self._measures is None or self._measures[0] != key:
            token, fonts = state.fonts.token_bold, state.fonts
            queries, keys = (names.longest or ("",) for names in state.names)
            number = token.width(f"{state.n_query}") + 3 * CLOSE if state.is_long else 0.0
            tallest = max(token.upright_height(name) for name in keys)
            measures = Measures(
                widest_query=max(token.width(name) for name in queries) + number,
                widest_key=max(token.width(name) for name in keys),
                tallest_key=min(tallest, _TALLEST_KEY) if state.is_long and self.alone is None else tallest,
                corner=max(fonts.note.width(name) for name in axis_names()),
                short_number=fonts.number.width("100.0") + 1,
                number=fonts.number.width("−0.00") + 1,
                large_number=fonts.large_number.width("−0.00") + 8,
                is_long=state.is_long,
                aside=self.aside if state.is_long else 0.0,
            )
            self._measures = (key, measures)
        return self._measures[1]

    def _refresh(self, *, everything: bool = True) -> None:
        for _ in self._refreshing(everything=everything):
            pass

    def _refreshing(self, *, everything: bool = True) -> Iterator[None]:
        state = self.state
        if state.stages is None:
            return
        for panel in self.visible_panels():
            panel.refresh(everything=everything)
            yield
        self._refresh_hatch()

    def _refresh_hatch(self) -> None:
        """Give the strokes over hidden cells to the panels that show them; both have the same."""
        state = self.state
        panels = [panel for panel in self.visible_panels() if panel.picture.hides or not state.frame.is_exact]
        for panel in self.visible_panels():
            if panel not in panels and panel.cells.hatch is not None:
                panel.cells.hatch = None
                panel.cells.update()
        if not panels or state.stages is None or state.allowed is None:
            return
        plot = panels[0].place_now.plot
        place = (state.frame, state.window, plot.width(), plot.height(), state.scale)
        key = (id(state.allowed), *place, state.theme.name)
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


def _is_same_map(before: Stages, now: Stages) -> bool:
    """Say whether what is in view stays there: not so where the matrix has another size.

    A token more or less of a long document is an edit of the same one, also where that makes it dense.
    """
    old, new = before.request.inputs, now.request.inputs
    most = 1 if old.is_long or new.is_long else 0
    return abs(old.n_query - new.n_query) <= most and abs(old.n_key - new.n_key) <= most


def _has_same_labels(before: Stages, now: Stages) -> bool:
    old, new = before.request.inputs, now.request.inputs
    return all(
        mine is theirs or mine == theirs
        for mine, theirs in ((old.tokens, new.tokens), (old.key_labels, new.key_labels))
    )


def _is_within(cell: tuple[int, int], shape: tuple[int, int]) -> bool:
    """Say whether a matrix of a shape has a cell."""
    return cell[0] < shape[0] and cell[1] < shape[1]
