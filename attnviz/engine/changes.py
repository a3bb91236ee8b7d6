"""What differs between an earlier problem and the present one: all else an engine need not compute again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnviz.core.block_arrays import as_blocks
from attnviz.core.errors import InputError
from attnviz.core.inputs import Inputs
from attnviz.core.lineage import rows_between
from attnviz.core.row_sources import LostArrayError
from attnviz.core.stages import Stages
from attnviz.engine.blocks import FloatArray, IntArray, Problem, Rows
from attnviz.engine.layout import blocks_of

_NONE: IntArray = np.empty(0, np.intp)
_COMPARED_ROWS = 2048


@dataclass(frozen=True, eq=False)
class Changes:
    """Changed rows of q, k and v as sorted indices, and whether scale, mask or d_v are others."""

    q: IntArray
    k: IntArray
    v: IntArray
    is_rescaled: bool
    is_remasked: bool
    is_reshaped: bool

    @classmethod
    def between(cls, old: Problem, new: Problem) -> Changes | None:
        """Compare two problems; None where q or k differ in shape. The same array again costs nothing."""
        if old.q.shape != new.q.shape or old.k.shape != new.k.shape:
            return None
        v_rows = np.arange(len(new.v)) if old.v.shape != new.v.shape else changed_rows(old.v, new.v)
        is_remasked = (old.fill, old.offset) != (new.fill, new.offset) or not (
            old.mask is new.mask or old.mask.equals(new.mask)
        )
        return cls(
            changed_rows(old.q, new.q),
            changed_rows(old.k, new.k),
            v_rows,
            old.divisor != new.divisor,
            is_remasked,
            old.v.shape != new.v.shape,
        )

    @property
    def keep_all_weights(self) -> bool:
        """Whether all weights stay as they were."""
        return not (self.q.size or self.k.size or self.is_rescaled or self.is_remasked)

    def q_within(self, rows: Rows) -> IntArray:
        """Give the changed rows of q in a half-open range."""
        return self.q[slice(*np.searchsorted(self.q, rows))]

    def keep_scores(self, rows: Rows) -> bool:
        """Say whether scores of a block of rows stay as they were."""
        return self.k.size == 0 and self.q_within(rows).size == 0

    def keep_weights(self, problem: Problem, rows: Rows) -> bool:
        """Say whether masked scores and weights of a block of rows stay as they were."""
        if self.is_rescaled or self.is_remasked or self.q_within(rows).size:
            return False
        return self.k.size == 0 or problem.hidden(rows).hides_all(self.k)

    def keep_values(self, problem: Problem, rows: Rows) -> bool:
        """Say whether the values that a block of rows can mix stay as they were."""
        if self.is_reshaped:  # an output of zeros too has as many columns as v
            return False
        return self.v.size == 0 or (problem.hides_wholly and problem.hidden(rows).hides_all(self.v))


def earlier_output(previous: Stages | None, inputs: Inputs, head: int) -> tuple[FloatArray, Problem] | None:
    """Find an output computed before and the problem it answers.

    It is that of the very same vectors, wherever their head was, or else that of the head in this place.
    """
    if previous is None:
        return None
    was, now = previous.request.inputs, inputs.heads[head]
    places = [head, *(place for place in range(was.n_heads) if place != head)]
    known = [place for place in places if place in previous.head_outputs]
    for place in known:
        old = was.heads[place]
        if old.q is now.q and old.k is now.k and old.v is now.v:
            return previous.head_outputs[place], Problem.of(was, place)
    return (previous.head_outputs[head], Problem.of(was, head)) if head in known else None


def changed_rows(old: FloatArray, new: FloatArray) -> IntArray:
    """Give the sorted indices of rows that differ between two arrays of one shape."""
    if old is new:
        return _NONE
    noted = rows_between(old, new)
    if noted is not None:
        return np.asarray(noted[_differ(old, new, noted).any(axis=1)])
    blocks, before = as_blocks(new), as_blocks(old)
    # What is of the same rows of one file cannot differ.
    ranges = [(0, len(old))] if blocks is None or before is None else blocks.may_differ(before)
    found = []
    places = (place for each in ranges for place in blocks_of(each, _COMPARED_ROWS))
    for first, last in places:
        differs = _differ(old, new, slice(first, last))
        if differs.any():  # most blocks are the same, and this is told many times as fast as in which rows
            found.append(first + np.flatnonzero(differs.any(axis=1)))
    return np.concatenate(found) if found else _NONE


def _differ(old: FloatArray, new: FloatArray, rows: IntArray | slice) -> NDArray[np.bool_]:
    """Say of each number of some rows whether it differs; of rows that cannot be taken that all do."""
    try:
        return np.asarray(old[rows] != new[rows])
    except LostArrayError:
        raise
    except InputError:  # nothing was computed with them, and it is said where something shall be
        count = len(range(*rows.indices(len(new)))) if isinstance(rows, slice) else len(rows)
        return np.ones((count, 1), bool)
