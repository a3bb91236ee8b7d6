"""What undo keeps of an array, a tuple or a text of which only a part changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core.arrays import spliced_rows, with_rows
from attnviz.core.lineage import Spliced, rows_between, rows_of_all, splice_between

LARGE = 1 << 14
"""Bytes from which an array's changed lines are kept instead of the array."""
_LONG_TEXT = 256
"""Letters from which a text's changed part is kept instead of the text."""


@dataclass(frozen=True, eq=False)
class ChangedLines:
    """Rows (axis 0) or columns (axis 1) of a large array before and after; its shape stays."""

    axis: int
    places: NDArray[np.intp]
    before: NDArray[Any]
    after: NDArray[Any]

    @classmethod
    def between(cls, before: Any, after: Any) -> ChangedLines | None:
        """Find the few lines in which two arrays differ; None where that saves nothing."""
        if not (isinstance(before, np.ndarray) and isinstance(after, np.ndarray)):
            return None
        if before.nbytes <= LARGE or before.shape != after.shape or before.ndim != 2:
            return None
        own = rows_between(before, after)
        if own is not None and len(own) * 2 < len(before):
            places = own[(_bits(before[own]) != _bits(after[own])).any(axis=1)]
            return cls(0, places, before[places], after[places])
        differs = _bits(before) != _bits(after)
        for axis in (0, 1):
            places = np.flatnonzero(differs.any(axis=1 - axis))
            if len(places) * 2 < before.shape[axis]:
                return cls(axis, places, before.take(places, axis), after.take(places, axis))
        return None

    @property
    def nbytes(self) -> int:
        """Bytes kept alive."""
        return self.places.nbytes + self.before.nbytes + self.after.nbytes

    def applied(self, array: NDArray[Any], *, forward: bool) -> NDArray[Any]:
        """Give the array after the step (``forward``) or before it, read-only."""
        lines = self.after if forward else self.before
        if self.axis == 0:
            return with_rows(array, self.places, lines)
        changed = array.copy()
        changed[:, self.places] = lines
        changed.flags.writeable = False
        return changed

    def followed_by(self, other: ChangedLines) -> ChangedLines | None:
        """Give the change that both make in turn; None where one is of rows and the other of columns."""
        if self.axis != other.axis:
            return None
        places = rows_of_all([self.places, other.places])
        before, after = (
            _joined(first, second, places, self.axis)
            for first, second in (
                ((self.places, self.before), (other.places, other.before)),
                ((other.places, other.after), (self.places, self.after)),
            )
        )
        differs = (_bits(before) != _bits(after)).any(axis=1 - self.axis)
        sides = (lines.compress(differs, self.axis) for lines in (before, after))
        return ChangedLines(self.axis, places[differs], *sides)


def _joined(
    first: tuple[NDArray[np.intp], NDArray[Any]],
    second: tuple[NDArray[np.intp], NDArray[Any]],
    places: NDArray[np.intp],
    axis: int,
) -> NDArray[Any]:
    """Give the lines at all places: of the first where it has them, else of the second."""
    shape = list(first[1].shape)
    shape[axis] = len(places)
    lines = np.empty(shape, first[1].dtype)
    for own, held in (second, first):
        index = np.searchsorted(places, own)
        lines[index if axis == 0 else (slice(None), index)] = held
    return lines


@dataclass(frozen=True, eq=False)
class Splice:
    """One piece of a sequence before and after, which may differ in length; what lies around it stays.

    Sequences are tuples, texts, and arrays along ``axis``: a token that is removed is a row less of many
    arrays, a head that is added some rows more of W_O.
    """

    start: int
    before: Any
    after: Any
    axis: int = 0

    @classmethod
    def between(cls, before: Any, after: Any) -> Splice | None:
        """Find the one piece in which two sequences differ; None where that saves nothing."""
        if isinstance(before, np.ndarray) and isinstance(after, np.ndarray):
            return cls._between_arrays(before, after)
        if isinstance(before, str) and isinstance(after, str):
            if max(len(before), len(after)) < _LONG_TEXT:
                return None
        elif not (isinstance(before, tuple) and isinstance(after, tuple)):
            return None
        shared = min(len(before), len(after))
        start = _equal_start(before, after, shared)
        end = _equal_end(before, after, shared - start)
        return cls(start, before[start : len(before) - end], after[start : len(after) - end])

    @classmethod
    def _between_arrays(cls, before: NDArray[Any], after: NDArray[Any]) -> Splice | None:
        if before.ndim != after.ndim or before.dtype != after.dtype or before.nbytes <= LARGE:
            return None
        axes = [
            axis for axis, (old, new) in enumerate(zip(before.shape, after.shape, strict=True)) if old != new
        ]
        if len(axes) != 1:
            return None
        old, new = (np.moveaxis(array, axes[0], 0) for array in (before, after))
        known = splice_between(before, after) if axes[0] == 0 else None
        if known is not None:
            start, end = known.start, len(old) - known.start - known.gone
        else:
            start = _equal_lines(old, new)
            end = _equal_lines(old[start:][::-1], new[start:][::-1])
        # Copies: a view would keep the whole array alive.
        pieces = (old[start : len(old) - end].copy(), new[start : len(new) - end].copy())
        return cls(start, *pieces, axes[0]) if start + end else None

    def applied(self, now: Any, *, forward: bool) -> Any:
        """Give the sequence after the step (``forward``) or before it; an array read-only."""
        there, wanted = (self.before, self.after) if forward else (self.after, self.before)
        if not isinstance(now, np.ndarray):
            return now[: self.start] + wanted + now[self.start + len(there) :]
        if self.axis == 0 and now.ndim == 2:
            return spliced_rows(now, Spliced(self.start, len(there), len(wanted)), wanted)
        lines = np.moveaxis(now, self.axis, 0)
        whole = np.concatenate([lines[: self.start], wanted, lines[self.start + len(there) :]])
        changed = np.ascontiguousarray(np.moveaxis(whole, 0, self.axis))
        changed.flags.writeable = False
        return changed


def _equal_start(before: Any, after: Any, most: int) -> int:
    """Say how much is the same at the beginning of two texts or tuples, ``most`` at most.

    Pieces are compared, half as long each time: letter by letter a text of a megabyte takes half a second.
    """
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if before[low:middle] == after[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _equal_end(before: Any, after: Any, most: int) -> int:
    """Say how much is the same at the end."""
    n_before, n_after, low, high = len(before), len(after), 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if before[n_before - middle : n_before - low] == after[n_after - middle : n_after - low]:
            low = middle
        else:
            high = middle - 1
    return low


def _equal_lines(before: NDArray[Any], after: NDArray[Any]) -> int:
    """Say how many lines are the same, bit for bit, before the first that differs."""
    shared = min(len(before), len(after))
    differs = _bits(before[:shared]) != _bits(after[:shared])
    places = np.flatnonzero(differs.any(axis=tuple(range(1, differs.ndim))))
    return int(places[0]) if len(places) else shared


def _bits(array: NDArray[Any]) -> NDArray[Any]:
    """Give an array as unsigned integers: −0 and 0 differ."""
    return array.view(f"u{array.itemsize}")
