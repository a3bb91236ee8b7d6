"""What every kind of mask can do, and the plain kinds. One polarity: True means the query may attend.

A mask is resolved for a block of rows and keys at a time, so that the n × n square need not be held. Where
queries and keys differ in number, its alignment says at which key a query stands, and with that what its past
is. Rules of positions are in position_masks.py, the mask that hides chosen tokens is in padding_mask.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Literal, Protocol, Self, get_args

import numpy as np
from numpy.typing import NDArray

from attnviz.core.errors import InputError

Rectangle = tuple[tuple[int, int], tuple[int, int]]
"""Half-open ranges of queries and of keys."""
Alignment = Literal["first", "last"]
"""Which query stands at which key: the first at the first, or the last at the last."""
Places = NDArray[np.intp]
"""For each token the index of the old token that it is, −1 where it is new."""
Moved = Literal["both", "queries", "keys"]
"""What moves with tokens: rows and columns of a mask, its rows, or its columns."""
MAX_CELLS = 4096**2
"""Cells of a custom mask that is made of another one; it is the one kind that holds them all."""


class Mask(Protocol):
    """What every kind of mask can do."""

    @property
    def kind(self) -> str:
        """The kind's name in files and on the command line: ``causal``, ``none``, ``custom``, …."""
        ...

    @property
    def alignment(self) -> Alignment:
        """Which query stands at which key, where they differ in number."""
        ...

    @property
    def hides_future(self) -> bool | None:
        """Whether every key after its query is hidden; None: some are, some are not."""
        ...

    def offset(self, n_query: int, n_key: int) -> int:
        """Give the key at which query 0 stands, which may lie before the first or after the last one."""
        ...

    def with_alignment(self, alignment: Alignment) -> Mask:
        """Give the mask with queries standing at other keys."""
        ...

    def with_future(self, hidden: bool) -> Mask:
        """Give the mask with the future hidden, or seen; what it hides of the past stays where it can."""
        ...

    def allowed(self, queries: tuple[int, int], keys: tuple[int, int], offset: int = 0) -> NDArray[np.bool_]:
        """Give which cells of the half-open block may be attended, shape (rows, keys).

        ``offset`` is the mask's own for the document, 0 where there are as many queries as keys;
        ``Inputs.allowed`` knows it.
        """
        ...

    def check(self, n_query: int, n_key: int) -> None:
        """Raise InputError where the mask does not fit n_query × n_key."""
        ...

    def rearranged(self, places: Places, moved: Moved = "both") -> Mask:
        """Give the mask after tokens moved: new token i was token places[i], or is new where that is −1."""
        ...

    def equals(self, other: Mask) -> bool:
        """Say whether both hide the same cells for the same reason."""
        ...


@dataclass(frozen=True, eq=False)  # kinds that are equal by their fields say so themselves
class Aligned:
    """What all kinds have in common: an alignment of queries and keys.

    Attributes
    ----------
    alignment
        ``first``: query 0 stands at key 0. ``last``: the last query stands at the last key, as in decoding
        with a cache of keys; query i stands at key i + n_key − n_query.

    Raises
    ------
    InputError
        When the alignment is anything else.
    """

    alignment: Alignment = field(default="first", kw_only=True)

    def __post_init__(self) -> None:
        if self.alignment not in get_args(Alignment):
            raise InputError(
                "The alignment of queries and keys is “{got}”; first or last is wanted.", got=self.alignment
            )

    def offset(self, n_query: int, n_key: int) -> int:
        """Give the key at which query 0 stands, which may lie before the first or after the last one."""
        return n_key - n_query if self.alignment == "last" else 0

    def with_alignment(self, alignment: Alignment) -> Self:
        """Give the mask with queries standing at other keys."""
        return replace(self, alignment=alignment)


@dataclass(frozen=True)
class CausalMask(Aligned):
    """A query sees itself and what came before it: key ≤ query, counted from where the query stands."""

    kind: ClassVar[str] = "causal"
    hides_future: ClassVar[bool] = True

    def with_future(self, hidden: bool) -> Mask:
        """Stay, or hide nothing."""
        return self if hidden else NoMask(alignment=self.alignment)

    def allowed(self, queries: tuple[int, int], keys: tuple[int, int], offset: int = 0) -> NDArray[np.bool_]:
        """Give key ≤ query + offset for the half-open block, shape (rows, keys)."""
        return np.arange(*keys)[None, :] <= np.arange(*queries)[:, None] + offset

    def check(self, n_query: int, n_key: int) -> None:
        """Fit any shape."""

    def rearranged(self, places: Places, moved: Moved = "both") -> CausalMask:
        """Stay as it is: the rule knows positions, not tokens."""
        return self

    def equals(self, other: Mask) -> bool:
        """Say whether the other is causal too, and aligned alike."""
        return self == other


@dataclass(frozen=True)
class NoMask(Aligned):
    """Every query sees every key."""

    kind: ClassVar[str] = "none"
    hides_future: ClassVar[bool] = False

    def with_future(self, hidden: bool) -> Mask:
        """Stay, or become causal."""
        return CausalMask(alignment=self.alignment) if hidden else self

    def allowed(self, queries: tuple[int, int], keys: tuple[int, int], offset: int = 0) -> NDArray[np.bool_]:
        """Give all True, shape (rows, keys)."""
        return np.ones((queries[1] - queries[0], keys[1] - keys[0]), bool)

    def check(self, n_query: int, n_key: int) -> None:
        """Fit any shape."""

    def rearranged(self, places: Places, moved: Moved = "both") -> NoMask:
        """Stay as it is."""
        return self

    def equals(self, other: Mask) -> bool:
        """Say whether the other hides nothing either, and is aligned alike."""
        return self == other


@dataclass(frozen=True, eq=False)
class CustomMask(Aligned):
    """Any bool array: ``array[query, key]`` True where the query may attend, shape (n_query, n_key).

    Its alignment hides nothing; it says what the future of a query is.
    """

    array: NDArray[np.bool_]
    kind: ClassVar[str] = "custom"

    def __post_init__(self) -> None:
        super().__post_init__()
        array = np.asarray(self.array)
        if array.dtype != np.bool_ or array.ndim != 2:
            raise InputError(
                "The mask is {got}; a bool array of shape (n_query, n_key) is wanted, "
                "True where a query may attend.",
                got=f"{array.dtype} {array.shape}",
            )
        _check_cells(*array.shape)
        if array.flags.writeable:
            array = array.copy()
            array.flags.writeable = False
        object.__setattr__(self, "array", array)

    @cached_property
    def hides_future(self) -> bool | None:
        """Whether every key after its query is hidden; None: some are, some are not."""
        future = self.array[~self._past()]
        if not future.any():
            return True
        return False if future.all() else None

    def with_future(self, hidden: bool) -> CustomMask:
        """Hide every key after its query, or let it be seen; the other cells stay."""
        past = self._past()
        return self._of(self.array & past if hidden else self.array | ~past)

    def _past(self) -> NDArray[np.bool_]:
        n_query, n_key = self.array.shape
        return CausalMask().allowed((0, n_query), (0, n_key), self.offset(n_query, n_key))

    def _of(self, array: NDArray[np.bool_]) -> CustomMask:
        return replace(self, array=array)

    @classmethod
    def of(cls, mask: Mask, n_query: int, n_key: int) -> CustomMask:
        """Give the mask that hides the same cells of n_query × n_key and can be painted.

        Raises
        ------
        InputError
            When that is more than MAX_CELLS.
        """
        if isinstance(mask, cls):
            return mask
        _check_cells(n_query, n_key)
        offset = mask.offset(n_query, n_key)
        return cls(mask.allowed((0, n_query), (0, n_key), offset), alignment=mask.alignment)

    def painted(self, cells: Sequence[Rectangle], allowed: bool) -> CustomMask:
        """Give the mask with rectangles of cells hidden or seen, itself where they are already.

        Raises
        ------
        InputError
            When a rectangle is empty or not within the mask.
        """
        array = self.array
        for rectangle in cells:
            self._check_rectangle(rectangle)
            place = (slice(*rectangle[0]), slice(*rectangle[1]))
            if (array[place] != allowed).any():
                array = array.copy() if array is self.array else array
                array[place] = allowed
        if array is self.array:
            return self
        array.flags.writeable = False
        return self._of(array)

    def _check_rectangle(self, rectangle: Rectangle) -> None:
        for what, (first, last), count in zip(("queries", "keys"), rectangle, self.array.shape, strict=True):
            if not 0 <= first < last <= count:
                raise InputError(
                    "The cells to paint run over the {what} {first} to {last}; "
                    "a range within 0 to {wanted} is wanted.",
                    what=what,
                    first=first,
                    last=last,
                    wanted=count,
                )

    def allowed(self, queries: tuple[int, int], keys: tuple[int, int], offset: int = 0) -> NDArray[np.bool_]:
        """Give the block of the array, a read-only view of shape (rows, keys)."""
        return self.array[slice(*queries), slice(*keys)]

    def check(self, n_query: int, n_key: int) -> None:
        """Raise InputError unless the array is n_query × n_key."""
        if self.array.shape != (n_query, n_key):
            raise InputError(
                "The mask has shape {got}; {wanted} is wanted, one row per query and one column per key.",
                got=self.array.shape,
                wanted=(n_query, n_key),
            )

    def rearranged(self, places: Places, moved: Moved = "both") -> CustomMask:
        """Move rows and columns with their tokens; a new token sees all and is seen by all."""
        array = self.array
        for axis, name in enumerate(("queries", "keys")):
            if moved in ("both", name):
                array = _with_lines(array, places, axis)
        return self._of(array)

    def equals(self, other: Mask) -> bool:
        """Say whether the other is a custom mask of the same cells, aligned alike."""
        return (
            isinstance(other, CustomMask)
            and self.alignment == other.alignment
            and np.array_equal(self.array, other.array)
        )


def _check_cells(n_query: int, n_key: int) -> None:
    """Refuse a mask of too many cells, before they are there where that can be."""
    if n_query * n_key > MAX_CELLS:
        raise InputError(
            "A mask of one's own holds every cell, {n_query} × {n_key} here; up to {side} × {side} "
            "can be held. Choose another kind of mask.",
            n_query=n_query,
            n_key=n_key,
            side=math.isqrt(MAX_CELLS),
        )


def _with_lines(array: NDArray[np.bool_], places: Places, axis: int) -> NDArray[np.bool_]:
    """Give rows (axis 0) or columns in another order; those of new tokens are True throughout."""
    lines = array.take(places, axis)  # of a new token some line or other
    lines[places < 0 if axis == 0 else (slice(None), places < 0)] = True
    return lines
