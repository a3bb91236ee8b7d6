"""Arrays of q, k, v, x and the matrices from NPZ, NPY, CSV, TSV and JSON files from anywhere.

What a file holds is judged before memory is taken for it; nothing is evaluated or unpickled. What the arrays
become, and whether their shapes fit, is said elsewhere.
"""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from attnviz.core.array_stacks import stack_of_file
from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import MAX_TOKENS
from attnviz.io.array_names import TEXTS, Meaning, meaning_of
from attnviz.io.csv_arrays import read_table
from attnviz.io.errors import FileError, shown
from attnviz.io.json_arrays import Value, read_values
from attnviz.io.npy_any import MAGIC, MAX_HEADER_BYTES, check_claim, read_array, read_header
from attnviz.io.reading import Watch, reading, watched
from attnviz.io.zarr_stores import read_store, store_at
from attnviz.io.zip_members import DAMAGE, Members, check_directory, check_size, is_zip

SUFFIXES = (".npz", ".npy", ".csv", ".tsv", ".json")
MAX_NPZ_BYTES = (4 << 30) - 1
"""Most bytes of an NPZ file, of which only what is imported is read."""
MAX_BYTES = 512 << 20
"""Most bytes of all arrays that are read, unpacked."""
MAX_OTHER_BYTES = 64 << 20
"""Most bytes of arrays whose names say nothing."""
MAX_TEXT_BYTES = 32 << 20
"""Most bytes of a CSV, TSV or JSON file, whose numbers take several times the room while they are read."""
MAX_ARRAYS = 4096
MAX_HELD_BYTES = 64 << 20
"""Most bytes of an NPY file that is read although it has many rows; a larger one is read where it lies."""


@dataclass(frozen=True, eq=False)
class FileArray:
    """An array of a file.

    Attributes
    ----------
    name, shape
        As in the file.
    array
        Its numbers; None where they were not read. A long one of a store, or of a large NPY file, stays
        there: it is a BlockArray or an ArrayStack then.
    meaning
        What the name says.
    why_not
        Why it cannot be imported; None where it can.
    """

    name: str
    shape: tuple[int, ...]
    array: NDArray[Any] | None
    meaning: Meaning
    why_not: AttnvizError | None = None


@dataclass(frozen=True)
class ArrayFile:
    """What a file holds.

    Attributes
    ----------
    name
        The file's name, without its folder.
    arrays
        All arrays of numbers, in the file's order.
    tokens, key_tokens, head_names, x_names
        Texts of these names; None where there are none. A table's first column of words counts as tokens.
    """

    name: str
    arrays: tuple[FileArray, ...]
    tokens: tuple[str, ...] | None = None
    key_tokens: tuple[str, ...] | None = None
    head_names: tuple[str, ...] | None = None
    x_names: tuple[str, ...] | None = None


def read_arrays(path: Path | str, watch: Watch | None = None) -> ArrayFile:
    """Read the arrays of a file; NPZ and NPY are known by their content, the others by their names.

    Parameters
    ----------
    watch
        Told how far reading is; where it says no, nothing more is read.

    Raises
    ------
    Stopped
        When ``watch`` has said no.
    FileError
        When there is no such file, it is damaged, too large or of another kind, or there is no array in it;
        the sentence says what.
    """
    path = Path(path)
    store = store_at(path)
    if store is not None:
        return _of_store(store)
    with reading(path) as plain:
        file = watched(plain, watch)
        start = file.read(len(MAGIC))
        file.seek(0)
        try:
            if is_zip(start):
                found = _of_npz(file)
            elif start == MAGIC:
                found = _of_npy(file, path)
            else:
                found = _of_text(file, path)
        except MemoryError as error:
            raise FileError("There is not enough memory for it.") from error
        if not found.arrays:
            raise FileError("There is no array of numbers in it.")
    return replace(found, name=path.name)


def _of_store(folder: Path) -> ArrayFile:
    found: dict[str, _Found] = {}
    for name, value in read_store(folder).items():
        if isinstance(value, tuple):
            found[name] = value
        elif isinstance(value, AttnvizError):
            found[name] = FileArray(name, (), None, meaning_of(name), value)
        else:
            held = cast(NDArray[Any], value)  # what lies elsewhere stands where an array stands
            found[name] = FileArray(name, held.shape, held, meaning_of(name))
    file = _file_of(found)
    if not file.arrays:
        raise FileError("There is no array of numbers in it.")
    return replace(file, name=folder.name)


def _of_npz(file: BinaryIO) -> ArrayFile:
    check_directory(file, MAX_NPZ_BYTES)
    try:
        with zipfile.ZipFile(file) as archive:
            return _of_members(Members(archive, MAX_BYTES))
    except AttnvizError:
        raise
    except DAMAGE as error:
        raise FileError("It is damaged.") from error


def _of_members(members: Members) -> ArrayFile:
    files = [name for name in members.by_name if name.endswith(".npy")]
    if not files:
        raise FileError("It is a zip file of something else: there is no NPY array in it.")
    if len(files) > MAX_ARRAYS:
        raise FileError(
            "It holds {got} arrays; at most {wanted} are possible.", got=len(files), wanted=MAX_ARRAYS
        )
    found: dict[str, _Found] = {}
    left_for_others = MAX_OTHER_BYTES
    # Those whose names say something first, so that others cannot take their room.
    for file in sorted(files, key=lambda file: not meaning_of(_stem(file)).role):
        name, size = _stem(file), members.by_name[file].file_size
        meaning = meaning_of(name)
        try:
            header = read_header(members.begin(file, MAX_HEADER_BYTES + 12), shown(name))
            check_claim(header, size, shown(name))
            if not (meaning.role or meaning.is_computed) and size > left_for_others:
                raise FileError(
                    "“{name}” is too large to be read without a name that is known.", name=shown(name)
                )
        except FileError as error:
            found[file] = FileArray(name, (), None, meaning, error)
            continue
        if meaning.is_computed:
            found[file] = FileArray(name, header.shape, None, meaning)
            continue
        left_for_others -= 0 if meaning.role else size
        found[file] = _found(name, read_array(members.read(file), header, shown(name)))
    return _file_of({_stem(file): found[file] for file in files})


def _of_npy(file: BinaryIO, path: Path) -> ArrayFile:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    header = read_header(file.read(MAX_HEADER_BYTES + 12), shown(path.name))
    check_claim(header, size, shown(path.name))
    if size > MAX_HELD_BYTES and not header.is_text:
        stack = stack_of_file(np.load(path, mmap_mode="r", allow_pickle=False), path.stem)
        if stack is not None:
            stays = cast(NDArray[Any], stack.head(0) if stack.ndim == 2 else stack)
            return _file_of({path.stem: FileArray(path.stem, stack.shape, stays, meaning_of(path.stem))})
    check_size(size, MAX_BYTES)
    file.seek(0)
    return _file_of({path.stem: _found(path.stem, read_array(file.read(), header, shown(path.name)))})


def _of_text(file: BinaryIO, path: Path) -> ArrayFile:
    suffix = path.suffix.lower()
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    if not size:
        raise FileError("It is empty.")
    if suffix not in (".csv", ".tsv", ".json"):
        raise FileError("It is no file of arrays; NPZ, NPY, CSV, TSV and JSON can be imported.")
    check_size(size, MAX_TEXT_BYTES)
    try:
        text = file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            "It is no text in UTF-8 (at byte {place}); save it as UTF-8.", place=error.start
        ) from error
    if suffix == ".json":
        values = read_values(text, path.stem, skipped=lambda name: meaning_of(name).is_computed)
        return _file_of({name: _found(name, value) for name, value in values.items()})
    table = read_table(text, is_tabs=suffix == ".tsv")
    return replace(_file_of({path.stem: _found(path.stem, table.array)}), tokens=table.labels)


_Found = FileArray | tuple[str, ...]
"""What stands under a name: an array, or texts."""


def _found(name: str, value: Value) -> _Found:
    meaning = meaning_of(name)
    if isinstance(value, FileError):
        return FileArray(name, (), None, meaning, value)
    if isinstance(value, tuple):
        return FileArray(name, value, None, meaning)
    if isinstance(value, list):
        return tuple(value)
    if value.dtype.kind in "US" or meaning.role in TEXTS:
        return _texts(value, name)
    return FileArray(name, value.shape, value, meaning)


def _file_of(found: dict[str, _Found]) -> ArrayFile:
    """Tell texts from arrays."""
    arrays = tuple(value for value in found.values() if isinstance(value, FileArray))
    texts = {meaning_of(name).role: value for name, value in found.items() if isinstance(value, tuple)}
    for role in ("tokens", "key_tokens"):
        if len(texts.get(role, ())) > MAX_TOKENS:
            raise FileError(
                "There are {got} tokens; at most {wanted} are possible.",
                got=len(texts[role]),
                wanted=MAX_TOKENS,
            )
    told = (texts.get(role) for role in TEXTS)
    return ArrayFile("", arrays, *told)


def _texts(array: NDArray[Any], name: str) -> tuple[str, ...]:
    """Give a row of texts; numbers, such as those of a vocabulary, are texts too."""
    if array.ndim != 1:
        raise FileError(
            "“{name}” has shape {got}; a row of texts is wanted.", name=shown(name), got=array.shape
        )
    return tuple(
        text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text) for text in array.tolist()
    )


def _stem(file: str) -> str:
    return file.removesuffix(".npy")
