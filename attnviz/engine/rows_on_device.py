"""One head of a long document on the device, and what some of its rows see; what is there stays."""

from __future__ import annotations

from typing import Any

import numpy as np

from attnviz.core.block_arrays import by_blocks
from attnviz.core.lineage import rows_between
from attnviz.core.seen_keys import SeenKeys
from attnviz.engine.blocks import FloatArray, IntArray, Problem, Rows
from attnviz.engine.device_memory import DeviceMemory
from attnviz.engine.spans import spans_of
from attnviz.engine.staging import AnyArray, Uploads
from attnviz.engine.walk_kernels import SeenOnDevice, WalkedHead

_MOST_SPANS = 8  # copies that are quicker than one of everything between them


class HeadOnDevice:
    """Keeps q, k and v of the head looked at last; after an edit only the rows it changed are sent."""

    def __init__(self, driver: Any, uploads: Uploads) -> None:
        self._uploads = uploads
        self._memory = {which: DeviceMemory(driver) for which in ("q", "k", "v")}
        self._held: dict[str, FloatArray] = {}

    def bring(self, which: str, array: FloatArray) -> int:
        """Bring q, k or v to the device as far as it is not there, and say where it is."""
        memory, held = self._memory[which], self._held.pop(which, None)  # until all of it is on its way
        row_bytes = 4 * array.shape[1]
        changed = None if held is None else rows_between(held, array)
        if changed is None and held is not array:
            memory.grow(row_bytes * len(array))
            spans = [(0, len(array))]
        else:
            spans = [] if changed is None else spans_of(changed, _MOST_SPANS)
        for span in spans:
            for first, rows in by_blocks(array, *span):
                part = np.ascontiguousarray(rows, np.float32)
                self._uploads.copy(part, memory.address + first * row_bytes)
        self._held[which] = array
        return memory.address

    def forget(self) -> None:
        """Take nothing on the device for right any more."""
        self._held.clear()

    def free(self) -> None:
        """Give all memory back."""
        self._held.clear()
        for memory in self._memory.values():
            memory.free()


class RowsOnDevice:
    """The rows of a walk and what they see.

    Notes
    -----
    On the device lie 20 bytes a row, a byte a key where some are hidden from all, and of a mask that is an
    array a byte a cell of what one launch looks at.
    """

    def __init__(self, driver: Any, uploads: Uploads) -> None:
        self._uploads, self.head = uploads, HeadOnDevice(driver, uploads)
        self._rows, self._ranges, self._hidden, self._allowed = (DeviceMemory(driver) for _ in range(4))
        self._cells: np.ndarray[Any, np.dtype[np.bool_]] | None = None
        self._seen = SeenOnDevice(None, 0, None)

    def arrange(self, problem: Problem, rows: IntArray, seen: SeenKeys) -> WalkedHead:
        """Have some rows of a head on the device."""
        q, k = self.head.bring("q", problem.q), self.head.bring("k", problem.k)
        put(self._uploads, self._rows, rows.astype(np.int32))
        self._cells = seen.cells
        ranges = hidden = None
        if seen.cells is None:
            edges = np.stack([edge for pair in seen.ranges for edge in pair])
            ranges = put(self._uploads, self._ranges, np.clip(edges, 0, seen.n_key).astype(np.int32))
            if seen.hidden_keys.size:
                flags = np.zeros(seen.n_key, np.uint8)
                flags[seen.hidden_keys] = 1
                hidden = put(self._uploads, self._hidden, flags)
        self._seen = SeenOnDevice(ranges, len(seen.ranges), hidden)
        sizes = (len(rows), problem.n_key, int(problem.q.shape[1]))
        return WalkedHead(q, k, self._rows.address, *sizes, float(problem.divisor))

    def seen(self, keys: Rows) -> SeenOnDevice:
        """Say what the rows see of a range of keys."""
        if self._cells is None:
            return self._seen
        part = np.ascontiguousarray(self._cells[:, slice(*keys)]).view(np.uint8)
        return SeenOnDevice(None, 0, None, put(self._uploads, self._allowed, part), keys)

    def free(self) -> None:
        """Give all memory back."""
        self.head.free()
        for memory in (self._rows, self._ranges, self._hidden, self._allowed):
            memory.free()


def put(uploads: Uploads, memory: DeviceMemory, array: AnyArray) -> int:
    """Have an array on the device, and say where it is."""
    memory.grow(max(1, array.nbytes))
    uploads.copy(np.ascontiguousarray(array), memory.address)
    return memory.address
