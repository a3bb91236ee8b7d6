"""Which part of a long document is looked at, and in how many cells: what a request asks a picture of."""

from __future__ import annotations

from dataclasses import dataclass

from attnviz.core.inputs import Inputs
from attnviz.core.request import Pooling, Region

Range = tuple[int, int]

OVERVIEW_CELLS = (160, 160)
"""The most cells of the overview's picture."""


@dataclass(frozen=True)
class LookedAt:
    """A part of a matrix of n_query × n_key.

    Attributes
    ----------
    queries, keys
        Half-open ranges.
    max_cells
        The most (rows, columns) of its picture.
    """

    n_query: int
    n_key: int
    queries: Range
    keys: Range
    max_cells: tuple[int, int]

    @classmethod
    def whole(cls, inputs: Inputs, max_cells: tuple[int, int]) -> LookedAt:
        """Look at all of a document."""
        n_query, n_key = inputs.n_query, inputs.n_key
        return cls(n_query, n_key, (0, n_query), (0, n_key), max_cells)

    def fitted(self, inputs: Inputs) -> LookedAt:
        """Give what is looked at of another document: the same part, or all where it is of another size.

        A token more or less is an edit of the same document.
        """
        n_query, n_key = inputs.n_query, inputs.n_key
        if (n_query, n_key) == (self.n_query, self.n_key):
            return self
        if abs(n_query - self.n_query) > 1 or abs(n_key - self.n_key) > 1:
            return LookedAt.whole(inputs, self.max_cells)
        queries, keys = _moved(self.queries, self.n_query, n_query), _moved(self.keys, self.n_key, n_key)
        return LookedAt(n_query, n_key, queries, keys, self.max_cells)

    def region(self, head: int, pooling: Pooling) -> Region:
        """Give what an engine is asked for."""
        return Region(head, self.queries, self.keys, self.max_cells, pooling)


def _moved(part: Range, count: int, now: int) -> Range:
    """Give a range of an axis that has become a token longer or shorter: its end stays the end."""
    last = now if part[1] == count else min(part[1], now)
    return min(part[0], last - 1), last
