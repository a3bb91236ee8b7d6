"""The members of a zip file from anywhere: names and sizes are judged before anything is unpacked."""

from __future__ import annotations

import os
import re
import struct
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import BinaryIO

from attnviz.io.errors import FileError, shown

MAX_DIRECTORY_BYTES = 1 << 20  # 256 heads of three arrays need a tenth of this

DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,  # encrypted members; JSON nested too deeply
    struct.error,
    ValueError,
    OverflowError,
)
"""What zipfile raises where a file is damaged."""

_PART_BYTES = 1 << 20  # read at once, so that reading a large member can be stopped
_STARTS = (b"PK\x03\x04", b"PK\x05\x06")
_END = struct.Struct("<4s4H2LH")  # the end of a zip's directory, without a comment
_END64 = struct.Struct("<4sQ2H2L4Q")  # the same of a zip beyond 2 GiB
_LOCATOR = struct.Struct("<4sLQL")  # says where that stands, between the two


@dataclass
class Members:
    """The members of a zip, with what may still be read.

    Attributes
    ----------
    left
        Bytes that may still be unpacked.

    Raises
    ------
    FileError
        When a name is unsafe or stands twice, or a member is locked.
    """

    archive: zipfile.ZipFile
    left: int
    by_name: dict[str, zipfile.ZipInfo] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for info in self.archive.infolist():
            if not _is_plain_name(info.filename):
                raise FileError("It holds a file with the unsafe name “{name}”.", name=shown(info.filename))
            if info.filename in self.by_name:
                raise FileError("It holds “{name}” twice.", name=shown(info.filename))
            if info.flag_bits & 0x1:
                raise FileError("It is locked with a password.")
            self.by_name[info.filename] = info

    @property
    def unpacked_bytes(self) -> int:
        """What all members together say they have unpacked."""
        return sum(info.file_size for info in self.by_name.values())

    def read(self, name: str) -> bytes:
        """Give a member's bytes, checked against its checksum."""
        info = self.by_name.get(name)
        if info is None:
            raise FileError("“{name}” is missing in it.", name=shown(name))
        check_size(info.file_size, self.left)
        content = self._unpacked(info, info.file_size + 1)
        if len(content) != info.file_size:
            raise FileError("“{name}” is cut short.", name=shown(name))
        self.left -= len(content)
        return content

    def begin(self, name: str, length: int) -> bytes:
        """Give at most the first bytes of a member, unchecked."""
        return self._unpacked(self.by_name[name], length)

    def _unpacked(self, info: zipfile.ZipInfo, length: int) -> bytes:
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise FileError("“{name}” is packed in an unknown way.", name=shown(info.filename))
        content = bytearray()
        with self.archive.open(info) as member:
            while part := member.read(min(length - len(content), _PART_BYTES)):
                content += part
        return bytes(content)


def is_zip(start: bytes) -> bool:
    """Say whether a file that starts like this may be a zip."""
    return start[:4] in _STARTS


def check_directory(file: BinaryIO, most: int) -> None:
    """Refuse a zip of more than ``most`` bytes, and a directory whose listing would fill memory.

    zipfile asks for neither.
    """
    size = file.seek(0, os.SEEK_END)
    check_size(size, most)
    tail = _END64.size + _LOCATOR.size + _END.size
    file.seek(max(0, size - tail))
    ends = file.read(tail)
    end, before = ends[-_END.size :], ends[: -_END.size]
    if len(ends) < _END.size or not end.startswith(b"PK\x05\x06"):
        raise FileError("It is damaged or cut short.")
    directory_bytes, directory_start = _END.unpack(end)[5:7]
    end_bytes, locator = _END.size, before[-_LOCATOR.size :]
    if locator.startswith(b"PK\x06\x07"):
        place, end_bytes = _LOCATOR.unpack(locator)[2], tail
        if place != size - tail or not before.startswith(b"PK\x06\x06"):
            raise FileError("It is damaged or cut short.")
        directory_bytes, directory_start = _END64.unpack(before[: _END64.size])[8:10]
    if directory_bytes > MAX_DIRECTORY_BYTES:
        raise FileError("It holds far too many files.")
    if directory_start + directory_bytes + end_bytes > size:  # zipfile would look before the file's start
        raise FileError("It is damaged or cut short.")
    file.seek(0)


def check_size(got: int, most: int) -> None:
    """Refuse more bytes than may be."""
    if got > most:
        raise FileError(
            "It is too large: {got} MB unpacked, at most {wanted} MB.", got=-(-got >> 20), wanted=most >> 20
        )


def _is_plain_name(name: str) -> bool:
    return not name.startswith("/") and not re.search(r"[\\:\0]", name) and ".." not in name.split("/")
