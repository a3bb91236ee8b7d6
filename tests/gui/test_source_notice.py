"""What is said when an edit has changed where a head's vectors come from."""

import numpy as np
import pytest

from attnviz.core import edits, key_edits
from attnviz.core import projection_edits as layer
from attnviz.core.inputs import Head, Inputs
from attnviz.gui.source_notice import SourceNotice


@pytest.fixture
def inputs() -> Inputs:
    rng = np.random.default_rng(0)
    heads = tuple(Head(name, *rng.standard_normal((3, 4, 2)).astype(np.float32)) for name in ("one", "two"))
    return Inputs("", tuple("abcd"), heads)


@pytest.fixture
def said(qapp):
    sentences: list[str] = []
    notice = SourceNotice()
    notice.told.connect(sentences.append)

    def compare(before: Inputs, after: Inputs, gesture: str = "") -> list[str]:
        sentences.clear()
        notice.compare(before, after, gesture)
        return list(sentences)

    return compare


def test_a_head_that_comes_to_x_is_named_with_what_became_of_its_numbers(inputs, said):
    derived = layer.start_projection(inputs, 0)
    assert said(inputs, derived) == ["q, k and v of head “one” come from x · W now; no number has changed."]
    narrow = layer.resize_x(derived, 1)
    both = layer.start_projection(narrow, 1)
    moved = max(
        np.abs(getattr(both.heads[1], which) - getattr(narrow.heads[1], which)).max() for which in "qkv"
    )
    (sentence,) = said(narrow, both)
    assert float(sentence.rpartition("up to ")[2].rstrip(".")) == pytest.approx(moved, abs=0.006)


def test_a_drag_says_it_with_every_step_and_the_next_edit_not_at_all(inputs, said):
    before = layer.start_projection(inputs, 0)
    steps = [edits.set_vector_value(before, 0, "q", 1, 0, value) for value in (0.1, 0.2, 0.3)]
    first = said(before, steps[0], "q/0/0@1#7")
    assert "Head “one” is one of vectors now" in first[0]
    assert said(steps[0], steps[1], "q/0/0@1#7") == first
    assert said(steps[1], steps[2], "q/0/1@1#8") == []
    assert said(steps[2], steps[0], "q/0/0@1#7") == []


def cross(n_query: int, n_key: int) -> Inputs:
    rng = np.random.default_rng(0)
    q, k = (rng.standard_normal((count, 2)).astype(np.float32) for count in (n_query, n_key))
    queries, keys = (tuple(map(str, range(count))) for count in (n_query, n_key))
    return Inputs("", queries, (Head("one", q, k, k),), key_tokens=keys)


def test_keys_that_are_cut_with_the_end_of_cross_attention_are_told_of(said):
    for inputs, words in (
        (cross(3, 5), "The last 2 keys were cut, for there are only 3 tokens; undo brings them back."),
        (cross(3, 4), "The last key was cut, for there are only 3 tokens; undo brings it back."),
    ):
        assert said(inputs, key_edits.join_keys(inputs)) == [words]
    for n_key in (2, 3):
        assert said(cross(3, n_key), key_edits.join_keys(cross(3, n_key))) == []
    shorter = key_edits.rearrange_keys(cross(3, 5), "", ("a",), (0,))
    assert said(cross(3, 5), shorter) == []  # that was asked for


def test_other_edits_and_heads_that_change_places_say_nothing(inputs, said):
    derived = layer.start_projection(inputs, 0)
    assert said(inputs, edits.set_vector_value(inputs, 0, "q", 1, 0, 0.1)) == []
    assert said(derived, layer.set_x_block(derived, 0, 0, [[2.0]])) == []
    assert said(derived, edits.move_head(derived, 0, 1)) == []
    assert said(derived, edits.copy_head(derived, 0, "copy")) == []
    assert said(derived, edits.remove_head(derived, 0)) == []
    assert said(derived, derived, "") == []
