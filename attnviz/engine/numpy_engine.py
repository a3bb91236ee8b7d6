"""The engine for every machine: float32 numpy in blocks of rows, on all CPUs this process may use."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from attnviz.core.block_arrays import check_sources
from attnviz.core.request import SUMMARIES, Request
from attnviz.core.stages import Stages
from attnviz.engine.base import Progress
from attnviz.engine.buffers import Buffers
from attnviz.engine.head_pass import HeadPass, with_glances
from attnviz.engine.layer_pass import layer_output
from attnviz.engine.layout import BLOCK_ROWS, Layout
from attnviz.engine.query_row import query_row
from attnviz.engine.ready_vectors import ReadyVectors
from attnviz.engine.region_pass import RegionPass
from attnviz.engine.team import Job, Team

if TYPE_CHECKING:
    from attnviz.engine.long_engine import LongEngine

_PARTIAL_WORK = 1_000_000_000  # multiply-adds of other heads that are worth showing what there is before


class NumpyEngine:
    """Computes Stages with numpy; keeps the contract and the accuracy rule of ``Engine``.

    Parameters
    ----------
    n_threads
        Threads that compute; None: one per CPU this process may use.

    Notes
    -----
    Blocks have 128 rows: 128 × 1,024 float32 stay in a core's own cache from one step to the next. A thread
    computes whole blocks with a BLAS of one thread, which is faster than one block at a time with a BLAS of
    many: mask and softmax run in parallel too. Where the mask value is −∞, keys that a whole block hides are
    skipped after scaling, and not written again where memory holds what they are already.
    """

    def __init__(self, n_threads: int | None = None) -> None:
        self._team = Team(n_threads)
        self._buffers, self._ready = Buffers(), ReadyVectors()

    @property
    def name(self) -> str:
        """Name, such as ``CPU: numpy, 2 threads``."""
        count = self._team.n_threads
        return f"CPU: numpy, {count} thread{'' if count == 1 else 's'}"

    def compute(
        self, request: Request, previous: Stages | None = None, progress: Progress | None = None
    ) -> Stages | None:
        """Answer a request; see ``Engine.compute``."""
        if request.inputs.is_long:
            check_sources([array for head in request.inputs.heads for array in (head.q, head.k, head.v)])
            return self._long.compute(request, previous, progress, self.name)
        started = time.perf_counter()
        inputs, region = request.inputs, request.region
        layout = Layout.of(region, inputs.n_key)
        self._buffers.resize(max(BLOCK_ROWS, layout.block_rows), inputs.n_key)
        self._ready.forget_the_gone()
        pictures = RegionPass(request, layout, previous, self._buffers, self._ready)
        heads = self._heads(request, layout, previous, pictures)
        own = heads.get(region.head)
        others = [head for head in heads if head != region.head]
        lacking = [head for head in others if heads[head].work]
        rest_work = sum(heads[head].work for head in lacking)

        def answer(*, is_partial: bool = False) -> Stages:
            there = {head: each for head, each in heads.items() if head not in lacking}
            stages = _answer(request, pictures, there, previous, self.name, started, is_partial)
            output = layer_output(stages, previous)
            return replace(stages, output=output, seconds=time.perf_counter() - started)

        first = pictures.take_jobs()
        second = [] if own is None else own.take_jobs()  # it reads the pictures
        rest = {head: heads[head].take_jobs() for head in lacking}
        total = len(first) + len(second) + sum(map(len, rest.values()))
        done = 0

        def run(jobs: list[Job], work: int) -> bool:
            nonlocal done
            went_on = not jobs or self._team.run(jobs, _telling(progress, done, total), work)
            done += len(jobs)
            return went_on

        portions: list[list[int]] = []
        if progress is not None and rest_work >= _PARTIAL_WORK:
            portions = _portions(lacking, heads)
        else:
            first, lacking = first + [job for jobs in rest.values() for job in jobs], []
        if not (
            run(first, pictures.work + (0 if portions else rest_work))
            and run(second, 0 if own is None else own.work)
        ):
            return None
        for portion in portions:
            if progress is not None and not progress(done / total, answer(is_partial=True)):
                return None
            jobs = [job for head in portion for job in rest.pop(head)]
            if not run(jobs, sum(heads[head].work for head in portion)):
                return None
            lacking = [head for head in lacking if head not in portion]
        stages = answer()
        return None if progress is not None and not progress(1.0, None) else stages

    def close(self) -> None:
        """End the helper threads and let all memory go."""
        self._team.close()
        if "_long" in vars(self):
            self._long.close()
        self._buffers.close()
        self._ready.close()

    @cached_property
    def _long(self) -> LongEngine:
        """What answers for long documents; made with the first of them, of which most windows see none."""
        from attnviz.engine.long_engine import LongEngine

        return LongEngine(self._team)

    def _heads(
        self, request: Request, layout: Layout, previous: Stages | None, pictures: RegionPass
    ) -> dict[int, HeadPass]:
        """Plan what is wanted of heads beside the pictures."""
        inputs, region = request.inputs, request.region
        has_all_rows = region.queries == (0, inputs.n_query)
        passes = {}
        for head in range(inputs.n_heads):
            is_own = head == region.head
            if request.wants_all_heads or (is_own and SUMMARIES in request.extras):
                passes[head] = HeadPass(
                    request,
                    head,
                    previous,
                    self._buffers.empty,
                    self._ready,
                    mixes=request.wants_all_heads and not (is_own and has_all_rows),
                    pictured=(lambda: pictures.pictures()[3])
                    if is_own and has_all_rows and layout.is_dense
                    else None,
                )
        return passes


def _portions(lacking: list[int], heads: dict[int, HeadPass]) -> list[list[int]]:
    """Cut the heads into portions that are each worth showing what there is before."""
    portions: list[list[int]] = [[]]
    for head in lacking:
        if sum(heads[each].work for each in portions[-1]) >= _PARTIAL_WORK:
            portions.append([])
        portions[-1].append(head)
    return portions


def _telling(progress: Progress | None, before: int, total: int) -> Callable[[int], bool]:
    """Turn a number of jobs done into a call of ``progress``; the end is told by the caller."""

    def between(done: int) -> bool:
        return progress is None or before + done >= total or progress((before + done) / total, None)

    return between


def _answer(
    request: Request,
    pictures: RegionPass,
    heads: dict[int, HeadPass],
    previous: Stages | None,
    engine: str,
    started: float,
    is_partial: bool,
) -> Stages:
    """Put the parts together, of ``heads`` that are done."""
    outputs = {head: each.output() for head, each in heads.items() if each.mixes}
    own = pictures.output()
    if own is not None:
        outputs[request.region.head] = own
    scores, scaled, masked, weights = pictures.pictures()
    top, total = pictures.statistics()
    stages = (scores, scaled, masked, weights)
    row = query_row(request, stages, own)
    outputs = dict(sorted(outputs.items()))
    seconds = time.perf_counter() - started
    answer = Stages(request, *stages, row, top, total, outputs, engine, seconds, is_partial)
    return with_glances(answer, heads, previous)
