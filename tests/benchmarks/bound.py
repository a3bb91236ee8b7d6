"""The least that stages can cost on this machine: the products, exponentials and writes alone.

On the threads and in the blocks that the engine uses, with a BLAS of one thread each and products cut as the
engine cuts them, the fastest way known; nothing is masked, scaled, added up, pooled or handed over.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
import threadpoolctl

from attnviz.engine.alignment import aligned, aligned_empty
from attnviz.engine.products import product, rows_to_columns
from tests.benchmarks.plain import FloatArray

Place = TypeVar("Place")
ROWS, SIDE = 128, 512


class LayerBound:
    """All stages and outputs of causal heads (n_heads, n, d): cells written, those allowed exponentiated.

    Two sets of pictures take turns, since those before are looked at until the next are there. What a whole
    block hides is the same number in both, and not written again.
    """

    def __init__(self, q: FloatArray, k: FloatArray, v: FloatArray, threads: int) -> None:
        n_heads, n, d = q.shape
        self._q, self._threads = q / np.float32(math.sqrt(d)), threads
        self._k, self._v = [rows_to_columns(keys) for keys in k], [aligned(values) for values in v]
        self._sets = [aligned_empty(4, n_heads, n, n) for _ in range(2)]
        for pictures in self._sets:
            pictures.fill(0)
        self._output = np.empty((n_heads, n, d), np.float32)

    def go(self) -> None:
        """Do it once."""
        self._sets.reverse()
        scores, scaled, masked, weights = self._sets[0]
        n_heads, n, _ = self._q.shape

        def block(place: tuple[int, int]) -> None:
            head, first = place
            rows = slice(first, first + ROWS)
            seen = min(n, first + ROWS)
            product(self._q[head, rows], self._k[head], scores[head, rows])
            np.copyto(scaled[head, rows], scores[head, rows])
            np.copyto(masked[head, rows, :seen], scores[head, rows, :seen])
            np.exp(scores[head, rows, :seen], out=weights[head, rows, :seen])
            product(weights[head, rows, :seen], self._v[head][:seen], self._output[head, rows])

        _share(
            [(head, first) for head in range(n_heads) for first in range(0, n, ROWS)], block, self._threads
        )


def map_bound(q: FloatArray, k: FloatArray, threads: int, every: int = 1) -> float:
    """Give how many times longer the whole would take than this: the map of a causal head, by a sample.

    Products and exponentials of the blocks on and below the diagonal, of every so many rows of blocks.
    """
    n, d = q.shape
    queries = q / np.float32(math.sqrt(d))
    strips = list(range(0, n, SIDE))
    chosen = strips[every // 2 :: every]

    def strip(first: int) -> None:
        room = np.empty((SIDE, SIDE), np.float32)
        own = np.ascontiguousarray(queries[first : first + SIDE].T)
        for start in range(0, first + 1, SIDE):
            part = room[: len(k[start : start + SIDE]), : own.shape[1]]
            np.matmul(k[start : start + SIDE], own, out=part)
            np.exp(part, out=part)

    _share(chosen[::-1], strip, threads)
    return sum(first + SIDE for first in strips) / sum(first + SIDE for first in chosen)


def _share(places: list[Place], work: Callable[[Place], None], threads: int) -> None:
    with threadpoolctl.threadpool_limits(1), ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, places))
