"""Opening a document from whatever file holds one: a session, or a picture that carries one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from attnviz.io.picture_session import SIGNATURE, is_picture, read_picture_session
from attnviz.io.reading import Watch, reading, watched
from attnviz.io.session import Session, read_session


@dataclass(frozen=True)
class Opened:
    """A document from a file, and whether that file is a picture, to which nothing can be saved."""

    session: Session
    is_picture: bool


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
