"""Kernels through PyCUDA, without the engine: arrays put on the device, kernels launched, arrays fetched.

The emulated driver stops at any access outside an array and hands memory out as NaN, so a test that only
compares numbers also says that nothing was read that was not written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.cuda.shapes import BLOCKS, FORMATS, grid_of

Array = NDArray[Any]


@dataclass(frozen=True)
class Room:
    """An array on the device."""

    memory: Any
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


class Device:
    """Loaded kernels in the context that is current."""

    def __init__(self, driver: Any, image: bytes) -> None:
        self._driver = driver
        self._module = driver.module_from_buffer(image)
        self._functions = {name: self._module.get_function(name) for name in FORMATS}
        for name, function in self._functions.items():
            function.prepare(FORMATS[name])

    def put(self, array: Array) -> Room:
        """A copy of an array."""
        array = np.ascontiguousarray(array)
        room = self.room(array.shape, array.dtype)
        self._driver.memcpy_htod(room.memory, array)
        return room

    def room(self, shape: tuple[int, ...], dtype: Any = np.float32) -> Room:
        """Space for an array that nobody has written yet."""
        n_bytes = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        return Room(self._driver.mem_alloc(n_bytes), shape, np.dtype(dtype))

    def fetch(self, room: Room) -> Array:
        """What an array on the device holds."""
        array = np.empty(room.shape, room.dtype)
        self._driver.memcpy_dtoh(array, room.memory)
        return array

    def peek(self, room: Room, *index: int) -> float:
        """One number of an array that may be too large to fetch."""
        number = np.empty(1, room.dtype)
        self._driver.memcpy_dtoh(number, self._address(room, index))
        return number[0]

    def poke(self, room: Room, value: float, *index: int) -> None:
        """Set one number of an array."""
        self._driver.memcpy_htod(self._address(room, index), np.array([value], room.dtype))

    def _address(self, room: Room, index: tuple[int, ...]) -> int:
        return int(room.memory) + int(np.ravel_multi_index(index, room.shape)) * room.dtype.itemsize

    def launch(
        self,
        kernel: str,
        work: tuple[int, ...],
        *arguments: Room | float | None,
        block: tuple[int, int] | None = None,
    ) -> None:
        """Launch a kernel over `work` = (columns, rows, heads) of its own units.

        Parameters
        ----------
        block
            Threads along x and y; None: those that the engine uses.
        """
        threads = block or BLOCKS[kernel]
        values = [a.memory if isinstance(a, Room) else 0 if a is None else a for a in arguments]
        self._functions[kernel].prepared_call(grid_of(kernel, work, threads), (*threads, 1), *values)
