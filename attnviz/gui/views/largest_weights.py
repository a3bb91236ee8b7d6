"""Which keys of very many are worth a row: those with the largest weights, and those beside the selected one.

Numbers only; nothing here paints.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnviz.core.inputs import DENSE_TOKENS

IntArray = NDArray[np.intp]

MANY_KEYS = DENSE_TOKENS
"""Of more keys than this, only the largest weights have rows, and all others one together."""
MOST_LARGEST = 100
"""How many of the largest weights have rows."""
_BESIDE = 3  # keys before and after the selected one that have rows in token order


@dataclass(frozen=True, eq=False)
class LargestWeights:
    """What is shown of one query's weights.

    Attributes
    ----------
    rows
        Keys that have a row, from top to bottom.
    n_largest, sum_largest
        How many keys are among the largest, and the sum of their weights.
    n_others, sum_others
        How many other keys may be attended, and the sum of their weights.
    """

    rows: IntArray
    n_largest: int
    sum_largest: float
    n_others: int
    sum_others: float

    @classmethod
    def of(
        cls, weights: NDArray[np.float32], seen: NDArray[np.bool_], selected: int, *, by_weight: bool
    ) -> LargestWeights:
        """Choose the keys.

        Parameters
        ----------
        weights, seen
            (n_key,): the weights, and which keys are not hidden.
        selected
            The selected key, which always has a row.
        by_weight
            Largest first; else in token order, with the keys beside the selected one.
        """
        largest = _largest(weights, seen)
        sum_largest = float(weights[largest].sum(dtype=np.float64))
        sum_others = float(weights.sum(dtype=np.float64)) - sum_largest
        if by_weight:
            order = largest[np.lexsort((largest, -weights[largest]))]
            rows = order if selected in order else np.append(order, selected)
        else:
            near = np.arange(max(0, selected - _BESIDE), min(len(weights), selected + _BESIDE + 1))
            rows = np.array(sorted({*largest.tolist(), *near.tolist()}))
        n_others = int(np.count_nonzero(seen)) - len(largest)
        return cls(rows.astype(np.intp), len(largest), sum_largest, n_others, max(sum_others, 0.0))


def _largest(weights: NDArray[np.float32], seen: NDArray[np.bool_]) -> IntArray:
    """Give the seen keys of the largest weights in token order; of equal ones those that come first."""
    places = np.flatnonzero(seen)
    if len(places) <= MOST_LARGEST:
        return places
    values = weights[places]
    least = np.partition(values, -MOST_LARGEST)[-MOST_LARGEST]
    above = places[values > least]
    return np.sort(np.concatenate([above, places[values == least][: MOST_LARGEST - len(above)]]))
