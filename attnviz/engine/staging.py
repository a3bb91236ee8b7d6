"""Pinned memory between the host and the device, and the copies through it, one way each.

Only from pinned memory do copies run beside kernels and at the bus's full speed. What has come is copied out
of it into ordinary arrays at once, so that answers outlive the context.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

AnyArray = NDArray[Any]

_STAGE_BYTES = 8 << 20


class Pinned:
    """Page-locked host memory as an array of bytes."""

    def __init__(self, driver: Any, size: int) -> None:
        self.bytes: NDArray[np.uint8] = driver.pagelocked_empty(size, np.uint8)
        self._allocation: Any = self.bytes.base

    def free(self) -> None:
        """Give the memory back; no array on it may be used any more."""
        self._allocation.free()


class Uploads:
    """Copies arrays to the device, in the order asked for, without waiting.

    Parameters
    ----------
    driver, stream
        The module ``pycuda.driver`` and the stream that everything runs on.
    size
        Bytes of pinned memory.
    """

    def __init__(self, driver: Any, stream: Any, size: int = _STAGE_BYTES) -> None:
        self._driver, self._stream = driver, stream
        self._pinned = Pinned(driver, size)
        self._used = 0
        self.copied_bytes = 0

    def copy(self, array: AnyArray, address: int) -> None:
        """Copy a C-contiguous array to a device address; the array may change afterwards."""
        flat = array.reshape(-1).view(np.uint8)
        size = self._pinned.bytes.size
        for first in range(0, flat.size, size):
            piece = flat[first : first + size]
            if self._used + piece.size > size:
                self._stream.synchronize()
                self._used = 0
            staged = self._pinned.bytes[self._used : self._used + piece.size]
            staged[:] = piece
            self._driver.memcpy_htod_async(address + first, staged, self._stream)
            self._used += -(-piece.size // 16) * 16
            self.copied_bytes += piece.size

    def have_arrived(self) -> None:
        """Use the pinned memory from its start again; everything on the stream is done."""
        self._used = 0

    def free(self) -> None:
        """Give the pinned memory back."""
        self._pinned.free()


class Downloads:
    """Copies arrays from the device; they hold their numbers after ``land``.

    While one half of the pinned memory is being filled by the device, the host empties the other.

    Parameters
    ----------
    driver, stream
        The module ``pycuda.driver`` and the stream that everything runs on.
    size
        Bytes of pinned memory.
    """

    def __init__(self, driver: Any, stream: Any, size: int = 2 * _STAGE_BYTES) -> None:
        self._driver, self._stream = driver, stream
        self._half_size = size // 2
        self._halves = [_Half(driver, self._half_size) for _ in range(2)]
        self._now = 0
        self.copied_bytes = 0

    def copy(self, array: AnyArray, address: int, pitch: int = 0) -> None:
        """Fetch an array of shape (rows, columns) whose rows lie ``pitch`` bytes apart on the device.

        Parameters
        ----------
        array
            Takes the numbers, at ``land`` at the latest; its rows may be parts of longer ones.
        pitch
            0: rows lie one behind the other.
        """
        width = array.shape[1] * array.itemsize
        pitch = pitch or width
        height = max(1, self._half_size // width)
        for first in range(0, len(array), height):
            self._copy_piece(array[first : first + height], address + first * pitch, pitch, width)

    def _copy_piece(self, array: AnyArray, address: int, pitch: int, width: int) -> None:
        size = width * len(array)
        half = self._halves[self._now]
        staged = half.take(size)
        if staged is None:
            half.event.record(self._stream)
            self._now = 1 - self._now
            half = self._halves[self._now]
            half.event.synchronize()
            half.empty()
            staged = half.take(size)
        assert staged is not None, "a row is longer than the pinned memory"
        if width == pitch or len(array) == 1:
            self._driver.memcpy_dtoh_async(staged, address, self._stream)
        else:
            part = self._driver.Memcpy2D()
            part.set_src_device(address)
            part.src_pitch = pitch
            part.set_dst_host(staged)
            part.dst_pitch = part.width_in_bytes = width
            part.height = len(array)
            part(self._stream)
        half.coming.append((array, staged))
        self.copied_bytes += size

    def land(self) -> None:
        """Wait for all that is on the stream and fill the arrays."""
        self._stream.synchronize()
        for half in self._halves:
            half.empty()

    def drop(self) -> None:
        """Wait for what is under way and forget it; where the device is lost, nothing is under way."""
        for half in self._halves:
            half.coming.clear()
            half.used = 0
        self._stream.synchronize()

    def free(self) -> None:
        """Give the pinned memory back."""
        for half in self._halves:
            half.coming.clear()
            half.pinned.free()


class _Half:
    """One half of the pinned memory and what is coming into it."""

    def __init__(self, driver: Any, size: int) -> None:
        self.pinned = Pinned(driver, size)
        self.event: Any = driver.Event()
        self.used = 0
        self.coming: list[tuple[AnyArray, NDArray[np.uint8]]] = []

    def take(self, size: int) -> NDArray[np.uint8] | None:
        """Give the next ``size`` bytes, None where they are not left."""
        if self.used + size > self.pinned.bytes.size:
            return None
        staged = self.pinned.bytes[self.used : self.used + size]
        self.used += -(-size // 16) * 16
        return staged

    def empty(self) -> None:
        """Fill the arrays with what has come."""
        for array, staged in self.coming:
            np.copyto(array, staged.view(array.dtype).reshape(array.shape))
        self.coming.clear()
        self.used = 0
