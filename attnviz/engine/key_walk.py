"""Some rows of one head, a block of keys at a time: what a long document's rows need, and never the square.

The numbers of a block lie with the keys down and the rows across: pooling, sums and maxima over keys then run
along memory. Who wants something of a row takes it as the walk passes by.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from attnviz.core.block_arrays import as_blocks
from attnviz.core.seen_keys import SeenKeys
from attnviz.engine.blocks import FloatArray, IntArray, Problem, Rows

Float64Array = NDArray[np.float64]

BLOCK_CELLS = 512 * 512
"""Cells of a block, keys × rows: 1 MB, which stays in a core's own cache."""

# Where no scaled score can be further from 0, exponentials are taken as they are: e⁶⁰ times a million keys is
# far from float32's largest, e⁻⁶⁰ far from its smallest, and nothing has to be subtracted.
_SAFE = 60.0


@dataclass(eq=False)
class KeyBlock:
    """A block of keys as seen by the rows of a walk; its arrays are used again for the next one.

    Attributes
    ----------
    keys
        Half-open range.
    scores
        float32 (keys, rows), hidden cells among them. Scores are this times ``unit``.
    unit
        1, or √d_k · scale strength where that is a power of two: q was divided by it beforehand then, which
        changes no bit, and ``scores`` are scaled already.
    hidden
        bool (keys, rows), True = hidden; None: none is.
    scaled
        float32 (keys, rows), −∞ where hidden. Only in ``Taker.add`` and only for takers that ask for it.
    exponentials
        exp(scaled − reference), float32 (keys, rows), 0 where hidden. Only in ``Taker.add``.
    """

    keys: Rows
    scores: FloatArray
    unit: np.float32
    hidden: NDArray[np.bool_] | None = None
    scaled: FloatArray | None = None
    exponentials: FloatArray | None = None


class Taker(Protocol):
    """Takes what it wants of each block; all sums it keeps are relative to the walk's reference."""

    needs_scaled: bool
    """Whether ``add`` wants ``KeyBlock.scaled`` too."""

    def see(self, block: KeyBlock) -> None:
        """Look at scores before hidden cells are set to −∞ and anything is divided."""
        ...

    def add(self, block: KeyBlock, reference: Float64Array) -> None:
        """Add what the block's exponentials bring; ``reference`` (rows,) is what was subtracted."""
        ...

    def rescale(self, factor: Float64Array, rise: Float64Array) -> None:
        """Multiply each row's sums by ``factor`` = exp(−rise), since its reference rose by ``rise``."""
        ...


@dataclass(frozen=True, eq=False)
class WalkedRows:
    """What a walk over all keys learnt of its rows, hidden keys at a finite mask value included.

    Attributes
    ----------
    top
        float32 (rows,): the maximum of masked, −∞ where a row sees nothing.
    total
        float32 (rows,): the sum of exp(masked − top), 0 where a row sees nothing.
    scale
        float64 (rows,): what a taker's sums are multiplied with to be weights: exp(reference − top) / total.
    n_hidden
        (rows,): how many keys each row does not see, 0 at a mask value of −∞.
    hidden_weight
        float64 (rows,): the weight of each of them.
    """

    top: FloatArray
    total: FloatArray
    scale: Float64Array
    n_hidden: IntArray
    hidden_weight: Float64Array


@dataclass(frozen=True, eq=False)
class PartSums:
    """What a walk over some keys learnt of its rows, hidden keys at a finite mask value not yet among them.

    Attributes
    ----------
    top
        float32 (rows,): the largest scaled score that is seen, −∞ where none is.
    total
        float64 (rows,): the sum of exp(scaled − reference).
    reference
        float64 (rows,).
    """

    top: FloatArray
    total: Float64Array
    reference: Float64Array


class KeyWalk:
    """A walk of some rows over the keys they can see.

    Parameters
    ----------
    problem
        The head.
    rows
        Sorted queries.
    longest_key
        The largest length of a row of k, |k|.
    go_on
        Asked before each block, with its share of multiply-adds; its no ends the walk.
    aligned
        The key that bins of a picture begin at, and how many each has: whole bins are pooled faster.
    """

    def __init__(
        self,
        problem: Problem,
        rows: IntArray,
        longest_key: float,
        go_on: Callable[[int], bool],
        aligned: tuple[int, int] = (0, 1),
    ) -> None:
        self._problem, self._rows, self._go_on = problem, rows, go_on
        self._longest_key = longest_key
        most = max(1, BLOCK_CELLS // len(rows))
        blocks = as_blocks(problem.k)
        if blocks is not None:  # of few rows and many dimensions that would be many megabytes
            most = min(most, blocks.block_rows)
        self._origin, bin_keys = aligned
        self._height = bin_keys * (most // bin_keys) if bin_keys <= most else most
        self.seen = SeenKeys.of(problem.mask, rows, len(problem.q), problem.n_key)
        self._q, self._unit = unit_queries(problem, rows)
        self._divisor = problem.divisor if self._unit == 1 else np.float32(1)

    def look(self, keys: Rows, takers: Sequence[Taker]) -> bool:
        """Show takers the scores of a range of keys, and no more; False where the walk was ended."""
        return self.look_until(keys, takers) == keys[1]

    def look_until(self, keys: Rows, takers: Sequence[Taker]) -> int:
        """Do the same, and give the first key that was not shown: from there another walk may go on."""
        room = self._room()
        for span in self._blocks(keys):
            if not self._go_on(self._cost(span, 1)):
                return span[0]
            block = self._block(span, room)
            for taker in takers:
                taker.see(block)
        return keys[1]

    def walk(self, takers: Sequence[Taker]) -> WalkedRows | None:
        """Pass all keys by the takers, and give the rows' statistics; None where the walk was ended."""
        sums = self.walk_part(takers, (0, self._problem.n_key))
        return None if sums is None else finished_rows(self._problem, self.seen, sums)

    def walk_part(self, takers: Sequence[Taker], keys: Rows) -> PartSums | None:
        """Pass a range of keys by the takers, and give the rows' sums; None where the walk was ended."""
        n_rows = len(self._rows)
        room = self._room()
        spare = self._room() if any(taker.needs_scaled for taker in takers) else None
        top = np.full(n_rows, -math.inf, np.float32)
        total = np.zeros(n_rows)
        reference = np.zeros(n_rows)
        is_safe = self._is_safe()
        for span in self._blocks(keys):
            if not self._go_on(self._cost(span, 2)):
                return None
            block = self._block(span, room)
            for taker in takers:
                taker.see(block)
            scaled = block.scores
            if self._divisor != 1:
                np.divide(scaled, self._divisor, out=scaled)
            if block.hidden is not None:
                np.copyto(scaled, np.float32(-math.inf), where=block.hidden)
            highest = scaled.max(axis=0)
            if not is_safe:
                self._raise(reference, top, highest, total, takers)
            np.maximum(top, highest, out=top)
            exponentials = scaled
            if spare is not None:
                block.scaled, exponentials = scaled, spare[: scaled.size].reshape(scaled.shape)
            if is_safe:
                np.exp(scaled, out=exponentials)
            else:
                np.subtract(scaled, reference.astype(np.float32), out=exponentials)
                np.exp(exponentials, out=exponentials)
            block.exponentials = exponentials
            total += np.ones(len(exponentials), np.float32) @ exponentials
            for taker in takers:
                taker.add(block, reference)
        return PartSums(top, total, reference)

    def _is_safe(self) -> bool:
        """Say whether no scaled score of these rows can be far from 0 (Cauchy and Schwarz)."""
        return longest(self._q) * self._longest_key / float(self._divisor) <= _SAFE

    def _raise(
        self,
        reference: Float64Array,
        top: FloatArray,
        highest: FloatArray,
        total: Float64Array,
        takers: Sequence[Taker],
    ) -> None:
        """Let the reference of each row be its maximum so far; 0 where it has seen nothing yet."""
        now = np.maximum(top, highest).astype(np.float64)
        now[now == -math.inf] = 0.0
        is_first = np.isneginf(top)
        rise = np.where(is_first, 0.0, now - reference)
        if rise.any():
            factor = np.exp(-rise)
            total *= factor
            for taker in takers:
                taker.rescale(factor, rise)
        reference[:] = now

    def _blocks(self, keys: Rows) -> list[Rows]:
        """Cut what the rows see of a range of keys into blocks, all beginning where they are aligned."""
        origin, height = self._origin, self._height
        blocks = []
        for first, last in self.seen.spans():
            first, last = max(first, keys[0]), min(last, keys[1])
            for start in range(first - (first - origin) % height, last, height):
                blocks.append((max(first, start), min(start + height, last)))
        return [block for block in blocks if block[0] < block[1]]

    def _room(self) -> FloatArray:
        return np.empty(min(self._height, self._problem.n_key) * len(self._rows), np.float32)

    def _block(self, keys: Rows, room: FloatArray) -> KeyBlock:
        shape = (keys[1] - keys[0], len(self._rows))
        scores = room[: shape[0] * shape[1]].reshape(shape)
        np.matmul(self._problem.k[slice(*keys)], self._q.T, out=scores)
        return KeyBlock(keys, scores, self._unit, self.seen.hidden(keys))

    def _cost(self, keys: Rows, passes: int) -> int:
        return (keys[1] - keys[0]) * len(self._rows) * (int(self._q.shape[1]) + passes * 16)


def finished_rows(problem: Problem, seen: SeenKeys, sums: PartSums) -> WalkedRows:
    """Bring in hidden keys at a finite mask value, and put the sums of all keys on the rows' maxima."""
    top, reference = sums.top, sums.reference
    fill = float(problem.fill)
    own = top.astype(np.float64)
    is_finite = math.isfinite(fill)
    n_hidden = problem.n_key - seen.count() if is_finite else np.zeros(len(top), np.intp)
    highest = np.where(n_hidden > 0, np.maximum(own, fill), own)
    is_empty = np.isneginf(highest)
    base = np.where(is_empty, 0.0, highest)
    shift = np.exp(np.where(np.isneginf(own), -math.inf, reference - base))
    of_hidden = np.exp(np.where(n_hidden > 0, fill - base, -math.inf))
    whole = sums.total * shift + n_hidden * of_hidden
    np.maximum(whole, 1.0, out=whole, where=~is_empty)  # the highest alone brings 1, whatever was rounded
    per = np.divide(1.0, whole, out=np.zeros_like(whole), where=whole > 0)
    statistics = (highest.astype(np.float32), whole.astype(np.float32))
    return WalkedRows(*statistics, shift * per, n_hidden, of_hidden * per)


def unit_queries(problem: Problem, rows: IntArray) -> tuple[FloatArray, np.float32]:
    """Give rows of q, divided where the divisor is a power of two, and what they were divided by."""
    first, last = int(rows[0]), int(rows[-1]) + 1
    is_range = last - first == len(rows)
    q = problem.q[first:last] if is_range else problem.q[rows]
    by = problem.divisor
    if math.frexp(float(by))[0] != 0.5 or by == 1:
        return q, np.float32(1)
    return q / by, by


def longest(vectors: FloatArray) -> float:
    """Give the largest length of a row of vectors (rows, dims)."""
    return float(np.sqrt(np.einsum("id,id->i", vectors, vectors).max()))
