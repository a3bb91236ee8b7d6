"""Answers for long documents, whose squares nobody holds: by walks over the keys of what is looked at.

What was learnt of rows is kept between calls, so that a computation that was stopped goes on where it was.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from attnviz.core.request import OUTPUT, SUMMARIES, THUMBNAILS, Request
from attnviz.core.stages import STAGE_NAMES, QueryRow, Stages, Thumbnail
from attnviz.core.summaries import RowSummaries
from attnviz.engine.base import Progress
from attnviz.engine.blocks import FloatArray, IntArray
from attnviz.engine.head_memory import HeadMemories, HeadMemory
from attnviz.engine.kept_pictures import COPIED, NOTHING, SAMPLED, KeptPictures
from attnviz.engine.layer_pass import layer_output
from attnviz.engine.long_rows import RowJob, cost_of_samples, put_row, sample
from attnviz.engine.long_summaries import KeptSums
from attnviz.engine.query_row import single_row
from attnviz.engine.rest_of_bin import bring_back
from attnviz.engine.team import Job, Team
from attnviz.engine.watch import Watch

if TYPE_CHECKING:
    from attnviz.engine.device_walks import DeviceWalks

AT_ONCE = 1_000_000_000
"""Multiply-adds of an exact answer given at once although a coarse one was enough: 25 ms on two cores.

An edit is to be on the screen within 50, and painting takes its part."""
COARSE = 2_000_000_000
"""Multiply-adds of a coarse answer, roughly: where sampling every row of a picture costs more, fewer are."""
SAMPLES = 8_000_000_000
"""Multiply-adds of the samples that an exact answer takes before all else, of rows that hold none yet."""
DEVICE_PACE = 16
"""How many times as much of these a GPU may do: a small one multiplies some 50 times as fast as two cores."""
AT_LEAST = 4_000_000
"""Multiply-adds of a job of masses, roughly."""
JOB_ROWS = 512
"""Most rows of a job: with 512 keys a block of 1 MB, and pictures of 1,024 columns 4 MB, for each thread."""
JOB_CELLS = 1 << 20
"""Most cells of pictures that a job pools, rows × columns."""


@dataclass(frozen=True, eq=False)
class _Plan:
    """What an answer wants of one head.

    Attributes
    ----------
    pictures
        Whose rows are to be exact, the region's first; empty where nobody looks at the head.
    mixes
        Its output is wanted.
    sums
        The entropy of its rows is wanted.
    """

    memory: HeadMemory
    pictures: list[KeptPictures]
    mixes: bool
    sums: bool

    def lacking(self) -> RowJob | None:
        """Give all that is to be computed as one job; None where nothing is."""
        wanted = np.zeros(len(self.memory.problem.q), bool)
        for kept in self.pictures:
            first, last = kept.region.queries
            wanted[first:last] |= np.repeat(kept.state <= SAMPLED, kept.bins[0])[: last - first]
        if self.mixes:
            wanted |= self.memory.lacks_output()
        if self.sums:
            wanted |= ~self.memory.has_entropy
        rows = np.flatnonzero(wanted)
        if not rows.size:
            return None
        return RowJob(self.memory, rows, self.pictures, self.mixes, self.sums)


@dataclass(frozen=True, eq=False)
class _Samples:
    """Rows of the pictures, a query of each, and the multiply-adds of computing those."""

    rows: IntArray
    queries: IntArray
    work: int


@dataclass(frozen=True, eq=False)
class _Call:
    """What ``LongEngine.compute`` was called with."""

    request: Request
    previous: Stages | None
    progress: Progress | None
    engine: str


class LongEngine:
    """Computes Stages of long documents with numpy or on a GPU; keeps the contract of ``Engine``.

    Parameters
    ----------
    team
        The threads; shared with the engine this one is a part of. One alone where there is a device.
    device
        The GPU that rows are walked on. What costs little is computed here all the same: the selected query's
        row and the masses of summaries.

    Notes
    -----
    Between calls it keeps of each head that was looked at 27 bytes per query, 25 more where summaries were
    asked for, its thumbnail and output where those were, and the pictures of 4 regions of all heads together,
    24 bytes for each of at most 4,194,304 cells. Larger ones, of pictures for files, go when they are done.
    While it computes, each thread has 1 MB for a block of keys and at most 8 MB for each picture it pools,
    16 MB where means are wanted.
    """

    def __init__(self, team: Team, device: DeviceWalks | None = None) -> None:
        self._team, self._pace = team, 1 if device is None else DEVICE_PACE
        self._memories = HeadMemories(device)
        self._lock = threading.Lock()

    def compute(
        self, request: Request, previous: Stages | None, progress: Progress | None, engine: str
    ) -> Stages | None:
        """Answer a request of a long document in the name of an engine; see ``Engine.compute``."""
        call = _Call(request, previous, progress, engine)
        return _Answer(self._memories, self._team, self._lock, call, self._pace).made()

    def close(self) -> None:
        """Forget everything."""
        self._memories.clear()


class _Answer:
    """One call of ``LongEngine.compute``."""

    def __init__(
        self,
        memories: HeadMemories,
        team: Team,
        lock: threading.Lock,
        call: _Call,
        pace: int,
    ) -> None:
        self._started = time.perf_counter()
        self._memories, self._team, self._lock, self._pace = memories, team, lock, pace
        self._request, self._previous = call.request, call.previous
        self._progress, self._engine = call.progress, call.engine
        request, region = call.request, call.request.region
        self._own = memories.of(request.inputs, region.head)
        self._kept = memories.pictures(self._own, region)
        self._kept.drop_begun()
        self._row = self._exact_row()

    def made(self) -> Stages | None:
        """Give the answer, None where it was stopped."""
        if not self._bring_back():
            return None
        plans = self._plans()
        lacking = [job for plan in plans if (job := plan.lacking()) is not None]
        work = sum(job.work for job in lacking)
        takes_long = work > AT_ONCE * self._pace
        is_coarse_enough = self._request.detail == "coarse" and takes_long
        samples = self._samples() if takes_long else None
        whole = (0 if is_coarse_enough else work) + (0 if samples is None else samples.work)
        watch = Watch(self._progress, whole, self._partial)
        if samples is not None and not self._take(samples, watch):
            return None
        if is_coarse_enough:
            stages = self._stages(is_partial=False)
            return stages if watch.finish() else None
        if takes_long and self._progress is not None and not watch.tell(self._news()):
            return None
        for plan in plans:
            if plan.mixes and plan.memory.lacks_output().any():
                plan.memory.begin_output()
        calls = [partial(job.run, watch.go_on, self._lock) for each in lacking for job in self._cut(each)]
        if calls and not self._team.run(calls, lambda done: watch.go_on(), work):
            return None
        sums = [job for plan in plans if plan.sums for job in self._sums_of(plan.memory, watch)]
        if sums and not self._team.run(sums, lambda done: watch.go_on(), len(sums) * AT_LEAST):
            return None
        if watch.is_stopped:
            return None
        stages = self._stages(is_partial=False)
        self._memories.finished(self._own, self._request.region)
        return stages if watch.finish() else None

    def _bring_back(self) -> bool:
        """Let the row of a query under edit be exact at once where it can; False where stopped."""
        most = math.inf if self._request.detail == "full" else AT_ONCE
        own, kept = self._own, self._kept
        return bring_back(own, kept, self._team, partial(Watch, self._progress), self._lock, most)

    # What is to be done---------------------------------------------------------------------------------

    def _plans(self) -> list[_Plan]:
        request, inputs = self._request, self._request.inputs
        everything = request.wants_all_heads and not self._is_coarse_request()
        plans = []
        for head in range(inputs.n_heads):
            is_own = head == request.region.head
            if not (is_own or everything):
                continue
            memory = self._own if is_own else self._memories.of(inputs, head)
            small = THUMBNAILS in request.extras and everything
            pictures = [self._kept] if is_own else []
            if small:
                pictures.append(self._memories.thumbnail(memory))
            sums = small or (is_own and SUMMARIES in request.extras)
            plans.append(_Plan(memory, pictures, everything, sums))
        return sorted(plans, key=lambda plan: plan.memory is not self._own)

    def _sums_of(self, memory: HeadMemory, watch: Watch) -> list[Job]:
        kept = KeptSums.of(memory, self._request.window)
        return kept.jobs(memory, watch.go_on, self._lock)

    def _is_coarse_request(self) -> bool:
        return self._request.detail == "coarse"

    def _cut(self, whole: RowJob) -> list[RowJob]:
        """Cut what a head lacks into jobs; of the head looked at those next to the selected query first."""
        rows, pictures = whole.rows, whole.pictures
        columns = max((kept.shape[1] for kept in pictures), default=1)
        most = min(JOB_ROWS, max(16, JOB_CELLS // columns))
        most = min(most, max(32, -(-len(rows) // self._team.n_threads)))
        bin_rows = pictures[0].bins[0] if pictures else 1
        base = pictures[0].region.queries[0] if pictures else 0
        height = bin_rows * max(1, most // bin_rows) if bin_rows <= most else most
        cuts = np.flatnonzero(np.diff((rows - base) // height)) + 1
        jobs = [replace(whole, rows=part) for part in np.split(rows, cuts)]
        if whole.memory is self._own:
            jobs.sort(key=lambda job: job.distance(self._request.query))
        return jobs

    # Coarse---------------------------------------------------------------------------------------------

    def _samples(self) -> _Samples | None:
        """Choose a query for each row of the pictures that holds none; None where there is no such row."""
        kept, memory = self._kept, self._own
        is_first = self._is_coarse_request()
        rows = np.flatnonzero(kept.state == NOTHING if is_first else kept.state <= COPIED)
        if not rows.size:
            return None
        spans = [kept.queries_of(row) for row in rows.tolist()]
        query = self._request.query
        queries = np.array(
            [query if first <= query < last else (first + last) // 2 for first, last in spans], np.intp
        )
        most = (COARSE if is_first else SAMPLES) * self._pace
        step = max(1, -(-cost_of_samples(memory, kept, queries) // most))
        chosen = np.zeros(len(rows), bool)
        chosen[step // 2 :: step] = True
        chosen[queries == query] = True
        chosen |= not chosen.any()
        rows, queries = rows[chosen], queries[chosen]
        return _Samples(rows, queries, cost_of_samples(memory, kept, queries))

    def _take(self, samples: _Samples, watch: Watch) -> bool:
        """Let every row of the pictures hold something; False where it was stopped."""
        kept, memory = self._kept, self._own
        rows, queries = samples.rows, samples.queries
        height = max(16, min(128, JOB_CELLS // kept.shape[1], -(-len(rows) // (2 * self._team.n_threads))))
        parts = [slice(first, first + height) for first in range(0, len(rows), height)]
        calls = [
            partial(sample, memory, kept, rows[part], queries[part], watch.go_on, self._lock)
            for part in reversed(parts)  # under a causal mask the last take longest
        ]
        if not self._team.run(calls, lambda done: watch.go_on(), samples.work) or watch.is_stopped:
            return False
        kept.fill_gaps(anew=not self._is_coarse_request())
        return True

    # What is given--------------------------------------------------------------------------------------

    def _exact_row(self) -> QueryRow:
        """Give the selected query's row, and know its statistics."""
        memory, query = self._own, self._request.query
        row = memory.row
        if row is None or row.query != query:
            found: list[QueryRow] = []
            work = memory.problem.n_key * (memory.problem.q.shape[1] + memory.problem.v.shape[1])
            # By one thread: waiting for a second one of BLAS takes longer where the window paints meanwhile.
            self._team.run([lambda: found.append(single_row(self._request))], lambda done: True, work)
            row = memory.row = found[0]
            put_row(memory, row)
        return row

    def _partial(self) -> Stages | None:
        """Give what there is; None while rows of the pictures hold nothing."""
        with self._lock:
            return None if (self._kept.state == NOTHING).any() else self._stages(is_partial=True)

    def _news(self) -> Stages | None:
        """Give what there is, None where it is what was answered last: that is on the screen."""
        partial, last = self._partial(), self._previous
        if partial is None or last is None:
            return partial
        now, then = self._request, last.request
        is_of_now = (now.inputs, now.query, now.region) == (then.inputs, then.query, then.region)
        is_known = partial.head_outputs.keys() <= last.head_outputs.keys() and (
            partial.summaries.keys() <= last.summaries.keys()
        )
        changed = (partial.picture(stage).changed_blocks(last.picture(stage)) for stage in STAGE_NAMES)
        return None if is_of_now and is_known and not any(map(any, changed)) else partial

    def _stages(self, *, is_partial: bool) -> Stages:
        request, memory, kept = self._request, self._own, self._kept
        pictures = kept.pictures(memory.problem)
        top, total = memory.statistics(request.region.queries)
        outputs, small = self._extras()
        stages = Stages(
            request,
            *pictures,
            self._row,
            top,
            total,
            outputs,
            self._engine,
            time.perf_counter() - self._started,
            is_partial,
            is_coarse=bool((kept.state <= SAMPLED).any()),
            thumbnails=small,
            summaries=self._summaries(small),
        )
        if OUTPUT in request.extras and len(outputs) == request.inputs.n_heads and not is_partial:
            stages = replace(stages, output=layer_output(stages, None))
        return stages

    def _summaries(self, small: Mapping[int, Thumbnail]) -> dict[int, RowSummaries]:
        """Give the summaries that were asked for, as far as they are there."""
        request = self._request
        heads = set(small) | ({request.region.head} if SUMMARIES in request.extras else set())
        told = {}
        for head in sorted(heads):
            memory = self._memories.of(request.inputs, head)
            summaries = KeptSums.of(memory, request.window).finished(memory)
            if summaries is not None:
                told[head] = summaries
        return told

    def _extras(self) -> tuple[dict[int, FloatArray], Mapping[int, Thumbnail]]:
        """Give the outputs and thumbnails that were asked for, as far as they are there."""
        request = self._request
        outputs: dict[int, FloatArray] = {}
        small: dict[int, Thumbnail] = {}
        if not request.wants_all_heads:
            return outputs, small
        for head in range(request.inputs.n_heads):
            memory = self._memories.of(request.inputs, head)
            output = memory.output()
            if output is not None:
                outputs[head] = output
                thumbnail = memory.shown(output)
                if THUMBNAILS in request.extras and thumbnail is not None:
                    small[head] = thumbnail
        return outputs, small
