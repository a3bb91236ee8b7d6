"""What is wanted of a head beside its pictures: its output, its thumbnail, and what sums up each row.

All of it is made of the head's weights, a block of rows at a time, so that the weights of a block are
computed once. Of an earlier answer, rows that cannot have changed are kept. Dense documents only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from attnviz.core.request import SUMMARIES, THUMBNAILS, Request
from attnviz.core.stages import Picture, Stages, Thumbnail
from attnviz.core.summaries import RowSummaries, place_of_first_query
from attnviz.engine import blocks
from attnviz.engine.blocks import FloatArray, IntArray, Problem, Rows
from attnviz.engine.changes import Changes, earlier_output
from attnviz.engine.layout import BLOCK_ROWS, blocks_of
from attnviz.engine.ready_vectors import ReadyVectors
from attnviz.engine.summary_rows import SummaryRows
from attnviz.engine.team import Job

LARGEST = 96
"""The most rows and columns of a thumbnail."""

Empty = Callable[[int, int], FloatArray]


@dataclass(frozen=True)
class _Wanted:
    """What is to be made of one block of rows; ``summed`` are the queries to sum up."""

    output: bool
    picture: bool
    summed: IntArray

    @property
    def rows(self) -> bool:
        """Whether all weights of the block are needed, and not those of the summed queries alone."""
        return self.output or self.picture


class HeadPass:
    """Computes one head: its jobs may run in any order and in any threads; then its parts can be had.

    Parameters
    ----------
    request, head
        Whose thumbnail and summaries are made as far as the request asks for them.
    previous
        An earlier answer.
    empty
        Gives an uninitialised float32 array of a shape.
    ready
        Where k and v made ready for their products are kept.
    mixes
        Make the output too.
    pictured
        Gives the head's weights where there is a picture of all of them, once the jobs run; None: they are
        computed.

    Attributes
    ----------
    work
        Size of what is left to compute in multiply-adds, roughly; 0 where an earlier answer holds everything.
    mixes, has_picture, has_sums
        What can be had: the output, the thumbnail, the summaries.
    """

    def __init__(
        self,
        request: Request,
        head: int,
        previous: Stages | None,
        empty: Empty = lambda rows, columns: np.empty((rows, columns), np.float32),
        ready: ReadyVectors | None = None,
        *,
        mixes: bool,
        pictured: Callable[[], Picture] | None = None,
    ) -> None:
        inputs = request.inputs
        self._problem = problem = Problem.of(inputs, head, ready)
        self._empty, self._pictured = empty, pictured
        self._n_query = len(problem.q)
        n_query, n_key = self._n_query, problem.n_key
        self._bins = (-(-n_query // LARGEST), -(-n_key // LARGEST))
        self.mixes = mixes
        self.has_picture = has_picture = THUMBNAILS in request.extras
        self.has_sums = has_sums = SUMMARIES in request.extras or has_picture
        if not has_picture and head != request.region.head:
            self.has_sums = has_sums = False
        mixed = earlier_output(previous, inputs, head) if mixes else None
        seen, sums, weighed = _earlier_glance(previous, request, head)
        self._known = seen
        of_output = None if mixed is None else Changes.between(mixed[1], problem)
        of_weights = None if weighed is None else Changes.between(weighed, problem)
        sums = None if of_weights is None else sums
        block_rows = BLOCK_ROWS
        if has_picture:
            block_rows = self._bins[0] * max(1, BLOCK_ROWS // self._bins[0])
        self._jobs: list[Job] = []
        self.work = n_whole = 0
        changed = [False, False, False]
        keeps_weights = of_weights is not None and of_weights.keep_all_weights
        keeps_glance = (keeps_weights and (seen or not has_picture) and sums) or not has_sums
        keeps_all = keeps_glance and (not mixes or _keeps_whole_output(of_output))
        # Most edits are of one head; the others are not looked at block by block.
        for rows in () if keeps_all else blocks_of((0, n_query), block_rows):
            wanted = _Wanted(
                mixes and not _keeps_output(of_output, problem, rows),
                has_picture and not (seen and of_weights and of_weights.keep_weights(problem, rows)),
                _to_sum_up(of_weights if sums else None, problem, rows) if has_sums else np.empty(0, np.intp),
            )
            if wanted.rows or wanted.summed.size:
                self._jobs.append(partial(self._block, rows, wanted))
                self.work += self._cost(rows, wanted)
                n_whole += wanted.rows
            for part, is_new in enumerate((wanted.output, wanted.picture, wanted.summed.size > 0)):
                changed[part] = changed[part] or is_new
        self._is_much = n_whole >= blocks.MANY_BLOCKS
        shape = (n_query, problem.v.shape[1])
        self._output = _begun(None if mixed is None else mixed[0], shape, changed[0])
        shape = (-(-n_query // self._bins[0]), -(-n_key // self._bins[1]))
        self._picture = _begun(None if seen is None else seen.picture, shape, changed[1])
        self._sums: SummaryRows | None = None
        self._known_sums = sums
        if has_sums and (changed[2] or sums is None):
            self._sums = SummaryRows(n_query, place_of_first_query(inputs), request.window, sums)

    def take_jobs(self) -> list[Job]:
        """Hand over what is left to compute, the longest jobs first; they hold this pass, not it them."""
        jobs, self._jobs = self._jobs[::-1], []
        return jobs

    def output(self) -> FloatArray:
        """Give float32 (n_query, d_v) once all jobs are done; the earlier one where nothing changed."""
        self._output.flags.writeable = False
        return self._output

    def summaries(self) -> RowSummaries:
        """Give the summaries once all jobs are done; the earlier ones where nothing changed."""
        if self._sums is not None:
            self._known_sums, self._sums = self._sums.finished(), None
        assert self._known_sums is not None, "they were not asked for"
        return self._known_sums

    def thumbnail(self, output: FloatArray, earlier_output: FloatArray | None = None) -> Thumbnail:
        """Give the thumbnail once all jobs are done; the earlier one where nothing changed.

        Parameters
        ----------
        output
            The head's whole output, for its norm.
        earlier_output
            That of the earlier answer.
        """
        known = self._known
        if known is not None and output is earlier_output:
            norm = known.output_norm
        else:
            norm = math.sqrt(np.square(output, dtype=np.float64).sum())
        if known is not None and known.picture is self._picture and known.output_norm == norm:
            return known
        self._picture.flags.writeable = False
        self._known = Thumbnail(self._picture, self.summaries().entropy, norm)
        return self._known

    def _cost(self, rows: Rows, wanted: _Wanted) -> int:
        height = rows[1] - rows[0] if wanted.rows else wanted.summed.size
        dims = 8 if self._pictured is not None else self._problem.q.shape[1]
        dims += self._problem.v.shape[1] if wanted.output else 0
        return int(height) * self._problem.n_key * dims

    # What runs in any thread-----------------------------------------------------------------------------

    def _block(self, rows: Rows, wanted: _Wanted) -> None:
        if not wanted.rows:
            self._sum_up(wanted.summed, self._weights_of(wanted.summed, rows))
            return
        weights = self._weights(rows)
        if wanted.output:
            self._problem.mix(weights, self._output[slice(*rows)], often=self._is_much)
        if wanted.picture:
            self._pool(rows, weights)
        if wanted.summed.size == rows[1] - rows[0]:
            self._sum_up(wanted.summed, weights)
        elif wanted.summed.size:
            self._sum_up(wanted.summed, weights[wanted.summed - rows[0]])

    def _weights(self, rows: Rows) -> FloatArray:
        """Give the weights of a block, (rows, keys that can have any)."""
        problem = self._problem
        if self._pictured is None:
            return blocks.weights_of(problem, rows, self._empty, often=self._is_much)
        return rows_of(self._pictured(), rows)[:, : problem.reach(problem.hidden(rows))]

    def _weights_of(self, queries: IntArray, rows: Rows) -> FloatArray:
        """Give the weights of some queries of a block."""
        problem, hidden = self._problem, self._problem.hidden(rows)
        if self._pictured is not None:
            picture = self._pictured()
            return np.stack([picture.row(query) for query in queries.tolist()])
        reach = problem.reach(hidden)
        weights = problem.q[queries] @ problem.k[:reach].T
        blocks.scale(weights, problem.divisor, weights)
        blocks.apply_mask(weights, hidden.of_rows(queries - rows[0]), problem.fill, weights)
        blocks.softmax(weights, reach, weights)
        return weights

    def _sum_up(self, queries: IntArray, weights: FloatArray) -> None:
        assert self._sums is not None
        self._sums.take(queries, weights)

    def _pool(self, rows: Rows, weights: FloatArray) -> None:
        """Keep the largest weight of each bin."""
        down, across = self._bins
        if not weights.shape[1]:
            self._picture[rows[0] // down : -(-rows[1] // down)] = 0
            return
        # Rows first: a maximum of whole rows is many times as fast as one within rows.
        by_query = np.stack(
            [weights[first : first + down].max(axis=0) for first in range(0, len(weights), down)]
        )
        pooled = np.maximum.reduceat(by_query, np.arange(0, weights.shape[1], across), axis=1)
        first = rows[0] // down
        self._picture[first : first + len(pooled), : pooled.shape[1]] = pooled
        self._picture[first : first + len(pooled), pooled.shape[1] :] = 0


def with_glances(stages: Stages, heads: Mapping[int, HeadPass], previous: Stages | None) -> Stages:
    """Give an answer that holds the outputs of some heads with their thumbnails and summaries too.

    Parameters
    ----------
    heads
        Those heads; their jobs are done.
    previous
        The earlier answer.
    """
    known = {} if previous is None else previous.head_outputs
    thumbnails = {
        head: each.thumbnail(stages.head_outputs[head], known.get(head))
        for head, each in heads.items()
        if each.has_picture
    }
    summaries = {head: each.summaries() for head, each in heads.items() if each.has_sums}
    return replace(stages, thumbnails=thumbnails, summaries=summaries) if heads else stages


def rows_of(picture: Picture, rows: Rows) -> FloatArray:
    """Give a half-open range of a picture's rows, a view where they lie in one block."""
    height = picture.block_rows
    first, last = rows[0] // height, (rows[1] - 1) // height
    parts = [
        picture.blocks[index][max(rows[0] - index * height, 0) : rows[1] - index * height]
        for index in range(first, last + 1)
    ]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _keeps_output(changes: Changes | None, problem: Problem, rows: Rows) -> bool:
    return changes is not None and changes.keep_weights(problem, rows) and changes.keep_values(problem, rows)


def _keeps_whole_output(changes: Changes | None) -> bool:
    return changes is not None and changes.keep_all_weights and not changes.v.size


def _to_sum_up(changes: Changes | None, problem: Problem, rows: Rows) -> IntArray:
    """Give the queries of a block whose weights may be others than before."""
    if changes is None:
        return np.arange(*rows)
    if changes.keep_weights(problem, rows):
        return np.empty(0, np.intp)
    only_q = not (changes.is_rescaled or changes.is_remasked)
    only_q = only_q and (changes.k.size == 0 or problem.hidden(rows).hides_all(changes.k))
    return changes.q_within(rows) if only_q else np.arange(*rows)


def _begun(earlier: FloatArray | None, shape: tuple[int, int], has_changed: bool) -> FloatArray:
    """Give the array to fill: the earlier one, or a copy where some of it will be others."""
    if earlier is None or earlier.shape != shape:
        return np.zeros(shape, np.float32)  # blocks that see no value are not mixed anew
    return earlier.copy() if has_changed else earlier


def _earlier_glance(
    previous: Stages | None, request: Request, head: int
) -> tuple[Thumbnail | None, RowSummaries | None, Problem | None]:
    """Find the thumbnail and the summaries of a head in an earlier answer, and the problem they answer.

    They are those of the very same vectors, wherever their head was, or else of the head in this place.
    """
    if previous is None:
        return None, None, None
    was, now = previous.request, request.inputs.heads[head]
    heads: list[Any] = list(was.inputs.heads)
    same = [place for place, old in enumerate(heads) if old.q is now.q and old.k is now.k]
    for place in (head, *same) if head in same else (*same, head):
        thumbnail, sums = previous.thumbnails.get(place), previous.summaries.get(place)
        if place < len(heads) and (thumbnail is not None or sums is not None):
            alike = (
                sums is not None
                and sums.window == request.window
                and place_of_first_query(was.inputs) == place_of_first_query(request.inputs)
            )
            return thumbnail, sums if alike else None, Problem.of(was.inputs, place)
    return None, None, None
