"""The tables of q, k and v: cells, rectangles, names and sizes."""

import numpy as np
import pytest
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QLineEdit

from attnviz.core import edits
from attnviz.core.inputs import Head, Inputs
from attnviz.core.selection import Selection
from attnviz.gui.editors.vector_grid import VectorGrid
from attnviz.gui.editors.vector_model import DEFAULT_ROLE, SELECTED_ROLE
from attnviz.gui.editors.vector_table import VectorTable
from attnviz.gui.number_field import NumberField
from tests.gui.editors.hands import clipboard, commit, compose

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def table(desk) -> VectorTable:
    return desk.put(VectorTable, 1200, 360)


def grid(desk, which: str = "q") -> VectorGrid:
    return desk.find(VectorGrid, f"vectors/{which}")


def at(desk, which: str, token: int, dim: int) -> VectorGrid:
    one = grid(desk, which)
    one.focus_cell(token, dim)
    return one


def type_into(desk, which: str, token: int, dim: int, text: str) -> None:
    one = at(desk, which, token, dim)
    QTest.keyClick(one, Qt.Key.Key_F2)
    field = one.findChild(QLineEdit, "vectors/number")
    field.selectAll()
    field.insert(text)
    press_enter(field)


def press_enter(field: QLineEdit) -> None:
    QTest.keyClick(field, Qt.Key.Key_Return)
    QApplication.processEvents()  # Qt takes what a cell's field holds in the next turn of its loop


def select(one: VectorGrid, top: int, left: int, bottom: int, right: int) -> None:
    model = one.vectors
    area = QItemSelection(model.index(top, left), model.index(bottom, right))
    one.selectionModel().select(area, QItemSelectionModel.SelectionFlag.ClearAndSelect)


def test_rows_are_tokens_and_columns_are_named_dimensions(desk, table):
    model = grid(desk, "k").vectors
    assert model.rowCount() == 10
    assert model.headerData(1, Qt.Orientation.Horizontal) == "食べ物"
    assert model.headerData(6, Qt.Orientation.Vertical) == "それ"
    assert model.index(9, 3).data() == "3.9"
    assert desk.gestures == []


def test_a_cell_is_typed_into(desk, table):
    type_into(desk, "q", 6, 1, "-0.75")
    assert desk.inputs.heads[0].q[6, 1] == -0.75
    assert grid(desk).vectors.index(6, 1).data() == "−0.75"
    assert desk.gestures == [""]


def test_an_opened_cell_left_as_it_was_asks_for_nothing(desk, table):
    one = at(desk, "k", 9, 3)
    QTest.keyClick(one, Qt.Key.Key_F2)
    press_enter(one.findChild(QLineEdit, "vectors/number"))
    assert desk.gestures == []


@pytest.mark.parametrize("text", ["nan", "inf", "1e400", "1_000", "text", "0,75", ""])
def test_a_bad_number_is_refused_and_the_cell_stays(desk, table, text):
    type_into(desk, "q", 6, 1, text)
    assert len(desk.refusals) == 1
    assert desk.gestures == []
    assert grid(desk).vectors.index(6, 1).data() == "1.5"


def test_a_refresh_leaves_a_cell_that_is_being_composed_alone(desk, table):
    one = at(desk, "q", 6, 1)
    QTest.keyClick(one, Qt.Key.Key_F2)
    field = one.findChild(QLineEdit, "vectors/number")
    field.selectAll()
    compose(field, "２")
    desk.set(edits.set_vector_value(desk.inputs, 0, "q", 6, 1, 9.0))
    commit(field, "２")
    assert field.text() == "２"
    press_enter(field)
    assert desk.inputs.heads[0].q[6, 1] == 2.0


def test_v_follows_k_where_they_are_linked(desk, table):
    type_into(desk, "v", 0, 0, "8")
    assert desk.inputs.heads[0].k[0, 0] == 8.0
    assert grid(desk, "k").vectors.index(0, 0).data() == "8.0"


def test_the_link_is_cut_and_tied(desk, table):
    box = desk.find(QCheckBox, "v_is_k")
    assert box.isChecked()
    QTest.keyClick(box, Qt.Key.Key_Space)
    assert not desk.inputs.heads[0].v_is_k
    assert desk.find(NumberField, "d_v").isEnabled()
    QTest.keyClick(box, Qt.Key.Key_Space)
    assert desk.inputs.heads[0].v_is_k


def test_v_is_k_is_not_offered_where_the_sizes_differ(desk, table):
    desk.choose(Selection(1, 6, 2))
    assert not desk.find(QCheckBox, "v_is_k").isEnabled()


# --- clipboard


def test_a_rectangle_is_pasted_as_one_step(desk, table):
    one = at(desk, "k", 2, 1)
    clipboard("1\t2\r\n3\t−4.5\r\n")
    QTest.keySequence(one, QKeySequence(QKeySequence.StandardKey.Paste))
    assert desk.inputs.heads[0].k[2:4, 1:3].tolist() == [[1, 2], [3, -4.5]]
    assert desk.gestures == [""]


def test_one_number_pasted_fills_what_is_selected(desk, table):
    one = at(desk, "q", 0, 0)
    select(one, 0, 0, 1, 2)
    clipboard("7")
    one.paste()
    assert desk.inputs.heads[0].q[:2].tolist() == [[7, 7, 7, 0]] * 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1\t2\n3\tx", "Row 2, column 2"),
        ("1\t2\n3", "Row 2"),
        ("", "nothing to paste"),
        ("1\t2\t3\t4\t5", "do not fit into q"),
        ("\n".join("1" * 1 for _ in range(11)), "do not fit into q"),
        ("1\tnan", "Row 1, column 2"),
        ("0,75", "decimal comma"),
    ],
)
def test_what_cannot_be_pasted_is_refused_with_the_place_and_nothing_changes(desk, table, text, reason):
    before = desk.inputs
    one = at(desk, "q", 0, 0)
    clipboard(text)
    one.paste()
    assert reason in desk.refusals[0]
    assert desk.inputs is before


def test_what_is_copied_pastes_back_bit_for_bit(desk, table):
    q = np.random.default_rng(0).normal(size=(10, 4)).astype(np.float32)
    head = desk.inputs.heads[0]
    desk.set(Inputs("x", desk.inputs.tokens, (Head("h", q, head.k, head.v),)))
    one = at(desk, "q", 0, 0)
    one.selectAll()
    QTest.keySequence(one, QKeySequence(QKeySequence.StandardKey.Copy))
    assert clipboard().split("\n")[0].count("\t") == 3
    other = at(desk, "k", 0, 0)
    other.paste()
    assert desk.inputs.heads[0].k.tobytes() == q.tobytes()


def test_del_sets_what_is_selected_to_zero(desk, table):
    one = at(desk, "k", 5, 0)
    select(one, 4, 1, 6, 2)
    QTest.keyClick(one, Qt.Key.Key_Delete)
    assert not desk.inputs.heads[0].k[4:7, 1:3].any()
    assert desk.inputs.heads[0].k[4, 0] != 0
    assert desk.gestures == [""]


# --- rows, names, sizes


def test_the_rows_of_the_query_and_of_defaults_are_marked(desk, table):
    marks = np.arange(10) == 3
    head = desk.inputs.heads[0]
    desk.set(Inputs("x", desk.inputs.tokens, (Head("h", head.q, head.k, head.v, is_default=marks),)))
    model = grid(desk, "v").vectors
    assert [model.index(row, 0).data(SELECTED_ROLE) for row in range(10)] == [row == 6 for row in range(10)]
    assert [model.index(row, 0).data(DEFAULT_ROLE) for row in range(10)] == marks.tolist()
    assert "defaults" in model.index(3, 0).data(Qt.ItemDataRole.ToolTipRole)


def test_a_click_on_a_rows_heading_chooses_the_query(desk, table):
    rows = grid(desk, "k").verticalHeader()
    y = rows.sectionViewportPosition(2) + 5
    QTest.mouseClick(rows.viewport(), LEFT, pos=QPoint(10, y))
    assert desk.selection.query == 2


def test_a_double_click_on_a_columns_heading_renames_the_dimension(desk, table):
    one = grid(desk, "q")
    columns = one.horizontalHeader()
    x = columns.sectionViewportPosition(1) + 10
    QTest.mouseDClick(columns.viewport(), LEFT, pos=QPoint(x, 8))
    field = desk.find(QLineEdit, "vectors/q/name")
    assert field.selectedText() == "食べ物"
    commit(field, "飲み物")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert desk.inputs.heads[0].qk_names[1] == "飲み物"
    assert grid(desk, "k").vectors.headerData(1, Qt.Orientation.Horizontal) == "飲み物"


def test_shift_f2_renames_the_dimension_of_the_current_cell(desk, table):
    one = at(desk, "v", 0, 2)
    QTest.keyClick(one, Qt.Key.Key_F2, Qt.KeyboardModifier.ShiftModifier)
    field = desk.find(QLineEdit, "vectors/v/name")
    commit(field, "x")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert desk.gestures == []
    assert one.hasFocus()


def test_d_k_changes_and_d_v_follows_where_v_is_k(desk, table):
    field = desk.find(NumberField, "d_k")
    assert not desk.find(NumberField, "d_v").isEnabled()
    field.setFocus()
    QTest.keyClicks(field, "6\r")
    assert desk.inputs.heads[0].q.shape == (10, 6)
    assert desk.inputs.heads[0].v.shape == (10, 6)
    assert desk.inputs.heads[0].v_is_k
    assert desk.find(NumberField, "d_v").text() == "6"
    assert grid(desk).vectors.columnCount() == 6


@pytest.mark.parametrize("text", ["0", "2.5", "4097", "x"])
def test_a_size_that_cannot_be_is_refused(desk, table, text):
    field = desk.find(NumberField, "d_k")
    field.setFocus()
    QTest.keyClicks(field, text + "\r")
    assert len(desk.refusals) == 1
    assert field.text() == "4"
    assert desk.inputs.heads[0].d_k == 4


def test_d_v_changes_alone(desk, table):
    desk.choose(Selection(1, 6, 2))
    field = desk.find(NumberField, "d_v")
    field.setFocus()
    QTest.keyClicks(field, "5\r")
    assert desk.inputs.heads[1].v.shape == (10, 5)
    assert desk.inputs.heads[1].q.shape == (10, 2)


def test_a_refresh_keeps_the_current_cell_and_the_focus(desk, table):
    one = at(desk, "q", 4, 3)
    desk.set(edits.set_vector_value(desk.inputs, 0, "q", 0, 0, 5.0))
    desk.set(edits.resize_head(desk.inputs, 0, 6, 6))
    assert (one.currentIndex().row(), one.currentIndex().column()) == (4, 3)
    desk.choose(Selection(1, 6, 2))
    assert (one.currentIndex().row(), one.currentIndex().column()) == (4, 1)
    assert one.hasFocus()
    assert desk.gestures == []


def test_a_term_leads_to_its_cell(desk, table):
    table.focus_cell("k", 9, 2)
    one = grid(desk, "k")
    assert one.hasFocus()
    assert (one.currentIndex().row(), one.currentIndex().column()) == (9, 2)


def test_the_three_tables_scroll_together(desk, table):
    zeros = np.zeros((2048, 64), np.float32)
    desk.set(Inputs("x", ("t",) * 2048, (Head("h", zeros, zeros, zeros),)))
    table.focus_cell("k", 2000, 63)
    values = {grid(desk, which).verticalScrollBar().value() for which in ("q", "k", "v")}
    assert len(values) == 1
    assert values.pop() > 0
