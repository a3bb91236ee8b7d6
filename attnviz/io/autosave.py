"""One autosave: what a window has not saved yet, kept where the next start finds it.

Each window that has something unsaved has a folder of its own, named by its process and a random part::

    autosave/4711-9f3a5c/lock              held locked while the process lives; says which file it belongs to
    autosave/4711-9f3a5c/session.attnviz   the document, written whole or not at all
    autosave/damaged-4711-9f3a5c.attnviz   one that could not be read, for a person to look at

A folder whose lock can be had belongs to a process that is gone. Nothing here knows a window or a thread.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attnviz.core.block_arrays import as_blocks
from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import Inputs
from attnviz.core.selection import Selection
from attnviz.io.errors import FileError, shown, writing_error

LOCK, SESSION = "lock", "session.attnviz"
MAX_COPIED_BYTES = 64 << 20
"""Most bytes of arrays that lie elsewhere which are copied after every few edits."""
_MOST_NOTE_BYTES = 1 << 16


@dataclass(frozen=True)
class Origin:
    """The file a document belongs to.

    Attributes
    ----------
    path
        Absolute.
    stamp
        Its time of change in ns and its size in bytes, or None where it was not there.
    """

    path: Path
    stamp: tuple[int, int] | None

    @classmethod
    def of(cls, path: Path) -> Origin:
        """Give a file as it is now."""
        path = path.absolute()
        return cls(path, _stamp(path))

    @property
    def is_unchanged(self) -> bool:
        """Whether the file is there as it was."""
        return self.stamp is not None and _stamp(self.path) == self.stamp


@dataclass(frozen=True)
class Note:
    """What is known of an autosave without reading its document.

    Attributes
    ----------
    title
        What the document is called.
    origin
        Its file, or None where it has none.
    """

    title: str = ""
    origin: Origin | None = None


@dataclass(frozen=True)
class Kept:
    """A document that an autosave holds."""

    inputs: Inputs
    selection: Selection


class Autosave:
    """The place of one window's unsaved document, locked until ``release`` or ``remove``.

    One thread at a time may use it.
    """

    def __init__(self, folder: Path, descriptor: int) -> None:
        self.folder = folder
        self._descriptor = descriptor
        self._note: Note | None = None

    @property
    def session(self) -> Path:
        """Where the document lies, or will lie."""
        return self.folder / SESSION

    @property
    def saved_at(self) -> float:
        """When the document was written, in seconds since 1970; 0 where there is none."""
        try:
            return self.session.stat().st_mtime
        except OSError:
            return 0.0

    @property
    def size(self) -> int:
        """Bytes of the document's file; 0 where there is none."""
        try:
            return self.session.stat().st_size
        except OSError:
            return 0

    def write(self, inputs: Inputs, selection: Selection, note: Note) -> None:
        """Keep a document in place of the one before.

        Raises
        ------
        FileError
            When it cannot be written, or would be a copy of much that lies elsewhere; the one before stays.
        """
        _refuse_to_copy(inputs)
        from attnviz.io.session import save_session  # only now, for a quick start

        if note != self._note:
            try:
                _write_note(self._descriptor, note)
            except OSError as error:
                raise writing_error(self.folder / LOCK, error) from error
            self._note = note
        save_session(self.session, inputs, selection, is_packed=False)

    def read(self) -> Kept:
        """Give the document.

        Raises
        ------
        FileError
            When it cannot be read.
        """
        from attnviz.io.session import open_session

        session = open_session(self.session)
        return Kept(session.inputs, session.selection)

    def note(self) -> Note:
        """Give what is known of the document; a note that makes no sense says nothing."""
        if self._note is None:
            self._note = _read_note(self._descriptor)
        return self._note

    def set_aside(self) -> Path:
        """Rename a document that cannot be read, so that it is offered no more, and give its new name.

        Raises
        ------
        FileError
            When it cannot be renamed; it stays where it is.
        """
        aside = self.folder.with_name(f"damaged-{self.folder.name}.attnviz")
        try:
            self.session.replace(aside)
        except OSError as error:
            raise writing_error(aside, error) from error
        self.remove()
        return aside

    def release(self) -> None:
        """Leave the document to whoever asks for it next."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def remove(self) -> None:
        """Delete the document: it is saved, or nobody wants it. What cannot be deleted stays."""
        if self._descriptor < 0:
            return
        empty(self.folder, keep=(LOCK,))
        if sys.platform == "win32":  # an open file cannot be deleted there
            self.release()
        with contextlib.suppress(OSError):
            (self.folder / LOCK).unlink()
        self.release()
        with contextlib.suppress(OSError):
            self.folder.rmdir()


def set_aside(autosave: Autosave, error: AttnvizError) -> FileError:
    """Set a document aside that cannot be read because of ``error``, and give the sentence that says so."""
    try:
        aside = autosave.set_aside()
    except FileError as refusal:
        autosave.release()
        return refusal
    return FileError(
        "An unsaved document could not be recovered and was set aside as “{path}”: {reason}",
        path=shown(aside),
        reason=error.values.get("reason", error),
    )


def empty(folder: Path, keep: Iterable[str]) -> None:
    """Delete attnviz's own files in a folder of its own."""
    ours = [path for path in _listed(folder) if path.name == SESSION or path.name.startswith(".attnviz-")]
    for path in ours:
        if path.name not in keep:
            with contextlib.suppress(OSError):
                path.unlink()


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


def _write_note(descriptor: int, note: Note) -> None:
    data: dict[str, Any] = {"title": note.title}
    if note.origin is not None:
        data |= {"path": os.fspath(note.origin.path), "stamp": note.origin.stamp}
    content = json.dumps(data).encode("ascii")  # half characters of a path or a sentence are escaped
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.ftruncate(descriptor, 0)
    while content:
        content = content[os.write(descriptor, content) :]


def _read_note(descriptor: int) -> Note:
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        data = json.loads(os.read(descriptor, _MOST_NOTE_BYTES))
    except (OSError, ValueError, RecursionError):
        return Note()
    if not isinstance(data, dict):
        return Note()
    title, path, stamp = data.get("title"), data.get("path"), data.get("stamp")
    origin = None
    if isinstance(path, str) and Path(path).is_absolute():
        match stamp:
            case [int(changed), int(size)]:
                origin = Origin(Path(path), (changed, size))
            case _:
                origin = Origin(Path(path), None)
    return Note(title if isinstance(title, str) else "", origin)


def _refuse_to_copy(inputs: Inputs) -> None:
    """Refuse to read large arrays from where they lie every few seconds, and any from a cluster."""
    arrays = (as_blocks(array) for head in inputs.heads for array in (head.q, head.k, head.v))
    elsewhere = [blocks for blocks in arrays if blocks is not None]
    got = sum(blocks.nbytes for blocks in elsewhere)
    if got > MAX_COPIED_BYTES or any(blocks.is_far for blocks in elsewhere):
        raise FileError(
            "q, k and v lie elsewhere, and {got} MB would be copied each time; save the document yourself.",
            got=got >> 20,
        )
