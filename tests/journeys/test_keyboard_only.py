"""A person without a mouse: Tab reaches every control, and everything can be changed."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit

IN_ORDER = [
    "undo", "redo", "head/0", "head/add/button", "head/menu", "mask", "scale_strength",
    "scale_strength/number", "export", "sentence", "sentence/split", "tokens", "tokens/add", "q/0/heading",
    "q/0/0", "q/0/0/number", "q/0/3/number", "q/1/0", "q/1/3/number", "stages", "mask_kind", "mask_fill",
    "weights_by_weight", "weights_of_query/bars", "output_of_query/bars", "arithmetic/table",
    "arithmetic/terms",
]  # fmt: skip
"""Controls as they are read: from the top, and from the left."""


def walk(person, key: Qt.Key = Qt.Key.Key_Tab) -> list[str]:
    """Press Tab until it comes round; give the names of what had the keyboard."""
    person.shortcut("Ctrl+L")
    seen = []
    for _ in range(100):
        person.key(key)
        seen.append(person.focus())
        if person.focus().objectName() == "sentence":
            return [widget.objectName() for widget in seen]
    raise AssertionError("Tab does not come round")


def test_tab_reaches_every_control_once_in_the_order_it_is_read(person):
    person.enter_number("q/0/0/number", "1.1")  # so that there is something to undo
    person.enter_number("q/0/0/number", "1.2")
    person.shortcut("Ctrl+Z")
    names = walk(person)
    start = names.index("undo")
    names = names[start:] + names[:start]
    assert len(set(names)) == len(names)
    assert [name for name in names if name in IN_ORDER] == IN_ORDER
    assert walk(person, Qt.Key.Key_Backtab)[:-1] == [*reversed(walk(person)[:-1])]


@pytest.mark.parametrize("tab", [1, 2])
def test_tab_reaches_what_the_other_tabs_hold(person, tab):
    while person.focus().objectName() != "qt_tabwidget_tabbar":
        person.key(Qt.Key.Key_Tab)
    for _ in range(tab):
        person.key(Qt.Key.Key_Right)
    names = walk(person)
    wanted = {
        1: ["d_k", "v_is_k", "vectors/q", "vectors/k", "vectors/v"],
        2: [
            "d_output", "output_map/bias", "head_strip", "head_outputs/table", "output_map/w_o",
            "layer_output/table", "head_shares/bars",
        ],
    }[tab]  # fmt: skip
    assert [name for name in names if name in wanted] == wanted


def test_everything_reached_is_called_something(person):
    person.shortcut("Ctrl+L")
    for _ in range(60):
        person.key(Qt.Key.Key_Tab)
        widget = person.focus()
        assert widget.accessibleName() or getattr(widget, "text", str)()


def test_the_attention_of_sore_is_moved_to_the_cat_by_keys_alone(person):
    person.shortcut("Ctrl+L")
    while person.focus().objectName() != "q/0/0":
        person.key(Qt.Key.Key_Tab)
    person.key(Qt.Key.Key_PageUp)
    while person.focus().objectName() != "q/0/1/number":
        person.key(Qt.Key.Key_Tab)
    person.type("0")
    person.key(Qt.Key.Key_Return)
    person.settle()
    assert (person.field("q/0/0/number"), person.field("q/0/1/number")) == ("2.0", "0.0")
    assert person.largest_bar() == "猫"
    person.shortcut("Ctrl+Z")
    person.shortcut("Ctrl+Z")
    person.settle()
    assert person.bars()[2] == "65.7%"


def test_leaving_a_field_by_tab_takes_what_was_typed(person):
    person.click("q/0/1/number")
    person.type("0.5")
    person.key(Qt.Key.Key_Tab)
    person.settle()
    assert person.field("q/0/1/number") == "0.5"
    assert person.focus().objectName() == "q/0/2"


def test_escape_in_a_number_field_brings_the_number_back(person):
    person.click("q/0/1/number")
    person.type("0.5")
    person.key(Qt.Key.Key_Escape)
    assert person.field("q/0/1/number") == "1.5"
    assert person.control("q/0/1/number", QLineEdit).hasFocus()
    assert person.bars()[2] == "65.7%"


def test_menus_open_and_act_by_their_letters(person):
    person.key(Qt.Key.Key_E, Qt.KeyboardModifier.AltModifier)
    menu = person.window.menus.menu("edit")
    person.until(menu.isVisible)
    action = person.window.deeds["toggle_mask"]
    while menu.activeAction() is not action:
        person.press_in_popup(Qt.Key.Key_Down)
    person.press_in_popup(Qt.Key.Key_Return)
    person.settle()
    assert not person.control("mask").isChecked()


def test_the_keys_are_listed_under_f1_and_esc_closes_the_list(person):
    person.shortcut("F1")
    person.until(lambda: person.face() is not person.window)
    said = [label.text() for label in person.face().findChildren(QLabel) if label.isVisible()]
    assert {"Ctrl+E", "export as PNG", "Ctrl+M", "F2"} <= set(said)
    person.key(Qt.Key.Key_Escape)
    person.until(lambda: person.face() is person.window)
