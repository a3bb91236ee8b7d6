"""The way from the document to the screen: requests to the runner, its answers to the views.

The one place that submits; nothing here edits or lays out.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject

from attnviz.core.inputs import Inputs
from attnviz.core.request import SUMMARIES, Pooling, Request
from attnviz.core.selection import Selection
from attnviz.core.stages import Stages
from attnviz.gui.document import Document
from attnviz.gui.looked_at import OVERVIEW_CELLS, LookedAt, Range
from attnviz.gui.runner import OVERVIEW, Runner
from attnviz.gui.screen_clock import ScreenClock
from attnviz.gui.wanted_extras import WantedExtras
from attnviz.gui.window_face import WindowFace

FIRST = 0.05
"""Seconds that the first answer is waited for, so that a window opens with its numbers and not empty."""
_FIRST_CELLS = (320, 320)
"""Cells of a long document's first picture, before the panels have said how large they are."""
SHORT = 0.015
"""Seconds: where the last answer took less, the next one is waited for before painting."""


class LiveStages(QObject):
    """Keeps the views of a window at the document's present moment."""

    def __init__(self, face: WindowFace, document: Document, runner: Runner) -> None:
        super().__init__(face)
        self._face, self._document, self._runner = face, document, runner
        self._selection = document.selection
        self._looked_at: LookedAt | None = None
        self._pooling: Pooling = "peak"
        self._overview: Stages | None = None
        self._extras = WantedExtras(face.parts)
        self.clock = ScreenClock(face)
        self.clock.measured.connect(face.status.set_screen_time)
        document.inputs_changed.connect(self._follow_inputs)
        document.selection_changed.connect(self._follow_selection)
        face.parts.stages.region_wanted.connect(self._look_at)
        face.pooling_chosen.connect(self._pool)
        face.deeds.on("refine", self.refine)
        runner.stages_ready.connect(self._show)
        runner.overview_ready.connect(self._show_overview)
        runner.busy_changed.connect(face.status.set_busy)
        runner.progress.connect(face.status.set_progress)
        runner.cancelled.connect(lambda: face.status.set_refining(False))
        runner.engine_changed.connect(lambda name, why: self._follow_engine(name))
        face.status.cancel_asked.connect(runner.cancel)
        face.parts.tab_changed.connect(self._ask_for_extras)
        face.views_changed.connect(self._ask_for_extras)

    def start(self) -> None:
        """Show the document as it is."""
        self._submit("edit")  # first, so that the worker computes while the editors fill up
        self._face.refresh(self._document.inputs, self._document.selection)
        self._runner.wait_briefly(FIRST)

    def is_up_to_date(self) -> bool:
        """Say whether all of the window has been made and its views show the present moment."""
        return self._face.is_complete and self.shows_present()

    def shows_present(self) -> bool:
        """Say whether the views show the document, its head and its query as they are now, in full."""
        stages = self._face.stages
        if stages is None or stages.is_partial or stages.is_coarse:
            return False
        return self._is_of_now(stages.request)

    def has_all_heads(self) -> bool:
        """Say whether the answer on the screen holds the outputs of all heads."""
        stages = self._face.stages
        return stages is not None and stages.output is not None and bool(stages.thumbnails)

    def has_all_extras(self) -> bool:
        """Say whether the views in front have all that they show of the answer on the screen."""
        stages = self._face.stages
        return stages is not None and not stages.is_partial and not self._extras.missing(stages)

    def set_window(self, width: int) -> None:
        """Let the summaries be of a window of another width."""
        self._extras.window = width
        self._ask_for_extras()

    def _pool(self, name: str) -> None:
        """Let a px of a long document's weights stand for the largest of its cells, or for their mean."""
        pooling: Pooling = "mean" if name == "mean" else "peak"
        if pooling != self._pooling:
            self._pooling = pooling
            if self._document.inputs.is_long:
                self._submit("view")

    def refine(self) -> None:
        """Go on with a picture that was left as it was, coarse or of an earlier moment."""
        if not self.shows_present():
            self._submit("view")

    def _is_of_now(self, request: Request) -> bool:
        """Say whether a request asks for what is looked at now."""
        inputs, selection = self._document.inputs, self._document.selection
        if request.inputs is not inputs or request.query != selection.query:
            return False
        return request.region == self._request(frozenset()).region

    def _request(self, extras: frozenset[str]) -> Request:
        """Ask for what is looked at now: all of a document, or at once a part of a long one."""
        inputs, selection = self._document.inputs, self._document.selection
        if not inputs.is_long:
            whole = Request.whole(inputs, selection.head, selection.query, extras)
            return replace(whole, window=self._extras.window)
        now = self._looked_at
        now = LookedAt.whole(inputs, _FIRST_CELLS) if now is None else now.fitted(inputs)
        self._looked_at = now
        return Request(
            inputs,
            selection.query,
            now.region(selection.head, self._pooling),
            extras & {SUMMARIES},  # of all heads only once the picture is exact
            "coarse",
            self._extras.window,
        )

    def _look_at(self, queries: Range, keys: Range, max_cells: tuple[int, int]) -> None:
        """Look at another part of a long document, or at the same in other px."""
        inputs = self._document.inputs
        wanted = LookedAt(inputs.n_query, inputs.n_key, queries, keys, max_cells)
        is_there = queries[1] <= inputs.n_query and keys[1] <= inputs.n_key
        if (
            inputs.is_long and is_there and wanted != self._looked_at
        ):  # or the views are yet to hear of an edit
            self._looked_at = wanted
            self._submit("view")

    def _follow_inputs(self, inputs: Inputs) -> None:
        self._selection = self._document.selection
        self._submit("edit")  # first, so that the worker computes while the editors are brought up to date
        self._face.refresh(inputs, self._selection)
        self._wait_if_short()

    def _follow_selection(self, selection: Selection) -> None:
        before, self._selection = self._selection, selection
        is_elsewhere = (before.head, before.query) != (selection.head, selection.query)
        if is_elsewhere:
            self._submit("view")
        self._face.refresh(self._document.inputs, selection)
        stages = self._face.stages
        if is_elsewhere:  # the answer brings the key along
            self._wait_if_short()
        elif (
            stages is not None
            and stages.request.inputs is self._document.inputs
            and before.key != selection.key
        ):
            self._face.draw(stages, selection.key)

    def _wait_if_short(self) -> None:
        """Let an answer that is as good as there reach the screen together with what was asked for."""
        stages = self._face.stages
        if stages is not None and stages.seconds < SHORT:
            self._runner.wait_briefly(2 * SHORT)

    def _submit(self, lane: str) -> None:
        request = self._request(self._extras.with_edit(self._document.inputs, self._face.stages))
        if not request.inputs.is_long:  # else the words would come and go with every pan
            self._face.status.set_refining(False)
        self.clock.start(request)
        self._runner.submit(request, lane)

    def _show(self, stages: Stages) -> None:
        stages = self._with_what_is_known(stages)
        self._face.draw(stages, self._document.selection.key)
        self.clock.drawn(stages.request)
        self._extras.took(stages)
        if stages.is_partial:
            return
        if not stages.request.inputs.is_long:
            self._ask_for_extras()
        elif self._is_of_now(stages.request):
            self._ask_for_overview(stages)
            if not stages.is_coarse:
                self._face.status.set_refining(False)
                self._ask_for_extras()
            elif stages.request.detail == "coarse":
                self._refine(stages.request)

    def _with_what_is_known(self, stages: Stages) -> Stages:
        """Keep of the answer shown what a newer one of the same long document would have to ask for again.

        What is of all heads depends neither on the query nor on the part that is looked at. The pictures of
        one region do not depend on the query: where the newer ones are coarse, those that are there stay.
        Where the query is the same too, its row is: views of the row alone need not look at it again.
        """
        known = self._face.stages
        if known is None or not stages.request.inputs.is_long:
            return stages
        now, then = stages.request, known.request
        if now.inputs is not then.inputs:
            return stages
        if now.window == then.window and stages.engine == known.engine:
            stages = replace(
                stages,
                head_outputs={**known.head_outputs, **stages.head_outputs},
                output=known.output if stages.output is None else stages.output,
                thumbnails={**known.thumbnails, **stages.thumbnails},
                summaries={**known.summaries, **stages.summaries},
            )
        if now.region.head != then.region.head:
            return stages
        if now.query == then.query:
            stages = replace(stages, row=known.row)
        if not stages.is_coarse or now.detail == "full" or now.region != then.region:
            return stages
        return replace(
            stages,
            scores=known.scores,
            scaled=known.scaled,
            masked=known.masked,
            weights=known.weights,
            row_max=known.row_max,
            row_sum=known.row_sum,
            is_coarse=known.is_coarse,
        )

    def _refine(self, request: Request) -> None:
        """Let a coarse picture become exact, whenever nothing else is to be done."""
        self._face.status.set_refining(True)
        extras = self._extras.wanted() & {SUMMARIES}  # they cost little where every row is computed
        full = replace(request, detail="full", extras=extras, window=self._extras.window)
        self._runner.submit(full, "refine")

    def _ask_for_overview(self, stages: Stages) -> None:
        """Ask for a small picture of all of a long document, where there is none of this moment."""
        request, known = stages.request, self._overview
        whole = LookedAt.whole(request.inputs, OVERVIEW_CELLS)
        region = whole.region(request.region.head, "peak")
        if (request.region.queries, request.region.keys) == (region.queries, region.keys):
            self._overview = stages
            return
        if (
            known is not None
            and known.request.inputs is request.inputs
            and known.request.region.head == region.head
        ):
            self._face.parts.stages.draw_overview(known)
        else:
            self._runner.submit(Request(request.inputs, request.query, region, detail="coarse"), OVERVIEW)

    def _show_overview(self, stages: Stages) -> None:
        self._overview = stages
        self._face.parts.stages.draw_overview(stages)

    def _ask_for_extras(self) -> None:
        """Ask for what is to be seen beside the stages and the answer shown lacks."""
        stages = self._face.stages
        if stages is None or stages.is_partial or stages.is_coarse or not self._is_of_now(stages.request):
            return
        missing, window = self._extras.missing(stages), self._extras.window
        if missing:
            if stages.request.inputs.is_long:
                self._face.status.set_refining(True)
            request = replace(stages.request, extras=missing, detail="full", window=window)
            self._runner.submit(request, "refine" if request.inputs.is_long else "extras")

    def _follow_engine(self, name: str) -> None:
        """Let the present moment be computed again where another engine computed what is shown."""
        if self._face.stages is not None and self._face.stages.engine != name:
            self._submit("edit")
