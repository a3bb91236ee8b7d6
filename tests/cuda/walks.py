"""Walks of long documents over a case's first head: what their kernels are given, and what comes out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.cuda.attention import ARRAY, CAUSAL, Array, Case


@dataclass(frozen=True)
class Walk:
    """Some rows of a case, in any order, and the slices of keys they walk along."""

    case: Case
    rows: Array
    slices: Array

    @property
    def sizes(self) -> tuple[int, int]:
        """(R, D)."""
        return len(self.rows), self.case.q.shape[2]

    def visible(self) -> Array:
        """bool (R, n_key): which keys the rows see."""
        return self.case.visible()[self.rows]

    def seen(self) -> tuple[Array | None, Array | None, Array | None, tuple[int, int, int]]:
        """The mask as kernels are told of it: ranges, hidden keys, allowed, and the three sizes.

        Masks of positions come as two ranges; one key is hidden from all rows where there is no mask. Of an
        array come the keys that are walked along, from the second on.
        """
        n_key, n_rows = self.case.sizes[2], len(self.rows)
        if self.case.kind == ARRAY:
            first, last = int(self.slices.min(initial=0)), int(self.slices.max(initial=0))
            part = np.ascontiguousarray(self.visible()[:, first:last]).astype(np.uint8)
            return None, None, part, (0, first, last - first)
        ranges = np.zeros((2, 2, n_rows), np.int32)
        ends = self.rows + self.case.first_row + 1 if self.case.kind == CAUSAL else np.full(n_rows, n_key)
        ranges[0, 1] = np.minimum(ends, 3)
        ranges[1, 0], ranges[1, 1] = np.minimum(ends, 3), ends
        return ranges, None, None, (2, 0, 0)


def walk(case: Case, rows: Array, *cuts: int) -> Walk:
    """A walk of some rows along all keys, in slices that end at some of them."""
    edges = np.array([0, *cuts, case.sizes[2]], np.int32)
    return Walk(case, np.asarray(rows, np.int32), np.stack([edges[:-1], edges[1:]], axis=1))


def statistics(scaled: Array, visible: Array) -> tuple[Array, Array, Array]:
    """top, total and weighted of rows, from what they see of scaled scores, in float64."""
    masked = np.where(visible, scaled.astype(np.float64), -np.inf)
    top = masked.max(axis=1, initial=-np.inf)
    below = np.where(visible, masked - np.where(np.isfinite(top), top, 0.0)[:, None], -np.inf)
    e = np.exp(below)
    return top, e.sum(axis=1), (e * np.where(visible, below, 0.0)).sum(axis=1)


def joined(tops: Array, totals: Array, weighted: Array) -> tuple[Array, Array, Array]:
    """The same of all slices, (slices, rows) each, in float64."""
    tops, totals, weighted = (part.astype(np.float64) for part in (tops, totals, weighted))
    top = tops.max(axis=0)
    fall = np.where(np.isfinite(tops), tops - np.where(np.isfinite(top), top, 0.0), 0.0)
    factor = np.exp(fall)
    return top, (totals * factor).sum(axis=0), ((weighted + fall * totals) * factor).sum(axis=0)
