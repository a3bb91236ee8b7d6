"""Dot products of random vectors spread by √d_k, and softmax needs them divided."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from attnviz.core.score_spread import MEASURED_AT, own_spread, random_spread, softmax_trial


def test_the_published_spreads_are_measured(shared) -> None:
    published = json.loads((shared / "golden" / "andrea.json").read_text("utf-8"))
    for d_k, typical in published["typical_dot_product_of_random_vectors"].items():
        assert random_spread(int(d_k)) == pytest.approx(typical, rel=0.03)


@pytest.mark.parametrize("d_k", MEASURED_AT)
def test_the_spread_is_the_square_root_of_d_k(d_k: int) -> None:
    # The lengths of 64 short vectors differ much by chance, those of long ones hardly.
    assert random_spread(d_k) == pytest.approx(math.sqrt(d_k), rel=0.03 + 0.3 / math.sqrt(d_k))


def test_it_is_measured_and_not_the_formula() -> None:
    assert random_spread(64) != math.sqrt(64)
    assert random_spread(64) == random_spread.__wrapped__(64)


def test_undivided_scores_leave_softmax_one_key() -> None:
    for d_k in (64, 256, 4096):
        trial = softmax_trial(d_k)
        assert trial.undivided.sum() == pytest.approx(1)
        assert trial.divided.sum() == pytest.approx(1)
        assert trial.undivided.max() > 0.9 > 0.6 > trial.divided.max()
        assert np.argmax(trial.undivided) == np.argmax(trial.divided)


@pytest.mark.parametrize("d_k", [4, 64, 256, 4096])
def test_the_ten_scores_lie_as_far_apart_as_is_usual(d_k: int) -> None:
    assert softmax_trial(d_k).scores.std() == pytest.approx(math.sqrt(d_k), rel=0.15)


@pytest.mark.parametrize(("n", "d_k"), [(3, 50), (50, 3), (40, 40), (1, 1)])
def test_own_spread_is_that_of_all_scores(n: int, d_k: int) -> None:
    random = np.random.RandomState(n)
    q, k = (random.standard_normal((n, d_k)).astype(np.float32) + 0.5 for _ in "qk")
    whole = (q.astype(np.float64) @ k.astype(np.float64).T).std()
    assert own_spread(q, k) == pytest.approx(whole, rel=1e-9, abs=1e-12)


def test_equal_scores_do_not_spread() -> None:
    same = np.full((200, 3), 0.1, np.float32)
    assert own_spread(same, same) == 0


def test_a_large_document_is_measured_at_some_tokens_and_still_near() -> None:
    random = np.random.RandomState(5)
    q, k = (random.standard_normal((1024, 1024)).astype(np.float32) for _ in "qk")
    assert own_spread(q, k) == pytest.approx(32, rel=0.03)
