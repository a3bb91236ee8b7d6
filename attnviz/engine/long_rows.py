"""Some rows of a long document from q and k to what is kept of them: a job's work, and one sample's."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from attnviz.core.seen_keys import SeenKeys
from attnviz.core.stages import QueryRow
from attnviz.engine.bin_pool import BinPool, PooledRows, as_computed_again
from attnviz.engine.blocks import FloatArray, IntArray, Rows
from attnviz.engine.cluster import cluster_of_rows
from attnviz.engine.far_rows import Elsewhere, FarPicture, walk_there
from attnviz.engine.head_memory import HeadMemory
from attnviz.engine.kept_pictures import EXACT, KeptPictures
from attnviz.engine.key_walk import KeyBlock, KeyWalk, Taker, WalkedRows
from attnviz.engine.part_walks import PooledRegion
from attnviz.engine.row_takers import RowEntropy, ValueMix

if TYPE_CHECKING:
    from attnviz.engine.device_walks import DeviceWalks

BoolArray = NDArray[np.bool_]
GoOn = Callable[[int], bool]

_EXP_COST = 32  # what a cell costs beside its product, in multiply-adds
_COUNTED_ROWS = 1024  # of more rows some are counted: every edit asks what all of a document would cost


@dataclass(frozen=True, eq=False)
class RowJob:
    """Some queries of one head, and all that is wanted of them.

    Attributes
    ----------
    rows
        Sorted queries.
    pictures
        What they are to be pooled into, where they lie in it and it is not exact there.
    mixes, sums
        Their output is wanted; their entropy is.
    """

    memory: HeadMemory
    rows: IntArray
    pictures: list[KeptPictures]
    mixes: bool
    sums: bool

    @property
    def work(self) -> int:
        """Size in multiply-adds, roughly."""
        knows, memory = self._knows(), self.memory
        work = cost_of(memory, self.rows[~knows], memory.problem.v.shape[1] if self.mixes else 0)
        for kept in self.pictures:
            width = kept.region.keys[1] - kept.region.keys[0]
            work += cost_of(memory, self.rows[knows], -_EXP_COST // 2, width)
        return work

    def distance(self, query: int) -> int:
        """Say how far from a query the job's rows are."""
        return max(0, int(self.rows[0]) - query, query - int(self.rows[-1]))

    def run(self, go_on: GoOn, lock: Lock) -> None:
        """Do it, unless ``go_on`` says no; what is kept is written under the lock, all or nothing."""
        knows = self._knows()
        if not knows.all() and not self._walk(self.rows[~knows], go_on, lock):
            return
        if knows.any():
            self._look(self.rows[knows], go_on, lock)

    def _knows(self) -> BoolArray:
        """Say of which rows nothing but pictures is wanted, and their statistics are known.

        A few such rows among others are said not to be: neighbours are computed fastest together.
        """
        memory, rows = self.memory, self.rows
        if cluster_of_rows(memory.problem.k) is not None:  # one way there and back is enough
            return np.zeros(len(rows), bool)
        knows = memory.is_known[rows]
        if self.mixes:
            knows &= ~memory.lacks_output()[rows]
        if self.sums:
            knows &= memory.has_entropy[rows]
        return knows if np.count_nonzero(knows) * 4 > len(rows) else np.zeros_like(knows)

    def _walk(self, rows: IntArray, go_on: GoOn, lock: Lock) -> bool:
        problem, memory = self.memory.problem, self.memory
        mixes = self.mixes and bool(memory.lacks_output()[rows].any())
        elsewhere = _elsewhere(memory)
        if elsewhere is not None:
            places = [(kept, np.flatnonzero(_wanted(kept, rows))) for kept in self._pooled(rows)]
            pictures = [FarPicture(kept, own, kept.rows_of(rows[own])) for kept, own in places]
            walked_there = walk_there(
                elsewhere, memory, rows, pictures, go_on, lock, mixes=mixes, sums=self.sums
            )
            return walked_there and self._cells(rows, go_on, lock)
        pools = {kept: BinPool(problem, kept.region, len(rows)) for kept in self._pooled(rows)}
        mix = ValueMix(problem, len(rows)) if mixes else None
        entropy = RowEntropy(len(rows)) if self.sums else None
        takers: list[Taker] = [taker for taker in (*pools.values(), mix, entropy) if taker is not None]
        aligned = next((key_bins(kept) for kept in pools), (0, 1))
        walk = KeyWalk(problem, rows, memory.longest_key, go_on, aligned)
        walked = walk.walk(takers)
        if walked is None:
            return False
        mixed = None if mix is None else mix.finished(walk, walked)
        bits = None if entropy is None else entropy.finished(walked)
        parts = self._parts(rows, pools, walked.top, walked.total, walked)
        with lock:
            memory.put_statistics(rows, walked.top, walked.total)
            if mixed is not None:
                memory.put_output(rows, mixed)
            if bits is not None:
                memory.entropy[rows], memory.has_entropy[rows] = bits, True
            for kept, picture_rows, counts, pooled in parts:
                kept.put_rows(picture_rows, counts, pooled)
        return self._cells(rows, go_on, lock)

    def _look(self, rows: IntArray, go_on: GoOn, lock: Lock) -> bool:
        problem, memory = self.memory.problem, self.memory
        top, total = memory.of_rows(rows)
        if memory.device is not None:
            return self._look_there(memory.device, rows, go_on, lock) and self._cells(rows, go_on, lock)
        pools = {kept: BinPool(problem, kept.region, len(rows), (top, total)) for kept in self._pooled(rows)}
        for kept, pool in pools.items():
            walk = KeyWalk(problem, rows, memory.longest_key, go_on, key_bins(kept))
            if not walk.look(kept.region.keys, [pool]):
                return False
        parts = self._parts(rows, pools, top, total, None)
        with lock:
            for kept, picture_rows, counts, pooled in parts:
                kept.put_rows(picture_rows, counts, pooled)
        return self._cells(rows, go_on, lock)

    def _look_there(self, device: DeviceWalks, rows: IntArray, go_on: GoOn, lock: Lock) -> bool:
        memory = self.memory
        places = [(kept, np.flatnonzero(_wanted(kept, rows))) for kept in self._pooled(rows)]
        pictures = [FarPicture(kept, own, kept.rows_of(rows[own])) for kept, own in places]
        pools = [PooledRegion(each.kept.region, each.places, each.starts) for each in pictures]
        looked = device.looked(memory.problem, rows, memory.of_rows(rows), pools, go_on)
        if looked is None:
            return False
        with lock:
            for each, pooled in zip(pictures, looked, strict=True):
                starts = each.starts
                each.kept.put_rows(each.rows[starts], np.diff(starts, append=len(each.places)), pooled)
        return True

    def _cells(self, rows: IntArray, go_on: GoOn, lock: Lock) -> bool:
        """Put rows of pictures that are not pooled; their statistics are known by now."""
        memory = self.memory
        for kept in self.pictures:
            wanted = rows[_wanted(kept, rows)]
            if kept.is_pooled or not wanted.size:
                continue
            if not go_on(0):
                return False
            scores, weights = _fast_cells(memory, wanted, kept.region.keys)
            with lock:
                kept.put_cells(kept.rows_of(wanted), scores, weights)
        return True

    def _pooled(self, rows: IntArray) -> list[KeptPictures]:
        """Give the pooled pictures that some of the rows are wanted for."""
        return [kept for kept in self.pictures if kept.is_pooled and _wanted(kept, rows).any()]

    def _parts(
        self,
        rows: IntArray,
        pools: dict[KeptPictures, BinPool],
        top: FloatArray,
        total: FloatArray,
        walked: WalkedRows | None,
    ) -> list[tuple[KeptPictures, IntArray, IntArray, PooledRows]]:
        """Give for each picture its rows, how many queries came of each, and what they bring."""
        parts = []
        for kept, pool in pools.items():
            places = np.flatnonzero(_wanted(kept, rows))
            picture_rows = kept.rows_of(rows[places])
            starts = np.flatnonzero(np.diff(picture_rows, prepend=-1))
            scale = None if walked is None else walked.scale
            pooled = pool.finished(places, starts, top, total, scale)
            parts.append((kept, picture_rows[starts], np.diff(starts, append=len(places)), pooled))
        return parts


def sample(
    memory: HeadMemory, kept: KeptPictures, picture_rows: IntArray, queries: IntArray, go_on: GoOn, lock: Lock
) -> None:
    """Let rows of a picture show what one query each brings, unless ``go_on`` says no.

    Parameters
    ----------
    picture_rows, queries
        Sorted; queries[i] is a query of the row picture_rows[i].
    """
    cluster = cluster_of_rows(memory.problem.k)
    if cluster is not None and kept.is_pooled:
        picture = FarPicture(kept, np.arange(len(queries)), picture_rows)
        walk_there(
            cluster, memory, queries, [picture], go_on, lock, mixes=False, sums=False, are_samples=True
        )
        return
    knows = memory.is_known[queries]
    for chosen, are_known in ((~knows, False), (knows, True)):
        part = picture_rows[chosen], queries[chosen]
        if chosen.any() and not _sample(memory, kept, *part, are_known, go_on, lock):
            return


def _sample(
    memory: HeadMemory,
    kept: KeptPictures,
    picture_rows: IntArray,
    queries: IntArray,
    are_known: bool,
    go_on: GoOn,
    lock: Lock,
) -> bool:
    """Sample queries whose statistics are all known, or all to be found out; False where it was stopped."""
    problem, elsewhere = memory.problem, _elsewhere(memory)
    if elsewhere is not None:
        return _sample_there(memory, elsewhere, kept, picture_rows, queries, are_known, go_on, lock)
    walk = KeyWalk(problem, queries, memory.longest_key, go_on, key_bins(kept))
    known = memory.of_rows(queries) if are_known else None
    pool = BinPool(problem, kept.region, len(queries), known) if kept.is_pooled else None
    scale = None
    if known is None:
        walked = walk.walk([] if pool is None else [pool])
        if walked is None:
            return False
        known, scale = (walked.top, walked.total), walked.scale
        with lock:
            memory.put_statistics(queries, *known)
    elif pool is not None and not (
        show_row(memory, kept, queries, pool) or walk.look(kept.region.keys, [pool])
    ):
        return False
    if pool is None:
        scores, weights = cells(memory, queries, kept.region.keys)
    else:
        each = np.arange(len(queries))
        pooled = pool.finished(each, each, *known, scale)
        scores, weights = pooled.scores(), pooled.shares()
    with lock:
        kept.put_sampled(picture_rows, scores, weights)
    return True


def show_row(memory: HeadMemory, kept: KeptPictures, queries: IntArray, pool: BinPool) -> bool:
    """Let a pool see the scores of the selected query, which are there; False where it is not that alone."""
    row, problem = memory.row, memory.problem
    if row is None or queries.tolist() != [row.query]:
        return False
    keys = kept.region.keys
    seen = SeenKeys.of(problem.mask, queries, len(problem.q), problem.n_key)
    for first, last in seen.spans():
        span = max(first, keys[0]), min(last, keys[1])
        if span[0] < span[1]:
            scores = row.scores[slice(*span)][:, None]
            pool.see(KeyBlock(span, scores, np.float32(1), seen.hidden(span)))
    return True


def _sample_there(
    memory: HeadMemory,
    elsewhere: Elsewhere,
    kept: KeptPictures,
    picture_rows: IntArray,
    queries: IntArray,
    are_known: bool,
    go_on: GoOn,
    lock: Lock,
) -> bool:
    """Do the same on a GPU, and of pictures that are not pooled on a cluster."""
    each = np.arange(len(queries))
    pictures = [FarPicture(kept, each, picture_rows)] if kept.is_pooled else []
    if not are_known:
        if not walk_there(
            elsewhere, memory, queries, pictures, go_on, lock, mixes=False, sums=False, are_samples=True
        ):
            return False
        if kept.is_pooled:
            return True
    if kept.is_pooled:
        assert memory.device is not None  # a cluster is asked for statistics and pictures at once
        pool, known = PooledRegion(kept.region, each, each), memory.of_rows(queries)
        looked = memory.device.looked(memory.problem, queries, known, [pool], go_on)
        if looked is None:
            return False
        scores, weights = looked[0].scores(), looked[0].shares()
    elif go_on(0):
        scores, weights = _fast_cells(memory, queries, kept.region.keys)
    else:
        return False
    with lock:
        kept.put_sampled(picture_rows, scores, weights)
    return True


def _elsewhere(memory: HeadMemory) -> Elsewhere | None:
    """Give where a head's rows are walked, None for the threads of this process."""
    return cluster_of_rows(memory.problem.k) or memory.device


def _fast_cells(memory: HeadMemory, rows: IntArray, keys: Rows) -> tuple[FloatArray, FloatArray]:
    """Give the same as ``cells``, on the GPU where there is one."""
    if memory.device is None or cluster_of_rows(memory.problem.k) is not None:
        return cells(memory, rows, keys)
    return memory.device.cells(memory.problem, rows, memory.of_rows(rows), keys)


def cells(memory: HeadMemory, rows: IntArray, keys: Rows) -> tuple[FloatArray, FloatArray]:
    """Give scores and weights of every cell of rows whose statistics are known, (rows, keys) each."""
    problem = memory.problem
    cluster = cluster_of_rows(problem.k)
    if cluster is None:
        scores = problem.q[rows] @ problem.k[slice(*keys)].T
    else:
        scores = cluster.products(problem.q, rows, problem.k, keys)
    weights = scores / problem.divisor
    hidden = SeenKeys.of(problem.mask, rows, len(problem.q), problem.n_key).hidden(keys)
    if hidden is not None:
        np.copyto(weights, problem.fill, where=hidden.T)
    top, total = memory.of_rows(rows)
    top = as_computed_again(top, weights.max(axis=1))
    weights -= np.where(np.isneginf(top), np.float32(0), top)[:, None]
    np.minimum(weights, np.float32(0), out=weights)  # the same sum in another order may come out above
    np.exp(weights, out=weights)
    weights *= np.divide(np.float32(1), total, out=np.zeros_like(total), where=total > 0)[:, None]
    return scores, weights


def put_row(memory: HeadMemory, row: QueryRow) -> None:
    """Know the statistics of a row that was computed whole."""
    if not memory.is_known[row.query]:
        top = float(row.masked.max())
        total = np.exp(row.masked - np.float32(top)).sum(dtype=np.float64) if math.isfinite(top) else 0.0
        statistics = (np.array([number], np.float32) for number in (top, total))
        memory.put_statistics(np.array([row.query]), *statistics)


def cost_of_samples(memory: HeadMemory, kept: KeptPictures, queries: IntArray) -> int:
    """Give the multiply-adds of sampling queries, roughly: of known ones the region's keys alone."""
    knows = memory.is_known[queries]
    width = kept.region.keys[1] - kept.region.keys[0]
    return cost_of(memory, queries[~knows]) + cost_of(memory, queries[knows], -_EXP_COST // 2, width)


def cost_of(memory: HeadMemory, rows: IntArray, more: int = 0, most_keys: int | None = None) -> int:
    """Give the multiply-adds of walks of some rows, roughly.

    Parameters
    ----------
    more
        What a cell costs beside its product and its exponential.
    most_keys
        The most keys that are looked at of each row.
    """
    if not rows.size:
        return 0
    problem = memory.problem
    step = max(1, len(rows) // _COUNTED_ROWS)
    rows = rows[step // 2 :: step]
    counts = SeenKeys.of(problem.mask, rows, len(problem.q), problem.n_key).count()
    if most_keys is not None:
        counts = np.minimum(counts, most_keys)
    return step * int(counts.sum()) * (int(problem.q.shape[1]) + _EXP_COST + more)


def _wanted(kept: KeptPictures, rows: IntArray) -> BoolArray:
    """Say which rows lie in a picture that is not exact there."""
    first, last = kept.region.queries
    inside: BoolArray = (rows >= first) & (rows < last)
    inside[inside] = kept.state[kept.rows_of(rows[inside])] != EXACT
    return inside


def key_bins(kept: KeptPictures) -> tuple[int, int]:
    """Give the key that a picture's bins begin at, and how many each has."""
    return kept.region.keys[0], kept.bins[1]
