"""Attention as one writes it in numpy without further thought: all stages kept, and a map of any length."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import threadpoolctl
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


def causal_map(q: FloatArray, k: FloatArray, pixels: int, threads: int, height: int = 256) -> FloatArray:
    """Give the weights of a causal head of any length, the largest of each bin, without its square.

    Blocks of rows walk over blocks of keys with a running maximum and sum, and pool scores on the way.

    Parameters
    ----------
    q, k
        float32 (n, d); n is a multiple of ``pixels`` and of ``height``.
    pixels
        Rows and columns of the map.

    Returns
    -------
    numpy.ndarray
        float32 (pixels, pixels).

    References
    ----------
    Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018).
    """
    n, d = q.shape
    bin_size = n // pixels
    width = bin_size * max(1, 1024 // bin_size)
    queries, keys = q / np.float32(math.sqrt(d)), np.ascontiguousarray(k.T)
    picture = np.zeros((pixels, pixels), np.float32)

    def walk(first: int) -> tuple[int, FloatArray]:
        last = min(n, first + height)
        room = np.empty((last - first, width), np.float32)
        top, total = np.full(last - first, -np.inf, np.float32), np.zeros(last - first, np.float32)
        pooled = np.full((last - first, pixels), -np.inf, np.float32)
        for start in range(0, last, width):
            end = min(n, start + width)
            scores = room[:, : end - start]
            np.matmul(queries[first:last], keys[:, start:end], out=scores)
            if end > first:
                scores[np.arange(start, end) > np.arange(first, last)[:, None]] = -np.inf
            bins = scores.reshape(last - first, -1, bin_size).max(axis=2)
            pooled[:, start // bin_size : end // bin_size] = bins
            higher = np.maximum(top, bins.max(axis=1))
            scores -= higher[:, None]
            np.exp(scores, out=scores)
            total = total * np.exp(top - higher) + scores.sum(axis=1)
            top = higher
        return first, np.exp(pooled - (top + np.log(total))[:, None])

    with threadpoolctl.threadpool_limits(1), ThreadPoolExecutor(threads) as pool:
        for first, weights in pool.map(walk, range(0, n, height)):
            rows = np.arange(first, first + len(weights)) // bin_size
            np.maximum.at(picture, rows, weights)
    return picture
