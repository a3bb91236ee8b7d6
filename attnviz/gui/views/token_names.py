"""Tokens as labels, made when they are asked for: of a long document only few are ever seen."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from functools import cached_property
from typing import overload

from attnviz.gui.plain_text import visible

_MEASURED = 4096
"""Different tokens that are measured; of more, the longest."""


class TokenNames(Sequence[str]):
    """The tokens of an axis, as they are written on a screen."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = tokens

    @cached_property
    def longest(self) -> tuple[str, ...]:
        """The labels that may be the widest: all different ones, or of very many the longest."""
        several = set(self._tokens)
        if len(several) > _MEASURED:
            several = set(heapq.nlargest(_MEASURED // 16, several, key=len))
        return tuple(visible(token) for token in several)

    def __len__(self) -> int:
        return len(self._tokens)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(visible(token) for token in self._tokens[index])
        return visible(self._tokens[index])
