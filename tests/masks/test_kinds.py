"""What every kind of mask lets a query see, and what becomes of it when tokens move."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core.errors import InputError
from attnviz.core.masks import CausalMask, CustomMask, NoMask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import LONGEST, PrefixMask, SinkMask, SlidingWindowMask
from attnviz.core.token_rows import places_of
from tests.masks.kinds import KINDS, masks, masks_of, may_attend, stands_at, whole

SIZES = st.integers(1, 9)
every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
@given(data=st.data(), n=SIZES)
def test_every_cell_is_what_the_definition_says(kind, data, n):
    mask = data.draw(masks_of(kind, n))
    assert mask.kind == kind
    mask.check(n, n)
    assert whole(mask, n).tolist() == [
        [may_attend(mask, query, key) for key in range(n)] for query in range(n)
    ]


@every_kind
@given(data=st.data(), n=SIZES, n_key=SIZES)
def test_with_other_keys_than_queries_the_alignment_says_where_a_query_stands(kind, data, n, n_key):
    mask = data.draw(masks_of(kind, n, n_key))
    mask.check(n, n_key)
    assert whole(mask, n, n_key).tolist() == [
        [may_attend(mask, query, key, stands_at(mask, query, n, n_key)) for key in range(n_key)]
        for query in range(n)
    ]
    other = mask.with_alignment("first")
    assert other.kind == kind
    assert (whole(other, n, n) == whole(other.with_alignment("last"), n, n)).all() or kind == "custom"


@every_kind
@given(data=st.data(), n=SIZES, n_key=SIZES)
def test_a_block_is_the_block_of_the_whole(kind, data, n, n_key):
    mask = data.draw(masks_of(kind, n, n_key))
    rows, columns = (
        tuple(sorted(data.draw(st.tuples(st.integers(0, count), st.integers(0, count)))))
        for count in (n, n_key)
    )
    block = mask.allowed(rows, columns, mask.offset(n, n_key))
    assert block.dtype == np.bool_
    assert block.tolist() == whole(mask, n, n_key)[slice(*rows), slice(*columns)].tolist()


@every_kind
@given(data=st.data(), n=SIZES)
def test_it_says_whether_the_future_is_hidden(kind, data, n):
    mask = data.draw(masks_of(kind, n))
    future = whole(mask, n)[np.triu_indices(n, 1)]
    if mask.hides_future is True:
        assert not future.any()
    elif kind == "custom":
        assert future.size
        assert future.all() == (mask.hides_future is False)
    elif kind == "none":
        assert future.all()


@every_kind
@given(data=st.data(), n=SIZES, n_key=SIZES, hidden=st.booleans())
def test_hiding_the_future_or_not_is_what_it_then_does(kind, data, n, n_key, hidden):
    mask = data.draw(masks_of(kind, n, n_key))
    changed = mask.with_future(hidden)
    past = whole(CausalMask(alignment=mask.alignment), n, n_key)
    assert changed.alignment == mask.alignment
    assert changed.hides_future is hidden or past.all()
    if hidden:
        assert not whole(changed, n, n_key)[~past].any()
    if kind in ("padding", "custom"):  # the others say nothing of the past that would be lost
        assert (whole(changed, n, n_key)[past] == whole(mask, n, n_key)[past]).all()


@given(data=st.data(), n=SIZES)
def test_masks_are_equal_where_kind_and_numbers_are(data, n):
    one, other = data.draw(masks(n)), data.draw(masks(n))
    assert one.equals(one)
    assert one.equals(other) == other.equals(one)
    if one.equals(other):
        assert one.kind == other.kind
        assert (whole(one, n) == whole(other, n)).all()


@given(data=st.data(), n=SIZES, kind=st.sampled_from(["padding", "custom"]))
def test_what_is_hidden_moves_with_its_tokens_and_new_tokens_are_seen(data, n, kind):
    mask = data.draw(masks_of(kind, n))
    kept = data.draw(st.permutations(range(n)))[: data.draw(st.integers(0, n))]
    for place in data.draw(st.lists(st.integers(0, len(kept)), max_size=3)):
        kept.insert(place, None)
    kept = kept or [None]
    moved = mask.rearranged(places_of(kept))
    moved.check(len(kept), len(kept))
    cells, before = whole(moved, len(kept)), whole(mask, n)
    for query, old_query in enumerate(kept):
        for key, old_key in enumerate(kept):
            if kind == "padding":
                is_padded = old_key is not None and old_key in mask.tokens
                assert cells[query, key] == (not is_padded and (key <= query or not mask.hides_future))
            else:
                is_new = old_query is None or old_key is None
                assert cells[query, key] == (is_new or before[old_query, old_key])


@given(data=st.data(), n=SIZES, n_key=SIZES, kind=st.sampled_from(["padding", "custom"]))
def test_rows_move_with_queries_and_columns_with_keys(data, n, n_key, kind):
    mask = data.draw(masks_of(kind, n, n_key))
    for moved, count in (("queries", n), ("keys", n_key)):
        order = data.draw(st.permutations(range(count)))
        after = mask.rearranged(np.array(order), moved)
        assert after.alignment == mask.alignment
        if kind == "custom":
            assert (after.array == mask.array.take(order, ["queries", "keys"].index(moved))).all()
        elif moved == "queries":
            assert after is mask
        else:
            assert sorted(order[token] for token in after.tokens) == list(mask.tokens)


@given(data=st.data(), n=SIZES, kind=st.sampled_from(["causal", "none", "window", "sinks", "prefix"]))
def test_a_rule_of_positions_stays_when_tokens_move(data, n, kind):
    mask = data.draw(masks_of(kind, n))
    assert mask.rearranged(np.array([-1, *reversed(range(n))])) is mask


def test_a_window_sees_itself_and_what_came_just_before_it():
    assert whole(SlidingWindowMask(2), 4).astype(int).tolist() == [
        [1, 0, 0, 0],
        [1, 1, 0, 0],
        [0, 1, 1, 0],
        [0, 0, 1, 1],
    ]


def test_sinks_are_seen_by_all_that_come_after_them():
    assert whole(SinkMask(1, 2), 5).astype(int).tolist() == [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [1, 1, 1, 0, 0],
        [1, 0, 1, 1, 0],
        [1, 0, 0, 1, 1],
    ]


def test_aligned_at_the_last_key_the_queries_are_the_end_of_the_sentence():
    causal = CausalMask(alignment="last")
    assert whole(causal, 2, 4).astype(int).tolist() == [[1, 1, 1, 0], [1, 1, 1, 1]]
    assert whole(causal, 4, 2).astype(int).tolist() == [[0, 0], [0, 0], [1, 0], [1, 1]]
    assert whole(SlidingWindowMask(2, alignment="last"), 2, 4).astype(int).tolist() == [
        [0, 1, 1, 0],
        [0, 0, 1, 1],
    ]
    assert whole(CausalMask(), 2, 4).astype(int).tolist() == [[1, 0, 0, 0], [1, 1, 0, 0]]
    assert whole(CausalMask(), 4, 2).astype(int).tolist() == [[1, 0], [1, 1], [1, 1], [1, 1]]


def test_a_prefix_is_seen_both_ways():
    assert whole(PrefixMask(2), 4).astype(int).tolist() == [
        [1, 1, 0, 0],
        [1, 1, 0, 0],
        [1, 1, 1, 0],
        [1, 1, 1, 1],
    ]


@given(n=SIZES)
def test_rules_that_reach_beyond_the_sentence_hide_no_more_than_they_say(n):
    causal = whole(CausalMask(), n)
    assert (whole(SlidingWindowMask(n), n) == causal).all()
    assert (whole(SlidingWindowMask(LONGEST), n) == causal).all()
    assert (whole(SinkMask(LONGEST, 1), n) == causal).all()
    assert whole(PrefixMask(LONGEST), n).all()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: SlidingWindowMask(0), "width of the window is 0; a whole number from 1 to 1000000"),
        (lambda: SlidingWindowMask(-3), "width of the window is -3"),
        (lambda: SlidingWindowMask(1.5), "width of the window is 1.5"),
        (lambda: SlidingWindowMask(True), "width of the window is “True”"),
        (lambda: SlidingWindowMask("4"), "width of the window is “4”"),
        (lambda: SlidingWindowMask(10**9), "width of the window is 1000000000"),
        (lambda: SlidingWindowMask(10**5000), "width of the window is 1000000000000000;"),
        (lambda: SlidingWindowMask(float("nan")), "width of the window is nan"),
        (lambda: SinkMask(-1, 4), "number of sink tokens is -1; a whole number from 0"),
        (lambda: SinkMask(2, 0), "width of the window is 0"),
        (lambda: PrefixMask(0), "length of the prefix is 0; a whole number from 1"),
        (lambda: PrefixMask(None), "length of the prefix is “None”"),
        (lambda: PaddingMask((-1,)), "padding holds “-1”"),
        (lambda: PaddingMask((0.5,)), "padding holds “0.5”"),
        (lambda: PaddingMask((0, 3)).check(3, 3), "padding holds token 3, but there are only 3 key tokens"),
        (lambda: CustomMask(np.ones((2, 3), bool)).check(3, 3), r"shape \(2, 3\); \(3, 3\)"),
        (lambda: CausalMask(alignment="middle"), "alignment of queries and keys is “middle”; first or last"),
        (lambda: SinkMask(1, 2, alignment=None), "alignment of queries and keys is “None”"),
        (lambda: PaddingMask(alignment=["last"]), "alignment of queries and keys is “"),
    ],
)
def test_a_wrong_number_is_refused_in_one_sentence(make, says):
    with pytest.raises(InputError, match=re.sub(r"(?<!\\)\(", r"\(", says)):
        make()


def test_numbers_of_numpy_are_taken_and_padding_is_kept_sorted():
    assert SlidingWindowMask(np.int64(3)).equals(SlidingWindowMask(3))
    assert type(SlidingWindowMask(np.int32(3)).width) is int
    assert PaddingMask((np.int64(2), 0, 2)).tokens == (0, 2)


@given(data=st.data(), n=SIZES)
def test_any_mask_can_be_painted_as_a_custom_one(data, n):
    mask = data.draw(masks(n))
    custom = CustomMask.of(mask, n, n)
    assert (whole(custom, n) == whole(mask, n)).all()
    assert not custom.array.flags.writeable
    if isinstance(mask, CustomMask):
        assert custom is mask


def test_a_painted_rectangle_leaves_the_other_cells_and_the_old_mask_alone():
    mask = CustomMask.of(NoMask(), 3, 4)
    painted = mask.painted([((1, 3), (2, 4))], False)
    assert painted.array.astype(int).tolist() == [[1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0]]
    assert mask.array.all()
    assert painted.painted([((1, 3), (2, 4))], False) is painted
    assert painted.painted([((0, 3), (0, 4))], True).equals(mask)


@pytest.mark.parametrize(("queries", "keys"), [((0, 0), (0, 1)), ((0, 4), (0, 1)), ((0, 1), (-1, 1))])
def test_a_rectangle_outside_the_mask_cannot_be_painted(queries, keys):
    with pytest.raises(InputError, match="cells to paint"):
        CustomMask.of(NoMask(), 3, 3).painted([(queries, keys)], False)
