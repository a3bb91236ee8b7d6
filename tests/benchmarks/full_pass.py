"""The engine's warm full pass, and one edited row, beside plain numpy in the same run.

Both keep all four stages of 12 heads × 1,024 tokens × 64 dimensions until the next pass is done, as a window
does. They take turns, so that whatever else the machine does meets both alike.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

from attnviz.core import edits
from attnviz.core.inputs import Head, Inputs
from attnviz.core.request import Request
from attnviz.engine.numpy_engine import NumpyEngine
from tests.benchmarks import plain
from tests.benchmarks.row import HEADING, Row

N_HEADS, N_TOKENS, D = 12, 1024, 64
WARM_UP, ROUNDS = 3, 15
AIM = "≥ 3 times faster than plain numpy"
_REST = 0.1  # s; the threads of BLAS go on spinning for a while after plain numpy, on the engine's CPUs


def measure(rounds: int = ROUNDS) -> list[Row]:
    """Give the times of plain numpy's full pass, the engine's, and an edit of one q row."""
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((N_HEADS, N_TOKENS, D)).astype(np.float32) for _ in range(3))
    tokens = tuple(str(index) for index in range(N_TOKENS))
    inputs = Inputs("", tokens, tuple(Head("", *vectors) for vectors in zip(q, k, v, strict=True)))
    engine = NumpyEngine()
    requests = [Request.whole(inputs, head) for head in range(N_HEADS)]
    edited = Request.whole(edits.set_vector_value(inputs, 0, "q", N_TOKENS // 2, 0, 2.5))
    before = engine.compute(requests[0])
    ways: dict[str, Callable[[], object]] = {
        "plain numpy, full pass": lambda: plain.causal_attention(q, k, v),
        f"{engine.name}, full pass": lambda: [engine.compute(request) for request in requests],
        f"{engine.name}, one q row edited": lambda: engine.compute(edited, before),
    }
    times: dict[str, list[float]] = {what: [] for what in ways}
    kept: dict[str, object] = {}
    for turn in range(WARM_UP + rounds):
        for what, way in ways.items():
            time.sleep(_REST)
            started = time.perf_counter()
            kept[what] = way()
            if turn >= WARM_UP:
                times[what].append((time.perf_counter() - started) * 1e3)
    engine.close()
    medians = [statistics.median(found) for found in times.values()]
    faster = [None, medians[0] / medians[1], None]
    return [
        Row.of(what, found, ratio, AIM if ratio else "")
        for (what, found), ratio in zip(times.items(), faster, strict=True)
    ]


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
