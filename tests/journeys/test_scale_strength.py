"""A person changes the scale strength: large flattens the weights, small sharpens them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt

from attnviz.gui.editors.scale_strength import StrengthSlider

PUBLISHED = ["18.8", "1.5", "65.7", "1.5", "6.1", "2.5", "3.7"]


def largest(person) -> float:
    return max(float(text) for text in person.cells("weights", 6))


def drag_to(person, position: int) -> None:
    slider = person.control("scale_strength", StrengthSlider)
    middle = slider.height() // 2
    start, end = slider.x_of(slider.knob_position()), slider.x_of(position)
    person.drag(slider, *(QPoint(round(x), middle) for x in (start, (start + end) / 2, end)))
    person.settle()


def test_a_large_strength_flattens_the_weights(person):
    drag_to(person, 100)
    assert person.field("scale_strength/number") == "100.0"
    weights = [float(text) for text in person.cells("weights", 6)]
    assert max(weights) - min(weights) < 1
    assert min(person.bar_pixels(key) for key in range(7)) > 0


def test_a_small_strength_sharpens_them(person):
    drag_to(person, -100)
    assert person.field("scale_strength/number") == "0.01"
    assert person.cells("weights", 6) == ["0.0", "0.0", "100.0", "0.0", "0.0", "0.0", "0.0"]
    assert person.largest_bar() == "魚"


def test_the_weights_flatten_step_by_step_as_the_strength_grows(person):
    seen = []
    for strength in ("0.2", "0.5", "1", "2", "5", "20"):
        person.enter_number("scale_strength/number", strength)
        seen.append(largest(person))
    assert seen == sorted(seen, reverse=True)


def test_the_headings_say_what_scores_are_divided_by(person):
    assert person.panel("scaled").title() == "÷√dₖ  √4 = 2"
    person.enter_number("scale_strength/number", "2.5")
    assert person.panel("scaled").title() == "÷(√dₖ × strength)  √4 × 2.5 = 5"
    assert "÷ (√4 × 2.5) = 1.10" in person.terms()


@pytest.mark.parametrize("back", ["double_click", "undo"])
def test_one_is_found_again(person, back):
    drag_to(person, 60)
    assert person.cells("weights", 6) != PUBLISHED
    if back == "undo":
        person.shortcut("Ctrl+Z")
    else:
        person.double_click("scale_strength")
    person.settle()
    assert person.field("scale_strength/number") == "1.0"
    assert person.cells("weights", 6) == PUBLISHED


def test_a_strength_out_of_range_is_refused_and_the_old_one_stays(person):
    for text in ("0", "-1", "0.009", "100.1", "1e9"):
        person.enter_number("scale_strength/number", text)
        assert "0.01 to 100" in person.refusal()
        assert person.message() == person.refusal()
        assert person.field("scale_strength/number") == "1.0"
        assert person.cells("weights", 6) == PUBLISHED


def test_the_arrow_keys_of_the_field_step_it(person):
    person.click("scale_strength/number")
    person.key(Qt.Key.Key_Up)
    person.settle()
    assert person.field("scale_strength/number") == "1.1"
