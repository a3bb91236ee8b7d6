import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core.stages import Picture
from attnviz.gui.colormaps import CENTRE, HIDDEN, HIGHEST, LOWEST
from attnviz.gui.views.stage_picture import AllowedCells, StagePicture


def picture_of(array, block_rows=128) -> Picture:
    array = np.asarray(array, np.float32)
    return Picture(tuple(array[i : i + block_rows] for i in range(0, len(array), block_rows)), block_rows)


def everything(shape) -> AllowedCells:
    return AllowedCells(np.ones(shape, bool))


def test_a_lone_peak_among_many_tokens_gets_the_deepest_colour():
    values = np.zeros((700, 700), np.float32)
    values[431, 17] = 1.0
    shown = StagePicture(is_diverging=False, hides=True)
    shown.update(picture_of(values), everything(values.shape), level=1.0)
    assert shown.indices[431, 17] == HIGHEST
    pooled = shown.pooled(5, 5)
    assert pooled.shape == (140, 140)
    assert pooled[431 // 5, 17 // 5] == HIGHEST
    assert (pooled == HIGHEST).sum() == 1


def test_levels_come_from_allowed_cells_only():
    values = np.array([[1.0, 900.0], [-2.0, 0.5]])
    shown = StagePicture(is_diverging=True, hides=False)
    shown.update(picture_of(values), AllowedCells(np.array([[True, False], [True, True]])))
    assert shown.range == (-2.0, 1.0)
    assert shown.indices[1, 0] == LOWEST
    assert shown.indices[0, 1] == HIGHEST


def test_a_constant_picture_and_one_without_any_allowed_cell_have_colours():
    constant = StagePicture(is_diverging=True, hides=True)
    constant.update(picture_of(np.zeros((3, 3))), everything((3, 3)))
    assert (constant.indices == CENTRE).all()
    full = StagePicture(is_diverging=False, hides=True)
    full.update(picture_of(np.ones((3, 3))), everything((3, 3)))
    assert (full.indices == HIGHEST).all()
    hidden = StagePicture(is_diverging=True, hides=True)
    hidden.update(picture_of(np.full((3, 3), 5.0)), AllowedCells(np.zeros((3, 3), bool)))
    assert (hidden.indices == HIDDEN).all()
    assert not hidden.has_range


def test_minus_infinity_is_hidden_and_moves_no_level():
    scaled = np.array([[1.0, 2.0], [3.0, -4.0]])
    allowed = AllowedCells(np.tri(2, dtype=bool))
    before = StagePicture(is_diverging=True, hides=False)
    before.update(picture_of(scaled), allowed)
    masked = StagePicture(is_diverging=True, hides=True)
    masked.update(picture_of(np.where(allowed.array, scaled, -np.inf)), allowed, like=before)
    assert masked.range == (-4.0, 3.0)
    assert masked.indices[0, 1] == HIDDEN


def test_only_rows_of_changed_blocks_are_looked_at_again():
    old = picture_of(np.full((300, 4), 0.25))
    shown = StagePicture(is_diverging=False, hides=False)
    allowed = everything((300, 4))
    shown.update(old, allowed, level=1.0)
    shown.indices[:128] = 77  # would be overwritten if the first block were looked at
    shown.update(Picture((old.blocks[0], old.blocks[1] * 4, old.blocks[2]), 128), allowed, level=1.0)
    assert (shown.indices[:128] == 77).all()
    assert (shown.indices[128:256] == HIGHEST).all()


def test_a_pooled_picture_follows_changed_blocks():
    old = picture_of(np.zeros((300, 300)))
    shown, allowed = StagePicture(is_diverging=True, hides=False), everything((300, 300))
    shown.update(old, allowed, level=1.0)
    assert (shown.pooled(7, 7) == CENTRE).all()
    changed = old.blocks[1].copy()
    changed[0, 299] = -1.0
    shown.update(Picture((old.blocks[0], changed, old.blocks[2]), 128), allowed, level=1.0)
    assert shown.pooled(7, 7)[128 // 7, 299 // 7] == LOWEST


@given(
    st.integers(1, 9),
    st.integers(1, 9),
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(0, 2**32 - 1),
)
def test_the_allowed_cell_furthest_from_zero_stands_for_its_block(rows, columns, down, across, seed):
    random = np.random.default_rng(seed)
    values = random.normal(size=(rows, columns)).astype(np.float32)
    allowed = random.random((rows, columns)) < 0.6
    shown = StagePicture(is_diverging=True, hides=True)
    shown.update(picture_of(values), AllowedCells(allowed))
    pooled = shown.pooled(down, across)
    for row in range(pooled.shape[0]):
        for column in range(pooled.shape[1]):
            place = np.s_[row * down : (row + 1) * down, column * across : (column + 1) * across]
            block = shown.indices[place].astype(int)[allowed[place]]
            if block.size == 0:
                assert pooled[row, column] == HIDDEN
            else:
                assert abs(int(pooled[row, column]) - CENTRE) == np.abs(block - CENTRE).max()
                assert pooled[row, column] in block
