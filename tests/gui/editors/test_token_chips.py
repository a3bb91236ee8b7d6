"""Chips: choosing, naming, adding, removing and moving tokens; any text; very many tokens."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QToolButton

from attnviz.core.inputs import Head, Inputs
from attnviz.core.selection import Selection
from attnviz.gui.editors import token_line
from attnviz.gui.editors.token_chip import MOST_WIDTH, TokenChip
from attnviz.gui.editors.token_editor import TokenEditor
from tests.gui.editors.hands import commit, compose, drag

LEFT = Qt.MouseButton.LeftButton
ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def chips(desk):
    return desk.put(TokenEditor, 1300, 60).chips


def chip(desk, index: int) -> TokenChip:
    return desk.find(TokenChip, f"token/{index}")


def field(desk) -> QLineEdit:
    return desk.find(QLineEdit, "tokens/name")


def write(desk, text: str) -> None:
    field(desk).selectAll()
    commit(field(desk), text)


def test_a_click_chooses_the_query_and_changes_nothing(desk, chips):
    assert chip(desk, 6).is_selected
    QTest.mouseClick(chip(desk, 2), LEFT)
    assert desk.selection.query == 2
    assert chip(desk, 2).is_selected
    assert not chip(desk, 6).is_selected
    assert desk.gestures == []


def test_a_double_click_renames_in_place(desk, chips):
    QTest.mouseDClick(chip(desk, 2), LEFT)
    assert field(desk).selectedText() == "魚"
    assert field(desk).hasFocus()
    write(desk, "鳥")
    QTest.keyClick(field(desk), Qt.Key.Key_Return)
    assert desk.inputs.tokens[2] == "鳥"
    assert desk.gestures == [""]
    assert chips.hasFocus()
    assert chip(desk, 2).token == "鳥"


def test_leaving_the_name_takes_it(desk, chips):
    QTest.mouseDClick(chip(desk, 2), LEFT)
    write(desk, "鳥")
    desk.find(QLineEdit, "sentence").setFocus()
    assert desk.inputs.tokens[2] == "鳥"
    assert len(desk.gestures) == 1


def test_esc_drops_the_name(desk, chips):
    chips.setFocus()
    QTest.keyClick(chips, Qt.Key.Key_F2)
    write(desk, "あれ")
    QTest.keyClick(field(desk), Qt.Key.Key_Escape)
    assert desk.gestures == []
    assert chips.findChild(QLineEdit, "tokens/name") is None or field(desk).isHidden()
    assert chips.hasFocus()


def test_enter_while_composing_a_name_takes_nothing(desk, chips):
    chips.setFocus()
    QTest.keyClick(chips, Qt.Key.Key_F2)
    compose(field(desk), "あれ")
    QTest.keyClick(field(desk), Qt.Key.Key_Return)
    assert desk.gestures == []
    commit(field(desk), "あれ")
    QTest.keyClick(field(desk), Qt.Key.Key_Return)
    assert desk.inputs.tokens[6] == "あれ"


def test_an_empty_name_is_refused(desk, chips):
    chips.setFocus()
    QTest.keyClick(chips, Qt.Key.Key_F2)
    QTest.keyClick(field(desk), Qt.Key.Key_Backspace)
    QTest.keyClick(field(desk), Qt.Key.Key_Return)
    assert desk.refusals == ["A token needs at least one character; a blank is one."]
    assert desk.inputs.tokens[6] == "それ"


def test_a_refresh_while_a_name_is_composed_leaves_it_alone(desk, chips):
    QTest.mouseDClick(chip(desk, 2), LEFT)
    compose(field(desk), "とり")
    desk.refresh()
    assert field(desk).isVisible()
    commit(field(desk), "鳥")
    assert field(desk).text() == "鳥"


@pytest.mark.parametrize("key", [Qt.Key.Key_Delete, Qt.Key.Key_Backspace])
def test_del_removes_the_selected_token(desk, chips, key):
    chips.setFocus()
    QTest.keyClick(chips, key)
    assert "それ" not in desk.inputs.tokens
    assert len(desk.inputs.tokens) == 9
    assert chip(desk, 6).token == "は"


def test_the_only_token_stays(desk, chips):
    one = desk.inputs.heads[0]
    desk.set(Inputs("猫", ("猫",), (Head("h", one.q[:1], one.k[:1], one.v[:1]),)))
    chips.setFocus()
    QTest.keyClick(chips, Qt.Key.Key_Delete)
    assert desk.refusals == ["This is the only token; a sentence needs at least one."]


def test_plus_adds_a_token_after_the_selected_one_and_chooses_it(desk, chips):
    QTest.mouseClick(desk.find(QToolButton, "tokens/add"), LEFT)
    commit(field(desk), "も")
    QTest.keyClick(field(desk), Qt.Key.Key_Return)
    assert desk.inputs.tokens[6:9] == ("それ", "も", "は")
    assert desk.selection.query == 7


def test_nothing_is_added_without_a_text(desk, chips):
    QTest.mouseClick(desk.find(QToolButton, "tokens/add"), LEFT)
    QTest.keyClick(field(desk), Qt.Key.Key_Return)
    assert desk.gestures == []


def test_alt_and_an_arrow_move_the_selected_token_and_the_selection_goes_with_it(desk, chips):
    chips.setFocus()
    QTest.keyClick(chips, Qt.Key.Key_Left, ALT)
    QTest.keyClick(chips, Qt.Key.Key_Left, ALT)
    assert desk.inputs.tokens[4] == "それ"
    assert desk.selection.query == 4
    QTest.keyClick(chips, Qt.Key.Key_Right, ALT)
    assert desk.inputs.tokens[5] == "それ"


def test_arrows_home_and_end_move_the_selection(desk, chips):
    chips.setFocus()
    for key, wanted in (
        (Qt.Key.Key_Right, 7),
        (Qt.Key.Key_End, 9),
        (Qt.Key.Key_Right, 9),
        (Qt.Key.Key_Home, 0),
        (Qt.Key.Key_Left, 0),
    ):
        QTest.keyClick(chips, key)
        assert desk.selection.query == wanted
    assert desk.gestures == []


def test_a_drag_moves_a_token_to_where_it_is_dropped(desk, chips):
    start, target = chip(desk, 6), chip(desk, 1)
    at = start.mapFromGlobal(target.mapToGlobal(QPoint(2, 10)))
    drag(start, (10, 10), (-20, 10), (at.x(), 10))
    assert desk.inputs.tokens[:3] == ("猫", "それ", "が")
    assert desk.selection.query == 1
    assert desk.gestures == [""]


def test_a_drag_back_to_its_place_changes_nothing(desk, chips):
    drag(chip(desk, 6), (10, 10), (-60, 10), (10, 10))
    assert desk.gestures == []


def test_the_menu_of_a_chip_offers_all_of_it(desk, chips):
    one = chip(desk, 0)
    at = one.rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, one.mapToGlobal(at))
    QApplication.sendEvent(one, event)
    menu = chips.findChild(QMenu)
    actions = {action.objectName(): action for action in menu.actions()}
    assert not actions["tokens/left"].isEnabled()
    actions["tokens/right"].trigger()
    menu.close()
    assert desk.inputs.tokens[:2] == ("が", "猫")


def test_tokens_whose_vectors_are_defaults_are_marked(desk, chips):
    marks = np.arange(10) == 3
    head = desk.inputs.heads[0]
    marked = Head("h", head.q, head.k, head.v, is_default=marks)
    desk.set(Inputs("x", desk.inputs.tokens, (marked, desk.inputs.heads[1])))
    assert [chip(desk, i).is_default for i in range(10)] == marks.tolist()
    assert "defaults" in chip(desk, 3).toolTip()


def test_any_text_is_a_token(desk, chips):
    tokens = (" ", "<b>x</b>", "👨‍👩‍👧‍👦", "a\tb", "\x07", "é̂", "x" * 100_000, "　", "&Copy", "\ud800")
    head = desk.inputs.heads[0]
    desk.set(Inputs("x", tokens, (head,)))
    assert [chip(desk, i).token for i in range(10)] == list(tokens)
    assert chip(desk, 1).toolTip().count("&lt;b&gt;") == 1
    assert chip(desk, 6).width() == MOST_WIDTH
    chips.grab()


def many(count: int) -> Inputs:
    zeros = np.zeros((count, 2), np.float32)
    return Inputs("x", tuple(f"t{i}" for i in range(count)), (Head("h", zeros, zeros, zeros),))


def test_up_to_200_tokens_every_chip_is_there(desk, chips):
    desk.set(many(200))
    assert len(chips.findChildren(TokenChip)) == 200
    assert chip(desk, 199).token == "t199"


def test_of_2048_tokens_only_those_in_view_are_widgets(desk, chips):
    desk.set(many(2048))
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    shown = chips.findChildren(TokenChip)
    assert len(shown) < 60
    chips.setFocus()
    QTest.keyClick(chips, Qt.Key.Key_End)
    assert desk.selection.query == 2047
    last = chip(desk, 2047)
    assert last.is_selected
    assert chips.viewport().rect().contains(last.geometry())
    assert len(chips.findChildren(TokenChip)) < 60
    assert chips.chip(5).token == "t5"


def widths(desk, tokens: list[str]) -> list[int]:
    """The widths of chips that a line shows which has seen none of them before."""
    zeros = np.zeros((len(tokens), 4), np.float32)
    desk.set(Inputs("", tuple(tokens), (Head("h", zeros, zeros, zeros),)))
    return desk.editor.chips._widths.tolist()


def test_very_many_chips_are_as_wide_as_a_few_of_them(desk, chips):
    words = ["w", "vector", "猫が", " ", "\t", "x" * 5000, "\ud800", "", "👨‍👩‍👧‍👦"]
    alone = widths(desk, words)
    many = widths(desk, [*words, *(f"{word}{number}" for word in ("cat", "魚") for number in range(3000))])
    for one, among_many in zip(alone, many, strict=False):
        assert abs(one - among_many) <= 4
    few = widths(desk, ["cat17", "魚2999"])
    assert abs(few[0] - many[len(words) + 17]) <= 4
    assert abs(few[1] - many[-1]) <= 4


def test_after_an_edit_each_chip_is_as_wide_as_its_token(desk, chips):
    tokens = [f"t{'x' * (number % 9)}" for number in range(300)]
    for change in (
        [*tokens[:150], "a new token", *tokens[150:]],
        [*tokens[:70], *tokens[90:]],
        [*reversed(tokens)],
        ["cat"],
        tokens,
    ):
        assert widths(desk, change) == [widths_of_one(chips, token) for token in change]


def widths_of_one(chips, token: str) -> int:
    return token_line._width(token, chips.fontMetrics())


def test_a_refresh_touches_no_chip_where_only_numbers_changed(desk, chips):
    desk.set(many(2048))
    before = {id(one) for one in chips.findChildren(TokenChip)}
    layouts = []
    chips._lay_out = lambda: layouts.append(1)
    desk.set(Inputs("x", desk.inputs.tokens, desk.inputs.heads))
    assert layouts == []
    assert {id(one) for one in chips.findChildren(TokenChip)} == before


def test_the_selected_chip_is_scrolled_into_view(desk, chips):
    desk.set(many(150))
    desk.choose(Selection(0, 140, 0))
    assert chips.viewport().rect().contains(chip(desk, 140).geometry())
