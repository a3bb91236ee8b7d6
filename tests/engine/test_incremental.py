"""With an earlier answer the engine computes only what changed, and gives what a full computation gives."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core import edits
from attnviz.core.masks import CausalMask, CustomMask, NoMask
from attnviz.core.request import HEAD_OUTPUTS, Region, Request
from attnviz.core.stages import STAGE_NAMES
from tests.engine.documents import assert_accurate, assert_same, document, mask_of
from tests.engine.random_edits import random_edit

ALL_HEADS = frozenset([HEAD_OUTPUTS])


def shared_blocks(stages, previous, stage):
    """Which blocks are the very same arrays."""
    return [a is b for a, b in zip(stages.picture(stage).blocks, previous.picture(stage).blocks, strict=True)]


def after(engine, inputs, edit, **kwargs):
    """Give the answers before and after an edit, the second computed from the first, and a full one."""
    before = engine.compute(Request.whole(inputs, **kwargs))
    request = Request.whole(edit(inputs), **kwargs)
    return before, engine.compute(request, before), engine.compute(request)


def test_another_query_computes_nothing(engine):
    inputs = document(300, 16)
    before = engine.compute(Request.whole(inputs, query=3))
    now = engine.compute(Request.whole(inputs, query=299), before)
    for stage in STAGE_NAMES:
        assert all(shared_blocks(now, before, stage))
    assert now.head_outputs[0] is before.head_outputs[0]
    assert now.row_max is before.row_max
    assert now.row.query == 299
    assert np.array_equal(now.row.weights, now.weights.row(299))


@pytest.mark.parametrize("mask", ["causal", "none", "holes"])
def test_a_changed_query_replaces_its_block_and_shares_the_others(engine, mask):
    inputs = document(300, 16, mask=mask)
    before, now, full = after(engine, inputs, lambda i: edits.set_vector_value(i, 0, "q", 140, 3, 2.5))
    for stage in STAGE_NAMES:
        assert shared_blocks(now, before, stage) == [True, False, True]
    rows = np.arange(300) != 140
    for stage in STAGE_NAMES:
        assert np.array_equal(now.picture(stage).array()[rows], before.picture(stage).array()[rows])
    assert np.array_equal(now.head_outputs[0][rows], before.head_outputs[0][rows])
    assert_same(now, full)
    assert_accurate(now)


def test_the_earlier_answer_is_left_as_it_was(engine):
    inputs = document(300, 16)
    before = engine.compute(Request.whole(inputs))
    copies = {stage: before.picture(stage).array().copy() for stage in STAGE_NAMES}
    output, top = before.head_outputs[0].copy(), before.row_max.copy()
    for which in "qkv":
        engine.compute(Request.whole(edits.set_vector_value(inputs, 0, which, 7, 3, 2.5)), before)
    for stage in STAGE_NAMES:
        assert np.array_equal(before.picture(stage).array(), copies[stage])
    assert np.array_equal(before.head_outputs[0], output)
    assert np.array_equal(before.row_max, top)


def test_a_changed_key_changes_its_column_and_no_weight_that_cannot_see_it(engine):
    inputs = document(300, 16)
    before, now, full = after(engine, inputs, lambda i: edits.set_vector_value(i, 0, "k", 140, 3, 2.5))
    columns = np.arange(300) != 140
    assert np.array_equal(now.scores.array()[:, columns], before.scores.array()[:, columns])
    assert (
        shared_blocks(now, before, "masked") == shared_blocks(now, before, "weights") == [True, False, False]
    )
    assert np.array_equal(now.head_outputs[0][:140], before.head_outputs[0][:140])
    assert_same(now, full)
    assert_accurate(now)


def test_a_changed_value_changes_outputs_alone(engine):
    inputs = document(300, 16)
    before, now, full = after(engine, inputs, lambda i: edits.set_vector_value(i, 0, "v", 140, 3, 2.5))
    for stage in STAGE_NAMES:
        assert all(shared_blocks(now, before, stage))
    assert np.array_equal(now.head_outputs[0][:140], before.head_outputs[0][:140])
    assert not np.array_equal(now.head_outputs[0][140:], before.head_outputs[0][140:])
    assert_same(now, full, exactly=True)


@pytest.mark.parametrize("mask", ["causal", "none", "holes"])
@pytest.mark.parametrize("mask_fill", [-math.inf, -1.0])
@pytest.mark.parametrize(
    "which", ["qv", "kv", "qk", "qkv", "k", "q strength", "k strength", "v mask", "q fill"]
)
def test_several_changes_at_once_are_all_seen(engine, mask, mask_fill, which):
    def edit(inputs):
        for array in which.split()[0]:
            inputs = edits.set_vector_block(inputs, 0, array, 140, 3, [[2.5], [-1.0]])
        if "strength" in which:
            inputs = edits.set_scale_strength(inputs, 2.0)
        if "mask" in which:
            inputs = edits.set_mask(inputs, mask_of("holes", 300, seed=5))
        return edits.set_mask_fill(inputs, -2.0) if "fill" in which else inputs

    _, now, full = after(engine, document(300, 64, mask=mask, mask_fill=mask_fill), edit)
    assert_same(now, full)
    assert_accurate(now)


@pytest.mark.parametrize(
    ("edit", "kept"),
    [
        (lambda i: edits.set_scale_strength(i, 2.0), ["scores"]),
        (lambda i: edits.set_mask(i, NoMask()), ["scores", "scaled"]),
        (lambda i: edits.set_mask(i, mask_of("holes", 300)), ["scores", "scaled"]),
        (lambda i: edits.set_mask_fill(i, -1e9), ["scores", "scaled"]),
        (lambda i: replace(i, mask=CausalMask()), list(STAGE_NAMES)),
    ],
)
def test_scale_and_mask_keep_what_comes_before_them(engine, edit, kept):
    before, now, full = after(engine, document(300, 16), edit)
    for stage in STAGE_NAMES:
        assert all(shared_blocks(now, before, stage)) == (stage in kept)
    assert_same(now, full, exactly=True)


def test_a_small_document_is_the_same_to_the_last_bit(engine):
    inputs = document(10, 4, n_heads=2)
    for which in "qkv":
        edit = lambda i, which=which: edits.set_vector_value(i, 0, which, 6, 1, 0.7)  # noqa: E731
        _, now, full = after(engine, inputs, edit, extras=ALL_HEADS)
        assert_same(now, full, exactly=True)


def test_rows_that_see_nothing_have_output_0_when_values_get_another_length(engine):
    allowed = np.ones((300, 300), bool)
    allowed[:140] = False
    inputs = document(300, 4, n_heads=2, mask=CustomMask(allowed))

    def edit(inputs):
        return edits.resize_head(edits.resize_head(inputs, 0, 4, 6), 1, 4, 7)

    _, now, full = after(engine, inputs, edit, extras=ALL_HEADS)
    for head in range(2):
        assert (now.head_outputs[head][:140] == 0).all()
    assert_same(now, full, exactly=True)


def test_outputs_of_untouched_heads_are_shared(engine):
    inputs = document(300, 16, n_heads=4)
    edit = lambda i: edits.set_vector_value(i, 2, "q", 200, 3, 2.5)  # noqa: E731
    before, now, full = after(engine, inputs, edit, extras=ALL_HEADS)
    assert [now.head_outputs[h] is before.head_outputs[h] for h in range(4)] == [True, True, False, True]
    rows = np.arange(300) // 128 != 1
    assert np.array_equal(now.head_outputs[2][rows], before.head_outputs[2][rows])
    assert_same(now, full, exactly=True)


def test_moved_heads_keep_their_outputs(engine):
    inputs = document(50, 4, n_heads=3)
    before = engine.compute(Request.whole(inputs, head=1, extras=ALL_HEADS))
    now = engine.compute(Request.whole(edits.move_head(inputs, 1, 2), head=2, extras=ALL_HEADS), before)
    assert [now.head_outputs[h] is before.head_outputs[g] for h, g in ((0, 0), (1, 2), (2, 1))] == [True] * 3
    assert all(all(shared_blocks(now, before, stage)) for stage in STAGE_NAMES)


def test_another_head_takes_its_pictures_from_nowhere(engine):
    inputs = document(50, 4, n_heads=2)
    before = engine.compute(Request.whole(inputs, head=0))
    now = engine.compute(Request.whole(inputs, head=1), before)
    assert_same(now, engine.compute(Request.whole(inputs, head=1)), exactly=True)


def test_an_answer_of_another_shape_is_of_no_use_and_no_harm(engine):
    before = engine.compute(Request.whole(document(40, 4, n_heads=2), extras=ALL_HEADS))
    for inputs in (document(41, 4), document(40, 5), document(40, 4, 7), document(300, 4), document(1, 1)):
        request = Request.whole(inputs, extras=ALL_HEADS)
        assert_same(engine.compute(request, before), engine.compute(request), exactly=True)


@pytest.mark.parametrize(
    "region",
    [
        Region(0, (100, 290), (0, 300)),
        Region(0, (3, 200), (40, 250)),
        Region(0, (0, 300), (0, 300), (20, 30)),
    ],
)
def test_parts_and_pooled_pictures_share_untouched_blocks(engine, region):
    inputs = document(300, 16)
    before = engine.compute(Request(inputs, 150, region))
    changed = edits.set_vector_value(inputs, 0, "q", 105, 3, 2.5)
    now, full = (
        engine.compute(Request(changed, 150, region), before),
        engine.compute(Request(changed, 150, region)),
    )
    for stage in STAGE_NAMES:
        shared = shared_blocks(now, before, stage)
        assert not shared[0]
        assert all(shared[1:])
        assert np.allclose(now.picture(stage).array(), full.picture(stage).array(), rtol=1e-5, atol=1e-6)
    for which in "kv":
        changed = edits.set_vector_value(inputs, 0, which, 105, 3, 2.5)
        request = Request(changed, 150, region, ALL_HEADS)
        now, full = engine.compute(request, before), engine.compute(request)
        for stage in STAGE_NAMES:
            assert np.allclose(now.picture(stage).array(), full.picture(stage).array(), rtol=1e-5, atol=1e-6)
        assert np.allclose(now.head_outputs[0], full.head_outputs[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("n", [6, 260])
@settings(max_examples=25)
@given(data=st.data())
def test_any_sequence_of_edits_gives_what_a_full_computation_gives(lasting_engine, n, data):
    inputs = document(n, 6, n_heads=2, mask="holes")
    stages = lasting_engine.compute(Request.whole(inputs, extras=ALL_HEADS))
    for _ in range(data.draw(st.integers(1, 6))):
        inputs = random_edit(inputs, data.draw)
        head = data.draw(st.integers(0, inputs.n_heads - 1))
        query = data.draw(st.integers(0, inputs.n_tokens - 1))
        extras = data.draw(st.sampled_from([frozenset(), ALL_HEADS]))
        request = Request.whole(inputs, head, query, extras)
        stages = lasting_engine.compute(request, stages)
        assert_same(stages, lasting_engine.compute(request), exactly=n < 100)
