"""What comes from the device to the host: the pictures of a region, but for what an earlier answer has.

An unchanged block is the very same array as before; a block with a few changed rows or columns is a copy with
these fetched; any other is fetched whole.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attnviz.core.masks import NoMask
from attnviz.core.request import Request
from attnviz.core.stages import Stages
from attnviz.engine.blocks import FloatArray, Problem, Rows
from attnviz.engine.buffers import Buffers
from attnviz.engine.changes import Changes
from attnviz.engine.layout import Layout
from attnviz.engine.mask_on_device import MaskArgument
from attnviz.engine.pooling import Pooling
from attnviz.engine.region_pass import Block, Pictures, block_of, comparable, pictures_of
from attnviz.engine.spans import spans_of
from attnviz.engine.squares import Square
from attnviz.engine.staging import Downloads

_MOST_SPANS = 4  # copies of rows or columns that are quicker than one of all between them


class Fetching:
    """Fills the blocks of one region and the arrays with an entry per row.

    Attributes
    ----------
    wanted
        Indices of the blocks of which an earlier answer lacks something.
    """

    def __init__(
        self,
        request: Request,
        layout: Layout,
        previous: Stages | None,
        buffers: Buffers,
        downloads: Downloads,
        pooling: Pooling,
    ) -> None:
        self._problem = problem = Problem.of(request.inputs, request.region.head)
        self._layout, self._buffers, self._downloads, self._pooling = layout, buffers, downloads, pooling
        self._region = request.region
        self._mixes = request.region.queries == (0, len(problem.q))
        self._old = old = comparable(previous, request, layout, self._mixes)
        self._changes: Changes | None = None
        if old is not None:
            self._changes = Changes.between(Problem.of(old.request.inputs, old.request.region.head), problem)
        self._blocks: list[Block | None] = [self._kept(index) for index in range(len(layout.rows))]
        self.wanted = [index for index, block in enumerate(self._blocks) if block is None]
        self._pooled_from = 0
        self._to_divide: list[tuple[FloatArray, FloatArray]] = []
        self._start_rows()

    def _kept(self, index: int) -> Block | None:
        """Give an earlier block where nothing of it, nor of its rows' output, can have changed."""
        changes, rows = self._changes, self._layout.rows[index]
        if changes is None or not changes.keep_scores(rows) or changes.is_rescaled or changes.is_remasked:
            return None
        return self._earlier_block(index) if self._keeps_values(rows) else None

    def _keeps_values(self, rows: Rows) -> bool:
        return self._changes is not None and (
            not self._mixes or self._changes.keep_values(self._problem, rows)
        )

    def _start_rows(self) -> None:
        """Start the arrays with one entry per row from the earlier answer, as far as there is one."""
        n_rows, d_v = self._layout.n_rows, self._problem.v.shape[1]
        old = self._old if self._changes is not None else None
        self._output: FloatArray | None = None
        if old is None:
            self._statistics = np.empty((2, n_rows), np.float32)
            self._output = np.empty((n_rows, d_v), np.float32) if self._mixes else None
            return
        if self._mixes:
            self._output = old.head_outputs[old.request.region.head]
        if not self.wanted:
            self._top, self._total = old.row_max, old.row_sum
            return
        self._statistics = np.stack([old.row_max, old.row_sum])
        if self._output is not None:
            fits = self._output.shape == (n_rows, d_v)
            # Rows that see no value are not fetched: their output is 0.
            self._output = self._output.copy() if fits else np.zeros((n_rows, d_v), np.float32)

    # Fetching ------------------------------------------------------------------------------------------

    def pool(self, indices: Sequence[int], square: Square, mask: MaskArgument) -> None:
        """Pool what ``fetch`` will want of some blocks in rising order, where pictures are pooled."""
        if self._layout.bins == (1, 1):
            return
        self._pooled_from = self._layout.rows[indices[0]][0]
        rows = (self._pooled_from - square.rows[0], self._layout.rows[indices[-1]][1] - square.rows[0])
        self._pooling.run(square, mask, rows, self._region.keys, self._layout.bins)

    def fetch(self, index: int, square: Square) -> None:
        """Ask for what is wanted of a block; it is there once the downloads have landed."""
        changes, rows = self._changes, self._layout.rows[index]
        keeps_weights = changes is not None and changes.keep_weights(self._problem, rows)
        if self._layout.is_dense:
            self._blocks[index] = self._dense(index, square, keeps_weights)
        elif changes is not None and keeps_weights and changes.keep_scores(rows):
            self._blocks[index] = self._earlier_block(index)
        else:
            self._blocks[index] = (
                self._cut(rows, square) if self._layout.bins == (1, 1) else self._pooled(rows)
            )
        few = self._few_rows(rows) if changes is not None and self._only_q_changed else None
        if not keeps_weights:
            for span in few or [rows]:
                place = slice(span[0] - self._region.queries[0], span[1] - self._region.queries[0])
                address = square.row_max + 4 * (span[0] - square.rows[0])
                self._downloads.copy(self._statistics[:, place], address, pitch=4 * square.n_rows)
        if self._output is not None and not (keeps_weights and self._keeps_values(rows)):
            for span in few if few is not None and self._keeps_values(rows) else [rows]:
                address = square.output + 4 * (span[0] - square.rows[0]) * square.d_v
                self._downloads.copy(self._output[slice(*span)], address)

    @property
    def _only_q_changed(self) -> bool:
        changes = self._changes
        return changes is not None and not (changes.k.size or changes.is_rescaled or changes.is_remasked)

    def _few_rows(self, rows: Rows) -> list[Rows] | None:
        """Give the changed queries of a block as ranges, None where they are many."""
        assert self._changes is not None
        own = self._changes.q_within(rows)
        return None if own.size * 4 > rows[1] - rows[0] else spans_of(own, _MOST_SPANS)

    def _few_keys(self) -> list[Rows] | None:
        assert self._changes is not None
        keys = self._changes.k
        return None if keys.size * 4 > self._problem.n_key else spans_of(keys, _MOST_SPANS)

    def _dense(self, index: int, square: Square, keeps_weights: bool) -> Block:
        """Fetch a block that holds every key, or what has changed of it."""
        changes, rows = self._changes, self._layout.rows[index]
        hides = not isinstance(self._problem.mask, NoMask)
        if changes is None:
            scores, scaled, weights = (
                self._whole(stage, rows, square) for stage in ("scores", "scaled", "weights")
            )
            masked = self._whole("masked", rows, square) if hides else scaled
            return scores, scaled, masked, weights
        old = self._earlier_block(index)
        few_rows, few_keys = self._few_rows(rows), self._few_keys()
        scores = old[0]
        if not changes.keep_scores(rows):
            scores = self._patched("scores", rows, square, old[0], few_rows, few_keys)
        scaled = old[1]
        if changes.is_rescaled:
            scaled = self._whole("scaled", rows, square)
        elif scores is not old[0]:
            scaled = self._patched("scaled", rows, square, old[1], few_rows, few_keys)
        masked = scaled if not hides else old[2]
        if hides and not keeps_weights:
            if changes.is_rescaled or changes.is_remasked:
                masked = self._whole("masked", rows, square)
            else:
                masked = self._patched("masked", rows, square, old[2], few_rows, few_keys)
        weights = old[3]
        if not keeps_weights:
            few = few_rows if self._only_q_changed else None
            weights = self._patched("weights", rows, square, old[3], few, [])
        return scores, scaled, masked, weights

    def _whole(self, stage: str, rows: Rows, square: Square) -> FloatArray:
        block = self._buffers.empty(rows[1] - rows[0], square.n_keys)
        self._downloads.copy(block, square.stage(stage, rows[0] - square.rows[0]))
        return block

    def _patched(
        self,
        stage: str,
        rows: Rows,
        square: Square,
        old: FloatArray,
        few_rows: list[Rows] | None,
        few_keys: list[Rows] | None,
    ) -> FloatArray:
        """Copy a block and fetch what has changed of it; None: too much, so that all of it is fetched."""
        if few_rows is None or few_keys is None:
            return self._whole(stage, rows, square)
        block = self._buffers.empty(*old.shape)
        np.copyto(block, old)
        base = square.rows[0]
        for first, last in few_rows:
            self._downloads.copy(block[first - rows[0] : last - rows[0]], square.stage(stage, first - base))
        for first, last in few_keys:
            address = square.stage(stage, rows[0] - base, first)
            self._downloads.copy(block[:, first:last], address, pitch=4 * square.n_keys)
        return block

    def _cut(self, rows: Rows, square: Square) -> Block:
        """Fetch a block of some keys."""
        first, last = self._region.keys
        parts = []
        for stage in ("scores", "scaled", "masked", "weights"):
            part = np.empty((rows[1] - rows[0], last - first), np.float32)
            address = square.stage(stage, rows[0] - square.rows[0], first)
            self._downloads.copy(part, address, pitch=4 * square.n_keys)
            parts.append(part)
        return parts[0], parts[1], parts[2], parts[3]

    def _pooled(self, rows: Rows) -> Block:
        """Fetch a pooled block; scaled is divided on the host once the scores are there."""
        n_rows = -(-(rows[1] - rows[0]) // self._layout.bins[0])
        scores, weights = (np.empty((n_rows, self._pooling.columns), np.float32) for _ in range(2))
        of_scores, of_weights = self._pooling.addresses((rows[0] - self._pooled_from) // self._layout.bins[0])
        self._downloads.copy(scores, of_scores)
        self._downloads.copy(weights, of_weights)
        scaled = np.empty_like(scores)
        self._to_divide.append((scores, scaled))
        return scores, scaled, scaled, weights

    def _earlier_block(self, index: int) -> Block:
        assert self._old is not None
        return block_of(self._old, index)

    # Results ------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Do what is left on the host, once everything has landed."""
        for scores, scaled in self._to_divide:
            # Dividing keeps the order of values, and what is allowed is not touched by the mask.
            np.divide(scores, self._problem.divisor, out=scaled)
        self._to_divide.clear()
        if self.wanted:
            self._top, self._total = self._statistics
        for array in (self._top, self._total, *([] if self._output is None else [self._output])):
            array.flags.writeable = False
        for block in self._blocks:
            assert block is not None
            for stage in block:
                stage.flags.writeable = False

    def pictures(self) -> Pictures:
        """Give scores, scaled, masked and weights, once finished."""
        return pictures_of(self._blocks, self._layout)

    def statistics(self) -> tuple[FloatArray, FloatArray]:
        """Give the maximum of masked and the sum of exp(masked − maximum) of each row of the region."""
        return self._top, self._total

    def output(self) -> FloatArray | None:
        """Give the head's output where the region has all rows."""
        return self._output
