"""What attention owes to every kind of mask, on the engine and in the definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core.attention import define
from attnviz.core.inputs import Head, Inputs
from attnviz.core.request import Request
from attnviz.engine.numpy_engine import NumpyEngine
from tests.masks.kinds import KINDS, masks, masks_of, whole

each = settings(deadline=None, max_examples=40)


@pytest.fixture(scope="module")
def engine():
    engine = NumpyEngine(n_threads=1)
    yield engine
    engine.close()


def document(mask, n, fill=-math.inf, seed=0, v_of_hidden=None):
    """A document of n tokens; where ``v_of_hidden`` is given, tokens nobody may attend to hold it."""
    random = np.random.default_rng(seed)
    q, k, v = (random.normal(size=(n, 3)).astype(np.float32) for _ in range(3))
    if v_of_hidden is not None:
        unseen = ~whole(mask, n).any(axis=0)
        v[unseen] = v_of_hidden
        k[unseen] = v_of_hidden
    return Inputs("", tuple("t" * n), (Head("h", q, k, v),), mask, fill)


@pytest.mark.parametrize("kind", KINDS)
@each
@given(data=st.data(), n=st.integers(1, 7), seed=st.integers(0, 99))
def test_hidden_cells_have_no_weight_and_rows_sum_to_one_or_are_empty(engine, kind, data, n, seed):
    inputs = document(data.draw(masks_of(kind, n)), n, seed=seed)
    allowed = whole(inputs.mask, n)
    stages = engine.compute(Request.whole(inputs))
    weights = stages.weights.array()
    assert (weights[~allowed] == 0).all()
    assert (weights[allowed] > 0).all()
    sums = weights.sum(axis=1)
    np.testing.assert_allclose(sums, allowed.any(axis=1).astype(float), atol=1e-6)
    output = stages.head_outputs[0]
    assert (output[~allowed.any(axis=1)] == 0).all()
    exact = define(inputs, 0)
    np.testing.assert_allclose(weights, exact.weights, atol=1e-6)
    np.testing.assert_allclose(output, exact.head_output, atol=1e-5)
    for query, key in np.ndindex(n, n):
        assert stages.cell(query, key).is_allowed == allowed[query, key]


@pytest.mark.parametrize("kind", KINDS)
@each
@given(data=st.data(), n=st.integers(2, 7), wild=st.sampled_from([1e6, -1e6, 0.0]))
def test_what_nobody_may_attend_to_never_reaches_the_output(engine, kind, data, n, wild):
    mask = data.draw(masks_of(kind, n))
    plain, changed = document(mask, n), document(mask, n, v_of_hidden=wild)
    outputs = [engine.compute(Request.whole(inputs)).head_outputs[0] for inputs in (plain, changed)]
    assert outputs[0].tobytes() == outputs[1].tobytes()


@pytest.mark.parametrize("kind", KINDS)
@each
@given(data=st.data(), n=st.integers(2, 7))
def test_a_hidden_value_changes_no_query_that_may_not_see_it(engine, kind, data, n):
    inputs = document(data.draw(masks_of(kind, n)), n)
    key = data.draw(st.integers(0, n - 1))
    head = inputs.heads[0]
    k, v = head.k.copy(), head.v.copy()
    k[key], v[key] = 1e6, -1e6
    changed = inputs.with_head(0, Head("h", head.q, k, v))
    before = engine.compute(Request.whole(inputs))
    after = engine.compute(Request.whole(changed), before)  # the short way, from what stands
    blind = ~whole(inputs.mask, n)[:, key]
    assert after.head_outputs[0][blind].tobytes() == before.head_outputs[0][blind].tobytes()
    anew = engine.compute(Request.whole(changed))
    assert after.head_outputs[0].tobytes() == anew.head_outputs[0].tobytes()


@each
@given(data=st.data(), n=st.integers(1, 7), fill=st.sampled_from([-1e9, -1e4, -2.0, 0.0]))
def test_with_a_finite_mask_value_every_row_sums_to_one(engine, data, n, fill):
    inputs = document(data.draw(masks(n)), n, fill)
    allowed = whole(inputs.mask, n)
    weights = engine.compute(Request.whole(inputs)).weights.array()
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-6)
    if fill <= -1e4:  # too far below for float32: leaks only where there is nothing else
        assert (weights[~allowed & allowed.any(axis=1)[:, None]] == 0).all()
        empty = ~allowed.any(axis=1)
        np.testing.assert_allclose(weights[empty], 1 / n, atol=1e-6)
    else:
        assert (weights[~allowed] > 0).all()


@each
@given(data=st.data(), n=st.integers(1, 7))
def test_another_mask_is_computed_from_what_stands_as_it_is_anew(engine, data, n):
    first, second = (document(data.draw(masks(n)), n) for _ in range(2))
    again = Inputs("", first.tokens, first.heads, second.mask)
    before = engine.compute(Request.whole(first))
    short, anew = engine.compute(Request.whole(again), before), engine.compute(Request.whole(again))
    for stage in ("masked", "weights"):
        assert short.picture(stage).array().tobytes() == anew.picture(stage).array().tobytes()
    assert short.head_outputs[0].tobytes() == anew.head_outputs[0].tobytes()
