"""One stage as a picture of uint8 indices: levels from the allowed cells, changed rows only, pooled to fit.

No colour and no Qt here: colormaps.py says what an index looks like.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attnviz.core.stages import Picture
from attnviz.gui.colormaps import (
    CENTRE,
    HIDDEN,
    Indices,
    diverging_index,
    diverging_indices,
    weight_index,
    weight_indices,
)

Range = tuple[float, float]


class AllowedCells:
    """Which cells may be attended, bool (n_query, n_key), ready for fast arithmetic."""

    def __init__(self, allowed: NDArray[np.bool_]) -> None:
        self.array = allowed
        self.all = bool(allowed.all())
        self.ones = allowed.view(np.uint8)
        # Adding is four times as fast as choosing by np.where.
        self.penalty = np.where(allowed, np.float32(0), np.float32(-np.inf))


class StagePicture:
    """Keeps one stage as indices from one moment to the next.

    Attributes
    ----------
    level
        The value at the end of the map.

    Parameters
    ----------
    is_diverging
        True for scores, scaled and masked (centred on 0), False for weights (from 0).
    hides
        Whether cells that may not be attended are shown as hidden.
    """

    def __init__(self, *, is_diverging: bool, hides: bool) -> None:
        self.is_diverging, self.hides = is_diverging, hides
        self._hides_now = hides
        self.indices: Indices = np.zeros((0, 0), np.uint8)
        self.range: Range = (0.0, 0.0)
        self.has_range = False
        self._picture: Picture | None = None
        self._allowed: AllowedCells | None = None
        self._block_ranges: list[Range | None] = []
        self.level = 0.0
        self._pooled: dict[tuple[int, int], Indices] = {}

    def update(
        self,
        picture: Picture,
        allowed: AllowedCells,
        level: float | None = None,
        like: StagePicture | None = None,
        *,
        least: float = 0.0,
        is_pooled: bool = False,
    ) -> None:
        """Take over a new picture.

        Parameters
        ----------
        picture
            The numbers, (rows, columns). −∞ stands for a cell of a pooled picture whose cells are all hidden.
        allowed
            The very same object as before where it has not changed.
        level
            The value at the end of the map; None: the largest magnitude among the allowed cells.
        like
            A picture with the same allowed cells, whose range is taken over.
        least
            The map ends there or beyond.
        is_pooled
            Cells stand for several of the matrix: those that stand for none that is allowed are hidden.
        """
        hides = self.hides or is_pooled
        fresh = self._picture is None or self.indices.shape != picture.shape or allowed is not self._allowed
        fresh = fresh or hides != self._hides_now
        self._hides_now = hides
        changed = list(picture.changed_blocks(None if fresh else self._picture))
        if fresh:
            self.indices = np.zeros(picture.shape, np.uint8)
            self._block_ranges = [None] * len(picture.blocks)
            self._pooled.clear()
        if like is None:
            for first, block in changed:
                self._block_ranges[first // picture.block_rows] = _range(block, first, allowed)
            known = [pair for pair in self._block_ranges if pair is not None]
            self.has_range = bool(known)
            self.range = (
                (min(pair[0] for pair in known), max(pair[1] for pair in known)) if known else (0.0, 0.0)
            )
        else:
            self.has_range, self.range = like.has_range, like.range
        wanted = max(abs(self.range[0]), abs(self.range[1]), least) if level is None else level
        if wanted != self.level:
            self.level = wanted
            changed = list(picture.changed_blocks(None))
        self._picture, self._allowed = picture, allowed
        for first, block in changed:
            self._quantise(first, block, allowed)

    def pooled(self, rows: int, columns: int) -> Indices:
        """Give the indices with ``rows`` × ``columns`` cells made one.

        The cell furthest from 0 stands for its block; a block without any allowed cell is hidden.
        """
        if rows <= 1 and columns <= 1:
            return self.indices
        pooled = self._pooled.get((rows, columns))
        if pooled is None:
            self._pooled.clear()  # one size of screen at a time
            pooled = self._pooled[rows, columns] = self._pool(self.indices, rows, columns)
        return pooled

    def indices_of(self, *values: float) -> list[int]:
        """Give the indices of numbers at the present level, HIDDEN excluded."""
        index_of = diverging_index if self.is_diverging else weight_index
        return [index_of(value, self.level) for value in values]

    def _quantise(self, first: int, block: NDArray[np.float32], allowed: AllowedCells) -> None:
        quantise = diverging_indices if self.is_diverging else weight_indices
        indices = quantise(block, self.level)
        rows = slice(first, first + len(block))
        if self._hides_now and not allowed.all:
            np.multiply(indices, allowed.ones[rows], out=indices)  # HIDDEN is 0
        self.indices[rows] = indices
        for (down, across), pooled in self._pooled.items():
            begin, end = first // down, -(-(first + len(block)) // down)
            pooled[begin:end] = self._pool(self.indices[begin * down : end * down], down, across)

    def _pool(self, indices: Indices, down: int, across: int) -> Indices:
        highest = _reduced(np.maximum, indices, down, across)
        if not self.is_diverging:
            return highest
        # Less one, HIDDEN wraps round to 255 and so loses against every value when the least is sought.
        lowest = _reduced(np.minimum, indices - np.uint8(1), down, across) + np.uint8(1)
        above = np.where(highest > CENTRE, highest - np.uint8(CENTRE), np.uint8(0))
        below = np.where((lowest < CENTRE) & (lowest != HIDDEN), np.uint8(CENTRE) - lowest, np.uint8(0))
        return np.where((above >= below) | (highest == HIDDEN), highest, lowest)


def _range(block: NDArray[np.float32], first: int, allowed: AllowedCells) -> Range | None:
    """Give the least and the largest allowed value of a block; None where all are hidden."""
    if allowed.all:
        return float(block.min()), float(block.max())
    penalty = allowed.penalty[first : first + len(block)]
    high = float((block + penalty).max())
    if high == -np.inf:
        return None
    if float(block.min()) == -np.inf:  # a pooled picture says so itself where all is hidden
        return float(block.min(where=np.isfinite(block), initial=np.inf)), high
    return float((block - penalty).min()), high


def _reduced(reduce: np.ufunc, indices: Indices, down: int, across: int) -> Indices:
    """Reduce blocks of down × across cells, rows first: they are contiguous, and few are left for columns.

    Slices with a step are many times as fast here as ``reduceat``.
    """
    rows = indices[0::down].copy()
    for offset in range(1, down):
        more = indices[offset::down]
        reduce(rows[: len(more)], more, out=rows[: len(more)])
    result = rows[:, 0::across].copy()
    for offset in range(1, across):
        columns = rows[:, offset::across]
        reduce(result[:, : columns.shape[1]], columns, out=result[:, : columns.shape[1]])
    return result
