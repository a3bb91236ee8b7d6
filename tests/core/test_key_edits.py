"""Cross attention: keys with tokens of their own, and what edits of either side leave alone."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core import edits, key_edits, mask_edits
from attnviz.core import projection_edits as layer
from attnviz.core.attention import define
from attnviz.core.errors import InputError
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CausalMask, CustomMask, NoMask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_codes import previous_token_vectors
from attnviz.core.projections import Projection
from attnviz.core.request import Region, Request
from attnviz.core.selection import Selection
from attnviz.core.steps import Step
from tests.masks.kinds import masks


def cross(n_query=3, n_key=5, mask=None, seed=0) -> Inputs:
    """Heads of vectors, of positions and with v = k, d_v ≠ d_k in the first."""
    random = np.random.default_rng(seed)
    q, k = random.normal(size=(n_query, 3)), random.normal(size=(n_key, 3))
    codes = previous_token_vectors(n_query, n_key)
    return Inputs(
        "abcdefgh"[:n_query],
        tuple("abcdefgh"[:n_query]),
        (
            Head("free", q, k, random.normal(size=(n_key, 2)), is_default_key=np.arange(n_key) == 1),
            Head("one back", *codes, random.normal(size=(n_key, 2)), source="positions"),
            Head("linked", q, k, k, v_is_k=True),
        ),
        mask or NoMask(),
        key_tokens=tuple("stuvwxyz"[:n_key]),
        key_text="stuvwxyz"[:n_key],
    )


def derived(n_query=3, n_key=5) -> Inputs:
    """A head derived from an x of the queries of 4 dimensions and one of the keys of 6."""
    random = np.random.default_rng(1)
    x, x_keys = random.normal(size=(n_query, 4)), random.normal(size=(n_key, 6))
    maps = Projection(
        random.normal(size=(4, 3)), random.normal(size=(6, 3)), random.normal(size=(6, 2)), b_k=np.ones(3)
    )
    blank = Head("h", np.zeros((n_query, 3)), np.zeros((n_key, 3)), np.zeros((n_key, 2)))
    head = layer.derived_head(blank, x.astype(np.float32), maps, x_keys.astype(np.float32))
    return Inputs("", ("q",) * n_query, (head,), NoMask(), x=x, key_tokens=("k",) * n_key, x_keys=x_keys)


def check_derived(inputs: Inputs) -> None:
    for head in inputs.heads:
        for which in "qkv":
            wanted = head.projection.derived(which, inputs.x_of(which))
            np.testing.assert_allclose(getattr(head, which), wanted, rtol=1e-6)


def test_a_document_without_key_tokens_has_its_tokens_as_keys():
    inputs = Inputs("a b", ("a", "b"), (Head("h", np.eye(2), np.eye(2), np.eye(2)),), key_text="lost")
    assert (inputs.is_cross, inputs.n_query, inputs.n_key) == (False, 2, 2)
    assert inputs.key_labels is inputs.tokens
    assert inputs.key_text == ""
    marked = Head("h", np.eye(2), np.eye(2), np.eye(2), is_default_key=np.array([True, False]))
    assert not inputs.with_head(0, marked).heads[0].is_default_key.size


def test_queries_and_keys_are_counted_each():
    inputs = cross()
    assert (inputs.is_cross, inputs.n_query, inputs.n_tokens, inputs.n_key) == (True, 3, 3, 5)
    assert inputs.key_labels == tuple("stuvw")
    assert inputs.allowed().shape == (3, 5)
    exact = define(inputs, 0)
    assert exact.weights.shape == (3, 5)
    assert exact.head_output.shape == (3, 2)
    np.testing.assert_allclose(exact.weights.sum(axis=1), 1)
    assert Selection(9, 9, 9).clamped(inputs) == Selection(2, 2, 4)


def test_a_request_reaches_over_all_keys_and_no_further():
    inputs = cross()
    whole = Request.whole(inputs)
    assert (whole.region.queries, whole.region.keys) == ((0, 3), (0, 5))
    with pytest.raises(InputError, match="keys run from 0 to 6; a range within 0 to 5"):
        Request(inputs, 0, Region(0, (0, 3), (0, 6)))
    with pytest.raises(InputError, match="queries run from 0 to 4; a range within 0 to 3"):
        Request(inputs, 0, Region(0, (0, 4), (0, 5)))
    with pytest.raises(InputError, match="no query 3"):
        Request.whole(inputs, query=3)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"key_tokens": ("s",)}, "3 queries and 5 keys, but there are 3 query tokens and 1 key tokens"),
        ({"key_tokens": ()}, "no token"),
        ({"key_tokens": None}, "3 queries and 5 keys, but there are 3 tokens"),
        ({"x_keys": np.ones((4, 2))}, "x of the keys has 4 rows, but there are 5 key tokens"),
        ({"x_keys": np.full((5, 2), np.nan)}, "x of the keys holds nan at token 0, dimension 0"),
        ({"mask": CustomMask(np.ones((3, 3), bool))}, r"shape \(3, 3\); \(3, 5\) is wanted"),
        ({"mask": PaddingMask((5,))}, "padding holds token 5, but there are only 5 key tokens"),
    ],
)
def test_what_does_not_fit_is_refused_with_both_sizes(change, says):
    with pytest.raises(InputError, match=says):
        replace(cross(), **change)


def test_an_x_of_the_keys_needs_key_tokens_and_derived_heads_an_x_that_fits():
    inputs = derived()
    with pytest.raises(InputError, match="which has 3 rows, but there are 5 key tokens"):
        replace(inputs, x_keys=None)
    with pytest.raises(InputError, match="x has 7 dimensions, but W_K of head “h” has 6 rows"):
        replace(inputs, x_keys=np.ones((5, 7)))
    with pytest.raises(InputError, match="x has 7 dimensions, but W_Q of head “h” has 4 rows"):
        replace(inputs, x=np.ones((3, 7)))
    with pytest.raises(InputError, match="there is no x"):
        replace(inputs, x=None)
    plain = Inputs("", ("t",), (Head("h", np.eye(1), np.eye(1), np.eye(1)),))
    with pytest.raises(InputError, match="there are no key tokens"):
        replace(plain, x_keys=np.ones((1, 2)))
    with pytest.raises(InputError, match="W_K has 2 rows and W_V has 3"):
        Projection(np.eye(2), np.eye(2), np.ones((3, 2)))


def test_separated_keys_start_as_the_tokens_and_joining_them_again_gives_the_document_back():
    random = np.random.default_rng(0)
    q, k = random.normal(size=(2, 4, 3))
    codes = previous_token_vectors(4)
    before = Inputs(
        "a b c d",
        ("a", "b", "c", "d"),
        (
            Head("h", q, k, k, v_is_k=True, is_default=np.array([True, False, True, False])),
            Head("p", *codes, k, source="positions"),
        ),
        PaddingMask((1,)),
        x=random.normal(size=(4, 6)),
    )
    maps = Projection(*random.normal(size=(3, 6, 2)))
    blank = Head("derived", *np.zeros((3, 4, 2)))
    before = replace(before, heads=(*before.heads, layer.derived_head(blank, before.x, maps)))
    apart = key_edits.separate_keys(before)
    assert apart.key_tokens == before.tokens
    assert apart.key_text == "a b c d"
    assert apart.x_keys is before.x
    for old, new in zip(before.heads, apart.heads, strict=True):
        assert all(getattr(old, which) is getattr(new, which) for which in "qkv")
    assert apart.heads[0].key_marks.tolist() == [True, False, True, False]
    assert key_edits.separate_keys(apart) is apart
    assert key_edits.join_keys(apart).equals(before)
    assert key_edits.join_keys(before) is before


@pytest.mark.parametrize("n_key", [2, 5])
def test_joined_keys_stay_in_their_place_and_missing_ones_are_zeros(n_key):
    cells = np.random.default_rng(0).random((3, n_key)) < 0.5
    before = cross(3, n_key, CustomMask(cells))
    after = key_edits.join_keys(before)
    both = min(3, n_key)
    assert not after.is_cross
    for index in (0, 2):
        for which in "kv":
            array = getattr(after.heads[index], which)
            assert (array[:both] == getattr(before.heads[index], which)[:both]).all()
            assert not array[both:].any()
    codes = previous_token_vectors(3)
    assert all((getattr(after.heads[1], which) == codes["qk".index(which)]).all() for which in "qk")
    assert after.heads[2].v is after.heads[2].k
    assert (after.mask.array[:, :both] == cells[:, :both]).all()
    assert after.mask.array[:, both:].all()


def test_a_derived_head_is_joined_by_its_map_where_that_fits_and_as_vectors_where_not():
    after = key_edits.join_keys(derived())
    assert after.heads[0].source == "vectors"
    assert (after.heads[0].k == derived().heads[0].k[:3]).all()
    alike = key_edits.resize_x_keys(derived(), 4)
    check_derived(alike)
    joined = key_edits.join_keys(alike)
    assert joined.heads[0].source == "projection"
    check_derived(joined)


def test_query_tokens_take_q_x_and_rows_along_and_leave_the_keys():
    before = cross(mask=CustomMask(np.arange(15).reshape(3, 5) % 2 == 0))
    after = edits.rearrange_tokens(before, "c n a", ("c", "n", "a"), (2, None, 0))
    assert after.key_tokens is before.key_tokens
    for old, new in zip(before.heads, after.heads, strict=True):
        if new.source != "positions":
            assert new.k is old.k
            assert (new.q[[0, 2]] == old.q[[2, 0]]).all()
        assert new.is_default.tolist() == [False, True, False]
        assert new.key_marks.tolist() == old.key_marks.tolist()
    assert (after.mask.array[[0, 2]] == before.mask.array[[2, 0]]).all()
    assert after.mask.array[1].all()
    longer = edits.rearrange_tokens(derived(), "", ("q",) * 4, (None, 2, 1, 0))
    assert longer.x_keys is longer.x_of("k")
    assert longer.x.shape == (4, 4)
    check_derived(longer)
    assert (longer.heads[0].q[0] == 0).all()


@pytest.mark.parametrize("n_key", [2, 5])
def test_an_x_of_the_queries_alone_moves_with_them_and_says_nothing_of_the_keys(n_key):
    before = replace(cross(3, n_key), x=np.arange(12).reshape(3, 4))
    after = edits.rearrange_tokens(before, "c n a b", ("c", "n", "a", "b"), (2, None, 0, 1))
    assert after.x.tolist() == [[8, 9, 10, 11], [0, 0, 0, 0], [0, 1, 2, 3], [4, 5, 6, 7]]
    assert after.x_keys is None
    assert key_edits.rearrange_keys(before, "", ("s",), (0,)).x_keys is None


def test_key_tokens_take_k_v_x_and_columns_along_and_leave_the_queries():
    before = cross(mask=CustomMask(np.arange(15).reshape(3, 5) % 2 == 0))
    kept = (4, None, 0, 1)
    after = key_edits.rearrange_keys(before, "w n s t", ("w", "n", "s", "t"), kept)
    assert after.tokens is before.tokens
    assert (after.key_text, after.key_tokens) == ("w n s t", ("w", "n", "s", "t"))
    for old, new in zip(before.heads, after.heads, strict=True):
        if new.source != "positions":
            assert new.q is old.q
            assert (new.k[[0, 2, 3]] == old.k[[4, 0, 1]]).all()
            assert not new.k[1].any()
        if not new.v_is_k:
            assert (new.v[[0, 2, 3]] == old.v[[4, 0, 1]]).all()
        assert new.is_default.tolist() == old.is_default.tolist()
    assert after.heads[0].key_marks.tolist() == [False, True, False, True]
    codes = previous_token_vectors(3, 4)
    assert all((getattr(after.heads[1], which) == codes["qk".index(which)]).all() for which in "qk")
    assert (after.mask.array[:, [0, 2, 3]] == before.mask.array[:, [4, 0, 1]]).all()
    assert after.mask.array[:, 1].all()
    padded = replace(before, mask=PaddingMask((0, 4)))
    padded = key_edits.rearrange_keys(padded, "", ("w", "n", "s", "t"), kept)
    assert padded.mask.tokens == (0, 2)
    longer = key_edits.rearrange_keys(derived(), "", ("k",) * 3, (None, 4, 0))
    check_derived(longer)
    assert (longer.heads[0].k[0] == 1).all()  # zeros of x, and the bias


def test_renaming_a_key_token_touches_no_vector():
    before = cross()
    after = key_edits.rearrange_keys(before, "new", tuple("STUVW"), range(5))
    assert after.heads is before.heads
    assert after.key_tokens == tuple("STUVW")


def test_a_new_key_token_takes_k_and_v_alone():
    vectors = tuple(np.full(n, value, np.float32) for n, value in ((3, 1), (3, 2), (2, 3)))
    before = replace(cross(), heads=cross().heads[:1])
    after = key_edits.rearrange_keys(
        before, "", tuple("stuvwn"), (*range(5), None), lambda head, token: vectors
    )
    assert after.heads[0].q is before.heads[0].q
    assert after.heads[0].k[5].tolist() == [2, 2, 2]
    assert after.heads[0].v[5].tolist() == [3, 3]
    seen = edits.rearrange_tokens(before, "", tuple("abcn"), (0, 1, 2, None), lambda head, token: vectors)
    assert seen.heads[0].q[3].tolist() == [1, 1, 1]
    assert seen.heads[0].k is before.heads[0].k


def test_an_edit_of_k_takes_the_mark_of_the_key_and_not_that_of_the_query():
    before = cross().with_head(0, replace(cross().heads[0], is_default=np.array([True, True, True])))
    of_key = edits.set_vector_value(before, 0, "k", 1, 0, 7.0).heads[0]
    assert not of_key.key_marks.any()
    assert of_key.is_default.all()
    of_query = edits.set_vector_value(before, 0, "q", 1, 0, 7.0).heads[0]
    assert of_query.is_default.tolist() == [True, False, True]
    assert of_query.key_marks[1]


def test_numbers_of_either_x_derive_their_own_vectors_and_no_others():
    before = derived()
    of_keys = key_edits.set_x_keys_block(before, 4, 1, [[2.0, 3.0]])
    check_derived(of_keys)
    assert of_keys.heads[0].q is before.heads[0].q
    assert (of_keys.heads[0].k[:4] == before.heads[0].k[:4]).all()
    assert of_keys.x is before.x
    of_queries = layer.set_x_block(before, 2, 3, [[1.0]])
    check_derived(of_queries)
    assert of_queries.heads[0].k is before.heads[0].k
    assert of_queries.x_keys is before.x_keys
    for which, row in (("w_q", 3), ("w_k", 5), ("w_v", 5), ("b_v", 0)):
        check_derived(layer.set_projection_block(before, 0, which, row, 0, [[4.0, 5.0]]))
    check_derived(layer.drop_bias(before, 0, "b_k"))
    check_derived(layer.resize_x(before, 2))
    check_derived(key_edits.resize_x_keys(before, 9))
    with pytest.raises(InputError, match="do not fit into x"):
        key_edits.set_x_keys_block(before, 5, 0, [[1.0]])
    with pytest.raises(InputError, match="separate the keys"):
        key_edits.set_x_keys_block(key_edits.join_keys(before), 0, 0, [[1.0]])


def test_one_x_of_both_is_edited_for_both_and_parts_where_tokens_move():
    inputs, maps = derived(4, 4), Projection(*np.random.default_rng(2).normal(size=(3, 4, 2)))
    head = layer.derived_head(cross(4, 4).heads[0], inputs.x, maps)
    same = replace(cross(4, 4), heads=(head,), x=inputs.x)
    assert same.x_keys is None
    edited = layer.set_x_block(same, 1, 1, [[5.0]])
    check_derived(edited)
    assert edited.x_keys is None
    assert (edited.heads[0].k != same.heads[0].k).any()
    moved = edits.rearrange_tokens(same, "", ("d", "a"), (3, 0))
    assert moved.x_keys is same.x
    check_derived(moved)
    other = key_edits.rearrange_keys(same, "", ("s",), (2,))
    assert other.x is same.x
    check_derived(other)


def test_a_head_of_vectors_begins_to_be_derived_with_the_numbers_it_has():
    for before in (cross(), cross(4, 4), replace(cross(), x=np.eye(3)), replace(cross(), x_keys=np.eye(5))):
        for head in (0, 2):
            after = layer.start_projection(before, head)
            assert after.heads[head].source == "projection"
            for which in "qkv":
                np.testing.assert_allclose(
                    getattr(after.heads[head], which), getattr(before.heads[head], which), atol=1e-5
                )


@pytest.mark.parametrize("alignment", ["first", "last"])
def test_padding_painting_and_the_future_keep_the_alignment(alignment):
    inputs = mask_edits.set_alignment(cross(mask=CausalMask()), alignment)
    assert inputs.mask.equals(CausalMask(alignment=alignment))
    assert mask_edits.set_alignment(inputs, alignment) is inputs
    painted = mask_edits.toggle_cell(inputs, 2, 4)
    assert np.argwhere(painted.allowed() != inputs.allowed()).tolist() == [[2, 4]]
    assert mask_edits.set_padding(inputs, 4, True).mask.alignment == alignment
    seen = mask_edits.set_future_hidden(inputs, False)
    assert seen.allowed().all()
    assert mask_edits.set_future_hidden(seen, True).mask.equals(inputs.mask)
    custom = mask_edits.set_future_hidden(
        replace(inputs, mask=CustomMask(np.ones((3, 5), bool), alignment=alignment)), True
    )
    assert (custom.allowed() == inputs.allowed()).all()
    with pytest.raises(InputError, match="no key 5"):
        mask_edits.toggle_cell(inputs, 0, 5)
    with pytest.raises(InputError, match="no query 3"):
        mask_edits.toggle_cell(inputs, 3, 0)


@settings(deadline=None)
@given(data=st.data(), n_query=st.integers(1, 5), n_key=st.integers(1, 5))
def test_undo_to_the_start_and_redo_to_the_end_give_the_same_documents(data, n_query, n_key):
    documents = [cross(n_query, n_key, data.draw(masks(n_query, n_key)))]
    for _ in range(data.draw(st.integers(1, 6))):
        documents.append(data.draw(st.sampled_from(EDITS))(documents[-1], data))
    steps = [Step.between(before, after) for before, after in pairwise(documents)]
    now = documents[-1]
    for step, wanted in zip(reversed(steps), reversed(documents[:-1]), strict=True):
        now = step.undone(now)
        assert now.equals(wanted)
    for step, wanted in zip(steps, documents[1:], strict=True):
        now = step.redone(now)
        assert now.equals(wanted)


def _kept(data, n):
    return data.draw(st.lists(st.one_of(st.none(), st.integers(0, n - 1)), min_size=1, max_size=6))


def _move_queries(inputs, data):
    kept = _kept(data, inputs.n_query)
    return edits.rearrange_tokens(inputs, "q", ("q",) * len(kept), kept)


def _move_keys(inputs, data):
    if not inputs.is_cross:
        return inputs
    kept = _kept(data, inputs.n_key)
    return key_edits.rearrange_keys(inputs, "k", ("k",) * len(kept), kept)


def _edit_x_keys(inputs, data):
    if inputs.x_of("k") is None or not inputs.is_cross or len(inputs.x_of("k")) != inputs.n_key:
        return inputs
    return key_edits.set_x_keys_block(inputs, inputs.n_key - 1, 0, [[data.draw(st.integers(-3, 3))]])


EDITS = [
    _move_queries,
    _move_keys,
    _edit_x_keys,
    lambda inputs, data: key_edits.separate_keys(inputs),
    lambda inputs, data: key_edits.join_keys(inputs),
    lambda inputs, data: layer.start_projection(inputs, 0),
    lambda inputs, data: edits.set_vector_value(inputs, 0, "v", inputs.n_key - 1, 0, 3.0),
    lambda inputs, data: mask_edits.set_alignment(inputs, data.draw(st.sampled_from(["first", "last"]))),
    lambda inputs, data: edits.set_mask(inputs, data.draw(masks(inputs.n_query, inputs.n_key))),
]
