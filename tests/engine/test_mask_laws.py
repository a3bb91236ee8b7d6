"""What attention owes to every kind of mask, on the engine under test; also where queries and keys differ."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core.attention import define
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import Mask
from attnviz.core.request import Request
from tests.masks.kinds import KINDS, masks, masks_of

each = settings(deadline=None, max_examples=30)


@st.composite
def shapes(draw: st.DrawFn, least: int = 1) -> tuple[int, int]:
    """Numbers of queries and keys: the same or not, of few tokens, or of more than the plain kernels take."""
    sizes = st.integers(least, 7) | st.sampled_from([66, 90])
    n_query = draw(sizes)
    return n_query, draw(st.just(n_query) | sizes)


def mask_for(data: st.DataObject, shape: tuple[int, int], kind: str | None = None) -> Mask:
    return data.draw(masks(*shape) if kind is None else masks_of(kind, *shape))


def document(mask: Mask, shape: tuple[int, int], fill: float = -math.inf, seed: int = 0) -> Inputs:
    """A document of random vectors; one of cross attention where queries and keys differ in number."""
    n_query, n_key = shape
    random = np.random.default_rng(seed)
    q, k, v = (random.normal(size=(n, 3)).astype(np.float32) for n in (n_query, n_key, n_key))
    keys = None if n_query == n_key else tuple("k" * n_key)
    return Inputs("", tuple("t" * n_query), (Head("h", q, k, v),), mask, fill, key_tokens=keys)


def whole(inputs: Inputs) -> np.ndarray:
    """Which cells may be attended, bool (n_query, n_key)."""
    return inputs.allowed((0, inputs.n_query), (0, inputs.n_key))


def with_keys(inputs: Inputs, keys: np.ndarray, k: float, v: float) -> Inputs:
    """Give some keys other numbers."""
    head = inputs.heads[0]
    new_k, new_v = head.k.copy(), head.v.copy()
    new_k[keys], new_v[keys] = k, v
    return inputs.with_head(0, replace(head, k=new_k, v=new_v))


@pytest.mark.parametrize("kind", KINDS)
@each
@given(data=st.data(), shape=shapes(), seed=st.integers(0, 99))
def test_hidden_cells_have_no_weight_and_rows_sum_to_one_or_are_empty(
    lasting_engine, kind, data, shape, seed
):
    inputs = document(mask_for(data, shape, kind), shape, seed=seed)
    allowed = whole(inputs)
    stages = lasting_engine.compute(Request.whole(inputs))
    weights = stages.weights.array()
    assert (weights[~allowed] == 0).all()
    assert (weights[allowed] > 0).all()
    np.testing.assert_allclose(weights.sum(axis=1), allowed.any(axis=1).astype(float), atol=2e-6)
    output = stages.head_outputs[0]
    assert (output[~allowed.any(axis=1)] == 0).all()
    exact = define(inputs, 0)
    np.testing.assert_allclose(weights, exact.weights, atol=2e-6)
    np.testing.assert_allclose(output, exact.head_output, atol=1e-5)
    for query, key in np.ndindex(*(min(size, 7) for size in shape)):
        assert stages.cell(query, key).is_allowed == allowed[query, key]


@pytest.mark.parametrize("kind", KINDS)
@each
@given(data=st.data(), shape=shapes(), wild=st.sampled_from([1e6, -1e6, 0.0]))
def test_what_nobody_may_attend_to_never_reaches_the_output(lasting_engine, kind, data, shape, wild):
    plain = document(mask_for(data, shape, kind), shape)
    changed = with_keys(plain, ~whole(plain).any(axis=0), wild, wild)
    outputs = [lasting_engine.compute(Request.whole(inputs)).head_outputs[0] for inputs in (plain, changed)]
    assert outputs[0].tobytes() == outputs[1].tobytes()


@pytest.mark.parametrize("kind", KINDS)
@each
@given(data=st.data(), shape=shapes(2))
def test_a_hidden_value_changes_no_query_that_may_not_see_it(lasting_engine, kind, data, shape):
    inputs = document(mask_for(data, shape, kind), shape)
    key = data.draw(st.integers(0, inputs.n_key - 1))
    changed = with_keys(inputs, np.arange(inputs.n_key) == key, 1e6, -1e6)
    before = lasting_engine.compute(Request.whole(inputs))
    after = lasting_engine.compute(Request.whole(changed), before)  # the short way, from what stands
    blind = ~whole(inputs)[:, key]
    assert after.head_outputs[0][blind].tobytes() == before.head_outputs[0][blind].tobytes()
    anew = lasting_engine.compute(Request.whole(changed))
    assert after.head_outputs[0].tobytes() == anew.head_outputs[0].tobytes()


@each
@given(data=st.data(), shape=shapes(), fill=st.sampled_from([-1e9, -1e4, -2.0, 0.0]))
def test_with_a_finite_mask_value_every_row_sums_to_one(lasting_engine, data, shape, fill):
    inputs = document(mask_for(data, shape), shape, fill)
    allowed = whole(inputs)
    weights = lasting_engine.compute(Request.whole(inputs)).weights.array()
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=2e-6)
    if fill <= -1e4:  # too far below for float32: leaks only where there is nothing else
        assert (weights[~allowed & allowed.any(axis=1)[:, None]] == 0).all()
        empty = ~allowed.any(axis=1)
        np.testing.assert_allclose(weights[empty], 1 / shape[1], atol=1e-6)
    else:
        assert (weights[~allowed] > 0).all()


@each
@given(data=st.data(), shape=shapes())
def test_another_mask_is_computed_from_what_stands_as_it_is_anew(lasting_engine, data, shape):
    first, second = (document(mask_for(data, shape), shape) for _ in range(2))
    again = replace(first, mask=second.mask)
    before = lasting_engine.compute(Request.whole(first))
    short, anew = (
        lasting_engine.compute(Request.whole(again), before),
        lasting_engine.compute(Request.whole(again)),
    )
    for stage in ("masked", "weights"):
        assert short.picture(stage).array().tobytes() == anew.picture(stage).array().tobytes()
    assert short.head_outputs[0].tobytes() == anew.head_outputs[0].tobytes()
