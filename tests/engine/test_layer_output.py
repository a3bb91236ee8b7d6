"""The layer's output and the thumbnails of heads: by the formula, and after an edit as from nothing."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from attnviz.core import edits, output_edits
from attnviz.core import projection_edits as layer
from attnviz.core.masks import CausalMask, CustomMask, NoMask
from attnviz.core.request import HEAD_OUTPUTS, OUTPUT, THUMBNAILS, Request
from attnviz.engine.head_pass import LARGEST
from tests.engine.test_layer import SHAPES, by_formula, layer_document

WANTED = frozenset([OUTPUT, THUMBNAILS])


def ask(engine, inputs, previous=None):
    return engine.compute(Request.whole(inputs, 0, 0, WANTED), previous)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("biased", [True, False])
def test_the_output_is_the_formula(engine, shape, biased):
    inputs = layer_document(*shape, mask=CausalMask(), biased=biased)
    stages = ask(engine, inputs)
    assert np.abs(stages.output - by_formula(inputs)).max() <= 1e-5
    assert not stages.output.flags.writeable


def test_where_w_o_is_the_identity_the_output_is_the_heads_side_by_side(engine):
    inputs = replace(layer_document(10, 8, 3, 4, 5, mask=NoMask(), biased=False), w_o=None)
    stages = ask(engine, inputs)
    assert np.array_equal(stages.output, np.concatenate([stages.head_outputs[h] for h in range(3)], axis=1))


@pytest.mark.parametrize(
    "edit",
    [
        lambda i: edits.set_vector_block(i, 1, "q", 3, 0, [[2.0]]),
        lambda i: edits.set_vector_block(i, 2, "v", 3, 0, [[2.0]]),
        lambda i: layer.set_x_block(i, 140, 0, [[2.0, 1.0]]),
        lambda i: output_edits.set_w_o_block(i, 3, 2, [[1.0, 2.0]]),
        lambda i: output_edits.set_b_o_block(i, 2, [[4.0]]),
        lambda i: output_edits.set_w_o(i, None),
        lambda i: replace(i, scale_strength=2.0),
        lambda i: replace(i, mask=NoMask()),
        lambda i: i,
        lambda i: edits.set_vector_block(output_edits.set_w_o_block(i, 3, 2, [[9.0]]), 1, "q", 3, 0, [[2.0]]),
        lambda i: edits.move_head(i, 0, 2),
        lambda i: edits.resize_head(i, 1, 6, 3),
    ],
)
def test_after_an_edit_it_is_what_it_is_from_nothing(engine, edit):
    before = layer_document(300, 24, 4, 6, 2, mask=CausalMask(), biased=True)
    earlier = ask(engine, before)
    inputs = edit(before)
    now, anew = ask(engine, inputs, earlier), ask(engine, inputs)
    assert np.allclose(now.output, anew.output, rtol=1e-5, atol=1e-6)
    for head in range(4):
        mine, other = now.thumbnails[head], anew.thumbnails[head]
        assert np.allclose(mine.picture, other.picture, atol=1e-6)
        assert np.allclose(mine.row_entropy, other.row_entropy, atol=1e-5)
        assert mine.output_norm == pytest.approx(other.output_norm, rel=1e-5)


def test_what_an_edit_leaves_alone_is_the_very_same(engine):
    before = layer_document(300, 24, 4, 6, 2, mask=CausalMask(), biased=True)
    earlier = ask(engine, before)
    assert ask(engine, before, earlier).output is earlier.output
    row = ask(engine, edits.set_vector_block(before, 1, "q", 3, 0, [[2.0]]), earlier)
    others = np.arange(300) != 3
    assert np.array_equal(row.output[others], earlier.output[others])
    assert not np.array_equal(row.output[3], earlier.output[3])
    column = ask(engine, output_edits.set_w_o_block(before, 3, 2, [[9.0]]), earlier)
    others = np.arange(24) != 2
    assert np.array_equal(column.output[:, others], earlier.output[:, others])
    assert [row.thumbnails[h] is earlier.thumbnails[h] for h in range(4)] == [True, False, True, True]


@pytest.mark.parametrize("n", [1, 10, LARGEST, LARGEST + 1, 300])
def test_a_thumbnail_holds_the_largest_weights_and_the_entropy_of_each_row(engine, n):
    inputs = layer_document(n, 6, 2, 3, 3, mask=CausalMask(), biased=False)
    stages = ask(engine, inputs)
    for head in range(2):
        weights = engine.compute(Request.whole(inputs, head)).weights.array().astype(np.float64)
        size = -(-n // LARGEST)
        starts = np.arange(0, n, size)
        pooled = np.maximum.reduceat(np.maximum.reduceat(weights, starts, axis=0), starts, axis=1)
        small = stages.thumbnails[head]
        assert small.picture.shape == pooled.shape
        assert max(pooled.shape) <= LARGEST
        assert np.allclose(small.picture, pooled, atol=1e-6)
        safe = np.where(weights > 0, weights, 1.0)
        entropy = -(weights * np.log2(safe)).sum(axis=1)
        assert np.allclose(small.row_entropy, entropy, atol=1e-5)
        assert small.mean_entropy == pytest.approx(entropy.mean(), abs=1e-5)
        assert small.output_norm == pytest.approx(np.linalg.norm(stages.head_outputs[head]), rel=1e-5)


def test_a_row_with_no_key_has_no_entropy(engine):
    blank = layer_document(5, 6, 2, 3, 3, mask=NoMask(), biased=False)
    allowed = np.ones((5, 5), bool)
    allowed[2] = False
    stages = ask(engine, replace(blank, mask=CustomMask(allowed)))
    assert stages.thumbnails[0].row_entropy[2] == 0
    assert not stages.thumbnails[0].picture[2].any()


def test_where_all_is_hidden_a_thumbnail_is_empty(engine):
    blank = layer_document(5, 6, 2, 3, 3, mask=NoMask(), biased=False)
    stages = ask(engine, replace(blank, mask=CustomMask(np.zeros((5, 5), bool))))
    assert not stages.thumbnails[1].picture.any()
    assert stages.thumbnails[1].mean_entropy == stages.thumbnails[1].output_norm == 0


def test_what_is_not_asked_for_is_not_there(engine):
    inputs = layer_document(5, 6, 2, 3, 3, mask=NoMask(), biased=False)
    stages = engine.compute(Request.whole(inputs, extras=frozenset([HEAD_OUTPUTS])))
    assert stages.output is None
    assert not stages.thumbnails


def test_early_answers_bring_head_after_head_the_active_one_first(engine):
    inputs = layer_document(1200, 64, 8, 64, 64, mask=NoMask(), biased=False)
    seen = []

    def progress(done, partial):
        if partial is not None:
            seen.append(partial)
        return True

    stages = engine.compute(Request.whole(inputs, 5, 0, WANTED), None, progress)
    assert all(partial.output is None for partial in seen)
    assert stages.output.shape == (1200, 64)
    there = [list(partial.thumbnails) for partial in seen if partial.thumbnails]
    if engine.name.startswith("CPU"):  # a GPU is done with all of it at once
        assert there[0] == [5]
        assert len(there) > 1
    assert all(set(early) < set(late) for early, late in itertools.pairwise(there))
    assert sorted(stages.thumbnails) == sorted(stages.summaries) == list(range(8))
    for partial in seen:
        for head, small in partial.thumbnails.items():
            assert small.picture is stages.thumbnails[head].picture
            assert partial.summaries[head] is stages.summaries[head]
