"""Rows of a document as its tokens come, go and change places: what those that stay keep, what new ones get.

The edits that ask for it are in edits.py and, of the keys of cross attention, in key_edits.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core.arrays import closed, moved_rows
from attnviz.core.block_arrays import as_blocks
from attnviz.core.errors import InputError
from attnviz.core.inputs import Head, Inputs, checked_tokens
from attnviz.core.masks import Places
from attnviz.core.memory import check_fits
from attnviz.core.position_codes import previous_token_vectors

Vectors = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]
Fresh = Callable[[Head, str], Vectors | None]
"""Gives q (d_k,), k (d_k,), v (d_v,) of a token that is new to a head, or None for zeros."""
Kept = Sequence[int | None] | Places
"""For each token the index of the old token that it is; None, or in an array −1, where it is new."""


def check_rows_fit(inputs: Inputs, which: str, n_rows: int) -> None:
    """Refuse so many tokens where their rows of ``which`` (``qkv``, ``q`` or ``kv``) and of x do not fit.

    Raises
    ------
    InputError
        When fewer bytes are free than they take; both numbers are said.
    """
    arrays = [getattr(head, name) for head in inputs.heads for name in which]
    arrays.append(inputs.x_of(which[0]))
    held = (array for array in arrays if array is not None and as_blocks(array) is None)
    check_fits(4 * n_rows * sum(array.shape[1] for array in held), "q, k, v")


def checked_origins(tokens: Sequence[str], kept: Kept) -> tuple[str, ...]:
    """Give new tokens as a tuple, as many as there are places of origin.

    Raises
    ------
    InputError
        When they differ in number, or there are none or too many.
    """
    if len(tokens) != len(kept):
        raise InputError(
            "{tokens} tokens came with {kept} places of origin; one each is needed.",
            tokens=len(tokens),
            kept=len(kept),
        )
    return checked_tokens(tokens)


def places_of(kept: Kept) -> Places:
    """Give indices of old tokens as an array (n_tokens,), −1 where a token is new."""
    if isinstance(kept, np.ndarray):
        return kept
    return np.array([-1 if old is None else old for old in kept], np.intp)


def all_stay(places: Places, count: int) -> bool:
    """Say whether each of so many tokens stays where it is, and none is new."""
    return len(places) == count and bool((places == np.arange(count)).all())


def rearranged_head(
    head: Head, which: str, tokens: Sequence[str], places: Places, fresh: Fresh | None
) -> Head:
    """Give a head after tokens moved; ``which`` is ``qkv``, or ``q`` or ``kv`` where only those move."""
    marks_of = "is_default_key" if which == "kv" else "is_default"
    before = head.key_marks if which == "kv" else head.is_default
    marks = before[places]  # of a new token some mark or other
    marks[places < 0] = True
    follows = {"v"} if head.v_is_k and "k" in which else set()
    if head.source == "positions":
        follows |= set("qk")
    carries = [name for name in which if name not in follows]
    new = _new_tokens(head, carries, tokens, np.flatnonzero(places < 0), fresh)
    now = {name: moved_rows(getattr(head, name), places, *new[name]) for name in carries}
    if head.source == "positions":
        n_query, n_key = (len(places) if name in which else len(getattr(head, name)) for name in "qk")
        now |= {
            name: closed(codes)
            for name, codes in zip("qk", previous_token_vectors(n_query, n_key), strict=True)
        }
    if head.v_is_k and "k" in now:
        now["v"] = now["k"]
    changes: dict[str, Any] = {**now, marks_of: marks}
    return replace(head, **changes)


def carried(rows: NDArray[np.float32], places: Places) -> NDArray[np.float32]:
    """Give the rows of tokens that stay, in their new order, and zeros for new ones; read-only."""
    return moved_rows(rows, places, np.empty(0, np.intp), np.empty((0, rows.shape[1]), np.float32))


def _new_tokens(
    head: Head, names: Sequence[str], tokens: Sequence[str], new: Places, fresh: Fresh | None
) -> dict[str, tuple[Places, NDArray[np.float32]]]:
    """Give of some of q, k and v the ``new`` tokens that have other vectors than zeros, and what they have.

    Each text is looked up once: of a book's tokens few differ.
    """
    numbers: dict[str, int] = {}
    kinds = np.array([numbers.setdefault(tokens[at], len(numbers)) for at in new.tolist()], np.intp)
    found = [_of_new_token(head, names, token, fresh) for token in numbers]
    filled = {}
    for name in names:
        known = np.array([name in each for each in found], bool)
        table = np.zeros((len(found), getattr(head, name).shape[1]), np.float32)
        if known.any():
            table[known] = np.array([each[name] for each in found if name in each])
        is_known = known[kinds]
        filled[name] = new[is_known], table[kinds[is_known]]
    return filled


def _of_new_token(
    head: Head, names: Sequence[str], token: str, fresh: Fresh | None
) -> dict[str, NDArray[np.float32]]:
    """Give the vectors of a token that is new to a head: from its zeros of x, or from the caller."""
    maps = head.projection
    if maps is not None:
        return {name: maps.derived(name, np.zeros((1, maps.depth(name)), np.float32))[0] for name in names}
    found = None if fresh is None else fresh(head, token)
    vectors = {} if found is None else dict(zip("qkv", found, strict=True))
    return {name: row for name, row in vectors.items() if name in names}
