"""How a region is cut into blocks of rows."""

from __future__ import annotations

from dataclasses import dataclass

from attnviz.core.request import Region
from attnviz.engine.blocks import Rows

BLOCK_ROWS = 128


@dataclass(frozen=True)
class Layout:
    """The blocks of a region.

    Attributes
    ----------
    rows
        Half-open range of queries of each block.
    block_rows
        Queries in each block but the last: 128, or as many whole bins as come near it.
    bins
        Queries and keys per cell of a picture.
    is_dense
        True where pictures hold every key of every row, so that they are kept as they are computed.
    """

    rows: tuple[Rows, ...]
    block_rows: int
    bins: tuple[int, int]
    is_dense: bool

    @classmethod
    def of(cls, region: Region, n_key: int) -> Layout:
        """Cut a region of a head with n_key keys."""
        bins = region.bins
        block_rows = bins[0] * max(1, BLOCK_ROWS // bins[0])
        is_dense = bins == (1, 1) and region.keys == (0, n_key)
        return cls(blocks_of(region.queries, block_rows), block_rows, bins, is_dense)

    @property
    def n_rows(self) -> int:
        """Queries in the region."""
        return self.rows[-1][1] - self.rows[0][0]

    @property
    def picture_block_rows(self) -> int:
        """Rows of a picture in each block but the last."""
        return self.block_rows // self.bins[0]


def blocks_of(rows: Rows, block_rows: int = BLOCK_ROWS) -> tuple[Rows, ...]:
    """Cut a half-open range into ranges of ``block_rows``; the last may be shorter."""
    return tuple((first, min(first + block_rows, rows[1])) for first in range(rows[0], rows[1], block_rows))
