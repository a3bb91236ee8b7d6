"""What was computed: read-only pictures of the four stages, and any single cell.

Stages carry the request they answer, so that tokens and numbers can never be of different moments.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from attnviz.core.block_arrays import as_blocks, by_blocks, row_to_show
from attnviz.core.errors import AttnvizError, InputError
from attnviz.core.inputs import divisor
from attnviz.core.request import Request
from attnviz.core.row_sources import KEPT_BYTES
from attnviz.core.summaries import RowSummaries

FloatArray = NDArray[np.float32]

STAGE_NAMES = ("scores", "scaled", "masked", "weights")


@dataclass(frozen=True, eq=False)
class Picture:
    """One stage of a region as blocks of rows.

    Unchanged blocks are shared between one moment and the next.

    Attributes
    ----------
    blocks
        float32 arrays of shape (rows in block, columns), read-only; all but the last have ``block_rows``
        rows.
    block_rows
        Rows of each block.
    """

    blocks: tuple[FloatArray, ...]
    block_rows: int

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return sum(len(block) for block in self.blocks), int(self.blocks[0].shape[1])

    def array(self) -> FloatArray:
        """Give the picture as one array of shape (rows, columns); a copy unless there is one block."""
        return self.blocks[0] if len(self.blocks) == 1 else np.concatenate(self.blocks)

    def row(self, index: int) -> FloatArray:
        """Give one row, a read-only view of shape (columns,)."""
        row: FloatArray = self.blocks[index // self.block_rows][index % self.block_rows]
        return row

    def changed_blocks(self, previous: Picture | None) -> Iterator[tuple[int, FloatArray]]:
        """Give (first row, block) for each block that is not the very same array in ``previous``."""
        alike = (
            previous is not None and previous.shape == self.shape and previous.block_rows == self.block_rows
        )
        for index, block in enumerate(self.blocks):
            if not (alike and previous is not None and previous.blocks[index] is block):
                yield index * self.block_rows, block


@dataclass(frozen=True, eq=False)
class QueryRow:
    """One query's exact row.

    Attributes
    ----------
    query
        Token index from 0.
    scores, scaled, masked, weights, allowed
        (n_key,); allowed is bool.
    output
        Σ weight × v, (d_v,).
    """

    query: int
    scores: FloatArray
    scaled: FloatArray
    masked: FloatArray
    weights: FloatArray
    allowed: NDArray[np.bool_]
    output: FloatArray


@dataclass(frozen=True, eq=False)
class Thumbnail:
    """A head's weights at a glance.

    Attributes
    ----------
    picture
        float32 (rows, columns), 96 × 96 cells at most: the largest weight of those a cell stands for.
    row_entropy
        float32 (n_query,): −Σ w · log₂ w of every row, in bits; 0 where a row attends to one key or to none.
    output_norm
        Square root of the sum of squares of the head's whole output.
    """

    picture: FloatArray
    row_entropy: FloatArray
    output_norm: float

    @property
    def mean_entropy(self) -> float:
        """Mean of ``row_entropy`` in bits: 2 bits are as if every query looked at 4 keys alike."""
        return float(self.row_entropy.mean(dtype=np.float64))


@dataclass(frozen=True)
class Cell:
    """One query and key at all four stages; ``is_allowed`` is False where the mask hides the cell."""

    query: int
    key: int
    scores: float
    scaled: float
    masked: float
    weights: float
    is_allowed: bool


@dataclass(frozen=True, eq=False)
class Stages:
    """The answer to one Request. Immutable; may be read from any thread.

    Attributes
    ----------
    request
        What was asked.
    scores, scaled, masked, weights
        Pictures of the region. Before softmax hidden cells of ``masked`` hold the mask value. Where the
        region is pooled (``request.region.bins``), a bin with no allowed cell holds −∞ in the first three and
        0 in weights, whatever the mask value.
    row
        The selected query's exact row and output.
    row_max, row_sum
        float32 (rows of the region,): the maximum of masked over all keys, and the sum of exp(masked −
        maximum). A row with no key to attend to has −∞ and 0. NaN where a coarse answer did not need them.
    head_outputs
        float32 (n_query, d_v) by head index; the region's head is always there when the region has all rows,
        the others when ``HEAD_OUTPUTS`` was asked for.
    engine
        Name of the engine, for the status bar.
    seconds
        Time the engine took.
    is_partial
        True for an early answer that a full one follows.
    engine_note
        Why the engine that was chosen did not compute this answer; None where it did.
    output
        The layer's output, float32 (n_query, d_output), where ``OUTPUT`` was asked for; None else, and in a
        partial answer.
    thumbnails
        By head index where ``THUMBNAILS`` was asked for; empty else. A partial answer has those there are
        already, the region's head first.
    summaries
        What sums up each row, by head index: of the region's head where ``SUMMARIES`` was asked for, of all
        heads with ``THUMBNAILS``. A partial answer has those there are already.
    is_coarse
        True where rows of the pictures of a long document stand for sampled queries of their bins, not for
        all of them. ``row`` is exact all the same.
    """

    request: Request
    scores: Picture
    scaled: Picture
    masked: Picture
    weights: Picture
    row: QueryRow
    row_max: FloatArray
    row_sum: FloatArray
    head_outputs: Mapping[int, FloatArray] = field(default_factory=dict)
    engine: str = ""
    seconds: float = 0.0
    is_partial: bool = False
    engine_note: AttnvizError | None = None
    output: FloatArray | None = None
    thumbnails: Mapping[int, Thumbnail] = field(default_factory=dict)
    is_coarse: bool = False
    summaries: Mapping[int, RowSummaries] = field(default_factory=dict)

    def picture(self, stage: str) -> Picture:
        """Give the picture of ``scores``, ``scaled``, ``masked`` or ``weights``."""
        if stage not in STAGE_NAMES:
            raise KeyError(stage)
        return getattr(self, stage)  # type: ignore[no-any-return]

    def cell(self, query: int, key: int) -> Cell:
        """Give a cell's exact four values; costs O(d_k), or one row where its statistics are not known.

        Parameters
        ----------
        query, key
            Indices of tokens from 0, not of the picture's cells.
        """
        request = self.request
        region, inputs = request.region, request.inputs
        allowed = bool(inputs.allowed((query, query + 1), (key, key + 1))[0, 0])
        row, column = query - region.queries[0], key - region.keys[0]
        inside = (
            0 <= row < region.queries[1] - region.queries[0] and 0 <= column < region.keys[1] - region.keys[0]
        )
        if query == self.row.query:
            values = [float(getattr(self.row, stage)[key]) for stage in STAGE_NAMES]
            return Cell(query, key, values[0], values[1], values[2], values[3], allowed)
        if inside and region.bins == (1, 1) and not self.is_coarse:
            values = [float(self.picture(stage).row(row)[column]) for stage in STAGE_NAMES]
            return Cell(query, key, values[0], values[1], values[2], values[3], allowed)
        return self._computed_cell(query, key, allowed)

    def _computed_cell(self, query: int, key: int, allowed: bool) -> Cell:
        """Compute a cell that no picture holds, from q, k and the row's statistics, in float32."""
        request = self.request
        region, inputs = request.region, request.inputs
        head = inputs.heads[region.head]
        by = np.float32(divisor(head.d_k, inputs.scale_strength))
        fill = np.float32(inputs.mask_fill)
        q = row_to_show(head.q, query)
        score = np.float32(q @ row_to_show(head.k, key))
        scaled = score / by
        masked = scaled if allowed else fill
        top = total = math.nan
        if region.queries[0] <= query < region.queries[1]:
            top = float(self.row_max[query - region.queries[0]])
            total = float(self.row_sum[query - region.queries[0]])
        if math.isnan(top):  # outside the region, or not computed
            products = _products(head.k, q)
            row = np.where(inputs.allowed((query, query + 1))[0], products / by, fill)
            top = float(row.max())
            total = float(np.exp(row - np.float32(top)).sum()) if math.isfinite(top) else 0.0
        # The same sum in another order may come out above the row's maximum, by millions if scores are huge.
        above = min(float(masked) - top, 0.0)
        weight = math.exp(above) / total if total > 0.0 and math.isfinite(masked) else 0.0
        if math.isnan(top):
            # What it is a share of is not known; what is hidden has none of it.
            weight = 0.0 if masked == -math.inf else math.nan
        return Cell(query, key, float(score), float(scaled), float(masked), weight, allowed)


def _products(k: FloatArray, q: FloatArray) -> FloatArray:
    """Give k · q of every key, (n_key,); NaN where k cannot be read, or not while somebody waits."""
    try:
        blocks = as_blocks(k)
        if blocks is not None and (blocks.is_far or blocks.nbytes > KEPT_BYTES):
            return np.full(len(k), np.nan, np.float32)
        return np.concatenate([keys @ q for _, keys in by_blocks(k, 0, len(k))])
    except InputError:
        return np.full(len(k), np.nan, np.float32)
