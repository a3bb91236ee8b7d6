"""Plain text from a file, in the encodings people have books in: Unicode, the Japanese ones, Windows-1252.

What encoding a file has is not written in it. Unicode says so by its first bytes or by being valid UTF-8;
text in a Japanese encoding has its escapes or reads as kana; what is left is Western, where it reads as that.
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
"""Characters that say whether a text is Japanese, from the first on that is not of ASCII; one in fifty of
them has to be kana."""
_FOREIGN = re.compile(r"[^\0-\x7f]")
_ESCAPES = ("\x1b$B", "\x1b$@")
"""What of ISO-2022-JP begins Japanese; it is valid UTF-8 too."""
_OF_WIDE = frozenset(b"\t\n\r") | frozenset(range(0x20, 0x7F)) | frozenset(range(0xA0, 0x100))
"""What stands beside a byte of zero where every letter has two bytes."""
_AFTER = "[\xa0-¿€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"
_UTF_8_READ_AS_WESTERN = re.compile(f"[Â-ß]{_AFTER}|[à-ï]{_AFTER}{{2}}|[ð-ô]{_AFTER}{{3}}")
_MOST_FOREIGN = 0.5
"""The most characters of a Western text, spaces aside, that are none of ASCII; of French one in ten is."""
_FEW = 20
"""So many that are not of ASCII tell nothing."""
_NAMES = {
    "utf-8": "UTF-8",
    "euc_jp": "EUC-JP",
    "cp932": "Shift_JIS",
    "iso2022_jp": "ISO-2022-JP",
    _WESTERN: "Windows-1252",
}


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
        start = file.read(_PART)
        if not start:
            raise FileError("It is empty.")
        mark, encoding = next((each for each in _MARKS if start.startswith(each[0])), (b"", ""))
        encodings = (encoding,) if mark else (*_unmarked_wide(start), "utf-8", *_JAPANESE, _WESTERN)
        for encoding in encodings:
            file.seek(len(mark))
            text = _decoded(file, encoding, size, watch)
            if text is not None and encoding == "utf-8" and any(escape in text for escape in _ESCAPES):
                file.seek(len(mark))
                japanese = _decoded(file, "iso2022_jp", size, watch)
                if japanese is not None:
                    return TextFile(japanese, _NAMES["iso2022_jp"])
            if text is not None and (encoding != _WESTERN or _is_western(text)):
                return TextFile(text, _NAMES.get(encoding, encoding.upper()[:6]))
        place = _damaged_at(file) if "utf-8" in encodings else None
        if place is not None:
            raise FileError(
                "It is damaged: it is UTF-8 up to byte {place}, but not what stands there; put that right, "
                "or save the text as UTF-8 again.",
                place=f"{place:,}",
            )
        raise FileError("It is no text in an encoding that is known; save it as UTF-8.")


def _decoded(file: BinaryIO, encoding: str, size: int, watch: Watch | None) -> str | None:
    """Give the text from here to the end of a file, None where it is not in this encoding."""
    decoder, parts, done = codecs.getincrementaldecoder(encoding)(), [], 0
    looked_at: str | None = "" if encoding in _JAPANESE else None
    is_wide = encoding.startswith(("utf-16", "utf-32"))  # where every letter has bytes of zero
    try:
        while part := file.read(_PART):
            tell(watch, done / size)
            done += len(part)
            if not is_wide and b"\0" in part:
                raise FileError("It is no text: there are NUL characters in it.")
            parts.append(decoder.decode(part))
            if is_wide and "\0" in parts[-1]:
                raise FileError("It is no text: there are NUL characters in it.")
            if looked_at is not None:
                begin = None if looked_at else _FOREIGN.search(parts[-1])
                looked_at += parts[-1] if looked_at else "" if begin is None else parts[-1][begin.start() :]
                if len(looked_at) >= _LOOKED_AT:
                    if not _is_japanese(looked_at):
                        return None
                    looked_at = None
        parts.append(decoder.decode(b"", final=True))
    except UnicodeDecodeError:
        return None
    if looked_at is not None and not _is_japanese(looked_at):
        return None
    return "".join(parts)


def _unmarked_wide(start: bytes) -> tuple[str, ...]:
    """Give the encoding of UTF-16 without a mark, which its bytes of zero tell: each beside a letter."""
    even, odd = start[::2], start[1::2]
    if 0 in odd and 0 not in even:
        letters, encoding = {a for a, b in zip(even, odd, strict=False) if b == 0}, "utf-16-le"
    elif 0 in even and 0 not in odd:
        letters, encoding = {b for a, b in zip(even, odd, strict=False) if a == 0}, "utf-16-be"
    else:
        return ()
    return (encoding,) if letters <= _OF_WIDE else ()


def _is_western(text: str) -> bool:
    """Say whether a text reads as Western, and not as another read as that, or UTF-8 with a fault."""
    foreign = len(_FOREIGN.findall(text))
    if sum(map(len, _UTF_8_READ_AS_WESTERN.findall(text))) * 2 > foreign:
        return False
    return foreign <= _FEW or foreign <= _MOST_FOREIGN * (len(text) - text.count(" "))


def _damaged_at(file: BinaryIO) -> int | None:
    """Give the first byte that is not UTF-8 of a file that otherwise seems to be it, else None."""
    file.seek(0)
    whole = file.read()
    try:
        whole.decode("utf-8")
    except UnicodeDecodeError as error:
        good = len(_FOREIGN.findall(whole[: error.start].decode("utf-8")))
        return error.start if good > _FEW else None
    return None


def _is_japanese(text: str) -> bool:
    looked_at = text[:_LOOKED_AT]
    return len(_KANA.findall(looked_at)) * 50 > len(looked_at)
