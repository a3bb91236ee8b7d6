"""A person edits q, k and v as a table: cells, bad numbers, pasted blocks, v = k, names and sizes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QTableView

from tests.journeys.window_hands import clipboard


@pytest.fixture
def at_the_table(person):
    """The person with the tab of vectors in front."""
    person.open_tab("vectors")
    return person


def cell(person, which: str, token: int, dim: int) -> QPoint:
    table = person.control(f"vectors/{which}", QTableView)
    index = table.model().index(token, dim)
    table.scrollTo(index)
    return table.visualRect(index).center()


def choose_cell(person, which: str, token: int, dim: int) -> None:
    table = person.control(f"vectors/{which}", QTableView)
    person.click(table.viewport(), cell(person, which, token, dim))


def enter(person, which: str, token: int, dim: int, text: str) -> None:
    """Type a number into a cell, as in a spreadsheet: choose it, write, Enter."""
    choose_cell(person, which, token, dim)
    person.type(text)
    person.key(Qt.Key.Key_Return)
    person.settle()


def test_a_number_typed_into_a_cell_changes_the_picture(at_the_table):
    person = at_the_table
    enter(person, "k", 0, 1, "4")
    assert person.vectors("k")[0] == ["3.0", "4.0", "0.0", "0.0"]
    assert person.largest_bar() == "猫"
    assert person.cells("scores", 6)[0] == "9.00"
    person.click("undo")
    person.settle()
    assert person.vectors("k")[0] == ["3.0", "0.0", "0.0", "0.0"]
    assert person.bars()[2] == "65.7%"


NO_NUMBERS = {
    "nan": "“nan” is not a number",
    "inf": "“inf” is not a number",
    "-inf": "“-inf” is not a number",
    "1e400": "out of range",
    "2000000": "out of range",
    "1_000": "“1_000” is not a number",
    "abc": "“abc” is not a number",
    "1 2": "“1 2” is not a number",
    "0,75": "“0,75” has a decimal comma",
}


@pytest.mark.parametrize("which", ["q", "k"])
def test_what_is_no_number_is_refused_in_a_cell_and_the_old_value_stays(at_the_table, which):
    person = at_the_table
    before = person.vectors(which)
    for text, why in NO_NUMBERS.items():
        enter(person, which, 6, 1, text)
        assert why in person.refusal()
        assert person.message() == person.refusal()
        assert person.vectors(which) == before
    assert person.bars()[2] == "65.7%"
    assert not person.window.isWindowModified()


def test_a_slider_s_field_refuses_the_same(person):
    for text, why in NO_NUMBERS.items():
        person.enter_number("q/0/1/number", text)
        assert why in person.refusal()
        assert person.field("q/0/1/number") == "1.5"
    assert person.bars()[2] == "65.7%"


def test_a_number_may_be_written_in_any_usual_way(person):
    for text in ("0.75", ".75", "7.5e-1", "+0.75", " 0.75 "):
        person.enter_number("q/0/1/number", "2")
        person.enter_number("q/0/1/number", text)
        assert person.field("q/0/1/number") == "0.75"
        assert person.refusal() == ""


def test_a_true_minus_sign_is_read_as_it_is_written(person):
    person.click("q/0/1/number")
    person.shortcut("Ctrl+A")
    person.commit("−0.5")
    person.key(Qt.Key.Key_Return)
    person.settle()
    assert person.field("q/0/1/number") == "−0.5"


def test_a_block_from_a_spreadsheet_is_pasted_as_one_step(at_the_table):
    person = at_the_table
    QGuiApplication.clipboard().setText("1\t2\n-0.5\t1e1\n")
    choose_cell(person, "q", 2, 1)
    person.shortcut("Ctrl+V")
    person.settle()
    assert [row[1:3] for row in person.vectors("q")[2:4]] == [["1.0", "2.0"], ["−0.5", "10.0"]]
    person.click("undo")
    person.settle()
    assert [row[1:3] for row in person.vectors("q")[2:4]] == [["0.5", "0.0"], ["1.0", "0.0"]]
    assert not person.window.isWindowModified()


def test_a_block_that_cannot_be_taken_changes_nothing(at_the_table):
    person = at_the_table
    before = person.vectors("q")
    for text in ("1\tx\n2\t3", "1\t2\n3", "1\tnan", "\n".join(["1"] * 9), "1\t2\t3\t4", ""):
        QGuiApplication.clipboard().setText(text)
        choose_cell(person, "q", 2, 1)
        person.shortcut("Ctrl+V")
        person.settle()
        assert person.refusal()
        assert person.vectors("q") == before


def test_a_rectangle_is_copied_as_tab_separated_numbers(at_the_table):
    person = at_the_table
    choose_cell(person, "k", 0, 0)
    person.key(Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    person.key(Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    person.key(Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    person.shortcut("Ctrl+C")
    rows = [[float(text) for text in line.split("\t")] for line in clipboard().splitlines()]
    assert rows == [[3, 0], [0, 0], [1, 3]]


def test_v_follows_k_until_they_are_parted(at_the_table):
    person = at_the_table
    assert person.control("v_is_k").isChecked()
    enter(person, "k", 0, 0, "2")
    assert person.vectors("v")[0][0] == "2.0"
    person.click("v_is_k")
    person.settle()
    enter(person, "k", 0, 0, "1")
    assert (person.vectors("k")[0][0], person.vectors("v")[0][0]) == ("1.0", "2.0")
    before = person.bars()
    enter(person, "v", 2, 0, "9")
    assert person.bars() == before
    assert person.output()[0] != "1.23"
    person.click("v_is_k")
    person.settle()
    assert person.vectors("v") == person.vectors("k")


def test_a_dimension_is_renamed_at_its_heading(at_the_table):
    person = at_the_table
    choose_cell(person, "q", 0, 1)
    person.key(Qt.Key.Key_F2, Qt.KeyboardModifier.ShiftModifier)
    person.shortcut("Ctrl+A")
    person.commit("味")
    person.key(Qt.Key.Key_Return)
    person.settle()
    assert person.dimensions("q") == ["animal", "味", "action", "function word"]
    assert person.dimensions("k") == person.dimensions("q")
    assert "味" in person.control("q/0/1").accessibleName()


def test_d_k_and_d_v_change_and_what_was_there_stays(at_the_table):
    person = at_the_table
    person.enter_number("d_k", "6")
    assert [len(person.vectors(which)[0]) for which in "qkv"] == [6, 6, 6]  # v = k
    assert person.vectors("q")[6] == ["1.0", "1.5", "0.0", "−1.0", "0.0", "0.0"]
    assert person.panel("scaled").title() == "÷√dₖ  √6 = 2.45"
    person.enter_number("d_k", "2")
    assert person.vectors("q")[6] == ["1.0", "1.5"]
    person.click("v_is_k")
    person.enter_number("d_v", "3")
    assert [len(person.vectors(which)[0]) for which in "qkv"] == [2, 2, 3]
    assert len(person.output()) == 3
    for text in ("0", "-1", "2.5", "5000"):
        person.enter_number("d_k", text)
        assert person.refusal()
        assert person.field("d_k") == "2"


def test_a_term_leads_back_to_the_field_where_it_is_edited(person):
    terms = person.window.parts.arithmetic.terms
    person.click(terms.viewport(), terms.link_rect("q", 6, 1).center().toPoint())
    assert person.focus().objectName() == "q/0/1/number"
    person.click(terms.viewport(), terms.link_rect("k", 2, 1).center().toPoint())
    assert person.tab() == "vectors"
    assert person.focus().objectName() == "vectors/k"
    index = person.control("vectors/k", QTableView).currentIndex()
    assert (index.row(), index.column()) == (2, 1)
    person.type("1")
    person.key(Qt.Key.Key_Return)
    person.settle()
    assert person.vectors("k")[2] == ["1.0", "1.0", "0.0", "0.0"]
