"""A person changes what is hidden, and what hidden scores become."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLabel

from attnviz.engine.arrays import inputs_from_arrays


def hidden_cells(person) -> int:
    panel = person.panel("weights")
    return sum(panel.is_hatched(query, key) for query in range(10) for key in range(10))


def look_at_cat(person) -> None:
    person.click("token/0")
    person.settle()


@pytest.mark.parametrize("way", ["checkbox", "Ctrl+M", "list"])
def test_without_the_mask_the_cat_sees_the_fish_and_what_it_ate(person, way):
    look_at_cat(person)
    assert person.bars() == ["100.0%", *["—"] * 9]
    if way == "checkbox":
        person.click("mask")
    elif way == "list":
        person.pick("mask_kind", "none")
    else:
        person.shortcut(way)
    person.settle()
    assert hidden_cells(person) == 0
    fish, ate = (float(person.bars()[key].rstrip("%")) for key in (2, 4))
    assert fish > 5
    assert ate > 5
    assert person.bar_pixels(2) > 0
    assert len(person.cells("weights", 0)) == 10


def test_checkbox_menu_and_list_say_the_same(person):
    for act, kind in ((lambda: person.click("mask"), "none"), (lambda: person.shortcut("Ctrl+M"), "causal")):
        act()
        person.settle()
        assert person.control("mask").isChecked() == (kind == "causal")
        assert person.control("mask_kind").currentData() == kind
        assert person.window.deeds["toggle_mask"].isChecked() == (kind == "causal")
    assert hidden_cells(person) == 45


def test_hiding_the_future_again_brings_the_published_numbers_back(person):
    person.click("mask")
    person.settle()
    assert person.bars()[8] != "—"
    person.click("mask")
    person.settle()
    assert person.bars() == ["18.8%", "1.5%", "65.7%", "1.5%", "6.1%", "2.5%", "3.7%", "—", "—", "—"]


def test_a_large_finite_mask_value_hides_as_well_but_an_ordinary_one_leaks(person):
    person.pick("mask_fill", "-1e9")
    person.settle()
    assert person.panel("masked").title() == "mask  hidden: −1e9"
    assert person.bars()[7:] == ["—", "—", "—"]
    person.pick("mask_fill", "number")
    person.enter_number("mask_fill/number", "0.5")
    assert person.panel("masked").title() == "mask  hidden: 0.5"
    leaked = [float(text.rstrip("%")) for text in person.bars()[7:]]
    assert leaked == [leaked[0]] * 3
    assert leaked[0] > 1
    total = sum(float(text.rstrip("%")) for text in person.bars())
    assert total == pytest.approx(100, abs=0.6)
    person.move(person.window.parts.stages.viewport(), person.panel("weights").cell_rect(6, 9).center())
    assert "Hidden, yet it gets weight" in person.window.parts.stages.hover_text()


def test_the_mask_panel_can_show_m_itself(person):
    person.choose("view", "mask_panel", "mask_panel/m")
    assert person.panel("masked").title().startswith("M")
    assert person.panel("masked").shown_number(6, 2) == "0"
    assert person.panel("masked").shown_number(6, 9) == "−∞"
    person.choose("view", "mask_panel", "mask_panel/scores")
    assert person.panel("masked").shown_number(6, 2) == "2.75"


def test_every_change_of_the_mask_can_be_undone(person):
    person.pick("mask_fill", "-1e9")
    person.pick("mask_kind", "none")
    person.settle()
    person.shortcut("Ctrl+Z")
    person.shortcut("Ctrl+Z")
    person.settle()
    assert person.control("mask_fill").currentData() == "-inf"
    assert hidden_cells(person) == 45
    assert not person.window.isWindowModified()


@pytest.fixture
def one_row_hidden(sit_down):
    """A person before three tokens, the second of which may attend to nothing."""
    allowed = np.ones((3, 3), bool)
    allowed[1] = False
    vectors = np.eye(3)
    return sit_down(inputs_from_arrays(vectors, vectors, vectors, tokens=["a", "b", "c"], mask=allowed))


def test_a_row_with_no_key_to_attend_to_has_no_weights_and_says_so(one_row_hidden):
    person = one_row_hidden
    person.click("token/1")
    person.settle()
    assert person.bars() == ["—"] * 3
    assert person.output() == ["0.00"] * 3
    assert person.cells("weights", 1) == []
    assert "attends to nothing" in person.control("weights_of_query/empty", QLabel).text()
    assert "no key may be attended" in person.terms()


def test_with_a_finite_mask_value_such_a_row_becomes_uniform(one_row_hidden):
    person = one_row_hidden
    person.click("token/1")
    person.pick("mask_fill", "-1e9")
    person.settle()
    assert person.bars() == ["33.3%"] * 3
    assert person.output() == ["0.33"] * 3
    assert not person.window.parts.weights.empty_text()


def test_a_mask_of_one_s_own_is_shown_and_keeps_its_cells_when_the_future_is_hidden(one_row_hidden):
    person = one_row_hidden
    assert person.control("mask_kind", QComboBox).currentData() == "custom"
    assert person.control("mask").checkState() == Qt.CheckState.PartiallyChecked
    person.click("mask")
    person.settle()
    assert person.control("mask").checkState() == Qt.CheckState.Checked
    assert [person.panel("weights").is_hatched(1, key) for key in range(3)] == [True] * 3
    assert [person.panel("weights").is_hatched(0, key) for key in range(3)] == [False, True, True]
    person.pick("mask_kind", "causal")
    person.settle()
    assert not person.panel("weights").is_hatched(1, 0)
    person.shortcut("Ctrl+Z")
    person.shortcut("Ctrl+Z")
    person.settle()
    assert person.control("mask").checkState() == Qt.CheckState.PartiallyChecked
