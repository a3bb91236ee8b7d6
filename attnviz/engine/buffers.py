"""Memory for blocks of rows, used again once nobody looks at it any more.

Fresh memory can cost more than the arithmetic that fills it: the system clears every page on first touch.
Stages are immutable and shared, so a block's memory may be used again only when the last array on it is gone;
a lease under each array tells.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]

_FLOAT32 = np.dtype(np.float32).str
_SMALL = 1 << 17  # bytes; below this malloc recycles well by itself


class Buffers:
    """Gives uninitialised float32 arrays and takes their memory back when they are garbage.

    All memory handed out is of one size, that of a full block at the present number of keys, so that what
    comes back serves any later block. Arrays may be dropped in any thread.

    Parameters
    ----------
    max_idle
        The most bytes kept waiting.
    """

    def __init__(self, max_idle: int = 256 << 20) -> None:
        self._max_idle = max_idle
        self._size = 0
        self._idle: list[_Memory] = []  # append and pop are atomic

    @property
    def idle_bytes(self) -> int:
        """Bytes waiting to be used again."""
        return self._size * len(self._idle)

    def resize(self, rows: int, columns: int) -> None:
        """Say how large blocks are from now on; memory of any other size is let go."""
        size = rows * columns * 4
        if size != self._size:
            self._size = size
            self._idle.clear()

    def empty(self, rows: int, columns: int) -> FloatArray:
        """Give an uninitialised float32 array of shape (rows, columns)."""
        if self._size < _SMALL or rows * columns * 4 > self._size:
            return np.empty((rows, columns), np.float32)
        return np.asarray(_Lease(self, self._memory(), (rows, columns)))

    def close(self) -> None:
        """Let all waiting memory go; what comes back later is let go too."""
        self._max_idle = 0
        self._idle.clear()

    def take_back(self, memory: _Memory) -> None:
        """Keep memory that nobody uses any more, where it fits."""
        if memory.size == self._size and self.idle_bytes < self._max_idle:
            self._idle.append(memory)

    def _memory(self) -> _Memory:
        try:
            # What came back while the size was changing may be of the old one.
            while (memory := self._idle.pop()).size != self._size:
                pass
        except IndexError:
            return _Memory(self._size)
        return memory


class _Memory:
    """A piece of memory; its address is asked for once, since numpy takes its time to tell."""

    __slots__ = ("_bytes", "address", "size")

    def __init__(self, size: int) -> None:
        self._bytes = np.empty(size, np.uint8)
        self.address = self._bytes.ctypes.data
        self.size = size


class _Lease:
    """What lies under an array and all its views: while any of them lives, the memory is taken."""

    __slots__ = ("__array_interface__", "_memory", "_owner")

    def __init__(self, owner: Buffers, memory: _Memory, shape: tuple[int, int]) -> None:
        self._owner, self._memory = owner, memory
        self.__array_interface__: dict[str, Any] = {
            "version": 3,
            "shape": shape,
            "typestr": _FLOAT32,
            "data": (memory.address, False),
        }

    def __del__(self) -> None:
        self._owner.take_back(self._memory)
