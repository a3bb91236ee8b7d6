"""Which keys a few rows of a mask can see, as ranges: what a long document needs in place of the square.

A mask is asked for blocks of cells elsewhere; here it says beforehand where there is nothing to ask.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from attnviz.core.masks import CausalMask, CustomMask, Mask, NoMask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import PrefixMask, SinkMask, SlidingWindowMask

IntArray = NDArray[np.intp]
Range = tuple[int, int]

_NOBODY: IntArray = np.empty(0, np.intp)


@dataclass(frozen=True, eq=False)
class SeenKeys:
    """What some rows see of n_key keys.

    Attributes
    ----------
    n_key
        Number of keys.
    ranges
        A row sees the keys that are in one of its half-open ranges: pairs of arrays (rows,) with the first
        key of each row, and the one after the last. Ranges may be empty, overlap and run beyond the keys.
    hidden_keys
        Sorted keys that no row sees all the same.
    cells
        bool (rows, n_key) that decides alone, of a mask that is an array or of an unknown kind; else None.
    """

    n_key: int
    ranges: tuple[tuple[IntArray, IntArray], ...]
    hidden_keys: IntArray
    cells: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, mask: Mask, rows: IntArray, n_query: int, n_key: int) -> SeenKeys:
        """Ask a mask of n_query × n_key about some queries, sorted."""
        offset = mask.offset(n_query, n_key)
        places = rows + offset + 1
        start = np.zeros_like(places)
        if isinstance(mask, NoMask):
            return cls(n_key, ((start, np.full_like(places, n_key)),), _NOBODY)
        if isinstance(mask, CausalMask):
            return cls(n_key, ((start, places),), _NOBODY)
        if isinstance(mask, SlidingWindowMask):
            return cls(n_key, ((places - mask.width, places),), _NOBODY)
        if isinstance(mask, SinkMask):
            sinks = (start, np.minimum(places, mask.sinks))
            return cls(n_key, (sinks, (places - mask.width, places)), _NOBODY)
        if isinstance(mask, PrefixMask):
            return cls(n_key, ((start, np.maximum(places, mask.length)),), _NOBODY)
        if isinstance(mask, PaddingMask):
            last = places if mask.hides_future else np.full_like(places, n_key)
            return cls(n_key, ((start, last),), np.array(mask.tokens, np.intp))
        if isinstance(mask, CustomMask):
            return cls(n_key, (), _NOBODY, mask.array[rows])
        each = [mask.allowed((row, row + 1), (0, n_key), offset) for row in rows.tolist()]
        return cls(n_key, (), _NOBODY, np.concatenate(each))

    @cached_property
    def _by_all(self) -> tuple[Range, ...]:
        """What of each range every row sees."""
        return tuple((int(firsts.max()), int(lasts.min())) for firsts, lasts in self.ranges)

    def spans(self) -> list[Range]:
        """Give sorted ranges of keys, apart from each other, outside which no row sees any key."""
        if self.cells is not None:
            seen = np.flatnonzero(self.cells.any(axis=0))
            return [(int(seen[0]), int(seen[-1]) + 1)] if seen.size else []
        found: list[Range] = []
        for firsts, lasts in self.ranges:
            first, last = max(0, int(firsts.min())), min(self.n_key, int(lasts.max()))
            if first < last:
                found.append((first, last))
        joined: list[Range] = []
        for first, last in sorted(found):
            if joined and first <= joined[-1][1]:
                joined[-1] = (joined[-1][0], max(joined[-1][1], last))
            else:
                joined.append((first, last))
        return joined

    def hidden(self, keys: Range) -> NDArray[np.bool_] | None:
        """Give which cells of a half-open range of keys are hidden, bool (keys, rows); None: none is."""
        if self.cells is not None:
            cells = self.cells[:, slice(*keys)]
            return None if cells.all() else ~cells.T
        padding = self.hidden_keys
        if padding.size:
            padding = padding[slice(*np.searchsorted(padding, keys))]
        if not padding.size and any(first <= keys[0] and keys[1] <= last for first, last in self._by_all):
            return None
        index = np.arange(*keys)[:, None]
        hidden = np.ones((keys[1] - keys[0], len(self.ranges[0][0])), bool)
        for firsts, lasts in self.ranges:
            hidden &= (index < firsts[None, :]) | (index >= lasts[None, :])
        hidden[padding - keys[0]] = True
        return hidden

    def sees_any(self, keys: IntArray) -> NDArray[np.bool_]:
        """Give which rows see at least one of some sorted keys, bool (rows,)."""
        if self.cells is not None:
            return np.asarray(self.cells[:, keys].any(axis=1))
        keys = np.setdiff1d(keys, self.hidden_keys, assume_unique=True)
        seen = np.zeros(len(self.ranges[0][0]), bool)
        for firsts, lasts in self.ranges:
            begun, ended = np.searchsorted(keys, firsts), np.searchsorted(keys, lasts)
            seen |= np.asarray(begun < ended)
        return seen

    def count(self) -> IntArray:
        """Give how many keys each row sees, (rows,)."""
        if self.cells is not None:
            return np.asarray(self.cells.sum(axis=1), np.intp)
        counts = np.zeros(len(self.ranges[0][0]), np.intp)
        reached = np.zeros_like(counts)  # ranges are sorted by where they end
        for firsts, lasts in self.ranges:
            first = np.clip(np.maximum(firsts, reached), 0, self.n_key)
            last = np.clip(lasts, 0, self.n_key)
            counts += np.maximum(last - first, 0)
            if self.hidden_keys.size:
                within = np.searchsorted(self.hidden_keys, last) - np.searchsorted(self.hidden_keys, first)
                counts -= np.where(last > first, within, 0)
            reached = np.maximum(reached, last)
        return counts
