"""A layer of the size of a real model, made of seeded random numbers: nothing in it was learnt.

It is there for its shapes, and to be edited; its heads still show what heads of real models show.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from attnviz.core.arrays import FloatArray, sealed
from attnviz.core.inputs import Head, Inputs
from attnviz.core.projection_edits import derived_head
from attnviz.core.projections import Projection

Float64Array = NDArray[np.float64]

_SHORTEST, _LONGEST = 3.0, 300.0  # tokens that the waves of position codes are long


def synthetic_layer(
    tokens: Sequence[str],
    names: Sequence[str],
    *,
    d_model: int,
    d_k: int,
    seed: int,
    biased: bool = False,
    tell: Callable[[float], object] = lambda fraction: None,
) -> Inputs:
    """Give a causal document of derived heads with d_v = d_k, and W_O (n_heads · d_k, d_model).

    Parameters
    ----------
    tokens
        Equal tokens share their part of x.
    names
        One per head.
    seed
        The same numbers everywhere: numpy's legacy generator never changes its stream.
    biased
        Whether the maps and W_O have biases.
    tell
        Called with how far it is, from 0 to 1; what it raises ends the making.

    Notes
    -----
    The first half of x says which token it is (random numbers), the second half where it stands (waves);
    all have a variance of 1. Entries of W_Q and W_K have one of 1 / d_model, so that q and k of independent
    maps have independent numbers of variance 1, and their dot products a spread of √d_k. Every third head
    looks with W_Q = W_K at the first half alone, and so finds tokens like its own; every third at the second
    half, W_Q turning the waves one back, and so finds the token before; the rest are independent.
    """
    random = np.random.RandomState(seed)
    x = _embedded(tokens, d_model, random)

    def table(columns: int) -> Float64Array:
        return np.asarray(random.standard_normal((d_model, columns)) / math.sqrt(d_model))

    half = d_model // 2

    def bias(columns: int) -> FloatArray | None:
        return sealed(random.standard_normal(columns) * 0.1) if biased else None

    blank = np.zeros((len(tokens), d_k), np.float32)
    heads = []
    for index, name in enumerate(names):
        tell(index / len(names))
        w_q, w_k, w_v = table(d_k), table(d_k), table(d_k)
        if index % 3 == 0:
            w_k[half:] = 0
            w_q = w_k * math.sqrt(2)
        elif index % 3 == 1:
            w_k[:half] = 0
            w_q = _one_back(w_k * math.sqrt(2), half)
        tables = (sealed(table_) for table_ in (w_q, w_k, w_v))
        maps = Projection(*tables, *(bias(d_k) for _ in "qkv"))
        heads.append(derived_head(Head(name, blank, blank, blank), x, maps))
    d_concat = len(names) * d_k
    w_o = sealed(random.standard_normal((d_concat, d_model)) / math.sqrt(d_concat))
    text = " ".join(tokens)
    return Inputs(text, tuple(tokens), tuple(heads), x=x, w_o=w_o, b_o=bias(d_model))


def _embedded(tokens: Sequence[str], d_model: int, random: np.random.RandomState) -> FloatArray:
    """Give x, float32 (n, d_model)."""
    kinds = {token: index for index, token in enumerate(dict.fromkeys(tokens))}
    half = d_model // 2
    vectors = random.standard_normal((len(kinds), half))
    x = np.empty((len(tokens), d_model))
    x[:, :half] = vectors[[kinds[token] for token in tokens]]
    angle = np.arange(len(tokens))[:, None] * _frequencies(d_model - half)
    x[:, half::2] = math.sqrt(2) * np.cos(angle)
    x[:, half + 1 :: 2] = math.sqrt(2) * np.sin(angle)[:, : (d_model - half) // 2]
    return sealed(x)


def _frequencies(n_dims: int) -> Float64Array:
    """Give the angle per token of each pair of dimensions, from the quickest wave to the slowest."""
    return 2 * math.pi / np.geomspace(_SHORTEST, _LONGEST, (n_dims + 1) // 2)


def _one_back(w: Float64Array, first: int) -> Float64Array:
    """Give a map like ``w`` of the waves of the position before; an odd last row stays as it is."""
    angle = _frequencies(len(w) - first)[: (len(w) - first) // 2, None]
    cosine, sine = slice(first, first + 2 * len(angle), 2), slice(first + 1, None, 2)
    turned = w.copy()
    # Turning x by −a, and then w, is w turned by a: cos(p a − a) = cos(p a) cos a + sin(p a) sin a.
    turned[cosine] = np.cos(angle) * w[cosine] - np.sin(angle) * w[sine]
    turned[sine] = np.sin(angle) * w[cosine] + np.cos(angle) * w[sine]
    return turned
