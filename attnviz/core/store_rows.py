"""Rows of an array that is stored as chunks, such as zarr's: asked for by slices, wherever it is stored."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core.row_sources import LostArrayError, rows_per_block

LOOKED_AT_EVERY = 1.0
"""Seconds between two looks at all files of a store."""
MOST_FILES = 20_000
"""Files of a store whose sizes and times are compared; of those beyond it only that they are there."""

_Marks = tuple[int, int, int]


class StoreRows:
    """Rows of one head of a chunked array; see ``RowSource``.

    Parameters
    ----------
    array
        Has ``shape``, ``chunks`` and slices that numpy can read, (n, d) or (n_heads, n, d).
    head
        Whose rows; None: it has no axis of heads.
    name
        What it is called in sentences.

    Notes
    -----
    A store in a folder is compared with what it was by the number, the sizes and the times of its files. A
    chunk that is not there reads as zeros in such formats: so it is looked before and after.
    """

    def __init__(self, array: Any, head: int | None, name: str) -> None:
        rows, dims = array.shape[-2:]
        self.name, self.shape = name, (int(rows), int(dims))
        self.block_rows = rows_per_block(self.shape[1], min(int(array.chunks[-2]), self.shape[0]))
        self._array, self._head = array, head
        self._folder = _folder_of(array)
        self._lock = threading.Lock()
        self._looked = -LOOKED_AT_EVERY
        self._marks = None if self._folder is None else _marks(self._folder)

    def check(self) -> None:
        """Raise LostArrayError when files of the store changed or are gone; looks once a second."""
        folder = self._folder
        if folder is None:
            return
        if not any((folder / name).exists() for name in ("zarr.json", ".zarray")):
            raise LostArrayError(
                "“{name}” is not there any more; the picture shows what it held. "
                "Put it back, or open it from where it is now.",
                name=self.name,
            )
        with self._lock:
            now = time.monotonic()
            if now - self._looked < LOOKED_AT_EVERY:
                return
            is_same = _marks(folder) == self._marks
            if is_same:
                self._looked = now
        if not is_same:
            raise LostArrayError(
                "“{name}” has changed since it was opened; the picture shows what it held then. "
                "Open it again to see what it holds now.",
                name=self.name,
            )

    def read(self, first: int, last: int) -> NDArray[Any]:
        """Read a half-open range of rows, (rows, dims)."""
        self.check()
        rows = slice(first, last)
        try:
            found = np.asarray(self._array[rows] if self._head is None else self._array[self._head, rows])
        except Exception as error:  # of whatever it is stored in
            self.check()
            raise LostArrayError(
                "“{name}” cannot be read any more ({reason}); the picture shows what it held.",
                name=self.name,
                reason=str(error) or type(error).__name__,
            ) from error
        self.check()
        return found


def _folder_of(array: Any) -> Path | None:
    """Give the folder of this machine that an array of zarr is stored in; None where it is in none."""
    store = getattr(array, "store", None)
    root = getattr(store, "root", None) or getattr(store, "path", None)
    if not isinstance(root, str | os.PathLike):
        return None
    folder = Path(root) / str(getattr(array, "path", ""))
    return folder if folder.is_dir() else None


def _marks(folder: Path) -> _Marks:
    """Give the number of files, the sum of their sizes, and when the last of them was written."""
    count = size = latest = 0
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
                        continue
                    count += 1
                    if count <= MOST_FILES:
                        status = entry.stat()
                        size += status.st_size
                        latest = max(latest, status.st_mtime_ns)
        except OSError:  # it is just going
            return -1, -1, -1
    return count, size, latest
