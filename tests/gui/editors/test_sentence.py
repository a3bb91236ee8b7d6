"""The sentence: written as a whole, split on Enter, safe with input methods."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QToolButton

from attnviz.core import edits
from attnviz.gui.editors.token_editor import TokenEditor
from attnviz.text import token_edits
from tests.gui.editors.hands import commit, compose


@pytest.fixture
def sentence(desk) -> QLineEdit:
    desk.put(TokenEditor, 1300, 60)
    field = desk.find(QLineEdit, "sentence")
    field.setFocus()
    return field


def write(field: QLineEdit, text: str) -> None:
    field.selectAll()
    field.del_()
    commit(field, text)


def test_nothing_is_split_before_enter(desk, sentence):
    write(sentence, "猫が魚を見た。")
    assert desk.gestures == []


def test_enter_splits_the_text_and_tokens_that_stay_keep_their_vectors(desk, sentence):
    cat = desk.inputs.heads[0].k[0]
    write(sentence, "犬が猫を食べた。")
    QTest.keyClick(sentence, Qt.Key.Key_Return)
    assert desk.inputs.tokens == ("犬", "が", "猫", "を", "食べた", "。")
    assert desk.inputs.heads[0].k[2].tolist() == cat.tolist()
    assert desk.gestures == [""]
    assert sentence.text() == "犬が猫を食べた。"
    assert sentence.hasFocus()


def test_the_button_splits_as_enter_does(desk, sentence):
    write(sentence, "猫が")
    QTest.mouseClick(desk.find(QToolButton, "sentence/split"), Qt.MouseButton.LeftButton)
    assert desk.inputs.tokens == ("猫", "が")


def test_enter_that_ends_a_composition_splits_nothing(desk, sentence):
    write(sentence, "")
    compose(sentence, "ねこ")
    QTest.keyClick(sentence, Qt.Key.Key_Return)
    assert desk.gestures == []
    commit(sentence, "猫")
    assert sentence.text() == "猫"
    QTest.keyClick(sentence, Qt.Key.Key_Return)
    assert desk.inputs.tokens == ("猫",)


def test_a_refresh_leaves_a_composition_alone(desk, sentence):
    sentence.setCursorPosition(len(sentence.text()))
    compose(sentence, "ねこ")
    desk.set(token_edits.remove_token(desk.inputs, 0))
    commit(sentence, "猫")
    assert sentence.text() == "猫が魚を食べた。それは新鮮だった猫"


def test_a_refresh_of_numbers_leaves_what_is_written_alone(desk, sentence):
    write(sentence, "犬")
    desk.set(edits.set_vector_value(desk.inputs, 0, "q", 6, 0, 2.0))
    assert sentence.text() == "犬"


def test_tokens_changed_elsewhere_replace_what_is_written(desk, sentence):
    write(sentence, "犬")
    desk.set(token_edits.remove_token(desk.inputs, 9))
    assert sentence.text() == "猫が魚を食べた。それは新鮮"


def test_esc_brings_the_sentence_back(desk, sentence):
    write(sentence, "犬")
    QTest.keyClick(sentence, Qt.Key.Key_Escape)
    assert sentence.text() == "猫が魚を食べた。それは新鮮だった"
    assert desk.gestures == []


@pytest.mark.parametrize(
    ("text", "reason"), [("", "The sentence is empty"), ("あ" * 100_001, "100001 characters")]
)
def test_a_sentence_that_cannot_be_is_refused_and_the_old_one_shown(desk, sentence, text, reason):
    write(sentence, text)
    QTest.keyClick(sentence, Qt.Key.Key_Return)
    assert reason in desk.refusals[0]
    assert sentence.text() == "猫が魚を食べた。それは新鮮だった"
    assert len(desk.inputs.tokens) == 10


def test_leaving_the_sentence_splits_nothing_and_loses_nothing(desk, sentence):
    write(sentence, "犬")
    desk.editor.chips.setFocus()
    assert desk.gestures == []
    assert sentence.text() == "犬"
