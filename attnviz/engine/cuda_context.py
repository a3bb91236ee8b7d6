"""The device and its primary context, current only while the engine works.

PyCUDA ends the whole process where a thread ends with a context on its stack; so none is left there between
two computations, and one that cannot be taken off is detached.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any


class CudaContext:
    """The first device that CUDA_VISIBLE_DEVICES lets be seen; made, used and closed in one thread.

    Parameters
    ----------
    driver
        The module ``pycuda.driver``.

    Attributes
    ----------
    device_name
        The device's own name.
    compute_capability
        (major, minor).
    """

    def __init__(self, driver: Any) -> None:
        driver.init()
        device = driver.Device(0)
        self.device_name: str = device.name()
        self.compute_capability: tuple[int, int] = device.compute_capability()
        self._driver = driver
        self._context: Any = device.retain_primary_context()

    @contextlib.contextmanager
    def current(self) -> Iterator[None]:
        """Let the context be current in this thread, as every call of the driver needs it."""
        self._context.push()
        try:
            yield
        except BaseException:
            with contextlib.suppress(self._driver.Error):  # what came first says more
                self._pop()
            raise
        self._pop()

    def _pop(self) -> None:
        try:
            self._driver.Context.pop()
        except self._driver.Error:  # after some faults it cannot be taken off in any other way
            self.detach()
            raise

    def detach(self) -> None:
        """Let the context go; what was allocated in it may not be touched any more. Safe to call again."""
        context, self._context = self._context, None
        if context is not None:
            with contextlib.suppress(self._driver.Error):
                context.detach()
