"""The folder of all autosaves: a place for a new one, and those that processes which are gone have left.

A folder whose lock can be had belongs to a process that is gone: the system takes a lock back when a process
ends, however it ends, while a process's number may be another's already.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from attnviz.io.autosave import LOCK, SESSION, Autosave, empty
from attnviz.io.errors import FileError, shown, writing_error
from attnviz.io.file_lock import try_lock

MOST_KEPT = 20
"""Autosaves of processes that are gone; of more, the oldest are deleted."""
MOST_BYTES = 2 << 30
"""Bytes that these may have together; the newest stays whatever it has."""

_MOST_LISTED = 1000  # of a folder that somebody has filled with other things
_OPEN = getattr(os, "O_BINARY", 0)
_TRIES = 16


def place() -> Path:
    """Give the folder of all autosaves of this user; it need not be there yet."""
    if sys.platform == "win32":
        state = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        state = Path.home() / "Library" / "Application Support"
    else:
        state = Path(os.environ.get("XDG_STATE_HOME", ""))
        if not state.is_absolute():  # a relative one counts as unset
            state = Path.home() / ".local" / "state"
    return state / "attnviz" / "autosave"


def create(where: Path) -> Autosave:
    """Make a place for a window's document in the folder of all autosaves.

    Raises
    ------
    FileError
        When that cannot be done: the disk is full or may not be written to, or locks cannot be had there.
    """
    try:
        where.mkdir(mode=0o700, parents=True, exist_ok=True)  # a document is nobody else's business
        for _ in range(_TRIES):
            made = _try_create(where / f"{os.getpid()}-{os.urandom(3).hex()}")
            if made is not None:
                return made
    except OSError as error:
        raise writing_error(where, error) from error
    raise FileError("“{path}” cannot be written: files cannot be locked there.", path=shown(where))


def abandoned(where: Path) -> list[Autosave]:
    """Give the autosaves of processes that are gone, the latest first; they are the caller's from now on.

    What is left of a write that was cut off is deleted, and so are the oldest beyond ``MOST_KEPT`` and
    ``MOST_BYTES``. Two callers at once never get the same one.
    """
    found = [autosave for folder in _folders(where) if (autosave := _claimed(folder)) is not None]
    found.sort(key=lambda autosave: (-autosave.saved_at, autosave.folder.name))
    left = MOST_BYTES
    kept: list[Autosave] = []
    for autosave in found:
        left -= autosave.size
        if kept and (left < 0 or len(kept) >= MOST_KEPT):
            autosave.remove()
        else:
            kept.append(autosave)
    return kept


def _folders(where: Path) -> list[Path]:
    try:
        with os.scandir(where) as entries:
            listed = [
                entry for entry, _ in zip(entries, range(_MOST_LISTED), strict=False) if "-" in entry.name
            ]
        return [Path(entry.path) for entry in listed if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _try_create(folder: Path) -> Autosave | None:
    """Make and lock a folder; None where the name is taken or was just cleaned away."""
    try:
        folder.mkdir(mode=0o700)
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL | _OPEN, 0o600)
    except (FileExistsError, FileNotFoundError):
        return None
    if try_lock(descriptor) and _is_still(folder / LOCK, descriptor):
        return Autosave(folder, descriptor)
    os.close(descriptor)
    with contextlib.suppress(OSError):
        (folder / LOCK).unlink()
        folder.rmdir()
    return None


def _claimed(folder: Path) -> Autosave | None:
    """Lock a folder whose process is gone, and clean it; None where it is in use or holds no document."""
    lock = folder / LOCK
    try:
        descriptor = os.open(lock, os.O_RDWR | _OPEN)
    except FileNotFoundError:
        with contextlib.suppress(OSError):
            folder.rmdir()  # only where it is empty: a process was killed while it made or deleted it
        return None
    except OSError:
        return None
    if not (try_lock(descriptor) and _is_still(lock, descriptor)):
        os.close(descriptor)
        return None
    autosave = Autosave(folder, descriptor)
    empty(folder, keep=(LOCK, SESSION))
    if autosave.session.is_file():
        return autosave
    autosave.remove()
    return None


def _is_still(path: Path, descriptor: int) -> bool:
    """Say whether an open file still has its name: it may have been deleted before it could be locked."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except OSError:
        return False
