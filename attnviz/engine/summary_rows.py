"""The float32 arithmetic of summaries: of a block of weights, and the arrays that blocks fill.

What sums up a row is made of its weights alone, so it can be had wherever weights are, in any order of
blocks. Rows that are never held whole have ``row_takers.RowEntropy``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from attnviz.core.summaries import MEASURES, RowSummaries
from attnviz.engine.blocks import FloatArray, IntArray

_PER_LN2 = np.float32(1.0 / math.log(2.0))
_SCRATCH = 1 << 14  # numbers
_LEAST = np.float32(1e-38)  # weights below this are as good as 0 in every measure


class SummaryRows:
    """The summaries of one head while they are being filled, row by row.

    Parameters
    ----------
    n_query
        Rows.
    first_place
        The key at which query 0 stands.
    window
        The window's width.
    earlier
        Summaries to begin with; their rows stay until ``take`` brings others. None: all rows are 0.

    Notes
    -----
    Different rows may be filled from different threads at once.
    """

    def __init__(
        self, n_query: int, first_place: int, window: int, earlier: RowSummaries | None = None
    ) -> None:
        self._first_place, self._window = first_place, window
        if earlier is None:
            self._arrays = {measure: np.zeros(n_query, np.float32) for measure in MEASURES}
        else:
            self._arrays = {measure: earlier.of(measure).copy() for measure in MEASURES}

    def take(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        """Sum up some rows, and give their entropy.

        Parameters
        ----------
        rows
            The queries, sorted.
        weights
            float32 (rows, keys), from key 0 to the last that can have weight at least.
        """
        arrays, places = self._arrays, rows + self._first_place
        arrays["on_first"][rows] = weights[:, 0] if weights.shape[1] else 0
        arrays["on_itself"][rows] = weight_at(weights, places)
        arrays["on_previous"][rows] = weight_at(weights, places - 1)
        arrays["on_window"][rows] = weight_near(weights, places, self._window)
        bits = entropy_of(weights)
        self.put_entropy(rows, bits, np.asarray(weights.any(axis=1)))
        return bits

    def put_entropy(self, rows: IntArray, bits: FloatArray, has_weight: NDArray[np.bool_]) -> None:
        """Set the entropy of some rows, and how many keys that is as good as."""
        self._arrays["entropy"][rows] = bits
        self._arrays["effective_keys"][rows] = np.where(has_weight, np.exp2(bits), np.float32(0))

    def put(self, measure: str, rows: IntArray, values: FloatArray) -> None:
        """Set one of the masses of some rows."""
        self._arrays[measure][rows] = values

    def finished(self) -> RowSummaries:
        """Give the summaries once all rows are filled."""
        for array in self._arrays.values():
            array.flags.writeable = False
        return RowSummaries(**self._arrays, window=self._window)


def entropy_of(weights: FloatArray) -> FloatArray:
    """Give −Σ w · log₂ w of each row of weights, float32 (rows, keys), in bits."""
    n_rows, n_keys = weights.shape
    bits = np.empty(n_rows, np.float32)
    # A few rows at a time: what they need stays in the core's own cache, and is not fresh memory.
    height = max(1, _SCRATCH // max(1, n_keys))
    scratch = np.empty((min(height, n_rows), n_keys), np.float32)
    for first in range(0, n_rows, height):
        part = weights[first : first + height]
        logarithms = np.maximum(part, _LEAST, out=scratch[: len(part)])  # 0 · log 0 is 0
        np.log(logarithms, out=logarithms)
        np.einsum("ij,ij->i", part, logarithms, out=bits[first : first + height])
    bits *= -_PER_LN2
    return np.maximum(bits, np.float32(0), out=bits)


def weight_at(weights: FloatArray, keys: IntArray) -> FloatArray:
    """Give one weight of each row, that of its own key; 0 where the key is none of the columns."""
    if not weights.shape[1]:
        return np.zeros(len(weights), np.float32)
    is_there = (keys >= 0) & (keys < weights.shape[1])
    picked = weights[np.arange(len(weights)), np.where(is_there, keys, 0)]
    return np.where(is_there, picked, np.float32(0))


def weight_near(weights: FloatArray, places: IntArray, width: int) -> FloatArray:
    """Give the weight of each row on keys nearer than ``width`` to its own place; places are sorted."""
    first = max(0, int(places[0]) - width + 1)
    last = min(weights.shape[1], int(places[-1]) + width)
    if first >= last:
        return np.zeros(len(weights), np.float32)
    is_near = np.abs(np.arange(first, last)[None, :] - places[:, None]) < width
    near: FloatArray = np.einsum("ij,ij->i", weights[:, first:last], is_near.astype(np.float32))
    return np.minimum(near, np.float32(1), out=near)  # all weights of a row add up to 1 but for rounding
