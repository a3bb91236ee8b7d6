"""Rows and keys as half-open ranges, which a copy or a launch can take at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attnviz.engine.blocks import IntArray, Rows


@dataclass(frozen=True, eq=False)
class Lines:
    """Rows or keys of a square: a half-open range, or a list of some in it.

    Attributes
    ----------
    first, last
        The range.
    listed
        Sorted indices; None: all of the range.
    """

    first: int
    last: int
    listed: IntArray | None = None

    @classmethod
    def of(cls, indices: IntArray) -> Lines:
        """Take sorted indices; those that follow each other need no list."""
        if indices.size == 0:
            return cls(0, 0)
        first, last = int(indices[0]), int(indices[-1]) + 1
        return cls(first, last, None if last - first == indices.size else indices)

    @property
    def count(self) -> int:
        """How many there are."""
        return self.last - self.first if self.listed is None else int(self.listed.size)


def spans_of(indices: IntArray, most: int) -> list[Rows]:
    """Cover sorted indices by the ranges they form, or by a single one where these are more than ``most``."""
    if indices.size == 0:
        return []
    ends = np.flatnonzero(np.diff(indices) > 1)
    if ends.size >= most:
        return [(int(indices[0]), int(indices[-1]) + 1)]
    firsts = [int(indices[0]), *(int(index) for index in indices[ends + 1])]
    lasts = [*(int(index) + 1 for index in indices[ends]), int(indices[-1]) + 1]
    return list(zip(firsts, lasts, strict=True))
