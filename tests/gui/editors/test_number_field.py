"""A field for one number: what is typed, refused, stepped to and composed."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QHBoxLayout, QWidget

from attnviz.gui.number_field import NumberField, fitting_text, number_text
from tests.gui.editors.hands import commit, compose


@pytest.fixture
def place(qtbot):
    """A window with the field and something else to go to."""
    window = QWidget()
    qtbot.addWidget(window)
    window.field, window.other = NumberField(window), NumberField(window)
    row = QHBoxLayout(window)
    row.addWidget(window.field)
    row.addWidget(window.other)
    window.field.set_value(1.5)
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    window.entered, window.refused = [], []
    window.field.value_entered.connect(window.entered.append)
    window.field.refused.connect(lambda error: window.refused.append(str(error)))
    return window


def test_nothing_is_said_while_typing(place):
    place.field.setFocus()
    QTest.keyClicks(place.field, "0.05")
    assert place.field.text() == "0.05"
    assert place.entered == []


def test_enter_says_the_number_once(place):
    place.field.setFocus()
    QTest.keyClicks(place.field, "-0.75\r")
    place.other.setFocus()
    assert place.entered == [-0.75]
    assert place.field.gesture == ""


def test_leaving_the_field_says_the_number(place):
    place.field.setFocus()
    QTest.keyClicks(place.field, "2")
    place.other.setFocus()
    assert place.entered == [2.0]


def test_leaving_an_unchanged_field_says_nothing(place):
    place.field.set_value(0.12345679)  # shown with fewer digits
    place.field.setFocus()
    place.other.setFocus()
    assert place.entered == []


@pytest.mark.parametrize(
    "text", ["nan", "inf", "-inf", "1e400", "1_000", "abc", "0,75", "", "  ", "1e7", "--1"]
)
def test_a_bad_number_is_refused_and_the_old_one_shown(place, text):
    place.field.setFocus()
    place.field.selectAll()
    place.field.insert(text)
    QTest.keyClick(place.field, Qt.Key.Key_Return)
    assert place.entered == []
    assert len(place.refused) == 1
    assert place.field.text() == "1.5"


def test_a_decimal_comma_is_refused_with_the_way_to_write_it(place):
    place.field.setFocus()
    QTest.keyClicks(place.field, "0,75\r")
    assert "0.75" in place.refused[0]


def test_full_width_digits_of_an_input_method_are_taken(place):
    place.field.setFocus()
    place.field.selectAll()
    compose(place.field, "２")
    commit(place.field, "－２．５")
    QTest.keyClick(place.field, Qt.Key.Key_Return)
    assert place.entered == [-2.5]


def test_a_refresh_leaves_composed_text_alone(place):
    place.field.setFocus()
    place.field.selectAll()
    compose(place.field, "２")
    place.field.set_value(9.0)
    commit(place.field, "２")
    assert place.field.text() == "２"


def test_a_refresh_leaves_what_is_being_typed_alone_and_esc_brings_the_new_number(place):
    place.field.setFocus()
    QTest.keyClicks(place.field, "7")
    place.field.set_value(3.0)
    assert place.field.text() == "7"
    QTest.keyClick(place.field, Qt.Key.Key_Escape)
    assert place.field.text() == "3.0"
    assert place.entered == []


def test_steps_by_keys_are_one_gesture_until_the_focus_changes(place):
    place.field.setFocus()
    gestures = []
    place.field.value_entered.connect(
        lambda value: (gestures.append(place.field.gesture), place.field.set_value(value))
    )
    QTest.keyClick(place.field, Qt.Key.Key_Up)
    QTest.keyClick(place.field, Qt.Key.Key_Up)
    place.other.setFocus()
    place.field.setFocus()
    QTest.keyClick(place.field, Qt.Key.Key_PageDown)
    assert place.entered == [1.6, 1.7, 0.7]
    assert gestures[0] == gestures[1] != gestures[2]
    assert all(gestures)


def test_the_number_goes_back_where_nobody_takes_it(place):
    place.field.setFocus()
    QTest.keyClicks(place.field, "2\r")
    assert place.field.text() == "1.5"


def test_everything_is_selected_on_a_click(place):
    place.other.setFocus()
    QTest.mouseClick(place.field, Qt.MouseButton.LeftButton)
    assert place.field.selectedText() == "1.5"


def test_the_width_does_not_follow_the_number(place):
    width = place.field.sizeHint().width()
    place.field.set_value(-123456.78)
    assert place.field.sizeHint().width() == width


def test_a_whole_number_field_refuses_a_fraction(qtbot):
    field = NumberField(whole=True, minimum=1, maximum=16)
    qtbot.addWidget(field)
    refused = []
    field.refused.connect(lambda error: refused.append(str(error)))
    field.set_value(4)
    field.setText("2.5")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert refused == ["“2.5” is not a whole number; write digits such as 4."]
    assert field.text() == "4"


@pytest.mark.parametrize(
    ("value", "shown", "whole"),
    [
        (1.0, "1.0", "1.0"),
        (-0.5, "−0.5", "−0.5"),
        (0.12345679, "0.1235", "0.12345679"),
        (-12.345678, "−12.346", "−12.345678"),
        (1e-9, "1e−9", "1e−9"),
        (1.2345e-16, "1.2e−16", "1.2345e−16"),
        (1e6, "1000000", "1000000.0"),
        (float("-inf"), "−∞", "−∞"),
    ],
)
def test_numbers_fit_into_seven_characters(value, shown, whole):
    assert fitting_text(value) == shown
    assert number_text(value) == whole
