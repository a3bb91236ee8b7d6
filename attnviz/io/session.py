"""Sessions: one document with its selection in one zip file; the format is in docs/session-format.md.

A file is judged before it is believed: names, declared sizes and really read sizes are limited, so that no
file can exhaust memory, and everything wrong is one sentence.
"""

from __future__ import annotations

import json
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from numpy.typing import NDArray

from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import Inputs
from attnviz.core.selection import Selection
from attnviz.io.atomic import replacing
from attnviz.io.document_json import document_json, read_document
from attnviz.io.errors import FileError, reading_error, shown
from attnviz.io.npy import npy_bytes, read_npy

SUFFIX = ".attnviz"
FORMAT = "attnviz-session"
VERSION = 2
"""The newest version that is read and written; 2 came with x, W_O and more kinds of mask."""

MAX_BYTES = 512 << 20
"""Most bytes a session may hold unpacked, and the most its file may have."""
MAX_JSON_BYTES = 16 << 20
MAX_DIRECTORY_BYTES = 1 << 20  # 256 heads of three arrays need a tenth of this

_ROW = re.compile(r'\[\n([^\[\]{}"]+)\]')  # numbers only: a line each would be hard to read
_MAIN = "session.json"
_END = struct.Struct("<4s4H2LH")  # the end of a zip's directory, without a comment
_ZIP64_LOCATOR = 20
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,  # encrypted members; JSON nested too deeply
    struct.error,
    ValueError,
    OverflowError,
)


@dataclass(frozen=True)
class Session:
    """What a session file holds."""

    inputs: Inputs
    selection: Selection


def save_session(path: Path | str, inputs: Inputs, selection: Selection, *, is_packed: bool = True) -> None:
    """Write a session, whole or not at all; the same document always gives the same bytes.

    Parameters
    ----------
    path, inputs, selection
        Where to, and what.
    is_packed
        Whether arrays are deflated; stored, they take a tenth of the time and up to twice the room.

    Raises
    ------
    FileError
        When it cannot be written, or is too large to be opened again; an old file stays as it was.
    """
    arrays: dict[str, NDArray[Any]] = {}
    document = document_json(inputs, selection.clamped(inputs), arrays.__setitem__)
    main = _dump({"format": FORMAT, "version": _version_of(inputs), **document})
    size = len(main) + sum(array.nbytes + 256 for array in arrays.values())
    if size > MAX_BYTES or len(main) > MAX_JSON_BYTES:
        raise FileError(
            "“{path}” cannot be written: the document is too large for a session ({got} MB).",
            path=shown(path),
            got=size >> 20,
        )
    with replacing(path) as file, zipfile.ZipFile(file, "w") as archive:
        _add(archive, _MAIN, main)
        for name, array in arrays.items():
            _add(archive, name, npy_bytes(array), is_packed=is_packed)


def open_session(path: Path | str) -> Session:
    """Read a session.

    Raises
    ------
    FileError
        When there is no such file, or it is no session of a known version, or anything in it is damaged; the
        sentence says what.
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
            return _read(file)
    except OSError as error:
        raise reading_error(path, error) from error
    except AttnvizError as reason:
        raise FileError("“{path}” cannot be opened: {reason}", path=shown(path), reason=reason) from reason
    except ValueError as error:  # a path with a NUL
        raise reading_error(path, error) from error


def _read(file: BinaryIO) -> Session:
    _check_directory(file)
    try:
        with zipfile.ZipFile(file) as archive:
            members = _Members(archive, MAX_BYTES)
            data = _parse(members.read(_MAIN))
            _check_kind(data)
            inputs, selection = read_document(data, members.array)
    except AttnvizError:
        raise
    except _DAMAGE as error:
        raise FileError("It is damaged.") from error
    return Session(inputs, selection)


@dataclass
class _Members:
    """The members of a session's zip, with what may still be read."""

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
        _check_size(sum(info.file_size for info in self.by_name.values()), MAX_BYTES)
        if _MAIN not in self.by_name:
            raise FileError("It is a zip file of something else: there is no “{name}” in it.", name=_MAIN)
        _check_size(self.by_name[_MAIN].file_size, MAX_JSON_BYTES)

    def read(self, name: str) -> bytes:
        """Give a member's bytes, checked against its checksum."""
        info = self.by_name.get(name)
        if info is None:
            raise FileError("“{name}” is missing in it.", name=shown(name))
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise FileError("“{name}” is packed in an unknown way.", name=shown(name))
        _check_size(info.file_size, self.left)
        with self.archive.open(info) as member:
            content = member.read(info.file_size + 1)
        if len(content) != info.file_size:
            raise FileError("“{name}” is cut short.", name=shown(name))
        self.left -= len(content)
        return content

    def array(self, name: str, kind: str) -> NDArray[Any]:
        """Give a member as an array of ``<f4`` or ``|b1``."""
        return read_npy(self.read(name), kind, shown(name))


def _version_of(inputs: Inputs) -> int:
    """Give the oldest version that can say all of a document: an older attnviz opens what it knows."""
    is_layer = any(part is not None for part in (inputs.x, inputs.w_o, inputs.b_o))
    is_old = not is_layer and inputs.mask.kind in ("causal", "none", "custom")
    return 1 if is_old else VERSION


def _check_directory(file: BinaryIO) -> None:
    """Refuse what is no zip, and a directory whose listing would fill memory (zipfile does not ask)."""
    start = file.read(4)
    size = file.seek(0, os.SEEK_END)
    if not size:
        raise FileError("It is empty.")
    if start not in (b"PK\x03\x04", b"PK\x05\x06"):
        raise FileError("It is not an attnviz session.")
    _check_size(size, MAX_BYTES)
    tail = _END.size + _ZIP64_LOCATOR
    file.seek(max(0, size - tail))
    end = file.read(tail)
    if len(end) < _END.size or not end[-_END.size :].startswith(b"PK\x05\x06"):
        raise FileError("It is damaged or cut short.")
    directory_bytes, directory_start = _END.unpack(end[-_END.size :])[5:7]
    if end.startswith(b"PK\x06\x07") or directory_bytes > MAX_DIRECTORY_BYTES:
        raise FileError("It holds far too many files for a session.")
    if directory_start + directory_bytes + _END.size > size:  # zipfile would look before the file's start
        raise FileError("It is damaged or cut short.")
    file.seek(0)


def _check_size(got: int, most: int) -> None:
    if got > most:
        raise FileError(
            "It is too large: {got} MB unpacked, at most {wanted} MB.", got=-(-got >> 20), wanted=most >> 20
        )


def _is_plain_name(name: str) -> bool:
    return not name.startswith("/") and not re.search(r"[\\:\0]", name) and ".." not in name.split("/")


def _check_kind(data: object) -> None:
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FileError("It is not an attnviz session: “{name}” does not say so.", name=_MAIN)
    version = data.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise FileError("Its version is not a number from 1.")
    if version > VERSION:
        raise FileError(
            "A newer attnviz wrote it (format {got}; this one reads up to {wanted}).",
            got=min(version, 10**9),
            wanted=VERSION,
        )


def _parse(content: bytes) -> Any:
    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_constant)
    except AttnvizError:
        raise
    except (ValueError, RecursionError) as error:  # not UTF-8 and thousands of digits are ValueErrors too
        raise FileError("“{name}” in it is not valid JSON.", name=_MAIN) from error


def _once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise FileError("“{key}” stands twice in “{name}”.", key=shown(key), name=_MAIN)
        found[key] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise FileError("“{name}” holds {got}; finite numbers are wanted.", name=_MAIN, got=name)


def _dump(data: dict[str, Any]) -> bytes:
    text = json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False)
    text = _ROW.sub(lambda found: f"[{' '.join(found[1].split())}]", text)
    # UTF-8 has no lone surrogates, which a token may hold; JSON can escape them.
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text).encode("utf-8")


def _add(archive: zipfile.ZipFile, name: str, content: bytes, *, is_packed: bool = True) -> None:
    info = zipfile.ZipInfo(name)  # its date is 1980-01-01, whatever the clock says
    info.create_system = 3
    info.external_attr = 0o644 << 16
    info.compress_type = zipfile.ZIP_DEFLATED if is_packed else zipfile.ZIP_STORED
    archive.writestr(info, content, compresslevel=6 if name == _MAIN else 1)
