"""Long documents on the GPU: their numbers by sampled rows, and memory that does not grow with the square."""

from __future__ import annotations

import numpy as np
import pytest

from attnviz.core import edits
from attnviz.core.request import HEAD_OUTPUTS, SUMMARIES, Region, Request
from tests.engine.documents import document
from tests.gpu.sizes import DIMS, N_WALKED, TINY

pytestmark = pytest.mark.gpu

CELLS = 8 if TINY else 512
TOLERANCE = 2e-6


@pytest.fixture
def long_engine(engine, monkeypatch):
    """An engine that tested itself, for which a rehearsal's few tokens are many."""
    if TINY:
        for module in ("inputs", "request"):
            monkeypatch.setattr(f"attnviz.core.{module}.DENSE_TOKENS", 64)
    return engine


def whole(inputs, query=0, **options) -> Request:
    region = Region(0, (0, inputs.n_query), (0, inputs.n_key), (CELLS, CELLS), options.pop("pooling", "peak"))
    return Request(inputs, query, region, **options)


def assert_right(stages, rng) -> None:
    """Hold rows of the picture that are drawn, all their statistics, to float64."""
    request, region = stages.request, stages.request.region
    inputs, head = request.inputs, request.inputs.heads[0]
    height, width = region.bins
    weights = stages.picture("weights")
    q, k, v = (vectors.astype(np.float64) for vectors in (head.q, head.k, head.v))
    for line in rng.integers(weights.shape[0], size=4).tolist():
        rows = slice(line * height, min((line + 1) * height, inputs.n_query))
        allowed = inputs.allowed((rows.start, rows.stop))
        scaled = np.where(allowed, q[rows] @ k.T / np.sqrt(head.d_k), -np.inf)
        top = scaled.max(axis=1, keepdims=True)
        e = np.exp(scaled - top)
        exact = e / e.sum(axis=1, keepdims=True)
        assert np.allclose(stages.row_max[rows], top[:, 0], atol=1e-5)
        assert np.allclose(stages.row_sum[rows], e.sum(axis=1), rtol=1e-5)
        starts = np.arange(0, inputs.n_key, width)
        if region.pooling == "mean":
            seen = np.add.reduceat(allowed.sum(axis=0), starts)
            pooled = np.add.reduceat(exact.sum(axis=0), starts) / np.maximum(seen, 1)
        else:
            pooled = np.maximum.reduceat(exact.max(axis=0), starts)
        assert np.abs(weights.row(line) - pooled).max() <= TOLERANCE
        if 0 in stages.head_outputs:
            assert np.abs(stages.head_outputs[0][rows] - exact @ v).max() <= TOLERANCE * np.abs(v).max()
        if 0 in stages.summaries:
            bits = -(exact * np.log2(np.where(exact > 0, exact, 1.0))).sum(axis=1)
            assert np.allclose(stages.summaries[0].entropy[rows], bits, atol=1e-4)


@pytest.mark.parametrize("pooling", ["peak", "mean"])
@pytest.mark.parametrize("mask", ["causal", "none"])
def test_sampled_rows_of_a_long_picture_are_exact(long_engine, mask, pooling):
    stages = long_engine.compute(whole(document(N_WALKED, DIMS, mask=mask), 9, pooling=pooling))
    assert stages.engine.startswith("CUDA")
    assert stages.engine_note is None
    assert not stages.is_coarse
    assert_right(stages, np.random.default_rng(0))


def test_outputs_and_entropies_of_sampled_rows_are_exact(long_engine):
    extras = frozenset([HEAD_OUTPUTS, SUMMARIES])
    stages = long_engine.compute(whole(document(N_WALKED, DIMS), extras=extras))
    assert_right(stages, np.random.default_rng(1))


def test_edits_of_a_long_document_stay_exact(long_engine):
    rng = np.random.default_rng(2)
    inputs, stages = document(N_WALKED, DIMS), None
    for step in range(4 if TINY else 12):
        which, token = "qk"[step % 2], int(rng.integers(N_WALKED))
        inputs = edits.set_vector_value(inputs, 0, which, token, 0, float(rng.standard_normal()))
        stages = long_engine.compute(whole(inputs, token, detail="coarse"), stages)
    assert_right(long_engine.compute(whole(inputs)), rng)


def test_what_lies_on_the_device_grows_with_the_rows_and_not_their_square(long_engine):
    import pycuda.driver as driver

    inputs = document(N_WALKED, DIMS)
    with long_engine._context.current():
        before = driver.mem_get_info()[0]
    long_engine.compute(whole(inputs, extras=frozenset([HEAD_OUTPUTS])))
    with long_engine._context.current():
        taken = before - driver.mem_get_info()[0]
    vectors = sum(array.nbytes for array in (inputs.heads[0].q, inputs.heads[0].k, inputs.heads[0].v))
    assert taken <= 2 * vectors + (64 << 20)
