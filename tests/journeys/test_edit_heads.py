"""A person works with heads: adds, copies, renames, reorders and removes them, and makes them large."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt

from attnviz.gui.editors.value_bars import ValueBars

PUBLISHED = ["18.8", "1.5", "65.7", "1.5", "6.1", "2.5", "3.7"]


def menu_of_heads(person, name: str) -> None:
    person.click("head/menu")
    person.choose_in_popup(f"head/{name}")
    person.settle()


def test_a_new_head_of_zeros_attends_to_all_alike(person):
    person.click("head/add/button")
    person.settle()
    assert person.heads() == ["meaning", "3", "previous"]
    assert person.head_in_front() == "3"
    assert person.cells("weights", 6) == ["14.3"] * 7
    person.shortcut("Ctrl+Z")
    person.settle()
    assert person.heads() == ["meaning", "previous"]


def test_a_copy_has_the_same_numbers_and_goes_its_own_way(person):
    menu_of_heads(person, "copy")
    assert person.heads() == ["meaning", "meaning (copy)", "previous"]
    assert person.head_in_front() == "meaning (copy)"
    assert person.cells("weights", 6) == PUBLISHED
    person.enter_number("q/1/1/number", "0")
    assert person.cells("weights", 6) != PUBLISHED
    person.shortcut("Ctrl+1")
    person.settle()
    assert person.cells("weights", 6) == PUBLISHED


@pytest.mark.parametrize("way", ["menu", "double_click", "F2"])
def test_a_head_is_renamed_in_place(person, way):
    if way == "menu":
        menu_of_heads(person, "rename")
    elif way == "F2":
        person.click("head/0")
        person.shortcut("F2")
    else:
        person.double_click("head/0")
    assert person.focus().objectName() == "heads/name"
    person.shortcut("Ctrl+A")
    person.commit("意味の頭")
    person.key(Qt.Key.Key_Return)
    person.settle()
    assert person.heads() == ["意味の頭", "previous"]
    assert person.head_in_front() == "意味の頭"


@pytest.mark.parametrize("way", ["menu", "keys", "drag"])
def test_heads_change_places_and_the_active_one_stays_in_front(person, way):
    if way == "menu":
        menu_of_heads(person, "right")
    elif way == "keys":
        person.click("head/0")
        person.shortcut("Ctrl+Shift+Right")
    else:
        first, second = person.control("head/0"), person.control("head/1")
        start = first.rect().center()
        end = second.mapTo(first.parentWidget(), QPoint(second.width() - 3, start.y())) - first.pos()
        person.drag(first, start, start + QPoint(25, 0), end)
    person.settle()
    assert person.heads() == ["previous", "meaning"]
    assert person.head_in_front() == "meaning"
    assert person.cells("weights", 6) == PUBLISHED
    person.shortcut("Ctrl+1")
    person.settle()
    assert person.head_in_front() == "previous"


def test_a_head_is_removed_but_not_the_last_one(person):
    menu_of_heads(person, "remove")
    assert person.heads() == ["previous"]
    assert float(person.cells("weights", 6)[5]) >= 90
    person.click("head/0")
    person.shortcut("Delete")
    person.settle()
    assert person.refusal() == "This is the only head; a document needs at least one."
    assert person.heads() == ["previous"]
    person.shortcut("Ctrl+Z")
    person.settle()
    assert person.heads() == ["meaning", "previous"]


def test_a_head_of_64_dimensions_is_edited_by_dragging_bars(person):
    person.open_tab("vectors")
    person.enter_number("d_k", "64")
    bars = person.control("q/0", ValueBars)
    rect = bars.bar_rect(0)
    at = rect.center().toPoint()
    person.drag(bars, at, QPoint(at.x(), round(rect.top()) + 10), QPoint(at.x(), round(rect.top())))
    person.settle()
    assert person.vectors("q")[6][0] == "3.0"
    assert person.largest_bar() == "猫"
    person.shortcut("Ctrl+Z")
    person.settle()
    assert person.vectors("q")[6][0] == "1.0"


def test_the_output_of_every_head_stands_side_by_side(person):
    person.open_tab("heads_to_output")
    outputs = person.window.parts.head_outputs
    person.until(lambda: outputs.shown_text(1, 6, 0))
    assert [outputs.shown_text(0, 6, dim) for dim in range(4)] == person.output()
    person.shortcut("Ctrl+2")
    person.settle()
    assert [outputs.shown_text(1, 6, dim) for dim in range(4)] == person.output()
