"""q, k and v of all heads that lie elsewhere: what is not copied at the door, and how it is taken apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core.block_arrays import BlockArray
from attnviz.core.errors import InputError
from attnviz.core.file_rows import mapped_file, rows_of_memmap
from attnviz.core.memory import check_fits
from attnviz.core.row_sources import RowSource
from attnviz.core.store_rows import StoreRows

READ_ROWS = 2048
"""Arrays of as many rows or fewer are simply read: a document of as many tokens is dense."""


class ArrayStack:
    """An array (n_heads, n, d), or (n, d) of one head, whose heads become BlockArrays.

    Parameters
    ----------
    shape, dtype
        Of the whole array.
    name
        What it is called in sentences.
    rows_of
        Gives the source of one head's rows, by its index; of an array of one head by None.

    Raises
    ------
    InputError
        When its numbers are not real ones.
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        name: str,
        rows_of: Callable[[int | None], RowSource],
    ) -> None:
        if dtype.kind not in "fiub":
            raise InputError(
                "{what} holds {got}, not numbers; an array of real numbers is wanted.", what=name, got=dtype
            )
        self.shape, self.dtype, self.name = shape, dtype, name
        self._rows_of = rows_of
        self._heads: dict[int | None, BlockArray] = {}

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Numbers in it."""
        return math.prod(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[BlockArray]:
        """Give the heads in order, of an array with an axis of heads."""
        return (self.head(index) for index in range(self.shape[0]))

    def __getitem__(self, index: int) -> BlockArray:
        return self.head(range(self.shape[0])[index])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Read everything, where it fits into memory."""
        check_fits(4 * self.size, "q, k, v")
        if self.ndim == 2:
            return np.asarray(self.head(0), dtype)
        return np.stack([np.asarray(head, dtype) for head in self])

    def head(self, index: int) -> BlockArray:
        """Give one head's rows, the same BlockArray every time."""
        place = None if self.ndim == 2 else index
        if place not in self._heads:
            self._heads[place] = BlockArray.of(self._rows_of(place))
        return self._heads[place]


def is_read_whole(shape: tuple[int, ...]) -> bool:
    """Say whether an array that lies elsewhere is simply read: it is short, or has another number of axes."""
    return len(shape) not in (2, 3) or shape[-2] <= READ_ROWS or math.prod(shape) == 0


def stack_of_file(values: object, what: str) -> ArrayStack | None:
    """Take a memory map of a file, or a view of one; None where it is none or is to be read."""
    mapped = mapped_file(values)
    if mapped is None or not isinstance(values, np.ndarray) or is_read_whole(values.shape):
        return None
    array: NDArray[Any] = values
    return ArrayStack(
        array.shape,
        array.dtype,
        what,
        lambda head: rows_of_memmap(
            array if head is None else array[head],
            mapped,
            f"{_named(what, head)} ({Path(str(mapped.filename)).name})",
        ),
    )


def stack_of_store(values: Any, what: str) -> ArrayStack | None:
    """Take an array of zarr; None where it is none or is to be read."""
    if not is_of(values, "zarr") or not hasattr(values, "chunks") or is_read_whole(values.shape):
        return None
    return ArrayStack(
        tuple(values.shape),
        np.dtype(values.dtype),
        what,
        lambda head: StoreRows(values, head, _named(what, head)),
    )


def is_of(values: object, library: str) -> bool:
    """Say whether something is of a library, which need not be there to be asked for."""
    return type(values).__module__.partition(".")[0] == library


def _named(what: str, head: int | None) -> str:
    return what if head is None else f"{what}, head {head}"
