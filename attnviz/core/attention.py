"""The definition: scaled dot-product attention, one plain float64 function per stage.

Readable, slow and right. Engines are measured against these functions; nothing here is tuned.

References
----------
Vaswani et al., "Attention Is All You Need" (2017), equation 1: softmax(Q Kᵀ / √d_k) V.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attnviz.core.inputs import Inputs, divisor

Float64Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Definition:
    """All stages of one head in float64.

    Attributes
    ----------
    scores, scaled, masked, weights
        (n_query, n_key).
    head_output
        (n_query, d_v).
    """

    scores: Float64Array
    scaled: Float64Array
    masked: Float64Array
    weights: Float64Array
    head_output: Float64Array


def scores(q: ArrayLike, k: ArrayLike) -> Float64Array:
    """Stage 1, QKᵀ: how well each query matches each key.

    q (n_query, d_k) and k (n_key, d_k) give (n_query, n_key).
    """
    return np.asarray(np.asarray(q, np.float64) @ np.asarray(k, np.float64).T)


def scaled(scores: Float64Array, d_k: int, scale_strength: float = 1.0) -> Float64Array:
    """Stage 2: scores / (√d_k · scale_strength), so that their spread does not grow with d_k."""
    return scores / divisor(d_k, scale_strength)


def masked(scaled: Float64Array, allowed: NDArray[np.bool_], mask_fill: float = -math.inf) -> Float64Array:
    """Stage 3: hidden cells are set (not added) to ``mask_fill``; ``allowed`` is bool (n_query, n_key)."""
    return np.asarray(np.where(allowed, scaled, mask_fill), np.float64)


def weights(masked: Float64Array) -> Float64Array:
    """Stage 4: softmax along each row.

    Notes
    -----
    The row maximum is subtracted first, so that no exponential overflows. A row that is −∞ throughout (no key
    may be attended, mask value −∞) has weights 0. With a finite mask value hidden cells are ordinary scores.
    """
    top = masked.max(axis=-1, keepdims=True)
    exponentials = np.exp(masked - np.where(np.isfinite(top), top, 0.0))
    total = exponentials.sum(axis=-1, keepdims=True)
    shares: Float64Array = np.zeros_like(exponentials)
    np.divide(exponentials, total, out=shares, where=total > 0)
    return shares


def head_output(weights: Float64Array, v: ArrayLike) -> Float64Array:
    """Σ weight × v, the mix of values each query takes.

    Weights (n_query, n_key) and v (n_key, d_v) give (n_query, d_v).
    """
    return np.asarray(weights @ np.asarray(v, np.float64))


def define(inputs: Inputs, head: int) -> Definition:
    """Give every stage of one head of a document, by the formulas above."""
    vectors = inputs.heads[head]
    stage1 = scores(vectors.q, vectors.k)
    stage2 = scaled(stage1, vectors.d_k, inputs.scale_strength)
    stage3 = masked(stage2, inputs.allowed(), inputs.mask_fill)
    stage4 = weights(stage3)
    return Definition(stage1, stage2, stage3, stage4, head_output(stage4, vectors.v))
