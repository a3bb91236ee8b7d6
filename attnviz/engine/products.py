"""Matrix products of a block, cut into the pieces that BLAS multiplies fastest.

OpenBLAS copies both matrices into an order of its own first, and clears what it will add to. Its newer
kernels for small matrices do neither, and with AVX-512 take a fifth to a half less time for a block; but they
are used for small products alone. So a block is handed over a few rows at a time, in one call of numpy.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from attnviz.engine.alignment import FloatArray, aligned_empty

_SMALL_PRODUCT = 1_000_000  # multiply-adds; OpenBLAS takes its small kernels up to here
_PIECES = (16, 8, 4)  # rows; with fewer the kernels wait for memory
_SUMMED_AT_ONCE = 512  # numbers of a row
_FEW_SUMS = 1 << 15  # numbers; looking which BLAS there is takes longer than their sums
_ONES = np.ones(_SUMMED_AT_ONCE, np.float32)
_WITH_SMALL_KERNELS = ("SkylakeX", "Cooperlake", "SapphireRapids")  # for float32, as OpenBLAS names them


def product(left: FloatArray, right: FloatArray, out: FloatArray) -> None:
    """Write left @ right to ``out``.

    Parameters
    ----------
    left
        float32 (rows, depth), rows of one array.
    right
        float32 (depth, columns), columns of one array in C order; best aligned, since it is read in place.
    out
        float32 (rows, columns), rows of one array.

    Notes
    -----
    The same shapes are always cut in the same way, so that they give the same bits.
    """
    n_rows, depth = left.shape
    height = 0 if n_rows * right.size <= _SMALL_PRODUCT else _piece(right.size)
    if height == 0:
        np.matmul(left, right, out=out)
        return
    whole = n_rows - n_rows % height
    pieces, places = left[:whole].reshape(-1, height, depth), out[:whole].reshape(-1, height, out.shape[1])
    np.matmul(pieces, right, out=places)
    if whole < n_rows:
        np.matmul(left[whole:], right, out=out[whole:])


def is_small(n_rows: int, n_key: int, depth: int) -> bool:
    """Say whether a product is done before anything could be made ready for it."""
    return n_rows * n_key * depth <= _SMALL_PRODUCT


def rows_to_columns(rows: FloatArray) -> FloatArray:
    """Give a copy of (n, depth) as (depth, n) in C order, aligned."""
    columns = aligned_empty(*rows.shape[::-1])
    for first in range(0, len(rows), 128):  # what fits into the cache nearest to the core
        columns[:, first : first + 128] = rows[first : first + 128].T
    return columns


def row_sums(rows: FloatArray) -> FloatArray:
    """Give the sum of each row of (n, columns).

    Notes
    -----
    Libraries with small kernels have dot products that add up 64 sums side by side, in a third of the time
    that numpy takes. Of 512 numbers at most each of these sums has eight, half of what numpy's have, so that
    no more is rounded away.
    """
    if rows.size < _FEW_SUMS or not _has_small_kernels():
        return np.asarray(rows.sum(axis=1))
    total: FloatArray = np.vecdot(rows[:, :_SUMMED_AT_ONCE], _ONES[: rows.shape[1]])
    for first in range(_SUMMED_AT_ONCE, rows.shape[1], _SUMMED_AT_ONCE):
        part = rows[:, first : first + _SUMMED_AT_ONCE]
        total += np.vecdot(part, _ONES[: part.shape[1]])
    return total


def _piece(per_row: int) -> int:
    """Give how many rows to multiply at a time, 0 where all at once is best."""
    for rows in _PIECES if _has_small_kernels() else ():
        if rows * per_row <= _SMALL_PRODUCT:
            return rows
    return 0


@lru_cache(maxsize=1)
def _has_small_kernels() -> bool:
    """Look which BLAS numpy uses; that takes a millisecond.

    Asked of the library and not of a clock, since what a document's numbers are must not depend on how busy a
    machine is.
    """
    from threadpoolctl import threadpool_info

    return any(
        library.get("internal_api") == "openblas" and library.get("architecture") in _WITH_SMALL_KERNELS
        for library in threadpool_info()
    )
