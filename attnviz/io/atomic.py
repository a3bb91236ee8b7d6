"""Writing a file whole or not at all: a temporary file beside it, flushed to disk, then put in place.

Whatever goes wrong, the old file stays as it was and no temporary file is left.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from attnviz.io.errors import FileError, shown, writing_error

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def write_bytes(path: Path | str, content: bytes) -> None:
    """Write ``content`` to ``path``, whole or not at all.

    Raises
    ------
    FileError
        When it cannot be written; the old file, if any, is untouched.
    """
    with replacing(path) as file:
        file.write(content)


@contextlib.contextmanager
def replacing(path: Path | str) -> Iterator[BinaryIO]:
    """Give a file to write to, which takes the place of ``path`` when the block ends without an error.

    An existing file keeps its mode; a symbolic link stays one and its target is replaced.

    Raises
    ------
    FileError
        When it cannot be written; the old file, if any, is untouched.
    """
    path = Path(path)
    try:
        target, mode = _checked_target(path)
        temporary = target.with_name(f".attnviz-{secrets.token_hex(6)}.tmp")
        descriptor = os.open(temporary, _NEW, 0o666)  # less what the umask takes away
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise writing_error(path, error) from error
    try:
        with os.fdopen(descriptor, "w+b") as file:
            if mode is not None:
                temporary.chmod(mode)
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except OSError as error:
        raise writing_error(path, error) from error
    finally:
        with contextlib.suppress(OSError):  # after a success it is gone
            temporary.unlink()
    _flush_folder(target.parent)


def check_writable(path: Path | str) -> None:
    """Say early, before long work, that ``path`` cannot be written; nothing is created.

    Raises
    ------
    FileError
        When its folder is missing or may not be written to, or it is a folder itself.
    """
    path = Path(path)
    try:
        target, _ = _checked_target(path)
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise writing_error(path, error) from error


def _checked_target(path: Path) -> tuple[Path, int | None]:
    """Give what ``path`` leads to and its mode, or None where there is nothing yet."""
    target = Path(os.path.realpath(path))
    if not stat.S_ISDIR(target.parent.stat().st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    try:
        found = target.stat()
    except FileNotFoundError:
        return target, None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(found.st_mode):
        raise FileError("“{path}” cannot be written: it is a device or a pipe, not a file.", path=shown(path))
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return target, stat.S_IMODE(found.st_mode)


def _flush_folder(folder: Path) -> None:
    """Make the new name survive a power failure, where the system can do that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
