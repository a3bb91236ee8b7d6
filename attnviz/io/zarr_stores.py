"""Arrays of Zarr stores (formats 2 and 3) in folders: found by their names, and read where they lie.

zarr is imported here alone, when a store is opened. Nothing of a store is unpickled.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core.array_stacks import ArrayStack, is_read_whole, stack_of_store
from attnviz.core.block_arrays import BlockArray
from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import MAX_TOKENS
from attnviz.io.array_names import TEXTS, meaning_of
from attnviz.io.errors import FileError, shown

MARKS = ("zarr.json", ".zgroup", ".zarray")
"""Files that make a folder a store."""
MAX_READ_BYTES = 512 << 20
"""Most bytes of an array, or of a chunk, that is read as a whole."""
MAX_ARRAYS = 4096
MAX_METADATA_BYTES = 16 << 20

FarArray = NDArray[Any] | BlockArray | ArrayStack


def store_at(path: Path | str) -> Path | None:
    """Give the folder of a store: the path itself, or that of a mark in it; None where it is none."""
    path = Path(path)
    if path.name in MARKS and path.is_file():
        return path.parent
    return path if path.is_dir() and any((path / mark).is_file() for mark in MARKS) else None


def read_store(path: Path | str) -> dict[str, FarArray | tuple[str, ...] | AttnvizError]:
    """Give what a store holds, by name: arrays, texts, or why an array cannot be taken.

    Raises
    ------
    FileError
        When there is no store, it is damaged, or zarr is not installed; the sentence says what.
    """
    folder = store_at(path)
    if folder is None:
        raise FileError("There is no Zarr store in it.")
    found: dict[str, FarArray | tuple[str, ...] | AttnvizError] = {}
    for name, array in _arrays(_opened(folder), folder):
        if len(found) == MAX_ARRAYS:
            raise FileError("It holds more than {wanted} arrays.", wanted=MAX_ARRAYS)
        try:
            found[name] = _taken(array, name)
        except AttnvizError as error:
            found[name] = error
    return found


def array_at(path: Path | str, which: str) -> FarArray:
    """Give the array of a store, or of a store of several the one that is called ``q``, ``k`` or ``v``.

    Raises
    ------
    FileError
        When there is none, or it cannot be taken; the sentence names the path.
    """
    try:
        found = read_store(path)
        arrays = {name: value for name, value in found.items() if not isinstance(value, tuple)}
        named = [name for name in arrays if meaning_of(name).role == which]
        name = named[0] if named else next(iter(arrays), None) if len(arrays) == 1 else None
        if name is None:
            raise FileError("There is no array “{which}” in it.", which=which)
        value = arrays[name]
        if isinstance(value, AttnvizError):
            raise value
        return value
    except AttnvizError as error:
        raise FileError("“{path}” cannot be opened. {reason}", path=shown(path), reason=error) from error


def document_of(path: Path | str) -> dict[str, Any]:
    """Give q, k, v and the texts of a store as the arguments of ``inputs_from_arrays``.

    Raises
    ------
    FileError
        When one of q, k and v is not there or cannot be taken; the sentence names the path.
    """
    arguments: dict[str, Any] = {which: array_at(path, which) for which in "qkv"}
    for name, value in read_store(path).items():
        role = meaning_of(name).role
        if isinstance(value, tuple) and role in TEXTS:
            arguments[role] = value
    return arguments


def _opened(folder: Path) -> Any:
    try:
        import zarr
    except ImportError:
        raise FileError(
            "Reading Zarr needs a package that is not here; pip install 'attnviz[arrays]' brings it."
        ) from None
    _refuse_pickles(folder)
    try:
        return zarr.open(str(folder), mode="r")
    except Exception as error:  # of whatever its metadata make of themselves
        raise FileError("It is damaged: {reason}.", reason=_said(error)) from error


def _refuse_pickles(folder: Path) -> None:
    """Refuse a store that names pickle anywhere in its metadata, before zarr makes anything of them."""
    for count, mark in enumerate(each for name in MARKS for each in folder.rglob(name)):
        if count == MAX_ARRAYS:
            raise FileError("It holds more than {wanted} arrays.", wanted=MAX_ARRAYS)
        if mark.stat().st_size > MAX_METADATA_BYTES:
            raise FileError("It is damaged: {reason}.", reason=mark.name)
        if b"pickle" in mark.read_bytes().lower():
            raise FileError(
                "“{name}” holds Python objects, which could run anything; save an array of numbers.",
                name=shown(mark.parent.name),
            )


def _arrays(opened: Any, folder: Path) -> Iterator[tuple[str, Any]]:
    """Give the names and arrays of a store, those of groups in groups too."""
    if hasattr(opened, "chunks"):
        yield folder.stem, opened
        return
    try:
        for name, member in sorted(opened.members(max_depth=None)):
            if hasattr(member, "chunks"):
                yield name, member
    except Exception as error:
        raise FileError("It is damaged: {reason}.", reason=_said(error)) from error


def _taken(array: Any, name: str) -> FarArray | tuple[str, ...]:
    """Take an array as it lies, or read it where it is short."""
    if np.dtype(array.dtype).kind == "O":
        raise FileError(
            "“{name}” holds Python objects, which could run anything; save an array of numbers.",
            name=shown(name),
        )
    kind, shape = np.dtype(array.dtype).kind, tuple(array.shape)
    chunk = math.prod(array.chunks) * np.dtype(array.dtype).itemsize
    whole = math.prod(shape) * np.dtype(array.dtype).itemsize
    is_text = kind in "UST" or meaning_of(name).role in TEXTS
    for got in (chunk, whole if is_text or is_read_whole(shape) else 0):
        if got > MAX_READ_BYTES:
            raise FileError(
                "“{name}” would be read {got} bytes at a time; at most {wanted} are possible.",
                name=shown(name),
                got=f"{got:,}",
                wanted=f"{MAX_READ_BYTES:,}",
            )
    if is_text and len(shape) == 1 and shape[0] <= MAX_TOKENS:
        return tuple(str(text) for text in np.asarray(array[:]).tolist())
    stack = stack_of_store(array, name)
    if stack is None:
        return np.asarray(array[...])
    return stack.head(0) if stack.ndim == 2 else stack


def _said(error: BaseException) -> str:
    return str(error).rstrip(".") or type(error).__name__
