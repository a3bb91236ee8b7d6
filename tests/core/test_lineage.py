"""What edits tell about rows spares comparing arrays, and is never less than what differs."""

from __future__ import annotations

import gc
import itertools
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core import arrays, edits, line_steps, lineage
from attnviz.core.arrays import checked_vectors, moved_rows, with_block, with_rows
from attnviz.core.inputs import Head, Inputs
from attnviz.core.lineage import rows_between, same_before, splice_between
from attnviz.core.steps import Step
from attnviz.engine.changes import changed_rows


def table(rows: int = 300, columns: int = 20):
    return checked_vectors(np.random.default_rng(0).standard_normal((rows, columns)), "q")


def document(rows: int = 300) -> Inputs:
    return Inputs("", ("t",) * rows, (Head("h", table(rows), table(rows), table(rows)),))


def test_arrays_that_were_not_made_from_each_other_have_to_be_compared():
    assert rows_between(table(), table()) is None
    assert rows_between(table(), table(2)) is None
    assert changed_rows(table(), table()).size == 0


def test_rows_of_several_edits_are_told_both_ways_though_the_arrays_between_are_gone():
    first = table()
    last = with_block(with_block(first, 7, 3, np.float32([[9.0]])), 290, 0, np.float32([[1], [2]]))
    gc.collect()
    assert rows_between(first, last).tolist() == [7, 290, 291]
    assert rows_between(last, first).tolist() == [7, 290, 291]
    assert rows_between(last, last).tolist() == []
    back = with_rows(last, np.array([7, 290, 291]), first[[7, 290, 291]])
    assert rows_between(first, back).tolist() == [7, 290, 291]  # more than differ
    assert changed_rows(first, back).size == 0


def test_nothing_is_kept_alive_or_remembered_for_ever(monkeypatch):
    monkeypatch.setattr(lineage, "_MOST", 10)
    first = now = table()
    known = len(lineage._known)
    for index in range(30):
        now = with_block(now, index, 0, np.float32([[index + 100]]))
    gc.collect()
    assert len(lineage._known) <= known + 2
    assert len(lineage._parents) == 10
    assert rows_between(first, now) is None
    assert changed_rows(first, now).tolist() == list(range(30))


def test_steps_of_many_rows_are_remembered_up_to_their_bytes(monkeypatch):
    monkeypatch.setattr(lineage, "_MOST_BYTES", 3 * 300 * 8)
    first = now = table()
    for index in range(9):
        before, now = now, with_block(now, 0, 0, np.full((300, 20), index, np.float32))
    assert sum(rows.nbytes for _, rows in lineage._parents.values()) <= lineage._MOST_BYTES
    assert rows_between(first, now) is None
    assert rows_between(before, now).tolist() == list(range(300))


def test_what_is_made_of_good_numbers_is_not_looked_through_again():
    first = table()
    changed = with_block(first, 5, 2, checked_vectors([[7.0]], "q"))
    back = with_rows(changed, np.array([5]), first[5:6])
    for array in (changed, back):
        assert arrays._is_known(array)
        assert checked_vectors(array, "q") is array
    assert not arrays._is_known(with_block(first, 5, 2, np.float32([[np.inf]])))  # nobody looked at that
    step = Step.between(document(), edits.set_vector_value(document(), 0, "q", 5, 2, 7.0))
    assert step.nbytes < 5000


@given(
    st.lists(
        st.tuples(
            st.sampled_from("qkv"), st.integers(0, 299), st.integers(0, 19), st.sampled_from([1.0, 2.0])
        ),
        min_size=2,
        max_size=6,
    )
)
def test_steps_joined_are_the_step_between_the_ends(changes):
    inputs = [document()]
    for which, token, dim, value in changes:
        inputs.append(edits.set_vector_value(inputs[-1], 0, which, token, dim, value))
    inputs.append(edits.set_scale_strength(inputs[-1], 2.0))
    joined = Step.between(inputs[0], inputs[1])
    for before, after in itertools.pairwise(inputs[1:]):
        joined = joined.followed_by(Step.between(before, after))
    plain = Step.between(inputs[0], inputs[-1])
    assert joined.redone(inputs[0]).equals(inputs[-1])
    assert joined.undone(inputs[-1]).equals(inputs[0])
    assert joined.nbytes == plain.nbytes


def test_steps_that_lead_back_are_nothing_together():
    inputs = document()
    inputs = edits.set_vector_value(inputs, 0, "q", 5, 2, 7.0)  # its mark is gone now
    there = Step.between(inputs, edits.set_vector_value(inputs, 0, "q", 5, 2, 8.0))
    back = Step.between(edits.set_vector_value(inputs, 0, "q", 5, 2, 8.0), inputs)
    assert there.followed_by(back).is_empty


@pytest.mark.parametrize(
    "edit", [lambda i: edits.copy_head(i, 0, "c"), lambda i: edits.rearrange_tokens(i, "", ["t"], [0])]
)
def test_steps_of_another_kind_are_joined_by_the_documents(edit):
    inputs = document()
    once = edit(inputs)
    twice = edit(once) if once.n_heads > 1 else edits.set_vector_value(once, 0, "q", 0, 0, 3.0)
    assert Step.between(inputs, once).followed_by(Step.between(once, twice)) is None


def test_equal_bits_are_told_without_comparing_what_no_edit_touched(monkeypatch):
    first = table()
    back = with_block(with_block(first, 7, 3, np.float32([[9.0]])), 7, 3, first[7:8, 3:4])
    other = with_block(first, 7, 3, np.float32([[9.0]]))
    looked_at = []
    real = np.array_equal
    monkeypatch.setattr(np, "array_equal", lambda a, b: looked_at.append(len(a)) or real(a, b))
    assert arrays.same_bits(first, back)
    assert not arrays.same_bits(first, other)
    assert looked_at == [1, 1]


@pytest.mark.parametrize(("mine", "theirs"), [([[0.0]], [[-0.0]]), ([[1.0]], [[1.0, 1.0]])])
def test_bits_differ_where_signs_or_shapes_do(mine, theirs):
    assert not arrays.same_bits(np.array(mine, np.float32), np.array(theirs, np.float32))
    assert arrays.same_bits(np.array(mine, np.float32), np.array(mine, np.float32))


places_of_rows = st.lists(st.one_of(st.just(-1), st.integers(0, 9)), min_size=1, max_size=30) | st.tuples(
    st.integers(0, 10), st.integers(0, 10), st.integers(0, 3)
).map(lambda cut: [*range(cut[0]), *[-1] * cut[2], *range(max(cut[:2]), 10)] or [0])


@given(places=places_of_rows, is_filled=st.booleans())
def test_rows_that_move_are_those_they_were_and_the_piece_that_differs_is_known(places, is_filled):
    first, places = table(10), np.array(places)
    new = np.flatnonzero(places < 0)[:: 2 if is_filled else 10**6]
    lines = np.full((len(new), 20), 7, np.float32)
    moved = moved_rows(first, places, new, lines)
    wanted = np.where((places < 0)[:, None], 0, first[places])
    wanted[new] = lines
    assert np.array_equal(moved, wanted)
    assert checked_vectors(moved, "q") is moved
    splice = splice_between(first, moved)
    if splice is not None:
        end = splice.start + splice.gone
        assert np.array_equal(first[: splice.start], moved[: splice.start])
        assert np.array_equal(first[end:], moved[splice.start + splice.come :])
        assert len(first) - splice.gone == len(moved) - splice.come
        back = splice_between(moved, first)
        assert (back.start, back.gone, back.come) == (splice.start, splice.come, splice.gone)


@given(
    st.lists(st.tuples(st.integers(0, 299), st.sampled_from(["set", "insert", "remove", "undo"])), max_size=6)
)
def test_first_rows_are_the_same_as_far_as_is_said_whatever_edits_lie_between(changes):
    seen, steps = [document()], []
    for at, kind in changes:
        now = seen[-1]
        if kind == "undo":
            if steps:
                seen.append(steps.pop().undone(now))
            continue
        tokens, places = list(now.tokens), list(range(now.n_tokens))
        if kind == "insert":
            tokens.insert(at, "new")
            places.insert(at, None)
        elif kind == "remove":
            del tokens[min(at, len(tokens) - 1)], places[min(at, len(places) - 1)]
        edited = (
            edits.set_vector_value(now, 0, "q", at % now.n_tokens, 3, 9.0)
            if kind == "set"
            else edits.rearrange_tokens(now, "", tokens, places)
        )
        if not edited.equals(now):
            steps.append(Step.between(now, edited))
            seen.append(edited)
    for before, after in itertools.combinations([each.heads[0].q for each in seen], 2):
        known = same_before(before, after)
        assert known == same_before(after, before)
        assert np.array_equal(before[:known], after[:known])
    n_first = min((at for at, kind in changes if kind != "undo"), default=0)
    assert same_before(seen[0].heads[0].q, seen[-1].heads[0].q) >= min(n_first, seen[-1].n_tokens - 6)


def test_what_one_edit_of_a_token_leaves_is_known_without_comparing_numbers(monkeypatch):
    first = document()
    there = [*range(100), None, *range(100, 300)]
    second = edits.rearrange_tokens(first, "", ["t"] * 301, there)
    monkeypatch.setattr(line_steps, "_equal_lines", None)
    step = Step.between(first, second)
    back = step.undone(second)
    assert back.equals(first)
    assert step.redone(back).equals(second)
    assert same_before(first.heads[0].q, back.heads[0].q) == 100


def test_no_edit_loads_what_takes_long_to_load():
    code = (
        "import sys, numpy as np\n"
        "from attnviz.core import edits\n"
        "from attnviz.core.inputs import Head, Inputs\n"
        "from attnviz.core.steps import Step\n"
        "rows = np.zeros((300, 20), np.float32)\n"
        "seen = [Inputs('', ('t',) * 300, (Head('h', rows, rows, rows),))]\n"
        "seen += [edits.set_vector_value(seen[-1], 0, 'q', 5, 2, 7.0)]\n"
        "seen += [edits.set_vector_value(seen[-1], 0, 'q', 6, 2, 7.0)]\n"
        "Step.between(*seen[:2]).followed_by(Step.between(*seen[1:]))\n"
        "Step.between(seen[0], seen[2])\n"
        "edits.rearrange_tokens(seen[0], '', ['t'] * 299, range(299))\n"
        "assert 'numpy.ma' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
