"""A person opens the other examples: the article's hand calculation, and the same idea in English."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel

from attnviz.gui.views.head_outputs import HeadOutputs
from tests.journeys.window_eyes import KEY, SCALED, SCORE, WEIGHT


def test_the_toy_shows_the_true_values_of_the_hand_calculation(person):
    person.choose("presets", "preset/toy")
    person.settle()
    assert person.tokens() == ["猫", "魚", "それ"]
    assert person.selected_token() == "それ"
    assert person.cells("scores", 2) == ["0.00", "4.00", "2.00"]
    assert person.cells("scaled", 2) == ["0.00", "2.83", "1.41"]
    person.open_tab("arithmetic")
    assert person.arithmetic(SCORE) == ["0.00", "4.00", "2.00"]
    assert person.arithmetic(SCALED) == ["0.00", "2.83", "1.41"]
    assert person.arithmetic(WEIGHT) == ["0.045", "0.768", "0.187"]
    assert person.terms().endswith("weight × v = [0.277, 1.723]")
    assert person.output() == ["0.28", "1.72"]
    person.open_tab("heads_to_output")
    outputs = person.control("head_outputs", HeadOutputs)
    person.until(lambda: outputs.shown_text(0, 2, 0))
    assert [outputs.shown_text(0, 2, dim) for dim in (0, 1)] == ["0.28", "1.72"]


def test_the_note_replays_the_hand_calculation_and_can_be_put_away(person):
    person.choose("presets", "preset/toy")
    person.settle()
    note = person.control("note/text", QLabel).text()
    for number in ("16.95", "22.05", "0.769", "0.186", "[0.276, 1.724]", "[0.277, 1.723]"):
        assert number in note
    person.click("note/close")
    assert not person.window.parts.note.isVisible()
    assert person.tab() == "arithmetic"
    assert person.arithmetic(WEIGHT) == ["0.045", "0.768", "0.187"]


def test_the_note_goes_with_its_example(person):
    person.choose("presets", "preset/toy")
    person.choose("presets", "preset/neko")
    person.settle()
    assert not person.window.parts.note.isVisible()
    assert person.bars()[2] == "65.7%"


def test_in_english_it_attends_to_the_fish(person):
    person.choose("presets", "preset/english")
    person.settle()
    assert person.tokens() == ["The", "cat", "ate", "the", "fish", ".", "It", "was", "fresh", "."]
    assert person.selected_token() == "It"
    assert person.largest_bar() == "fish"
    assert person.arithmetic(KEY)[4] == "fish"
    assert not person.window.isWindowModified()
    person.shortcut("Ctrl+2")
    person.settle()
    assert person.largest_bar() == "."
