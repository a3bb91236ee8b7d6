"""What sums up a row of weights: how spread it is, and how much of it lies on certain keys.

The definitions are plain float64 functions, like those of attention.py; engines are measured against them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attnviz.core.arrays import FloatArray
from attnviz.core.attention import define
from attnviz.core.errors import InputError
from attnviz.core.inputs import Inputs
from attnviz.core.position_masks import SlidingWindowMask

ENTROPY, EFFECTIVE_KEYS = "entropy", "effective_keys"
MASSES = ("on_first", "on_itself", "on_previous", "on_window")
MEASURES = (ENTROPY, EFFECTIVE_KEYS, *MASSES)
"""The fields of ``RowSummaries`` that have a number per query, in the order they are shown."""
WINDOW = 16
"""The width of the window unless another is asked for."""

Float64Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RowSummaries:
    """What sums up each row of one head's weights; read-only float32 (n_query,) each.

    A row that has no weight at all, since the mask hides every key, has 0 throughout.

    Attributes
    ----------
    entropy
        −Σ w · log₂ w in bits: 0 where all weight is on one key, log₂ n where n keys have the same.
    effective_keys
        2^entropy: as many keys of the same weight would be as spread. 0 where there is no weight.
    on_first
        The weight of key 0, where an attention sink is.
    on_itself, on_previous
        The weight of the key at which the query stands, and of the one before it; 0 where there is none. In
        self-attention query i stands at key i, else the mask's alignment says where.
    on_window
        The weight of all keys nearer than ``window`` to where the query stands.
    window
        The window's width: |key − place| < window. Where the future is hidden these are the last ``window``
        keys up to the query itself, as with a sliding-window mask of that width.

    Raises
    ------
    InputError
        When the arrays differ in shape, a number is no number, or the width is none.

    References
    ----------
    Shannon, "A Mathematical Theory of Communication" (1948). Xiao et al., "Efficient Streaming Language
    Models with Attention Sinks" (2023). Clark et al., "What Does BERT Look At?" (2019), section 3.
    """

    entropy: FloatArray
    effective_keys: FloatArray
    on_first: FloatArray
    on_itself: FloatArray
    on_previous: FloatArray
    on_window: FloatArray
    window: int = WINDOW

    def __post_init__(self) -> None:
        object.__setattr__(self, "window", checked_window(self.window))
        shape = np.shape(self.entropy)
        for measure in MEASURES:
            array = np.asarray(getattr(self, measure), np.float32)
            if array.ndim != 1 or array.shape != shape:
                raise InputError(
                    "{what} has shape {got}; {wanted} is wanted, one number per query.",
                    what=measure,
                    got=array.shape,
                    wanted=shape if len(shape) == 1 else "(n_query,)",
                )
            if not np.isfinite(array).all():
                raise InputError("{what} holds a number that is not finite.", what=measure)
            if array.flags.writeable:
                array = array.copy() if array is getattr(self, measure) else array
                array.flags.writeable = False
            object.__setattr__(self, measure, array)

    @property
    def n_query(self) -> int:
        """Number of rows."""
        return len(self.entropy)

    @property
    def is_empty(self) -> NDArray[np.bool_]:
        """Give which rows have no weight at all, bool (n_query,)."""
        return np.asarray(self.effective_keys == 0)

    def of(self, measure: str) -> FloatArray:
        """Give one of ``MEASURES``, float32 (n_query,); KeyError for any other."""
        if measure not in MEASURES:
            raise KeyError(measure)
        return getattr(self, measure)  # type: ignore[no-any-return]

    def mean(self, measure: str) -> float:
        """Give the mean of one of ``MEASURES`` over all queries; rows without weight count as 0."""
        return float(self.of(measure).mean(dtype=np.float64))


def checked_window(width: int) -> int:
    """Give a window's width as an int of 1 to 1,000,000.

    Raises
    ------
    InputError
        When it is anything else.
    """
    return SlidingWindowMask(width).width  # the same number in the same words


def place_of_first_query(inputs: Inputs) -> int:
    """Give the key at which query 0 stands: 0, but where queries and keys differ in number as aligned."""
    head = inputs.heads[0]
    return inputs.mask.offset(len(head.q), len(head.k))


def entropy(weights: ArrayLike) -> Float64Array:
    """Give −Σ w · log₂ w of each row of weights (n_query, n_key), in bits; 0 · log₂ 0 is 0."""
    w = np.asarray(weights, np.float64)
    logarithms = np.log2(np.where(w > 0, w, 1.0))
    return np.asarray(np.maximum(-(w * logarithms).sum(axis=1), 0.0))


def effective_keys(weights: ArrayLike) -> Float64Array:
    """Give 2^entropy of each row of weights (n_query, n_key); 0 where a row has no weight."""
    w = np.asarray(weights, np.float64)
    return np.where((w > 0).any(axis=1), np.exp2(entropy(w)), 0.0)


def mass_at(weights: ArrayLike, first_key: int) -> Float64Array:
    """Give the weight of one key per row: that of key ``first_key`` + i in row i; 0 where there is none."""
    w = np.asarray(weights, np.float64)
    queries = np.arange(len(w))
    keys = queries + first_key
    is_there = (keys >= 0) & (keys < w.shape[1])
    return np.where(is_there, w[queries, np.clip(keys, 0, w.shape[1] - 1)], 0.0)


def mass_near(weights: ArrayLike, first_place: int, width: int) -> Float64Array:
    """Give the weight of the keys nearer than ``width`` to place ``first_place`` + i in row i."""
    w = np.asarray(weights, np.float64)
    places = np.arange(len(w)) + first_place
    is_near = np.abs(np.arange(w.shape[1])[None, :] - places[:, None]) < width
    return np.asarray((w * is_near).sum(axis=1))


def summarize(weights: ArrayLike, first_place: int = 0, width: int = WINDOW) -> dict[str, Float64Array]:
    """Give all ``MEASURES`` of weights (n_query, n_key) in float64.

    Parameters
    ----------
    first_place
        The key at which query 0 stands.
    width
        Of the window.
    """
    w = np.asarray(weights, np.float64)
    return {
        ENTROPY: entropy(w),
        EFFECTIVE_KEYS: effective_keys(w),
        "on_first": w[:, 0].copy(),
        "on_itself": mass_at(w, first_place),
        "on_previous": mass_at(w, first_place - 1),
        "on_window": mass_near(w, first_place, width),
    }


def define_summaries(inputs: Inputs, head: int, width: int = WINDOW) -> dict[str, Float64Array]:
    """Give all ``MEASURES`` of one head of a document, by the formulas above."""
    return summarize(define(inputs, head).weights, place_of_first_query(inputs), checked_window(width))
