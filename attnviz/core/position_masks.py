"""Masks that know positions and nothing else: windows, sinks with a window, prefixes.

A rule stays as it is when tokens come, go or move, and may reach beyond the sentence: a window wider than the
sentence is the causal mask, a prefix longer than it hides nothing. “Query” in a formula is the key at which
the query stands, by the mask's alignment.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from attnviz.core.errors import InputError
from attnviz.core.masks import Aligned, CausalMask, Mask, Moved, NoMask, Places

LONGEST = 1_000_000
"""The most tokens that a rule may reach over."""

Range = tuple[int, int]


@dataclass(frozen=True, eq=False)
class _PositionRule(Aligned):
    """What the rules of positions have in common: no shape is wrong for them, and no token theirs."""

    hides_future: ClassVar[bool | None] = True

    def with_future(self, hidden: bool) -> Mask:
        """Stay where the future is hidden already; else become the causal mask, or hide nothing."""
        if not hidden:
            return NoMask(alignment=self.alignment)
        return self if self.hides_future else CausalMask(alignment=self.alignment)  # type: ignore[return-value]

    def allowed(self, queries: Range, keys: Range, offset: int = 0) -> NDArray[np.bool_]:
        """Give which cells of the half-open block may be attended, shape (rows, keys)."""
        raise NotImplementedError

    def rearranged(self, places: Places, moved: Moved = "both") -> Self:
        """Stay as it is: the rule knows positions, not tokens."""
        return self

    def check(self, n_query: int, n_key: int) -> None:
        """Fit any shape."""

    def equals(self, other: Mask) -> bool:
        """Say whether the other is the same rule with the same numbers."""
        same: object = other
        return self == same


@dataclass(frozen=True)
class SlidingWindowMask(_PositionRule):
    """A query sees the last ``width`` tokens up to itself: query − width < key ≤ query.

    Attributes
    ----------
    width
        1 to LONGEST; the query itself counts.

    Raises
    ------
    InputError
        When the width is anything else.

    References
    ----------
    Beltagy, Peters and Cohan, "Longformer: The Long-Document Transformer" (2020), section 3.1; causal as in
    Jiang et al., "Mistral 7B" (2023), section 2.
    """

    width: int
    kind: ClassVar[str] = "window"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _is_count(self.width, 1):
            raise InputError(
                "The width of the window is {got}; a whole number from 1 to {wanted} is wanted.",
                got=_said(self.width),
                wanted=LONGEST,
            )
        object.__setattr__(self, "width", operator.index(self.width))

    def allowed(self, queries: Range, keys: Range, offset: int = 0) -> NDArray[np.bool_]:
        """Give query − width < key ≤ query for the half-open block, shape (rows, keys)."""
        return _in_window(queries, keys, self.width, offset)


@dataclass(frozen=True)
class SinkMask(_PositionRule):
    """A query sees the first ``sinks`` tokens and the last ``width`` up to itself, never the future.

    Attributes
    ----------
    sinks
        0 to LONGEST.
    width
        Of the window, 1 to LONGEST; the query itself counts.

    Raises
    ------
    InputError
        When a number is anything else.

    References
    ----------
    Xiao et al., "Efficient Streaming Language Models with Attention Sinks" (2023), section 3.
    """

    sinks: int
    width: int
    kind: ClassVar[str] = "sinks"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _is_count(self.sinks, 0):
            raise InputError(
                "The number of sink tokens is {got}; a whole number from 0 to {wanted} is wanted.",
                got=_said(self.sinks),
                wanted=LONGEST,
            )
        window = SlidingWindowMask(self.width)  # says what is wrong with the width
        object.__setattr__(self, "sinks", operator.index(self.sinks))
        object.__setattr__(self, "width", window.width)

    def allowed(self, queries: Range, keys: Range, offset: int = 0) -> NDArray[np.bool_]:
        """Give key ≤ query and (key < sinks or query − width < key) for the block, shape (rows, keys)."""
        sink = np.arange(*keys)[None, :] < self.sinks
        past = CausalMask().allowed(queries, keys, offset)
        return _in_window(queries, keys, self.width, offset) | (sink & past)


@dataclass(frozen=True)
class PrefixMask(_PositionRule):
    """Everyone sees the first ``length`` tokens, both ways; after them a query sees what came before it.

    Attributes
    ----------
    length
        1 to LONGEST.

    Raises
    ------
    InputError
        When the length is anything else.

    References
    ----------
    Raffel et al., "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer" (2020),
    section 3.2.1, causal mask with prefix; Liu et al., "Generating Wikipedia by Summarizing Long Sequences"
    (2018).
    """

    length: int
    kind: ClassVar[str] = "prefix"
    hides_future: ClassVar[bool | None] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _is_count(self.length, 1):
            raise InputError(
                "The length of the prefix is {got}; a whole number from 1 to {wanted} is wanted.",
                got=_said(self.length),
                wanted=LONGEST,
            )
        object.__setattr__(self, "length", operator.index(self.length))

    def allowed(self, queries: Range, keys: Range, offset: int = 0) -> NDArray[np.bool_]:
        """Give key < length or key ≤ query for the half-open block, shape (rows, keys)."""
        return CausalMask().allowed(queries, keys, offset) | (np.arange(*keys)[None, :] < self.length)


def _in_window(queries: Range, keys: Range, width: int, offset: int) -> NDArray[np.bool_]:
    back = np.arange(*queries)[:, None] + offset - np.arange(*keys)[None, :]
    return (back >= 0) & (back < width)


def _is_count(value: object, least: int) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        return False
    return least <= int(value) <= LONGEST


def _said(value: object) -> object:
    """Give what was got as it can be said: Python will not write a whole number of 5,000 digits."""
    if isinstance(value, int) and not isinstance(value, bool):
        return min(max(value, -(10**15)), 10**15)
    return value if isinstance(value, float | np.number) else f"“{value}”"
