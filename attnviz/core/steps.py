"""What one step of undo keeps: the parts that changed, not the world.

Of arrays over 16 kB the lines that changed, came or went are kept, of tokens and heads those that did.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from sys import getsizeof
from typing import Any

import numpy as np

from attnviz.core.arrays import same_bits
from attnviz.core.block_arrays import BlockArray
from attnviz.core.head_steps import MovedHeads
from attnviz.core.inputs import Head, Inputs
from attnviz.core.line_steps import ChangedLines, Splice
from attnviz.core.mask_steps import FlippedCells, PackedMask
from attnviz.core.masks import CustomMask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.projections import BIASES, WEIGHTS, Projection

OWN_BYTES = 1 << 10
"""Bytes that a step takes however little it keeps: its own objects and the command that holds it."""

_WHOLE = (np.ndarray, BlockArray, float, str)
"""Kinds of parts that a step keeps whole and that can be put in place of each other."""
_MAPS = (*WEIGHTS, *BIASES)


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
            if item.name != "heads":
                if old is not new:
                    values.append((item.name, *_change(old, new)))
                continue
            if (moved := MovedHeads.between(old, new)) is not None:
                values.append((item.name, None, moved))
                continue
            for index, (old_head, new_head) in enumerate(zip(old, new, strict=True)):
                head_values.extend(_head_difference(index, old_head, new_head))
        kept = [value for change in values for value in change[1:]] + [v for c in head_values for v in c[2:]]
        nbytes = OWN_BYTES + sum(_nbytes(value) for value in kept)
        return cls(tuple(values), tuple(head_values), nbytes)

    @property
    def is_empty(self) -> bool:
        """True where nothing differs."""
        return not self.values and not self.head_values

    def followed_by(self, other: Step) -> Step | None:
        """Give the step that this and the next one make together; None where the documents have to be asked.

        Known of numbers of vectors, marks, mask value and scale, as a slider sends them many times a second.
        """
        if any(name == "heads" for name, *_ in (*self.values, *other.values)):
            return None  # an index before is another head's after
        if any(name in ("projection", "v_is_k") for _, name, *_ in (*self.head_values, *other.head_values)):
            return None  # one tells of all maps, or of k for v too, and the other may of one
        values = _followed({(name,): (old, new) for name, old, new in self.values}, other.values, 1)
        of_heads = _followed(
            {(index, name): (old, new) for index, name, old, new in self.head_values}, other.head_values, 2
        )
        if values is None or of_heads is None:
            return None
        kept = [value for change in (*values, *of_heads) for value in change[-2:]]
        return Step(tuple(values), tuple(of_heads), OWN_BYTES + sum(_nbytes(value) for value in kept))

    def undone(self, inputs: Inputs) -> Inputs:
        """Give the document before the step, from the one after it."""
        return self._applied(inputs, forward=False)

    def redone(self, inputs: Inputs) -> Inputs:
        """Give the document after the step, from the one before it."""
        return self._applied(inputs, forward=True)

    def _applied(self, inputs: Inputs, *, forward: bool) -> Inputs:
        changes = {
            name: _one_side(getattr(inputs, name), old, new, forward=forward)
            for name, old, new in self.values
        }
        heads = list(inputs.heads)
        by_head: dict[int, dict[str, Any]] = {}
        of_maps: dict[int, dict[str, Any]] = {}
        for index, name, old, new in self.head_values:
            by_head.setdefault(index, {})
            now: Any = heads[index]
            changed = by_head[index]
            if name in _MAPS:  # both sides have maps
                now, changed = now.projection, of_maps.setdefault(index, {})
            changed[name] = _one_side(getattr(now, name), old, new, forward=forward)
        for index, map_changes in of_maps.items():
            maps: Any = heads[index].projection
            by_head[index]["projection"] = replace(maps, **map_changes)
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
        if before is after:
            continue
        if isinstance(before, np.ndarray):  # marks are made anew with every head
            if same_bits(before, after):
                continue
        elif before == after:
            continue
        if isinstance(before, Projection) and isinstance(after, Projection):
            for map_item in fields(Projection):
                old_map, new_map = getattr(before, map_item.name), getattr(after, map_item.name)
                if old_map is not new_map:
                    found.append((index, map_item.name, *_change(old_map, new_map)))
            continue
        found.append((index, item.name, *_change(before, after)))
    return found


def _change(before: Any, after: Any) -> tuple[Any, Any]:
    """Give what is kept of both sides: they themselves, or the part of them that changed."""
    if isinstance(before, CustomMask) or isinstance(after, CustomMask):
        return _mask_change(before, after)
    part = ChangedLines.between(before, after) or Splice.between(before, after)
    return (before, after) if part is None else (None, part)


def _followed(first: dict[Any, tuple[Any, Any]], second: Any, n_names: int) -> list[Any] | None:
    """Join changes of parts by their names; what ends as it began is left out."""
    joined = dict(first)
    for change in second:
        names, old, new = tuple(change[:n_names]), change[-2], change[-1]
        if names not in joined:
            joined[names] = old, new
            continue
        before, after = joined[names]
        if isinstance(after, ChangedLines) and isinstance(new, ChangedLines):
            lines = after.followed_by(new)
            if lines is None:
                return None
            joined[names] = None, lines
        elif any(not isinstance(each, _WHOLE) for each in (before, after, old, new)):
            return None
        else:
            joined[names] = before, new
    return [(*names, *sides) for names, sides in joined.items() if not _is_nothing(*sides)]


def _is_nothing(before: Any, after: Any) -> bool:
    if isinstance(after, ChangedLines):
        return not after.places.size
    if isinstance(before, np.ndarray) and isinstance(after, np.ndarray):
        return same_bits(before, after)
    if isinstance(before, BlockArray):
        return before.equals(after)
    return isinstance(before, _WHOLE) and isinstance(after, _WHOLE) and bool(before == after)


def _mask_change(before: Any, after: Any) -> tuple[Any, Any]:
    both = isinstance(before, CustomMask) and isinstance(after, CustomMask)
    if both and (before.array.shape, before.alignment) == (after.array.shape, after.alignment):
        return None, FlippedCells.between(before, after)
    old, new = (PackedMask.of(mask) if isinstance(mask, CustomMask) else mask for mask in (before, after))
    return old, new


def _one_side(now: Any, before: Any, after: Any, *, forward: bool) -> Any:
    if isinstance(after, ChangedLines | Splice | MovedHeads):
        return after.applied(now, forward=forward)
    if isinstance(after, FlippedCells):
        return after.applied(now)
    side = after if forward else before
    return side.mask() if isinstance(side, PackedMask) else side


def _nbytes(value: Any) -> int:
    if isinstance(value, BlockArray):
        return value.held_bytes
    if isinstance(value, np.ndarray | FlippedCells | PackedMask | ChangedLines):
        return value.nbytes
    if isinstance(value, PaddingMask):
        return 40 * len(value.tokens)  # an int and the place that holds it
    if isinstance(value, Splice):
        return _nbytes(value.before) + _nbytes(value.after)
    if isinstance(value, MovedHeads):
        return _nbytes(tuple(value.heads)) + 16 * (len(value.before) + len(value.after))
    if isinstance(value, Head | Projection):
        return sum(_nbytes(getattr(value, item.name)) for item in fields(value))
    if isinstance(value, tuple | list):
        if set(map(type, value)) == {str}:  # the tokens of a book
            return 8 * len(value) + sum(map(getsizeof, value))
        return sum(8 + _nbytes(part) for part in value)
    return getsizeof(value) if isinstance(value, str) else 0
