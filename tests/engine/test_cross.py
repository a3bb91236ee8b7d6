"""Cross attention on the engine under test: other numbers of queries than of keys, aligned either way."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core import edits, key_edits, mask_edits
from attnviz.core.attention import define
from attnviz.core.masks import CausalMask, CustomMask, NoMask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import PrefixMask, SinkMask, SlidingWindowMask
from attnviz.core.request import HEAD_OUTPUTS, OUTPUT, THUMBNAILS, Region, Request
from attnviz.core.stages import STAGE_NAMES
from attnviz.engine.head_pass import LARGEST
from tests.engine.documents import EPSILON, assert_accurate, assert_same, document
from tests.engine.random_edits import random_edit
from tests.masks.kinds import masks

SHAPES = [(1, 1), (1, 9), (9, 1), (4, 6), (3, 200), (200, 3), (65, 64), (130, 300), (300, 129)]
EVERYTHING = frozenset([HEAD_OUTPUTS, OUTPUT, THUMBNAILS])
LAST = {"alignment": "last"}


def masks_for(n_query, n_key):
    return {
        "none": NoMask(),
        "causal": CausalMask(),
        "causal last": CausalMask(**LAST),
        "window": SlidingWindowMask(3),
        "window last": SlidingWindowMask(3, **LAST),
        "sinks last": SinkMask(1, 4, **LAST),
        "prefix": PrefixMask(2),
        "prefix last": PrefixMask(2, **LAST),
        "padding last": PaddingMask((0, n_key - 1), hides_future=True, **LAST),
        "custom": CustomMask(np.random.default_rng(0).random((n_query, n_key)) < 0.4, **LAST),
    }


KINDS = list(masks_for(2, 3))
each_mask = pytest.mark.parametrize("kind", KINDS)


def cross(n_query, n_key, kind, d_k=6, d_v=4, **more):
    mask = masks_for(n_query, n_key)[kind]
    return document(n_query, d_k, d_v, mask=mask, n_key=n_key, **more)


@each_mask
@pytest.mark.parametrize(("n_query", "n_key"), SHAPES)
def test_every_stage_is_as_exact_as_plain_float32(engine, n_query, n_key, kind):
    for fill in (-math.inf, -1e9, 0.5):
        inputs = cross(n_query, n_key, kind, mask_fill=fill, scale_strength=0.7)
        stages = engine.compute(Request.whole(inputs, query=n_query - 1))
        assert stages.scores.shape == (n_query, n_key)
        assert stages.head_outputs[0].shape == (n_query, 4)
        assert_accurate(stages)
        assert stages.row.allowed.tolist() == inputs.allowed()[-1].tolist()
        assert (stages.row.weights == stages.weights.row(n_query - 1)).all()


@pytest.mark.parametrize(("d_k", "d_v"), [(1, 1), (7, 5), (64, 64), (3, 130)])
def test_any_dimensions_go_with_any_numbers_of_tokens(engine, d_k, d_v):
    for n_query, n_key in ((5, 3), (70, 130), (130, 70)):
        inputs = document(n_query, d_k, d_v, mask="causal last", n_key=n_key)
        assert_accurate(engine.compute(Request.whole(inputs)))


@each_mask
@pytest.mark.parametrize(("n_query", "n_key"), [(7, 12), (12, 7), (300, 130), (130, 300)])
def test_edits_of_either_side_give_what_a_full_computation_gives(engine, n_query, n_key, kind):
    inputs = cross(n_query, n_key, kind, n_heads=2)
    stages = engine.compute(Request.whole(inputs, extras=EVERYTHING))
    for edit in (
        lambda i: edits.set_vector_value(i, 0, "q", n_query - 1, 0, 2.5),
        lambda i: edits.set_vector_value(i, 0, "k", n_key - 1, 1, -2.5),
        lambda i: edits.set_vector_value(i, 0, "v", 0, 1, 2.0),
        lambda i: edits.set_scale_strength(i, 2.0),
        lambda i: mask_edits.set_alignment(i, "first" if i.mask.alignment == "last" else "last"),
        lambda i: key_edits.rearrange_keys(i, "", ("k",) * (n_key + 1), (*range(n_key), None)),
        lambda i: edits.rearrange_tokens(i, "", i.tokens[1:], range(1, n_query)),
        lambda i: mask_edits.toggle_cell(i, 0, n_key - 1),
        key_edits.join_keys,
        key_edits.separate_keys,
    ):
        inputs = edit(inputs)
        request = Request.whole(inputs, extras=EVERYTHING)
        stages = engine.compute(request, stages)
        full = engine.compute(request)
        assert_same(stages, full)
        assert_accurate(stages)
        np.testing.assert_allclose(stages.output, full.output, rtol=1e-4, atol=1e-5)
        for head, thumbnail in full.thumbnails.items():
            np.testing.assert_allclose(stages.thumbnails[head].picture, thumbnail.picture, atol=1e-5)


def test_a_changed_query_shares_the_other_blocks_and_another_alignment_the_scores(engine):
    inputs = document(300, 8, mask="causal last", n_key=140)
    before = engine.compute(Request.whole(inputs))
    now = engine.compute(Request.whole(edits.set_vector_value(inputs, 0, "q", 140, 3, 2.5)), before)
    for stage in STAGE_NAMES:
        pairs = zip(now.picture(stage).blocks, before.picture(stage).blocks, strict=True)
        assert [a is b for a, b in pairs] == [True, False, True]
    other = engine.compute(Request.whole(mask_edits.set_alignment(inputs, "first")), before)
    for stage in STAGE_NAMES:
        pairs = zip(other.picture(stage).blocks, before.picture(stage).blocks, strict=True)
        assert all(a is b for a, b in pairs) == (stage in ("scores", "scaled"))
    assert_accurate(other)


def test_with_as_many_queries_as_keys_the_alignment_changes_nothing_at_all(engine):
    first, last = (document(200, 8, mask=mask, n_key=200) for mask in ("causal", "causal last"))
    alone = document(200, 8)
    answers = [engine.compute(Request.whole(inputs)) for inputs in (first, last, alone)]
    assert_same(answers[0], answers[1], exactly=True)
    assert_same(answers[0], answers[2], exactly=True)


@each_mask
@pytest.mark.parametrize(("n_query", "n_key"), [(200, 31), (31, 200), (150, 170)])
def test_thumbnails_and_the_output_of_the_layer_are_those_of_the_definition(engine, n_query, n_key, kind):
    inputs = cross(n_query, n_key, kind, n_heads=3)
    inputs = replace(inputs, w_o=np.random.default_rng(3).normal(size=(12, 5)), b_o=np.ones(5))
    stages = engine.compute(Request.whole(inputs, head=1, extras=EVERYTHING))
    exact = [define(inputs, head) for head in range(3)]
    wanted = np.concatenate([each.head_output for each in exact], axis=1) @ inputs.w_o + inputs.b_o
    np.testing.assert_allclose(stages.output, wanted, atol=1e-4)
    for head, each in enumerate(exact):
        thumbnail = stages.thumbnails[head]
        height, width = (-(-count // LARGEST) for count in (n_query, n_key))
        cells = np.array(
            [
                [each.weights[row : row + height, key : key + width].max() for key in range(0, n_key, width)]
                for row in range(0, n_query, height)
            ]
        )
        np.testing.assert_allclose(thumbnail.picture, cells, atol=1e-5)
        logarithms = np.log2(np.where(each.weights > 0, each.weights, 1.0))
        entropy = -(each.weights * logarithms).sum(axis=1)
        np.testing.assert_allclose(thumbnail.row_entropy, entropy, atol=1e-4)


@each_mask
@pytest.mark.parametrize(
    "region",
    [
        Region(0, (100, 290), (0, 170)),
        Region(0, (3, 200), (40, 150)),
        Region(0, (0, 300), (0, 170), (20, 30)),
        Region(0, (129, 300), (100, 170), (7, 9)),
    ],
)
def test_parts_and_pooled_pictures_are_parts_of_the_whole(engine, region, kind):
    inputs = cross(300, 170, kind)
    whole = engine.compute(Request.whole(inputs))
    part = engine.compute(Request(inputs, 150, region))
    rows, keys = slice(*region.queries), slice(*region.keys)
    visible = inputs.allowed()[rows, keys]
    down, across = region.bins
    for stage in ("scores", "weights"):
        cells = np.where(visible, np.abs(whole.picture(stage).array()[rows, keys]), -np.inf)
        cells = np.maximum.reduceat(cells, np.arange(0, cells.shape[0], down), axis=0)
        cells = np.maximum.reduceat(cells, np.arange(0, cells.shape[1], across), axis=1)
        shown = np.abs(part.picture(stage).array())
        if region.bins == (1, 1):
            shown = np.where(visible, shown, -np.inf)
        elif stage == "weights":
            cells = np.maximum(cells, 0)
        else:
            shown = np.where(np.isinf(shown), -np.inf, shown)
        np.testing.assert_allclose(shown, cells, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(part.row_max, whole.row_max[rows], rtol=1e-5)
    for query, key in ((150, 20), (299, 169), (0, 0), (130, 0)):
        mine, theirs = part.cell(query, key), whole.cell(query, key)
        assert mine.is_allowed == theirs.is_allowed == inputs.allowed()[query, key]
        assert mine.weights == pytest.approx(theirs.weights, abs=1e-5)


@given(data=st.data(), n_query=st.integers(1, 7), n_key=st.integers(1, 7))
def test_hidden_cells_have_no_weight_and_rows_sum_to_one_or_are_empty(lasting_engine, data, n_query, n_key):
    mask = data.draw(masks(n_query, n_key))
    inputs = document(n_query, 3, 2, mask=mask, n_key=n_key)
    stages = lasting_engine.compute(Request.whole(inputs))
    allowed, weights = inputs.allowed(), stages.weights.array()
    assert (weights[~allowed] == 0).all()
    assert np.abs(weights.sum(axis=1) - allowed.any(axis=1)).max() <= 4 * EPSILON * n_key
    assert (stages.head_outputs[0][~allowed.any(axis=1)] == 0).all()
    assert_accurate(stages)


@given(data=st.data(), n_query=st.integers(1, 7), n_key=st.integers(1, 7))
def test_a_key_that_nobody_sees_never_reaches_the_output(lasting_engine, data, n_query, n_key):
    mask = data.draw(masks(n_query, n_key))
    inputs = document(n_query, 3, 2, mask=mask, n_key=n_key)
    unseen, head = ~inputs.allowed().any(axis=0), inputs.heads[0]
    k, v = head.k.copy(), head.v.copy()
    k[unseen], v[unseen] = 1e6, -1e6
    changed = inputs.with_head(0, replace(head, k=k, v=v))
    before = lasting_engine.compute(Request.whole(inputs))
    for after in (
        lasting_engine.compute(Request.whole(changed)),
        lasting_engine.compute(Request.whole(changed), before),
    ):
        assert np.array_equal(after.weights.array(), before.weights.array())
        assert np.array_equal(after.head_outputs[0], before.head_outputs[0])


@given(st.randoms(use_true_random=False))
def test_keys_in_another_order_give_the_same_output(lasting_engine, random):
    inputs = document(4, 3, 2, mask=NoMask(), n_key=9)
    order = list(range(9))
    random.shuffle(order)
    moved = key_edits.rearrange_keys(inputs, "", ["k"] * 9, order)
    was, now = (lasting_engine.compute(Request.whole(each)) for each in (inputs, moved))
    np.testing.assert_allclose(now.weights.array(), was.weights.array()[:, order], atol=1e-6)
    np.testing.assert_allclose(now.head_outputs[0], was.head_outputs[0], atol=1e-5)


@pytest.mark.parametrize(("n_query", "n_key"), [(5, 8), (150, 140)])
@settings(max_examples=25)
@given(data=st.data())
def test_any_sequence_of_edits_gives_what_a_full_computation_gives(lasting_engine, n_query, n_key, data):
    inputs = document(n_query, 6, n_heads=2, mask="holes", n_key=n_key)
    stages = None
    for _ in range(data.draw(st.integers(1, 6))):
        inputs = random_edit(inputs, data.draw)
        head = data.draw(st.integers(0, inputs.n_heads - 1))
        query = data.draw(st.integers(0, inputs.n_query - 1))
        extras = data.draw(st.sampled_from([frozenset(), EVERYTHING]))
        request = Request.whole(inputs, head, query, extras)
        stages = lasting_engine.compute(request, stages)
        assert_same(stages, lasting_engine.compute(request), exactly=n_query < 100)
