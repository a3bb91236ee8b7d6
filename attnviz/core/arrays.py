"""Arrays at the door: what a caller hands over becomes read-only float32, or is refused in one sentence."""

from __future__ import annotations

import sys
import weakref
from typing import Any, TypeGuard, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attnviz.core.block_arrays import MAX_DIMENSIONS as MAX_DIMENSIONS  # asked for here
from attnviz.core.block_arrays import BlockArray, as_blocks
from attnviz.core.errors import InputError
from attnviz.core.lineage import Spliced, note_rows, note_splice, rows_between
from attnviz.core.magnitudes import first_outside
from attnviz.core.used_memory import copy_for

FloatArray = NDArray[np.float32]

_found_good: dict[int, weakref.ref[NDArray[Any]]] = {}
"""Read-only arrays that were looked through before, by identity: edits hand on all they do not touch."""


def checked_vectors(values: ArrayLike, what: str) -> FloatArray:
    """Give ``values`` as a read-only float32 array of shape (rows, dims), itself where it is one already.

    A BlockArray is given back as it is: its numbers are looked at when they are read.

    Raises
    ------
    InputError
        When it is ragged, empty, not two-dimensional, not numeric, or holds NaN, an infinity or a magnitude
        over 1e6.
    """
    if _is_known(values) or as_blocks(values) is not None:
        return cast(FloatArray, values)
    array = as_numbers(values, what)
    if array.ndim != 2:
        raise InputError(
            "{what} has shape {got}; two axes are wanted: one row per token, one column per dimension.",
            what=what,
            got=array.shape,
        )
    if array.size == 0:
        raise InputError(
            "{what} is empty (shape {got}); at least one token and one dimension are needed.",
            what=what,
            got=array.shape,
        )
    if array.shape[1] > MAX_DIMENSIONS:
        raise InputError(
            "{what} has {got} dimensions; at most {wanted} are possible.",
            what=what,
            got=array.shape[1],
            wanted=MAX_DIMENSIONS,
        )
    place = first_outside(array)
    if place is not None:
        raise InputError(
            "{what} holds {got} at token {token}, dimension {dim}; "
            "finite numbers of magnitude up to 1e6 are wanted.",
            what=what,
            got=array[place],
            token=place[0],
            dim=place[1],
        )
    return _remembered(sealed(array))


def checked_table(values: ArrayLike, what: str) -> FloatArray:
    """Give ``values`` as a read-only float32 array of shape (rows, columns), itself where it is one already.

    Raises
    ------
    InputError
        When it is ragged, empty, not two-dimensional, not numeric, has more than 4,096 columns, or holds NaN,
        an infinity or a magnitude over 1e6.
    """
    if _is_known(values):
        return values
    array = as_numbers(values, what)
    if array.ndim != 2 or array.size == 0:
        raise InputError(
            "{what} has shape {got}; two axes are wanted: one row per input, one column per output, "
            "at least one of each.",
            what=what,
            got=array.shape,
        )
    if array.shape[1] > MAX_DIMENSIONS:
        raise InputError(
            "{what} has {got} columns; at most {wanted} are possible.",
            what=what,
            got=array.shape[1],
            wanted=MAX_DIMENSIONS,
        )
    place = first_outside(array)
    if place is not None:
        raise InputError(
            "{what} holds {got} in row {row}, column {column}; "
            "finite numbers of magnitude up to 1e6 are wanted.",
            what=what,
            got=array[place],
            row=place[0],
            column=place[1],
        )
    return _remembered(sealed(array))


def checked_row(values: ArrayLike, what: str, count: int) -> FloatArray:
    """Give ``values`` as a read-only float32 array of shape (count,), itself where it is one already.

    Raises
    ------
    InputError
        When it has another shape, is not numeric, or holds NaN, an infinity or a magnitude over 1e6.
    """
    array = as_numbers(values, what)
    if array.shape != (count,):
        raise InputError(
            "{what} has shape {got}; {wanted} is wanted, one number per column.",
            what=what,
            got=array.shape,
            wanted=(count,),
        )
    checked_table(array[None], what)
    return sealed(array)


def sealed(array: NDArray[Any]) -> FloatArray:
    """Give an array as read-only float32 in C order, itself where it is that already."""
    if array.dtype == np.float32 and array.flags.c_contiguous and not array.flags.writeable:
        return array
    single = array.astype(np.float32, order="C", copy=True)
    single.flags.writeable = False
    return single


def as_array(values: ArrayLike, what: str) -> NDArray[Any]:
    """Give ``values`` as an array by their own means: lists, and tensors of other libraries, can be read.

    Raises
    ------
    InputError
        When rows differ in length, some numbers are masked, or the library they are of says no.
    """
    try:
        # What a masked array hides would be computed with. Only who has numpy.ma has one: it takes 50 ms.
        if "numpy.ma" in sys.modules and np.ma.is_masked(values):
            raise ValueError("some of its numbers are masked; fill them first.")
        return np.asarray(values)
    except Exception as error:  # such as a tensor on a GPU: only its own library knows why
        if isinstance(error, ValueError) and "inhomogeneous" in str(error):
            raise InputError(
                "{what} is ragged: its rows differ in length; all rows need the same.", what=what
            ) from None
        raise InputError(
            "{what} cannot be read as an array of numbers: {why}",
            what=what,
            why=str(error) or type(error).__name__,
        ) from error


def as_numbers(values: ArrayLike, what: str) -> NDArray[Any]:
    """Give ``values`` as a real-valued numpy array of any shape.

    Raises
    ------
    InputError
        When rows differ in length, it cannot be read as an array, or something is not a real number.
    """
    array = as_array(values, what)
    if array.dtype.kind not in "fiub":
        raise InputError(
            "{what} holds {got}, not numbers; an array of real numbers is wanted.", what=what, got=array.dtype
        )
    return array


def same_bits(mine: NDArray[Any], theirs: NDArray[Any]) -> bool:
    """Say whether two read-only arrays are the same, bit for bit: −0 and 0 differ.

    Of arrays that one edit lies between, only the rows it touched are looked at.
    """
    if mine is theirs:
        return True
    if mine.shape != theirs.shape or mine.dtype != theirs.dtype:
        return False
    blocks, others = as_blocks(mine), as_blocks(theirs)
    if blocks is not None or others is not None:  # one of each kind is never the same
        return blocks is not None and blocks.equals(others)
    rows = rows_between(mine, theirs)
    if rows is not None:
        mine, theirs = mine[rows], theirs[rows]
    # As integers, and not as bytes: those would be copies of tens of megabytes.
    unsigned = f"u{mine.itemsize}"
    first, second = (np.ascontiguousarray(array).view(unsigned) for array in (mine, theirs))
    return bool(np.array_equal(first, second))


def closed(array: FloatArray) -> FloatArray:
    """Make an array that nobody else writes to read-only, and give it."""
    array.flags.writeable = False
    return array


def with_block(table: FloatArray, row: int, column: int, block: FloatArray) -> FloatArray:
    """Give a read-only copy of a table with a rectangle set, the table itself where nothing differs.

    Parameters
    ----------
    row, column
        The rectangle's top left corner; it has to fit.
    """
    place = (slice(row, row + block.shape[0]), slice(column, column + block.shape[1]))
    rows = np.arange(row, row + len(block))
    blocks = as_blocks(table)
    if blocks is not None:
        lines = blocks.raw_rows(row, row + len(block)).copy()  # what cannot be taken may be set right
        if np.array_equal(lines[:, place[1]], block):
            return table
        lines[:, place[1]] = block
        return _laid_over(blocks, rows, lines)
    if np.array_equal(table[place], block):
        return table
    changed = copy_for(table, rows)
    changed[place] = block
    return _made_from(table, closed(changed), vouched=_is_known(block))


def with_rows(table: NDArray[Any], rows: NDArray[np.intp], lines: NDArray[Any]) -> NDArray[Any]:
    """Give a read-only copy of a table with some rows replaced by rows that such a table held before."""
    blocks = as_blocks(table)
    if blocks is not None:
        return _laid_over(blocks, rows, lines)
    changed = copy_for(table, rows)
    changed[rows] = lines
    changed.flags.writeable = False
    return _made_from(table, changed, vouched=True)


def moved_rows(
    table: FloatArray, places: NDArray[np.intp], new: NDArray[np.intp], lines: FloatArray
) -> FloatArray:
    """Give the rows of a table in other places, and zeros or such rows as a table may hold for new ones.

    Parameters
    ----------
    places
        For each row that of the table that it was, −1 where it is new.
    new, lines
        Some rows that are new, and what they are, (new, columns).

    Returns
    -------
    FloatArray
        float32 (places, columns), read-only.
    """
    blocks = as_blocks(table)
    if blocks is not None:
        carried = blocks.carried(places)
        carried = carried.with_rows(new, lines) if new.size else carried
        return _with_splice(table, cast(FloatArray, carried), places)
    moved = np.empty((len(places), table.shape[1]), table.dtype)
    cuts = np.flatnonzero((np.diff(places) != 1) | (places[:-1] < 0)) + 1
    if len(cuts) * 16 < len(places):  # pieces are copied twice as fast as rows
        for start, end in zip([0, *cuts.tolist()], [*cuts.tolist(), len(places)], strict=True):
            first = int(places[start])
            moved[start:end] = 0 if first < 0 else table[first : first + end - start]
    else:
        np.take(table, places, axis=0, out=moved, mode="wrap")  # of a new row some row or other
        moved[places < 0] = 0
    moved[new] = lines
    moved.flags.writeable = False
    return cast(FloatArray, _made_from(table, _with_splice(table, moved, places), vouched=True))


def _with_splice(table: FloatArray, moved: FloatArray, places: NDArray[np.intp]) -> FloatArray:
    """Remember where a table's rows are another's, if some at its ends are."""
    splice = _splice_of(places, len(table))
    if splice.start or splice.start + splice.gone < len(table):
        note_splice(table, moved, splice)
    return moved


def spliced_rows(table: NDArray[Any], splice: Spliced, lines: NDArray[Any]) -> NDArray[Any]:
    """Give a read-only copy of a table with some rows gone and others come that such a table held before."""
    start, end = splice.start, splice.start + splice.come
    changed = np.empty((len(table) + splice.come - splice.gone, *table.shape[1:]), table.dtype)
    changed[:start], changed[start:end], changed[end:] = (
        table[:start],
        lines,
        table[start + splice.gone :],
    )
    changed.flags.writeable = False
    note_splice(table, changed, splice)
    return _made_from(table, changed, vouched=True)


def _splice_of(places: NDArray[np.intp], count: int) -> Spliced:
    """Give the one piece in which rows are not those of a table of ``count`` rows in their order."""
    shared = min(len(places), count)
    here = np.arange(shared)
    moved = np.flatnonzero(places[:shared] != here)
    start = int(moved[0]) if moved.size else shared
    moved = np.flatnonzero(places[len(places) - shared + start :] != here[start:] + (count - shared))
    end = shared - start - (int(moved[-1]) + 1 if moved.size else 0)
    return Spliced(start, count - start - end, len(places) - start - end)


def _laid_over(table: BlockArray, rows: NDArray[np.intp], lines: NDArray[Any]) -> FloatArray:
    changed = cast(FloatArray, table.with_rows(rows, lines))
    note_rows(cast(FloatArray, table), changed, rows)
    return changed


def _made_from(table: NDArray[Any], changed: NDArray[Any], *, vouched: bool) -> NDArray[Any]:
    """Remember that a table is good where all that it is made of is."""
    return _remembered(changed) if vouched and _is_known(table) else changed


def _is_known(values: object) -> TypeGuard[FloatArray]:
    known = _found_good.get(id(values))
    array = None if known is None else known()
    return array is not None and array is values and not array.flags.writeable


def _remembered(array: FloatArray) -> FloatArray:
    place = id(array)
    _found_good[place] = weakref.ref(array, lambda gone: _forget(place, gone))
    return array


def _forget(place: int, gone: object) -> None:
    if _found_good.get(place) is gone:  # the place may be another array's by now
        del _found_good[place]
