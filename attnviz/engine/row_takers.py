"""What a walk brings of rows beside pictures: mixes of values, and entropies."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from attnviz.core.block_arrays import by_blocks
from attnviz.core.seen_keys import SeenKeys
from attnviz.engine.blocks import FloatArray, Problem, Rows
from attnviz.engine.key_walk import Float64Array, KeyBlock, KeyWalk, WalkedRows

_NOTHING = np.float32(-104.0)  # exp of this and of all below is 0 in float32


class ValueMix:
    """A ``Taker`` of Σ weight × v of each row: the head's output. Sums are kept in float64."""

    needs_scaled = False

    def __init__(self, problem: Problem, n_rows: int) -> None:
        self._problem = problem
        self._sums = np.zeros((n_rows, problem.v.shape[1]))
        self._of_hidden: Float64Array | None = None
        if not problem.hides_wholly:
            self._of_hidden = np.zeros_like(self._sums)

    def see(self, block: KeyBlock) -> None:
        """Add up the values of hidden keys, which have weight at a finite mask value."""
        if self._of_hidden is not None and block.hidden is not None:
            self._of_hidden += block.hidden.T.astype(np.float32) @ self._problem.v[slice(*block.keys)]

    def add(self, block: KeyBlock, reference: Float64Array) -> None:
        """Add the values of the block's keys."""
        assert block.exponentials is not None
        self._sums += block.exponentials.T @ self._problem.v[slice(*block.keys)]

    def rescale(self, factor: Float64Array, rise: Float64Array) -> None:
        """Keep sums relative to the walk's reference."""
        self._sums *= factor[:, None]

    def finished(self, walk: KeyWalk, rows: WalkedRows) -> FloatArray:
        """Give float32 (rows, d_v), after a walk over all keys."""
        self.add_unseen(walk.seen, (0, len(self._problem.v)))
        return self.mixed(rows)

    def add_unseen(self, seen: SeenKeys, keys: Rows) -> None:
        """Add up the values of keys of a range that no row sees, which no block showed."""
        if self._of_hidden is None:
            return
        after = keys[0]
        for span in [*seen.spans(), (keys[1], keys[1])]:
            for _, values in by_blocks(self._problem.v, after, max(after, min(span[0], keys[1]))):
                self._of_hidden += values.sum(axis=0, dtype=np.float64)
            after = min(max(after, span[1]), keys[1])

    def mixed(self, rows: WalkedRows) -> FloatArray:
        """Give float32 (rows, d_v), once all keys have been added."""
        mixed = self._sums * rows.scale[:, None]
        if self._of_hidden is not None:
            mixed += self._of_hidden * rows.hidden_weight[:, None]
        return mixed.astype(np.float32)

    def take_in(self, other: ValueMix) -> None:
        """Add what a walk over other keys brought, relative to the same reference."""
        self._sums += other._sums
        if self._of_hidden is not None and other._of_hidden is not None:
            self._of_hidden += other._of_hidden

    def forget_values(self) -> None:
        """Keep the sums alone, which travel; nothing more can be added."""
        nothing = np.empty((0, self._sums.shape[1]), np.float32)
        self._problem = replace(self._problem, q=nothing, k=nothing, v=nothing)


class RowEntropy:
    """A ``Taker`` of −Σ w · log₂ w of each row."""

    needs_scaled = True

    def __init__(self, n_rows: int) -> None:
        self._sums, self._products = np.zeros(n_rows), np.zeros(n_rows)

    def see(self, block: KeyBlock) -> None:
        """Wait for exponentials."""

    def add(self, block: KeyBlock, reference: Float64Array) -> None:
        """Add Σ e and Σ e · (scaled − reference)."""
        assert block.scaled is not None
        assert block.exponentials is not None
        above = block.scaled - reference.astype(np.float32)
        np.maximum(above, _NOTHING, out=above)  # 0 · −∞ is 0 here
        self._products += np.einsum("kr,kr->r", above, block.exponentials)
        self._sums += np.ones(len(above), np.float32) @ block.exponentials

    def rescale(self, factor: Float64Array, rise: Float64Array) -> None:
        """Keep sums relative to the walk's reference."""
        self._products = (self._products - rise * self._sums) * factor
        self._sums *= factor

    def begin_with(self, sums: Float64Array, products: Float64Array) -> None:
        """Go on from Σ e and Σ e · (scaled − reference), which were found elsewhere."""
        self._sums, self._products = sums, products

    def take_in(self, other: RowEntropy) -> None:
        """Add what a walk over other keys brought, relative to the same reference."""
        self._sums += other._sums
        self._products += other._products

    def finished(self, rows: WalkedRows) -> FloatArray:
        """Give bits, float32 (rows,)."""
        scale = np.where(rows.scale > 0, rows.scale, 1.0)
        nats = rows.scale * (self._products + np.log(scale) * self._sums)
        each = np.where(rows.hidden_weight > 0, rows.hidden_weight, 1.0)
        nats += rows.n_hidden * rows.hidden_weight * np.log(each)
        return np.maximum(-nats / math.log(2.0), 0.0).astype(np.float32)
