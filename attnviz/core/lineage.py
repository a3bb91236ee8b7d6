"""From which read-only array another was made, and in which rows they may differ.

To compare two arrays of 131,072 × 64 numbers takes longer than to edit one: where the edit was seen, nothing
needs to be compared. What is told here may be too much (a row that was changed and changed back), never too
little. Nothing here keeps an array alive.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.intp]


class Spliced(NamedTuple):
    """Rows that went and rows that came in their place; what lies around them stays."""

    start: int
    gone: int
    come: int


_MOST = 4096
"""Steps that are remembered."""
_MOST_BYTES = 32 << 20
"""Bytes of their rows: a step that changed all of 131,072 has 1 MB."""
_FARTHEST = 256
"""Steps that are looked back."""

_numbers = itertools.count()
_known: dict[int, tuple[weakref.ref[NDArray[Any]], int]] = {}
"""By identity: the array, and its number."""
_parents: OrderedDict[int, tuple[int, IntArray]] = OrderedDict()
"""By number: that of the array it was made from, and the rows that may differ."""
_splices: OrderedDict[int, tuple[int, Spliced]] = OrderedDict()
"""By number: that of the array it was made from by rows that came or went, and which those are."""
_nbytes = [0]
"""Of all rows in ``_parents``."""
_noting = threading.RLock()  # an array may be collected, and forgotten, while it is held


def note_rows(parent: NDArray[Any], child: NDArray[Any], rows: IntArray) -> None:
    """Remember that an array was made from another, and may differ from it in these rows alone.

    Both have one shape, and neither may be written to any more. May be called from any thread.
    """
    with _noting:
        number = _number(child)
        if number not in _parents:
            _parents[number] = _number(parent), rows
            _nbytes[0] += rows.nbytes
        while len(_parents) > _MOST or (_nbytes[0] > _MOST_BYTES and len(_parents) > 1):
            _nbytes[0] -= _parents.popitem(last=False)[1][1].nbytes


def note_splice(parent: NDArray[Any], child: NDArray[Any], splice: Spliced) -> None:
    """Remember that an array was made from another by rows that went and came at one place.

    Neither may be written to any more. May be called from any thread.
    """
    with _noting:
        number = _number(child)
        if number not in _splices:
            _splices[number] = _number(parent), splice
        while len(_splices) > _MOST:
            _splices.popitem(last=False)


def splice_between(old: NDArray[Any], new: NDArray[Any]) -> Spliced | None:
    """Give the rows that one edit took and put in, either way; None where it is not known of one."""
    first, second = _known_number(old), _known_number(new)
    if first is None or second is None:
        return None
    there, back = _splices.get(second), _splices.get(first)
    if there is not None and there[0] == first:
        return there[1]
    if back is not None and back[0] == second:
        return Spliced(back[1].start, back[1].come, back[1].gone)
    return None


def same_before(old: NDArray[Any], new: NDArray[Any]) -> int:
    """Say how many of the first rows are the same for certain, where several edits may lie between."""
    if old is new:
        return len(old)
    first, second = _known_number(old), _known_number(new)
    if first is None or second is None:
        return 0
    return max(_same_back(second, first, len(new)), _same_back(first, second, len(old)))


def _same_back(child: int, ancestor: int, count: int) -> int:
    """Give how many of so many first rows no step on the way from an ancestor touched, 0 where it is none."""
    for _ in range(_FARTHEST):
        if child == ancestor:
            return count
        step, splice = _parents.get(child), _splices.get(child)  # at once: another thread may forget it
        if step is not None:
            child, rows = step
            count = min(count, int(rows.min(initial=count)))
        elif splice is not None:
            child, change = splice
            count = min(count, change.start)
        else:
            return 0
    return 0


def rows_between(old: NDArray[Any], new: NDArray[Any]) -> IntArray | None:
    """Give the sorted rows in which two arrays may differ, None where that is not known."""
    if old.shape != new.shape:
        return None
    first, second = _known_number(old), _known_number(new)
    if first is None or second is None:
        return None
    return _rows_apart(first, second)


def number_of(array: NDArray[Any]) -> int:
    """Give the number that a read-only array is known by, which nothing else ever has, even after its end."""
    with _noting:
        return _number(array)


def rows_since(number: int, array: NDArray[Any]) -> IntArray | None:
    """Give the sorted rows in which an array may differ from the one of a number, None where nobody knows."""
    own = _known_number(array)
    return None if own is None else _rows_apart(number, own)


def rows_of_all(several: list[IntArray]) -> IntArray:
    """Give the rows of several arrays, sorted and each once; the first call of np.unique takes 50 ms."""
    rows = np.sort(np.concatenate(several))
    return np.asarray(rows[np.diff(rows, prepend=-1) != 0])


def _rows_apart(first: int, second: int) -> IntArray | None:
    forward = _rows_back(second, first)
    return forward if forward is not None else _rows_back(first, second)


def _rows_back(child: int, ancestor: int) -> IntArray | None:
    """Give the rows that changed on the way from an ancestor, None where it is none within reach."""
    found: list[IntArray] = []
    for _ in range(_FARTHEST):
        if child == ancestor:
            return rows_of_all(found) if found else np.empty(0, np.intp)
        step = _parents.get(child)
        if step is None:
            return None
        child = step[0]
        found.append(step[1])
    return None


def _known_number(array: NDArray[Any]) -> int | None:
    known = _known.get(id(array))
    return known[1] if known is not None and known[0]() is array else None


def _number(array: NDArray[Any]) -> int:
    number = _known_number(array)
    if number is None:
        number = next(_numbers)
        place = id(array)
        _known[place] = weakref.ref(array, lambda gone: _forget(place, gone)), number
    return number


def _forget(place: int, gone: object) -> None:
    known = _known.get(place)
    if known is not None and known[0] is gone:  # the place may be another array's by now
        del _known[place]
