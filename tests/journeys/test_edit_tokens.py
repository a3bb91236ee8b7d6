"""A person works with the chips: chooses, renames, adds, removes and moves tokens."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt

from tests.journeys.window_eyes import KEY

NEKO = ["猫", "が", "魚", "を", "食べた", "。", "それ", "は", "新鮮", "だった"]


def test_a_click_chooses_whose_attention_is_shown(person):
    person.click("token/8")
    person.settle()
    assert person.selected_token() == "新鮮"
    assert person.bars() == ["3.1%", "3.1%", "61.7%", "3.1%", "5.1%", "3.1%", "4.1%", "3.1%", "13.8%", "—"]
    assert person.window.parts.weights.heading() == "Attention from “新鮮”"
    assert [person.field(f"q/0/{dim}/number") for dim in range(4)] == ["0.0", "2.0", "0.0", "0.0"]


@pytest.mark.parametrize("way", ["F2", "double_click", "Return"])
def test_a_token_is_renamed_in_place(person, way):
    person.click("token/2")
    if way == "double_click":
        person.double_click("token/2")
    else:
        person.shortcut(way)
    assert person.focus().objectName() == "tokens/name"
    person.shortcut("Ctrl+A")
    person.commit("鮭")
    person.key(Qt.Key.Key_Return)
    person.settle()
    assert person.tokens()[2] == "鮭"
    assert person.arithmetic(KEY)[2] == "鮭"
    assert person.field("sentence") == "猫が鮭を食べた。それは新鮮だった"
    assert person.cells("weights", 6) == ["18.8", "1.5", "65.7", "1.5", "6.1", "2.5", "3.7"]


def test_escape_leaves_the_old_name(person):
    person.click("token/2")
    person.shortcut("F2")
    person.type("abc")
    person.key(Qt.Key.Key_Escape)
    assert person.tokens() == NEKO
    assert not person.window.isWindowModified()


def test_del_removes_the_chosen_token(person):
    person.click("token/5")
    person.shortcut("Delete")
    person.settle()
    assert person.tokens() == NEKO[:5] + NEKO[6:]
    assert person.field("sentence") == "猫が魚を食べたそれは新鮮だった"
    person.shortcut("Ctrl+Z")
    person.settle()
    assert person.tokens() == NEKO


def test_plus_adds_a_token_after_the_chosen_one(person):
    person.click("token/0")
    person.click("tokens/add")
    person.commit("と")
    person.key(Qt.Key.Key_Return)
    person.settle()
    assert person.tokens() == ["猫", "と", *NEKO[1:]]
    assert person.selected_token() == "と"
    assert person.window.parts.token_editor.chips.chip(1).is_default


@pytest.mark.parametrize("way", ["keys", "mouse"])
def test_a_token_is_moved_and_its_numbers_with_it(person, way):
    person.click("token/0")
    if way == "keys":
        for _ in range(2):
            person.shortcut("Alt+Right")
    else:
        chip, other = person.control("token/0"), person.control("token/2")
        start = chip.rect().center()
        end = other.mapTo(chip.parentWidget(), QPoint(other.width() - 2, start.y())) - chip.pos()
        person.drag(chip, start, start + QPoint(20, 0), end)
    person.settle()
    assert person.tokens() == ["が", "魚", "猫", *NEKO[3:]]
    assert person.selected_token() == "猫"
    person.click("token/6")
    person.settle()
    assert person.cells("weights", 6)[:3] == ["1.5", "65.7", "18.8"]
    person.click("tokens")
    person.shortcut("Ctrl+Z")
    person.settle()
    assert person.tokens()[0 if way == "mouse" else 1] == "猫"


def test_the_last_token_cannot_be_removed(person):
    person.write_sentence("猫")
    person.click("token/0")
    person.shortcut("Delete")
    assert person.refusal() == "This is the only token; a sentence needs at least one."
    assert person.tokens() == ["猫"]


def test_arrow_keys_walk_along_the_chips(person):
    person.click("token/6")
    for key, token in ((Qt.Key.Key_Left, "。"), (Qt.Key.Key_Home, "猫"), (Qt.Key.Key_End, "だった")):
        person.key(key)
        person.settle()
        assert person.selected_token() == token


@pytest.mark.parametrize("text", ["猫", " ", "👨\u200d👩\u200d👧", "<b>太</b>", "長" * 400, "a\tb"])
def test_any_text_can_be_a_token_one_that_is_there_already_too(person, text):
    person.click("token/1")
    person.shortcut("F2")
    person.shortcut("Ctrl+A")
    person.commit(text)
    person.key(Qt.Key.Key_Return)
    person.click("token/6")
    person.settle()
    assert person.tokens()[1] == text
    assert person.bars()[:3] == ["18.8%", "1.5%", "65.7%"]
    assert person.control("token/1").width() < 200
    assert not person.picture().isNull()
