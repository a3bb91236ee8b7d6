"""Alignment: which tokens of a new sentence are tokens of the old one.

Only strings are compared. Vectors and documents are not known here.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MOST_BYTES = 1 << 26
"""Bytes that looking for a longest common subsequence may take, some 5,800 × 5,800 tokens."""


def origins(old: Sequence[str], new: Sequence[str]) -> list[int | None]:
    """Give for each new token the index of the old token that it is, or None where it is new.

    Parameters
    ----------
    old, new
        n_old and n_new tokens; duplicates allowed.

    Returns
    -------
    list
        n_new indices into ``old``, each at most once.

    Notes
    -----
    A longest common subsequence stays in place. What is left over is matched in order of appearance, so that
    words that changed places are still themselves. Takes 2 · n_old · n_new bytes between the first and the
    last difference; where that would be more than ``MOST_BYTES``, all between is matched in order of
    appearance.
    """
    found: list[int | None] = [None] * len(new)
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        found[start] = start
        start += 1
    old_end, new_end = len(old), len(new)
    while min(old_end, new_end) > start and old[old_end - 1] == new[new_end - 1]:
        old_end, new_end = old_end - 1, new_end - 1
        found[new_end] = old_end
    if 2 * (old_end - start) * (new_end - start) <= MOST_BYTES:
        for at_old, at_new in _common_subsequence(old[start:old_end], new[start:new_end]):
            found[start + at_new] = start + at_old
    return _with_moved(old, new, found)


def _common_subsequence(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of indices of a longest common subsequence; of several, the one that keeps early tokens early."""
    lengths = _suffix_lengths(old, new)
    pairs = []
    at_old = at_new = 0
    while at_old < len(old) and at_new < len(new):
        here = lengths[at_old, at_new]
        if old[at_old] == new[at_new]:
            pairs.append((at_old, at_new))
            at_old, at_new = at_old + 1, at_new + 1
        elif lengths[at_old, at_new + 1] == here:
            at_new += 1
        else:
            at_old += 1
    return pairs


def _suffix_lengths(old: Sequence[str], new: Sequence[str]) -> NDArray[np.int16]:
    """Lengths of the longest common subsequences of ``old[i:]`` and ``new[j:]``, (n_old + 1, n_new + 1)."""
    numbers: dict[str, int] = {}
    new_numbers = np.array([numbers.setdefault(token, len(numbers)) for token in new], int)
    lengths = np.zeros((len(old) + 1, len(new) + 1), np.int16)
    for at in range(len(old) - 1, -1, -1):
        below = lengths[at + 1]
        is_same = new_numbers == numbers.get(old[at], -1)
        best = np.maximum(below[:-1], below[1:] + is_same)
        lengths[at, :-1] = np.maximum.accumulate(best[::-1])[::-1]
    return lengths


def _with_moved(old: Sequence[str], new: Sequence[str], found: list[int | None]) -> list[int | None]:
    taken = set(found)
    left: defaultdict[str, deque[int]] = defaultdict(deque)
    for index, token in enumerate(old):
        if index not in taken:
            left[token].append(index)
    return [
        left[token].popleft() if origin is None and left[token] else origin
        for token, origin in zip(new, found, strict=True)
    ]
