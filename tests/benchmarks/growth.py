"""The map of one causal head at every length, beside others on the same work, and how each grows.

The engine gives 1,024 × 1,024 pooled pictures of all four stages, exact. Beside it: the weights' map alone by
the plain walk of any length, the bound, and, where squares still fit, all stages held by numpy and torch.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import numpy as np

from attnviz.core import edits
from attnviz.core.inputs import Head, Inputs
from attnviz.core.request import Region, Request
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.engine.team import usable_cpus
from tests.benchmarks import in_torch, plain
from tests.benchmarks.bound import map_bound
from tests.benchmarks.row import Row, Times, exponent, not_installed

LENGTHS = (4096, 16384, 131072)
D, PIXELS, EDITS = 64, 1024, 20
MOST_SQUARE, MOST_FUSED = 4096, 16384
"""Beyond so many tokens squares would take gigabytes, and torch's output alone half a minute."""
STRIPS = 8
"""The bound walks about so many strips of 512 rows, and is scaled up."""


def measure(lengths: Sequence[int] = LENGTHS, pixels: int = PIXELS) -> list[Row]:
    """Give the rows of all lengths, and the fitted exponents."""
    rows: list[Row] = []
    passes: list[float] = []
    edited: list[float] = []
    for n in lengths:
        found, full, edit = _of_length(n, pixels)
        rows += found
        passes.append(full)
        edited.append(edit)
    rows.append(
        Row("growth of a full pass: exponent of n_tokens", exponent(lengths, passes), aim="2", unit="×")
    )
    rows.append(
        Row("growth of a q edit: exponent of n_tokens", exponent(lengths, edited), aim="≤ 1", unit="×")
    )
    return rows


def _of_length(n: int, pixels: int) -> tuple[list[Row], float, float]:
    """Give the rows of a length, and the CPU ms of the full pass and of an edit."""
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((n, D), np.float32) for _ in range(3))
    inputs = Inputs("", ("t",) * n, (Head("", q, k, v),))
    region, threads = Region(0, (0, n), (0, n), (pixels, pixels)), usable_cpus()
    engine = NumpyEngine()
    coarse, whole, walk, bound, edit = (Times() for _ in range(5))
    others = {what: Times() for what in ("numpy", in_torch.EAGER, in_torch.FUSED)}
    torch = in_torch.ways(q[None], k[None], v[None], threads) if n <= MOST_FUSED else {}
    every = max(1, n // 512 // STRIPS)
    scaled_up = 1.0
    first, full = Request(inputs, n - 1, region, detail="coarse"), Request(inputs, n - 1, region)
    for turn in range(-1 if n <= MOST_SQUARE else 0, _rounds(n)):
        counts = turn >= 0
        engine.close()  # it forgets all that it knows, and serves again
        coarse.take(lambda: engine.compute(first), counts=counts)
        engine.close()
        whole.take(lambda: engine.compute(full, None, lambda done, partial: True), counts=counts)
        scaled_up = bound.take(lambda: map_bound(q, k, threads, every), counts=counts)
        walk.take(lambda: plain.causal_map(q, k, pixels, threads), counts=counts)
        if n <= MOST_SQUARE:
            others["numpy"].take(lambda: plain.causal_attention(q[None], k[None], v[None]), counts=counts)
        for what, way in torch.items():
            if n <= MOST_SQUARE or what == in_torch.FUSED:
                others[what].take(way, counts=counts)
    for step in range(EDITS):
        inputs = edits.set_vector_value(inputs, 0, "q", n - 1, 1, step / 10)
        request = Request(inputs, n - 1, region, detail="coarse")
        edit.take(lambda request=request: engine.compute(request))
    engine.close()
    bound.wall[:] = [took * scaled_up for took in bound.wall]
    bound.cpu[:] = [took * scaled_up for took in bound.cpu]
    rows = [
        coarse.row(f"the engine's first, coarse map, {n:,} tokens"),
        whole.row(f"the engine's map, {n:,} tokens"),
        bound.row(f"the bound: products and exponentials, {n:,} tokens", bound.ratio(whole)),
        walk.row(f"plain walk, the weights' map alone, {n:,} tokens", walk.ratio(whole), "≥ 0.67"),
    ]
    if n <= MOST_SQUARE:
        rows.append(
            others["numpy"].row(f"plain numpy, all stages held, {n:,} tokens", others["numpy"].ratio(whole))
        )
        rows.append(_row_of(others, in_torch.EAGER, n, whole))
    if n <= MOST_FUSED:
        rows.append(_row_of(others, in_torch.FUSED, n, whole))
    rows.append(edit.row(f"the engine, one q row edited, {n:,} tokens"))
    return rows, statistics.median(whole.cpu), statistics.median(edit.cpu)


def _row_of(others: dict[str, Times], what: str, n: int, whole: Times) -> Row:
    words = f"{what}, {n:,} tokens"
    return others[what].row(words, others[what].ratio(whole)) if others[what].wall else not_installed(words)


def _rounds(n: int) -> int:
    """Give how often to measure: the longest once."""
    return 5 if n <= 4096 else 2 if n <= 16384 else 1
