"""A long text is written and pasted in a dialog, and split beside the window."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton

from attnviz.core.errors import InputError
from attnviz.gui.sentence_dialog import SentenceDialog


@pytest.fixture
def opened(qtbot):
    """Opens dialogs, and keeps what they ask for."""

    def made(text: str) -> SentenceDialog:
        dialog = SentenceDialog("Sentence", text)
        qtbot.addWidget(dialog)
        dialog.asked, dialog.stops = [], []
        dialog.split_asked.connect(lambda *asked: dialog.asked.append(asked))
        dialog.stop_asked.connect(lambda: dialog.stops.append(True))
        dialog.show()
        return dialog

    return made


def click(dialog: SentenceDialog, name: str) -> None:
    QTest.mouseClick(dialog.findChild(QPushButton, f"sentence_dialog/{name}"), Qt.MouseButton.LeftButton)


def words(dialog: SentenceDialog) -> str:
    return dialog.findChild(QLabel, "sentence_dialog/count").text()


def test_a_text_that_was_not_touched_is_given_as_it_is(opened):
    text = "猫が魚を食べた。\r\nCats\u00a0 eat\ud800 fish. " * 30
    dialog = opened(text)
    click(dialog, "split")
    assert dialog.asked == [(text, False)]
    assert dialog.isVisible()


def test_what_was_written_is_given_in_its_lines(opened):
    dialog = opened("")
    dialog.field.insertPlainText("Cats\neat\nfish.")
    assert words(dialog) == "14 characters"
    click(dialog, "split")
    assert dialog.asked == [("Cats\neat\nfish.", True)]


def test_a_book_is_asked_for_once_all_of_it_is_there(opened, qtbot):
    text = "word " * 200_000
    dialog = opened(text)
    assert words(dialog) == "1,000,000 characters"
    click(dialog, "split")
    assert dialog.asked == []
    qtbot.waitUntil(lambda: bool(dialog.asked), timeout=30_000)
    assert dialog.asked == [(text, False)]


def test_progress_is_shown_while_the_text_is_split(opened):
    dialog = opened("word " * 5000)
    progress = dialog.findChild(QProgressBar, "sentence_dialog/progress")
    dialog.show_progress(0.5)
    assert not progress.isVisible()
    click(dialog, "split")
    dialog.show_progress(0.37)
    assert progress.isVisible()
    assert progress.value() == 370
    assert words(dialog) == "Splitting: 37%"
    assert dialog.field.isReadOnly()
    click(dialog, "split")
    assert len(dialog.asked) == 1


def test_cancel_stops_the_splitting_and_the_text_is_still_there(opened):
    dialog = opened("word " * 5000)
    click(dialog, "split")
    click(dialog, "cancel")
    assert dialog.stops == [True]
    assert dialog.isVisible()
    assert not dialog.is_splitting
    assert not dialog.field.isReadOnly()
    assert not dialog.findChild(QProgressBar, "sentence_dialog/progress").isVisible()
    assert words(dialog) == "25,000 characters"
    click(dialog, "cancel")
    assert not dialog.isVisible()
    assert dialog.stops == [True]


def test_a_refusal_is_said_in_the_dialog_and_the_text_stays(opened):
    dialog = opened("a " * 9)
    click(dialog, "split")
    dialog.refuse(InputError("The sentence is empty; write at least one word."))
    assert words(dialog) == "The sentence is empty; write at least one word."
    assert dialog.isVisible()
    assert not dialog.is_splitting
    click(dialog, "split")
    assert len(dialog.asked) == 2


def test_closing_the_dialog_while_it_splits_stops_that(opened):
    dialog = opened("word " * 5000)
    click(dialog, "split")
    dialog.accept()
    assert dialog.stops == [True]
    assert not dialog.is_splitting
