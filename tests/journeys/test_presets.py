"""A person opens the other examples: the article's hand calculation, and the same idea in English."""

from __future__ import annotations

import threading

from PySide6.QtWidgets import QLabel, QWidget

from attnviz.gui import files
from attnviz.gui.views.head_outputs import HeadOutputs
from attnviz.io.reading import tell
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


def test_a_person_works_on_while_a_large_preset_is_made_and_may_cancel_it(person, monkeypatch):
    gate, make = threading.Event(), files.load_preset

    def wait_and_make(name, language=None, watch=None):
        while watch is not None and not gate.wait(0.01):
            tell(watch, 0.25)
        return make(name, language, watch)

    monkeypatch.setattr(files, "load_preset", wait_and_make)
    person.choose("presets", "preset/andrea")
    person.click("token/3")
    person.until(person.window.live.is_up_to_date)
    assert person.selected_token() == "を"
    person.until(lambda: person.window.findChild(QWidget, "status/cancel").isVisible())
    assert person.control("status/progress").accessibleName().startswith("Progress: Making “")
    person.click("status/cancel")
    person.settle()
    assert person.message() == "Cancelled."
    assert person.selected_token() == "を"
    person.choose("presets", "preset/andrea")
    gate.set()
    person.until(lambda: person.window.document.preset == "andrea")
    person.settle()
    assert person.window.document.inputs.n_tokens == 1024
