"""A line of text: grapheme clusters, undo, and what Esc does."""

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtTest import QTest

from attnviz.gui.text_field import TextField
from tests.gui.editors.hands import compose

FAMILY = "👨‍👩‍👧‍👦"


@pytest.fixture
def field(qtbot):
    field = TextField()
    qtbot.addWidget(field)
    return field


@pytest.mark.parametrize("cluster", [FAMILY, "🇯🇵", "が", "é̂", "👍🏽", "a", "猫"])
def test_backspace_and_delete_take_one_whole_character(field, cluster):
    field.set_shown("x" + cluster)
    field.setCursorPosition(len(field.text().encode("utf-16-le")) // 2)
    QTest.keyClick(field, Qt.Key.Key_Backspace)
    assert field.text() == "x"
    field.restore()
    field.setCursorPosition(1)
    QTest.keyClick(field, Qt.Key.Key_Delete)
    assert field.text() == "x"


def test_backspace_takes_a_selection(field):
    field.set_shown("abc")
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Backspace)
    assert field.text() == ""


def test_enter_commits_nothing_while_composing(field):
    committed = []
    field.committed.connect(committed.append)
    compose(field, "ねこ")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert committed == []


def override(field, key, modifiers) -> bool:
    event = QKeyEvent(QEvent.Type.ShortcutOverride, key, modifiers)
    event.ignore()
    QCoreApplication.sendEvent(field, event)
    return event.isAccepted()


def test_undo_is_the_documents_unless_something_is_being_written(field):
    control = Qt.KeyboardModifier.ControlModifier
    field.set_shown("abc")
    assert not override(field, Qt.Key.Key_Z, control)
    QTest.keyClicks(field, "d")
    assert override(field, Qt.Key.Key_Z, control)


def test_esc_is_taken_only_where_there_is_something_to_drop(field):
    field.set_shown("abc")
    assert not override(field, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    QTest.keyClicks(field, "d")
    assert override(field, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == "abc"


def test_a_long_text_is_not_cut_unsaid(field):
    QGuiApplication.clipboard().setText("word " * 20_000)
    field.paste()
    assert len(field.text()) == 100_000
