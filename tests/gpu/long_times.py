"""How long a long document takes: its whole picture, an edit of one query, and the longest single launch."""

from __future__ import annotations

import time
from statistics import median

import numpy as np

from attnviz.core import edits
from attnviz.core.request import Region, Request
from attnviz.engine.cuda_engine import CudaEngine
from tests.engine.documents import document


def long_times(engine: CudaEngine, n_tokens: int, dims: int, cells: int, repeats: int) -> dict[str, float]:
    """Give µs of the first coarse and the full answer, of edits (median), and of the longest launch."""
    rng, inputs = np.random.default_rng(0), document(n_tokens, dims)
    region = Region(0, (0, n_tokens), (0, n_tokens), (cells, cells))
    found = {}
    for detail in ("coarse", "full"):
        found[detail] = _seconds(engine, Request(inputs, 0, region, detail=detail))
    times = []
    for _ in range(repeats):
        token, dim = int(rng.integers(n_tokens)), int(rng.integers(dims))
        inputs = edits.set_vector_value(inputs, 0, "q", token, dim, float(rng.standard_normal()))
        times.append(_seconds(engine, Request(inputs, token, region, detail="coarse")))
    found["edit"] = median(times)
    found["longest launch"] = _longest_launch(engine, Request(document(n_tokens, dims, seed=1), 0, region))
    return {name: seconds * 1e6 for name, seconds in found.items()}


def _seconds(engine: CudaEngine, request: Request) -> float:
    started = time.perf_counter()
    engine.compute(request)
    return time.perf_counter() - started


def _longest_launch(engine: CudaEngine, request: Request) -> float:
    """Wait for each launch while a request is answered; a stop is heard between two of them."""
    rooms = engine._rooms
    assert rooms is not None
    kernels, stream, times = rooms.walks._kernels._kernels, rooms.stream, [0.0]
    launch = kernels.launch

    def timed(*arguments: object) -> None:
        stream.synchronize()
        started = time.perf_counter()
        launch(*arguments)  # type: ignore[arg-type]
        stream.synchronize()
        times.append(time.perf_counter() - started)

    kernels.launch = timed  # type: ignore[method-assign]
    try:
        engine.compute(request)
    finally:
        kernels.launch = launch  # type: ignore[method-assign]
    return max(times)
