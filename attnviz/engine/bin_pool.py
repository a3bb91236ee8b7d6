"""The cells of a pooled picture while a walk passes by: each stands for a bin of queries and keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core.request import Region
from attnviz.engine.blocks import FloatArray, IntArray, Problem, Rows
from attnviz.engine.key_walk import Float64Array, KeyBlock

_LONG_ROW = 512
_ROUNDING = np.float32(2.0**-21)
_LOWEST, _HIGHEST = np.float32(-np.inf), np.float32(np.inf)


_COLUMNS = {"_high": _LOWEST, "_low": _HIGHEST, "_sums": 0.0, "_counts": 0.0}
"""What a pool keeps of each bin, and what it is before anything was seen."""


@dataclass(frozen=True, eq=False)
class PooledRows:
    """Some of a picture's rows, as far as some of their queries bring them.

    Attributes
    ----------
    high, low
        float32 (rows, columns): the largest and the smallest score of each bin, −∞ and ∞ where none is seen.
    weights
        float32 (rows, columns): the largest weight, or with mean pooling the sum of weights.
    counts
        With mean pooling how many cells of each bin are seen; else None.
    """

    high: FloatArray
    low: FloatArray
    weights: FloatArray
    counts: FloatArray | None

    def merged(self, other: PooledRows) -> PooledRows:
        """Give what the queries of both bring."""
        high, low = np.maximum(self.high, other.high), np.minimum(self.low, other.low)
        if self.counts is None or other.counts is None:
            return PooledRows(high, low, np.maximum(self.weights, other.weights), None)
        return PooledRows(high, low, self.weights + other.weights, self.counts + other.counts)

    def scores(self) -> FloatArray:
        """Give the score of largest magnitude of each bin, the positive one of two; −∞ where none is seen."""
        return np.where(self.high >= -self.low, self.high, self.low)

    def shares(self) -> FloatArray:
        """Give the weights as the picture shows them."""
        if self.counts is None:
            return self.weights
        return np.divide(self.weights, self.counts, out=np.zeros_like(self.weights), where=self.counts > 0)


class BinPool:
    """A ``Taker`` that pools what some rows see of a region.

    Parameters
    ----------
    region
        Whose keys are pooled, and how.
    n_rows
        Rows of the walk.
    statistics
        Each row's (top, total) where they are known: the walk then only looks. Else None.

    Notes
    -----
    Keeps float32 (columns, rows) twice, and twice more with mean pooling.
    """

    needs_scaled = False

    def __init__(
        self,
        problem: Problem,
        region: Region,
        n_rows: int,
        statistics: tuple[FloatArray, FloatArray] | None = None,
    ) -> None:
        self._first, self._last = region.keys
        self._height = region.bins[1]
        self._divisor, self._statistics = problem.divisor, statistics
        shape = (-(-(self._last - self._first) // self._height), n_rows)
        self._high, self._low = np.full(shape, _LOWEST), np.full(shape, _HIGHEST)
        self._sums = self._counts = None
        if region.pooling == "mean":
            self._sums, self._counts = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self._unit = np.float32(1)
        self._touched = (shape[0], 0)

    def see(self, block: KeyBlock) -> None:
        """Pool the scores; with mean pooling and known statistics the weights too."""
        keys, place = self._within(block)
        if place is None:
            return
        self._unit = block.unit
        bins = (keys[0] - self._first) // self._height, -(-(keys[1] - self._first) // self._height)
        self._touched = min(self._touched[0], bins[0]), max(self._touched[1], bins[1])
        scores = block.scores[place]
        hidden = None if block.hidden is None else block.hidden[place]
        highs = scores if hidden is None else np.where(hidden, _LOWEST, scores)
        self._merge(np.maximum, highs, keys, self._high)
        self._merge(
            np.minimum, scores if hidden is None else np.where(hidden, _HIGHEST, scores), keys, self._low
        )
        if self._sums is not None and self._statistics is not None:
            weights = np.empty_like(highs)
            self._put_logarithms(highs, *self._statistics, weights)
            self._merge(np.add, np.exp(weights, out=weights), keys, self._sums)
        self._count(keys, hidden, scores.shape[1])

    def add(self, block: KeyBlock, reference: Float64Array) -> None:
        """Add up exponentials where the mean is wanted."""
        keys, place = self._within(block)
        if self._sums is not None and place is not None and block.exponentials is not None:
            self._merge(np.add, block.exponentials[place], keys, self._sums)

    def rescale(self, factor: Float64Array, rise: Float64Array) -> None:
        """Keep sums relative to the walk's reference."""
        if self._sums is not None:
            self._sums *= factor.astype(np.float32)

    def finished(
        self,
        places: IntArray,
        starts: IntArray,
        top: FloatArray,
        total: FloatArray,
        scale: Float64Array | None,
    ) -> PooledRows:
        """Give the picture's rows.

        Parameters
        ----------
        places
            Which of the walk's rows are wanted.
        starts
            Where in them each of the picture's rows begins.
        top, total
            Of the walk's rows.
        scale
            What sums of exponentials are multiplied with to be weights; None where they are weights already.
        """
        unit, touched = self._unit, slice(*self._touched)
        is_all = len(places) == self._high.shape[1]

        def pooled(how: np.ufunc, columns: FloatArray, empty: float) -> FloatArray:
            own = columns[touched] if is_all else columns[touched][:, places]
            rows = np.full((len(starts), len(columns)), empty, np.float32)
            if len(own):
                rows[:, touched] = (
                    own if len(starts) == len(places) else how.reduceat(own, starts, axis=1)
                ).T
            return rows

        high, low = pooled(np.maximum, self._high, -np.inf), pooled(np.minimum, self._low, np.inf)
        counts = None
        if self._sums is None or self._counts is None:
            # exp is monotonous: the largest weight is that of the largest logarithm.
            logarithms, highs = self._low[touched], self._high[touched]
            if self._statistics is not None and len(highs):
                highest = highs.max(axis=0)
                top = as_computed_again(top, highest if unit != 1 else highest / self._divisor)
            self._put_logarithms(highs, top, total, logarithms)
            weights = np.exp(pooled(np.maximum, self._low, -np.inf))
        else:
            sums = self._sums if scale is None else self._sums * scale.astype(np.float32)
            weights, counts = pooled(np.add, sums, 0.0), pooled(np.add, self._counts, 0.0)
        return PooledRows(high * unit, low * unit, weights, counts)

    def take_in(self, other: BinPool) -> None:
        """Pool what a walk over other keys brought; its sums are relative to the same reference."""
        first, last = other._touched
        if first >= last:
            return
        place = slice(first, last)
        self._unit = other._unit
        self._touched = min(self._touched[0], first), max(self._touched[1], last)
        np.maximum(self._high[place], other._high[place], out=self._high[place])
        np.minimum(self._low[place], other._low[place], out=self._low[place])
        if self._sums is not None and other._sums is not None:
            self._sums[place] += other._sums[place]
        if self._counts is not None and other._counts is not None:
            self._counts[place] += other._counts[place]

    def __getstate__(self) -> dict[str, Any]:
        """Give what travels: the bins that were touched."""
        place = slice(*self._touched)
        arrays = {name: getattr(self, name) for name in _COLUMNS}
        parts = {name: None if array is None else array[place] for name, array in arrays.items()}
        return {**self.__dict__, **parts, "shape": self._high.shape}

    def __setstate__(self, state: dict[str, Any]) -> None:
        shape = state.pop("shape")
        for name, empty in _COLUMNS.items():
            if state[name] is not None:
                whole = np.full(shape, empty, np.float32)
                whole[slice(*state["_touched"])] = state[name]
                state[name] = whole
        self.__dict__.update(state)

    def _put_logarithms(
        self, scores: FloatArray, top: FloatArray, total: FloatArray, out: FloatArray
    ) -> None:
        """Write the logarithms of the weights of scores (…, rows) to ``out``; −∞ for a score of −∞."""
        scaled = scores if self._unit != 1 else np.divide(scores, self._divisor, out=out)
        np.subtract(scaled, np.where(np.isneginf(top), np.float32(0), top), out=out)
        np.minimum(out, np.float32(0), out=out)  # the same sum in another order may come out above
        np.subtract(out, np.log(np.where(total > 0, total, np.float32(1))), out=out)

    def _within(self, block: KeyBlock) -> tuple[Rows, slice | None]:
        """Give the block's keys in the region, and where in the block they are; None: there are none."""
        first, last = max(block.keys[0], self._first), min(block.keys[1], self._last)
        if first >= last:
            return (first, first), None
        return (first, last), slice(first - block.keys[0], last - block.keys[0])

    def _count(self, keys: Rows, hidden: NDArray[np.bool_] | None, n_rows: int) -> None:
        if self._counts is not None:
            shape = (keys[1] - keys[0], n_rows)
            seen = np.ones(shape, np.float32) if hidden is None else (~hidden).astype(np.float32)
            self._merge(np.add, seen, keys, self._counts)

    def _merge(self, how: np.ufunc, values: FloatArray, keys: Rows, into: FloatArray) -> None:
        """Merge values (keys, rows) into the bins (columns, rows) they belong to."""
        height = self._height
        first, last = keys[0] - self._first, keys[1] - self._first
        bin_, end = first // height, min(last, -(-first // height) * height)
        if first < end:  # what is left of a bin that was begun
            into[bin_] = how(into[bin_], how.reduce(values[: end - first], axis=0))
        start = end - first
        n_whole = (last - end) // height
        if n_whole:
            whole = values[start : start + n_whole * height]
            if height > 1:
                whole = _pooled(how, whole.reshape(n_whole, height, -1))
            bins = into[end // height : end // height + n_whole]
            how(bins, whole, out=bins)
        rest = values[start + n_whole * height :]
        if len(rest) and end < last:
            bin_ = end // height + n_whole
            into[bin_] = how(into[bin_], how.reduce(rest, axis=0))


def _pooled(how: np.ufunc, bins: FloatArray) -> FloatArray:
    """Pool (bins, keys, rows) to (bins, rows).

    Where there are few rows, several keys are taken as one long row first: numpy is fast along memory alone.
    """
    n_bins, n_keys, n_rows = bins.shape
    fold = 1
    while fold * n_rows < _LONG_ROW and n_keys % (4 * fold) == 0:
        fold *= 2
    if fold > 1:
        bins = how.reduce(bins.reshape(n_bins, n_keys // fold, fold * n_rows), axis=1)
    pooled: FloatArray = how.reduce(bins.reshape(n_bins, -1, n_rows), axis=1)
    return pooled


def as_computed_again(top: FloatArray, highest: FloatArray) -> FloatArray:
    """Give each row's maximum as another product rounds it, where ``highest`` of what was looked at is that.

    The last bits of a sum depend on how it was cut; a key of nearly all weight would else miss some of it.
    """
    both = np.isfinite(top) & np.isfinite(highest)
    apart = np.subtract(top, highest, out=np.full_like(top, np.inf), where=both)
    is_same = np.abs(apart) <= _ROUNDING * (np.float32(1) + np.abs(np.where(both, top, np.float32(0))))
    return np.where(is_same, highest, top)
