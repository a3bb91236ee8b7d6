"""Walks over a part of the keys, and how what several of them found becomes what one walk would have found.

What runs on other machines: functions of plain arrays, with numpy alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from attnviz.core.errors import InputError
from attnviz.core.magnitudes import first_outside
from attnviz.core.request import Region
from attnviz.core.seen_keys import SeenKeys
from attnviz.engine.bin_pool import BinPool, PooledRows
from attnviz.engine.blocks import FloatArray, IntArray, Problem, Rows
from attnviz.engine.key_walk import KeyWalk, PartSums, Taker, finished_rows, longest
from attnviz.engine.row_takers import RowEntropy, ValueMix


@dataclass(frozen=True, eq=False)
class PooledRegion:
    """A picture that rows are pooled for: which of the walk's rows, and where its own rows begin in them."""

    region: Region
    places: IntArray
    starts: IntArray


@dataclass(frozen=True, eq=False)
class Wish:
    """What is wanted of some rows of a head.

    Attributes
    ----------
    problem
        The head; its arrays may be excerpts.
    rows
        Sorted queries.
    pools
        Pictures they are pooled for.
    mixes, sums
        Their output is wanted; their entropy is.
    """

    problem: Problem
    rows: IntArray
    pools: tuple[PooledRegion, ...]
    mixes: bool
    sums: bool


@dataclass(frozen=True, eq=False)
class FoundRows:
    """What was found: top and total (rows,), output (rows, d_v) and bits (rows,) or None, pooled rows."""

    top: FloatArray
    total: FloatArray
    mixed: FloatArray | None
    bits: FloatArray | None
    pooled: tuple[PooledRows, ...]


@dataclass(frozen=True, eq=False)
class PartFound:
    """What a walk over a part of the keys found, not yet put on the rows' maxima."""

    sums: PartSums
    pools: tuple[BinPool, ...]
    mix: ValueMix | None
    entropy: RowEntropy | None


@dataclass(frozen=True, eq=False)
class Excerpt:
    """Some rows of an array of more, asked for by their places in the whole.

    Attributes
    ----------
    held
        float32 (places, dims).
    places
        Sorted.
    shape
        Of the whole.
    """

    held: FloatArray
    places: IntArray
    shape: tuple[int, int]

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> FloatArray:
        if isinstance(index, slice):
            first, last, _ = index.indices(len(self))
            rows = self.held[slice(*np.searchsorted(self.places, (first, last)))]
        else:
            rows = self.held[np.searchsorted(self.places, index)]
        return rows


def walk_part(wish: Wish, q: FloatArray, k: FloatArray, v: FloatArray | None, keys: Rows) -> PartFound:
    """Walk the rows over a half-open range of keys.

    Parameters
    ----------
    wish
        Its problem has no arrays of its own but their shapes.
    q
        float32 (rows, d_k).
    k, v
        float32 (keys, …); v only where an output is wanted.
    """
    shapes, places = wish.problem, np.arange(*keys)
    problem = replace(
        shapes,
        q=cast(FloatArray, Excerpt(q, wish.rows, shapes.q.shape)),
        k=cast(FloatArray, Excerpt(k, places, shapes.k.shape)),
        v=cast(FloatArray, shapes.v if v is None else Excerpt(v, places, shapes.v.shape)),
    )
    n_rows = len(wish.rows)
    pools = tuple(BinPool(problem, each.region, n_rows) for each in wish.pools)
    mix = ValueMix(problem, n_rows) if wish.mixes else None
    entropy = RowEntropy(n_rows) if wish.sums else None
    takers: list[Taker] = [taker for taker in (*pools, mix, entropy) if taker is not None]
    aligned = (wish.pools[0].region.keys[0], wish.pools[0].region.bins[1]) if pools else (0, 1)
    walk = KeyWalk(problem, wish.rows, longest(k), lambda share: True, aligned)
    sums = walk.walk_part(takers, keys)
    assert sums is not None  # nobody stops it
    if mix is not None:
        mix.add_unseen(walk.seen, keys)
        mix.forget_values()
    return PartFound(sums, pools, mix, entropy)


def join_parts(wish: Wish, parts: Sequence[PartFound]) -> FoundRows:
    """Give what one walk over the keys of all parts would have found."""
    n_rows, problem = len(wish.rows), wish.problem
    top = np.full(n_rows, -np.inf, np.float32)
    reference = np.full(n_rows, -np.inf)
    for part in parts:
        np.maximum(top, part.sums.top, out=top)
        sees = ~np.isneginf(part.sums.top)
        reference[sees] = np.maximum(reference, part.sums.reference)[sees]
    reference[np.isneginf(reference)] = 0.0
    total = np.zeros(n_rows)
    first = parts[0]
    for part in parts:
        rise = np.where(np.isneginf(part.sums.top), 0.0, reference - part.sums.reference)
        factor = np.exp(-rise)
        total += part.sums.total * factor
        for taker in (*part.pools, part.mix, part.entropy):
            if taker is not None:
                taker.rescale(factor, rise)
        if part is first:
            continue
        for mine, theirs in zip(first.pools, part.pools, strict=True):
            mine.take_in(theirs)
        if first.mix is not None and part.mix is not None:
            first.mix.take_in(part.mix)
        if first.entropy is not None and part.entropy is not None:
            first.entropy.take_in(part.entropy)
    seen = SeenKeys.of(problem.mask, wish.rows, len(problem.q), problem.n_key)
    walked = finished_rows(problem, seen, PartSums(top, total, reference))
    return FoundRows(
        walked.top,
        walked.total,
        None if first.mix is None else first.mix.mixed(walked),
        None if first.entropy is None else first.entropy.finished(walked),
        tuple(
            pool.finished(each.places, each.starts, walked.top, walked.total, walked.scale)
            for pool, each in zip(first.pools, wish.pools, strict=True)
        ),
    )


def gather(parts: Sequence[tuple[FloatArray, Any, str, int]], dims: int) -> FloatArray:
    """Put rows of several pieces below each other, float32 (rows, dims).

    Parameters
    ----------
    parts
        (rows that are there, which of them are wanted, name, row of the whole that the first of them is).

    Raises
    ------
    InputError
        When a number among them is not finite or over 1e6; its place is named.
    """
    taken = []
    for rows, wanted, name, first in parts:
        own = np.asarray(rows)[wanted]
        place = first_outside(own) if own.size else None
        if place is not None:
            at = np.arange(len(rows))[wanted][place[0]]
            raise InputError(
                "{what} holds {got} at token {token}, dimension {dim}; "
                "finite numbers of magnitude up to 1e6 are wanted.",
                what=name,
                got=own[place],
                token=first + int(at),
                dim=place[1],
            )
        taken.append(own.astype(np.float32))
    return np.concatenate(taken) if taken else np.empty((0, dims), np.float32)


def products_of(q: FloatArray, k: FloatArray) -> FloatArray:
    """Give q @ k.T, float32 (rows of q, rows of k)."""
    products: FloatArray = q @ k.T
    return products


def mixture_of(weights: FloatArray, v: FloatArray) -> FloatArray:
    """Give weights @ v, float32 (rows, d_v)."""
    mixed: FloatArray = weights @ v
    return mixed
