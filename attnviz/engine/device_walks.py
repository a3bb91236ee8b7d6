"""Rows of a long document on the GPU: what a walk over their keys brings, and cells of rows that are known.

Here it is decided what is launched, and what is fetched: a few numbers a row, and rows of pictures. The rules
of what is computed at all are those of the CPU (``long_engine``, ``long_rows``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from attnviz.core.seen_keys import SeenKeys
from attnviz.engine import key_slices
from attnviz.engine.bin_pool import PooledRows, as_computed_again
from attnviz.engine.blocks import FloatArray, IntArray, Problem, Rows
from attnviz.engine.device_memory import DeviceMemory
from attnviz.engine.key_walk import Float64Array, PartSums, finished_rows
from attnviz.engine.part_walks import FoundRows, PooledRegion, Wish
from attnviz.engine.row_takers import RowEntropy
from attnviz.engine.rows_on_device import RowsOnDevice, put
from attnviz.engine.staging import Downloads, Uploads
from attnviz.engine.walk_kernels import PooledKeys, WalkedHead, WalkKernels

if TYPE_CHECKING:
    from attnviz.engine.kernels import Kernels

GoOn = Callable[[int], bool]
Statistics = tuple[FloatArray, FloatArray]

MIXED_CELLS = 1 << 22
"""Weights that lie on the device to be mixed with, rows × keys: 16 MB."""

_EXP_COST = 32  # what a cell costs beside its product, in multiply-adds
_LOWEST, _HIGHEST = 0xFF800000, 0x7F800000  # the bits of −∞ and ∞


@dataclass(frozen=True, eq=False)
class _Sums:
    """What a walk learnt: the rows' sums as of one walk on the CPU, and Σ e · (scaled − reference)."""

    sums: PartSums
    products: Float64Array


class DeviceWalks:
    """Walks on one stream; made and used in one thread, with the context current.

    Notes
    -----
    On the device lie q, k and v of one head, and of the rows of one walk: 12 bytes a row and slice, 8 bytes a
    bin and row (16 for means), 16 bytes a cell of the picture, and 16 MB of weights where outputs are wanted.
    A walk has 512 rows and 1 Mi bins at most.
    """

    def __init__(
        self, driver: Any, kernels: Kernels, stream: Any, uploads: Uploads, downloads: Downloads
    ) -> None:
        self._driver, self._stream = driver, stream
        self._uploads, self._downloads = uploads, downloads
        self._kernels = WalkKernels(kernels, stream)
        self._rows = RowsOnDevice(driver, uploads)
        self._slices, self._parts, self._pools, self._picture = (DeviceMemory(driver) for _ in range(4))
        self._statistics, self._places, self._cells, self._output = (DeviceMemory(driver) for _ in range(4))

    def walked(self, wish: Wish, go_on: GoOn) -> FoundRows | None:
        """Walk rows over all keys they see; None where ``go_on`` said no."""
        problem, rows = wish.problem, wish.rows
        seen = SeenKeys.of(problem.mask, rows, len(problem.q), problem.n_key)
        head = self._rows.arrange(problem, rows, seen)
        # Scores are pooled on the way; weights are a matter of the whole row, so a mean takes a second look.
        first = next((pool for pool in wish.pools if pool.region.pooling == "peak"), None)
        pooled = None if first is None else self._pools_for(first, head)
        found = self._walk(head, seen, (0, problem.n_key), pooled, go_on, sums=True)
        if found is None:
            return None
        walked = finished_rows(problem, seen, found.sums)
        statistics = walked.top, walked.total
        pictures: dict[int, PooledRows] = {}
        if first is not None and pooled is not None:
            pictures[id(first)] = self._pooled(first, head, pooled, statistics)
        for pool in wish.pools:
            if pool is not first:
                looked = self._look(head, seen, statistics, pool, go_on)
                if looked is None:
                    return None
                pictures[id(pool)] = looked
        mixed = self._mixed(problem, head, seen, statistics, go_on) if wish.mixes else None
        if wish.mixes and mixed is None:
            return None
        bits = None
        if wish.sums:
            entropy = RowEntropy(len(rows))
            entropy.begin_with(found.sums.total, found.products)
            bits = entropy.finished(walked)
        return FoundRows(*statistics, mixed, bits, tuple(pictures[id(pool)] for pool in wish.pools))

    def looked(
        self,
        problem: Problem,
        rows: IntArray,
        statistics: Statistics,
        pools: Sequence[PooledRegion],
        go_on: GoOn,
    ) -> tuple[PooledRows, ...] | None:
        """Pool what rows bring whose statistics are known; None where ``go_on`` said no."""
        seen = SeenKeys.of(problem.mask, rows, len(problem.q), problem.n_key)
        head = self._rows.arrange(problem, rows, seen)
        looked = []
        for pool in pools:
            pooled = self._look(head, seen, statistics, pool, go_on)
            if pooled is None:
                return None
            looked.append(pooled)
        return tuple(looked)

    def cells(
        self, problem: Problem, rows: IntArray, statistics: Statistics, keys: Rows
    ) -> tuple[FloatArray, FloatArray]:
        """Give scores and weights of every cell of rows whose statistics are known, (rows, keys) each."""
        seen = SeenKeys.of(problem.mask, rows, len(problem.q), problem.n_key)
        head = self._rows.arrange(problem, rows, seen)
        known = self._put_statistics(self._top_of(head, seen, keys, statistics), statistics[1])
        shape = len(rows), keys[1] - keys[0]
        self._cells.grow(8 * shape[0] * shape[1])
        scores, weights = self._cells.address, self._cells.address + 4 * shape[0] * shape[1]
        on_device = {"scores": scores, "weights": weights}
        self._kernels.known_cells(
            head, self._rows.seen(keys), keys, known, **on_device, fill=float(problem.fill)
        )
        both = np.empty(shape, np.float32), np.empty(shape, np.float32)
        for array, address in zip(both, (scores, weights), strict=True):
            self._downloads.copy(array, address)
        self._downloads.land()
        self._uploads.have_arrived()
        return both

    def forget(self) -> None:
        """Take nothing on the device for right any more."""
        self._rows.head.forget()

    def free(self) -> None:
        """Give all device memory back."""
        self._rows.free()
        for memory in (self._slices, self._parts, self._pools, self._picture):
            memory.free()
        for memory in (self._statistics, self._places, self._cells, self._output):
            memory.free()

    # Walks over keys---------------------------------------------------------------------------------------

    def _walk(
        self,
        head: WalkedHead,
        seen: SeenKeys,
        keys: Rows,
        pooled: PooledKeys | None,
        go_on: GoOn,
        *,
        sums: bool,
        statistics: tuple[int, int] | None = None,
    ) -> _Sums | None:
        """Walk what the rows see of a range of keys; without ``sums`` only their maxima are found."""
        spans = [(max(first, keys[0]), min(last, keys[1])) for first, last in seen.spans()]
        spans = [(first, last) for first, last in spans if first < last]
        size = key_slices.slice_size(spans, head.n_rows)
        bins = (0, 1) if pooled is None else (pooled.keys[0], pooled.bin_keys)
        groups = key_slices.cut_keys(spans, size, *bins)
        slices = np.array([each for group in groups for each in group], np.int32).reshape(-1, 2)
        put(self._uploads, self._slices, slices)
        n_parts = len(slices) * head.n_rows
        self._parts.grow(max(1, 4 * n_parts * (3 if sums else 1)))
        parts = [self._parts.address + 4 * n_parts * index for index in range(3 if sums else 1)]
        work = head.n_rows * (head.d + _EXP_COST)
        most = head.n_key if seen.cells is None else max(1, key_slices.MOST_CELLS // head.n_rows)
        done = 0
        for launch in key_slices.launches_of(groups, work, most):
            if not go_on(work * sum(last - first for first, last in launch)):
                return None
            if done:
                self._stream.synchronize()  # what was launched can not be called back
            own = [address + 4 * head.n_rows * done for address in parts]
            between = launch[0][0], launch[-1][1]
            self._kernels.walk_keys(
                head,
                self._rows.seen(between),
                self._slices.address + 8 * done,
                len(launch),
                between,
                statistics=statistics,
                part_top=own[0],
                part_total=own[1] if sums else None,
                part_weighted=own[2] if sums else None,
                pooled=pooled,
            )
            done += len(launch)
        fetched = np.empty((len(parts), len(slices), head.n_rows), np.float32)
        for array, address in zip(fetched, parts, strict=True):
            if len(slices):
                self._downloads.copy(array, address)
        self._downloads.land()
        self._uploads.have_arrived()
        return _joined(fetched)

    def _look(
        self, head: WalkedHead, seen: SeenKeys, statistics: Statistics, pool: PooledRegion, go_on: GoOn
    ) -> PooledRows | None:
        pooled, keys = self._pools_for(pool, head), pool.region.keys
        known = self._put_statistics(*statistics) if pooled.sums is not None else None
        found = self._walk(head, seen, keys, pooled, go_on, sums=False, statistics=known)
        if found is None:
            return None
        top = as_computed_again(statistics[0], found.sums.top)
        return self._pooled(pool, head, pooled, (top, statistics[1]))

    def _top_of(self, head: WalkedHead, seen: SeenKeys, keys: Rows, statistics: Statistics) -> FloatArray:
        """Give the rows' maxima as this device rounds them, where they lie among the keys."""
        found = self._walk(head, seen, keys, None, lambda share: True, sums=False)
        assert found is not None
        return as_computed_again(statistics[0], found.sums.top)

    # Pictures----------------------------------------------------------------------------------------------

    def _pools_for(self, pool: PooledRegion, head: WalkedHead) -> PooledKeys:
        """Give pools of a region in which nothing has been seen yet."""
        region = pool.region
        empty = PooledKeys(0, 0, None, None, region.keys, region.bins[1])
        count = empty.columns * head.n_rows
        is_mean = region.pooling == "mean"
        self._pools.grow(4 * count * (4 if is_mean else 2))
        planes = [self._pools.address + 4 * count * index for index in range(4)]
        contents = (_LOWEST, _HIGHEST, 0, 0) if is_mean else (_LOWEST, _HIGHEST)
        for plane, bits in zip(planes, contents, strict=False):
            self._driver.memset_d32_async(plane, bits, count, self._stream)
        return replace(
            empty,
            high=planes[0],
            low=planes[1],
            sums=planes[2] if is_mean else None,
            counts=planes[3] if is_mean else None,
        )

    def _pooled(
        self, pool: PooledRegion, head: WalkedHead, pooled: PooledKeys, statistics: Statistics
    ) -> PooledRows:
        """Pool the rows of a walk to rows of the picture, and fetch those."""
        known = self._put_statistics(*statistics)
        starts = np.append(pool.starts, len(pool.places))
        both = put(self._uploads, self._places, np.concatenate([starts, pool.places]).astype(np.int32))
        n_lines = len(pool.starts)
        shape = n_lines, pooled.columns
        n_bytes = 4 * n_lines * pooled.columns
        self._picture.grow(4 * n_bytes)
        first = self._picture.address
        planes = first, first + n_bytes, first + 2 * n_bytes, first + 3 * n_bytes
        self._kernels.pool_rows(
            head,
            pooled,
            known,
            places=both + 4 * len(starts),
            starts=both,
            n_lines=n_lines,
            picture=planes,
        )
        arrays = [np.empty(shape, np.float32) for _ in range(3 if pooled.counts is None else 4)]
        for array, address in zip(arrays, planes, strict=False):
            self._downloads.copy(array, address)
        self._downloads.land()
        self._uploads.have_arrived()
        counts = arrays[3] if pooled.counts is not None else None
        return PooledRows(arrays[0], arrays[1], arrays[2], counts)

    # Outputs-----------------------------------------------------------------------------------------------

    def _mixed(
        self, problem: Problem, head: WalkedHead, seen: SeenKeys, statistics: Statistics, go_on: GoOn
    ) -> FloatArray | None:
        """Give Σ weight × v of each row, float32 (rows, d_v); None where ``go_on`` said no.

        The weights of some keys at a time lie on the device. Their sums are added up in float64.
        """
        n_rows, d_v = len(statistics[0]), int(problem.v.shape[1])
        v, known = self._rows.head.bring("v", problem.v), self._put_statistics(*statistics)
        most = max(64, MIXED_CELLS // n_rows)
        self._cells.grow(4 * n_rows * min(most, problem.n_key))
        self._output.grow(4 * n_rows * d_v)
        spans = seen.spans() if problem.hides_wholly else [(0, problem.n_key)]
        mixed, part = np.zeros((n_rows, d_v)), np.empty((n_rows, d_v), np.float32)
        for start, end in spans:
            for first in range(start, end, most):
                keys = first, min(first + most, end)
                if not go_on((keys[1] - keys[0]) * n_rows * d_v):
                    return None
                self._kernels.known_cells(
                    head,
                    self._rows.seen(keys),
                    keys,
                    known,
                    scores=None,
                    weights=self._cells.address,
                    fill=float(problem.fill),
                )
                self._kernels.mix(
                    head,
                    weights=self._cells.address,
                    v=v + 4 * first * d_v,
                    n_keys=keys[1] - first,
                    output=self._output.address,
                    d_v=d_v,
                )
                self._downloads.copy(part, self._output.address)
                self._downloads.land()
                self._uploads.have_arrived()
                mixed += part
        return mixed.astype(np.float32)

    def _put_statistics(self, top: FloatArray, total: FloatArray) -> tuple[int, int]:
        both = put(self._uploads, self._statistics, np.stack([top, total]).astype(np.float32))
        return both, both + 4 * len(top)


def _joined(parts: FloatArray) -> _Sums:
    """Join what the slices of each row gave, (1 or 3, slices, rows): maxima, sums and products."""
    n_rows = parts.shape[2]
    top = parts[0].max(axis=0, initial=-np.inf)
    reference = np.where(np.isneginf(top), 0.0, top.astype(np.float64))
    total, products = np.zeros(n_rows), np.zeros(n_rows)
    if len(parts) == 3:
        tops, totals, weighted = parts.astype(np.float64)
        fall = np.where(np.isneginf(tops), 0.0, tops - reference)
        factor = np.exp(fall)
        total = (totals * factor).sum(axis=0)
        products = ((weighted + fall * totals) * factor).sum(axis=0)
    return _Sums(PartSums(top, total, reference), products)
