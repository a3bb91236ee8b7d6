"""Laws of the document: one road in, one step per gesture, a way back to the very same documents."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core import edits
from attnviz.core.errors import InputError
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CausalMask, NoMask
from attnviz.core.selection import Selection
from attnviz.core.steps import OWN_BYTES
from attnviz.gui.document import Document


def small_inputs(n_tokens: int = 4, d_k: int = 2) -> Inputs:
    numbers = np.arange(n_tokens * d_k, dtype=np.float32).reshape(n_tokens, d_k)
    linked = Head("linked", numbers, -numbers, -numbers, v_is_k=True)
    plain = Head("plain", numbers, numbers + 1, numbers * 2)
    return Inputs("abcd", tuple("abcdefgh"[:n_tokens]), (plain, linked))


def remove_token(inputs: Inputs, token: int) -> Inputs:
    kept = [index for index in range(inputs.n_tokens) if index != token]
    return edits.rearrange_tokens(inputs, inputs.text, [inputs.tokens[index] for index in kept], kept)


@pytest.fixture
def document(qapp) -> Document:
    return Document(small_inputs())


def set_q(value: float):
    return lambda inputs: edits.set_vector_value(inputs, 0, "q", 1, 0, value)


an_edit = st.one_of(
    st.builds(
        lambda head, which, token, dim, value: (
            lambda inputs: edits.set_vector_value(inputs, head, which, token, dim, value)
        ),
        st.integers(0, 2),
        st.sampled_from("qkv"),
        st.integers(0, 4),
        st.integers(0, 2),
        st.sampled_from([-1.5, 0.0, 2.0, float("nan")]),
    ),
    st.sampled_from([NoMask(), CausalMask()]).map(lambda mask: lambda inputs: edits.set_mask(inputs, mask)),
    st.sampled_from([0.5, 1.0, -1.0]).map(lambda value: lambda now: edits.set_scale_strength(now, value)),
    st.booleans().map(lambda linked: lambda inputs: edits.set_v_is_k(inputs, 0, linked)),
    st.integers(0, 3).map(lambda token: lambda inputs: remove_token(inputs, token)),
    st.integers(0, 2).map(lambda head: lambda inputs: edits.copy_head(inputs, head, "copy")),
    st.integers(0, 2).map(lambda head: lambda inputs: edits.remove_head(inputs, head)),
    st.sampled_from([(1, 1), (3, 2)]).map(lambda size: lambda inputs: edits.resize_head(inputs, 0, *size)),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(an_edit, st.sampled_from(["", "drag#1", "drag#2"])), max_size=20))
def test_undo_to_the_start_and_redo_to_the_end_give_the_same_documents(qapp, steps):
    document = Document(small_inputs())
    start = document.inputs
    for edit, gesture in steps:
        document.apply(edit, gesture)
    end, moments = document.inputs, []
    while document.can_undo:
        moments.append(document.inputs)
        document.undo()
    assert document.inputs.equals(start)
    for moment in reversed(moments):
        document.redo()
        assert document.inputs.equals(moment)
    assert not document.can_redo
    assert document.inputs.equals(end)


def test_a_gesture_leaves_one_undo_step(document):
    start = document.inputs
    for step in range(500):
        document.apply(set_q(step / 10), "q/0/0#1")
    assert document.undo_steps == 1
    document.undo()
    assert document.inputs.equals(start)
    document.redo()
    assert document.inputs.heads[0].q[1, 0] == pytest.approx(49.9)


def test_two_gestures_and_edits_without_one_leave_a_step_each(document):
    for value, gesture in ((1.0, "drag#1"), (3.0, "drag#2"), (4.0, ""), (5.0, "")):
        document.apply(set_q(value), gesture)
    assert document.undo_steps == 4


def test_a_gesture_that_ends_where_it_began_leaves_no_step_and_a_clean_document(document):
    value = float(document.inputs.heads[0].q[1, 0])
    for step in (value + 1, value + 2, value):
        document.apply(set_q(step), "drag#1")
    assert document.undo_steps == 0
    assert document.is_clean


def test_after_an_undo_the_same_gesture_starts_a_new_step(document):
    document.apply(set_q(7.0), "drag#1")
    document.apply(set_q(8.0), "")
    document.undo()
    document.apply(set_q(9.0), "drag#1")
    assert document.undo_steps == 2


def test_a_refused_edit_changes_nothing_and_is_announced(document, qtbot):
    before = document.inputs
    with qtbot.waitSignal(document.refused) as refused, qtbot.assertNotEmitted(document.inputs_changed):
        document.apply(set_q(float("nan")))
    assert isinstance(refused.args[0], InputError)
    assert document.inputs is before
    assert not document.can_undo
    assert document.is_clean


def test_an_edit_that_changes_nothing_leaves_no_step(document, qtbot):
    with qtbot.assertNotEmitted(document.inputs_changed):
        document.apply(set_q(float(document.inputs.heads[0].q[1, 0])))
        document.apply(lambda inputs: small_inputs())
    assert not document.can_undo


def test_a_change_asked_for_by_a_listener_is_heard_after_the_one_being_announced(document):
    heard = []

    def first_listener(inputs: Inputs) -> None:
        if inputs.scale_strength == 2.0:
            document.apply(lambda inputs: edits.set_scale_strength(inputs, 3.0))

    document.inputs_changed.connect(first_listener)
    document.inputs_changed.connect(lambda inputs: heard.append(inputs.scale_strength))
    document.apply(lambda inputs: edits.set_scale_strength(inputs, 2.0))
    assert heard == [2.0, 3.0]
    assert document.undo_steps == 2


def test_the_selection_fits_a_smaller_document_before_anybody_hears_of_it(document):
    document.select(Selection(1, 3, 3))
    seen = []
    document.inputs_changed.connect(lambda inputs: seen.append(document.selection))
    document.apply(lambda inputs: remove_token(inputs, 0))
    assert seen == [Selection(1, 2, 2)]
    document.apply(lambda inputs: edits.remove_head(inputs, 1))
    assert document.selection == Selection(0, 2, 2)


def test_what_does_not_exist_cannot_be_selected(document):
    document.select_cell(99, -1)
    document.select_head(99)
    assert document.selection == Selection(1, 3, 0)
    document.select_cell(-5, 2)
    assert document.selection == Selection(1, 0, 2)


def test_selecting_is_no_undo_step(document):
    document.select_query(2)
    assert document.is_clean
    assert not document.can_undo


def test_replacing_the_document_ends_the_way_back(document, qtbot):
    document.apply(set_q(9.0))
    with qtbot.waitSignals([document.inputs_changed, document.path_changed, document.clean_changed]):
        document.replace(small_inputs(2), Selection(0, 1, 0), path=Path("two.attnviz"))
    assert not document.can_undo
    assert document.is_clean
    assert document.selection == Selection(0, 1, 0)
    assert document.path == Path("two.attnviz")


def test_a_saved_document_is_clean_until_edited_and_again_when_undone_to_that_moment(document):
    document.apply(set_q(9.0), "drag#1")
    document.mark_saved(Path("saved.attnviz"))
    assert document.is_clean
    document.apply(set_q(8.0), "drag#1")
    assert not document.is_clean
    document.undo()
    assert document.is_clean
    document.undo()
    assert not document.is_clean


def test_a_preset_is_untouched_until_an_edit_or_a_save(document):
    document.replace(small_inputs(), preset="neko")
    assert document.is_untouched_preset
    document.apply(set_q(9.0))
    assert not document.is_untouched_preset
    document.undo()
    document.mark_saved(Path("saved.attnviz"))
    assert document.preset is None


def test_undo_keeps_within_its_bytes_by_forgetting_the_oldest(qapp):
    document = Document(small_inputs(), undo_bytes=10 * OWN_BYTES)
    values = [10.0 + step for step in range(50)]
    for value in values:
        document.apply(set_q(value))
    assert 1 <= document.undo_steps < 20
    while document.can_undo:
        document.undo()
        values.pop()
        assert document.inputs.heads[0].q[1, 0] == values[-1]
    assert not document.is_clean  # the way back to the opened document is lost
    while document.can_redo:
        document.redo()
    assert document.inputs.heads[0].q[1, 0] == 59.0


def test_forgetting_the_oldest_steps_keeps_the_saved_moment(qapp):
    document = Document(small_inputs(), undo_bytes=10 * OWN_BYTES)
    for step in range(30):
        document.apply(set_q(10.0 + step))
    document.mark_saved(Path("saved.attnviz"))
    document.apply(set_q(50.0))
    assert not document.is_clean
    document.undo()
    assert document.is_clean


def test_the_newest_step_is_kept_however_large(qapp):
    document = Document(small_inputs(), undo_bytes=1)
    document.apply(set_q(9.0))
    assert document.undo_steps == 1
