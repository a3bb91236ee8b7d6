"""Every stage keeps the accuracy rule, at every size, mask, mask value and scale strength."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CausalMask, NoMask
from attnviz.core.request import Request
from attnviz.engine.blocks import softmax
from attnviz.engine.numpy_engine import NumpyEngine
from tests.engine.documents import assert_accurate, document, plain

INF = math.inf


@pytest.mark.parametrize("n", [1, 2, 10, 31, 127, 128, 129, 300])
@pytest.mark.parametrize("mask", ["causal", "none", "holes"])
@pytest.mark.parametrize("mask_fill", [-INF, -1e9, 0.5])
def test_every_stage_is_as_exact_as_plain_float32(engine, n, mask, mask_fill):
    for d_k, d_v in ((1, 1), (7, 5), (64, 64)):
        inputs = document(n, d_k, d_v, mask=mask, mask_fill=mask_fill, seed=n)
        assert_accurate(engine.compute(Request.whole(inputs)))


@pytest.mark.parametrize("scale_strength", [0.01, 0.3, 1.0, 7.0, 100.0])
def test_every_scale_strength_is_exact(engine, scale_strength):
    inputs = document(130, 16, scale_strength=scale_strength)
    assert_accurate(engine.compute(Request.whole(inputs)))


@pytest.mark.parametrize("mask_fill", [float(np.finfo(np.float32).min), float(np.finfo(np.float32).max)])
def test_the_largest_mask_values_overflow_nothing(engine, mask_fill):
    inputs = document(20, 4, mask="holes", mask_fill=mask_fill, spread=1e5)
    assert_accurate(engine.compute(Request.whole(inputs)))


@pytest.mark.parametrize("mask", ["causal", "none", "holes"])
@pytest.mark.parametrize("d_k", [1, 3, 4096])
def test_scores_of_the_largest_magnitude_stay_finite_and_right(engine, mask, d_k):
    rng = np.random.default_rng(d_k)
    q, k, v = (rng.choice([-1e6, 1e6, 0.5], size=(40, dims)) for dims in (d_k, d_k, 3))
    inputs = Inputs("", tuple("t" * 40), (Head("", q, k, v),), CausalMask() if mask == "causal" else NoMask())
    for strength in (0.01, 1.0):
        inputs = Inputs("", inputs.tokens, inputs.heads, inputs.mask, scale_strength=strength)
        stages = engine.compute(Request.whole(inputs))
        assert np.abs(stages.scores.array()).max() >= 1e12 * 0.9
        assert_accurate(stages)


def test_a_single_score_of_1e12_takes_all_attention(engine):
    q = [[0.0], [1e6]]
    inputs = Inputs("", ("a", "b"), (Head("", q, [[1e6], [-1e6]], [[1.0], [2.0]]),), NoMask())
    stages = engine.compute(Request.whole(inputs, query=1))
    assert stages.row.scores.tolist() == [np.float32(1e12), -np.float32(1e12)]
    assert stages.row.weights.tolist() == [1.0, 0.0]
    assert stages.row.output.tolist() == [1.0]


def test_scaled_values_are_scores_divided_to_the_last_bit(engine):
    stages = engine.compute(Request.whole(document(200, 7, scale_strength=1.7)))
    by = np.float32(math.sqrt(7) * 1.7)
    assert np.array_equal(stages.scaled.array(), stages.scores.array() / by)


def test_threads_change_no_bit():
    inputs = document(600, 64)
    answers = []
    for n_threads in (1, 3):
        engine = NumpyEngine(n_threads)
        answers.append(engine.compute(Request.whole(inputs)))
        engine.close()
    for stage in ("scores", "scaled", "masked", "weights"):
        assert np.array_equal(answers[0].picture(stage).array(), answers[1].picture(stage).array())


def test_a_two_by_two_example_by_hand(engine):
    """Rows [1, 0] and [0, 2] of q, [1, 1] and [0, 1] of k: the second query finds both keys alike."""
    head = Head("", [[1, 0], [0, 2]], [[1, 1], [0, 1]], [[1, 0], [0, 4]])
    stages = engine.compute(Request.whole(Inputs("", ("a", "b"), (head,)), query=1))
    assert stages.scores.array().tolist() == [[1, 0], [2, 2]]
    assert np.allclose(stages.scaled.array(), [[0.70710678, 0], [1.41421356, 1.41421356]], rtol=1e-7)
    assert stages.masked.array()[0].tolist() == [stages.scaled.array()[0, 0], -INF]
    assert stages.weights.array().tolist() == [[1, 0], [0.5, 0.5]]
    assert stages.head_outputs[0].tolist() == [[1, 0], [0.5, 2]]
    assert stages.row_sum.tolist() == [1, 2]
    none = engine.compute(Request.whole(Inputs("", ("a", "b"), (head,), NoMask())))
    e = math.exp(1 / math.sqrt(2))
    assert np.allclose(none.weights.array()[0], [e / (e + 1), 1 / (e + 1)], rtol=1e-6)


def test_the_yardstick_agrees_with_itself():
    inputs = document(5, 3, mask="holes")
    assert np.isfinite(plain(inputs)["weights"]).all()


@pytest.mark.long
@pytest.mark.parametrize("mask", ["causal", "none", "holes"])
@pytest.mark.parametrize("mask_fill", [-INF, -1e9])
def test_2048_tokens_are_exact(engine, mask, mask_fill):
    assert_accurate(engine.compute(Request.whole(document(2048, 64, mask=mask, mask_fill=mask_fill))))


@pytest.mark.parametrize("top", [-1e6, -100, -21, -19.9, 0, 59.9, 61, 88, 1e6])
def test_rows_of_any_magnitude_have_their_softmax(top):
    rng = np.random.default_rng(0)
    for columns in (1, 3, 1024):
        masked = (-rng.exponential(3, (64, columns))).astype(np.float32)
        masked[np.arange(64), np.arange(64) % columns] = 0
        masked[::7, 1::3] = -INF
        masked += np.float32(top)
        weights = np.empty_like(masked)
        tops, totals = softmax(masked, columns, weights)
        exact = np.exp(masked.astype(np.float64) - masked.max(axis=1, keepdims=True))
        sums = exact.sum(axis=1)
        assert (tops == masked.max(axis=1)).all()
        assert (totals >= 1).all()
        np.testing.assert_allclose(totals, sums, rtol=2e-6)
        np.testing.assert_allclose(weights, exact / sums[:, None], rtol=2e-5, atol=1e-30)
        assert (weights <= 1).all()


@pytest.mark.parametrize("other", [-INF, -1e9, -30, 100, 1e9])
def test_no_row_tells_of_another(other):
    masked = np.random.default_rng(0).standard_normal((128, 512)).astype(np.float32)
    changed = masked.copy()
    changed[64:] = other
    alone, beside = np.empty_like(masked), np.empty_like(masked)
    top, total = softmax(masked, 512, alone)
    tops, totals = softmax(changed, 512, beside)
    assert (alone[:64] == beside[:64]).all()
    assert ((top == tops) & (total == totals))[:64].all()
    assert (beside[64:] == (0 if other == -INF else np.float32(1 / 512))).all()
    assert (totals[64:] == (0 if other == -INF else 512)).all()


@pytest.mark.parametrize("has_empty", [False, True])
def test_rows_with_gaps_have_the_softmax_of_rows_without(has_empty):
    rng, before = np.random.default_rng(0), np.getbufsize()
    masked = rng.standard_normal((128, 1024)).astype(np.float32)
    masked[5, : 700 if has_empty else 300] = -INF
    weights = np.full((128, 1024), np.float32(7))
    top, total = softmax(masked[:, :700], 700, weights[:, :700])
    alone = masked[:, :700].copy()
    tops, totals = softmax(alone, 700, alone)
    assert (weights[:, :700] == alone).all()
    assert (weights[:, 700:] == 7).all()
    assert ((top == tops) & (total == totals)).all()
    assert (total[5] == 0) == has_empty
    assert np.getbufsize() == before
