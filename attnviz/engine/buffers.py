"""Memory for blocks of rows, used again once nobody looks at it any more.

Fresh memory can cost more than the arithmetic that fills it: the system clears every page on first touch.
Stages are immutable and shared, so a block's memory may be used again only when the last array on it is gone;
a lease under each array tells.

Half of what a causal mask leaves is one number over and over, and writing it took a tenth of a pass. Memory
that holds it already is therefore remembered by that: it has a lining.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from attnviz.engine.alignment import FloatArray, aligned_empty

_FLOAT32 = np.dtype(np.float32).str
_SMALL = 1 << 17  # bytes; below this malloc recycles well by itself

_Lining = tuple[int, int, int, bytes]
"""What memory holds for certain: in rows of so many columns, from this column on, this number."""


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
        # By what it holds. Look-ups, append and pop are atomic.
        self._idle: dict[_Lining | None, list[_Memory]] = {}

    @property
    def idle_bytes(self) -> int:
        """Bytes waiting to be used again."""
        return self._size * sum(map(len, list(self._idle.values())))

    def resize(self, rows: int, columns: int) -> None:
        """Say how large blocks are from now on; memory of any other size is let go."""
        size = rows * columns * 4
        if size != self._size:
            self._size = size
            self._idle.clear()

    def empty(self, rows: int, columns: int) -> FloatArray:
        """Give an uninitialised float32 array of shape (rows, columns)."""
        if not self._serves(rows, columns):
            return np.empty((rows, columns), np.float32)
        memory = self._memory()
        memory.lining = None
        return np.asarray(_Lease(self, memory, (rows, columns)))

    def lined(self, shape: tuple[int, int], first: int, fill: np.float32) -> FloatArray:
        """Give a float32 array of a shape (rows, columns) that holds ``fill`` from column ``first`` on.

        The columns before are uninitialised, and they alone may be written to: what is behind them is
        relied on when the memory is used again.
        """
        rows, columns = shape
        if first == columns or not self._serves(rows, columns):
            array = self.empty(rows, columns)
            array[:, first:] = fill
            return array
        lining = (rows, columns, first, fill.tobytes())
        memory = self._memory(lining)
        array = np.asarray(_Lease(self, memory, shape))
        if memory.lining != lining:
            memory.lining = None
            array[:, first:] = fill
            memory.lining = lining
        return array

    def close(self) -> None:
        """Let all waiting memory go; what comes back later is let go too."""
        self._max_idle = 0
        self._idle.clear()

    def take_back(self, memory: _Memory) -> None:
        """Keep memory that nobody uses any more, where it fits."""
        if memory.size == self._size and self.idle_bytes < self._max_idle:
            self._idle.setdefault(memory.lining, []).append(memory)

    def _serves(self, rows: int, columns: int) -> bool:
        return self._size >= _SMALL and rows * columns * 4 <= self._size

    def _memory(self, lining: _Lining | None = None) -> _Memory:
        """Take memory of this lining, None: of none; where none waits, of another."""
        try:
            # What came back while the size was changing may be of the old one.
            while (memory := self._idle[lining].pop()).size != self._size:
                pass
        except (KeyError, IndexError):
            return self._other_memory()
        return memory

    def _other_memory(self) -> _Memory:
        for lining in (None, *self._idle):
            idle = self._idle.get(lining, [])
            try:
                while idle:
                    if (memory := idle.pop()).size == self._size:
                        return memory
            except IndexError:  # another thread was faster
                pass
            # What comes back to this list just now is lost, which costs no more than making it anew.
            self._idle.pop(lining, None)
        return _Memory(self._size)


class _Memory:
    """A piece of memory; its address is asked for once, since numpy takes its time to tell."""

    __slots__ = ("address", "floats", "lining", "size")

    def __init__(self, size: int) -> None:
        self.floats = aligned_empty(size // 4)
        self.address = self.floats.ctypes.data
        self.size = size
        self.lining: _Lining | None = None


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
