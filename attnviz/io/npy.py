"""Arrays as NPY 1.0 bytes and back. Reading evaluates nothing and reserves only what is really there."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.io.errors import FileError

_MAGIC = b"\x93NUMPY\x01\x00"
_PREFIX = len(_MAGIC) + 2
_DESCR = re.compile(r"'descr'\s*:\s*'([^']{0,40})'")
_ORDER = re.compile(r"'fortran_order'\s*:\s*(True|False)")
_SHAPE = re.compile(r"'shape'\s*:\s*\(([\d, ]{0,80})\)")


def npy_bytes(array: NDArray[Any]) -> bytes:
    """Give a float32 or bool array of any shape as NPY 1.0, little-endian, in C order."""
    buffer = io.BytesIO()
    kind = "|b1" if array.dtype == np.bool_ else "<f4"
    np.lib.format.write_array(buffer, np.ascontiguousarray(array, kind), version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


def read_npy(content: bytes, kind: str, name: str) -> NDArray[Any]:
    """Give the read-only array (rows, columns) that NPY 1.0 bytes hold, sharing their memory where it can.

    Parameters
    ----------
    kind
        ``<f4`` or ``|b1``: the only type that is taken.
    name
        Stands in the sentence when something is wrong.

    Raises
    ------
    FileError
        When it is no NPY 1.0 array of that type with two axes in C order, or of another length than its
        shape says.
    """
    size = int.from_bytes(content[len(_MAGIC) : _PREFIX], "little")
    header = content[_PREFIX : _PREFIX + size].decode("latin-1")
    descr, order, shape = _DESCR.search(header), _ORDER.search(header), _SHAPE.search(header)
    if not content.startswith(_MAGIC) or len(header) < size or not (descr and order and shape):
        raise FileError("“{name}” is not an NPY array of format 1.0.", name=name)
    if descr[1] != kind:
        raise FileError(
            "“{name}” holds numbers of type “{got}”; “{wanted}” is wanted.",
            name=name,
            got=descr[1],
            wanted=kind,
        )
    if order[1] == "True":
        raise FileError("“{name}” is in Fortran order; C order is wanted.", name=name)
    sides = [int(side) for side in re.findall(r"\d+", shape[1])]
    if len(sides) != 2 or not all(sides):
        raise FileError(
            "“{name}” has shape ({got}); two axes, none of them 0, are wanted.", name=name, got=shape[1]
        )
    wanted, got = sides[0] * sides[1] * np.dtype(kind).itemsize, len(content) - _PREFIX - size
    if got != wanted:
        raise FileError(
            "“{name}” holds {got} bytes of numbers, but its shape {shape} needs {wanted}.",
            name=name,
            got=got,
            shape=f"({sides[0]}, {sides[1]})",
            wanted=wanted,
        )
    if kind == "|b1":
        flat = np.frombuffer(content, np.uint8, offset=_PREFIX + size)
        if flat.max() > 1:
            raise FileError("“{name}” holds bytes that are neither true nor false.", name=name)
        return flat.view(np.bool_).reshape(sides)
    numbers = np.frombuffer(content, kind, offset=_PREFIX + size).reshape(sides)
    if numbers.flags.aligned and numbers.dtype.isnative:
        return numbers
    copy = numbers.astype(np.float32)
    copy.flags.writeable = False
    return copy
