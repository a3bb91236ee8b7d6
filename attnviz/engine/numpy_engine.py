"""The engine for every machine: float32 numpy in blocks of rows, on all CPUs this process may use."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from attnviz.core.request import THUMBNAILS, Request
from attnviz.core.stages import Stages
from attnviz.engine.base import Progress
from attnviz.engine.buffers import Buffers
from attnviz.engine.layer_pass import layer_output
from attnviz.engine.layout import BLOCK_ROWS, Layout
from attnviz.engine.output_pass import OutputPass
from attnviz.engine.query_row import query_row
from attnviz.engine.region_pass import RegionPass
from attnviz.engine.team import Team
from attnviz.engine.thumbnail_pass import ThumbnailPass

_PARTIAL_WORK = 1_000_000_000  # multiply-adds of other heads that are worth showing the pictures before


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
    skipped after scaling.
    """

    def __init__(self, n_threads: int | None = None) -> None:
        self._team = Team(n_threads)
        self._buffers = Buffers()

    @property
    def name(self) -> str:
        """Name, such as ``CPU: numpy, 2 threads``."""
        count = self._team.n_threads
        return f"CPU: numpy, {count} thread{'' if count == 1 else 's'}"

    def compute(
        self, request: Request, previous: Stages | None = None, progress: Progress | None = None
    ) -> Stages | None:
        """Answer a request; see ``Engine.compute``."""
        started = time.perf_counter()
        inputs, region = request.inputs, request.region
        layout = Layout.of(region, inputs.n_tokens)
        self._buffers.resize(max(BLOCK_ROWS, layout.block_rows), inputs.n_tokens)
        pictures = RegionPass(request, layout, previous, self._buffers)
        others = self._other_heads(request, previous)
        thumbnails = ThumbnailPass(request, previous) if THUMBNAILS in request.extras else None

        def answer(*, is_partial: bool = False) -> Stages:
            stages = _answer(request, pictures, others, self.name, started, is_partial)
            small = {} if is_partial or thumbnails is None else thumbnails.finished(stages.head_outputs)
            return replace(
                stages,
                output=layer_output(stages, previous),
                thumbnails=small,
                seconds=time.perf_counter() - started,
            )

        first = pictures.take_jobs()
        rest = [job for other in others.values() for job in other.take_jobs()]
        rest_work = sum(other.work for other in others.values())
        if thumbnails is not None:
            rest += thumbnails.take_jobs()
            rest_work += thumbnails.work
        total = len(first) + len(rest)
        if progress is not None and rest_work >= _PARTIAL_WORK:
            if not self._team.run(first, _telling(progress, 0, total), pictures.work):
                return None
            if not progress(len(first) / total, answer(is_partial=True)):
                return None
            done = self._team.run(rest, _telling(progress, len(first), total), rest_work)
        else:
            work = pictures.work + rest_work
            done = self._team.run(first + rest, _telling(progress, 0, total), work)
        if not done:
            return None
        stages = answer()
        return None if progress is not None and not progress(1.0, None) else stages

    def close(self) -> None:
        """End the helper threads and let all memory go."""
        self._team.close()
        self._buffers.close()

    def _other_heads(self, request: Request, previous: Stages | None) -> dict[int, OutputPass]:
        """Plan the outputs that the pictures do not bring along."""
        if not request.wants_all_heads:
            return {}
        inputs, region = request.inputs, request.region
        brought = region.head if region.queries == (0, inputs.n_tokens) else None
        return {
            head: OutputPass(inputs, head, previous, self._buffers)
            for head in range(inputs.n_heads)
            if head != brought
        }


def _telling(progress: Progress | None, before: int, total: int) -> Callable[[int], bool]:
    """Turn a number of jobs done into a call of ``progress``; the end is told by the caller."""

    def between(done: int) -> bool:
        return progress is None or before + done >= total or progress((before + done) / total, None)

    return between


def _answer(
    request: Request,
    pictures: RegionPass,
    others: dict[int, OutputPass],
    engine: str,
    started: float,
    is_partial: bool,
) -> Stages:
    """Put the parts together; partial ones hold, of the other heads, what an earlier answer knew."""
    outputs = {head: other.output() for head, other in others.items() if not (is_partial and other.work)}
    own = pictures.output()
    if own is not None:
        outputs[request.region.head] = own
    scores, scaled, masked, weights = pictures.pictures()
    top, total = pictures.statistics()
    stages = (scores, scaled, masked, weights)
    row = query_row(request, stages, own)
    outputs = dict(sorted(outputs.items()))
    seconds = time.perf_counter() - started
    return Stages(request, *stages, row, top, total, outputs, engine, seconds, is_partial)
