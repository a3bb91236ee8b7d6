"""Laws of the definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core import attention
from attnviz.core.attention import define
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CausalMask, CustomMask, NoMask
from attnviz.core.position_codes import position_codes, previous_token_vectors


def test_one_2_by_2_example_by_hand() -> None:
    # scores [[1, 0], [1, 2]] ÷ √1; causal; e² / (e¹ + e²) = 0.7310585786
    head = Head("hand", [[1.0], [2.0]], [[0.5], [1.0]], [[10.0], [20.0]])
    stages = define(Inputs("a b", ("a", "b"), (head,)), 0)
    assert stages.scores.tolist() == [[0.5, 1.0], [1.0, 2.0]]
    assert stages.scaled.tolist() == [[0.5, 1.0], [1.0, 2.0]]
    assert stages.masked.tolist() == [[0.5, -math.inf], [1.0, 2.0]]
    assert stages.weights[0].tolist() == [1.0, 0.0]
    assert stages.weights[1] == pytest.approx([0.2689414214, 0.7310585786], abs=1e-10)
    assert stages.head_output[:, 0] == pytest.approx([10.0, 17.310585786], abs=1e-8)


def test_scores_are_divided_by_root_d_k_times_the_strength() -> None:
    assert attention.scaled(np.array([[12.0]]), d_k=9, scale_strength=2.0).tolist() == [[2.0]]


@given(st.integers(1, 12), st.integers(0, 2**32 - 1), st.booleans())
def test_rows_sum_to_one(n: int, seed: int, is_causal: bool) -> None:
    weights = define(random_inputs(n, seed, is_causal), 0).weights
    assert weights.sum(axis=1) == pytest.approx(np.ones(n), abs=1e-12)
    assert (weights >= 0).all()


@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_permuting_tokens_permutes_the_result(n: int, seed: int) -> None:
    inputs = random_inputs(n, seed, is_causal=False)
    order = np.random.default_rng(seed).permutation(n)
    head = inputs.heads[0]
    moved = Inputs("", inputs.tokens, (Head("", head.q[order], head.k[order], head.v[order]),), mask=NoMask())
    before, after = define(inputs, 0), define(moved, 0)
    assert after.weights == pytest.approx(before.weights[np.ix_(order, order)], abs=1e-12)
    assert after.head_output == pytest.approx(before.head_output[order], abs=1e-9)


@given(st.floats(-1e6, 1e6), st.integers(0, 2**32 - 1))
def test_adding_a_constant_to_a_row_of_scores_changes_no_weight(constant: float, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(3, 5))
    assert attention.weights(scores + constant) == pytest.approx(attention.weights(scores), abs=1e-8)


def test_a_row_without_any_allowed_key_is_zero_at_minus_infinity_and_uniform_at_a_finite_value() -> None:
    hidden = CustomMask(np.array([[False, False], [True, True]]))
    head = Head("", np.ones((2, 1)), np.ones((2, 1)), np.ones((2, 1)))
    at_infinity = define(Inputs("", ("a", "b"), (head,), mask=hidden), 0)
    assert at_infinity.weights[0].tolist() == [0, 0]
    assert at_infinity.head_output[0].tolist() == [0]
    finite = define(Inputs("", ("a", "b"), (head,), mask=hidden, mask_fill=-1e9), 0)
    assert finite.weights[0].tolist() == [0.5, 0.5]


def test_what_is_hidden_never_reaches_the_output() -> None:
    inputs = random_inputs(6, 3, is_causal=True)
    head = inputs.heads[0]
    v = head.v.copy()
    v[4:] = 1e6
    changed = inputs.with_head(0, Head("", head.q, head.k, v))
    assert (define(changed, 0).head_output[:4] == define(inputs, 0).head_output[:4]).all()


def test_scores_of_magnitude_1e12_stay_finite_and_right() -> None:
    head = Head("", [[1e6], [-1e6]], [[1e6], [-1e6]], [[1.0], [2.0]])
    stages = define(Inputs("", ("a", "b"), (head,), mask=NoMask()), 0)
    assert np.isfinite(stages.scores).all()
    assert stages.weights.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(("n_tokens", "share"), [(10, 0.9), (11, 0.8), (57, 0.8), (200, 0.8)])
def test_a_head_of_position_codes_looks_one_token_back(n_tokens: int, share: float) -> None:
    q, k = previous_token_vectors(n_tokens)
    inputs = Inputs("", tuple("x" * n_tokens), (Head("previous", q, k, k),), mask=CausalMask())
    weights = define(inputs, 0).weights
    assert weights[0, 0] == 1
    assert (np.diagonal(weights, -1) >= share).all()


def test_codes_of_positions_are_zero_where_the_circle_crosses_an_axis() -> None:
    codes = position_codes(20)
    assert codes[10].tolist() == [-1, 0, -1, 0]
    assert codes[5].tolist() == [0, 1, 0, -1]
    assert not np.signbit(codes[codes == 0]).any()


def random_inputs(n: int, seed: int, is_causal: bool) -> Inputs:
    rng = np.random.default_rng(seed)
    d_k, d_v = (int(d) for d in rng.integers(1, 9, 2))
    head = Head("", rng.normal(size=(n, d_k)) * 3, rng.normal(size=(n, d_k)), rng.normal(size=(n, d_v)))
    return Inputs("", tuple("t" * n), (head,), mask=CausalMask() if is_causal else NoMask())
