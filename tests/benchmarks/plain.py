"""Attention as one writes it in numpy without further thought, all four stages kept."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]


def softmax(masked: FloatArray) -> FloatArray:
    """Give the softmax of each row."""
    exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def causal_attention(q: FloatArray, k: FloatArray, v: FloatArray) -> tuple[FloatArray, ...]:
    """Give scores, scaled, masked, weights and output of arrays of shape (n_heads, n, d)."""
    scores = q @ k.swapaxes(-1, -2)
    scaled = scores / math.sqrt(q.shape[-1])
    masked = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scaled, np.float32(-np.inf))
    weights = softmax(masked)
    return scores, scaled, masked, weights, weights @ v
