"""The engine's warm full pass, and one edited row, beside others on the same work in the same run.

All but torch's fused kernel keep all four stages of 12 heads × 1,024 tokens × 64 dimensions until the next
pass is done, as a window does. They take turns, so that whatever else the machine does meets all alike.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from attnviz.core import edits
from attnviz.core.inputs import Head, Inputs
from attnviz.core.request import Request
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.engine.team import usable_cpus
from tests.benchmarks import in_torch, plain
from tests.benchmarks.bound import LayerBound
from tests.benchmarks.row import HEADING, Row, Times, not_installed

N_HEADS, N_TOKENS, D = 12, 1024, 64
WARM_UP, ROUNDS = 2, 8
_REST = 0.1  # s; the threads of BLAS go on spinning for a while after plain numpy, on the engine's CPUs
PLAIN, BOUND = "plain numpy, all stages", "the bound: products, exponentials, writes"
ENGINE, EDIT = "the engine, all stages", "the engine, one q row edited"
AIMS = {
    PLAIN: "≥ 3",
    in_torch.EAGER: "≥ 3",
    in_torch.FUSED: "≥ 0.5: the engine at most twice as long",
    BOUND: "≥ 0.67: the engine at most 1.5 times as long",
}


def measure(rounds: int = ROUNDS, n_heads: int = N_HEADS, n_tokens: int = N_TOKENS) -> list[Row]:
    """Give the times of a full pass by all ways, and of an edit of one q row; ratios are to the engine's."""
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((n_heads, n_tokens, D)).astype(np.float32) for _ in range(3))
    tokens = tuple(str(index) for index in range(n_tokens))
    inputs = Inputs("", tokens, tuple(Head("", *vectors) for vectors in zip(q, k, v, strict=True)))
    engine, threads = NumpyEngine(), usable_cpus()
    requests = [Request.whole(inputs, head) for head in range(n_heads)]
    edited = Request.whole(edits.set_vector_value(inputs, 0, "q", n_tokens // 2, 0, 2.5))
    before = engine.compute(requests[0])
    ways: dict[str, Callable[[], object]] = {
        ENGINE: lambda: [engine.compute(request) for request in requests],
        BOUND: LayerBound(q, k, v, threads).go,
        PLAIN: lambda: plain.causal_attention(q, k, v),
        **in_torch.ways(q, k, v, threads),
        EDIT: lambda: engine.compute(edited, before),
    }
    times = {what: Times() for what in ways}
    kept: dict[str, object] = {}
    for turn in range(-WARM_UP, rounds):
        for what, way in ways.items():
            time.sleep(_REST)
            kept[what] = times[what].take(way, counts=turn >= 0)
    engine.close()
    size = f"{n_heads} × {n_tokens:,}"
    rows = []
    for what in (ENGINE, BOUND, PLAIN, in_torch.EAGER, in_torch.FUSED, EDIT):
        if what not in times:
            rows.append(not_installed(f"{what}, {size}"))
        else:
            ratio = times[what].ratio(times[ENGINE]) if what in AIMS else None
            rows.append(times[what].row(f"{what}, {size}", ratio, AIMS.get(what, "")))
    return rows


def main() -> None:
    """Print the table."""
    print(
        f"{N_HEADS} heads × {N_TOKENS} tokens × {D} dimensions, all four stages kept, numpy {np.__version__}"
    )
    print(HEADING)
    for row in measure():
        print(row)


if __name__ == "__main__":
    sys.exit(main())
