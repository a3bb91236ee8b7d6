"""The cell that a pooled picture shows is found again, by the definition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core import attention
from attnviz.core.block_peak import peak_of
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CausalMask, CustomMask, NoMask
from attnviz.core.request import Request
from attnviz.core.stages import STAGE_NAMES
from attnviz.engine.numpy_engine import NumpyEngine

N = 24


@pytest.fixture(scope="module")
def engine():
    engine = NumpyEngine(1)
    yield engine
    engine.close()


def stages_of(engine, seed: int, mask):
    rng = np.random.default_rng(seed)
    q, k, v = (rng.standard_normal((N, 4)).astype(np.float32) * 3 for _ in range(3))
    inputs = Inputs("", ("t",) * N, (Head("h", q, k, v),), mask=mask, scale_strength=1.7)
    return engine.compute(Request.whole(inputs))


ranges = st.tuples(st.integers(0, N - 1), st.integers(1, N)).map(
    lambda ends: (min(ends), max(ends[1], ends[0] + 1))
)


@given(
    st.integers(0, 50),
    ranges,
    ranges,
    st.sampled_from(STAGE_NAMES),
    st.sampled_from((CausalMask(), NoMask())),
)
def test_it_is_the_largest_weight_or_the_score_furthest_from_0_of_what_may_be_attended(
    engine, seed, queries, keys, stage, mask
):
    stages = stages_of(engine, seed, mask)
    inputs = stages.request.inputs
    defined, allowed = attention.define(inputs, 0), inputs.allowed(queries, keys)
    values = defined.weights if stage == "weights" else np.abs(defined.scores)
    block = np.where(allowed, values[slice(*queries), slice(*keys)], -1)
    found = peak_of(stages, stage, queries, keys)
    if not allowed.any():
        assert found is None
        return
    assert found is not None
    assert allowed[found[0] - queries[0], found[1] - keys[0]]
    assert values[found] == pytest.approx(block.max(), rel=1e-4)


def test_a_row_that_sees_nothing_is_never_the_peak(engine):
    array = np.ones((N, N), bool)
    array[3] = False
    stages = stages_of(engine, 1, CustomMask(array))
    assert peak_of(stages, "weights", (3, 4), (0, N)) is None
    assert peak_of(stages, "weights", (2, 5), (0, N))[0] in (2, 4)


def test_of_a_coarse_answer_or_of_too_much_nothing_is_said(engine, monkeypatch):
    stages = stages_of(engine, 2, NoMask())
    assert peak_of(replace(stages, is_coarse=True), "scores", (0, 5), (0, 5)) is None
    monkeypatch.setattr("attnviz.core.block_peak.MOST_CELLS", 24)
    assert peak_of(stages, "scores", (0, 5), (0, 5)) is None
