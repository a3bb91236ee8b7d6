"""Summaries of rows: engines against the definition, and after any edits as from nothing."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core import edits
from attnviz.core.masks import CausalMask, NoMask
from attnviz.core.position_masks import SinkMask, SlidingWindowMask
from attnviz.core.request import SUMMARIES, THUMBNAILS, Region, Request
from attnviz.core.summaries import MASSES, MEASURES, define_summaries
from tests.engine.documents import document
from tests.engine.random_edits import random_edit

WANTED = frozenset([SUMMARIES])
ALL = frozenset([THUMBNAILS])


def ask(engine, inputs, previous=None, *, head=0, extras=WANTED, window=16):
    request = Request.whole(inputs, head, 0, extras)
    return engine.compute(replace(request, window=window), previous)


def assert_right(stages, head=0, spread=1.0):
    """Hold the summaries of a head to the definition."""
    told = stages.summaries[head]
    wanted = define_summaries(stages.request.inputs, head, stages.request.window)
    assert told.window == stages.request.window
    n = stages.request.inputs.heads[head].k.shape[0]
    for measure in MASSES:
        assert np.abs(told.of(measure) - wanted[measure]).max() <= 3e-6 * spread, measure
    # An error of ε in all scores moves the entropy by up to about ε · log₂ n.
    assert np.abs(told.entropy - wanted["entropy"]).max() <= 1e-5 * spread * math.log2(n + 2)
    assert np.allclose(told.effective_keys, wanted["effective_keys"], rtol=1e-4 * spread, atol=0)
    empty = wanted["effective_keys"] == 0
    for measure in MEASURES:
        assert (told.of(measure)[empty] == 0).all()


@pytest.mark.parametrize("n", [1, 2, 10, 64, 65, 129, 300])
@pytest.mark.parametrize("mask", ["causal", "none", "holes", SlidingWindowMask(5), SinkMask(2, 7)])
def test_they_are_those_of_the_definition(engine, n, mask):
    assert_right(ask(engine, document(n, 8, mask=mask)))


@pytest.mark.parametrize("fill", [-5.0, -1e9, 3.0])
def test_with_a_finite_mask_value_they_are_of_the_weights_there_are(engine, fill):
    assert_right(ask(engine, document(140, 8, mask="holes", mask_fill=fill)))


@pytest.mark.parametrize("spread", [0.0, 10.0, 1e3])
def test_scores_of_any_size_are_no_difficulty(engine, spread):
    stages = ask(engine, document(140, 8, spread=spread))
    told = stages.summaries[0]
    assert all(np.isfinite(told.of(measure)).all() for measure in MEASURES)
    if spread < 1e3:
        assert_right(stages, spread=max(1.0, spread))
    else:  # all weight on one key
        assert np.allclose(told.effective_keys, 1, atol=1e-2)


@pytest.mark.parametrize("window", [1, 2, 16, 139, 140, 1000])
def test_the_window_may_have_any_width(engine, window):
    assert_right(ask(engine, document(140, 8, mask="none"), window=window))


def test_all_heads_come_with_thumbnails_and_one_without(engine):
    inputs = document(200, 8, n_heads=3)
    assert list(ask(engine, inputs, head=1).summaries) == [1]
    stages = ask(engine, inputs, head=1, extras=ALL)
    assert sorted(stages.summaries) == [0, 1, 2]
    for head in range(3):
        assert_right(stages, head)
        assert stages.thumbnails[head].row_entropy is stages.summaries[head].entropy
    assert not engine.compute(Request.whole(inputs)).summaries


def test_a_region_of_some_rows_or_keys_has_the_summaries_of_all(engine):
    inputs = document(200, 8, n_heads=2)
    for region in (
        Region(1, (50, 60), (0, 200)),
        Region(1, (0, 200), (3, 90)),
        Region(1, (0, 200), (0, 200), (9, 9)),
    ):
        stages = engine.compute(Request(inputs, 3, region, WANTED))
        assert_right(stages, 1)


def test_what_cannot_have_changed_is_the_very_same(engine):
    inputs = document(300, 8, n_heads=2)
    earlier = ask(engine, inputs, extras=ALL)
    assert ask(engine, inputs, earlier, extras=ALL).summaries[0] is earlier.summaries[0]
    of_v = ask(engine, edits.set_vector_value(inputs, 0, "v", 5, 0, 3.0), earlier, extras=ALL)
    assert of_v.summaries[0] is earlier.summaries[0]
    of_q = ask(engine, edits.set_vector_value(inputs, 0, "q", 140, 0, 3.0), earlier, extras=ALL)
    assert of_q.summaries[1] is earlier.summaries[1]
    rows = np.arange(300) != 140
    for measure in MEASURES:
        mine, before = of_q.summaries[0].of(measure), earlier.summaries[0].of(measure)
        assert np.array_equal(mine[rows], before[rows])
    assert of_q.summaries[0].entropy[140] != earlier.summaries[0].entropy[140]
    assert_right(of_q)


def test_a_head_that_moved_takes_its_summaries_along(engine):
    inputs = document(200, 8, n_heads=3)
    earlier = ask(engine, inputs, extras=ALL)
    moved = ask(engine, edits.move_head(inputs, 0, 2), earlier, extras=ALL)
    assert moved.summaries[2] is earlier.summaries[0]
    assert_right(moved, 0)


def test_another_window_is_another_summary(engine):
    inputs = document(200, 8)
    earlier = ask(engine, inputs, window=4)
    now = ask(engine, inputs, earlier, window=9)
    assert_right(now)
    assert (now.summaries[0].on_window >= earlier.summaries[0].on_window - 1e-6).all()


def test_an_earlier_answer_without_them_or_of_another_head_does_no_harm(engine):
    inputs = document(200, 8, n_heads=2)
    bare = engine.compute(Request.whole(inputs))
    assert_right(ask(engine, inputs, bare))
    other = ask(engine, inputs, head=1)
    assert_right(ask(engine, inputs, other, head=0))
    # From summaries alone to thumbnails, and back.
    more = ask(engine, inputs, ask(engine, inputs), extras=ALL)
    assert all(small.picture.any() for small in more.thumbnails.values())
    assert ask(engine, inputs, more).summaries[0] is more.summaries[0]


@settings(deadline=None, max_examples=40)
@given(st.data(), st.sampled_from([7, 70, 150]), st.booleans())
def test_after_random_edits_they_are_as_from_nothing(lasting_engine, data, n, with_all):
    inputs, extras = document(n, 4, n_heads=2, seed=n), ALL if with_all else WANTED
    stages = ask(lasting_engine, inputs, extras=extras)
    for _ in range(4):
        inputs = random_edit(inputs, data.draw)
        head = data.draw(st.integers(0, inputs.n_heads - 1))
        stages = ask(lasting_engine, inputs, stages, head=head, extras=extras)
        fresh = ask(lasting_engine, inputs, head=head, extras=extras)
        assert sorted(stages.summaries) == sorted(fresh.summaries)
        for each, told in stages.summaries.items():
            for measure in MEASURES:
                mine, wanted = told.of(measure), fresh.summaries[each].of(measure)
                assert np.allclose(mine, wanted, rtol=1e-3, atol=1e-4), measure


@pytest.mark.parametrize("shape", [(1, 9), (9, 1), (65, 64), (130, 300), (300, 129)])
@pytest.mark.parametrize("alignment", ["first", "last"])
@pytest.mark.parametrize("kind", [NoMask, CausalMask])
def test_in_cross_attention_the_alignment_says_where_a_query_stands(engine, shape, alignment, kind):
    n_query, n_key = shape
    inputs = document(n_query, 4, n_key=n_key, n_heads=2, mask=kind(alignment=alignment))
    stages = ask(engine, inputs, extras=ALL, window=5)
    assert_right(stages, 0)
    assert_right(stages, 1)
    weights = stages.weights.array()
    place = n_key - 1 if alignment == "last" else n_query - 1
    on_itself = weights[-1, place] if place < n_key else 0.0
    assert stages.summaries[0].on_itself[-1] == pytest.approx(on_itself, abs=1e-6)
    turned = ask(engine, replace(inputs, mask=kind(alignment="last")), stages, extras=ALL, window=5)
    assert_right(turned, 0)
