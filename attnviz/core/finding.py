"""Finding a place in a document by what a person types: numbers, or the text of a token."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

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


def tokens_like(tokens: Sequence[str], text: str) -> IntArray:
    """Give the indices of the tokens that hold a text, large and small letters alike, in order.

    A text in quotation marks finds the tokens that are exactly this, numbers too.

    Raises
    ------
    InputError
        When no token does.
    """
    quoted = _QUOTED.fullmatch(text.strip())
    if quoted is not None:
        found = [index for index, token in enumerate(tokens) if token == quoted[1]]
    else:
        wanted = (text.strip() or text).casefold()
        has = {token: wanted in token.casefold() for token in set(tokens)} if wanted else {}
        found = [index for index, token in enumerate(tokens) if has.get(token, False)]
    if not found:
        raise InputError("No token holds “{text}”; write a part of one, or numbers such as 12, 7.", text=text)
    return np.array(found, np.int64)


def next_of(found: IntArray, at: int, *, forwards: bool = True) -> int:
    """Give the position in ``found`` of the next index after ``at``, or the one before; round at the end."""
    if forwards:
        return int(np.searchsorted(found, at, side="right")) % len(found)
    return (int(np.searchsorted(found, at, side="left")) - 1) % len(found)
