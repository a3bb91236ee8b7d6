"""Memory on the device that grows with the document and is kept from one edit to the next.

Everything here is used in the engine's thread, with its context current.
"""

from __future__ import annotations

from typing import Any


class DeviceMemory:
    """A piece of device memory; what it holds is lost when it grows.

    Parameters
    ----------
    driver
        The module ``pycuda.driver``.
    """

    def __init__(self, driver: Any) -> None:
        self._driver = driver
        self._allocation: Any = None
        self.size = 0

    @property
    def address(self) -> int:
        """Device address of its first byte."""
        return int(self._allocation)

    def grow(self, size: int) -> bool:
        """Have at least ``size`` bytes; give True where they are fresh memory."""
        if size <= self.size:
            return False
        self.free()  # first, so that the old and the new piece need not both fit
        # An eighth more: a document that is being typed grows token by token.
        roomy = size + size // 8
        try:
            self._allocation = self._driver.mem_alloc(roomy)
        except self._driver.MemoryError:
            self._allocation, roomy = self._driver.mem_alloc(size), size
        self.size = roomy
        return True

    def free(self) -> None:
        """Give the memory back."""
        allocation, self._allocation, self.size = self._allocation, None, 0
        if allocation is not None:
            allocation.free()
