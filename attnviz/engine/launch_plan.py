"""Which cells of the squares on the device have to be computed anew, stage by stage.

Pure: no CUDA here. Rows are counted from the first row of the square, not from the first query.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnviz.core.masks import CausalMask, NoMask
from attnviz.engine.blocks import IntArray, Problem, Rows
from attnviz.engine.changes import Changes
from attnviz.engine.spans import Lines

Cells = tuple[Lines, Lines]
"""Rows and keys: all cells where they cross."""


@dataclass(frozen=True, eq=False)
class LaunchPlan:
    """What to launch, in this order; an empty plan launches nothing.

    Attributes
    ----------
    is_full
        True where every cell of every stage is computed anew: there are faster kernels for that.
    scores, scaled, masked
        Cells of the first three stages.
    weights
        Rows of softmax, whole and with their statistics.
    output
        Rows of the weighted sum.
    """

    is_full: bool
    scores: tuple[Cells, ...]
    scaled: tuple[Cells, ...]
    masked: tuple[Cells, ...]
    weights: Lines
    output: Lines

    @classmethod
    def full(cls, n_rows: int, n_keys: int) -> LaunchPlan:
        """Compute everything."""
        rows, keys = Lines(0, n_rows), Lines(0, n_keys)
        everything = ((rows, keys),)
        return cls(True, everything, everything, everything, rows, rows)

    @classmethod
    def between(cls, old: Problem | None, new: Problem, rows: Rows) -> LaunchPlan:
        """Compare what the squares of a half-open range of queries answer with what they are to answer.

        Parameters
        ----------
        old
            None where the squares answer nothing.
        """
        n_rows, n_keys = rows[1] - rows[0], new.n_key
        changes = None if old is None else Changes.between(old, new)
        if old is None or changes is None:
            return cls.full(n_rows, n_keys)
        own, keys = changes.q_within(rows) - rows[0], changes.k
        if own.size * 4 > n_rows or keys.size * 4 > n_keys:
            return cls.full(n_rows, n_keys)
        all_cells: tuple[Cells, ...] = ((Lines(0, n_rows), Lines(0, n_keys)),)
        scores: tuple[Cells, ...] = ()
        if own.size:
            scores += ((Lines.of(own), Lines(0, n_keys)),)
        if keys.size:
            scores += ((Lines(0, n_rows), Lines.of(keys)),)
        masked = all_cells if changes.is_rescaled or changes.is_remasked else scores
        has_other_weights = _rows_to_weigh(changes, new, rows, own)
        has_other_output = has_other_weights
        if changes.v.size:
            if old.v.shape != new.v.shape or not new.hides_wholly:
                has_other_output = np.ones(n_rows, bool)
            else:
                has_other_output = has_other_weights | _rows_that_see(changes.v, new, rows)
        return cls(
            False,
            scores,
            all_cells if changes.is_rescaled else scores,
            masked,
            Lines.of(np.flatnonzero(has_other_weights)),
            Lines.of(np.flatnonzero(has_other_output)),
        )


def _rows_to_weigh(changes: Changes, new: Problem, rows: Rows, own: IntArray) -> NDArray[np.bool_]:
    """Say which rows hold other masked scores; a hidden key's score reaches none, whatever the mask value."""
    n_rows = rows[1] - rows[0]
    if changes.is_rescaled or changes.is_remasked:
        return np.ones(n_rows, bool)
    found = _rows_that_see(changes.k, new, rows)
    found[own] = True
    return found


def _rows_that_see(keys: IntArray, problem: Problem, rows: Rows) -> NDArray[np.bool_]:
    """Say for each row of the range whether it may attend to any of some keys."""
    n_rows, mask = rows[1] - rows[0], problem.mask
    if keys.size == 0:
        return np.zeros(n_rows, bool)
    if isinstance(mask, NoMask):
        return np.ones(n_rows, bool)
    if isinstance(mask, CausalMask):
        return np.asarray(np.arange(*rows) + problem.offset >= keys[0])
    return np.asarray(problem.allowed(rows)[:, keys].any(axis=1))
