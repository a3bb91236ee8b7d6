"""What one step of undo keeps: the parts that changed, not the world.

Arrays over 1 MB of which a few rows changed are kept as those rows.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core.inputs import Head, Inputs

LARGE = 1 << 20
"""Bytes from which an array's changed rows are kept instead of the array."""


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows of a large array before and after."""

    rows: NDArray[np.intp]
    before: NDArray[Any]
    after: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Step:
    """The difference between two documents, both ways.

    Attributes
    ----------
    nbytes
        Bytes the step keeps alive that neither document shares with it for certain.
    """

    values: tuple[tuple[str, Any, Any], ...]
    head_values: tuple[tuple[int, str, Any, Any], ...]
    nbytes: int

    @classmethod
    def between(cls, before: Inputs, after: Inputs) -> Step:
        """Find what differs."""
        values: list[tuple[str, Any, Any]] = []
        head_values: list[tuple[int, str, Any, Any]] = []
        for item in fields(Inputs):
            old, new = getattr(before, item.name), getattr(after, item.name)
            if item.name != "heads" or len(old) != len(new):
                if old is not new:
                    values.append((item.name, old, new))
                continue
            for index, (old_head, new_head) in enumerate(zip(old, new, strict=True)):
                head_values.extend(_head_difference(index, old_head, new_head))
        kept = [value for change in values for value in change[1:]] + [v for c in head_values for v in c[2:]]
        return cls(tuple(values), tuple(head_values), sum(_nbytes(value) for value in kept))

    @property
    def is_empty(self) -> bool:
        """True where nothing differs."""
        return not self.values and not self.head_values

    def undone(self, inputs: Inputs) -> Inputs:
        """Give the document before the step, from the one after it."""
        return self._applied(inputs, forward=False)

    def redone(self, inputs: Inputs) -> Inputs:
        """Give the document after the step, from the one before it."""
        return self._applied(inputs, forward=True)

    def _applied(self, inputs: Inputs, *, forward: bool) -> Inputs:
        changes: dict[str, Any] = {name: new if forward else old for name, old, new in self.values}
        heads = list(inputs.heads)
        by_head: dict[int, dict[str, Any]] = {}
        for index, name, old, new in self.head_values:
            if isinstance(new, _Rows):
                array = getattr(heads[index], name).copy()
                array[new.rows] = new.after if forward else new.before
                array.flags.writeable = False
                by_head.setdefault(index, {})[name] = array
            else:
                by_head.setdefault(index, {})[name] = new if forward else old
        for index, head_changes in by_head.items():
            if head_changes.get("v_is_k", heads[index].v_is_k) and "k" in head_changes:
                head_changes["v"] = head_changes["k"]
            heads[index] = replace(heads[index], **head_changes)
        if by_head:
            changes["heads"] = tuple(heads)
        return replace(inputs, **changes)


def _head_difference(index: int, old: Head, new: Head) -> list[tuple[int, str, Any, Any]]:
    if old is new:
        return []
    found: list[tuple[int, str, Any, Any]] = []
    for item in fields(Head):
        if item.name == "v" and old.v_is_k and new.v_is_k:
            continue  # follows k
        before, after = getattr(old, item.name), getattr(new, item.name)
        if before is after or (not isinstance(before, np.ndarray) and before == after):
            continue
        if isinstance(before, np.ndarray) and before.nbytes > LARGE and before.shape == after.shape:
            rows = np.flatnonzero((before != after).any(axis=1))
            if len(rows) * 2 < len(before):
                patch = _Rows(rows, before[rows], after[rows])
                found.append((index, item.name, None, patch))
                continue
        found.append((index, item.name, before, after))
    return found


def _nbytes(value: Any) -> int:
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, _Rows):
        return value.rows.nbytes + value.before.nbytes + value.after.nbytes
    if isinstance(value, Head):
        return sum(_nbytes(getattr(value, item.name)) for item in fields(Head))
    if isinstance(value, tuple):
        return sum(_nbytes(part) for part in value)
    if isinstance(value, str):
        return len(value)
    return _nbytes(value.array) if hasattr(value, "array") else 0
