"""Steps of undo: back and forth over edits of every kind, and no more kept than what changed."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core import edits
from attnviz.core import projection_edits as layer
from attnviz.core.inputs import Head, Inputs
from attnviz.core.line_steps import Splice
from attnviz.core.steps import OWN_BYTES, Step
from tests.core.every_edit import EVERY_KIND, edited, layer_of_every_source

N, D = 600, 32  # arrays of 77 kB
SEEDS = st.integers(0, 1 << 20)


@pytest.fixture(scope="module")
def large() -> Inputs:
    rng = np.random.default_rng(0)
    heads = tuple(Head(str(index), *rng.standard_normal((3, N, D)).astype(np.float32)) for index in range(4))
    tokens = tuple(f"token {index}" for index in range(N))
    x, w_o = rng.standard_normal((N, 40)), rng.standard_normal((4 * D, 40))
    return Inputs(" ".join(tokens), tokens, heads, x=x, w_o=w_o)


@pytest.fixture(scope="module")
def large_layer() -> Inputs:
    return layer_of_every_source(400, 200, 24)


def assert_leads_both_ways(before: Inputs, after: Inputs) -> Step:
    step = Step.between(before, after)
    assert step.undone(after).equals(before)
    assert step.redone(before).equals(after)
    return step


@settings(max_examples=150, deadline=None)
@given(st.lists(SEEDS, max_size=14))
def test_edits_of_every_kind_are_undone_to_the_start_and_redone_to_the_end(seeds):
    documents = [layer_of_every_source()]
    for seed in seeds:
        documents.append(edited(documents[-1], Random(seed)))
    steps = [Step.between(old, new) for old, new in pairwise(documents)]
    now = documents[-1]
    for step, wanted in zip(reversed(steps), reversed(documents[:-1]), strict=True):
        now = step.undone(now)
        assert now.equals(wanted)
    for step, wanted in zip(steps, documents[1:], strict=True):
        now = step.redone(now)
        assert now.equals(wanted)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(EVERY_KIND), SEEDS), min_size=2, max_size=4))
def test_steps_that_are_joined_lead_from_the_first_document_to_the_last(changes):
    documents = [layer_of_every_source()]
    for change, seed in changes:
        documents.append(edited(documents[-1], Random(seed), change))
    joined = Step.between(*documents[:2])
    for place, (before, after) in enumerate(pairwise(documents[1:])):
        one = joined.followed_by(Step.between(before, after))
        # What cannot be joined is found by comparing, as the document does.
        joined = Step.between(documents[0], after) if one is None else one
        assert joined.undone(after).equals(documents[0]), place
        assert joined.redone(documents[0]).equals(after), place


@pytest.mark.parametrize(
    "edit",
    [
        lambda inputs: edits.set_vector_value(inputs, 3, "q", 0, 0, 5.0),
        lambda inputs: edits.set_v_is_k(inputs, 3, True),
    ],
)
def test_a_map_that_is_changed_and_then_given_up_comes_back_with_one_step(edit):
    """In one gesture: the second step knows of all maps, the first of one."""
    first = layer_of_every_source()
    second = layer.set_projection_block(first, 3, "w_q", 0, 0, [[7.0]])
    third = edit(second)
    joined = Step.between(first, second).followed_by(Step.between(second, third))
    assert joined is None or joined.undone(third).equals(first)


def test_k_that_is_changed_for_v_too_and_v_that_is_cut_off_come_back_with_one_step():
    first = layer_of_every_source()
    second = edits.set_vector_value(first, 2, "k", 1, 1, 9.0)
    third = edits.set_v_is_k(second, 2, False)
    joined = Step.between(first, second).followed_by(Step.between(second, third))
    assert joined is None or joined.undone(third).equals(first)


@pytest.mark.parametrize("change", EVERY_KIND, ids=lambda change: change.__name__)
@settings(max_examples=30, deadline=None)
@given(seed=SEEDS)
def test_each_kind_of_edit_leads_back_where_arrays_are_large(large_layer, change, seed):
    """Parts of arrays are kept only from some size on."""
    assert_leads_both_ways(large_layer, edited(large_layer, Random(seed), change))


@pytest.mark.parametrize("token", [0, 300, N - 1])
def test_a_token_that_goes_or_comes_costs_a_row_of_each_array(large, token):
    kept = [index for index in range(N) if index != token]
    tokens = [large.tokens[index] for index in kept]
    less = edits.rearrange_tokens(large, " ".join(tokens), tokens, kept)
    rows = 4 * 3 * D * 4 + 40 * 4
    marks = 4 * (2 * N - 1)
    assert assert_leads_both_ways(large, less).nbytes < OWN_BYTES + rows + marks + 1000
    assert assert_leads_both_ways(less, large).nbytes < OWN_BYTES + rows + marks + 1000


def test_a_head_that_comes_goes_or_moves_costs_that_head_and_its_rows_of_w_o(large):
    of_head, of_w_o = 3 * N * D * 4 + N, D * 40 * 4
    for after in (edits.copy_head(large, 1, "copy"), edits.add_head(large, 2, "new")):
        assert assert_leads_both_ways(large, after).nbytes < OWN_BYTES + of_head + of_w_o + 1000
    assert (
        assert_leads_both_ways(large, edits.remove_head(large, 3)).nbytes
        < OWN_BYTES + of_head + of_w_o + 1000
    )
    moved = edits.move_head(large, 0, 3)
    assert assert_leads_both_ways(large, moved).nbytes < OWN_BYTES + 2 * large.w_o.nbytes + 1000


def test_a_head_that_is_there_twice_keeps_its_place():
    q = np.ones((2, 1), np.float32)
    head = Head("twice", q, q, q)
    inputs = Inputs("", ("a", "b"), (head, head, head))
    changed = edits.set_vector_value(inputs, 1, "q", 0, 0, 5.0)
    step = assert_leads_both_ways(inputs, changed)
    assert not step.values


def test_a_renamed_token_of_a_long_text_costs_its_letters(large):
    tokens = (*large.tokens[:100], "renamed", *large.tokens[101:])
    renamed = edits.rearrange_tokens(large, " ".join(tokens), tokens, range(N))
    assert assert_leads_both_ways(large, renamed).nbytes < OWN_BYTES + 1000


def test_dimensions_that_come_are_kept_and_not_the_table(large):
    wider = edits.resize_head(large, 0, D + 1, D)
    assert assert_leads_both_ways(large, wider).nbytes < OWN_BYTES + 2 * N * 4 + 1000


@given(st.text("ab", max_size=300), st.text("ab", max_size=300))
def test_a_splice_of_texts_leads_both_ways(before, after):
    before, after = before + "x" * 256, after + "x" * 256
    splice = Splice.between(before, after)
    assert splice.applied(before, forward=True) == after
    assert splice.applied(after, forward=False) == before


def test_a_splice_tells_minus_zero_from_zero():
    before = np.zeros((5000, 2), np.float32)
    after = np.zeros((4999, 2), np.float32)
    after[4000] = -0.0
    splice = Splice.between(before, after)
    assert np.signbit(splice.applied(before, forward=True)[4000]).all()
    assert not np.signbit(splice.applied(after, forward=False)).any()


@given(
    before=st.text("ab", min_size=0, max_size=300),
    after=st.text("ab", min_size=0, max_size=300),
    start=st.text("xy", max_size=300),
    end=st.text("xy", max_size=300),
)
def test_a_splice_of_long_texts_keeps_the_piece_between_and_gives_both_back(before, after, start, end):
    old, new = start + before + end, start + after + end
    for one, other in ((old, new), (tuple(old), tuple(new))):
        splice = Splice.between(one, other)
        if splice is None:  # a short text is kept whole
            assert max(len(old), len(new)) < 256
            assert isinstance(one, str)
            continue
        assert splice.applied(one, forward=True) == other
        assert splice.applied(other, forward=False) == one
        assert len(splice.before) <= len(before)
        assert len(splice.after) <= len(after)
