"""The row of heads: choosing, adding, copying, naming, ordering and removing."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from attnviz.core.inputs import Inputs
from attnviz.core.selection import Selection
from attnviz.gui.editors.head_bar import HeadBar
from attnviz.gui.editors.head_button import HeadButton
from tests.gui.editors.hands import commit, drag

LEFT = Qt.MouseButton.LeftButton
CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def bar(desk):
    return desk.put(HeadBar, 500, 40)


def names(desk) -> list[str]:
    return [head.name for head in desk.inputs.heads]


def button(desk, head: int) -> HeadButton:
    return desk.find(HeadButton, f"head/{head}")


def test_a_click_chooses_a_head(desk, bar):
    QTest.mouseClick(button(desk, 1), LEFT)
    assert desk.selection.head == 1
    assert button(desk, 1).isChecked()
    assert not button(desk, 0).isChecked()
    assert desk.gestures == []


def test_a_new_head_comes_after_the_active_one_and_is_chosen(desk, bar):
    desk.find(QAction, "head/add").trigger()
    assert names(desk) == ["意味", "3", "直前"]
    assert desk.selection.head == 1
    assert desk.inputs.heads[1].qk_names == desk.inputs.heads[0].qk_names


def test_copies_of_copies_have_short_names_of_their_own(desk, bar):
    for _ in range(4):
        desk.find(QAction, "head/copy").trigger()
    assert names(desk) == ["意味", *(f"意味 (copy{n})" for n in ("", " 2", " 3", " 4")), "直前"]


def test_a_copy_shares_the_numbers(desk, bar):
    desk.find(QAction, "head/copy").trigger()
    assert names(desk) == ["意味", "意味 (copy)", "直前"]
    assert desk.inputs.heads[1].q is desk.inputs.heads[0].q


def test_a_head_is_renamed_in_place(desk, bar):
    QTest.mouseDClick(button(desk, 1), LEFT)
    field = desk.find(QLineEdit, "heads/name")
    assert field.selectedText() == "直前"
    commit(field, "直後")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert names(desk) == ["意味", "直後"]


def test_f2_and_esc_rename_nothing(desk, bar):
    button(desk, 0).setFocus()
    QTest.keyClick(button(desk, 0), Qt.Key.Key_F2)
    field = desk.find(QLineEdit, "heads/name")
    commit(field, "x")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert desk.gestures == []
    assert button(desk, 0).hasFocus()


def test_ctrl_shift_and_an_arrow_move_the_active_head(desk, bar):
    button(desk, 0).setFocus()
    QTest.keyClick(button(desk, 0), Qt.Key.Key_Right, CONTROL_SHIFT)
    assert names(desk) == ["直前", "意味"]
    assert desk.selection.head == 1
    assert button(desk, 1).hasFocus()
    assert not desk.find(QAction, "head/right").isEnabled()


def test_a_drag_reorders(desk, bar):
    first, last = button(desk, 0), button(desk, 1)
    at = first.mapFromGlobal(last.mapToGlobal(QPoint(last.width() - 2, 10)))
    drag(first, (10, 10), (30, 10), (at.x(), 10))
    assert names(desk) == ["直前", "意味"]


def test_the_last_head_cannot_be_removed(desk, bar):
    remove = desk.find(QAction, "head/remove")
    button(desk, 0).setFocus()
    QTest.keyClick(button(desk, 0), Qt.Key.Key_Delete)
    assert names(desk) == ["直前"]
    assert not remove.isEnabled()


def test_arrows_choose_a_head(desk, bar):
    button(desk, 0).setFocus()
    QTest.keyClick(button(desk, 0), Qt.Key.Key_Right)
    assert desk.selection.head == 1
    assert button(desk, 1).hasFocus()


def test_of_many_heads_the_active_one_is_in_view(desk, bar):
    desk.set(Inputs("x", desk.inputs.tokens, (desk.inputs.heads[0],) * 64))
    desk.choose(Selection(60, 6, 2))
    place = button(desk, 60).visibleRegion().boundingRect()
    assert place.size() == button(desk, 60).size()
    assert bar.width() == 500


def test_a_name_is_plain_text(desk, bar):
    desk.find(QAction, "head/rename").trigger()
    field = desk.find(QLineEdit, "heads/name")
    commit(field, "<b>&x")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert names(desk)[0] == "<b>&x"
    assert button(desk, 0).accessibleName() == "head <b>&x"
    assert "&lt;b&gt;&amp;x" in button(desk, 0).toolTip()
