"""Sliders of the selected token's q: dragging, keys, numbers, many dimensions and many heads."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollArea, QWidget

from attnviz.core import edits
from attnviz.core.inputs import Head, Inputs
from attnviz.core.selection import Selection
from attnviz.gui.editors.head_sliders import HeadSliders
from attnviz.gui.editors.query_sliders import QuerySliders
from attnviz.gui.editors.value_bars import ValueBars
from attnviz.gui.editors.value_slider import ValueSlider, bound_for, step_for
from attnviz.gui.number_field import NumberField
from tests.gui.editors.hands import drag, mouse, wheel


@pytest.fixture
def sliders(desk):
    return desk.put(QuerySliders, 300, 500)


def slider(desk, name: str = "q/0/1") -> ValueSlider:
    return desk.find(ValueSlider, name)


def q_of(desk, head: int = 0) -> list[float]:
    return desk.inputs.heads[head].q[6].tolist()


def test_each_dimension_of_each_head_has_a_slider_and_a_number(desk, sliders):
    assert slider(desk).exact_value == 1.5
    assert desk.find(NumberField, "q/0/1/number").text() == "1.5"
    assert slider(desk, "q/1/1").exact_value == 1.0
    assert slider(desk).accessibleName() == "q, head 意味, dimension 食べ物"
    assert desk.gestures == []


def test_a_drag_asks_all_the_way_with_one_gesture(desk, sliders):
    one = slider(desk)
    y = one.height() / 2
    drag(one, (one.x_of(15), y), (one.x_of(5), y), (one.x_of(-7), y), (one.x_of(20), y))
    assert q_of(desk)[1] == 2.0
    assert len(desk.gestures) == 3
    assert len(set(desk.gestures)) == 1
    assert desk.gestures[0] != ""


def test_two_drags_are_two_gestures(desk, sliders):
    one = slider(desk)
    y = one.height() / 2
    drag(one, (one.x_of(15), y), (one.x_of(5), y))
    drag(one, (one.x_of(5), y), (one.x_of(15), y))
    assert len(set(desk.gestures)) == 2


def test_a_press_on_the_line_goes_there(desk, sliders):
    one = slider(desk)
    drag(one, (one.x_of(-20), one.height() / 2))
    assert q_of(desk)[1] == -2.0


def test_a_press_on_the_knob_changes_nothing(desk, sliders):
    one = slider(desk)
    drag(one, (one.x_of(15) + 3, one.height() / 2))
    assert desk.gestures == []


def test_keys_step_by_a_tenth_and_are_one_gesture_until_the_focus_changes(desk, sliders):
    one = slider(desk)
    one.setFocus()
    QTest.keyClick(one, Qt.Key.Key_Right)
    QTest.keyClick(one, Qt.Key.Key_Up)
    QTest.keyClick(one, Qt.Key.Key_PageDown)
    assert q_of(desk)[1] == np.float32(0.7)
    assert len(set(desk.gestures)) == 1
    slider(desk, "q/0/2").setFocus()
    one.setFocus()
    QTest.keyClick(one, Qt.Key.Key_Home)
    assert q_of(desk)[1] == -3.0
    assert len(set(desk.gestures)) == 2


def test_the_wheel_scrolls_unless_the_slider_has_the_focus(desk, sliders):
    one = slider(desk)
    desk.find(NumberField, "q/0/0/number").setFocus()
    assert not wheel(one, 120).isAccepted()
    assert desk.gestures == []
    one.setFocus()
    wheel(one, 120)
    assert q_of(desk)[1] == np.float32(1.6)


def test_a_number_between_two_steps_is_kept_and_stepped_from(desk, sliders):
    desk.set(edits.set_vector_value(desk.inputs, 0, "q", 6, 1, 0.123))
    one = slider(desk)
    assert desk.gestures == []
    assert one.exact_value == pytest.approx(0.123)
    one.setFocus()
    QTest.keyClick(one, Qt.Key.Key_Right)
    assert q_of(desk)[1] == np.float32(0.2)
    desk.set(edits.set_vector_value(desk.inputs, 0, "q", 6, 1, 0.18))
    QTest.keyClick(one, Qt.Key.Key_Right)
    assert q_of(desk)[1] == np.float32(0.2)


def test_the_range_widens_for_a_number_outside_and_stays_under_the_hand(desk, sliders):
    one = slider(desk)
    assert one.bound == 3.0
    desk.set(edits.set_vector_value(desk.inputs, 0, "q", 6, 1, 4.5))
    assert one.bound == 5.0
    one.setFocus()
    QTest.keyClick(one, Qt.Key.Key_Home)
    QTest.keyClick(one, Qt.Key.Key_End)
    assert q_of(desk)[1] == 5.0
    desk.set(edits.set_vector_value(desk.inputs, 0, "q", 6, 1, 1.0))
    assert one.bound == 5.0
    desk.choose(Selection(0, 5, 2))
    assert one.bound == 3.0


@pytest.mark.parametrize(
    ("value", "bound", "step"),
    [(0, 3, 0.1), (-3, 3, 0.1), (3.1, 5, 0.1), (-20, 20, 0.1), (51, 100, 1), (1e6, 1e6, 1e4)],
)
def test_ranges_end_at_round_numbers(value, bound, step):
    assert bound_for(value) == bound
    assert step_for(bound) == pytest.approx(step)


def test_a_typed_number_is_a_step_of_its_own(desk, sliders):
    field = desk.find(NumberField, "q/0/0/number")
    field.setFocus()
    QTest.keyClicks(field, "2.25\r")
    assert q_of(desk)[0] == 2.25
    assert desk.gestures == [""]
    assert slider(desk, "q/0/0").exact_value == 2.25
    assert field.text() == "2.25"


def test_a_bad_number_is_refused_in_place(desk, sliders):
    field = desk.find(NumberField, "q/0/0/number")
    field.setFocus()
    QTest.keyClicks(field, "1_000\r")
    assert desk.refusals == ["“1_000” is not a number; write digits such as 0.75 or -2."]
    assert field.text() == "1.0"


def test_a_refresh_keeps_the_focus_and_asks_for_nothing(desk, sliders):
    one = slider(desk)
    one.setFocus()
    desk.set(edits.set_vector_value(desk.inputs, 0, "q", 6, 1, -2.0))
    assert one.hasFocus()
    assert slider(desk) is one
    assert desk.gestures == []


def test_where_nobody_takes_the_number_the_knob_goes_back(desk, sliders):
    desk.is_deaf = True
    one = slider(desk)
    one.setValue(-10)
    assert len(desk.gestures) == 1
    assert one.value() == 15


def test_a_slider_of_another_head_chooses_that_head_first(desk, sliders):
    one = slider(desk, "q/1/0")
    drag(one, (one.x_of(10), 12), (one.x_of(-10), 12))
    assert desk.selection.head == 1
    assert q_of(desk, 1) == [-1.0, 1.0]


def test_the_title_names_the_token_as_plain_text(desk, sliders):
    title = desk.find(QWidget, "query_sliders/title")
    assert title.text == "q of “それ”"
    tokens = list(desk.inputs.tokens)
    tokens[6] = "<b>\t"
    desk.set(Inputs("x", tuple(tokens), desk.inputs.heads))
    assert title.text == "q of “<b>⇥”"


def test_names_stand_above_where_they_do_not_fit_beside(desk, sliders):
    desk.set(edits.rename_dimension(desk.inputs, 0, "q", 0, "a name of many words"))
    sliders.resize(230, 500)
    group = desk.editor.findChildren(HeadSliders)[0]
    label = group._labels[0]
    field, one = desk.find(NumberField, "q/0/0/number"), slider(desk, "q/0/0")
    group.layout().activate()
    assert label.geometry().bottom() <= one.geometry().top()
    assert label.width() >= label.sizeHint().width()
    assert field.geometry().right() < 230


# --- many heads


def many_heads(inputs: Inputs, count: int) -> Inputs:
    head = inputs.heads[0]
    return Inputs(inputs.text, inputs.tokens, (head,) * count)


def test_of_many_heads_only_the_active_one_is_unfolded(desk, sliders):
    desk.set(many_heads(desk.inputs, 12))
    assert sorted(s.objectName() for s in sliders.findChildren(ValueSlider)) == [f"q/0/{d}" for d in range(4)]
    desk.choose(Selection(7, 6, 2))
    assert slider(desk, "q/7/1").exact_value == 1.5
    assert sliders.findChild(ValueSlider, "q/0/1") is None


def test_a_click_on_a_heading_unfolds_and_folds_a_head(desk, sliders):
    desk.set(many_heads(desk.inputs, 12))
    heading = desk.find(QWidget, "q/3/heading")
    QTest.mouseClick(heading, Qt.MouseButton.LeftButton)
    assert slider(desk, "q/3/1").exact_value == 1.5
    QTest.mouseClick(heading, Qt.MouseButton.LeftButton)
    assert sliders.findChild(ValueSlider, "q/3/1") is None


# --- many dimensions


@pytest.fixture
def bars(desk, sliders) -> ValueBars:
    q = np.zeros((10, 64), np.float32)
    q[6] = np.linspace(-1, 1, 64)
    desk.set(Inputs("x", desk.inputs.tokens, (Head("wide", q, q, q), desk.inputs.heads[1])))
    return desk.find(ValueBars, "q/0")


def test_many_dimensions_are_bars_in_one_widget(desk, sliders, bars):
    assert sliders.findChild(ValueSlider, "q/0/1") is None
    assert sliders.findChild(ValueSlider, "q/1/1") is not None
    assert desk.gestures == []


def test_dragging_a_bar_sets_its_number_with_one_gesture(desk, bars):
    rect = bars.bar_rect(40)
    x, middle = rect.center().x(), rect.center().y()
    drag(bars, (x, middle), (x, middle - 12), (x, rect.top()))
    assert desk.inputs.heads[0].q[6, 40] == 3.0
    assert len(set(desk.gestures)) == 1
    assert bars.current == 40


def test_a_press_alone_changes_no_bar(desk, bars):
    rect = bars.bar_rect(3)
    drag(bars, (rect.center().x(), rect.top() + 2))
    assert desk.gestures == []
    assert bars.current == 3


def test_bars_are_reached_and_changed_by_keys(desk, bars):
    bars.setFocus()
    QTest.keyClick(bars, Qt.Key.Key_End)
    QTest.keyClick(bars, Qt.Key.Key_Left)
    QTest.keyClick(bars, Qt.Key.Key_Delete)
    QTest.keyClick(bars, Qt.Key.Key_Up)
    assert desk.inputs.heads[0].q[6, 62] == np.float32(0.1)
    assert len(set(desk.gestures)) == 1


def test_the_current_bar_has_a_number_field(desk, bars):
    bars.set_current(5)
    field = desk.find(NumberField, "q/0/number")
    field.setFocus()
    QTest.keyClicks(field, "7.5\r")
    assert desk.inputs.heads[0].q[6, 5] == 7.5
    assert bars.bound == 10.0
    assert "5" in bars.accessibleDescription()


def test_hovering_a_bar_shows_its_name_and_number(desk, bars):
    rect = bars.bar_rect(63)
    mouse(bars, QMouseEvent.Type.MouseMove, rect.center().x(), rect.center().y())
    assert desk.find(NumberField, "q/0/number").text() == "1.0"


def test_the_sliders_of_the_active_head_are_in_sight_however_many_heads_there_are(desk, sliders):
    desk.set(replace(desk.inputs, heads=desk.inputs.heads[:1] * 30))
    for head in (29, 3, 15, 0):
        desk.choose(Selection(head, 6, 2))
        for name in ("heading", "0/number"):
            assert desk.find(QWidget, f"q/{head}/{name}").visibleRegion().boundingRect().height() >= 20


def test_a_group_stays_under_the_hand_that_chooses_its_head(desk, sliders):
    desk.set(replace(desk.inputs, heads=desk.inputs.heads[:1] * 3))
    sliders.resize(300, 200)
    field = desk.find(NumberField, "q/1/0/number")
    sliders.findChild(QScrollArea).ensureWidgetVisible(field, 0, 0)
    place = field.mapTo(sliders, field.rect().center())
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_Up)
    assert desk.selection.head == 1
    assert field.mapTo(sliders, field.rect().center()) == place
