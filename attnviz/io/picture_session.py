"""A PNG picture that carries its document: the session's bytes in text chunks that viewers pass over.

The format is in docs/session-format.md. What is read comes from anywhere: chunks are walked over, not loaded,
and every size is judged before it is believed.
"""

from __future__ import annotations

import base64
import binascii
import io
import os
import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from attnviz.core.inputs import Inputs
from attnviz.core.selection import Selection
from attnviz.io.errors import FileError
from attnviz.io.reading import Watch, part_of, tell, watched
from attnviz.io.session import Session, read_session, session_bytes

SUFFIX = ".png"
SIGNATURE = b"\x89PNG\r\n\x1a\n"
KEYWORD = b"attnviz-session"
"""Keyword of the iTXt chunks that hold the document."""

MAX_CARRIED_BYTES = 32 << 20
"""Most bytes that a document may have, as a session unpacked, to be carried by a picture."""
PIECE_BYTES = 720_000
"""Bytes of the session per chunk; as base64 they stay under the 1 MiB of text that Pillow takes in one."""

_MAX_CHUNKS = 1_000_000
_MAX_PIECES = 2 + (MAX_CARRIED_BYTES + (1 << 20)) // PIECE_BYTES
_MAX_CHUNK_BYTES = 1 << 20
_MAX_TEXT = 1 << 20
_HEAD = KEYWORD + b"\0"
_MIDDLE = b"\x01\x00\0\0"  # compressed, by zlib; no language, no translated keyword
_FIRST_LINE = re.compile(rb"(\d{1,4}) of (\d{1,4})\n")


def with_session(
    png: bytes, inputs: Inputs, selection: Selection, watch: Watch | None = None
) -> bytes | None:
    """Give a picture that carries a document, or None where the document is too large for that.

    Parameters
    ----------
    png
        A whole PNG file.
    watch
        Told how far packing is.

    Raises
    ------
    Stopped
        When ``watch`` has said no.
    ValueError
        When ``png`` does not end as a PNG file does.
    """
    content = session_bytes(inputs, selection, MAX_CARRIED_BYTES, part_of(watch, 0.0, 0.5))
    if content is None:
        return None
    end = _chunk(b"IEND", b"")
    if not png.startswith(SIGNATURE) or not png.endswith(end):
        raise ValueError("no PNG file was given")
    pieces = [content[start : start + PIECE_BYTES] for start in range(0, len(content), PIECE_BYTES)]
    chunks = []
    for number, piece in enumerate(pieces, 1):
        tell(part_of(watch, 0.5, 1.0), (number - 1) / len(pieces))
        text = b"%d of %d\n" % (number, len(pieces)) + base64.b64encode(piece)
        chunks.append(_chunk(b"iTXt", _HEAD + _MIDDLE + zlib.compress(text, 1)))
    return b"".join([png[: -len(end)], *chunks, end])


def is_picture(start: bytes) -> bool:
    """Say whether a file that starts like this is a PNG picture."""
    return start.startswith(SIGNATURE)


def read_picture_session(file: BinaryIO, watch: Watch | None = None) -> Session:
    """Read the document that a PNG file carries, from an open file that can be searched.

    ``watch`` is told how far that is; where it says no, ``Stopped`` is raised.

    Raises
    ------
    FileError, InputError
        When it carries none, or one that is damaged; the sentence does not name the file.
    """
    content = b"".join(_pieces(watched(file, part_of(watch, 0.0, 0.5))))
    if not content:
        raise FileError(
            "This picture carries no document; only one that attnviz exported with it opens as a document."
        )
    return read_session(watched(io.BytesIO(content), part_of(watch, 0.5, 1.0)))


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    """Give the parts of the session in their order, each checked."""
    got, wanted = 0, 0
    for chunk in _chunks(file):
        if chunk.kind != b"iTXt" or not chunk.begins_with(_HEAD):
            continue
        number, count, piece = _piece(chunk)
        if number != got + 1 or (wanted and count != wanted) or number > count or count > _MAX_PIECES:
            raise FileError("The document in this picture is damaged: its parts are not in order.")
        got, wanted = number, count
        yield piece
    if got != wanted:
        raise FileError(
            "The document in this picture is damaged: {got} of its {wanted} parts are there.",
            got=got,
            wanted=wanted,
        )


@dataclass(frozen=True)
class _Chunk:
    """A chunk of a PNG file whose content has not been read yet."""

    file: BinaryIO
    kind: bytes
    start: int
    length: int

    def begins_with(self, content: bytes) -> bool:
        self.file.seek(self.start)
        return self.file.read(min(len(content), self.length)) == content

    def content(self) -> bytes:
        """Give the content, checked against its checksum."""
        if self.length > _MAX_CHUNK_BYTES:
            raise FileError(
                "The document in this picture is damaged: a part of it has {got} bytes, at most {wanted} are "
                "possible.",
                got=self.length,
                wanted=_MAX_CHUNK_BYTES,
            )
        self.file.seek(self.start)
        content, check = self.file.read(self.length), self.file.read(4)
        if zlib.crc32(self.kind + content) != int.from_bytes(check, "big"):
            raise FileError("The document in this picture is damaged: a checksum is wrong.")
        return content


def _chunks(file: BinaryIO) -> Iterator[_Chunk]:
    """Walk over the chunks of a PNG file up to its end, reading nothing but their headers."""
    size = file.seek(0, os.SEEK_END)
    place = len(SIGNATURE)
    for _ in range(_MAX_CHUNKS):
        file.seek(place)
        header = file.read(8)
        if len(header) < 8:
            raise FileError("The picture is damaged or cut short.")
        length, kind = struct.unpack(">I4s", header)
        if place + 12 + length > size:
            raise FileError("The picture is damaged or cut short.")
        if kind == b"IEND":
            return
        yield _Chunk(file, kind, place + 8, length)
        place += 12 + length
    raise FileError("The picture has far too many chunks.")


def _piece(chunk: _Chunk) -> tuple[int, int, bytes]:
    """Give the number of a part, from 1, how many there are, and its bytes."""
    packed = chunk.content()[len(_HEAD) :]
    unpacker = zlib.decompressobj()
    try:
        if not packed.startswith(_MIDDLE):
            raise ValueError("another kind of text")
        text = unpacker.decompress(packed[len(_MIDDLE) :], _MAX_TEXT)
        first = _FIRST_LINE.match(text)
        if not unpacker.eof or unpacker.unused_data or first is None:
            raise ValueError("too long, or cut short")
        return int(first[1]), int(first[2]), base64.b64decode(text[first.end() :], validate=True)
    except (zlib.error, binascii.Error, ValueError) as error:
        raise FileError(
            "The document in this picture is damaged: a part of it cannot be unpacked."
        ) from error


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = zlib.crc32(kind + content)
    return len(content).to_bytes(4, "big") + kind + content + check.to_bytes(4, "big")
