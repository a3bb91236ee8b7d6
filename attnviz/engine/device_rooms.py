"""All that the engine keeps on the device and in pinned memory, made and freed together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attnviz.engine.blocks import Problem, Rows
from attnviz.engine.buffers import Buffers
from attnviz.engine.device_walks import DeviceWalks
from attnviz.engine.head_outputs import OutputKernels
from attnviz.engine.launches import Launches
from attnviz.engine.mask_on_device import MaskOnDevice
from attnviz.engine.pooling import Pooling
from attnviz.engine.squares import Squares
from attnviz.engine.staging import Downloads, Uploads
from attnviz.engine.vectors_on_device import VectorsOnDevice

if TYPE_CHECKING:
    from attnviz.engine.kernels import Kernels

_SHARE = 2  # squares may take one part in so many of the free memory


class DeviceRooms:
    """What a pass works with; used with the context current.

    Parameters
    ----------
    driver
        The module ``pycuda.driver``.
    square_bytes
        The most bytes of squares; None: half of what is free.
    """

    def __init__(self, driver: Any, kernels: Kernels, square_bytes: int | None) -> None:
        self._driver, self._square_bytes = driver, square_bytes
        self.stream: Any = driver.Stream()
        self.uploads = Uploads(driver, self.stream)
        self.downloads = Downloads(driver, self.stream)
        self.vectors = VectorsOnDevice(driver, self.uploads)
        self.masks = MaskOnDevice(driver, self.uploads)
        self.squares = Squares(driver)
        self.launches = Launches(driver, kernels, self.stream, self.uploads)
        self.pooling = Pooling(driver, kernels, self.stream)
        self.outputs = OutputKernels(driver, kernels, self.stream)
        self.walks = DeviceWalks(driver, kernels, self.stream, self.uploads, self.downloads)
        self.buffers = Buffers()

    def can_hold(self, problem: Problem, rows: Rows) -> bool:
        """Say whether the squares of a range of queries may stay on the device."""
        if self._square_bytes is not None:
            return 16 * (rows[1] - rows[0]) * problem.n_key <= self._square_bytes
        missing = self.squares.missing_bytes(rows, problem.n_key)
        return missing == 0 or missing <= self._free_bytes() // _SHARE

    def scratch_bytes(self, held: int) -> int:
        """Give how large a piece of scratch may be of which ``held`` bytes are there already."""
        return self._square_bytes or held + self._free_bytes() // _SHARE

    def _free_bytes(self) -> int:
        free, _ = self._driver.mem_get_info()
        return int(free)

    def settle(self) -> None:
        """Wait for all that is under way and drop what was to come; what lies on the device stays right."""
        self.downloads.drop()
        self.uploads.have_arrived()

    def forget(self) -> None:
        """Take nothing on the device for right any more."""
        self.squares.answered = None
        self.vectors.forget()
        self.masks.forget()
        self.walks.forget()

    def free_memory(self) -> None:
        """Give all device memory back; it is taken anew when it is needed."""
        for room in (self.vectors, self.masks, self.squares, self.launches, self.pooling, self.outputs):
            room.free()
        self.walks.free()

    def close(self) -> None:
        """Give all memory back, the pinned one too."""
        self.free_memory()
        self.uploads.free()
        self.downloads.free()
        self.buffers.close()
