"""A long text is written, pasted and split bit by bit, and nothing waits for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton

from attnviz.gui import sentence_dialog
from attnviz.gui.sentence_dialog import SentenceDialog, broken, joined
from attnviz.text.splitting import split


@pytest.fixture
def opened(qtbot):
    """Opens dialogs, and keeps what they give."""

    def made(text: str) -> SentenceDialog:
        dialog = SentenceDialog("Sentence", text)
        qtbot.addWidget(dialog)
        dialog.results = []
        dialog.split_up.connect(lambda text, tokens: dialog.results.append((text, tokens)))
        dialog.split_up.connect(lambda text, tokens: dialog.accept())
        dialog.show()
        return dialog

    return made


def click(dialog: SentenceDialog, name: str) -> None:
    QTest.mouseClick(dialog.findChild(QPushButton, f"sentence_dialog/{name}"), Qt.MouseButton.LeftButton)


def words(dialog: SentenceDialog) -> str:
    return dialog.findChild(QLabel, "sentence_dialog/count").text()


@given(text=st.text(alphabet=st.sampled_from("a猫。 \n！x"), max_size=60))
def test_lines_are_broken_where_no_token_changes(text):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sentence_dialog, "_LINE", 5)
        lines = broken(text)
    assert split(joined(lines)) == split(text)


def test_no_line_of_a_long_text_is_long_and_a_text_without_a_place_to_break_is_left():
    assert max(map(len, broken("word " * 10_000).split("\n"))) < 2100
    assert max(map(len, broken("猫が魚を食べた。" * 10_000).split("\n"))) < 2100
    assert broken("x" * 100_000) == "x" * 100_000


def test_a_long_text_is_split_as_it_is(opened, qtbot):
    text = "猫が魚を食べた。 Cats  eat fish. " * 3000
    dialog = opened(text)
    click(dialog, "split")
    qtbot.waitUntil(lambda: bool(dialog.results), timeout=30_000)
    assert dialog.results == [(text, split(text))]
    assert not dialog.isVisible()


def test_what_was_written_is_one_line(opened, qtbot):
    dialog = opened("")
    dialog.field.insertPlainText("Cats\neat\nfish.")
    assert words(dialog) == "14 characters"
    click(dialog, "split")
    qtbot.waitUntil(lambda: bool(dialog.results))
    assert dialog.results == [("Cats eat fish.", ("Cats", "eat", "fish", "."))]


def test_splitting_can_be_stopped_and_the_text_is_still_there(opened, monkeypatch):
    monkeypatch.setattr(sentence_dialog, "_TICK", 0.0)
    dialog = opened("word " * 5000)
    progress = dialog.findChild(QProgressBar, "sentence_dialog/progress")
    assert not progress.isVisible()
    click(dialog, "split")
    dialog._go_on()
    dialog._go_on()
    assert progress.isVisible()
    assert dialog.field.isReadOnly()
    assert words(dialog).endswith("tokens so far")
    click(dialog, "cancel")
    assert dialog.isVisible()
    assert not dialog.is_splitting
    assert not progress.isVisible()
    assert words(dialog) == "25,000 characters"
    dialog.field.setFocus()
    click(dialog, "cancel")
    assert not dialog.isVisible()
    assert dialog.results == []


@pytest.mark.parametrize(("text", "reason"), [("  ", "The sentence is empty"), ("a " * 9, "at most 5")])
def test_a_text_that_cannot_be_is_refused_in_the_dialog(opened, qtbot, monkeypatch, text, reason):
    monkeypatch.setattr(sentence_dialog, "MAX_TOKENS", 5)
    dialog = opened(text)
    click(dialog, "split")
    qtbot.waitUntil(lambda: reason in words(dialog))
    assert dialog.isVisible()
    assert dialog.results == []


def test_closing_the_dialog_while_it_splits_leaves_nothing(opened, monkeypatch):
    monkeypatch.setattr(sentence_dialog, "_TICK", 0.0)
    dialog = opened("word " * 5000)
    click(dialog, "split")
    dialog.close()
    dialog.close()
    assert not dialog.isVisible()
    assert not dialog._timer.isActive()
