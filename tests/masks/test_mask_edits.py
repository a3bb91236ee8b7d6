"""Edits of the mask, and what their undo keeps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core import edits, mask_edits
from attnviz.core.errors import InputError
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CausalMask, CustomMask, NoMask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import PrefixMask, SlidingWindowMask
from attnviz.core.steps import OWN_BYTES, Step
from tests.masks.kinds import masks, whole


def document(n=4, mask=None):
    vectors = np.eye(n, 2, dtype=np.float32)
    return Inputs("", ("a",) * n, (Head("h", vectors, vectors, vectors),), mask or CausalMask())


def test_painting_a_rule_makes_it_a_custom_mask_of_the_same_cells_but_for_those_painted():
    inputs = document(3, SlidingWindowMask(1))
    painted = mask_edits.paint_cells(inputs, [((0, 1), (1, 3)), ((2, 3), (0, 1))], True)
    assert painted.mask.kind == "custom"
    assert whole(painted.mask, 3).astype(int).tolist() == [[1, 1, 1], [0, 1, 0], [1, 0, 1]]
    assert painted.heads is inputs.heads


def test_painting_what_is_so_already_in_a_custom_mask_changes_nothing():
    inputs = document(3, CustomMask(np.tri(3, dtype=bool)))
    assert mask_edits.paint_cells(inputs, [((0, 1), (1, 3))], False) is inputs


@given(n=st.integers(1, 6), data=st.data())
def test_toggling_a_cell_twice_gives_the_same_cells(n, data):
    inputs = document(n, data.draw(masks(n)))
    query, key = data.draw(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)))
    once = mask_edits.toggle_cell(inputs, query, key)
    assert np.argwhere(whole(once.mask, n) != whole(inputs.mask, n)).tolist() == [[query, key]]
    twice = mask_edits.toggle_cell(once, query, key)
    assert (whole(twice.mask, n) == whole(inputs.mask, n)).all()


def test_padding_takes_and_gives_tokens_and_keeps_the_future_as_it_was():
    inputs = mask_edits.set_padding(document(4), 3, True)
    assert inputs.mask.equals(PaddingMask((3,), hides_future=True))
    inputs = mask_edits.set_padding(inputs, 0, True)
    assert inputs.mask.equals(PaddingMask((0, 3), hides_future=True))
    assert mask_edits.set_padding(inputs, 0, True) is inputs
    assert mask_edits.set_padding(inputs, 3, False).mask.equals(PaddingMask((0,), hides_future=True))
    assert mask_edits.set_padding(document(4, NoMask()), 1, True).mask.equals(PaddingMask((1,)))
    assert mask_edits.set_padding(document(4, PrefixMask(2)), 1, True).mask.equals(PaddingMask((1,)))


@pytest.mark.parametrize(
    "edit",
    [
        lambda i: mask_edits.set_padding(i, 4, True),
        lambda i: mask_edits.set_padding(i, -1, True),
        lambda i: mask_edits.toggle_cell(i, 0, 4),
        lambda i: mask_edits.toggle_cell(i, -1, 0),
        lambda i: mask_edits.paint_cells(i, [((0, 5), (0, 1))], True),
        lambda i: edits.set_mask(i, PaddingMask((4,))),
    ],
)
def test_what_does_not_exist_cannot_be_hidden(edit):
    with pytest.raises(InputError):
        edit(document(4))


def test_the_future_is_hidden_and_seen_again():
    inputs = mask_edits.set_future_hidden(document(3), False)
    assert inputs.mask.equals(NoMask())
    assert mask_edits.set_future_hidden(inputs, False) is inputs
    assert mask_edits.set_future_hidden(inputs, True).mask.equals(CausalMask())


def test_tokens_that_go_take_their_padding_along_and_a_prefix_stays():
    padded = document(4, PaddingMask((1, 3)))
    shorter = edits.rearrange_tokens(padded, "", ("a", "d", "new"), (0, 3, None))
    assert shorter.mask.equals(PaddingMask((1,)))
    prefix = edits.rearrange_tokens(document(4, PrefixMask(4)), "", ("a",), (0,))
    assert prefix.mask.equals(PrefixMask(4))


@settings(deadline=None)
@given(n=st.integers(1, 6), data=st.data())
def test_a_step_between_any_two_masks_leads_back_and_forth(n, data):
    before = document(n, data.draw(masks(n)))
    after = edits.set_mask(before, data.draw(masks(n)))
    step = Step.between(before, after)
    assert step.undone(after).equals(before)
    assert step.redone(before).equals(after)


@settings(deadline=None)
@given(n=st.integers(1, 6), data=st.data())
def test_a_step_between_masks_of_different_sizes_leads_back_and_forth(n, data):
    before = document(n, data.draw(masks(n)))
    kept = data.draw(st.lists(st.one_of(st.none(), st.integers(0, n - 1)), min_size=1, max_size=7))
    after = edits.rearrange_tokens(before, "x", "t" * len(kept), kept)
    step = Step.between(before, after)
    assert step.undone(after).equals(before)
    assert step.redone(before).equals(after)


def test_undo_keeps_a_stroke_and_not_the_whole_mask():
    n = 2048
    vectors = np.zeros((n, 1), np.float32)
    inputs = Inputs("", ("t",) * n, (Head("h", vectors, vectors, vectors),), CausalMask())
    first = mask_edits.paint_cells(inputs, [((5, 7), (0, 40))], False)
    second = mask_edits.paint_cells(first, [((90, 91), (3, 9))], False)
    bits = n * n // 8  # one bit per cell where it becomes a custom mask
    assert Step.between(inputs, first).nbytes <= OWN_BYTES + bits
    assert Step.between(first, second).nbytes <= OWN_BYTES + 8
    assert Step.between(inputs, edits.set_mask(inputs, PaddingMask((1, 2)))).nbytes <= OWN_BYTES + 80
