"""Memory whose first number begins a line of the processor's cache.

Numpy begins an array 16 bytes into a line where it is large. Whatever reads or writes 64 bytes at once, as
AVX-512 does, then touches two lines each time; the kernels of BLAS that do not copy first take half as long
again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]

LINE = 64
"""Bytes in a line of the cache."""


def aligned_empty(*shape: int) -> FloatArray:
    """Give an uninitialised float32 array."""
    size = 4 * int(np.prod(shape))
    raw = np.empty(size + LINE, np.uint8)
    first = -raw.ctypes.data % LINE
    return raw[first : first + size].view(np.float32).reshape(shape)


def aligned(array: FloatArray) -> FloatArray:
    """Give the array itself where it begins a line and has no gaps, else a copy that does."""
    if array.flags.c_contiguous and array.ctypes.data % LINE == 0:
        return array
    copy = aligned_empty(*array.shape)
    copy[...] = array
    return copy
