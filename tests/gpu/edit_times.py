"""How long an edit takes through the engine: from the call of compute to arrays on the host."""

from __future__ import annotations

import time
from statistics import median, quantiles

import numpy as np

from attnviz.core import edits
from attnviz.core.request import Request
from attnviz.engine.base import Engine
from tests.engine.documents import document


def edit_to_host(engine: Engine, n_tokens: int, dims: int, repeats: int) -> dict[str, float]:
    """Give the median and the 95th percentile in µs for one number of q, and the median of a first answer."""
    rng = np.random.default_rng(0)
    inputs = document(n_tokens, dims)
    started = time.perf_counter()
    stages = engine.compute(Request.whole(inputs))
    first = time.perf_counter() - started
    times = []
    for _ in range(repeats + 10):
        token, dim = int(rng.integers(n_tokens)), int(rng.integers(dims))
        inputs = edits.set_vector_value(inputs, 0, "q", token, dim, float(rng.standard_normal()))
        request = Request.whole(inputs, query=token)
        started = time.perf_counter()
        stages = engine.compute(request, stages)
        times.append(time.perf_counter() - started)
    times = times[10:]  # the first ones still make their buffers
    return {
        "median": median(times) * 1e6,
        "p95": quantiles(times, n=20)[-1] * 1e6,
        "first answer": first * 1e6,
    }
