"""Sessions: one document with its selection in one zip file; the format is in docs/session-format.md.

A file is judged before it is believed: names, declared sizes and really read sizes are limited, so that no
file can exhaust memory, and everything wrong is one sentence.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from numpy.typing import NDArray

from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import Inputs
from attnviz.core.memory import check_fits
from attnviz.core.selection import Selection
from attnviz.io.atomic import replacing
from attnviz.io.document_json import document_json, read_document
from attnviz.io.errors import FileError, shown
from attnviz.io.npy import npy_bytes, read_npy
from attnviz.io.reading import Watch, reading, tell
from attnviz.io.zip_members import DAMAGE, Members, check_directory, check_size, is_zip

SUFFIX = ".attnviz"
FORMAT = "attnviz-session"
VERSION = 3
"""The newest version that is read and written.

2 came with x, W_O and more kinds of mask, 3 with key tokens and the alignment of masks.
"""

MAX_BYTES = 4 << 30
"""Most bytes a session may hold unpacked, and the most its file may have."""
MAX_JSON_BYTES = 64 << 20

_ROW = re.compile(r'\[\n([^\[\]{}"]+)\]')  # numbers only: a line each would be hard to read
_MAIN = "session.json"


@dataclass(frozen=True)
class Session:
    """What a session file holds."""

    inputs: Inputs
    selection: Selection


def save_session(
    path: Path | str,
    inputs: Inputs,
    selection: Selection,
    *,
    is_packed: bool = True,
    watch: Watch | None = None,
) -> None:
    """Write a session, whole or not at all; the same document always gives the same bytes.

    Parameters
    ----------
    path, inputs, selection
        Where to, and what.
    is_packed
        Whether arrays are deflated; stored, they take a tenth of the time and up to twice the room.
    watch
        Told how far it is; where it says no, nothing is written.

    Raises
    ------
    FileError
        When it cannot be written, or is too large to be opened again; an old file stays as it was.
    Stopped
        When ``watch`` says no; an old file stays as it was.
    """
    parts = _parts_of(inputs, selection)
    size = parts.size
    if size > MAX_BYTES or len(parts.main) > MAX_JSON_BYTES:
        raise FileError(
            "“{path}” cannot be written: the document is too large for a session ({got} MB).",
            path=shown(path),
            got=size >> 20,
        )
    with replacing(path) as file:
        parts.write(file, is_packed=is_packed, watch=watch)


def session_bytes(
    inputs: Inputs, selection: Selection, most: int, watch: Watch | None = None
) -> bytes | None:
    """Give the bytes of a session's file, or None where unpacked it has more than ``most``.

    ``watch`` is told how far that is; where it says no, ``Stopped`` is raised.
    """
    parts = _parts_of(inputs, selection)
    if parts.size > min(most, MAX_BYTES) or len(parts.main) > MAX_JSON_BYTES:
        return None
    file = io.BytesIO()
    parts.write(file, watch=watch)
    return file.getvalue()


def open_session(path: Path | str) -> Session:
    """Read a session.

    Raises
    ------
    FileError
        When there is no such file, or it is no session of a known version, or anything in it is damaged; the
        sentence says what.
    """
    with reading(path) as file:
        return read_session(file)


def read_session(file: BinaryIO) -> Session:
    """Read a session from an open file that can be searched.

    Raises
    ------
    FileError, InputError
        When it is none, or anything in it is damaged; the sentence does not name the file.
    """
    start = file.read(4)
    if not start:
        raise FileError("It is empty.")
    if not is_zip(start):
        raise FileError("It is not an attnviz session.")
    check_directory(file, MAX_BYTES)
    try:
        with zipfile.ZipFile(file) as archive:
            members = Members(archive, MAX_BYTES)
            check_size(members.unpacked_bytes, MAX_BYTES)
            check_fits(members.unpacked_bytes, "q, k, v")
            if _MAIN not in members.by_name:
                raise FileError("It is a zip file of something else: there is no “{name}” in it.", name=_MAIN)
            check_size(members.by_name[_MAIN].file_size, MAX_JSON_BYTES)
            data = _parse(members.read(_MAIN))
            _check_kind(data)
            inputs, selection = read_document(
                data, lambda name, kind: read_npy(members.read(name), kind, shown(name))
            )
    except AttnvizError:
        raise
    except DAMAGE as error:
        raise FileError("It is damaged.") from error
    return Session(inputs, selection)


@dataclass(frozen=True)
class _Parts:
    """What goes into a session's zip: ``session.json``, and the large arrays by their members' names."""

    main: bytes
    arrays: dict[str, NDArray[Any]]

    @property
    def size(self) -> int:
        """Bytes unpacked, or a few more."""
        return len(self.main) + sum(array.nbytes + 256 for array in self.arrays.values())

    def write(self, file: BinaryIO, *, is_packed: bool = True, watch: Watch | None = None) -> None:
        """Write the zip."""
        with zipfile.ZipFile(file, "w") as archive:
            _add(archive, _MAIN, self.main)
            done = len(self.main)
            for name, array in self.arrays.items():
                tell(watch, done / self.size)
                _add(archive, name, npy_bytes(array), is_packed=is_packed)
                done += array.nbytes


def _parts_of(inputs: Inputs, selection: Selection) -> _Parts:
    arrays: dict[str, NDArray[Any]] = {}
    document = document_json(inputs, selection.clamped(inputs), arrays.__setitem__)
    return _Parts(_dump({"format": FORMAT, "version": _version_of(inputs), **document}), arrays)


def _version_of(inputs: Inputs) -> int:
    """Give the oldest version that can say all of a document: an older attnviz opens what it knows."""
    if inputs.is_cross or inputs.mask.alignment != "first" or inputs.x_names:
        return VERSION
    is_layer = any(part is not None for part in (inputs.x, inputs.w_o, inputs.b_o))
    is_old = not is_layer and inputs.mask.kind in ("causal", "none", "custom")
    return 1 if is_old else 2


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
