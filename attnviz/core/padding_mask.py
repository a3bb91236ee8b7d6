"""The mask that hides chosen tokens from everybody, as padding is hidden in a batch of sentences."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from attnviz.core.errors import InputError
from attnviz.core.masks import Aligned, CausalMask, Mask, Moved, Places


@dataclass(frozen=True)
class PaddingMask(Aligned):
    """No query sees the chosen keys; where ``hides_future``, none sees the future either.

    Attributes
    ----------
    tokens
        Indices of the hidden keys from 0, kept sorted, each once. They belong to their tokens and move with
        them.
    hides_future
        Hide every key after its query too, as a decoder does.

    Raises
    ------
    InputError
        When a token is no index from 0.

    References
    ----------
    Devlin et al., "BERT" (2019): ``attention_mask`` is 0 where this mask holds a token.
    """

    tokens: tuple[int, ...] = ()
    hides_future: bool = False
    kind: ClassVar[str] = "padding"

    def __post_init__(self) -> None:
        super().__post_init__()
        tokens: tuple[object, ...] = self.tokens
        for got in tokens:
            if not isinstance(got, int | np.integer) or isinstance(got, bool) or got < 0:
                raise InputError(
                    "The padding holds “{got}”; indices of tokens are wanted, counted from 0.", got=repr(got)
                )
        object.__setattr__(self, "tokens", tuple(sorted({int(token) for token in self.tokens})))
        object.__setattr__(self, "hides_future", bool(self.hides_future))

    def allowed(self, queries: tuple[int, int], keys: tuple[int, int], offset: int = 0) -> NDArray[np.bool_]:
        """Give which cells of the half-open block may be attended, shape (rows, keys)."""
        shape = (queries[1] - queries[0], keys[1] - keys[0])
        allowed = CausalMask().allowed(queries, keys, offset) if self.hides_future else np.ones(shape, bool)
        first, last = (bisect_left(self.tokens, key) for key in keys)
        allowed[:, np.array(self.tokens[first:last], np.intp) - keys[0]] = False
        return allowed

    def check(self, n_query: int, n_key: int) -> None:
        """Raise InputError where a hidden token is not among n_key keys."""
        if self.tokens and self.tokens[-1] >= n_key:
            raise InputError(
                "The padding holds token {got}, but there are only {wanted} key tokens, counted from 0.",
                got=min(self.tokens[-1], 10**15),
                wanted=n_key,
            )

    def rearranged(self, places: Places, moved: Moved = "both") -> PaddingMask:
        """Move with the key tokens; a new token is seen."""
        if moved == "queries":
            return self
        return replace(self, tokens=tuple(np.flatnonzero(np.isin(places, self.tokens)).tolist()))

    def equals(self, other: Mask) -> bool:
        """Say whether the other hides the same tokens, and the future or not alike."""
        return self == other

    def with_future(self, hidden: bool) -> PaddingMask:
        """Hide the future too, or only the chosen tokens."""
        return replace(self, hides_future=hidden)

    def with_token(self, token: int, hidden: bool) -> PaddingMask:
        """Hide one more token, or one less."""
        others: Iterable[int] = (each for each in self.tokens if each != token)
        return replace(self, tokens=(*others, token) if hidden else tuple(others))
