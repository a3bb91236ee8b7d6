"""Finding a place in a document by what a person types: numbers, or the text of a token."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from attnviz.core.errors import InputError
from attnviz.core.request import check_index

IntArray = NDArray[np.int64]

_PLACE = re.compile(r"(\d{1,9})(?:\s*[,;、 ]\s*(\d{1,9}))?", re.ASCII)
_QUOTED = re.compile(r"[\"“「'](.+)[\"”」']", re.DOTALL)


def numbers_in(text: str) -> tuple[int, ...]:
    """Give the one or two whole numbers a text consists of; none where it is something else."""
    found = _PLACE.fullmatch(unicodedata.normalize("NFKC", text).strip())
    return () if found is None else tuple(int(part) for part in found.groups() if part is not None)


def place_named(
    numbers: tuple[int, ...], which: str, at: tuple[int, int], n: tuple[int, int]
) -> tuple[int, int]:
    """Give the (query, key) that one or two numbers name.

    Parameters
    ----------
    numbers
        A query and a key, or one of them.
    which
        What a single number is: ``query`` or ``key``.
    at
        The (query, key) that stays where a single number leaves one open.
    n
        How many queries and keys there are.

    Raises
    ------
    InputError
        When there is no such query or key.
    """
    if len(numbers) == 1:
        numbers = (numbers[0], at[1]) if which == "query" else (at[0], numbers[0])
    for name, number, count in zip(("query", "key"), numbers, n, strict=True):
        check_index(name, number, count)
    return numbers[0], numbers[1]


class TokenIndex:
    """The tokens of one axis, ready to be looked through with every letter that is typed.

    Texts are compared as people mean them: letters large or small, of full or half width (ＡＢ and ab, ｶﾞ and
    ガ), composed or not. A text in quotation marks finds the tokens that are exactly this.

    Parameters
    ----------
    tokens
        n tokens. Reading them takes some hundredths of a second for 131,072.
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = tokens
        self._numbers: dict[str, int] = {}
        numbers = self._numbers
        self._kinds = np.array([numbers.setdefault(token, len(numbers)) for token in tokens], np.int64)
        self._folded = [folded(token) for token in numbers]

    def find(self, text: str) -> IntArray:
        """Give the indices of the tokens that hold a text, in order; none for an empty one."""
        quoted = _QUOTED.fullmatch(text.strip())
        if quoted is not None:
            return self._of_kinds([self._numbers[quoted[1]]] if quoted[1] in self._numbers else [])
        wanted = folded(text.strip() or text)
        if not wanted:
            return np.empty(0, np.int64)
        return self._of_kinds([kind for kind, token in enumerate(self._folded) if wanted in token])

    def _of_kinds(self, kinds: list[int]) -> IntArray:
        is_wanted = np.zeros(len(self._numbers), bool)
        is_wanted[kinds] = True
        return np.flatnonzero(is_wanted[self._kinds]).astype(np.int64)


@lru_cache(maxsize=2)  # of the queries and of the keys
def index_of(tokens: tuple[str, ...]) -> TokenIndex:
    """Give the index of these tokens; that of the tokens asked for last is kept."""
    return TokenIndex(tokens)


def folded(text: str) -> str:
    """Give a text as it is compared: without large letters, and every width and composition alike."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def tokens_like(tokens: tuple[str, ...], text: str) -> IntArray:
    """Give the indices of the tokens that hold a text, as ``TokenIndex.find`` does.

    Raises
    ------
    InputError
        When no token does.
    """
    found = index_of(tokens).find(text)
    if not found.size:
        raise InputError("No token holds “{text}”; write a part of one, or numbers such as 12, 7.", text=text)
    return found


def next_of(found: IntArray, at: int, *, forwards: bool = True) -> int:
    """Give the position in ``found`` of the next index after ``at``, or the one before; round at the end."""
    if forwards:
        return int(np.searchsorted(found, at, side="right")) % len(found)
    return (int(np.searchsorted(found, at, side="left")) - 1) % len(found)
