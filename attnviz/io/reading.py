"""Opening a file to read: what is no plain file is refused, and every refusal names the file.

Whoever reads may watch how far that is, and stop it.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from attnviz.core.errors import AttnvizError
from attnviz.io.errors import FileError, reading_error, shown

Watch = Callable[[float], bool]
"""Told how far reading is, from 0 to 1; answers whether to go on."""


_TOLD_BYTES = 1 << 16  # read between two calls of a Watch: a file of tiny parts tells no more often


class Stopped(Exception):  # noqa: N818 - it is no error
    """Nobody wants a file any more that is being read; no error, and nothing to be said."""


def tell(watch: Watch | None, fraction: float) -> None:
    """Tell a Watch how far something is; where it says no, raise ``Stopped``."""
    if watch is not None and not watch(fraction):
        raise Stopped


def part_of(watch: Watch | None, first: float, last: float) -> Watch | None:
    """Give a Watch for work that is a part of all there is to be done, from ``first`` to ``last``."""
    return None if watch is None else lambda fraction: watch(first + (last - first) * fraction)


def watched(file: BinaryIO, watch: Watch | None) -> BinaryIO:
    """Give a file that tells, with what is read from it, how much of it that was in all.

    Parameters
    ----------
    file
        What is read; it can be searched, and is closed by whoever opened it.
    watch
        Told before a read, now and then; where it says no, ``Stopped`` is raised. None: the file itself.
    """
    return file if watch is None else cast(BinaryIO, _WatchedFile(file, watch))


class _WatchedFile(io.RawIOBase):
    """See ``watched``."""

    def __init__(self, file: BinaryIO, watch: Watch) -> None:
        super().__init__()
        self._file, self._watch = file, watch
        self._size = max(1, file.seek(0, os.SEEK_END))
        self._got = self._told = 0  # bytes
        file.seek(0)

    def read(self, size: int = -1, /) -> bytes:
        """Give the next bytes, all that are left where ``size`` is −1."""
        if self._got >= self._told:
            tell(self._watch, min(1.0, self._got / self._size))
            self._told = self._got + _TOLD_BYTES
        content = self._file.read(size)
        self._got += len(content)
        return content

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Go to a place; give it, counted from the beginning."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Give the place, counted from the beginning."""
        return self._file.tell()

    def seekable(self) -> bool:
        """Say that it can be searched."""
        return True


@contextlib.contextmanager
def reading(path: Path | str) -> Iterator[BinaryIO]:
    """Give a file to read from; what is raised within says the file's name outside.

    Raises
    ------
    FileError
        When there is no such file, or it is a folder or a device, or cannot be read; and for every
        AttnvizError raised within the block.
    """
    if path == "":
        raise FileError("There is no file “{path}”.", path="")  # to pathlib it would be the folder here
    path = Path(path)
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise FileError("It is a folder.")
        if not stat.S_ISREG(status.st_mode):
            raise FileError("It is a device or a pipe, not a file.")
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise reading_error(path, error) from error
    except AttnvizError as reason:
        raise FileError("“{path}” cannot be opened: {reason}", path=shown(path), reason=reason) from reason
    except ValueError as error:  # a path with a NUL
        raise reading_error(path, error) from error
