"""What a mask allows, on the device: a kind for the rules kernels know, an array of bytes for any other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from attnviz.core.masks import CausalMask, Mask, NoMask
from attnviz.engine.blocks import Problem, Rows
from attnviz.engine.device_memory import DeviceMemory
from attnviz.engine.staging import Uploads

NONE, CAUSAL, ARRAY = 0, 1, 2  # as in cuda/mask.cu

_WHOLE_BYTES = 1 << 28  # up to here all queries are uploaded, so that any range of them is there


@dataclass(frozen=True)
class MaskArgument:
    """What a kernel is told of the mask.

    Attributes
    ----------
    kind
        0 none, 1 causal, 2 an array.
    allowed
        Device address of uint8 (rows, n_keys), 1 = may attend; None without an array.
    offset
        The key at which query 0 stands, which the causal rule asks for.
    """

    kind: int
    allowed: int | None = None
    offset: int = 0

    def moved(self, n_bytes: int) -> MaskArgument:
        """Give the same for a square that starts so many cells further on."""
        return self if self.allowed is None else MaskArgument(self.kind, self.allowed + n_bytes)


class MaskOnDevice:
    """Keeps the array of one mask for a range of queries, while the mask says the same."""

    def __init__(self, driver: Any, uploads: Uploads) -> None:
        self._uploads = uploads
        self._memory = DeviceMemory(driver)
        self._mask: Mask | None = None
        self._rows: Rows = (0, 0)
        self._shape = (0, 0)  # n_query, n_key

    def argument(self, problem: Problem, rows: Rows) -> MaskArgument:
        """Say what kernels are told of a head's mask for a half-open range of the document's queries."""
        mask, n_query, n_key = problem.mask, problem.n_query, problem.n_key
        if isinstance(mask, NoMask):
            return MaskArgument(NONE)
        if isinstance(mask, CausalMask):
            return MaskArgument(CAUSAL, offset=problem.offset)
        if not self._holds(mask, rows, (n_query, n_key)):
            keep = (0, n_query) if n_query * n_key <= _WHOLE_BYTES else rows
            self._mask = None
            self._memory.grow((keep[1] - keep[0]) * n_key)
            allowed = np.ascontiguousarray(problem.allowed(keep))
            self._uploads.copy(allowed.view(np.uint8), self._memory.address)
            self._mask, self._rows, self._shape = mask, keep, (n_query, n_key)
        return MaskArgument(ARRAY, self._memory.address + (rows[0] - self._rows[0]) * n_key)

    def _holds(self, mask: Mask, rows: Rows, shape: tuple[int, int]) -> bool:
        held = self._mask
        if held is None or shape != self._shape:
            return False
        if not (self._rows[0] <= rows[0] and rows[1] <= self._rows[1]):
            return False
        if held is mask:
            return True
        if not held.equals(mask):
            return False
        self._mask = mask  # the next time it is the very same
        return True

    def forget(self) -> None:
        """Take nothing on the device for right any more."""
        self._mask = None

    def free(self) -> None:
        """Give the memory back."""
        self._mask = None
        self._memory.free()
