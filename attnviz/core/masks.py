"""What every kind of mask can do, and the plain kinds. One polarity: True means the query may attend.

A mask is resolved for a block of rows and keys at a time, so that the n × n square need not be held. Rules of
positions are in position_masks.py, the mask that hides chosen tokens is in padding_mask.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from attnviz.core.errors import InputError

Rectangle = tuple[tuple[int, int], tuple[int, int]]
"""Half-open ranges of queries and of keys."""


class Mask(Protocol):
    """What every kind of mask can do."""

    @property
    def kind(self) -> str:
        """The kind's name in files and on the command line: ``causal``, ``none``, ``custom``, …."""
        ...

    @property
    def hides_future(self) -> bool | None:
        """Whether every key after its query is hidden; None: some are, some are not."""
        ...

    def with_future(self, hidden: bool) -> Mask:
        """Give the mask with the future hidden, or seen; what it hides of the past stays where it can."""
        ...

    def allowed(self, queries: tuple[int, int], keys: tuple[int, int]) -> NDArray[np.bool_]:
        """Give which cells of the half-open block may be attended, shape (rows, keys)."""
        ...

    def check(self, n_query: int, n_key: int) -> None:
        """Raise InputError where the mask does not fit n_query × n_key."""
        ...

    def rearranged(self, kept: tuple[int | None, ...]) -> Mask:
        """Give the mask after tokens moved: new token i was token kept[i], or is new where that is None."""
        ...

    def equals(self, other: Mask) -> bool:
        """Say whether both hide the same cells for the same reason."""
        ...


@dataclass(frozen=True)
class CausalMask:
    """A query sees itself and what came before it: key ≤ query."""

    kind: ClassVar[str] = "causal"
    hides_future: ClassVar[bool] = True

    def with_future(self, hidden: bool) -> Mask:
        """Stay, or hide nothing."""
        return self if hidden else NoMask()

    def allowed(self, queries: tuple[int, int], keys: tuple[int, int]) -> NDArray[np.bool_]:
        """Give key ≤ query for the half-open block, shape (rows, keys)."""
        return np.arange(*keys)[None, :] <= np.arange(*queries)[:, None]

    def check(self, n_query: int, n_key: int) -> None:
        """Fit any shape."""

    def rearranged(self, kept: tuple[int | None, ...]) -> CausalMask:
        """Stay as it is: the rule knows positions, not tokens."""
        return self

    def equals(self, other: Mask) -> bool:
        """Say whether the other is causal too."""
        return isinstance(other, CausalMask)


@dataclass(frozen=True)
class NoMask:
    """Every query sees every key."""

    kind: ClassVar[str] = "none"
    hides_future: ClassVar[bool] = False

    def with_future(self, hidden: bool) -> Mask:
        """Stay, or become causal."""
        return CausalMask() if hidden else self

    def allowed(self, queries: tuple[int, int], keys: tuple[int, int]) -> NDArray[np.bool_]:
        """Give all True, shape (rows, keys)."""
        return np.ones((queries[1] - queries[0], keys[1] - keys[0]), bool)

    def check(self, n_query: int, n_key: int) -> None:
        """Fit any shape."""

    def rearranged(self, kept: tuple[int | None, ...]) -> NoMask:
        """Stay as it is."""
        return self

    def equals(self, other: Mask) -> bool:
        """Say whether the other hides nothing either."""
        return isinstance(other, NoMask)


@dataclass(frozen=True, eq=False)
class CustomMask:
    """Any bool array: ``array[query, key]`` True where the query may attend, shape (n_query, n_key)."""

    array: NDArray[np.bool_]
    kind: ClassVar[str] = "custom"

    def __post_init__(self) -> None:
        array = np.asarray(self.array)
        if array.dtype != np.bool_ or array.ndim != 2:
            raise InputError(
                "The mask is {got}; a bool array of shape (n_query, n_key) is wanted, "
                "True where a query may attend.",
                got=f"{array.dtype} {array.shape}",
            )
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
        return CustomMask(self.array & past if hidden else self.array | ~past)

    def _past(self) -> NDArray[np.bool_]:
        n_query, n_key = self.array.shape
        return CausalMask().allowed((0, n_query), (0, n_key))

    @classmethod
    def of(cls, mask: Mask, n_query: int, n_key: int) -> CustomMask:
        """Give the mask that hides the same cells of n_query × n_key and can be painted."""
        return mask if isinstance(mask, cls) else cls(mask.allowed((0, n_query), (0, n_key)))

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
        return CustomMask(array)

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

    def allowed(self, queries: tuple[int, int], keys: tuple[int, int]) -> NDArray[np.bool_]:
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

    def rearranged(self, kept: tuple[int | None, ...]) -> CustomMask:
        """Move rows and columns with their tokens; a new token sees all and is seen by all."""
        array = np.ones((len(kept), len(kept)), bool)
        new = np.array([i for i, old in enumerate(kept) if old is not None], int)
        old = np.array([o for o in kept if o is not None], int)
        array[np.ix_(new, new)] = self.array[np.ix_(old, old)]
        return CustomMask(array)

    def equals(self, other: Mask) -> bool:
        """Say whether the other is a custom mask of the same cells."""
        return isinstance(other, CustomMask) and np.array_equal(self.array, other.array)
