"""Opening a document from whatever file holds one: a session, or a picture that carries one.

What a path leads to is told by its name and, where that is quick, by how its content begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from attnviz.io.array_files import SUFFIXES
from attnviz.io.errors import FileError
from attnviz.io.lessons import is_lesson
from attnviz.io.picture_session import SIGNATURE, is_picture, read_picture_session
from attnviz.io.reading import Watch, reading, watched
from attnviz.io.session import Session, read_session
from attnviz.io.text_files import SUFFIXES as TEXT_SUFFIXES
from attnviz.io.zarr_stores import store_at
from attnviz.io.zip_members import is_zip

Kind = Literal["lesson", "store", "arrays", "text", "document"]
"""What is to be done with a file: begin a lesson, look into a store, import arrays, split a text, open it."""


@dataclass(frozen=True)
class Opened:
    """A document from a file, and whether that file is a picture, to which nothing can be saved."""

    session: Session
    is_picture: bool


def kind_of(path: Path | str) -> Kind:
    """Say what a path leads to, by its name, and where it is a folder by what lies in it."""
    if is_lesson(path):
        return "lesson"
    if store_at(path) is not None:
        return "store"
    suffix = Path(path).suffix.lower()
    return "arrays" if suffix in SUFFIXES else "text" if suffix in TEXT_SUFFIXES else "document"


def check_beginning(path: Path | str) -> None:
    """Refuse early what is certainly no document, text or file of arrays; only its beginning is read.

    Raises
    ------
    FileError
        When there is no such file, it is empty, or it begins like nothing that can be opened.
    """
    with reading(path) as file:
        start = file.read(len(SIGNATURE))
        if not start:
            raise FileError("It is empty.")
        if kind_of(path) == "document" and not (is_picture(start) or is_zip(start)):
            raise FileError("It is not an attnviz session.")


def open_document(path: Path | str, watch: Watch | None = None) -> Opened:
    """Read a session, or the document that a PNG picture carries; the content decides, not the name.

    Parameters
    ----------
    watch
        Told how far reading is; where it says no, nothing more is read.

    Raises
    ------
    Stopped
        When ``watch`` has said no.
    FileError
        When there is no such file, or it holds no document, or anything in it is damaged; the sentence says
        what.
    """
    with reading(path) as file:
        picture = is_picture(file.read(len(SIGNATURE)))
        file.seek(0)
        if picture:
            return Opened(read_picture_session(file, watch), True)
        return Opened(read_session(watched(file, watch)), False)
