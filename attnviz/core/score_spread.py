"""Why scores are divided by √d_k: how far dot products of random vectors spread, measured and not assumed.

The experiment is seeded, so that everyone sees the same numbers. Nothing here knows a document's mask.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnviz.core.arrays import FloatArray

MEASURED_AT = tuple(2**power for power in range(13))
"""The d_k at which random vectors are tried: 1, 2, 4 … 4,096."""
N_SCORES = 10
"""Scores that softmax is tried on."""
_SEED = 20170612  # the day "Attention Is All You Need" appeared
_N_VECTORS = 64
_N_QUERIES = 32
_MOST_MULTIPLY_ADDS = 2**24  # of a document's own spread: a few ms

Float64Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SoftmaxTrial:
    """Ten scores of random vectors, and what softmax makes of them.

    Attributes
    ----------
    scores
        float64 (10,): the dot products of one random q with ten random k, as far apart as is usual.
    undivided, divided
        float64 (10,): softmax of the scores, and of the scores divided by √d_k. Each sums to 1.
    """

    scores: Float64Array
    undivided: Float64Array
    divided: Float64Array


@functools.cache
def random_spread(d_k: int) -> float:
    """Give the standard deviation of q · k over 64 × 64 pairs of random vectors of d_k dimensions.

    Notes
    -----
    All entries are independent with mean 0 and variance 1. Each of the d_k products then has variance 1, and
    the variance of their sum is d_k: the spread is √d_k but for what chance adds.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.2.1, footnote 4.
    """
    random = np.random.RandomState(_SEED + d_k)
    q, k = random.standard_normal((2, _N_VECTORS, d_k))
    return float(_products(q, k).std())


@functools.cache
def softmax_trial(d_k: int) -> SoftmaxTrial:
    """Try softmax on ten scores of random vectors of d_k dimensions.

    Notes
    -----
    Ten scores may by chance lie closer or farther apart than most. So of 32 random q the most typical is
    taken: the one whose ten scores have the spread nearest to √d_k.
    """
    random = np.random.RandomState(_SEED + d_k)
    q, k = random.standard_normal((_N_QUERIES, d_k)), random.standard_normal((N_SCORES, d_k))
    each = _products(q, k)
    scores = each[np.abs(each.std(axis=1) - math.sqrt(d_k)).argmin()]
    return SoftmaxTrial(scores, _softmax(scores), _softmax(scores / math.sqrt(d_k)))


def own_spread(q: FloatArray, k: FloatArray) -> float:
    """Give the standard deviation of the scores of all queries and keys, q (n_query, d_k), k (n_key, d_k).

    Notes
    -----
    No (n_query, n_key) array is made where d_k is the smaller: the sum of all squared scores is the sum of
    (qᵀq) ∘ (kᵀk). Where even that is much, tokens are taken at equal distances, as many as a few ms allow.
    float64 throughout.
    """
    d_k = q.shape[1]
    if min(len(q) * len(k) * d_k, (len(q) + len(k)) * d_k * d_k) > _MOST_MULTIPLY_ADDS:
        most = max(2, math.isqrt(_MOST_MULTIPLY_ADDS // d_k))
        q, k = _thinned(q, most), _thinned(k, most)
    own_q, own_k = q.astype(np.float64), k.astype(np.float64)
    mean = float(own_q.mean(axis=0) @ own_k.mean(axis=0))
    if d_k < min(len(q), len(k)):
        columns_q, columns_k = np.ascontiguousarray(own_q.T), np.ascontiguousarray(own_k.T)
        both = _products(columns_q, columns_q) * _products(columns_k, columns_k)
        squares = float(both.sum()) / (len(q) * len(k))
        variance = squares - mean * mean
        # What is left of a difference of nearly equal numbers is rounding, not spread.
        return math.sqrt(variance) if variance > 1e-12 * squares else 0.0
    return float(_products(own_q, own_k).std())


def _products(q: Float64Array, k: Float64Array) -> Float64Array:
    """Give q · kᵀ without BLAS, whose threads would wait for the engine's: few ms stay few ms."""
    return np.asarray(np.einsum("id,jd->ij", q, k))


def _thinned(vectors: FloatArray, most: int) -> FloatArray:
    if len(vectors) <= most:
        return vectors
    chosen: FloatArray = vectors[np.linspace(0, len(vectors) - 1, most).round().astype(int)]
    return chosen


def _softmax(scores: Float64Array) -> Float64Array:
    powers = np.exp(scores - scores.max())
    return np.asarray(powers / powers.sum())
