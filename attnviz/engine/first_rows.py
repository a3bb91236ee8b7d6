"""How many of the first rows of a document stay true where tokens came or went behind them.

Under a mask that hides the future a row knows nothing of the tokens after it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attnviz.core.lineage import same_before
from attnviz.core.seen_keys import SeenKeys
from attnviz.engine.blocks import Problem


def rows_that_stay(old: Problem, new: Problem) -> tuple[int, int]:
    """Give how many of the first rows have the same weights for certain, and how many the same output too.

    Notes
    -----
    What is the same is known from the edits that lie between; no numbers are compared. Where the mask value
    is a number, hidden keys count too, and no row is said to stay.
    """
    if old.divisor != new.divisor or not (old.hides_wholly and new.hides_wholly):
        return 0, 0
    if old.q.shape[1] != new.q.shape[1]:
        return 0, 0
    n_rows, n_keys = same_before(old.q, new.q), same_before(old.k, new.k)
    if not (n_rows and n_keys):
        return 0, 0
    rows = np.arange(n_rows)
    was, now = (SeenKeys.of(each.mask, rows, each.n_query, each.n_key) for each in (old, new))
    if was.cells is not None or now.cells is not None or len(was.ranges) != len(now.ranges):
        return 0, 0
    first_hidden, now_hidden = (each.hidden_keys[each.hidden_keys < n_keys] for each in (was, now))
    if not np.array_equal(first_hidden, now_hidden):
        return 0, 0
    stays, reach = np.ones(n_rows, bool), np.zeros(n_rows, np.intp)
    for (first, last), (now_first, now_last) in zip(was.ranges, now.ranges, strict=True):
        stays &= (first == now_first) & (last == now_last)
        reach = np.maximum(reach, np.where(last > first, last, 0))
    stays &= reach <= n_keys
    n_stay = _length_of_start(stays)
    same_values = old.v.shape[1] == new.v.shape[1]
    n_values = same_before(old.v, new.v) if same_values else 0
    return n_stay, _length_of_start(reach[:n_stay] <= n_values)


def _length_of_start(holds: NDArray[np.bool_]) -> int:
    """Say how many of the first are True."""
    others = np.flatnonzero(~holds)
    return int(others[0]) if others.size else len(holds)
