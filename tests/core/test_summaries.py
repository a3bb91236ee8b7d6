"""What sums up a row of weights: by hand, and by laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core.errors import InputError
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CausalMask, CustomMask, NoMask
from attnviz.core.request import Request
from attnviz.core.summaries import (
    MASSES,
    MEASURES,
    WINDOW,
    RowSummaries,
    define_summaries,
    effective_keys,
    entropy,
    mass_at,
    mass_near,
    summarize,
)

HOLES = CustomMask(np.array([[True, False, True], [False, False, False], [True, True, True]]))


def document(n: int, seed: int, mask=None, spread: float = 1.0) -> Inputs:
    rng = np.random.default_rng(seed)
    q, k, v = (rng.standard_normal((n, 3)) * spread for _ in range(3))
    return Inputs("", ("t",) * n, (Head("", q, k, v),), mask=CausalMask() if mask is None else mask)


def test_one_2_by_2_example_by_hand() -> None:
    # −¼ log₂ ¼ − ¾ log₂ ¾ = 0.5 + 0.3112781245 bits
    weights = np.array([[1.0, 0.0], [0.25, 0.75]])
    told = summarize(weights, width=1)
    assert told["entropy"] == pytest.approx([0.0, 0.8112781245], abs=1e-10)
    assert told["effective_keys"] == pytest.approx([1.0, 1.7547653506], abs=1e-9)
    assert told["on_first"].tolist() == [1.0, 0.25]
    assert told["on_itself"].tolist() == [1.0, 0.75]
    assert told["on_previous"].tolist() == [0.0, 0.25]
    assert told["on_window"].tolist() == [1.0, 0.75]  # of width 1 the window is the token itself
    assert summarize(weights, width=2)["on_window"].tolist() == [1.0, 1.0]


def test_four_keys_alike_are_two_bits_and_four_keys() -> None:
    weights = np.full((1, 4), 0.25)
    assert entropy(weights).tolist() == [2.0]
    assert effective_keys(weights).tolist() == [4.0]


def test_a_row_without_any_key_is_zero_throughout() -> None:
    told = define_summaries(document(3, 0, HOLES), 0)
    assert [float(told[measure][1]) for measure in MEASURES] == [0.0] * 6
    assert told["effective_keys"][0] >= 1


def test_the_window_reaches_both_ways_and_not_beyond() -> None:
    weights = np.tile(np.arange(1.0, 6.0), (5, 1))
    assert mass_near(weights, 0, 2).tolist() == [3.0, 6.0, 9.0, 12.0, 9.0]


def test_where_queries_stand_further_on_itself_is_the_key_there() -> None:
    weights = np.arange(10.0).reshape(2, 5)
    assert mass_at(weights, 3).tolist() == [3.0, 9.0]
    assert mass_at(weights, -1).tolist() == [0.0, 5.0]  # query 0 stands before the first key
    assert mass_at(weights, 4).tolist() == [4.0, 0.0]  # query 1 stands after the last one


@given(st.integers(1, 12), st.integers(0, 2**32 - 1), st.booleans(), st.sampled_from([0.0, 1.0, 30.0]))
def test_entropy_lies_between_one_key_and_all_that_may_be_attended(n, seed, is_causal, spread) -> None:
    inputs = document(n, seed, CausalMask() if is_causal else NoMask(), spread)
    told = define_summaries(inputs, 0)
    allowed = inputs.mask.allowed((0, n), (0, n)).sum(axis=1)
    assert (told["entropy"] >= 0).all()
    assert (told["entropy"] <= np.log2(allowed) + 1e-9).all()
    assert (told["effective_keys"] >= 1 - 1e-9).all()
    assert (told["effective_keys"] <= allowed + 1e-9).all()
    if spread == 0.0:  # all scores alike: as spread as can be
        assert told["effective_keys"] == pytest.approx(allowed)


@given(st.integers(1, 12), st.integers(0, 2**32 - 1), st.integers(1, 14))
def test_masses_are_parts_of_the_whole(n, seed, width) -> None:
    told = define_summaries(document(n, seed, NoMask()), 0, width)
    for mass in MASSES:
        assert (told[mass] >= 0).all()
        assert (told[mass] <= 1 + 1e-12).all()
    assert (told["on_window"] >= told["on_itself"] - 1e-12).all()
    if width > 1:
        assert (told["on_window"] >= told["on_itself"] + told["on_previous"] - 1e-12).all()
    if width >= n:
        assert told["on_window"] == pytest.approx(np.ones(n))


@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_the_order_of_keys_does_not_change_how_spread_a_row_is(n, seed) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(n), size=3)
    order = rng.permutation(n)
    assert entropy(weights[:, order]) == pytest.approx(entropy(weights), abs=1e-12)
    assert entropy(weights[::-1]) == pytest.approx(entropy(weights)[::-1], abs=0)


@given(st.floats(-1e3, 1e3), st.integers(0, 2**32 - 1))
def test_adding_a_constant_to_a_row_of_scores_changes_no_summary(constant, seed) -> None:
    inputs = document(6, seed, NoMask())
    head = inputs.heads[0]
    # One more dimension of k that is 1 everywhere adds q's number there to the whole row.
    q = np.hstack([head.q, np.full((6, 1), constant)])
    k = np.hstack([head.k, np.ones((6, 1))])
    moved = Inputs("", inputs.tokens, (Head("", q, k, head.v),), mask=NoMask(), scale_strength=3**0.5 / 2)
    plain, other = define_summaries(inputs, 0), define_summaries(moved, 0)
    for measure in MEASURES:
        assert other[measure] == pytest.approx(plain[measure], abs=1e-7)


def test_summaries_are_read_only_float32_and_know_their_means() -> None:
    told = summarize(np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 0.0]]))
    summaries = RowSummaries(**told)
    assert summaries.window == WINDOW
    for measure in MEASURES:
        assert summaries.of(measure).dtype == np.float32
        assert not summaries.of(measure).flags.writeable
    assert summaries.mean("effective_keys") == pytest.approx(1.0)  # 1, 2 and 0 keys
    assert summaries.is_empty.tolist() == [False, False, True]
    with pytest.raises(KeyError):
        summaries.of("window")


def test_a_callers_own_arrays_stay_their_own() -> None:
    arrays = {measure: np.zeros(2, np.float32) for measure in MEASURES}
    summaries = RowSummaries(**arrays)
    arrays["entropy"][0] = 5.0
    assert summaries.entropy[0] == 0
    assert arrays["entropy"].flags.writeable


def test_arrays_that_do_not_fit_are_refused_with_their_names() -> None:
    arrays = {measure: np.zeros(2, np.float32) for measure in MEASURES}
    with pytest.raises(InputError, match=r"on_first has shape \(3,\); \(2,\) is wanted"):
        RowSummaries(**arrays | {"on_first": np.zeros(3, np.float32)})
    with pytest.raises(InputError, match=r"entropy has shape \(2, 2\)"):
        RowSummaries(**arrays | {"entropy": np.zeros((2, 2), np.float32)})
    with pytest.raises(InputError, match="on_window holds a number that is not finite"):
        RowSummaries(**arrays | {"on_window": np.array([1.0, math.nan], np.float32)})


@pytest.mark.parametrize("width", [0, -3, 1_000_001, 10**400, 2.5, True, None, "16"])
def test_a_window_that_is_none_is_refused(width) -> None:
    with pytest.raises(InputError, match="The width of the window is"):
        Request(document(2, 0), 0, Request.whole(document(2, 0)).region, window=width)
    with pytest.raises(InputError, match="a whole number from 1 to 1000000 is wanted"):
        define_summaries(document(2, 0), 0, width)
