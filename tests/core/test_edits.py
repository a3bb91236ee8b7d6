"""Edits are pure, share what they do not touch, and can be undone."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core import edits
from attnviz.core.errors import InputError
from attnviz.core.inputs import Head, Inputs
from attnviz.core.line_steps import LARGE
from attnviz.core.masks import CustomMask, NoMask
from attnviz.core.position_codes import previous_token_vectors
from attnviz.core.steps import Step


@pytest.fixture
def inputs() -> Inputs:
    return sample()


def sample() -> Inputs:
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(3, 4, 3))
    q_positions, k_positions = previous_token_vectors(4)
    return Inputs(
        "a b c d",
        ("a", "b", "c", "d"),
        (
            Head("first", q, k, v, qk_names=("x", "y", "z"), v_names=("x", "y", "z")),
            Head("previous", q_positions, k_positions, v, source="positions"),
            Head("linked", q, k, k, v_is_k=True, is_default=np.array([True] * 4)),
        ),
    )


def test_setting_one_number_changes_that_number_alone(inputs: Inputs) -> None:
    changed = edits.set_vector_value(inputs, 0, "k", 2, 1, 7.0)
    assert changed.heads[0].k[2, 1] == 7
    assert (changed.heads[0].k != inputs.heads[0].k).sum() == 1
    assert changed.heads[0].q is inputs.heads[0].q
    assert changed.heads[1] is inputs.heads[1]


def test_setting_a_number_to_itself_gives_the_very_same_document(inputs: Inputs) -> None:
    value = float(inputs.heads[0].q[0, 0])
    assert edits.set_vector_value(inputs, 0, "q", 0, 0, value) is inputs


@pytest.mark.parametrize("which", ["k", "v"])
def test_where_v_is_k_setting_either_sets_both(inputs: Inputs, which: str) -> None:
    head = edits.set_vector_value(inputs, 2, which, 1, 1, 5.0).heads[2]
    assert head.v is head.k
    assert head.k[1, 1] == 5


def test_editing_a_token_takes_its_default_mark_away(inputs: Inputs) -> None:
    head = edits.set_vector_value(inputs, 2, "q", 1, 1, 5.0).heads[2]
    assert head.is_default.tolist() == [True, False, True, True]


def test_a_head_of_position_codes_edited_by_hand_keeps_its_vectors_from_then_on(inputs: Inputs) -> None:
    assert edits.set_vector_value(inputs, 1, "v", 0, 0, 5.0).heads[1].source == "positions"
    edited = edits.set_vector_value(inputs, 1, "q", 0, 0, 5.0)
    assert edited.heads[1].source == "vectors"
    fewer = edits.rearrange_tokens(edited, "a b", ("a", "b"), (0, 1))
    assert fewer.heads[1].q[0, 0] == 5


def test_a_head_of_position_codes_is_rebuilt_when_tokens_change(inputs: Inputs) -> None:
    longer = edits.rearrange_tokens(inputs, "", tuple("abcdefghijkl"), (*range(4), *[None] * 8))
    q, k = previous_token_vectors(12)
    assert (longer.heads[1].q == q).all()
    assert (longer.heads[1].k == k).all()
    assert (longer.heads[1].v[:4] == inputs.heads[1].v).all()


def test_tokens_that_stay_keep_their_vectors_wherever_they_go(inputs: Inputs) -> None:
    moved = edits.rearrange_tokens(inputs, "", ("d", "new", "a"), (3, None, 0))
    for index in (0, 2):
        for which in ("q", "k", "v"):
            old, new = getattr(inputs.heads[index], which), getattr(moved.heads[index], which)
            assert (new[[0, 2]] == old[[3, 0]]).all()
            assert not new[1].any()
        assert moved.heads[index].is_default[1]


def test_a_new_token_takes_the_vectors_it_is_given(inputs: Inputs) -> None:
    given_vectors = (np.full(3, 1, np.float32), np.full(3, 2, np.float32), np.full(3, 3, np.float32))
    alike = inputs.with_head(1, inputs.heads[0])
    longer = edits.rearrange_tokens(
        alike, "", tuple("abcde"), (0, 1, 2, 3, None), lambda head, token: given_vectors
    )
    assert longer.heads[0].q[4].tolist() == [1, 1, 1]
    assert longer.heads[0].v[4].tolist() == [3, 3, 3]
    assert longer.heads[2].v is longer.heads[2].k


def test_a_custom_mask_moves_with_its_tokens(inputs: Inputs) -> None:
    cells = np.zeros((4, 4), bool)
    cells[3, 0] = True
    masked = edits.set_mask(inputs, CustomMask(cells))
    moved = edits.rearrange_tokens(masked, "", ("d", "a", "new"), (3, 0, None))
    assert moved.mask.allowed((0, 3), (0, 3)).tolist() == [
        [False, True, True], [False, False, True], [True, True, True],
    ]  # fmt: skip


def test_renaming_tokens_touches_no_vector(inputs: Inputs) -> None:
    renamed = edits.rearrange_tokens(inputs, "w", ("w", "b", "c", "d"), (0, 1, 2, 3))
    assert renamed.heads is inputs.heads
    assert renamed.tokens == ("w", "b", "c", "d")


def test_linking_v_to_k_and_cutting_it_again(inputs: Inputs) -> None:
    linked = edits.set_v_is_k(inputs, 0, True)
    assert linked.heads[0].v is inputs.heads[0].k
    cut = edits.set_v_is_k(linked, 0, False)
    assert not cut.heads[0].v_is_k
    assert (cut.heads[0].v == inputs.heads[0].k).all()
    assert edits.set_v_is_k(linked, 0, True) is linked


def test_heads_are_added_copied_moved_renamed_and_removed(inputs: Inputs) -> None:
    names = lambda document: [head.name for head in document.heads]  # noqa: E731
    added = edits.add_head(inputs, 1, "new")
    assert names(added) == ["first", "new", "previous", "linked"]
    assert not added.heads[1].q.any()
    assert added.heads[1].qk_names == ("x", "y", "z")
    copied = edits.copy_head(inputs, 0, "copy")
    assert names(copied) == ["first", "copy", "previous", "linked"]
    assert copied.heads[1].q is inputs.heads[0].q
    assert names(edits.move_head(inputs, 0, 2)) == ["previous", "linked", "first"]
    assert edits.move_head(inputs, 1, 1) is inputs
    assert names(edits.rename_head(inputs, 0, "x")) == ["x", "previous", "linked"]
    assert edits.rename_head(inputs, 0, "first") is inputs
    assert names(edits.remove_head(inputs, 1)) == ["first", "linked"]


def test_the_only_head_cannot_be_removed(inputs: Inputs) -> None:
    one = edits.remove_head(edits.remove_head(inputs, 0), 0)
    with pytest.raises(InputError, match="only head"):
        edits.remove_head(one, 0)


def test_resizing_a_head_cuts_or_pads_with_zeros(inputs: Inputs) -> None:
    head = edits.resize_head(inputs, 0, 5, 2).heads[0]
    assert (head.d_k, head.d_v) == (5, 2)
    assert head.qk_names == ("x", "y", "z", "3", "4")
    assert head.v_names == ("x", "y")
    assert (head.q[:, :3] == inputs.heads[0].q).all()
    assert not head.q[:, 3:].any()
    assert edits.resize_head(inputs, 0, 3, 3) is inputs
    assert edits.resize_head(inputs, 2, 2, 2).heads[2].v_is_k
    assert not edits.resize_head(inputs, 2, 3, 2).heads[2].v_is_k
    assert edits.resize_head(inputs, 1, 5, 3).heads[1].source == "vectors"
    with pytest.raises(InputError, match="0 dimensions"):
        edits.resize_head(inputs, 0, 0, 3)


def test_renaming_a_dimension_where_v_is_k_names_both(inputs: Inputs) -> None:
    assert edits.rename_dimension(inputs, 2, "k", 1, "new").heads[2].names_of("v") == ("0", "new", "2")
    apart = edits.rename_dimension(inputs, 0, "v", 1, "new").heads[0]
    assert (apart.qk_names, apart.v_names) == (("x", "y", "z"), ("x", "new", "z"))
    assert edits.rename_dimension(inputs, 0, "q", 0, "x") is inputs
    with pytest.raises(InputError, match="no dimension 3"):
        edits.rename_dimension(inputs, 0, "q", 3, "x")


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda i: edits.set_vector_value(i, 3, "q", 0, 0, 1), "no head 3"),
        (lambda i: edits.set_vector_value(i, 0, "q", 4, 0, 1), "do not fit"),
        (lambda i: edits.set_vector_value(i, 0, "q", -1, 0, 1), "do not fit"),
        (lambda i: edits.set_vector_value(i, 0, "q", 0, 3, 1), "do not fit"),
        (lambda i: edits.set_vector_value(i, 0, "q", 0, 0, float("nan")), "nan"),
        (lambda i: edits.set_vector_value(i, 0, "q", 0, 0, 2e6), "1e6"),
        (lambda i: edits.set_scale_strength(i, 0.0), "scale strength"),
        (lambda i: edits.set_mask_fill(i, float("nan")), "mask value"),
        (lambda i: edits.rearrange_tokens(i, "", (), ()), "no token"),
        (lambda i: edits.rearrange_tokens(i, "", ("a",), ()), "places of origin"),
        (lambda i: edits.move_head(i, 0, 3), "no head 3"),
    ],
)
def test_an_edit_that_cannot_be_made_is_refused(inputs: Inputs, edit, said: str) -> None:
    with pytest.raises(InputError, match=said):
        edit(inputs)


def test_setting_what_is_set_already_gives_the_very_same_document(inputs: Inputs) -> None:
    assert edits.set_scale_strength(inputs, 1.0) is inputs
    assert edits.set_mask_fill(inputs, inputs.mask_fill) is inputs
    assert edits.set_mask(inputs, inputs.mask) is inputs
    assert not edits.set_mask(inputs, NoMask()).mask.equals(inputs.mask)


RANDOM_EDITS = st.sampled_from(
    [
        lambda i, a, b: edits.set_vector_value(i, a % i.n_heads, "q", b % i.n_tokens, 0, a / 7),
        lambda i, a, b: edits.set_vector_value(i, a % i.n_heads, "k", b % i.n_tokens, 0, a / 3),
        lambda i, a, b: edits.set_vector_value(i, a % i.n_heads, "v", b % i.n_tokens, 0, a / 3),
        lambda i, a, b: (
            edits.set_v_is_k(i, a % i.n_heads, bool(b % 2))
            if i.heads[a % i.n_heads].d_k == i.heads[a % i.n_heads].d_v
            else i
        ),
        lambda i, a, b: edits.set_mask(i, NoMask()),
        lambda i, a, b: edits.set_scale_strength(i, 1 + a),
        lambda i, a, b: edits.add_head(i, a % (i.n_heads + 1), "n"),
        lambda i, a, b: edits.remove_head(i, a % i.n_heads) if i.n_heads > 1 else i,
        lambda i, a, b: edits.move_head(i, a % i.n_heads, b % i.n_heads),
        lambda i, a, b: edits.resize_head(i, a % i.n_heads, 1 + b % 5, 1 + a % 4),
        lambda i, a, b: edits.rename_dimension(i, a % i.n_heads, "q", 0, str(b)),
        lambda i, a, b: edits.rearrange_tokens(i, "t", (*i.tokens, "n"), (*range(i.n_tokens), None)),
        lambda i, a, b: (
            edits.rearrange_tokens(i, "t", i.tokens[1:], tuple(range(1, i.n_tokens))) if i.n_tokens > 1 else i
        ),
    ]
)


@given(st.lists(st.tuples(RANDOM_EDITS, st.integers(0, 40), st.integers(0, 40)), max_size=25))
def test_undo_to_the_start_and_redo_to_the_end_give_the_same_documents(changes) -> None:
    documents = [sample()]
    for edit, a, b in changes:
        documents.append(edit(documents[-1], a, b))
    steps = [Step.between(old, new) for old, new in pairwise(documents)]
    now = documents[-1]
    for step, wanted in zip(reversed(steps), reversed(documents[:-1]), strict=True):
        now = step.undone(now)
        assert now.equals(wanted)
    for step, wanted in zip(steps, documents[1:], strict=True):
        now = step.redone(now)
        assert now.equals(wanted)


def test_a_step_in_a_large_array_keeps_only_the_changed_rows() -> None:
    n, d = 2048, 256
    big = np.zeros((n, d), np.float32)
    before = Inputs("", tuple("t" * n), (Head("", big, big, big),))
    assert before.heads[0].q.nbytes > LARGE
    after = edits.set_vector_value(before, 0, "q", 1500, 3, 1.0)
    step = Step.between(before, after)
    assert step.nbytes < 8192
    assert step.undone(after).equals(before)
    assert step.redone(before).equals(after)
    linked = Inputs("", tuple("t" * n), (Head("", big, big, big, v_is_k=True),))
    changed = edits.set_vector_value(linked, 0, "v", 7, 3, 1.0)
    step = Step.between(linked, changed)
    assert step.nbytes < 8192
    assert step.undone(changed).equals(linked)
    assert step.redone(linked).equals(changed)


def test_a_step_between_the_same_documents_is_empty(inputs: Inputs) -> None:
    assert Step.between(inputs, inputs).is_empty
    assert not Step.between(inputs, edits.set_mask(inputs, NoMask())).is_empty
