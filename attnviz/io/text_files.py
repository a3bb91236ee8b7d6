"""Plain text from a file, in the encodings people have books in: Unicode, Shift_JIS, EUC-JP, Windows-1252.

What encoding a file has is not written in it. Unicode says so by its first bytes or by being valid UTF-8;
text in one of the two Japanese encodings reads as kana where it is that; what is left is Western.
"""

from __future__ import annotations

import codecs
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from attnviz.io.errors import FileError
from attnviz.io.reading import Watch, reading, tell

SUFFIXES = (".txt", ".text", ".md")
MAX_BYTES = 64 << 20
"""Most bytes of a file: four for each character that a text may have."""

_PART = 1 << 16
"""Bytes that are read and decoded at once; others get a turn between two parts."""
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_JAPANESE = ("euc_jp", "cp932")  # in this order: Shift_JIS is hardly ever valid EUC-JP, the converse often
_WESTERN = "cp1252"
_KANA = re.compile("[ぁ-んァ-ヶ]")
_LOOKED_AT = 10_000
"""Characters that say whether a text is Japanese; one in fifty of them has to be kana."""
_NAMES = {"utf-8": "UTF-8", "euc_jp": "EUC-JP", "cp932": "Shift_JIS", _WESTERN: "Windows-1252"}


@dataclass(frozen=True)
class TextFile:
    """A text, and the name of the encoding it was in."""

    text: str
    encoding: str


def read_text(path: Path | str, watch: Watch | None = None) -> TextFile:
    """Read a plain text.

    Parameters
    ----------
    watch
        Told how far reading is; where it says no, nothing more is read.

    Raises
    ------
    Stopped
        When ``watch`` has said no.
    FileError
        When there is no such file, it is empty, has more than 64 MB, or is no text in a known encoding.
    """
    with reading(path) as file:
        size = file.seek(0, os.SEEK_END)
        if size > MAX_BYTES:
            raise FileError(
                "It is too large: {got} MB, and a text may have {wanted} MB.",
                got=-(-size >> 20),
                wanted=MAX_BYTES >> 20,
            )
        file.seek(0)
        start = file.read(4)
        if not start:
            raise FileError("It is empty.")
        mark, encoding = next((each for each in _MARKS if start.startswith(each[0])), (b"", "utf-8"))
        encodings = (encoding,) if mark else (encoding, *_JAPANESE, _WESTERN)
        for encoding in encodings:
            file.seek(len(mark))
            text = _decoded(file, encoding, size, watch)
            if text is not None:
                return TextFile(text, _NAMES.get(encoding, encoding.upper()[:6]))
        raise FileError("It is no text in an encoding that is known; save it as UTF-8.")


def _decoded(file: BinaryIO, encoding: str, size: int, watch: Watch | None) -> str | None:
    """Give the text from here to the end of a file, None where it is not in this encoding."""
    decoder, parts, done = codecs.getincrementaldecoder(encoding)(), [], 0
    try:
        while part := file.read(_PART):
            tell(watch, done / size)
            done += len(part)
            is_wide = encoding.startswith(("utf-16", "utf-32"))  # where every letter has bytes of zero
            if not is_wide and b"\0" in part:
                raise FileError("It is no text: there are NUL characters in it.")
            parts.append(decoder.decode(part))
            if is_wide and "\0" in parts[-1]:
                raise FileError("It is no text: there are NUL characters in it.")
            if len(parts) == 1 and encoding in _JAPANESE and not _is_japanese(parts[0]):
                return None
        parts.append(decoder.decode(b"", final=True))
    except UnicodeDecodeError:
        return None
    return "".join(parts)


def _is_japanese(text: str) -> bool:
    looked_at = text[:_LOOKED_AT]
    return len(_KANA.findall(looked_at)) * 50 > len(looked_at)
