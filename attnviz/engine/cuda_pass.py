"""One computation on the device: squares brought up to date, other heads' outputs, and what is fetched."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from attnviz.core.request import SUMMARIES, THUMBNAILS, Request
from attnviz.core.stages import FloatArray, Picture, Stages
from attnviz.engine.base import Progress
from attnviz.engine.blocks import Problem, Rows
from attnviz.engine.device_rooms import DeviceRooms
from attnviz.engine.fetching import Fetching
from attnviz.engine.head_outputs import HeadOutputs, Portion
from attnviz.engine.head_pass import HeadPass, with_glances
from attnviz.engine.launch_plan import LaunchPlan
from attnviz.engine.layer_pass import layer_output
from attnviz.engine.layout import BLOCK_ROWS, Layout
from attnviz.engine.query_row import query_row
from attnviz.engine.squares import Square
from attnviz.engine.team import Job


class CudaPass:
    """Answers one request.

    Two comparisons are made that know nothing of each other: what lies on the device with what is asked for,
    which decides what is launched; and an earlier answer with what is asked for, which decides what is
    fetched. So any earlier answer may be given, and none at all.
    """

    def __init__(
        self,
        rooms: DeviceRooms,
        request: Request,
        previous: Stages | None,
        progress: Progress | None,
        engine: str,
    ) -> None:
        self._started = time.perf_counter()
        self._rooms, self._request, self._progress, self._engine = rooms, request, progress, engine
        inputs, region = request.inputs, request.region
        self._problem = Problem.of(inputs, region.head)
        self._layout = layout = Layout.of(region, inputs.n_key)
        rooms.buffers.resize(max(BLOCK_ROWS, layout.block_rows), inputs.n_key)
        self._fetching = Fetching(request, layout, previous, rooms.buffers, rooms.downloads, rooms.pooling)
        brought = region.head if region.queries == (0, inputs.n_query) else None
        wanted = range(inputs.n_heads) if request.wants_all_heads else ()
        self._others = HeadOutputs(inputs, [head for head in wanted if head != brought], previous)
        self._portions: list[Portion] = []
        if self._others.work:
            self._portions = self._others.portions(rooms.scratch_bytes(rooms.outputs.held_bytes) // 4)
        self._previous = previous
        self._glances = self._plan_glances()
        own = self._glances.get(region.head)
        self._own_jobs = [] if own is None else own.take_jobs()
        self._small_jobs: list[Job] = [job for each in self._glances.values() for job in each.take_jobs()]
        self._done = 0
        self._total = len(self._fetching.wanted) + len(self._portions)
        self._total += len(self._own_jobs) + len(self._small_jobs)

    def run(self, partial_work: int) -> Stages | None:
        """Compute and give the answer, None where progress answered no.

        Parameters
        ----------
        partial_work
            Multiply-adds of other heads that are worth showing the pictures before.
        """
        self._rooms.vectors.arrange(self._request.inputs)
        if not self._region():
            return None
        if self._progress is not None and self._others.work >= partial_work:
            self._land()
            if not self._progress(self._done / self._total, self._answer(is_partial=True)):
                return None
        for portion in self._portions:
            self._compute_outputs(portion)
            if not self._tell():
                return None
        for job in self._small_jobs:  # on the CPU, while the device is still at the heads' outputs
            job()
            if not self._tell():
                return None
        self._land()
        for job in self._own_jobs:  # they read the pictures
            job()
            if not self._tell():
                return None
        stages = self._answer()
        return None if self._progress is not None and not self._progress(1.0, None) else stages

    def _plan_glances(self) -> dict[int, HeadPass]:
        """Plan the thumbnails and summaries; they are made on the CPU, of the pictures or from q and k."""
        request, region = self._request, self._request.region
        if request.extras.isdisjoint({THUMBNAILS, SUMMARIES}):
            return {}
        is_whole = self._layout.is_dense and region.queries == (0, request.inputs.n_query)
        heads = range(request.inputs.n_heads) if THUMBNAILS in request.extras else (region.head,)
        return {
            head: HeadPass(
                request,
                head,
                self._previous,
                mixes=False,
                pictured=self._weights if is_whole and head == region.head else None,
            )
            for head in heads
        }

    def _weights(self) -> Picture:
        return self._fetching.pictures()[3]

    def _tell(self) -> bool:
        """Say that a block or portion more is done; the end is told by ``run``."""
        self._done += 1
        if self._progress is None or self._done == self._total:
            return True
        return self._progress(self._done / self._total, None)

    def _land(self) -> None:
        self._rooms.downloads.land()
        self._rooms.uploads.have_arrived()
        self._fetching.finish()

    # The region --------------------------------------------------------------------------------------------

    def _region(self) -> bool:
        """Compute what is wanted of the region; False where progress answered no."""
        wanted, rooms = self._fetching.wanted, self._rooms
        if not wanted:
            return True
        rows = rooms.squares.rows_to_hold(self._problem, self._request.region.queries)
        if rooms.can_hold(self._problem, rows):
            return self._fetch(wanted, self._bring_up_to_date(rows))
        for chunk in self._chunks():
            part = (self._layout.rows[chunk[0]][0], self._layout.rows[chunk[-1]][1])
            rooms.squares.answered = None
            square = self._bring_up_to_date(part)
            rooms.squares.answered = None  # the next chunk takes its place
            if not self._fetch(chunk, square):
                return False
            rooms.downloads.land()  # so that the fraction told is done, and not only asked for
            rooms.uploads.have_arrived()
        return True

    def _bring_up_to_date(self, rows: Rows) -> Square:
        """Have the squares of a range of queries answer the problem."""
        rooms, problem = self._rooms, self._problem
        square = rooms.squares.arrange(problem, rows)
        place = rooms.vectors.place(self._request.inputs, self._request.region.head)
        mask = rooms.masks.argument(problem, rows)
        plan = LaunchPlan.between(rooms.squares.answered, problem, rows)
        rooms.squares.answered = None  # in the middle of it
        rooms.launches.run(plan, square, place, mask, problem.divisor, problem.fill)
        rooms.squares.answered = problem
        return square

    def _fetch(self, indices: list[int], square: Square) -> bool:
        mask = self._rooms.masks.argument(self._problem, square.rows)
        self._fetching.pool(indices, square, mask)
        for index in indices:
            self._fetching.fetch(index, square)
            if not self._tell():
                return False
        return True

    def _chunks(self) -> Iterator[list[int]]:
        """Cut the wanted blocks into neighbouring ones whose squares fit, one block at least."""
        chunk: list[int] = []
        for index in self._fetching.wanted:
            first = chunk[0] if chunk else index
            rows = (self._layout.rows[first][0], self._layout.rows[index][1])
            if chunk and (index != chunk[-1] + 1 or not self._rooms.can_hold(self._problem, rows)):
                yield chunk
                chunk = []
            chunk.append(index)
        yield chunk

    # Other heads, and the answer --------------------------------------------------------------------------

    def _compute_outputs(self, portion: Portion) -> None:
        rooms, inputs = self._rooms, self._request.inputs
        problem = Problem.of(inputs, portion.head)
        places = [rooms.vectors.place(inputs, portion.head + index) for index in range(portion.n_heads)]
        mask = rooms.masks.argument(problem, portion.rows)
        arrays = self._others.arrays(portion)
        rooms.outputs.run(portion, problem, places[0], mask, rooms.downloads, arrays)

    def _answer(self, *, is_partial: bool = False) -> Stages:
        """Put the parts together; partial ones hold, of the other heads, what an earlier answer knew."""
        outputs: dict[int, FloatArray] = self._others.known() if is_partial else self._others.finished()
        own = self._fetching.output()
        if own is not None:
            outputs[self._request.region.head] = own
        stages = self._fetching.pictures()
        top, total = self._fetching.statistics()
        row = query_row(self._request, stages, own)
        seconds = time.perf_counter() - self._started
        outputs = dict(sorted(outputs.items()))
        answer = Stages(self._request, *stages, row, top, total, outputs, self._engine, seconds, is_partial)
        if not is_partial:
            answer = with_glances(answer, self._glances, self._previous)
        output = layer_output(answer, self._previous)
        return replace(answer, output=output, seconds=time.perf_counter() - self._started)
