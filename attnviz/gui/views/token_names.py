"""Tokens as labels, made when they are asked for: of a long document only few are ever seen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import overload

from attnviz.core.inputs import DENSE_TOKENS
from attnviz.gui.plain_text import candidates_for_widest, visible


class TokenNames(Sequence[str]):
    """The tokens of an axis, as they are written on a screen."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = tokens

    @cached_property
    def longest(self) -> tuple[str, ...]:
        """The labels that may be the widest: all different ones, or of very many the longest."""
        return candidates_for_widest(self._tokens)

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


class NumberedNames(TokenNames):
    """The tokens of a long axis, each with its number: there are many of the same text."""

    @cached_property
    def longest(self) -> tuple[str, ...]:
        """The labels that may be the widest."""
        last = len(self._tokens) - 1
        return tuple(f"{last}  {name}" for name in candidates_for_widest(self._tokens))

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(self[place] for place in range(*index.indices(len(self))))
        return f"{index}  {visible(self._tokens[index])}"


def row_names(tokens: Sequence[str]) -> TokenNames:
    """Give what the rows of a table are called: by their tokens, of very many by their numbers too."""
    return NumberedNames(tokens) if len(tokens) > DENSE_TOKENS else TokenNames(tokens)
