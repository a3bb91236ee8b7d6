"""Which numbers a document takes: finite, and not so large that their products leave float32."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core.numbers import MAX_MAGNITUDE


def first_outside(array: NDArray[Any]) -> tuple[int, ...] | None:
    """Give the place of the first number that is not finite or too large, None where there is none."""
    # As Python's own numbers: float16 knows no 1e6 and takes it for an infinity, and −(−2⁶³) is no int64.
    if array.max().item() <= MAX_MAGNITUDE and array.min().item() >= -MAX_MAGNITUDE:  # NaN is neither
        return None
    place = np.argwhere(is_outside(array))[0]
    return tuple(int(index) for index in place)


def is_outside(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Say of every number whether it is not finite or too large."""
    with np.errstate(over="ignore"):
        return ~(np.abs(array.astype(np.float64)) <= MAX_MAGNITUDE)
