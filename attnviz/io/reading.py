"""Opening a file to read: what is no plain file is refused, and every refusal names the file."""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from attnviz.core.errors import AttnvizError
from attnviz.io.errors import FileError, reading_error, shown


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
