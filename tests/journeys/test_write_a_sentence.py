"""A person writes a sentence, with an input method too: Enter splits it, or says why it cannot be."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from attnviz.text import token_edits
from tests.journeys.window_eyes import KEY

NEKO = ["猫", "が", "魚", "を", "食べた", "。", "それ", "は", "新鮮", "だった"]
PUBLISHED = ["18.8", "1.5", "65.7", "1.5", "6.1", "2.5", "3.7"]
FAMILY = "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}"


def test_nothing_is_split_while_japanese_is_being_composed(person):
    person.shortcut("Ctrl+L")
    person.compose("ねこがは")
    person.key(Qt.Key.Key_Return)  # decides within the input method; the field must not hear it
    assert person.tokens() == NEKO
    assert not person.window.isWindowModified()
    person.compose("")
    person.commit("猫が走った。")
    assert person.tokens() == NEKO
    person.key(Qt.Key.Key_Return)
    person.settle()
    assert person.tokens()[:2] == ["猫", "が"]
    assert person.tokens()[-1] == "。"
    assert "".join(person.tokens()) == "猫が走った。"
    assert person.field("sentence") == "猫が走った。"
    assert person.arithmetic(KEY) == person.tokens()


def test_composed_text_is_not_doubled_by_a_change_from_elsewhere(person):
    person.shortcut("Ctrl+L")
    person.key(Qt.Key.Key_End)
    person.compose("ね")
    person.window.deeds["toggle_mask"].trigger()
    person.settle()
    person.compose("")
    person.commit("ね")
    assert person.field("sentence") == "猫が魚を食べた。それは新鮮だったね"


def test_tokens_that_stay_keep_their_vectors(person):
    person.enter_number("q/0/1/number", "0.5")
    changed = person.bars()
    person.write_sentence("猫が魚を食べた。それは新鮮だった。")
    assert person.tokens() == [*NEKO, "。"]
    person.click("token/6")
    person.settle()
    assert person.field("q/0/1/number") == "0.5"
    assert person.bars() == [*changed, "—"]


def test_new_tokens_get_vectors_of_the_lexicon_and_are_marked_until_edited(person):
    person.write_sentence("犬が魚を食べた。それは新鮮だった")
    chips = person.window.parts.token_editor.chips
    assert chips.chip(0).token == "犬"
    assert [chips.chip(index).is_default for index in range(3)] == [True, False, False]
    person.click("token/0")
    person.settle()
    values = [person.field(f"q/0/{dim}/number") for dim in range(4)]
    assert values != ["0.0"] * 4
    person.enter_number("q/0/2/number", "0.3")
    assert not chips.chip(0).is_default
    person.shortcut("Ctrl+2")
    person.settle()
    assert chips.chip(0).is_default  # in this head its v still is


def test_a_word_that_no_lexicon_knows_begins_with_zeros(person):
    person.write_sentence("qwrtzx が")
    person.click("token/0")
    person.settle()
    assert [person.field(f"q/0/{dim}/number") for dim in range(4)] == ["0.0"] * 4
    assert person.bars()[0] == "100.0%"


@pytest.mark.parametrize("text", ["", "   ", "\u3000"])
def test_an_empty_sentence_is_refused_and_the_old_one_stays(person, text):
    person.write_sentence(text) if text else erase_and_enter(person)
    assert person.refusal() == "The sentence is empty; write at least one word."
    assert person.tokens() == NEKO
    assert person.field("sentence") == "猫が魚を食べた。それは新鮮だった"
    assert person.cells("weights", 6) == PUBLISHED


def erase_and_enter(person) -> None:
    person.shortcut("Ctrl+L")
    person.key(Qt.Key.Key_Delete)
    person.key(Qt.Key.Key_Return)
    person.settle()


def test_more_tokens_than_there_may_be_are_refused_and_as_many_are_not(person, monkeypatch):
    monkeypatch.setattr(token_edits, "MAX_TOKENS", 2048)  # else a person writes for a long time
    person.write_sentence("。" * 2049)
    assert "2049" in person.refusal()
    assert "2048" in person.refusal()
    assert person.tokens() == NEKO
    person.write_sentence("。" * 2048)
    assert person.refusal() == ""
    assert "2048 tokens" in person.control("status/times", QLabel).text()


def test_a_single_token_attends_to_itself(person):
    person.write_sentence("猫")
    assert person.tokens() == ["猫"]
    assert person.cells("weights", 0) == ["100.0"]
    assert person.bars() == ["100.0%"]
    assert person.output() == ["3.00", "0.00", "0.00", "0.00"]


@pytest.mark.parametrize("token", [FAMILY, "<b>", "e\u0301", "&amp;", "x" * 3000])
def test_any_text_is_a_token(person, token):
    person.write_sentence(f"猫 {token} 魚")
    assert "".join(person.tokens()).replace(" ", "") == f"猫{token}魚"
    person.picture()
    person.settle()
    where = person.panel("scores").cell_rect(1, 0).center()
    person.move(person.window.parts.stages.viewport(), where)
    assert "→ 猫" in person.window.parts.stages.hover_text()


def test_a_family_is_one_token_and_one_backspace_removes_it(person):
    person.write_sentence(f"猫{FAMILY}")
    assert person.tokens() == ["猫", FAMILY]
    person.shortcut("Ctrl+L")
    person.key(Qt.Key.Key_End)
    person.key(Qt.Key.Key_Backspace)
    assert person.field("sentence") == "猫"


def test_escape_brings_the_sentence_back_and_undo_takes_a_split_back(person):
    person.shortcut("Ctrl+L")
    person.type("abc")
    person.key(Qt.Key.Key_Escape)
    assert person.field("sentence") == "猫が魚を食べた。それは新鮮だった"
    person.write_sentence("猫が")
    assert person.tokens() == ["猫", "が"]
    person.shortcut("Ctrl+Z")
    person.settle()
    assert person.tokens() == NEKO
    assert person.field("sentence") == "猫が魚を食べた。それは新鮮だった"
    assert not person.window.isWindowModified()


def test_the_button_splits_as_enter_does(person):
    person.shortcut("Ctrl+L")
    person.commit("猫が")
    person.click("sentence/split")
    person.settle()
    assert person.tokens() == ["猫", "が"]
