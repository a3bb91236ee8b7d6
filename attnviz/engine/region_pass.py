"""The pictures of a region, block by block, taking over from an earlier answer what cannot have changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from attnviz.core.request import Request
from attnviz.core.stages import Picture, Stages
from attnviz.engine import blocks
from attnviz.engine.blocks import FloatArray, Hidden, IntArray, Problem, Rows
from attnviz.engine.buffers import Buffers
from attnviz.engine.changes import Changes
from attnviz.engine.layout import Layout
from attnviz.engine.ready_vectors import ReadyVectors
from attnviz.engine.team import Job

Block = tuple[FloatArray, FloatArray, FloatArray, FloatArray]
"""One block of each picture: scores, scaled, masked, weights."""
Pictures = tuple[Picture, Picture, Picture, Picture]

# In multiply-adds. Below this patching a block saves nothing, and a whole block is the same to the last bit.
_ALWAYS_WHOLE = 2_000_000
_NO_WEIGHT = np.float32(0)
_EXP_COST = 32  # what mask and softmax of a cell cost, in multiply-adds


class RegionPass:
    """Computes one region: its jobs may run in any order and in any threads; then its parts can be had.

    Attributes
    ----------
    work
        Size of what is left to compute in multiply-adds, roughly; 0 where an earlier answer holds everything.
    """

    def __init__(
        self,
        request: Request,
        layout: Layout,
        previous: Stages | None,
        buffers: Buffers,
        ready: ReadyVectors | None = None,
    ) -> None:
        self._problem = Problem.of(request.inputs, request.region.head, ready)
        self._layout = layout
        self._buffers = buffers
        self._keys = request.region.keys
        self._base = request.region.queries[0]
        self._mixes = request.region.queries == (0, len(self._problem.q))
        self._old = comparable(previous, request, layout, self._mixes)
        self._changes = self._compare()
        self._blocks: list[Block | None] = [None] * len(layout.rows)
        self._cost = self._problem.n_key * (self._problem.q.shape[1] + self._problem.v.shape[1] + _EXP_COST)
        self.work = 0
        planned = [self._plan(index, rows) for index, rows in enumerate(layout.rows)]
        self._jobs = [job for job in planned if job is not None]
        self._is_much = len(self._jobs) >= blocks.MANY_BLOCKS
        self._take_over_rows()

    def take_jobs(self) -> list[Job]:
        """Hand over what is left to compute, the longest jobs first.

        Jobs hold this pass, so it must not hold them: memory in a cycle waits for the garbage collector.
        """
        jobs, self._jobs = self._jobs[::-1], []  # under a causal mask the last blocks take longest
        return jobs

    def _compare(self) -> Changes | None:
        if self._old is None:
            return None
        was = self._old.request
        changes = Changes.between(Problem.of(was.inputs, was.region.head), self._problem)
        if changes is None:
            self._old = None
        return changes

    def _take_over_rows(self) -> None:
        """Start the arrays with one entry per row from the earlier answer, as far as there is one."""
        n_rows, d_v = self._layout.n_rows, self._problem.v.shape[1]
        if self._old is None:
            self._top, self._total = np.empty(n_rows, np.float32), np.empty(n_rows, np.float32)
            self._output = np.empty((n_rows, d_v), np.float32) if self._mixes else None
            return
        self._top, self._total = self._old.row_max, self._old.row_sum
        self._output = self._old.head_outputs[self._old.request.region.head] if self._mixes else None
        if self._jobs:
            self._top, self._total = self._top.copy(), self._total.copy()
            if self._output is not None:
                fits = self._output.shape == (n_rows, d_v)
                # Blocks that see no value are not mixed anew: their output is 0.
                self._output = self._output.copy() if fits else np.zeros((n_rows, d_v), np.float32)

    # What each block needs-------------------------------------------------------------------------------

    def _plan(self, index: int, rows: Rows) -> Job | None:
        """Choose the cheapest way to a block; None: the earlier one stands as it is."""
        problem, changes, height = self._problem, self._changes, rows[1] - rows[0]
        cost = height * self._cost
        way: Callable[[int, Rows], None] = self._whole
        if changes is not None:
            own = changes.q_within(rows)
            same_scores = not (own.size or changes.k.size)
            same_pictures = same_scores and not (changes.is_rescaled or changes.is_remasked)
            same_values = not self._mixes or changes.keep_values(problem, rows)
            if same_pictures and same_values:
                self._blocks[index] = self._earlier_block(index)
                return None
            is_small = not same_scores and cost <= _ALWAYS_WHOLE
            is_much = own.size * 4 > height or changes.k.size * 4 > problem.n_key
            if self._layout.is_dense and same_pictures:
                way = self._mix
            elif self._layout.is_dense and not (is_small or is_much):
                only_q = not (changes.k.size or changes.is_rescaled or changes.is_remasked)
                way = partial(self._patch if only_q else self._rework, own, same_values)
                if only_q:
                    cost = own.size * self._cost + height * problem.n_key
        self.work += cost
        return partial(way, index, rows)

    # Ways to a block ----------------------------------------------------------------------------------------

    def _whole(self, index: int, rows: Rows) -> None:
        """Compute a block from q and k."""
        problem, hidden = self._problem, self._problem.hidden(rows)
        scores = self._buffers.empty(rows[1] - rows[0], problem.n_key)
        problem.multiply(rows, problem.n_key, scores, often=self._is_much)
        self._from_scores(index, rows, scores, hidden)

    def _patch(self, own: IntArray, same_values: bool, index: int, rows: Rows) -> None:
        """Compute a few rows of a block whose other rows stay."""
        problem, hidden, old = self._problem, self._problem.hidden(rows), self._earlier_block(index)
        local = own - rows[0]
        scores = problem.q[own] @ problem.k.T
        scaled = np.empty_like(scores)
        blocks.scale(scores, problem.divisor, scaled)
        masked = scaled if hidden.cells is None else np.empty_like(scores)
        blocks.apply_mask(scaled, hidden.of_rows(local), problem.fill, masked)
        weights = np.empty_like(scores)
        reach = problem.reach(hidden)
        self._top[own - self._base], self._total[own - self._base] = blocks.softmax(masked, reach, weights)
        new_scores = self._patched(old[0], local, scores)
        new_scaled = self._patched(old[1], local, scaled)
        new_masked = new_scaled
        if hidden.cells is not None:
            new_masked = self._patched(old[2], local, masked, hidden.seen, problem.fill)
        new_weights = self._patched(old[3], local, weights, reach)
        self._put(index, rows, (new_scores, new_scaled, new_masked, new_weights))
        if self._output is not None and same_values:
            self._output[own] = weights[:, :reach] @ problem.v[:reach]
        else:
            self._mix_values(rows, new_weights, hidden)

    def _rework(self, own: IntArray, same_values: bool, index: int, rows: Rows) -> None:
        """Keep the scores but for changed rows and columns, and pass over the block from there."""
        assert self._changes is not None
        problem, hidden, old = self._problem, self._problem.hidden(rows), self._earlier_block(index)
        keys, scores = self._changes.k, old[0]
        if own.size or keys.size:
            scores = self._patched(scores, own - rows[0], problem.q[own] @ problem.k.T)
            scores[:, keys] = problem.q[slice(*rows)] @ problem.k[keys].T
        if not self._changes.keep_weights(problem, rows):
            self._from_scores(index, rows, scores, hidden, old)
            return
        scaled = self._buffers.empty(*scores.shape)
        blocks.scale(scores, problem.divisor, scaled)
        self._put(index, rows, (scores, scaled, old[2], old[3]))
        if not same_values:
            self._mix_values(rows, old[3], hidden)

    def _mix(self, index: int, rows: Rows) -> None:
        """Mix other values by the weights there are."""
        block = self._blocks[index] = self._earlier_block(index)
        self._mix_values(rows, block[3], self._problem.hidden(rows))

    # Steps-----------------------------------------------------------------------------------------------

    def _from_scores(
        self, index: int, rows: Rows, scores: FloatArray, hidden: Hidden, old: Block | None = None
    ) -> None:
        """Scale, mask, softmax and mix a block; where it hides nothing, scaled and masked are one array."""
        problem, changes, shape = self._problem, self._changes, scores.shape
        if old is not None and changes is not None and scores is old[0] and not changes.is_rescaled:
            scaled = old[1]
        else:
            scaled = self._buffers.empty(*shape)
            blocks.scale(scores, problem.divisor, scaled)
        masked, reach, seen = scaled, problem.reach(hidden), hidden.seen
        if hidden.cells is not None:
            masked = self._buffers.lined(shape, seen, problem.fill)
            blocks.apply_mask(scaled[:, :seen], hidden, problem.fill, masked[:, :seen])
        weights = self._buffers.lined(shape, reach, _NO_WEIGHT)
        place = slice(rows[0] - self._base, rows[1] - self._base)
        self._top[place], self._total[place] = blocks.softmax(masked[:, :reach], reach, weights[:, :reach])
        self._mix_values(rows, weights, hidden)
        self._put(index, rows, (scores, scaled, masked, weights))

    def _mix_values(self, rows: Rows, weights: FloatArray, hidden: Hidden) -> None:
        if self._output is not None:
            reach = self._problem.reach(hidden)
            self._problem.mix(weights[:, :reach], self._output[slice(*rows)], often=self._is_much)

    def _patched(
        self,
        block: FloatArray,
        local: IntArray,
        part: FloatArray,
        seen: int | None = None,
        fill: np.float32 = _NO_WEIGHT,
    ) -> FloatArray:
        """Copy a block with some other rows; from column ``seen`` on it holds ``fill``, None: nowhere."""
        seen = block.shape[1] if seen is None else seen
        copy = self._buffers.lined((len(block), block.shape[1]), seen, fill)
        np.copyto(copy[:, :seen], block[:, :seen])
        copy[local, :seen] = part[:, :seen]
        return copy

    def _earlier_block(self, index: int) -> Block:
        assert self._old is not None
        return block_of(self._old, index)

    def _put(self, index: int, rows: Rows, block: Block) -> None:
        """Keep a block's pictures: as they are, cut to the region's keys, or pooled."""
        if not self._layout.is_dense:
            keys = slice(*self._keys)
            scores, scaled, masked, weights = (stage[:, keys] for stage in block)
            bins = self._layout.bins
            if bins == (1, 1):
                block = (scores.copy(), scaled.copy(), masked.copy(), weights.copy())
            else:
                hidden = ~self._problem.allowed(rows, self._keys)
                # Dividing keeps the order of values, and what is allowed is not touched by the mask.
                scores = blocks.pool_largest(scores, hidden, bins)
                scaled = scores / self._problem.divisor
                block = (scores, scaled, scaled, blocks.pool_maximum(weights, hidden, bins))
        for stage in block:
            stage.flags.writeable = False
        self._blocks[index] = block

    # Results---------------------------------------------------------------------------------------------

    def pictures(self) -> Pictures:
        """Give scores, scaled, masked and weights, once all jobs are done."""
        return pictures_of(self._blocks, self._layout)

    def statistics(self) -> tuple[FloatArray, FloatArray]:
        """Give the maximum of masked and the sum of exp(masked − maximum) of each row of the region."""
        for array in (self._top, self._total):
            array.flags.writeable = False
        return self._top, self._total

    def output(self) -> FloatArray | None:
        """Give the head's output where the region has all rows."""
        if self._output is not None:
            self._output.flags.writeable = False
        return self._output


def block_of(stages: Stages, index: int) -> Block:
    """Give a block of each picture of an answer."""
    scores, scaled = stages.scores.blocks[index], stages.scaled.blocks[index]
    return scores, scaled, stages.masked.blocks[index], stages.weights.blocks[index]


def pictures_of(computed: Sequence[Block | None], layout: Layout) -> Pictures:
    """Give scores, scaled, masked and weights of blocks in order, all of them done."""
    done = [block for block in computed if block is not None]
    height = layout.picture_block_rows
    scores, scaled, masked, weights = (Picture(tuple(stage), height) for stage in zip(*done, strict=True))
    return scores, scaled, masked, weights


def comparable(previous: Stages | None, request: Request, layout: Layout, mixes: bool) -> Stages | None:
    """Give the earlier answer where it shows the same region cut in the same way."""
    if previous is None:
        return None
    was, now = previous.request.region, request.region
    same = (was.queries, was.keys, was.max_cells) == (now.queries, now.keys, now.max_cells)
    before, after = previous.request.inputs, request.inputs
    same = same and (before.n_query, before.n_key) == (after.n_query, after.n_key)
    same = same and previous.scores.block_rows == layout.picture_block_rows
    return previous if same and (not mixes or was.head in previous.head_outputs) else None
