"""NPY bytes of any real type and any order, as others write them. Nothing is evaluated or unpickled."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.io.errors import FileError

MAGIC = b"\x93NUMPY"
MAX_HEADER_BYTES = 1 << 16
MAX_AXES = 8

_DESCR = re.compile(r"""['"]descr['"]\s*:\s*(?:['"]([^'"]{0,40})['"]|(\[))""")
_ORDER = re.compile(r"""['"]fortran_order['"]\s*:\s*(True|False)""")
_SHAPE = re.compile(r"""['"]shape['"]\s*:\s*\(([\d, L]{0,160})\)""")
_NUMBERS = re.compile(r"[<>|=](b1|[iu][1248]|f(2|4|8|16))")
_TEXTS = re.compile(r"[<>|=](U|S)(\d{1,7})")


@dataclass(frozen=True)
class NpyHeader:
    """What an NPY file says of itself.

    Attributes
    ----------
    shape
        The array's sides.
    kind
        numpy's name of the type, such as ``<f4``.
    is_text
        Whether it holds texts.
    """

    shape: tuple[int, ...]
    kind: str
    is_text: bool
    is_fortran: bool
    start: int

    @property
    def nbytes(self) -> int:
        """Bytes of the array."""
        return math.prod(self.shape) * np.dtype(self.kind).itemsize


def read_header(content: bytes, name: str) -> NpyHeader:
    """Read the header of NPY 1.0 to 3.0 from the first bytes of a file.

    Raises
    ------
    FileError
        When it is none, or the array holds Python objects, records or numbers that are not real.
    """
    if not content.startswith(MAGIC) or len(content) < 10 or content[6] not in (1, 2, 3):
        raise FileError("“{name}” is not an NPY array.", name=name)
    width = 2 if content[6] == 1 else 4
    start = 8 + width
    size = int.from_bytes(content[8:start], "little")
    header = content[start : start + size].decode("latin-1")
    if size > MAX_HEADER_BYTES or len(header) < size:
        raise FileError("“{name}” is not an NPY array: its header is cut short or endless.", name=name)
    descr, order, shape = _DESCR.search(header), _ORDER.search(header), _SHAPE.search(header)
    if descr is None or order is None or shape is None:
        raise FileError("“{name}” is not an NPY array: its header makes no sense.", name=name)
    kind = "records" if descr[2] else descr[1]
    if kind in ("|O", "O"):
        raise FileError(
            "“{name}” holds Python objects, which could run anything; save an array of numbers.", name=name
        )
    is_text = _TEXTS.fullmatch(kind) is not None
    if not is_text and _NUMBERS.fullmatch(kind) is None:
        raise FileError("“{name}” holds “{got}”; real numbers are wanted.", name=name, got=kind)
    sides = tuple(int(side) for side in re.findall(r"\d+", shape[1]))
    if len(sides) > MAX_AXES:
        raise FileError(
            "“{name}” has {got} axes; at most {wanted} are possible.",
            name=name,
            got=len(sides),
            wanted=MAX_AXES,
        )
    return NpyHeader(sides, kind, is_text, order[1] == "True", start + size)


def read_array(content: bytes, header: NpyHeader, name: str) -> NDArray[Any]:
    """Give the array of a whole NPY file, sharing its memory.

    Raises
    ------
    FileError
        When there are other bytes than the shape needs.
    """
    check_claim(header, len(content), name)
    if not header.nbytes:
        return np.zeros(header.shape, header.kind)
    flat = np.frombuffer(content, header.kind, offset=header.start)
    if header.kind[1:] == "b1" and flat.view(np.uint8).max() > 1:
        raise FileError("“{name}” holds bytes that are neither true nor false.", name=name)
    return flat.reshape(header.shape, order="F" if header.is_fortran else "C")


def check_claim(header: NpyHeader, size: int, name: str) -> None:
    """Refuse a file of ``size`` bytes whose shape needs another number, before anything is read of it."""
    if header.start + header.nbytes != size:
        raise FileError(
            "“{name}” holds {got} bytes of numbers, but its shape {shape} needs {wanted}.",
            name=name,
            got=size - header.start,
            shape=str(header.shape),
            wanted=header.nbytes,
        )
