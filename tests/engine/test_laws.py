"""What holds for attention whatever the numbers, within the documented range."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CausalMask, CustomMask, NoMask
from attnviz.core.request import Request
from attnviz.engine.base import Engine
from tests.engine.documents import EPSILON, document

NUMBERS = st.floats(-1e6, 1e6, width=32) | st.floats(-3, 3, width=32)


@st.composite
def documents(
    draw: st.DrawFn, masks: tuple[str, ...] = ("causal", "none", "custom"), *, is_self: bool = False
) -> Inputs:
    n, d_k, d_v = draw(st.integers(1, 9)), draw(st.integers(1, 5)), draw(st.integers(1, 5))
    n_key = n if is_self else draw(st.integers(1, 9))

    def vectors(dims: int, count: int) -> np.ndarray:
        return draw(npst.arrays(np.float32, (count, dims), elements=NUMBERS))

    head = Head("", vectors(d_k, n), vectors(d_k, n_key), vectors(d_v, n_key))
    kind = draw(st.sampled_from(masks))
    alignment = "first" if is_self else draw(st.sampled_from(["first", "last"]))
    if kind == "custom":
        mask = CustomMask(draw(npst.arrays(np.bool_, (n, n_key))))
    else:
        mask = (CausalMask if kind == "causal" else NoMask)(alignment=alignment)
    fill = draw(st.sampled_from([-math.inf, -1e9, 0.0, 3e38]))
    key_tokens = None if is_self else "k" * n_key
    strength = draw(st.floats(0.01, 100))
    return Inputs("", tuple("t" * n), (head,), mask, fill, strength, key_tokens=key_tokens)


def answer(engine: Engine, inputs: Inputs):
    return engine.compute(Request.whole(inputs))


@given(documents())
def test_rows_sum_to_one_or_are_zero(lasting_engine, inputs):
    stages = answer(lasting_engine, inputs)
    weights = stages.weights.array()
    allowed = inputs.allowed()
    is_empty = ~allowed.any(axis=1) & (inputs.mask_fill == -math.inf)
    sums = weights.astype(np.float64).sum(axis=1)
    assert np.abs(sums[~is_empty] - 1).max(initial=0) <= 4 * EPSILON * inputs.n_key
    assert (weights[is_empty] == 0).all()
    assert ((weights >= 0) & (weights <= 1)).all()


@given(documents())
def test_nothing_is_ever_nan_and_only_hidden_cells_are_infinite(lasting_engine, inputs):
    stages = answer(lasting_engine, inputs)
    for picture in (stages.scores, stages.scaled, stages.weights):
        assert np.isfinite(picture.array()).all()
    allowed = inputs.allowed()
    assert np.isfinite(stages.masked.array()[allowed]).all()
    assert (stages.masked.array()[~allowed] == np.float32(inputs.mask_fill)).all()
    assert np.isfinite(stages.head_outputs[0]).all()


@given(documents(), st.floats(-100, 100, width=32))
def test_adding_a_constant_to_a_row_of_scores_changes_no_weight(lasting_engine, inputs, constant):
    """An extra dimension with q = c and k = 1 adds c to every score; float32 rounds that sum, no more."""
    inputs = replace(inputs, mask=NoMask())
    head, ones = inputs.heads[0], np.ones((inputs.n_query, 1), np.float32)
    of_keys = np.ones((inputs.n_key, 1), np.float32)
    # Both get the dimension, so that √d_k is the same.
    before = replace(head, q=np.hstack([head.q, 0 * ones]), k=np.hstack([head.k, of_keys]))
    after = replace(head, q=np.hstack([head.q, constant * ones]), k=np.hstack([head.k, of_keys]))
    was, now = (answer(lasting_engine, inputs.with_head(0, changed)) for changed in (before, after))
    size = float((np.abs(after.q.astype(np.float64)) @ np.abs(after.k.astype(np.float64)).T).max())
    rounding = 8 * EPSILON * (1 + (size + abs(constant)) / (math.sqrt(before.d_k) * inputs.scale_strength))
    # A score that is off by r makes a weight wrong by a factor of exp(2r) at most.
    limit = math.expm1(min(2 * rounding, 1.0)) + 8 * EPSILON if rounding < 0.5 else 1.0
    assert np.abs(now.weights.array() - was.weights.array()).max() <= limit


@given(documents(masks=("none",), is_self=True), st.randoms(use_true_random=False))
def test_permuting_tokens_permutes_the_result(lasting_engine, inputs, random):
    order = list(range(inputs.n_tokens))
    random.shuffle(order)
    head = inputs.heads[0]
    moved = inputs.with_head(0, replace(head, q=head.q[order], k=head.k[order], v=head.v[order]))
    was, now = answer(lasting_engine, inputs), answer(lasting_engine, moved)
    square = np.ix_(order, order)
    dot = float((np.abs(head.q.astype(np.float64)) @ np.abs(head.k.astype(np.float64)).T).max())
    assert np.abs(now.scores.array() - was.scores.array()[square]).max() <= 4 * EPSILON * dot
    rounding = 8 * EPSILON * (1 + dot / (math.sqrt(head.d_k) * inputs.scale_strength))
    limit = math.expm1(min(2 * rounding, 1.0)) + 8 * EPSILON if rounding < 0.5 else 1.0
    assert np.abs(now.weights.array() - was.weights.array()[square]).max() <= limit
    v_size = float(np.abs(head.v).max())
    error = np.abs(now.head_outputs[0].astype(np.float64) - was.head_outputs[0][order]).max()
    assert error <= 2 * inputs.n_tokens * limit * v_size


@pytest.mark.parametrize("n", [2, 200])
def test_a_row_that_may_attend_to_nothing_is_zero_at_minus_infinity(engine, n):
    inputs = document(n, mask="holes")
    stages = engine.compute(Request.whole(inputs, query=n // 2))
    assert (stages.row.weights == 0).all()
    assert (stages.row.output == 0).all()
    assert (stages.row.masked == -math.inf).all()
    assert (stages.row_max[n // 2], stages.row_sum[n // 2]) == (-math.inf, 0)


@pytest.mark.parametrize("fill", [-1e9, 0.0, 3e38])
@pytest.mark.parametrize("n", [4, 200])
def test_a_row_that_may_attend_to_nothing_is_uniform_at_a_finite_mask_value(engine, fill, n):
    stages = engine.compute(Request.whole(document(n, mask="holes", mask_fill=fill), query=n // 2))
    assert (stages.row.weights == np.float32(1) / np.float32(n)).all()
    assert stages.row_sum[n // 2] == n


@pytest.mark.parametrize("n", [10, 300])
@pytest.mark.parametrize("garbage", [1e6, -1e6])
def test_hidden_values_never_reach_the_output(engine, n, garbage):
    """Keys that nobody may attend to change no weight and no output, to the last bit."""
    hidden = [1, n // 2, n - 1]
    allowed = np.ones((n, n), bool)
    allowed[:, hidden] = False
    inputs = document(n, 8, mask=CustomMask(allowed))
    head = inputs.heads[0]
    k, v = head.k.copy(), head.v.copy()
    k[hidden], v[hidden] = garbage, garbage
    was = engine.compute(Request.whole(inputs))
    now = engine.compute(Request.whole(inputs.with_head(0, replace(head, k=k, v=v))))
    assert np.array_equal(was.weights.array(), now.weights.array())
    assert np.array_equal(was.head_outputs[0], now.head_outputs[0])


@pytest.mark.parametrize("n", [10, 300])
def test_the_future_never_reaches_the_past(engine, n):
    inputs = document(n, 8)
    head, half = inputs.heads[0], n // 2
    k, v = head.k.copy(), head.v.copy()
    k[half:], v[half:] = -1e6, 1e6
    was = engine.compute(Request.whole(inputs))
    now = engine.compute(Request.whole(inputs.with_head(0, replace(head, k=k, v=v))))
    assert np.array_equal(was.weights.array()[:half], now.weights.array()[:half])
    assert np.array_equal(was.head_outputs[0][:half], now.head_outputs[0][:half])


def test_a_finite_mask_value_leaks_as_an_ordinary_score_does(engine):
    head = Head("", [[0.0], [0.0]], [[0.0], [0.0]], [[1.0], [3.0]])
    stages = engine.compute(Request.whole(Inputs("", ("a", "b"), (head,), mask_fill=0.0)))
    assert stages.weights.array().tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert stages.head_outputs[0].tolist() == [[2.0], [2.0]]
