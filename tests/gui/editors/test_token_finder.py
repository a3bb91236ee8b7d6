"""Finding a token by its text, in the row of the tokens and in that of the keys."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QToolButton

from attnviz.core.inputs import Head, Inputs
from attnviz.core.key_edits import separate_keys
from attnviz.core.selection import Selection
from attnviz.gui.editors.token_editor import TokenEditor
from attnviz.text import token_edits
from tests.gui.editors.hands import commit, compose

ENTER, SHIFT = Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def words(desk) -> Inputs:
    """Nine tokens: cat and CAT at 1, 4 and 7."""
    vectors = np.zeros((9, 2), np.float32)
    tokens = ("the", "cat", "sat", "the", "CAT", "ran", "the", "ｃａｔｓ", "猫")
    return Inputs("", tokens, (Head("h", vectors, vectors, vectors),))


@pytest.fixture
def found(desk, words) -> list[tuple[int, int]]:
    """The cells that were found; each is selected, as the window does."""
    editor = desk.put(TokenEditor, 1300, 90)
    desk.set(words)
    desk.choose(Selection(0, 0, 0))
    cells: list[tuple[int, int]] = []
    editor.cell_asked.connect(lambda query, key: cells.append((query, key)))
    editor.cell_asked.connect(lambda query, key: desk.choose(Selection(0, query, key)))
    return cells


def field(desk, prefix: str = "") -> QLineEdit:
    return desk.find(QLineEdit, f"{prefix}tokens/find/text")


def count(desk) -> QLabel:
    return desk.find(QLabel, "tokens/find/count")


def test_what_is_typed_is_counted_at_once_and_moves_nothing(desk, found):
    desk.editor.find_token()
    assert field(desk).hasFocus()
    for text, places in (("c", "3"), ("cat", "3"), ("the", "1 / 3"), ("dog", "0"), ("猫", "1"), ("", "")):
        field(desk).selectAll()
        field(desk).del_()
        commit(field(desk), text)
        assert count(desk).text() == places
    assert found == []


def test_enter_leads_from_one_to_the_next_and_round_and_shift_enter_back(desk, found):
    desk.editor.find_token()
    commit(field(desk), "cat")
    for query, place in ((1, "1 / 3"), (4, "2 / 3"), (7, "3 / 3"), (1, "1 / 3")):
        QTest.keyClick(field(desk), ENTER)
        assert desk.selection.query == query
        assert count(desk).text() == place
    QTest.keyClick(field(desk), ENTER, SHIFT)
    assert found == [(1, 0), (4, 0), (7, 0), (1, 0), (7, 0)]
    assert count(desk).accessibleName() == "3 of 3 found"
    for name, query in (("next", 1), ("before", 7)):
        QTest.mouseClick(desk.find(QToolButton, f"tokens/find/{name}"), Qt.MouseButton.LeftButton)
        assert desk.selection.query == query


def test_the_search_takes_the_place_of_the_sentence_and_esc_brings_it_back(desk, found):
    sentence = desk.find(QLineEdit, "sentence")
    desk.editor.find_token()
    assert not sentence.isVisible()
    commit(field(desk), "cat")
    QTest.keyClick(field(desk), Qt.Key.Key_Escape)
    assert sentence.isVisible()
    assert not field(desk).isVisible()
    assert desk.editor.chips.hasFocus()
    desk.editor.find_token()
    assert field(desk).selectedText() == "cat"  # the next search may be for the same
    desk.editor.edit_sentence()
    assert sentence.hasFocus()
    assert not field(desk).isVisible()


def test_a_text_that_no_token_holds_is_refused_when_it_is_asked_for(desk, found):
    desk.editor.find_token()
    commit(field(desk), "dog")
    assert desk.refusals == []
    QTest.keyClick(field(desk), ENTER)
    assert "No token holds “dog”" in desk.refusals[0]
    assert found == []


def test_enter_that_ends_a_composition_finds_nothing(desk, found):
    desk.editor.find_token()
    compose(field(desk), "ねこ")
    QTest.keyClick(field(desk), ENTER)
    assert found == []
    assert count(desk).text() == ""
    commit(field(desk), "猫")
    QTest.keyClick(field(desk), ENTER)
    assert found == [(8, 0)]


def test_the_count_follows_the_tokens(desk, found):
    desk.editor.find_token()
    commit(field(desk), "cat")
    desk.set(token_edits.remove_token(desk.inputs, 1))
    assert count(desk).text() == "2"
    desk.set(token_edits.rename_token(desk.inputs, 0, "catch"))
    assert count(desk).text() == "1 / 3"


def test_keys_of_their_own_are_found_in_their_own_row(desk, found):
    desk.set(token_edits.set_text(separate_keys(desk.inputs), "a dog saw a dog", which="key"))
    desk.editor.key_chips.setFocus()
    desk.editor.find_token()
    assert field(desk, "key_").hasFocus()
    assert not field(desk).isVisible()
    commit(field(desk, "key_"), "dog")
    QTest.keyClick(field(desk, "key_"), ENTER)
    QTest.keyClick(field(desk, "key_"), ENTER)
    assert found == [(0, 1), (0, 4)]


def test_nothing_moves_while_the_count_changes(desk, found):
    desk.editor.find_token()
    QTest.qWait(0)
    before = [desk.find(QToolButton, f"tokens/find/{name}").geometry() for name in ("before", "close")]
    commit(field(desk), "cat")
    QTest.keyClick(field(desk), ENTER)
    QTest.qWait(0)
    after = [desk.find(QToolButton, f"tokens/find/{name}").geometry() for name in ("before", "close")]
    assert after == before
