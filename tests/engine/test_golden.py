"""The published numbers come out of the engine, to the last digit shown."""

from __future__ import annotations

import json

import numpy as np
import pytest

from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import NoMask
from attnviz.core.numbers import format_fixed, format_percent
from attnviz.core.position_codes import previous_token_vectors
from attnviz.core.request import Request
from tests.published import NEKO_K, NEKO_PERCENT, NEKO_Q, NEKO_TOKENS


@pytest.fixture
def neko() -> Inputs:
    return Inputs("", NEKO_TOKENS, (Head("意味", NEKO_Q, NEKO_K, NEKO_K, v_is_k=True),))


def shown(values, decimals):
    return [format_fixed(float(value), decimals).replace("−", "-") for value in values]


def test_all_55_visible_weights_are_the_published_ones(engine, neko):
    weights = engine.compute(Request.whole(neko)).weights.array()
    for query, row in enumerate(NEKO_PERCENT):
        assert [format_percent(weights[query, key]) for key in range(query + 1)] == [f"{p:.1f}%" for p in row]
        assert (weights[query, query + 1 :] == 0).all()


def test_the_row_of_sore_is_the_published_one(engine, neko):
    row = engine.compute(Request.whole(neko, query=6)).row
    assert row.scores[:7].tolist() == [3.0, -2.0, 5.5, -2.0, 0.75, -1.0, -0.25]
    assert shown(row.scaled[:7], 2) == ["1.50", "-1.00", "2.75", "-1.00", "0.38", "-0.50", "-0.13"]
    assert shown(row.weights[:7], 3) == ["0.188", "0.015", "0.657", "0.015", "0.061", "0.025", "0.037"]
    assert shown(row.output, 2) == ["1.23", "2.01", "0.18", "0.12"]
    assert row.allowed.tolist() == [True] * 7 + [False] * 3
    assert np.isneginf(row.masked[7:]).all()


def test_without_the_mask_the_cat_sees_fish_and_eating(engine, neko):
    row = engine.compute(Request.whole(Inputs("", NEKO_TOKENS, neko.heads, NoMask()))).row
    assert row.allowed.all()
    assert (row.weights > 0).all()


@pytest.mark.parametrize("n", [10, 11, 57, 200])
def test_the_position_head_looks_one_token_back(engine, n):
    q, k = previous_token_vectors(n)
    weights = engine.compute(Request.whole(Inputs("", ("t",) * n, (Head("直前", q, k, k),)))).weights.array()
    assert weights[0, 0] == 1
    assert (np.diagonal(weights, -1) >= (0.9 if n == 10 else 0.8)).all()


@pytest.mark.parametrize("n", [4472, 4473, 200_000])
def test_codes_of_very_many_positions_stay_within_what_numbers_may_be(n):
    q, k = previous_token_vectors(n)
    assert max(np.abs(q).max(), np.abs(k).max()) <= 1e6
    at = n // 3
    scores = k.astype(np.float64) @ q[at].astype(np.float64) / 2
    assert abs(int(scores.argmax()) - (at - 1)) <= n / 2000


def test_the_toy_example_gives_its_true_numbers(engine):
    k = [[2, 0], [0, 2], [1, 1]]
    head = Head("", [[2, 0], [0, 2], [0, 2]], k, k, v_is_k=True)
    row = engine.compute(Request.whole(Inputs("", ("猫", "魚", "それ"), (head,), NoMask()), query=2)).row
    assert row.scores.tolist() == [0, 4, 2]
    assert shown(row.scaled, 2) == ["0.00", "2.83", "1.41"]
    assert shown(row.weights, 3) == ["0.045", "0.768", "0.187"]
    assert shown(row.output, 3) == ["0.277", "1.723"]


def test_the_golden_file_says_the_same(shared, engine, neko):
    golden = json.loads((shared / "golden" / "neko.json").read_text(encoding="utf-8"))
    assert (golden["q"], golden["k"], golden["weights_percent"]) == (NEKO_Q, NEKO_K, NEKO_PERCENT)
    row = engine.compute(Request.whole(neko, query=golden["query"]["index"])).row
    n = len(golden["query"]["scores"])
    assert row.scores[:n].tolist() == golden["query"]["scores"]
    assert shown(row.weights[:n], 3) == [f"{weight:.3f}" for weight in golden["query"]["weights"]]
    assert shown(row.output, 2) == [f"{value:.2f}" for value in golden["query"]["output"]]
    toy = json.loads((shared / "golden" / "toy.json").read_text(encoding="utf-8"))
    assert toy["true_output"] == [0.277, 1.723]
