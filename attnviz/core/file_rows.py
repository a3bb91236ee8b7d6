"""Rows of a file of plain numbers, such as NPY: read with ordinary reads, and only while it is what it was.

Not through a memory map: the process would be killed when somebody cuts off a mapped file.
"""

from __future__ import annotations

import mmap
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from attnviz.core.row_sources import LostArrayError, rows_per_block


@dataclass(frozen=True)
class Fingerprint:
    """What tells a file from what it was: where it lies on the disk, its size, and when it was written."""

    device: int
    number: int
    size: int
    written_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> Fingerprint:
        """Take it from what the system says of a file."""
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


class FileRows:
    """Rows of numbers in a file; see ``RowSource``.

    Parameters
    ----------
    path
        The file, which must be there.
    dtype
        Of its numbers: real ones of any type and byte order.
    shape, strides
        (rows, dims), and the bytes from a row to the next and from a number to the next, which may be
        negative.
    offset
        The byte of the file that the first number begins at.
    name
        What it is called in sentences.
    mapped
        The same numbers as a memory map that may hold changes of its own, which the file does not; else None.

    Raises
    ------
    LostArrayError
        When there is no such file.
    """

    def __init__(
        self,
        path: Path,
        dtype: np.dtype[Any],
        shape: tuple[int, int],
        strides: tuple[int, int],
        offset: int,
        name: str,
        mapped: NDArray[Any] | None = None,
    ) -> None:
        self.name, self.shape = name, shape
        self.block_rows = rows_per_block(shape[1])
        self.path = path
        self._dtype, self._strides, self._offset, self._mapped = dtype, strides, offset, mapped
        self.fingerprint = Fingerprint.of(self._status())

    def check(self) -> None:
        """Raise LostArrayError when the file is gone or another."""
        self._compare(self._status())

    def read(self, first: int, last: int) -> NDArray[Any]:
        """Read a half-open range of rows, (rows, dims)."""
        if self._mapped is not None:
            self.check()
            return np.array(self._mapped[first:last])
        try:
            with self.path.open("rb", buffering=0) as file:
                self._compare(os.fstat(file.fileno()))
                rows = self._read_from(file, first, last)
                self._compare(os.fstat(file.fileno()))  # or half of them may be of now, and half of before
                return rows
        except FileNotFoundError:
            raise self._gone() from None
        except OSError as error:
            raise self._unreadable(error) from error

    def _read_from(self, file: BinaryIO, first: int, last: int) -> NDArray[Any]:
        down, across = self._strides
        if abs(across) > abs(down):  # columns lie together: one after the other
            starts = [self._offset + first * down + dim * across for dim in range(self.shape[1])]
            return np.concatenate([self._span(file, at, (last - first, 1)) for at in starts], axis=1)
        return self._span(file, self._offset + first * down, (last - first, self.shape[1]))

    def _span(self, file: BinaryIO, at: int, shape: tuple[int, int]) -> NDArray[Any]:
        """Read all bytes from the lowest to the highest of some numbers; the first begins at byte ``at``."""
        reach = [(count - 1) * stride for count, stride in zip(shape, self._strides, strict=True)]
        low = at + sum(min(0, each) for each in reach)
        high = at + sum(max(0, each) for each in reach) + self._dtype.itemsize
        buffer = bytearray(high - low)
        file.seek(low)
        view, got = memoryview(buffer), 0
        while got < len(buffer):
            count = file.readinto(view[got:])  # type: ignore[attr-defined]  # an unbuffered file has it
            if not count:
                raise self._changed()
            got += count
        return np.ndarray(shape, self._dtype, buffer, at - low, self._strides)

    def _status(self) -> os.stat_result:
        try:
            return self.path.stat()
        except FileNotFoundError:
            raise self._gone() from None
        except OSError as error:
            raise self._unreadable(error) from error

    def _compare(self, status: os.stat_result) -> None:
        if Fingerprint.of(status) != self.fingerprint:
            raise self._changed()

    def _changed(self) -> LostArrayError:
        return LostArrayError(
            "“{name}” has changed since it was opened; the picture shows what it held then. "
            "Open it again to see what it holds now.",
            name=self.name,
        )

    def _gone(self) -> LostArrayError:
        return LostArrayError(
            "“{name}” is not there any more; the picture shows what it held. "
            "Put it back, or open it from where it is now.",
            name=self.name,
        )

    def _unreadable(self, error: OSError) -> LostArrayError:
        return LostArrayError(
            "“{name}” cannot be read any more ({reason}); the picture shows what it held.",
            name=self.name,
            reason=error.strerror or error,
        )


def mapped_file(array: object) -> np.memmap[Any, Any] | None:
    """Give the memory map of a file that an array is a view of; None where it is of no file."""
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap) and array.filename is not None and _mapping(array) is not None:
            return array
        array = array.base
    return None


def rows_of_memmap(array: NDArray[Any], mapped: np.memmap[Any, Any], name: str) -> FileRows:
    """Give the rows of an array (rows, dims) that is a view of a memory map, read from its file."""
    start = mapped.offset - mapped.offset % mmap.ALLOCATIONGRANULARITY
    base = np.frombuffer(_mapping(mapped), np.uint8)
    offset = start + array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    shape, strides = array.shape, array.strides
    return FileRows(
        Path(str(mapped.filename)),
        array.dtype,
        (shape[0], shape[1]),
        (strides[0], strides[1]),
        offset,
        name,
        array if mapped.mode == "c" else None,
    )


def _mapping(array: np.memmap[Any, Any]) -> Any:
    return getattr(array, "_mmap", None)
