"""q, k and v of a document's heads on the device, of which only changed rows are uploaded.

All heads lie one behind the other, so that neighbouring heads of one shape form a stack a single launch can
take.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attnviz.core.inputs import Inputs
from attnviz.engine.blocks import FloatArray
from attnviz.engine.changes import changed_rows
from attnviz.engine.device_memory import DeviceMemory
from attnviz.engine.spans import spans_of
from attnviz.engine.staging import Uploads

_WHICH = ("q", "k", "v")
_MOST_SPANS = 8  # copies that are quicker than one of everything between them


@dataclass(frozen=True)
class Place:
    """Device addresses of a head's vectors, float32 (n_query, d_k), (n_key, d_k) and (n_key, d_v)."""

    q: int
    k: int
    v: int


class VectorsOnDevice:
    """Keeps what lies where, array by array: one that is the very same object is not looked at again."""

    def __init__(self, driver: Any, uploads: Uploads) -> None:
        self._uploads = uploads
        self._memory = {which: DeviceMemory(driver) for which in _WHICH}
        self._shapes: list[tuple[int, int, int, int]] = []
        self._offsets: dict[str, list[int]] = {}
        self._held: dict[tuple[str, int], FloatArray] = {}

    def arrange(self, inputs: Inputs) -> None:
        """Make room for all heads of a document; nothing is uploaded yet."""
        shapes = [(inputs.n_query, inputs.n_key, head.d_k, head.d_v) for head in inputs.heads]
        if shapes == self._shapes:
            return
        self._held.clear()
        self._shapes = []
        sizes = {
            "q": [4 * n_query * d_k for n_query, _, d_k, _ in shapes],
            "k": [4 * n_key * d_k for _, n_key, d_k, _ in shapes],
            "v": [4 * n_key * d_v for _, n_key, _, d_v in shapes],
        }
        for which, memory in self._memory.items():
            memory.grow(sum(sizes[which]))
        self._offsets = {which: _starts(of_heads) for which, of_heads in sizes.items()}
        self._shapes = shapes

    def place(self, inputs: Inputs, head: int) -> Place:
        """Bring a head's vectors to the device as far as they are not there, and say where they are."""
        vectors = inputs.heads[head]
        q, k, v = (self._bring(which, head, getattr(vectors, which)) for which in _WHICH)
        return Place(q, k, v)

    def _bring(self, which: str, head: int, array: FloatArray) -> int:
        address = self._memory[which].address + self._offsets[which][head]
        held = self._held.get((which, head))
        if held is array:
            return address
        spans = [(0, len(array))] if held is None else spans_of(changed_rows(held, array), _MOST_SPANS)
        self._held.pop((which, head), None)  # until all of it is on its way
        row_bytes = 4 * array.shape[1]
        for first, last in spans:
            self._uploads.copy(array[first:last], address + first * row_bytes)
        self._held[which, head] = array
        return address

    def stack_from(self, head: int) -> int:
        """Give how many heads from this one on, itself included, have its shape."""
        shapes = self._shapes
        last = head
        while last < len(shapes) and shapes[last] == shapes[head]:
            last += 1
        return last - head

    def forget(self) -> None:
        """Take nothing on the device for right any more."""
        self._held.clear()

    def free(self) -> None:
        """Give all memory back."""
        self._held.clear()
        self._shapes = []
        for memory in self._memory.values():
            memory.free()


def _starts(sizes: list[int]) -> list[int]:
    starts = [0]
    for size in sizes:
        starts.append(starts[-1] + size)
    return starts
