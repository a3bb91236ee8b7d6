"""k and v in the form that products read fastest, kept from one computation to the next.

Making them ready takes a twentieth of a pass over all keys. Vectors are immutable, so whoever comes back to a
head, or looks at it under another mask, finds them by the arrays they were made of.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from weakref import ref

from attnviz.engine.alignment import FloatArray, aligned
from attnviz.engine.products import rows_to_columns

_Key = tuple[int, Callable[[FloatArray], FloatArray]]


class ReadyVectors:
    """Makes k and v ready, and keeps the results while their arrays live. Any thread may ask.

    Parameters
    ----------
    max_bytes
        The most bytes kept; what was not asked for longest goes first.
    """

    def __init__(self, max_bytes: int = 64 << 20) -> None:
        self._max_bytes = max_bytes
        self._lock = Lock()
        self._kept: dict[_Key, tuple[ref[FloatArray], FloatArray]] = {}  # the longest unused first

    @property
    def kept_bytes(self) -> int:
        """Bytes of all that is kept."""
        return sum(made.nbytes for _, made in self._kept.values())

    def keys_down(self, k: FloatArray) -> FloatArray:
        """Give k side by side, (d_k, n_key) in C order and aligned."""
        return self._get(k, rows_to_columns)

    def values(self, v: FloatArray) -> FloatArray:
        """Give v aligned, itself where it is."""
        return self._get(v, aligned)

    def forget_the_gone(self) -> None:
        """Let go what was made of arrays that are garbage."""
        with self._lock:
            for key in [key for key, (array, _) in self._kept.items() if array() is None]:
                del self._kept[key]

    def close(self) -> None:
        """Let everything go."""
        with self._lock:
            self._kept.clear()

    def _get(self, array: FloatArray, make: Callable[[FloatArray], FloatArray]) -> FloatArray:
        key = (id(array), make)
        with self._lock:  # who waits here needs what is just being made
            of, made = self._kept.pop(key, (None, None))
            if of is None or made is None or of() is not array:  # an id is given again
                made = make(array)
                if made is array:
                    return made
            self._kept[key] = (ref(array), made)
            while self.kept_bytes > self._max_bytes:
                del self._kept[next(iter(self._kept))]
            return made
