"""Every stage keeps the accuracy rule at the sizes a GPU is for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attnviz.core import inputs as core_inputs
from attnviz.core import request as core_request
from attnviz.core.request import HEAD_OUTPUTS, Request
from tests.engine.documents import assert_accurate, document
from tests.gpu.sizes import DIMS, N_HEADS, N_LONG, N_TOKENS

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("mask", ["causal", "none", "holes"])
@pytest.mark.parametrize("mask_fill", [-math.inf, -1.0])
def test_all_stages_of_all_heads_are_exact(engine, mask, mask_fill):
    inputs = document(N_TOKENS, DIMS, n_heads=N_HEADS, mask=mask, mask_fill=mask_fill)
    stages = None
    for head in range(N_HEADS):
        stages = engine.compute(Request.whole(inputs, head), stages)
        assert_accurate(stages)


@pytest.mark.parametrize("mask", ["causal", "none", "holes"])
def test_long_documents_are_exact(engine, mask, monkeypatch):
    monkeypatch.setattr(core_inputs, "DENSE_TOKENS", N_LONG)  # longer than squares of it are shown
    monkeypatch.setattr(core_request, "DENSE_TOKENS", N_LONG)
    assert_accurate(engine.compute(Request.whole(document(N_LONG, DIMS, mask=mask))))


@pytest.mark.parametrize("n_tokens", [1, 2, 10, 31, 33, 63, 64, 65, 127, 200, N_TOKENS - 1])
@pytest.mark.parametrize("mask", ["causal", "none", "holes"])
def test_sizes_that_fill_no_tile_are_exact(engine, n_tokens, mask):
    for d_k, d_v in ((1, 1), (7, 5), (33, 65)):
        assert_accurate(engine.compute(Request.whole(document(n_tokens, d_k, d_v, mask=mask))))


def test_outputs_of_all_heads_together_are_those_of_each_head_alone(engine, new_engine):
    inputs = document(N_TOKENS, DIMS, n_heads=N_HEADS)
    together = engine.compute(Request.whole(inputs, extras=frozenset([HEAD_OUTPUTS]))).head_outputs
    alone = new_engine()
    for head in range(N_HEADS):
        assert np.array_equal(together[head], alone.compute(Request.whole(inputs, head)).head_outputs[head])
