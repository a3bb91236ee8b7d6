"""Codes of positions for a head that looks one token back.

References
----------
code(p) = [cos 2πp/N, sin 2πp/N, cos 6πp/N, sin 6πp/N], N = max(10, n_tokens): one point that turns once and
one that turns three times around the circle, so that the dot product of two codes is largest where the
positions are equal.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from attnviz.core.numbers import MAX_MAGNITUDE


def position_codes(n_tokens: int) -> NDArray[np.float64]:
    """Give code(p) for p = 0 … n_tokens − 1, shape (n_tokens, 4), float64."""
    period = max(10, n_tokens)
    angle = 2 * math.pi * np.arange(n_tokens) / period
    codes = np.stack([np.cos(angle), np.sin(angle), np.cos(3 * angle), np.sin(3 * angle)], axis=1)
    codes = np.round(codes, 12)  # sin π is 0, not 1.2e−16: people read these numbers
    return codes + 0.0  # and not −0


def previous_token_vectors(
    n_query: int, n_key: int | None = None
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Give q and k that make each token attend to the one before it, and the first to itself.

    Parameters
    ----------
    n_query, n_key
        Tokens that see and that are seen; None: the same. Both are counted from their own beginning, and
        share the N of the longer.

    Returns
    -------
    q, k
        float32 (n_query, 4) and (n_key, 4).

    Notes
    -----
    q_i = code(i − 1), q_0 = code(0), k_j = 5 · (N/10)² · code(j): codes of neighbours grow alike as (1/N)²,
    so the keys grow as N² to keep them apart, and beyond 4,472 tokens, where they are as large as numbers may
    be, the queries too. From some 10,000 tokens on float32 hardly tells neighbours apart any more, and such a
    query attends to a neighbourhood.
    """
    n_key = n_query if n_key is None else n_key
    codes = position_codes(max(n_query, n_key))
    strength = 5.0 * (max(10, len(codes)) / 10.0) ** 2
    of_keys = min(strength, MAX_MAGNITUDE)
    q = np.concatenate([codes[:1], codes[: n_query - 1]]) * (strength / of_keys)
    return q.astype(np.float32), (of_keys * codes[:n_key]).astype(np.float32)
