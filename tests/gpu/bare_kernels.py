"""The kernels without an engine around them: a context, a stream, and arrays on the device."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.engine.kernels import Kernels, compile_kernels


@dataclass
class Device:
    """The first device with the kernels loaded, for one thread.

    Attributes
    ----------
    driver
        The module ``pycuda.driver``.
    stream
        The stream all is launched on.
    kernels
        The engine's own kernels.
    """

    driver: Any
    stream: Any
    kernels: Kernels
    _memory: list[Any] = field(default_factory=list)

    def put(self, array: NDArray[Any]) -> int:
        """Copy an array to the device and give its address."""
        memory = self._new(array.nbytes)
        self.driver.memcpy_htod(memory, np.ascontiguousarray(array))
        return int(memory)

    def room(self, *shape: int) -> int:
        """Give the address of a new float32 array full of NaN, so that what stays unwritten is seen."""
        count = int(np.prod(shape, dtype=np.int64))
        memory = self._new(count * 4)
        self.driver.memset_d32(memory, 0x7FC00000, count)
        return int(memory)

    def get(self, address: int, *shape: int) -> NDArray[np.float32]:
        """Wait for the stream and copy a float32 array to the host."""
        self.stream.synchronize()
        array = np.empty(shape, np.float32)
        self.driver.memcpy_dtoh(array, address)
        return array

    def free_all(self) -> None:
        """Free all arrays; addresses given out before are no longer valid."""
        self.stream.synchronize()
        while self._memory:
            self._memory.pop().free()

    def _new(self, size: int) -> Any:
        self._memory.append(self.driver.mem_alloc(size))
        return self._memory[-1]


@contextmanager
def open_device() -> Iterator[Device]:
    """Make the first device ready in this thread, and leave nothing behind."""
    import pycuda.driver as driver

    driver.init()
    context = driver.Device(0).retain_primary_context()
    context.push()
    try:
        cubin = compile_kernels(*driver.Device(0).compute_capability())
        device = Device(driver, driver.Stream(), Kernels(driver, cubin))
        try:
            yield device
        finally:
            device.free_all()
    finally:
        context.pop()
        context.detach()
