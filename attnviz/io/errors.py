"""What goes wrong with a file, in one sentence."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from attnviz.core.errors import AttnvizError
from attnviz.core.numbers import shorten


class FileError(AttnvizError):
    """A file that cannot be read, written or understood; nothing was changed."""


def shown(path: Path | str) -> str:
    """Give a path fit for a sentence: on one line, printable, not endless."""
    return shorten(str(path), 300)


def reading_error(path: Path, error: OSError | ValueError) -> FileError:
    """Give the sentence for an error that the system raised when ``path`` was read."""
    code = error.errno if isinstance(error, OSError) else None
    if code in (errno.ENOENT, errno.ENOTDIR):
        return FileError("There is no file “{path}”.", path=shown(path))
    if code in (errno.EACCES, errno.EPERM):
        return FileError("“{path}” cannot be read: permission is denied.", path=shown(path))
    return FileError("“{path}” cannot be read: {reason}.", path=shown(path), reason=_reason(error))


def writing_error(path: Path, error: OSError | ValueError) -> FileError:
    """Give the sentence for an error that the system raised when ``path`` was written."""
    code = error.errno if isinstance(error, OSError) else None
    name, folder = shown(path), shown(path.parent)
    if code == errno.ENOENT:
        place = Path(os.path.realpath(path)).parent if path.is_symlink() else path.parent
        if not place.is_dir():  # /proc is there and takes no new files
            return FileError(
                "“{path}” cannot be written: there is no folder “{folder}”.", path=name, folder=shown(place)
            )
    if code == errno.ENOTDIR:
        return FileError("“{path}” cannot be written: “{folder}” is not a folder.", path=name, folder=folder)
    if code == errno.EISDIR:
        return FileError("“{path}” cannot be written: it is a folder; name a file.", path=name)
    if code in (errno.EACCES, errno.EPERM):
        return FileError("“{path}” cannot be written: permission is denied for it or its folder.", path=name)
    if code == errno.EROFS:
        return FileError("“{path}” cannot be written: its folder is read-only.", path=name)
    if code in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return FileError("“{path}” cannot be written: the disk is full.", path=name)
    if code == errno.ENAMETOOLONG:
        return FileError("“{path}” cannot be written: the name is too long.", path=name)
    return FileError("“{path}” cannot be written: {reason}.", path=name, reason=_reason(error))


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
