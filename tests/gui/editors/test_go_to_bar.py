"""The line that leads to a place: by numbers, and from one token that holds a text to the next."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QToolButton

from attnviz.core.selection import Selection
from attnviz.gui.editors.choice import Choice
from attnviz.gui.editors.go_to_bar import GoToBar, GoToField


@pytest.fixture
def bar(desk):
    bar = desk.put(GoToBar, height=40)
    bar.asked = []

    def take(query: int, key: int) -> None:
        bar.asked.append((query, key))
        desk.choose(Selection(0, query, key))

    bar.cell_asked.connect(take)
    bar.ask()
    return bar


def write(bar: GoToBar, text: str, *, shift: bool = False) -> None:
    field = bar.findChild(GoToField)
    field.selectAll()
    event = QInputMethodEvent()
    event.setCommitString(text)
    QCoreApplication.sendEvent(field, event)
    enter(bar, shift=shift)


def enter(bar: GoToBar, *, shift: bool = False) -> None:
    modifiers = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    QTest.keyClick(bar.findChild(GoToField), Qt.Key.Key_Return, modifiers)


def count(bar: GoToBar) -> str:
    return bar.findChild(QLabel, "go_to/count").text()


def test_two_numbers_are_a_query_and_a_key(bar):
    write(bar, "3, 7")
    assert bar.asked == [(3, 7)]
    assert count(bar) == ""


def test_one_number_is_of_what_is_chosen_and_leaves_the_other(bar, desk):
    write(bar, "4")
    assert bar.asked == [(4, 2)]
    which = desk.find(Choice, "go_to/which")
    which.setFocus()
    QTest.keyClick(which, Qt.Key.Key_Down)
    write(bar, "9")
    assert bar.asked[-1] == (4, 9)


def test_a_text_leads_from_one_token_to_the_next_and_round(bar, desk):
    write(bar, "新")
    assert bar.asked == [(8, 2)]
    assert count(bar) == "1 / 1"
    write(bar, "だ")
    assert bar.asked[-1] == (9, 2)
    write(bar, "、")
    assert "No token holds “、”" in desk.refusals[-1]
    assert count(bar) == ""
    assert len(bar.asked) == 2


def test_enter_goes_on_and_shift_enter_goes_back(bar, desk):
    from attnviz.text.token_edits import rename_token

    for index in (1, 5, 7):
        desk.inputs = rename_token(desk.inputs, index, "ねこ")
    desk.refresh()
    write(bar, "ねこ")
    assert (bar.asked[-1], count(bar)) == ((7, 2), "3 / 3")
    enter(bar)
    assert (bar.asked[-1], count(bar)) == ((1, 2), "1 / 3")
    enter(bar)
    assert bar.asked[-1] == (5, 2)
    enter(bar, shift=True)
    assert bar.asked[-1] == (1, 2)
    QTest.mouseClick(desk.find(QToolButton, "go_to/next"), Qt.MouseButton.LeftButton)
    assert bar.asked[-1] == (5, 2)
    QTest.mouseClick(desk.find(QToolButton, "go_to/before"), Qt.MouseButton.LeftButton)
    assert bar.asked[-1] == (1, 2)


def test_what_is_found_follows_an_edit_of_the_tokens(bar, desk):
    from attnviz.text.token_edits import rename_token

    write(bar, "魚")
    assert bar.asked == [(2, 2)]
    desk.inputs = rename_token(desk.inputs, 8, "魚")
    desk.refresh()
    enter(bar)
    assert (bar.asked[-1], count(bar)) == ((8, 2), "2 / 2")


@pytest.mark.parametrize(
    ("text", "words"), [("10", "no query 10; 0 to 9"), ("0, 10", "no key 10"), ("", "No token holds")]
)
def test_what_is_not_there_is_refused_and_says_what_is(bar, desk, text, words):
    write(bar, text)
    assert bar.asked == []
    assert words in desk.refusals[-1]


def test_nothing_happens_while_text_is_being_composed(bar, desk):
    field = bar.findChild(GoToField)
    QCoreApplication.sendEvent(field, QInputMethodEvent("さかな", []))
    enter(bar)
    enter(bar, shift=True)
    assert bar.asked == []
    assert desk.refusals == []


def test_esc_and_the_cross_put_the_line_away(bar, desk):
    QTest.keyClick(bar.findChild(GoToField), Qt.Key.Key_Escape)
    assert bar.isHidden()
    bar.ask()
    assert bar.isVisible()
    QTest.mouseClick(desk.find(QToolButton, "go_to/close"), Qt.MouseButton.LeftButton)
    assert bar.isHidden()
