"""Where rows that are not held come from, and the few blocks of them that are kept in memory meanwhile.

What a source reads is checked and made float32 here, block by block, whenever it is read.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from attnviz.core.errors import InputError
from attnviz.core.magnitudes import first_outside, is_outside

FloatArray = NDArray[np.float32]

BLOCK_BYTES = 1 << 20
"""Bytes of float32 that are read at once, roughly."""
KEPT_BYTES = 64 << 20
"""Bytes of the blocks that are kept in memory, of all sources together; those used longest ago go first."""


class LostArrayError(InputError):
    """An array that lies elsewhere is no longer what it was, or not there; what is shown stays."""


class RowSource(Protocol):
    """Rows of numbers somewhere else: in a file, in a store of chunks, on other machines.

    Attributes
    ----------
    name
        What it is called in sentences, such as the file's name.
    shape
        (rows, dims).
    block_rows
        How many rows are read together best.
    """

    name: str
    shape: tuple[int, int]
    block_rows: int

    def read(self, first: int, last: int) -> NDArray[Any]:
        """Read a half-open range of rows, real numbers of any type; called from several threads.

        Raises
        ------
        LostArrayError
            When it is no longer what it was, or not there.
        """
        ...

    def check(self) -> None:
        """Raise LostArrayError when it is no longer what it was, as far as that costs next to nothing."""
        ...


def rows_per_block(dims: int, chunk_rows: int = 1) -> int:
    """Give how many rows make a block: whole chunks, about a megabyte."""
    return chunk_rows * max(1, BLOCK_BYTES // (4 * dims * chunk_rows))


@dataclass(frozen=True, eq=False)
class _Block:
    """Some rows of a source, read-only float32, and what no document takes among them.

    ``refused`` has by row of the block the dimension and the number: only who asks for such a row is refused,
    so that an edit can lie over it.
    """

    rows: FloatArray
    refused: Mapping[int, tuple[int, Any]]

    def check(self, source: RowSource, begin: int, wanted: Iterable[int]) -> None:
        """Raise InputError where a wanted row of the block, whose first is ``begin``, is refused."""
        if not self.refused:
            return
        bad = min((row for row in wanted if row in self.refused), default=None)
        if bad is None:
            return
        dim, got = self.refused[bad]
        raise InputError(
            "{what} holds {got} at token {token}, dimension {dim}; "
            "finite numbers of magnitude up to 1e6 are wanted.",
            what=source.name,
            got=got,
            token=begin + bad + getattr(source, "origin", 0),
            dim=dim,
        )


class _KeptBlocks:
    """The blocks of all sources that were read last; used from any thread."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a source may be collected, and forgotten, while it is held
        self._blocks: OrderedDict[tuple[int, int], _Block] = OrderedDict()
        self._numbers: weakref.WeakKeyDictionary[RowSource, int] = weakref.WeakKeyDictionary()
        self._next = itertools.count()
        self._nbytes = 0

    def block(self, source: RowSource, index: int) -> _Block:
        """Give a block of a source, reading it where it is not kept."""
        with self._lock:
            place = self._number(source), index
            known = self._blocks.get(place)
            if known is not None:
                self._blocks.move_to_end(place)
                return known
        found = _read(source, index)  # two threads may both read it, but none waits for another's disk
        with self._lock:
            if place not in self._blocks:
                self._blocks[place] = found
                self._nbytes += found.rows.nbytes
            while self._nbytes > KEPT_BYTES and len(self._blocks) > 1:
                self._nbytes -= self._blocks.popitem(last=False)[1].rows.nbytes
        return found

    def _number(self, source: RowSource) -> int:
        number = self._numbers.get(source)
        if number is None:
            number = self._numbers[source] = next(self._next)
            weakref.finalize(source, self._forget, number)
        return number

    def _forget(self, number: int) -> None:
        with self._lock:
            every = list(self._blocks)  # at once: another source may be collected while this looks
            for place in [place for place in every if place[0] == number and place in self._blocks]:
                self._nbytes -= self._blocks.pop(place).rows.nbytes


_kept = _KeptBlocks()


def read_rows(source: RowSource, first: int, last: int) -> FloatArray:
    """Give a half-open range of a source's rows, float32 (rows, dims), read-only or the caller's own.

    Raises
    ------
    LostArrayError
        When the source is no longer what it was, or not there.
    InputError
        When a number among them is not finite or over 1e6; its place is named.
    """
    return _rows(source, first, last, is_checked=True)


def raw_rows(source: RowSource, first: int, last: int) -> FloatArray:
    """Give rows as ``read_rows`` does, also where they hold what no document takes."""
    return _rows(source, first, last, is_checked=False)


def _rows(source: RowSource, first: int, last: int, *, is_checked: bool) -> FloatArray:
    height = source.block_rows
    begin = first - first % height
    if last <= begin + height:
        return _part(source, begin, first, last, is_checked)
    rows = np.empty((last - first, source.shape[1]), np.float32)
    for place in range(begin, last, height):
        start, end = max(first, place), min(last, place + height)
        rows[start - first : end - first] = _part(source, place, start, end, is_checked)
    return rows


def _part(source: RowSource, begin: int, first: int, last: int, is_checked: bool) -> FloatArray:
    """Give rows of the block that begins at a row of the source."""
    block = _kept.block(source, begin // source.block_rows)
    if is_checked:
        block.check(source, begin, range(first - begin, last - begin))
    return block.rows[first - begin : last - begin]


def take_rows(source: RowSource, places: NDArray[np.intp], out: FloatArray) -> None:
    """Write some of a source's rows to ``out``, block by block; raises as ``read_rows`` does."""
    height = source.block_rows
    of_block = places // height
    for index in np.flatnonzero(np.bincount(of_block)).tolist():
        own = of_block == index
        block, rows = _kept.block(source, index), places[own] - index * height
        block.check(source, index * height, rows.tolist())
        out[own] = block.rows[rows]


def resized_source(source: RowSource, dims: int) -> RowSource:
    """Give the rows of a source with other dimensions, by its own ``resized`` where it has one."""
    own = getattr(source, "resized", None)
    resized: RowSource = ResizedRows(source, dims) if own is None else own(dims)
    return resized


class ResizedRows:
    """The rows of another source with other dimensions: cut at the end, or with zeros added."""

    def __init__(self, source: RowSource, dims: int) -> None:
        self.name, self.shape = source.name, (source.shape[0], dims)
        self.block_rows = rows_per_block(dims)
        self._source = source

    def read(self, first: int, last: int) -> FloatArray:
        """Read a half-open range of rows, (rows, dims)."""
        return resized_rows(raw_rows(self._source, first, last), self.shape[1])

    def check(self) -> None:
        """Ask the other source."""
        self._source.check()


class MendedRows:
    """Rows of which some numbers were set over those of a source, while others still cannot be taken.

    Parameters
    ----------
    rows
        float32 (rows, dims), nobody else's.
    name
        Of the source.
    origin
        The token that the first of them is.
    """

    def __init__(self, rows: FloatArray, name: str, origin: int) -> None:
        self.name, self.shape, self.origin = name, (rows.shape[0], rows.shape[1]), origin
        self.block_rows = len(rows)
        self._held = rows

    def read(self, first: int, last: int) -> FloatArray:
        """Give a half-open range of rows."""
        return self._held[first:last]

    def check(self) -> None:
        """Raise nothing: it is held."""


def resized_rows(rows: FloatArray, dims: int) -> FloatArray:
    """Give rows with other dimensions, float32 (rows, dims): cut at the end, or with zeros added."""
    resized = np.zeros((len(rows), dims), np.float32)
    shared = min(dims, rows.shape[1])
    resized[:, :shared] = rows[:, :shared]
    return resized


def _read(source: RowSource, index: int) -> _Block:
    first = index * source.block_rows
    last = min(first + source.block_rows, source.shape[0])
    found = source.read(first, last)
    if found.shape != (last - first, source.shape[1]):
        raise LostArrayError(
            "“{name}” gave rows of shape {got}, not {wanted}; it has changed since it was opened.",
            name=source.name,
            got=found.shape,
            wanted=(last - first, source.shape[1]),
        )
    refused: dict[int, tuple[int, Any]] = {}
    if first_outside(found) is not None:
        for row in np.flatnonzero(is_outside(found).any(axis=1)).tolist():
            dim = int(np.argmax(is_outside(found[row])))
            refused[row] = dim, found[row, dim]
    with np.errstate(over="ignore"):  # what is too large is refused
        rows: FloatArray = np.ascontiguousarray(found, np.float32)
    rows.flags.writeable = False
    return _Block(rows, refused)
