"""The sentence: written as a whole, split on Enter, safe with input methods."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QToolButton

from attnviz.core import edits
from attnviz.core.inputs import Head, Inputs
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


def test_a_sentence_that_cannot_be_is_refused_and_the_old_one_shown(desk, sentence):
    write(sentence, "")
    QTest.keyClick(sentence, Qt.Key.Key_Return)
    assert "The sentence is empty" in desk.refusals[0]
    assert sentence.text() == "猫が魚を食べた。それは新鮮だった"
    assert len(desk.inputs.tokens) == 10


def test_leaving_the_sentence_splits_nothing_and_loses_nothing(desk, sentence):
    write(sentence, "犬")
    desk.editor.chips.setFocus()
    assert desk.gestures == []
    assert sentence.text() == "犬"


# --- texts too long for a line


@pytest.fixture
def asked(desk, sentence) -> list[tuple[str, str]]:
    """The texts that are to be edited elsewhere, with whose they are."""
    texts: list[tuple[str, str]] = []
    desk.editor.text_asked.connect(lambda which, text: texts.append((which, text)))
    return texts


def long_document(n_tokens: int, text: str = "") -> Inputs:
    vectors = np.zeros((n_tokens, 1), np.float32)
    return Inputs(text, ("word",) * n_tokens, (Head("h", vectors, vectors, vectors),))


def test_a_text_too_long_for_a_line_is_split_elsewhere(desk, sentence, asked):
    write(sentence, "あ" * 10_001)
    QTest.keyClick(sentence, Qt.Key.Key_Return)
    assert asked == [("query", "あ" * 10_001)]
    assert sentence.text() == "猫が魚を食べた。それは新鮮だった"
    assert desk.gestures == []


def test_a_long_text_that_is_pasted_is_not_cut_and_goes_where_it_can_be_edited(desk, sentence, asked):
    QGuiApplication.clipboard().setText("long " * 40_000)
    sentence.setSelection(1, 2)
    QTest.keySequence(sentence, QKeySequence.StandardKey.Paste)
    assert asked == [("query", "猫" + "long " * 40_000 + "を食べた。それは新鮮だった")]
    assert sentence.text() == "猫が魚を食べた。それは新鮮だった"
    QGuiApplication.clipboard().setText("犬")
    QTest.keySequence(sentence, QKeySequence.StandardKey.Paste)
    assert sentence.text() == "猫犬を食べた。それは新鮮だった"
    QGuiApplication.clipboard().clear()


def test_a_long_document_shows_its_beginning_and_the_number_of_its_tokens(desk, sentence):
    desk.set(long_document(3000, "word " * 3000))
    assert sentence.text().startswith("word word word")
    assert sentence.text().endswith("…  3,000 tokens")
    assert sentence.isReadOnly()
    assert sentence.fontMetrics().horizontalAdvance(sentence.text()) < sentence.width()
    desk.set(long_document(3001))  # one that has no text shows its tokens
    assert sentence.text().startswith("word word word")
    assert sentence.text().endswith("…  3,001 tokens")
    desk.set(long_document(3, "word word word"))
    assert sentence.text() == "word word word"
    assert not sentence.isReadOnly()


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_F2, Qt.Key.Key_A, Qt.Key.Key_Space])
def test_writing_into_a_long_document_asks_for_its_whole_text(desk, sentence, asked, key):
    desk.set(long_document(3000))
    QTest.keyClick(sentence, key)
    assert asked == [("query", " ".join(["word"] * 3000))]
    desk.set(long_document(3000, "any  text"))
    QTest.mouseDClick(sentence, Qt.MouseButton.LeftButton)
    assert asked[1:] == [("query", "any  text")]
    assert desk.gestures == []


def test_a_text_that_was_split_elsewhere_becomes_the_sentence(desk, sentence):
    desk.editor.take_inputs(token_edits.set_tokens(desk.inputs, "犬が 猫", ("犬が", "猫")))
    assert desk.inputs.tokens == ("犬が", "猫")
    assert desk.inputs.text == sentence.text() == "犬が 猫"
    assert desk.gestures == [""]
