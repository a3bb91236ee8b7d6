"""Arrays whose rows lie elsewhere: read block by block, edited by what is laid over them, and never copied.

A BlockArray stands where an array of q, k or v of a long document stands, and answers what such an array is
asked: its shape, some rows, one number. Everything that would need all its rows at once has a function here.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from attnviz.core.errors import InputError
from attnviz.core.magnitudes import first_outside, is_outside
from attnviz.core.memory import check_fits
from attnviz.core.row_sources import (
    FloatArray,
    LostArrayError,
    MendedRows,
    RowSource,
    raw_rows,
    read_rows,
    resized_rows,
    resized_source,
    rows_per_block,
    take_rows,
)

IntArray = NDArray[np.intp]

MAX_DIMENSIONS = 4096
"""Of q, k and v."""


@dataclass(frozen=True, eq=False)
class _Piece:
    """Some rows that follow each other: of a source, or of an array that is held."""

    held: RowSource | FloatArray
    first: int
    count: int

    def part(self, start: int, end: int) -> _Piece:
        return _Piece(self.held, self.first + start, end - start)

    def rows(self, start: int, end: int) -> FloatArray:
        if isinstance(self.held, np.ndarray):
            return self.held[self.first + start : self.first + end]
        return read_rows(self.held, self.first + start, self.first + end)

    def raw(self, start: int, end: int) -> FloatArray:
        if isinstance(self.held, np.ndarray):
            return self.held[self.first + start : self.first + end]
        return raw_rows(self.held, self.first + start, self.first + end)

    def goes_on_with(self, other: _Piece) -> bool:
        return self.held is other.held and self.first + self.count == other.first


class BlockArray:
    """float32 (rows, dims), as pieces of sources and of rows that are held. Immutable.

    Notes
    -----
    An edit gives another BlockArray with the same sources, and the changed rows in their places. Reading
    raises LostArrayError where a source is no longer what it was, and InputError where it holds something
    that is no finite number of magnitude up to 1e6. May be read from any thread.
    """

    ndim = 2
    dtype = np.dtype(np.float32)
    __array_ufunc__ = None  # arithmetic would read everything at once, unseen

    def __init__(self, pieces: Sequence[_Piece], dims: int) -> None:
        joined: list[_Piece] = []
        for piece in pieces:
            if joined and joined[-1].goes_on_with(piece):
                last = joined.pop()
                piece = _Piece(last.held, last.first, last.count + piece.count)
            if piece.count:
                joined.append(piece)
        self._pieces = tuple(joined)
        self._starts = np.cumsum([0, *(piece.count for piece in joined)])
        self.shape = (int(self._starts[-1]), dims)

    @classmethod
    def of(cls, source: RowSource) -> BlockArray:
        """Take all rows of a source."""
        rows, dims = source.shape
        if rows == 0 or dims == 0:
            raise InputError(
                "{what} is empty (shape {got}); at least one token and one dimension are needed.",
                what=source.name,
                got=source.shape,
            )
        if dims > MAX_DIMENSIONS:
            raise InputError(
                "{what} has {got} dimensions; at most {wanted} are possible.",
                what=source.name,
                got=dims,
                wanted=MAX_DIMENSIONS,
            )
        return cls([_Piece(source, 0, rows)], dims)

    @property
    def size(self) -> int:
        """Numbers in it."""
        return self.shape[0] * self.shape[1]

    @property
    def nbytes(self) -> int:
        """Bytes it would take if it were held."""
        return 4 * self.size

    @property
    def held_bytes(self) -> int:
        """Bytes of the rows that are held."""
        return sum(
            4 * piece.count * self.shape[1] for piece in self._pieces if isinstance(piece.held, np.ndarray)
        )

    @property
    def sources(self) -> tuple[RowSource, ...]:
        """Where its other rows come from, each once."""
        found: dict[int, RowSource] = {}
        for piece in self._pieces:
            if not isinstance(piece.held, np.ndarray):
                found.setdefault(id(piece.held), piece.held)
        return tuple(found.values())

    @property
    def is_far(self) -> bool:
        """Whether some of it lives on other machines."""
        return any(getattr(source, "cluster", None) is not None for source in self.sources)

    @property
    def block_rows(self) -> int:
        """How many rows are read together best."""
        return max((source.block_rows for source in self.sources), default=rows_per_block(self.shape[1]))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        """Give rows or numbers as of an array of float32; only what is asked for is read."""
        if isinstance(index, tuple):
            rows, columns = index
            return self[rows][..., columns]
        if isinstance(index, slice):
            first, last, step = index.indices(len(self))
            return (
                self.rows(first, max(first, last)) if step == 1 else self.take(np.arange(first, last, step))
            )
        if isinstance(index, int | np.integer):
            place = int(index) + (len(self) if index < 0 else 0)
            if not 0 <= place < len(self):
                raise IndexError(f"row {index} of {len(self)}")
            return self.rows(place, place + 1)[0]
        places = np.asarray(index)
        if places.dtype == bool:
            places = np.flatnonzero(places)
        return self.take(places.astype(np.intp))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Read everything, where it fits into memory."""
        check_fits(self.nbytes, "q, k, v")
        whole = self.rows(0, len(self))
        return whole if dtype is None else whole.astype(dtype)

    def rows(self, first: int, last: int) -> FloatArray:
        """Give a half-open range of rows, float32 (rows, dims); not to be written to."""
        parts = [piece.rows(start, end) for piece, start, end in self._parts(first, last)]
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts) if parts else np.empty((0, self.shape[1]), np.float32)

    def raw_rows(self, first: int, last: int) -> FloatArray:
        """Give rows as ``rows`` does, also where they hold what no document takes: edits mend that."""
        parts = [piece.raw(start, end) for piece, start, end in self._parts(first, last)]
        return np.concatenate(parts) if parts else np.empty((0, self.shape[1]), np.float32)

    def _name_at(self, row: int) -> str:
        """Give what the source is called that a row came from, or lies beside."""
        held = next(iter(self._parts(row, row + 1)))[0].held
        sources = self.sources
        if not isinstance(held, np.ndarray):
            return held.name
        return sources[0].name if sources else ""

    def take(self, places: IntArray) -> FloatArray:
        """Give some rows in any order, float32 (rows, dims), the caller's own."""
        if places.size and not (-len(self) <= places.min() and places.max() < len(self)):
            raise IndexError(f"rows {places.min()} to {places.max()} of {len(self)}")
        places = np.where(places < 0, places + len(self), places)
        taken = np.empty((len(places), self.shape[1]), np.float32)
        of_piece = np.searchsorted(self._starts, places, "right") - 1
        for number in np.flatnonzero(np.bincount(of_piece)).tolist():
            piece, own = self._pieces[number], np.flatnonzero(of_piece == number)
            local = places[own] - int(self._starts[number]) + piece.first
            if isinstance(piece.held, np.ndarray):
                taken[own] = piece.held[local]
            else:
                found = np.empty((len(own), self.shape[1]), np.float32)
                take_rows(piece.held, local, found)
                taken[own] = found
        return taken

    def pieces_of(self, places: IntArray) -> Iterator[tuple[RowSource | FloatArray, IntArray, IntArray]]:
        """Give who holds some of these rows, sorted: a source or rows, which of its own, which of these."""
        of_piece = np.searchsorted(self._starts, places, "right") - 1
        for number in np.flatnonzero(np.bincount(of_piece)).tolist():
            piece, own = self._pieces[number], places[of_piece == number]
            yield piece.held, own - int(self._starts[number]) + piece.first, own

    def blocks(self, first: int = 0, last: int | None = None) -> Iterator[tuple[int, FloatArray]]:
        """Give (first row, rows) of one block after the other; of a half-open range, or of all."""
        height = self.block_rows
        last = len(self) if last is None else last
        for start in range(first - first % height, last, height):
            begin, end = max(start, first), min(start + height, last)
            yield begin, self.rows(begin, end)

    def check(self) -> None:
        """Raise LostArrayError when a source is no longer what it was."""
        for source in self.sources:
            source.check()

    def copy(self) -> BlockArray:
        """Give this array, which nobody can write to."""
        return self

    # Edits: other arrays of the same sources------------------------------------------------------------

    def with_rows(self, places: IntArray, lines: FloatArray) -> BlockArray:
        """Give the array with some rows, sorted, replaced; ``lines`` (places, dims) are held as they are."""
        pieces: list[_Piece] = []
        after = 0
        for start, end in _runs(places):
            own, first = _sealed(lines[start:end]), int(places[start])
            pieces += self._cut(after, first)
            good = first_outside(own) is None
            pieces.append(_Piece(own if good else MendedRows(own, self._name_at(first), first), 0, len(own)))
            after = int(places[end - 1]) + 1
        return BlockArray([*pieces, *self._cut(after, len(self))], self.shape[1])

    def carried(self, places: NDArray[np.intp]) -> BlockArray:
        """Give the rows of these indices, in their order; −1 stands for a row of zeros."""
        pieces: list[_Piece] = []
        is_new = places < 0
        follows = np.where(is_new[1:], is_new[:-1], (np.diff(places) == 1) & ~is_new[:-1])
        cuts = np.flatnonzero(~follows) + 1
        for start, end in zip([0, *cuts.tolist()], [*cuts.tolist(), len(places)], strict=True):
            if is_new[start]:
                zeros = _sealed(np.zeros((end - start, self.shape[1]), np.float32))
                pieces.append(_Piece(zeros, 0, end - start))
            else:
                pieces += self._cut(int(places[start]), int(places[start]) + end - start)
        return BlockArray(pieces, self.shape[1])

    def resized(self, dims: int) -> BlockArray:
        """Give the rows with other dimensions: cut at the end, or with zeros added."""
        if dims == self.shape[1]:
            return self
        narrow = {id(source): resized_source(source, dims) for source in self.sources}
        pieces = []
        for piece in self._pieces:
            if isinstance(piece.held, np.ndarray):
                rows = resized_rows(piece.held[piece.first : piece.first + piece.count], dims)
                pieces.append(_Piece(_sealed(rows), 0, piece.count))
            else:
                pieces.append(_Piece(narrow[id(piece.held)], piece.first, piece.count))
        return BlockArray(pieces, dims)

    def _cut(self, first: int, last: int) -> list[_Piece]:
        return [piece.part(start, end) for piece, start, end in self._parts(first, last)]

    def _parts(self, first: int, last: int) -> Iterator[tuple[_Piece, int, int]]:
        """Give each piece that holds some of a half-open range, and which of its rows those are."""
        if first >= last:
            return
        number = int(np.searchsorted(self._starts, first, "right")) - 1
        while number < len(self._pieces) and self._starts[number] < last:
            start, piece = int(self._starts[number]), self._pieces[number]
            yield piece, max(first - start, 0), min(last - start, piece.count)
            number += 1

    # Comparing------------------------------------------------------------------------------------------

    def may_differ(self, other: BlockArray) -> list[tuple[int, int]]:
        """Give half-open ranges of rows outside which both, of one shape, are the same for certain."""
        ends = sorted({*self._starts.tolist(), *other._starts.tolist()})
        found: list[tuple[int, int]] = []
        for first, last in itertools.pairwise(ends):
            mine, start, _ = next(self._parts(first, last))
            theirs, begin, _ = next(other._parts(first, last))
            if mine.held is theirs.held and mine.first + start == theirs.first + begin:
                continue
            if found and found[-1][1] == first:
                found[-1] = found[-1][0], last
            else:
                found.append((first, last))
        return found

    def equals(self, other: object) -> bool:
        """Say whether both hold the same, bit for bit; only what may differ is read.

        What cannot be read any more is not the same as anything.
        """
        if self is other:
            return True
        if not isinstance(other, BlockArray) or self.shape != other.shape:
            return False
        try:
            return self._holds_the_same(other)
        except InputError:
            return False

    def _holds_the_same(self, other: BlockArray) -> bool:
        for first, last in self.may_differ(other):
            for start in range(first, last, self.block_rows):
                end = min(start + self.block_rows, last)
                if self.rows(start, end).tobytes() != other.rows(start, end).tobytes():
                    return False
        return True


def as_blocks(values: object) -> BlockArray | None:
    """Give an array of q, k or v as a BlockArray, None where it is one that is held."""
    return values if isinstance(values, BlockArray) else None


def by_blocks(array: FloatArray, first: int, last: int) -> Iterator[tuple[int, FloatArray]]:
    """Give (first row, rows) of a half-open range of rows: of an array that is held all at once."""
    blocks = as_blocks(array)
    if blocks is None:
        yield first, array[first:last]
    else:
        yield from blocks.blocks(first, last)


def row_to_show(array: FloatArray, row: int) -> FloatArray:
    """Give a row for the screen, (dims,): NaN where a number cannot be taken, or none be read any more."""
    try:
        return array[row]  # type: ignore[no-any-return]
    except LostArrayError:  # it is said where it is computed with
        return np.full(array.shape[1], np.nan, np.float32)
    except InputError:  # so is this
        found: FloatArray = cast(BlockArray, array).raw_rows(row, row + 1)[0]
        return np.where(is_outside(found), np.float32(np.nan), found)


def glimpse(array: FloatArray, most: int = 512) -> FloatArray:
    """Give rows enough to see what numbers there are: all of an array that is held, else the first ones.

    NaN where they cannot be read.
    """
    blocks = as_blocks(array)
    if blocks is None:
        return array
    try:
        return blocks.rows(0, min(len(blocks), blocks.block_rows, most))
    except InputError:
        return np.full((1, array.shape[1]), np.nan, np.float32)


def check_sources(arrays: Sequence[FloatArray]) -> None:
    """Raise LostArrayError when something that arrays are read from is no longer what it was."""
    for array in arrays:
        blocks = as_blocks(array)
        if blocks is not None:
            blocks.check()


def _runs(places: IntArray) -> list[tuple[int, int]]:
    """Give where runs of sorted places that follow each other begin and end."""
    cuts = np.flatnonzero(np.diff(places) != 1) + 1
    ends = [0, *cuts.tolist(), len(places)]
    return [(start, end) for start, end in itertools.pairwise(ends) if start < end]


def _sealed(rows: FloatArray) -> FloatArray:
    own = np.array(rows, np.float32)  # a view would keep all it is a part of alive
    own.flags.writeable = False
    return own
