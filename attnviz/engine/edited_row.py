"""A row of a picture of which one query is edited: what each part of its queries brings to it.

A drag changes one query many times, and its row of the picture stands for hundreds of queries of a long text,
which bring what they brought before. What was found of them stays until they change themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from attnviz.engine.bin_pool import BinPool, PooledRows
from attnviz.engine.blocks import IntArray

PART_ROWS = 64
"""Queries of a part: many enough to be multiplied fast, few enough to be lost where one of them is edited."""


@dataclass(eq=False)
class Part:
    """Some queries of the row, and what they bring to it.

    Attributes
    ----------
    queries
        Sorted.
    pool
        What has seen the keys before ``reached``; None: nothing has been found, or everything.
    pooled
        What they bring, (1, columns); None: it is to be found.
    """

    queries: IntArray
    pool: BinPool | None = None
    reached: int = 0
    pooled: PooledRows | None = None


class EditedRow:
    """The queries of one row of a picture, in parts.

    Parameters
    ----------
    row
        Which row of the picture it is.
    queries
        All queries it stands for, sorted.

    Attributes
    ----------
    parts
        Each query is in one of them.
    """

    def __init__(self, row: int, queries: IntArray) -> None:
        self.row = row
        self.parts = [Part(part) for part in np.array_split(queries, -(-len(queries) // PART_ROWS))]

    def set_apart(self, query: int) -> None:
        """Let a query be a part of its own, as it is edited; what is known of the other parts stays."""
        index = next(place for place, part in enumerate(self.parts) if query in part.queries)
        queries = self.parts[index].queries
        if len(queries) > 1:
            self.parts[index : index + 1] = [Part(np.array([query])), Part(queries[queries != query])]

    def forget(self, touched: NDArray[np.bool_]) -> None:
        """Know nothing any more of parts of which a query changed; bool (n_query,)."""
        for part in self.parts:
            if touched[part.queries].any():
                part.pool = part.pooled = None

    def lacking(self) -> list[Part]:
        """Give the parts that are to be found."""
        return [part for part in self.parts if part.pooled is None]

    def whole(self) -> PooledRows:
        """Give what all parts bring, once each is found."""
        return reduce(PooledRows.merged, (part.pooled for part in self.parts if part.pooled is not None))
