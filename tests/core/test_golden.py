"""The published numbers come out of the definition, to the last digit shown."""

from __future__ import annotations

import json

import numpy as np
import pytest

from attnviz.core.attention import define
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import NoMask
from attnviz.core.numbers import format_fixed, format_percent
from tests.published import NEKO_K, NEKO_PERCENT, NEKO_Q, NEKO_TOKENS


@pytest.fixture
def neko() -> Inputs:
    head = Head("意味", NEKO_Q, NEKO_K, NEKO_K, v_is_k=True)
    return Inputs(
        "猫が魚を食べた。それは新鮮だった",
        NEKO_TOKENS,
        (head,),
    )


def test_all_55_visible_weights_are_the_published_ones(neko: Inputs) -> None:
    weights = define(neko, 0).weights
    shown = [[format_percent(weights[query, key]) for key in range(query + 1)] for query in range(10)]
    assert shown == [[f"{percent:.1f}%" for percent in row] for row in NEKO_PERCENT]
    assert not weights[~np.tri(10, dtype=bool)].any()


def test_the_row_of_sore_is_the_published_one(neko: Inputs) -> None:
    stages = define(neko, 0)
    assert [format_fixed(value, 2) for value in stages.scores[6, :7]] == (
        ["3.00", "−2.00", "5.50", "−2.00", "0.75", "−1.00", "−0.25"]
    )
    assert [format_fixed(value, 2) for value in stages.scaled[6, :7]] == (
        ["1.50", "−1.00", "2.75", "−1.00", "0.38", "−0.50", "−0.13"]
    )
    assert [format_fixed(value, 3) for value in stages.weights[6, :7]] == (
        ["0.188", "0.015", "0.657", "0.015", "0.061", "0.025", "0.037"]
    )
    assert [format_fixed(value, 2) for value in stages.head_output[6]] == ["1.23", "2.01", "0.18", "0.12"]


def test_the_constants_here_are_those_of_the_published_file(shared) -> None:
    published = json.loads((shared / "golden" / "neko.json").read_text(encoding="utf-8"))
    assert (published["q"], published["k"], published["weights_percent"]) == (NEKO_Q, NEKO_K, NEKO_PERCENT)


def test_the_toy_example_gives_its_true_values() -> None:
    k = [[2, 0], [0, 2], [1, 1]]
    toy = Inputs(
        "猫魚それ", ("猫", "魚", "それ"), (Head("toy", [*k[:2], [0, 2]], k, k, v_is_k=True),), mask=NoMask()
    )
    stages = define(toy, 0)
    assert stages.scores[2].tolist() == [0, 4, 2]
    assert [format_fixed(value, 2) for value in stages.scaled[2]] == ["0.00", "2.83", "1.41"]
    assert [format_fixed(value, 3) for value in stages.weights[2]] == ["0.045", "0.768", "0.187"]
    assert [format_fixed(value, 3) for value in stages.head_output[2]] == ["0.277", "1.723"]
