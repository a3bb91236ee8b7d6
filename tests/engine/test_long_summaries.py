"""Summaries of long documents: what the definition says of the rows, whatever was kept between calls."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core import edits
from attnviz.core import inputs as core_inputs
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CausalMask, NoMask
from attnviz.core.position_masks import SinkMask, SlidingWindowMask
from attnviz.core.request import SUMMARIES, THUMBNAILS, Region, Request
from attnviz.core.summaries import MASSES, MEASURES, define_summaries
from tests.engine.documents import document

SUMS = frozenset([SUMMARIES])
N = 300


@pytest.fixture(autouse=True)
def long_from_here(monkeypatch):
    """Let documents be long from 256 tokens on, so that the definition can be asked about them."""
    monkeypatch.setattr(core_inputs, "DENSE_TOKENS", 256)


def ask(engine, inputs, head=0, extras=SUMS, window=16, detail="full", progress=None):
    region = Region(head, (0, inputs.n_query), (0, inputs.n_key), (64, 64))
    request = Request(inputs, 3, region, extras, detail=detail, window=window)
    assert inputs.is_long
    return engine.compute(request, None, progress)


def assert_right(stages, head=0):
    told = stages.summaries[head]
    wanted = define_summaries(stages.request.inputs, head, stages.request.window)
    for measure in MASSES:
        assert np.abs(told.of(measure) - wanted[measure]).max() <= 5e-6, measure
    assert np.abs(told.entropy - wanted["entropy"]).max() <= 1e-4
    assert np.allclose(told.effective_keys, wanted["effective_keys"], rtol=1e-3, atol=0)


@pytest.mark.parametrize("mask", ["causal", "none", "holes", SlidingWindowMask(40), SinkMask(2, 9)])
@pytest.mark.parametrize("fill", [-np.inf, -3.0])
def test_they_are_those_of_the_definition(engine, mask, fill):
    assert_right(ask(engine, document(N, 8, mask=mask, mask_fill=fill)))


def test_no_key_has_more_than_all_the_weight_of_its_row(engine):
    rng = np.random.default_rng(0)
    vectors = [rng.normal(size=(6000, 8)).astype(np.float32) for _ in range(3)]
    inputs = Inputs("", ("t",) * 6000, (Head("h", *vectors),))  # the first query sees one key
    stages = ask(engine, inputs)
    assert all(stages.summaries[0].of(measure).max() <= 1 for measure in MASSES)
    assert stages.row_sum.min() >= 1
    near = Request(inputs, 3, Region(0, (0, 20), (0, 20), (64, 64)))
    assert engine.compute(near).weights.array().max() <= 1


@pytest.mark.parametrize("window", [1, 2, 130, 299, 100_000])
def test_the_window_may_have_any_width(engine, window):
    assert_right(ask(engine, document(N, 8, mask="none"), window=window))


@pytest.mark.parametrize("shape", [(270, 300), (300, 270)])
@pytest.mark.parametrize("alignment", ["first", "last"])
@pytest.mark.parametrize("kind", [NoMask, CausalMask])
def test_in_cross_attention_the_alignment_says_where_a_query_stands(engine, shape, alignment, kind):
    n_query, n_key = shape
    assert_right(ask(engine, document(n_query, 4, n_key=n_key, mask=kind(alignment=alignment)), window=9))


def test_another_window_does_not_walk_over_all_keys_again(engine, monkeypatch):
    inputs = document(N, 8)
    first = ask(engine, inputs, window=4)
    from attnviz.engine.key_walk import KeyWalk

    def walk(*_):
        raise AssertionError("all keys were walked over again")

    monkeypatch.setattr(KeyWalk, "walk", walk)
    second = ask(engine, inputs, window=30)
    assert_right(second)
    assert second.summaries[0].entropy.tolist() == first.summaries[0].entropy.tolist()


def test_of_an_edit_only_what_can_have_changed_is_new_and_old_answers_stay(engine):
    inputs = document(N, 8)
    first = ask(engine, inputs)
    kept = {measure: first.summaries[0].of(measure).copy() for measure in MEASURES}
    assert ask(engine, inputs).summaries[0] is first.summaries[0]
    second = ask(engine, edits.set_vector_value(inputs, 0, "q", 140, 0, 3.0))
    assert_right(second)
    others = np.arange(N) != 140
    for measure in MEASURES:
        assert np.array_equal(first.summaries[0].of(measure), kept[measure])
        assert np.array_equal(second.summaries[0].of(measure)[others], kept[measure][others])


def test_a_coarse_answer_has_none_and_the_full_one_has(engine, monkeypatch):
    from attnviz.engine import long_engine

    monkeypatch.setattr(long_engine, "AT_ONCE", 0)
    inputs = document(N, 8)
    assert not ask(engine, inputs, detail="coarse").summaries
    assert_right(ask(engine, inputs))
    assert_right(ask(engine, inputs, detail="coarse"))  # now it costs nothing


def test_all_heads_come_one_after_the_other_with_thumbnails(lasting_engine, monkeypatch):
    from attnviz.engine import long_engine, watch

    monkeypatch.setattr(long_engine, "AT_ONCE", 0)
    monkeypatch.setattr(watch, "SHOWN_EVERY", 0.0)
    monkeypatch.setattr(watch, "ASKED_EVERY", 0.0)
    inputs, seen = document(N, 8, n_heads=3), []

    def progress(done, partial):
        if partial is not None and partial.thumbnails:
            seen.append(list(partial.thumbnails))
        return True

    stages = ask(lasting_engine, inputs, head=1, extras=frozenset([THUMBNAILS]), progress=progress)
    assert sorted(stages.summaries) == sorted(stages.thumbnails) == [0, 1, 2]
    for head in range(3):
        assert_right(stages, head)
    assert seen
    assert all(1 in there for there in seen)
    assert all(set(early) <= set(late) for early, late in pairwise(seen))


def stopping_at(call):
    """Give a progress that says no at its call of that number."""
    calls = count()
    return lambda *_: next(calls) < call


@settings(deadline=None, max_examples=10)
@given(st.data())
def test_whatever_the_order_of_edits_windows_and_stops_they_are_true(lasting_engine, data):
    core_inputs.DENSE_TOKENS = 256
    inputs = document(280, 4, n_heads=2, mask=data.draw(st.sampled_from(["causal", "none"])))
    for _ in range(4):
        kind = data.draw(st.sampled_from(["q", "k", "v", "scale", "mask", "window", "stop"]))
        head, window = data.draw(st.integers(0, 1)), data.draw(st.sampled_from([1, 5, 40]))
        if kind in "qkv":
            token = data.draw(st.integers(0, 279))
            inputs = edits.set_vector_value(inputs, head, kind, token, 0, data.draw(st.floats(-2, 2)))
        elif kind == "scale":
            inputs = replace(inputs, scale_strength=data.draw(st.floats(0.5, 2)))
        elif kind == "mask":
            inputs = replace(inputs, mask=data.draw(st.sampled_from([NoMask(), CausalMask()])))
        elif kind == "stop":
            stop_at = data.draw(st.integers(0, 3))
            ask(lasting_engine, inputs, head, progress=stopping_at(stop_at))
        assert_right(ask(lasting_engine, inputs, head, window=window), head)
