"""The way from the document to the screen: requests to the runner, its answers to the views.

The one place that submits; nothing here edits or lays out.
"""

from __future__ import annotations

from PySide6.QtCore import QObject

from attnviz.core.inputs import Inputs
from attnviz.core.request import OUTPUT, THUMBNAILS, Request
from attnviz.core.selection import Selection
from attnviz.core.stages import Stages
from attnviz.gui.document import Document
from attnviz.gui.runner import Runner
from attnviz.gui.screen_clock import ScreenClock
from attnviz.gui.window_face import WindowFace

CHEAP_CELLS = 2_000_000
"""Cells of all heads together up to which an edit computes the outputs of all heads at once."""
FIRST = 0.05
"""Seconds that the first answer is waited for, so that a window opens with its numbers and not empty."""
_ALL_HEADS = frozenset({OUTPUT, THUMBNAILS})
"""What the tab of all heads shows beside the stages."""
SHORT = 0.004
"""Seconds: where the last answer took less, the next one is waited for before painting."""


class LiveStages(QObject):
    """Keeps the views of a window at the document's present moment."""

    def __init__(self, face: WindowFace, document: Document, runner: Runner) -> None:
        super().__init__(face)
        self._face, self._document, self._runner = face, document, runner
        self._selection = document.selection
        self.clock = ScreenClock(face)
        self.clock.measured.connect(face.status.set_screen_time)
        document.inputs_changed.connect(self._follow_inputs)
        document.selection_changed.connect(self._follow_selection)
        runner.stages_ready.connect(self._show)
        runner.busy_changed.connect(face.status.set_busy)
        runner.progress.connect(face.status.set_progress)
        runner.engine_changed.connect(lambda name, why: self._follow_engine(name))
        face.status.cancel_asked.connect(runner.cancel)
        face.parts.tab_changed.connect(self._ask_for_extras)

    def start(self) -> None:
        """Show the document as it is."""
        self._submit("edit")  # first, so that the worker computes while the editors fill up
        self._face.refresh(self._document.inputs, self._document.selection)
        self._runner.wait_briefly(FIRST)

    def is_up_to_date(self) -> bool:
        """Say whether the views show the document, its head and its query as they are now, in full."""
        stages, document = self._face.stages, self._document
        if stages is None or stages.is_partial or stages.request.inputs is not document.inputs:
            return False
        selection = document.selection
        return (stages.request.region.head, stages.request.query) == (selection.head, selection.query)

    def has_all_heads(self) -> bool:
        """Say whether the answer on the screen holds the outputs of all heads."""
        stages = self._face.stages
        return stages is not None and stages.output is not None and bool(stages.thumbnails)

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
        inputs, selection = self._document.inputs, self._document.selection
        is_cheap = inputs.n_heads * inputs.n_query * inputs.n_key <= CHEAP_CELLS
        is_cheap = is_cheap or self._knows_all_heads(inputs)
        extras = _ALL_HEADS if is_cheap and self._wants_all_heads() else frozenset()
        request = Request.whole(inputs, selection.head, selection.query, extras)
        self.clock.start(request)
        self._runner.submit(request, lane)

    def _wants_all_heads(self) -> bool:
        return self._face.parts.is_shown(self._face.parts.head_outputs)

    def _knows_all_heads(self, inputs: Inputs) -> bool:
        """Say whether the heads stay as they are on the screen, so that little is left to compute of them."""
        stages = self._face.stages
        if stages is None or not self.has_all_heads():
            return False
        shown = stages.request.inputs
        return (
            shown.heads is inputs.heads
            and shown.mask is inputs.mask
            and ((shown.mask_fill, shown.scale_strength) == (inputs.mask_fill, inputs.scale_strength))
        )

    def _show(self, stages: Stages) -> None:
        self._face.draw(stages, self._document.selection.key)
        self.clock.drawn(stages.request)
        if not stages.is_partial:
            self._ask_for_extras()

    def _ask_for_extras(self) -> None:
        """Ask for the outputs of all heads where they are to be seen and the answer shown lacks them."""
        stages = self._face.stages
        if stages is not None and self._wants_all_heads() and not self.has_all_heads():
            request = stages.request
            if request.inputs is self._document.inputs and not request.wants_all_heads:
                extras = _ALL_HEADS
                self._runner.submit(
                    Request.whole(request.inputs, request.region.head, request.query, extras), "extras"
                )

    def _follow_engine(self, name: str) -> None:
        """Let the present moment be computed again where another engine computed what is shown."""
        if self._face.stages is not None and self._face.stages.engine != name:
            self._submit("edit")
