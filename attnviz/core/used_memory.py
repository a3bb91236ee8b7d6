"""Memory of large arrays that nobody holds any more, used again for copies with a few other rows.

The system gives fresh memory page by page, which takes longer than to copy into it. And what lay in used
memory is mostly what is wanted: an earlier state of the same table. Only rows changed since are copied then.
"""

from __future__ import annotations

import weakref
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core.lineage import note_rows, number_of, rows_since

IntArray = NDArray[np.intp]

_LARGE = 1 << 20
"""Bytes of an array from which its memory is used again."""
_MOST_SPARE = 2
"""Pieces of memory that are kept for the next array."""
_MOST_BYTES = 64 << 20
"""Bytes of each of them."""


@dataclass(eq=False)
class _Room:
    """A piece of memory, and the number that lineage knows the array by that lay or lies in it."""

    memory: NDArray[Any]
    number: int = -1


class _Lease:
    """What an array in a room keeps alive, and all its views with it: when it goes, the room is free."""

    def __init__(self, room: _Room) -> None:
        self.room = room
        self.__array_interface__ = room.memory.__array_interface__


_spare: deque[_Room] = deque()
"""Rooms that are free, the latest last. A deque is filled and emptied by any thread without a lock."""


def copy_for(table: NDArray[Any], rows: IntArray) -> NDArray[Any]:
    """Give a copy of a read-only table that may be written to in these rows; lineage is told so.

    May be called from any thread.
    """
    if table.nbytes < _LARGE:
        changed = table.copy()
        note_rows(table, changed, rows)
        return changed
    room = _free_room(table)
    lease = _Lease(room)
    changed = np.asarray(lease)
    note_rows(table, changed, rows)
    room.number = number_of(changed)
    weakref.finalize(lease, _take_back, room).atexit = False
    return changed


def _free_room(table: NDArray[Any]) -> _Room:
    """Give a room that holds what the table does."""
    found: tuple[_Room, IntArray | None] | None = None
    others = []
    while (room := _newest_spare()) is not None:
        fits = (room.memory.shape, room.memory.dtype) == (table.shape, table.dtype)
        rows = rows_since(room.number, table) if fits else None
        if fits and (found is None or (found[1] is None and rows is not None)):
            others += [] if found is None else [found[0]]
            found = room, rows
        else:
            others.append(room)
    _spare.extend(reversed(others))
    if found is None:
        return _Room(table.copy())
    room, rows = found
    if rows is None or 4 * len(rows) > len(table):
        np.copyto(room.memory, table)
    else:
        room.memory[rows] = table[rows]
    return room


def _newest_spare() -> _Room | None:
    try:
        return _spare.pop()
    except IndexError:
        return None


def _take_back(room: _Room) -> None:
    """Keep a room whose array is gone; called in whatever thread let it go."""
    if room.memory.nbytes <= _MOST_BYTES:
        _spare.append(room)
    while len(_spare) > _MOST_SPARE:
        try:
            _spare.popleft()
        except IndexError:  # another thread was faster
            break
