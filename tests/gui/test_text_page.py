"""A field of many lines takes a whole book bit by bit, and gives it back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtTest import QTest

from attnviz.gui import text_page
from attnviz.gui.text_page import TextPage, broken, joined
from attnviz.text.splitting import split


@pytest.fixture
def page(qtbot) -> TextPage:
    made = TextPage()
    qtbot.addWidget(made)
    made.show()
    return made


def pasted(text: str) -> QMimeData:
    data = QMimeData()
    data.setText(text)
    return data


@given(text=st.text(alphabet=st.sampled_from("a猫。 \n！x\u0301"), max_size=60))
def test_lines_are_broken_where_no_token_changes(text):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_page, "_LINE", 5)
        patch.setattr(text_page, "_MOST_IN_LINE", 12)
        lines = broken(text)
    assert split(joined(lines)) == split(text)


@pytest.mark.parametrize(
    "text", ["word " * 10_000, "猫が魚を食べた。" * 10_000, "x" * 100_000, "猫" * 100_000]
)
def test_no_line_of_a_long_text_is_long(text):
    assert max(map(len, broken(text).split("\n"))) <= 8002
    assert joined(broken(text)) == text


def test_paragraphs_keep_their_lines():
    text = "A line.\n\nAnother one, of a new paragraph.\n" * 500
    assert broken(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "猫が魚を食べた。 Cats  eat fish.\n" * 4000,
        "x" * 200_000,
        "\n" * 50_000,
        "a\r\nb" * 20_000,
        "שלום " * 30_000,
    ],
    ids=["sentences", "one word", "empty lines", "CR LF", "right to left"],
)
def test_a_book_is_there_after_a_while_and_counts_as_unchanged(page, qtbot, text):
    page.show_text(text)
    qtbot.waitUntil(lambda: not page.is_filling, timeout=30_000)
    assert split(joined(page.toPlainText())) == split(text)
    assert not page.document().isModified()
    assert not page.document().isUndoAvailable()
    assert not page.isReadOnly()


def test_what_is_pasted_stands_where_the_cursor_is_and_is_taken_back_at_once(page, qtbot):
    page.show_text("The end")
    page.selectAll()
    cursor = page.textCursor()
    cursor.setPosition(4)
    page.setTextCursor(cursor)
    page.insertFromMimeData(pasted("long " * 300_000))
    assert page.is_filling
    assert page.isReadOnly()
    qtbot.waitUntil(lambda: not page.is_filling, timeout=30_000)
    assert joined(page.toPlainText()) == "The " + "long " * 300_000 + "end"
    QTest.keyClick(page, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert page.toPlainText() == "The end"


def test_what_was_selected_gives_way_to_what_is_pasted(page, qtbot):
    page.show_text("all of this")
    page.selectAll()
    page.insertFromMimeData(pasted("new " * 5000))
    qtbot.waitUntil(lambda: not page.is_filling)
    assert joined(page.toPlainText()) == "new " * 5000


def test_filling_stops_when_nobody_wants_it(page):
    page.show_text("word " * 200_000)
    assert page.is_filling
    page.stop()
    assert not page.is_filling
