"""Pictures of one region of a long document while they are being filled, kept from one answer to the next."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attnviz.core.request import Region
from attnviz.core.stages import Picture
from attnviz.engine.bin_pool import PooledRows
from attnviz.engine.blocks import FloatArray, IntArray, Problem, Rows
from attnviz.engine.edited_row import EditedRow
from attnviz.engine.region_pass import Block, Pictures

BLOCK_ROWS = 64
"""Picture rows of a block: what did not change between two answers is shared block by block."""

NOTHING, COPIED, SAMPLED, EXACT = 0, 1, 2, 3
"""What a row of a picture shows: nothing, a row nearby, what a sampled query brings, or what all do."""


class KeptPictures:
    """Scores and weights of a region, and how far each row of the pictures is true.

    Parameters
    ----------
    region
        What they show.

    Attributes
    ----------
    bins
        Queries and keys a cell stands for.
    state
        uint8 (rows of the picture,): NOTHING, COPIED, SAMPLED or EXACT.
    shape
        (rows, columns).
    edited
        The row of which one query changed last, where a row has more than one; None: all or none did.
    """

    def __init__(self, region: Region) -> None:
        self.region = region
        self.bins = region.bins
        n_rows = -(-(region.queries[1] - region.queries[0]) // self.bins[0])
        n_columns = -(-(region.keys[1] - region.keys[0]) // self.bins[1])
        self.shape = n_rows, n_columns
        self.state = np.zeros(n_rows, np.uint8)
        self.edited: EditedRow | None = None
        self._scores = np.zeros(self.shape, np.float32)
        self._weights = np.zeros(self.shape, np.float32)
        self._begun: dict[int, tuple[PooledRows, int]] = {}
        self._blocks: list[Block | None] = [None] * -(-n_rows // BLOCK_ROWS)

    @property
    def is_pooled(self) -> bool:
        """Whether a cell stands for more than one."""
        return self.bins != (1, 1)

    def queries_of(self, row: int) -> Rows:
        """Give the half-open range of queries that a row of the picture stands for."""
        first = self.region.queries[0] + row * self.bins[0]
        return first, min(first + self.bins[0], self.region.queries[1])

    def rows_of(self, queries: IntArray) -> IntArray:
        """Give the rows of the picture that queries of the region belong to."""
        return (queries - self.region.queries[0]) // self.bins[0]

    def beginning(self, n_rows: int, was: tuple[int, int], now: tuple[int, int]) -> KeptPictures | None:
        """Give pictures of a document of other tokens, true in the rows that some of the first are.

        Parameters
        ----------
        n_rows
            So many of the first queries stay as they are.
        was, now
            Number of queries and keys before and now.

        Returns
        -------
        KeptPictures or None
            None where their cells would be others.
        """
        if not self.is_pooled:  # hidden scores are shown too
            return None
        region = self.region
        ends = zip((region.queries, region.keys), was, now, strict=True)
        queries, keys = ((part[0], new if part[1] == old else part[1]) for part, old, new in ends)
        if queries[1] > now[0] or keys[1] > now[1]:
            return None
        other = KeptPictures(replace(region, queries=queries, keys=keys))
        if other.bins != self.bins or other.shape[1] != self.shape[1]:
            return None
        count = max(0, n_rows - queries[0]) // self.bins[0]
        if not count:
            return None
        for mine, its in (
            (self._scores, other._scores),
            (self._weights, other._weights),
            (self.state, other.state),
        ):
            its[:count] = mine[:count]
        return other

    def forget(self, touched: NDArray[np.bool_]) -> None:
        """Forget rows of which some queries changed; bool (n_query,)."""
        own = touched[slice(*self.region.queries)]
        if own.any():
            starts = np.arange(0, len(own), self.bins[0])
            self.state[np.logical_or.reduceat(own, starts)] = NOTHING
            self._follow_edit(touched)
        self._begun.clear()

    def drop_begun(self) -> None:
        """Forget rows that only some of their queries have come for."""
        self._begun.clear()

    def put_rows(self, rows: IntArray, counts: IntArray, pooled: PooledRows) -> None:
        """Put what some queries bring of pooled rows; a row is true once all its queries have come.

        Parameters
        ----------
        rows
            Rows of the picture.
        counts
            How many queries came of each.
        """
        first, last = self.region.queries
        sizes = np.minimum(first + (rows + 1) * self.bins[0], last) - (first + rows * self.bins[0])
        whole = counts == sizes
        scores, weights = pooled.scores(), pooled.shares()
        self._put(rows[whole], scores[whole], weights[whole], EXACT)
        for index in np.flatnonzero(~whole).tolist():
            row = int(rows[index])
            part = _part(pooled, index)
            came = int(counts[index])
            if row in self._begun:
                known, before = self._begun.pop(row)
                part, came = known.merged(part), came + before
            if came == int(sizes[index]):
                self._put(rows[index : index + 1], part.scores(), part.shares(), EXACT)
            else:
                self._begun[row] = part, came

    def put_sampled(self, rows: IntArray, scores: FloatArray, weights: FloatArray) -> None:
        """Put what one query brings of each row; where that is all its queries, it is true."""
        self._put(rows, scores, weights, EXACT if self.bins[0] == 1 else SAMPLED)

    def put_edited(self, edited: EditedRow) -> None:
        """Put the row of which all parts are found."""
        whole = edited.whole()
        self._put(np.array([edited.row]), whole.scores(), whole.shares(), EXACT)

    def put_cells(self, rows: IntArray, scores: FloatArray, weights: FloatArray) -> None:
        """Put exact rows."""
        self._put(rows, scores, weights, EXACT)

    def fill_gaps(self, *, anew: bool) -> None:
        """Let rows that hold nothing look like the nearest that holds something.

        With ``anew`` those that look like another do so too, for there are more to look like.
        """
        gaps = np.flatnonzero(self.state <= COPIED if anew else self.state == NOTHING)
        held = np.flatnonzero(self.state >= SAMPLED)
        if gaps.size and held.size:
            after = np.searchsorted(held, gaps)
            right, left = held[np.minimum(after, len(held) - 1)], held[np.maximum(after - 1, 0)]
            nearest = np.where(np.abs(right - gaps) < np.abs(gaps - left), right, left)
            self._put(gaps, self._scores[nearest], self._weights[nearest], COPIED)

    def pictures(self, problem: Problem) -> Pictures:
        """Give scores, scaled, masked and weights as they are now; blocks that did not change are shared."""
        for index, known in enumerate(self._blocks):
            if known is None:
                self._blocks[index] = self._block(problem, index)
        blocks = [block for block in self._blocks if block is not None]
        scores, scaled, masked, weights = (
            Picture(tuple(stage), BLOCK_ROWS) for stage in zip(*blocks, strict=True)
        )
        return scores, scaled, masked, weights

    def weights(self) -> FloatArray:
        """Give a copy of the weights, (rows, columns)."""
        return self._weights.copy()

    def _follow_edit(self, touched: NDArray[np.bool_]) -> None:
        """Keep the parts of a row while single queries of it change, one at a time."""
        first, last = self.region.queries
        if self.bins[0] == 1 or np.count_nonzero(touched[first:last]) > 1:
            self.edited = None
            return
        query = first + int(touched[first:last].argmax())
        row = (query - first) // self.bins[0]
        if self.edited is None or self.edited.row != row:
            self.edited = EditedRow(row, np.arange(*self.queries_of(row)))
        self.edited.set_apart(query)
        self.edited.forget(touched)

    def _block(self, problem: Problem, index: int) -> Block:
        place = slice(index * BLOCK_ROWS, (index + 1) * BLOCK_ROWS)
        scores, weights = self._scores[place].copy(), self._weights[place].copy()
        scaled = scores / problem.divisor
        masked = scaled
        if not self.is_pooled:
            first = self.region.queries[0] + index * BLOCK_ROWS
            rows, keys = (first, first + len(scores)), self.region.keys
            offset = problem.mask.offset(len(problem.q), problem.n_key)
            allowed = problem.mask.allowed(rows, keys, offset)
            if not allowed.all():
                masked = np.where(allowed, scaled, problem.fill)
        for stage in (scores, scaled, masked, weights):
            stage.flags.writeable = False
        return scores, scaled, masked, weights

    def _put(self, rows: IntArray, scores: FloatArray, weights: FloatArray, state: int) -> None:
        self._scores[rows], self._weights[rows] = scores, weights
        self.state[rows] = state
        for index in set((rows // BLOCK_ROWS).tolist()):
            self._blocks[index] = None


def _part(pooled: PooledRows, index: int) -> PooledRows:
    place = slice(index, index + 1)
    counts = None if pooled.counts is None else pooled.counts[place]
    return PooledRows(pooled.high[place], pooled.low[place], pooled.weights[place], counts)
