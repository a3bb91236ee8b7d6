"""A person drags sliders of それ: its attention moves from 魚 to 猫, and one undo takes a drag back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt

from attnviz.gui.editors.value_slider import ValueSlider
from tests.journeys.window_eyes import WEIGHT

PUBLISHED = ["18.8%", "1.5%", "65.7%", "1.5%", "6.1%", "2.5%", "3.7%", "—", "—", "—"]
ANIMAL, FOOD = "q/0/0", "q/0/1"


def place_of(slider: ValueSlider, value: float) -> QPoint:
    return QPoint(round(slider.x_of(value * 10)), slider.height() // 2)


def drag_to(person, name: str, *values: float) -> None:
    """Drag a slider's knob over values and let it go at the last."""
    slider = person.control(name, ValueSlider)
    person.drag(slider, place_of(slider, slider.exact_value), *(place_of(slider, value) for value in values))
    person.settle()


def test_without_food_and_with_more_animal_sore_attends_to_the_cat(person):
    assert person.largest_bar() == "魚"
    drag_to(person, FOOD, 1.0, 0.4, 0.0)
    drag_to(person, ANIMAL, 1.6, 2.4)
    assert (person.field(f"{FOOD}/number"), person.field(f"{ANIMAL}/number")) == ("0.0", "2.4")
    assert person.largest_bar() == "猫"
    assert person.bars()[0] == f"{person.cells('weights', 6)[0]}%"
    assert max(person.arithmetic(WEIGHT)[:7]) == person.arithmetic(WEIGHT)[0]
    assert person.bar_pixels(0) > 5 * person.bar_pixels(2)


def test_the_picture_follows_while_the_button_is_still_down(person):
    slider = person.control(FOOD, ValueSlider)
    person.press(slider, place_of(slider, 1.5))
    seen = []
    for value in (1.0, 0.5, 0.0, -1.0):
        person.move(slider, place_of(slider, value))
        person.settle()
        percent = float(person.cells("weights", 6)[2])
        assert person.bars()[2] == f"{percent}%"
        assert 100 * float(person.arithmetic(WEIGHT)[2]) == pytest.approx(percent, abs=0.1)
        seen.append(percent)
    assert seen == sorted(seen, reverse=True)
    assert len(set(seen)) == 4
    person.release(slider, place_of(slider, -1.0))


def test_a_drag_of_many_steps_is_one_undo_step(person):
    drag_to(person, FOOD, *(1.5 - step / 10 for step in range(1, 31)))
    assert person.field(f"{FOOD}/number") == "−1.5"
    person.shortcut("Ctrl+Z")
    person.settle()
    assert person.bars() == PUBLISHED
    assert person.field(f"{FOOD}/number") == "1.5"
    assert not person.window.deeds["undo"].isEnabled()
    person.shortcut("Ctrl+Shift+Z")
    person.settle()
    assert person.field(f"{FOOD}/number") == "−1.5"


def test_two_drags_are_two_undo_steps_taken_back_one_by_one(person):
    drag_to(person, FOOD, 0.0)
    drag_to(person, FOOD, 3.0)
    person.click("undo")
    person.settle()
    assert person.field(f"{FOOD}/number") == "0.0"
    person.click("undo")
    person.settle()
    assert person.bars() == PUBLISHED


def test_a_slider_moves_by_its_keys_and_by_the_wheel_while_it_has_the_keyboard(person):
    person.click(FOOD, place_of(person.control(FOOD, ValueSlider), 1.5))
    for key, shown in ((Qt.Key.Key_Right, "1.6"), (Qt.Key.Key_PageDown, "0.6"), (Qt.Key.Key_Home, "−3.0")):
        person.key(key)
        person.settle()
        assert person.field(f"{FOOD}/number") == shown
    person.wheel(FOOD, QPoint(30, 12), 1)
    person.settle()
    assert person.field(f"{FOOD}/number") == "−2.9"


def test_a_number_outside_widens_its_slider(person):
    person.enter_number(f"{FOOD}/number", "7.5")
    slider = person.control(FOOD, ValueSlider)
    assert slider.x_of(75) < slider.width() - 8
    drag_to(person, FOOD, 9.0, 8.0)
    assert float(person.field(f"{FOOD}/number")) == pytest.approx(8.0, abs=0.3)


def test_dragging_in_another_head_brings_that_head_to_the_front(person):
    slider = person.control("q/1/0", ValueSlider)
    drag_to(person, "q/1/0", slider.exact_value + 1)
    assert person.head_in_front() == "previous"
