"""Parts of a head, pooled pictures, and any single cell."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attnviz.core.request import HEAD_OUTPUTS, Region, Request
from attnviz.core.stages import STAGE_NAMES
from tests.engine.documents import document

PARTS = [
    ((0, 300), (0, 300)),
    ((0, 300), (50, 51)),
    ((5, 6), (0, 300)),
    ((100, 290), (3, 140)),
    ((299, 300), (299, 300)),
]


@pytest.mark.parametrize(("queries", "keys"), PARTS)
@pytest.mark.parametrize("mask", ["causal", "none", "holes"])
@pytest.mark.parametrize("fill", [-math.inf, -1.0])
def test_a_part_is_the_cut_of_the_whole(engine, queries, keys, mask, fill):
    inputs = document(300, 8, mask=mask, mask_fill=fill)
    whole = engine.compute(Request.whole(inputs, query=150))
    part = engine.compute(Request(inputs, 150, Region(0, queries, keys)))
    for stage in STAGE_NAMES:
        cut = whole.picture(stage).array()[slice(*queries), slice(*keys)]
        assert np.allclose(part.picture(stage).array(), cut, rtol=1e-5, atol=1e-6)
        assert np.allclose(getattr(part.row, stage), getattr(whole.row, stage), rtol=1e-5, atol=1e-6)
    assert np.allclose(part.row_max, whole.row_max[slice(*queries)], rtol=1e-5)
    assert np.allclose(part.row_sum, whole.row_sum[slice(*queries)], rtol=1e-5)
    assert np.allclose(part.row.output, whole.row.output, rtol=1e-4, atol=1e-5)
    assert (0 in part.head_outputs) == (queries == (0, 300))


def test_outputs_of_all_heads_can_be_asked_for_with_any_region(engine):
    inputs = document(150, 8, n_heads=3)
    whole = engine.compute(Request.whole(inputs, extras=frozenset([HEAD_OUTPUTS])))
    part = engine.compute(Request(inputs, 0, Region(1, (3, 9), (2, 5)), frozenset([HEAD_OUTPUTS])))
    assert list(whole.head_outputs) == list(part.head_outputs) == [0, 1, 2]
    for head in range(3):
        alone = engine.compute(Request.whole(inputs, head=head)).head_outputs[head]
        for output in (whole.head_outputs[head], part.head_outputs[head]):
            assert np.allclose(output, alone, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("queries", "keys"), [*PARTS, ((40, 170), (30, 180))])
@pytest.mark.parametrize("mask", ["causal", "holes"])
@pytest.mark.parametrize("fill", [-math.inf, -1.0])
def test_any_cell_agrees_with_the_whole_picture(engine, queries, keys, mask, fill):
    inputs = document(300, 8, mask=mask, mask_fill=fill)
    whole = engine.compute(Request.whole(inputs))
    pictures = {stage: whole.picture(stage).array() for stage in STAGE_NAMES}
    places = [(q, k) for q in (0, 5, 99, 150, 299) for k in (0, 3, 50, 139, 150, 299)]
    for max_cells in (None, (11, 13)):
        part = engine.compute(Request(inputs, 0, Region(0, queries, keys, max_cells)))
        for query, key in places:
            cell = part.cell(query, key)
            assert cell.is_allowed == inputs.mask.allowed((query, query + 1), (key, key + 1))[0, 0]
            for stage in STAGE_NAMES:
                wanted = float(pictures[stage][query, key])
                assert getattr(cell, stage) == pytest.approx(wanted, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_cells_of_huge_scores_have_weights_of_0_to_1(engine, seed):
    inputs = document(130, 64, spread=1e5, scale_strength=0.01, seed=seed)
    part = engine.compute(Request(inputs, 0, Region(0, (0, 130), (0, 130), (9, 9))))
    weights = [part.cell(query, key).weights for query in range(130) for key in range(0, 130, 3)]
    assert all(0 <= weight <= 1 for weight in weights)


@pytest.mark.parametrize(
    "max_cells", [(1, 1), (7, 13), (300, 10), (10, 300), (100, 150), (1000, 1000), (299, 299)]
)
@pytest.mark.parametrize("mask", ["causal", "none", "holes"])
@pytest.mark.parametrize("fill", [-math.inf, -1.0])
def test_a_pooled_cell_stands_for_the_allowed_cells_of_its_bin(engine, max_cells, mask, fill):
    inputs = document(300, 4, mask=mask, mask_fill=fill)
    whole = engine.compute(Request.whole(inputs))
    pictures = {stage: whole.picture(stage).array() for stage in STAGE_NAMES}
    region = Region(0, (2, 299), (1, 300), max_cells)
    pooled = engine.compute(Request(inputs, 150, region))
    bins = region.bins
    n_rows, n_columns = -(-297 // bins[0]), -(-299 // bins[1])
    assert n_rows <= max_cells[0]
    assert n_columns <= max_cells[1]
    for stage in STAGE_NAMES:
        assert pooled.picture(stage).shape == (n_rows, n_columns)
    is_pooled = bins != (1, 1)
    rng = np.random.default_rng(0)
    for row, column in zip(rng.integers(n_rows, size=60), rng.integers(n_columns, size=60), strict=True):
        rows = (2 + row * bins[0], min(2 + (row + 1) * bins[0], 299))
        keys = (1 + column * bins[1], min(1 + (column + 1) * bins[1], 300))
        allowed = inputs.mask.allowed(rows, keys)
        for stage in STAGE_NAMES:
            cells = pictures[stage][slice(*rows), slice(*keys)]
            got = float(pooled.picture(stage).row(row)[column])
            if not is_pooled:
                wanted = float(cells[0, 0])
            elif not allowed.any():
                wanted = 0.0 if stage == "weights" else -math.inf
            elif stage == "weights":
                wanted = float(cells[allowed].max())
            else:
                wanted = float(cells[allowed][np.abs(cells[allowed]).argmax()])
            assert got == pytest.approx(wanted, rel=1e-4, abs=1e-6)


def test_ten_tokens_are_not_pooled_where_the_screen_shows_them_all(engine):
    stages = engine.compute(Request(document(10), 0, Region(0, (0, 10), (0, 10), (10, 10))))
    assert stages.scores.shape == (10, 10)


def test_blocks_have_equal_heights_but_for_the_last(engine):
    for region in (
        Region(0, (0, 300), (0, 300)),
        Region(0, (7, 300), (0, 9)),
        Region(0, (0, 300), (0, 300), (60, 60)),
    ):
        stages = engine.compute(Request(document(300), 0, region))
        for stage in STAGE_NAMES:
            picture = stages.picture(stage)
            assert all(len(block) == picture.block_rows for block in picture.blocks[:-1])
            assert 0 < len(picture.blocks[-1]) <= picture.block_rows


def test_everything_answered_is_read_only(engine):
    for region in (
        Region(0, (0, 300), (0, 300)),
        Region(0, (7, 300), (0, 9)),
        Region(0, (0, 300), (0, 300), (60, 60)),
    ):
        stages = engine.compute(Request(document(300), 0, region, frozenset([HEAD_OUTPUTS])))
        row = stages.row
        arrays = [stages.row_max, stages.row_sum, *stages.head_outputs.values()]
        arrays += [block for stage in STAGE_NAMES for block in stages.picture(stage).blocks]
        arrays += [row.scores, row.scaled, row.masked, row.weights, row.allowed, row.output]
        assert not any(array.flags.writeable for array in arrays)


def test_without_a_mask_masked_is_scaled_itself(engine):
    stages = engine.compute(Request.whole(document(300, mask="none")))
    assert all(a is b for a, b in zip(stages.masked.blocks, stages.scaled.blocks, strict=True))
