"""Row statistics after a few keys changed: what they brought goes, what they bring comes.

A key's edit touches every row that sees it. Walking them all again costs the square; the difference costs two
products per row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnviz.core.block_arrays import as_blocks
from attnviz.core.seen_keys import SeenKeys
from attnviz.engine.blocks import FloatArray, IntArray, Problem

BoolArray = NDArray[np.bool_]
Float64Array = NDArray[np.float64]

_MOST_KEYS = 8  # each costs a pass over all rows; many are walked faster
_FARTHEST = 1.0  # units of float32's precision that rounding may add up to
_LARGEST = 60.0  # scaled scores beyond this are too inexact for differences of their exponentials
_NOISE = np.float32(1e-3)  # a score this near to its row's maximum may be the maximum


@dataclass(frozen=True, eq=False)
class Patched:
    """Row statistics after some keys changed.

    Attributes
    ----------
    top
        float32 (n_query,): the maximum of masked.
    total
        float64 (n_query,): the sum of exp(masked − top).
    drift
        float64 (n_query,): how far rounding may have moved total since it was summed, relative to it and in
        units of float32's precision.
    is_sure
        bool (n_query,): which rows are as good as new.
    """

    top: FloatArray
    total: Float64Array
    drift: Float64Array
    is_sure: BoolArray


def patch(
    old: Problem,
    new: Problem,
    keys: IntArray,
    is_known: BoolArray,
    top: FloatArray,
    total: Float64Array,
    drift: Float64Array,
) -> Patched | None:
    """Give each row's statistics after some keys changed; None where it would take as long as walking.

    Parameters
    ----------
    old, new
        They differ in these rows of k, and may differ in q and v.
    is_known
        bool (n_query,): the rows that are asked about.
    top, total, drift
        As in ``Patched``; of other rows, anything.

    Notes
    -----
    A row whose changed key was its maximum is not sure, since the next largest score is not known; nor is one
    that has drifted too far: the more of a sum is exchanged, and the larger its scores, the more of what is
    left is rounding.
    """
    if keys.size > _MOST_KEYS or as_blocks(new.q) is not None:
        return None
    n_query, rows = len(new.q), np.arange(len(new.q))
    top, total, drift = top.copy(), total.copy(), drift.copy()
    is_sure = is_known & np.isfinite(top) & (total > 0)
    seen = SeenKeys.of(new.mask, rows, n_query, new.n_key)
    for key in keys.tolist():
        own = np.flatnonzero(is_sure & seen.sees_any(np.array([key])))
        if not own.size:
            continue
        span = slice(int(own[0]), int(own[-1]) + 1)
        # Rows that follow each other are not copied.
        q = new.q[span] if span.stop - span.start == len(own) else new.q[own]
        pair = np.stack([old.k[key], new.k[key]])
        scaled = (q @ pair.T) / new.divisor
        is_near = (np.abs(scaled) > _LARGEST).any(axis=1) | (scaled[:, 0] > top[own] - _NOISE)
        is_sure[own[is_near]] = False
        changing = own[~is_near]
        lengths = (np.sqrt(np.einsum("id,id->i", q, q)) / new.divisor)[~is_near]
        before, after = scaled[~is_near].T.astype(np.float64)
        base = top[changing].astype(np.float64)
        highest = np.maximum(base, after)
        shift = np.exp(base - highest)
        gone, come = np.exp(before - highest), np.exp(after - highest)
        was = total[changing] * shift
        now = was - gone + come
        sizes = 1.0 + np.outer(lengths, np.sqrt(np.einsum("kd,kd->k", pair, pair)))
        is_much = now <= 0.5 * gone
        now[is_much] = 1.0
        moved = drift[changing] * was + gone * sizes[:, 0] + come * sizes[:, 1]
        total[changing], top[changing], drift[changing] = now, highest.astype(np.float32), moved / now
        is_sure[changing] &= ~is_much & (drift[changing] <= _FARTHEST)
    return Patched(top, total, drift, is_sure)
