"""How a head's q, k and v come from the tokens' x: linear maps with their biases.

Only the maps and their arithmetic; which heads have one, and what an edit recomputes, is said elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attnviz.core.arrays import FloatArray, checked_row, checked_table, same_bits
from attnviz.core.errors import InputError

WEIGHTS = ("w_q", "w_k", "w_v")
BIASES = ("b_q", "b_k", "b_v")

_ROUNDING = 1e-6
"""How far, as a share of itself, a number may be from what it is rounded from."""
_NEAR = 1e-4
"""How far, as a share of the largest number, vectors may be from what their maps give."""


@dataclass(frozen=True, eq=False)
class Projection:
    """The maps of one head: q = x · W_Q + b_Q, and k and v likewise.

    Attributes
    ----------
    w_q
        float32 (d_model, d_k), read-only.
    w_k, w_v
        float32 (d_model_k, d_k) and (d_model_k, d_v), read-only. d_model_k is d_model where queries and keys
        are derived from one x.
    b_q, b_k, b_v
        float32 (d_k,), (d_k,), (d_v,), or None for no bias.

    Raises
    ------
    InputError
        When shapes disagree or a number is NaN, infinite or too large; the place is named.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.2.2.
    """

    w_q: FloatArray
    w_k: FloatArray
    w_v: FloatArray
    b_q: FloatArray | None = None
    b_k: FloatArray | None = None
    b_v: FloatArray | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name, shown in zip(WEIGHTS, ("W_Q", "W_K", "W_V"), strict=True):
            put(self, name, checked_table(getattr(self, name), shown))
        if self.w_v.shape[0] != self.d_model_k:
            raise InputError(
                "W_K has {k} rows and W_V has {v}; both need one row per dimension of x.",
                k=self.d_model_k,
                v=self.w_v.shape[0],
            )
        if self.w_k.shape[1] != self.d_k:
            raise InputError(
                "W_Q has {q} columns and W_K has {k}; both need the same d_k.",
                q=self.d_k,
                k=self.w_k.shape[1],
            )
        for name, weight in zip(BIASES, WEIGHTS, strict=True):
            bias = getattr(self, name)
            if bias is not None:
                shown = f"b_{name[-1].upper()}"
                put(self, name, checked_row(bias, shown, getattr(self, weight).shape[1]))

    @property
    def d_model(self) -> int:
        """Dimensions of the x that q is derived from."""
        return int(self.w_q.shape[0])

    @property
    def d_model_k(self) -> int:
        """Dimensions of the x that k and v are derived from."""
        return int(self.w_k.shape[0])

    @property
    def d_k(self) -> int:
        """Dimensions of q and k."""
        return int(self.w_q.shape[1])

    @property
    def d_v(self) -> int:
        """Dimensions of v."""
        return int(self.w_v.shape[1])

    def depth(self, which: str) -> int:
        """Give the dimensions of the x that ``q``, ``k`` or ``v`` is derived from."""
        return self.d_model if which == "q" else self.d_model_k

    def derived(self, which: str, x: FloatArray) -> FloatArray:
        """Give ``q``, ``k`` or ``v`` of the rows of x, float32 (rows, d_model); read-only (rows, dims)."""
        return project(x, getattr(self, f"w_{which}"), getattr(self, f"b_{which}"))

    def equals(self, other: Projection) -> bool:
        """Say whether all numbers are the same, bit for bit."""
        return self is other or all(
            _same(getattr(self, name), getattr(other, name)) for name in (*WEIGHTS, *BIASES)
        )


def check_depths(name: str, maps: Projection, d_model: int, d_model_k: int) -> None:
    """Raise InputError where a head's maps do not fit the dimensions of x, and of the keys' x."""
    for which, got, wanted in (("W_Q", maps.d_model, d_model), ("W_K", maps.d_model_k, d_model_k)):
        if got != wanted:
            raise InputError(
                "x has {x} dimensions, but {which} of head “{name}” has {got} rows; "
                "both need the same d_model.",
                x=wanted,
                which=which,
                name=name,
                got=got,
            )


def agreed(given: FloatArray, derived: FloatArray) -> FloatArray | None:
    """Give a head's vectors out of those that came with its maps, and those that the maps give of x.

    Returns
    -------
    FloatArray or None
        ``given`` where each number is ``derived`` but for its rounding; ``derived`` where they are near, as
        sums in another order are; None where they are something else.

    Notes
    -----
    Near ones are not kept: how far is near goes by the largest number, and one edit may take that away.
    """
    if np.allclose(given, derived, rtol=_ROUNDING, atol=_ROUNDING):
        return given
    farthest = float(np.abs(given - derived).max())
    return derived if farthest <= _NEAR * max(1.0, float(np.abs(derived).max())) else None


def project(x: ArrayLike, w: ArrayLike, bias: ArrayLike | None = None) -> FloatArray:
    """Give x · W + b as read-only float32, x (rows, d_model) and W (d_model, dims) give (rows, dims).

    Notes
    -----
    Summed in float64 and rounded once, so that a row computed alone is that of the whole product but for the
    rarest of rounding ties.

    Raises
    ------
    InputError
        When a result is not finite or its magnitude is over 1e6, as vectors must be.
    """
    product = np.asarray(x, np.float64) @ np.asarray(w, np.float64)
    if bias is not None:
        product += np.asarray(bias, np.float64)
    return checked_table(product, "x · W")


def _same(mine: NDArray[Any] | None, theirs: NDArray[Any] | None) -> bool:
    if mine is None or theirs is None:
        return mine is theirs
    return same_bits(mine, theirs)
