"""A head derived from x: the switch, the tables of x · W, their arithmetic, and the way back to vectors."""

import numpy as np
import pytest
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QLineEdit, QRadioButton, QWidget

from attnviz.core import edits, key_edits
from attnviz.core import projection_edits as layer
from attnviz.core.inputs import Head, Inputs
from attnviz.core.projections import Projection
from attnviz.core.selection import Selection
from attnviz.gui.editors import vector_cells
from attnviz.gui.editors.page_button import PageButton
from attnviz.gui.editors.projection_page import ProjectionPage
from attnviz.gui.editors.vector_grid import VectorGrid
from attnviz.gui.editors.vector_model import SELECTED_ROLE
from attnviz.gui.editors.vector_table import VectorTable
from attnviz.gui.number_field import NumberField
from tests.gui.editors.hands import clipboard

LEFT = Qt.MouseButton.LeftButton
X = [[2, 0], [0, 2], [2, 1]]
W_Q = [[1, 1], [0, 2]]
ACROSS, DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical


def derived(x=X, w=W_Q, bias=None, names=("動物", "食べ物")) -> Inputs:
    """Three tokens whose head takes q from x by the published map, k and v by the identity."""
    x = np.array(x, np.float32)
    eye = np.eye(x.shape[1], len(w[0]))
    blank = Head("写像", np.zeros((len(x), 2)), np.zeros((len(x), 2)), np.zeros((len(x), 2)), qk_names=names)
    head = layer.derived_head(blank, x, Projection(w, eye, eye, bias))
    tokens = ("猫", "魚", "それ", "は", "新鮮")[: len(x)]
    return Inputs("", tokens, (head, head), x=x)


@pytest.fixture
def table(desk) -> VectorTable:
    desk.inputs, desk.selection = derived(), Selection(0, 2, 0)
    return desk.put(VectorTable, 1300, 260)


def grid(desk, part: str) -> VectorGrid:
    return desk.find(VectorGrid, part if "/" in part else f"projection/{part}")


def type_into(one: VectorGrid, row: int, column: int, text: str) -> None:
    one.focus_cell(row, column)
    QTest.keyClick(one, Qt.Key.Key_F2)
    field = one.findChild(QLineEdit, "vectors/number")
    field.selectAll()
    field.insert(text)
    QTest.keyClick(field, Qt.Key.Key_Return)
    QApplication.processEvents()


def shown(one: VectorGrid) -> list[list[str]]:
    model = one.vectors
    return [
        [model.index(row, column).data() for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def lines(desk) -> list[str]:
    return desk.editor.projection.lines.text().split("\n")


# --- what is shown


def test_x_the_map_and_the_result_stand_side_by_side(desk, table):
    assert shown(grid(desk, "x")) == [["2.0", "0.0"], ["0.0", "2.0"], ["2.0", "1.0"]]
    assert shown(grid(desk, "w")) == [["1.0", "1.0"], ["0.0", "2.0"]]
    assert shown(grid(desk, "result"))[2] == ["2.0", "4.0"]
    places = [grid(desk, part).mapTo(table, QPoint(0, 0)) for part in ("x", "w", "result")]
    assert [place.x() for place in places] == sorted(place.x() for place in places)
    assert len({place.y() for place in places}) == 1
    assert desk.gestures == []


def test_the_row_of_x_and_the_column_of_the_map_that_make_the_number_are_marked(desk, table):
    grid(desk, "result").focus_cell(2, 1)
    x, w, result = (grid(desk, part).vectors for part in ("x", "w", "result"))
    assert [x.headerData(row, DOWN, SELECTED_ROLE) for row in range(3)] == [False, False, True]
    assert [w.headerData(column, ACROSS, SELECTED_ROLE) for column in range(2)] == [False, True]
    assert (result.sheet.row, result.sheet.column) == (2, 1)
    assert (x.sheet.column, w.sheet.row) == (-1, -1)


def test_the_sum_is_written_out_term_by_term_with_its_shapes(desk, table):
    assert lines(desk) == [
        "q[それ, 動物]",
        "shape  x (1 × 2) · W_Q (2 × 2) → q (1 × 2)",
        "x · W  2×1 + 1×0 = 2",
    ]
    grid(desk, "result").focus_cell(2, 1)
    assert lines(desk)[2] == "x · W  2×1 + 1×2 = 4"
    desk.find(PageButton, "vectors/page/k").click()
    assert lines(desk)[:2] == ["k[それ, 動物]", "shape  x (1 × 2) · W_K (2 × 2) → k (1 × 2)"]


def test_a_bias_has_its_own_line_and_negative_factors_stand_in_parentheses(desk, table):
    desk.set(derived(x=[[2, -1]], bias=[-0.5, 0]))
    assert lines(desk)[1:] == [
        "shape  x (1 × 2) · W_Q (2 × 2) + b_Q (1 × 2) → q (1 × 2)",
        "x · W  2×1 + (−1)×0 = 2",
        "+ b  2 + (−0.5) = 1.5",
    ]


@pytest.mark.parametrize(("link", "part"), [(("x", 2, 1), "x"), (("w", 1, 0), "w"), (("b", 0, 0), "b")])
def test_a_number_of_the_sum_leads_to_the_cell_where_it_is_edited(desk, table, link, part):
    desk.set(derived(bias=[3, 4]))
    terms = table.projection.lines
    QTest.mouseClick(terms.viewport(), LEFT, pos=terms.link_rect(*link).center().toPoint())
    one = grid(desk, part)
    assert one.hasFocus()
    assert (one.currentIndex().row(), one.currentIndex().column()) == link[1:]


def test_arrow_keys_and_enter_lead_there_too(desk, table):
    terms = table.projection.lines
    terms.setFocus()
    for _ in range(2):
        QTest.keyClick(terms, Qt.Key.Key_Right)
    QTest.keyClick(terms, Qt.Key.Key_Return)
    assert grid(desk, "w").hasFocus()


def test_pointing_at_a_number_of_the_sum_outlines_both_factors(desk, table):
    terms = table.projection.lines
    before = [grid(desk, part).viewport().grab().toImage() for part in ("x", "w")]
    QTest.mouseMove(terms.viewport(), terms.link_rect("w", 1, 0).center().toPoint())
    during = [grid(desk, part).viewport().grab().toImage() for part in ("x", "w")]
    assert all(one != other for one, other in zip(before, during, strict=True))
    QApplication.processEvents()
    terms.term_pointed.emit("", -1, -1)
    after = [grid(desk, part).viewport().grab().toImage() for part in ("x", "w")]
    assert after == before


def test_a_cell_of_x_outlines_its_partner_in_the_map_and_the_pair_follows_the_token(desk, table):
    grid(desk, "x").focus_cell(2, 1)
    outlined = [grid(desk, part).itemDelegate().pointed for part in ("x", "w")]
    assert outlined == [{(2, 1)}, {(1, 0)}]
    desk.choose(Selection(0, 0, 0))
    assert grid(desk, "x").itemDelegate().pointed == {(0, 1)}
    grid(desk, "result").focus_cell(0, 1)
    assert [grid(desk, part).itemDelegate().pointed for part in ("x", "w")] == [set(), set()]


def test_going_to_another_row_looks_at_its_token(desk, table):
    one = grid(desk, "x")
    one.setFocus()
    QTest.mouseClick(one.viewport(), LEFT, pos=one.visualRect(one.vectors.index(0, 0)).center())
    assert desk.selection.query == 0
    QTest.keyClick(one, Qt.Key.Key_Down)
    assert desk.selection.query == 1
    assert lines(desk)[0] == "q[魚, 動物]"


def test_the_selected_row_is_brought_into_view(desk, table):
    x = np.ones((2000, 2))
    desk.set(Inputs("", ("t",) * 2000, (derived_head(x),), x=x))
    desk.choose(Selection(0, 1500, 0))
    for part in ("x", "result"):
        one = grid(desk, part)
        assert one.viewport().rect().contains(one.visualRect(one.vectors.index(1500, 0)).center())


def derived_head(x) -> Head:
    blank = Head("h", np.zeros((len(x), 2)), np.zeros((len(x), 2)), np.zeros((len(x), 2)))
    return layer.derived_head(blank, np.asarray(x, np.float32), Projection(W_Q, W_Q, W_Q))


# --- edits


@pytest.mark.parametrize(
    ("part", "row", "column", "q"),
    [("x", 2, 1, [2, 22]), ("w", 1, 0, [12, 4]), ("w", 0, 1, [2, 22])],
)
def test_a_cell_of_x_or_of_a_map_is_typed_into_and_q_follows(desk, table, part, row, column, q):
    type_into(grid(desk, part), row, column, "10")
    assert desk.inputs.heads[0].q[2].tolist() == q
    assert shown(grid(desk, "result"))[2] == [f"{value}.0" for value in q]
    assert desk.gestures == [""]


def test_x_is_shared_by_the_heads_and_a_map_is_one_heads_own(desk, table):
    type_into(grid(desk, "x"), 2, 1, "10")
    assert desk.inputs.heads[1].q[2].tolist() == [2, 22]
    type_into(grid(desk, "w"), 0, 0, "0")
    assert desk.inputs.heads[1].projection.w_q.tolist() == W_Q


def test_typing_opens_the_cell_at_once_and_arrow_keys_walk(desk, table):
    one = grid(desk, "w")
    one.focus_cell(0, 0)
    QTest.keyClick(one, Qt.Key.Key_Right)
    QTest.keyClick(one, Qt.Key.Key_Down)
    QTest.keyClicks(one, "7")
    QTest.keyClick(one.findChild(QLineEdit, "vectors/number"), Qt.Key.Key_Return)
    QApplication.processEvents()
    assert desk.inputs.heads[0].projection.w_q.tolist() == [[1, 1], [0, 7]]


def test_a_block_is_pasted_into_a_map_as_one_step_and_copied_back(desk, table):
    one = grid(desk, "w")
    one.focus_cell(0, 0)
    clipboard("1\t2\r\n3\t−4.5\r\n")
    QTest.keySequence(one, QKeySequence(QKeySequence.StandardKey.Paste))
    assert desk.inputs.heads[0].projection.w_q.tolist() == [[1, 2], [3, -4.5]]
    assert desk.gestures == [""]
    one.selectAll()
    QTest.keySequence(one, QKeySequence(QKeySequence.StandardKey.Copy))
    assert clipboard().splitlines()[1].split("\t")[0] in ("3", "3.0")


def test_del_sets_what_is_selected_of_x_to_zero(desk, table):
    one = grid(desk, "x")
    one.setFocus()
    area = QItemSelection(one.vectors.index(0, 0), one.vectors.index(1, 1))
    one.selectionModel().select(area, QItemSelectionModel.SelectionFlag.ClearAndSelect)
    QTest.keyClick(one, Qt.Key.Key_Delete)
    assert desk.inputs.x.tolist() == [[0, 0], [0, 0], [2, 1]]
    assert not desk.inputs.heads[0].q[:2].any()


@pytest.mark.parametrize(
    ("part", "text", "reason"),
    [
        ("w", "1\t2\t3", "do not fit into W_Q"),
        ("x", "\n".join("1" * 4), "do not fit into x"),
        ("w", "1\tx", "Row 1, column 2"),
        ("x", "nan", "Row 1, column 1"),
        ("w", "1e6", "x · W holds"),
    ],
)
def test_what_cannot_be_pasted_is_refused_in_one_sentence_and_nothing_changes(
    desk, table, part, text, reason
):
    desk.set(layer.set_x_block(desk.inputs, 0, 0, [[1000.0]]))
    before = desk.inputs
    one = grid(desk, part)
    one.focus_cell(0, 0)
    clipboard(text)
    one.paste()
    assert len(desk.refusals) == 1
    assert reason in desk.refusals[0]
    assert desk.inputs is before


@pytest.mark.parametrize("text", ["nan", "1e400", "text", ""])
def test_a_bad_number_is_refused_and_the_cell_stays(desk, table, text):
    type_into(grid(desk, "w"), 0, 1, text)
    assert len(desk.refusals) == 1
    assert shown(grid(desk, "w"))[0] == ["1.0", "1.0"]


def test_a_bias_comes_and_goes(desk, table):
    box = desk.find(QCheckBox, "bias")
    assert not grid(desk, "b").isVisible()
    QTest.keyClick(box, Qt.Key.Key_Space)
    assert desk.inputs.heads[0].projection.b_q.tolist() == [0, 0]
    one = grid(desk, "b")
    assert one.isVisible()
    assert [one.columnViewportPosition(c) for c in range(2)] == [
        grid(desk, "w").columnViewportPosition(c) for c in range(2)
    ]
    assert one.mapTo(table, QPoint(0, 0)).x() == grid(desk, "w").mapTo(table, QPoint(0, 0)).x()
    type_into(one, 0, 1, "0.5")
    assert desk.inputs.heads[0].q[2].tolist() == [2, 4.5]
    QTest.keyClick(box, Qt.Key.Key_Space)
    assert desk.inputs.heads[0].projection.b_q is None
    assert not one.isVisible()


def test_d_model_changes_and_added_dimensions_change_nothing(desk, table):
    field = desk.find(NumberField, "d_model")
    field.setFocus()
    QTest.keyClicks(field, "4\r")
    assert desk.inputs.x.shape == (3, 4)
    assert desk.inputs.heads[0].projection.w_v.shape == (4, 2)
    assert shown(grid(desk, "result"))[2] == ["2.0", "4.0"]
    assert (grid(desk, "x").vectors.columnCount(), grid(desk, "w").vectors.rowCount()) == (4, 4)
    field.setFocus()
    QTest.keyClicks(field, "1\r")
    assert desk.inputs.heads[0].q[2].tolist() == [2, 2]
    for text in ("0", "4097", "x"):
        QTest.keyClicks(field, text + "\r")
    assert len(desk.refusals) == 3
    assert field.text() == "1"


def test_d_k_of_a_derived_head_cuts_and_fills_its_maps(desk, table):
    field = desk.find(NumberField, "d_k")
    field.setFocus()
    QTest.keyClicks(field, "3\r")
    assert desk.inputs.heads[0].projection.w_q.tolist() == [[1, 1, 0], [0, 2, 0]]
    assert grid(desk, "w").vectors.headerData(2, ACROSS) == "2"


def name_dimension(desk, table: str, name: str) -> None:
    """Name the second dimension of a table by keys."""
    one = grid(desk, table)
    one.focus_cell(0, 1)
    QTest.keyClick(one, Qt.Key.Key_F2, Qt.KeyboardModifier.ShiftModifier)
    field = desk.find(QLineEdit, f"projection/{table}/name")
    field.selectAll()
    field.insert(name)
    QTest.keyClick(field, Qt.Key.Key_Return)


def test_a_dimension_is_named_above_its_column_of_the_map(desk, table):
    name_dimension(desk, "w", "taste")
    assert desk.inputs.heads[0].qk_names == ("動物", "taste")


def test_a_dimension_of_x_is_named_above_x_and_said_beside_the_row_of_the_map(desk, table):
    name_dimension(desk, "x", "<b>prey</b>")
    assert desk.inputs.x_names == ("0", "<b>prey</b>")
    assert grid(desk, "x").vectors.headerData(1, ACROSS) == "<b>prey</b>"
    assert grid(desk, "w").vectors.headerData(1, Qt.Orientation.Vertical) == "<b>prey</b>"


def test_an_x_of_the_keys_has_numbers_for_names(desk, table):
    desk.set(key_edits.separate_keys(layer.rename_x_dimension(desk.inputs, 0, "meal")))
    assert grid(desk, "x").vectors.headerData(0, ACROSS) == "meal"
    desk.find(QWidget, "vectors/page/k").click()
    assert grid(desk, "x").vectors.headerData(0, ACROSS) == "0"
    grid(desk, "x").focus_cell(0, 1)
    QTest.keyClick(grid(desk, "x"), Qt.Key.Key_F2, Qt.KeyboardModifier.ShiftModifier)
    assert desk.editor.findChild(QLineEdit, "projection/x/name") is None


# --- the source


def test_the_switch_derives_a_head_from_x_with_its_numbers_as_they_were(desk):
    table = desk.put(VectorTable, 1300, 260)
    before = desk.inputs.heads[0]
    assert table.projection is None
    desk.find(QRadioButton, "source/projection").click()
    head = desk.inputs.heads[0]
    assert head.source == "projection"
    assert all(np.array_equal(getattr(head, which), getattr(before, which)) for which in "qkv")
    assert grid(desk, "w").isVisible()
    assert not desk.find(VectorGrid, "vectors/q").isVisible()
    assert desk.gestures == [""]
    desk.find(QRadioButton, "source/vectors").click()
    assert desk.inputs.heads[0].source == "vectors"
    assert desk.find(VectorGrid, "vectors/q").isVisible()
    assert not desk.find(PageButton, "vectors/page/q").isVisible()


def test_a_switch_that_is_refused_shows_the_source_there_is(desk):
    desk.put(VectorTable, 1300, 260)
    desk.is_deaf = True
    desk.find(QRadioButton, "source/projection").click()
    assert desk.find(QRadioButton, "source/vectors").isChecked()


def test_an_edit_of_the_result_turns_the_head_to_vectors_and_the_cell_keeps_the_keyboard(desk, table):
    before = desk.inputs
    type_into(grid(desk, "result"), 2, 1, "9")
    assert desk.inputs.heads[0].source == "vectors"
    assert desk.inputs.heads[0].q[2].tolist() == [2, 9]
    assert desk.gestures == [""]
    one = desk.find(VectorGrid, "vectors/q")
    assert one.hasFocus()
    assert (one.currentIndex().row(), one.currentIndex().column()) == (2, 1)
    desk.set(before)
    assert grid(desk, "result").isVisible()
    assert grid(desk, "result").hasFocus()
    assert grid(desk, "result").currentIndex().column() == 1


def test_all_three_stand_side_by_side_on_a_page_of_their_own(desk, table):
    desk.find(PageButton, "vectors/page/all").click()
    assert shown(desk.find(VectorGrid, "vectors/q"))[2] == ["2.0", "4.0"]
    assert shown(desk.find(VectorGrid, "vectors/v"))[2] == ["2.0", "1.0"]
    box = desk.find(QCheckBox, "v_is_k")
    assert not box.isEnabled()
    assert "W_V" in box.toolTip()
    desk.find(PageButton, "vectors/page/v").click()
    assert desk.find(NumberField, "d_v").isVisible()
    assert not desk.find(NumberField, "d_k").isVisible()


def test_each_head_shows_its_own_source(desk, table):
    desk.set(layer.stop_projection(desk.inputs, 1))
    desk.choose(Selection(1, 2, 0))
    assert desk.find(VectorGrid, "vectors/q").isVisible()
    desk.choose(Selection(0, 2, 0))
    assert grid(desk, "x").isVisible()
    assert desk.gestures == []


def test_a_term_of_the_arithmetic_leads_to_where_its_number_is_derived(desk, table):
    table.focus_cell("k", 1, 1)
    one = grid(desk, "result")
    assert one.hasFocus()
    assert desk.find(PageButton, "vectors/page/k").isChecked()
    assert (one.currentIndex().row(), one.currentIndex().column()) == (1, 1)


def test_a_refresh_makes_no_widget_where_only_numbers_changed(desk, table):
    before = {id(widget) for widget in table.findChildren(QWidget)}
    for value in (0.5, 2.0):
        desk.set(layer.set_x_block(desk.inputs, 0, 0, [[value]]))
    assert {id(widget) for widget in table.findChildren(QWidget)} == before


def test_of_a_map_of_768_by_64_only_cells_in_view_are_asked_for(desk, table, monkeypatch):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((300, 768)).astype(np.float32)
    blank = Head("", np.zeros((300, 64)), np.zeros((300, 64)), np.zeros((300, 64)))
    maps = Projection(*(rng.standard_normal((768, 64)) / 28 for _ in range(3)))
    desk.set(Inputs("", ("t",) * 300, (layer.derived_head(blank, x, maps),), x=x))
    painted = []
    monkeypatch.setattr(vector_cells, "fitting_text", lambda value: str(painted.append(value)))
    QApplication.processEvents()
    grid(desk, "w").viewport().grab()
    assert 0 < len(painted) < 300
    painted.clear()
    type_into(grid(desk, "w"), 700, 60, "2")
    assert desk.inputs.heads[0].projection.w_q[700, 60] == 2
    assert len(painted) < 2000
    assert lines(desk)[2].endswith(f"+ … (704 more) = {lines(desk)[2].rpartition('= ')[2]}")


def test_the_page_is_made_only_for_a_derived_head(desk):
    desk.put(VectorTable, 1300, 260)
    desk.set(edits.set_vector_value(desk.inputs, 0, "q", 0, 0, 5.0))
    assert desk.editor.findChild(ProjectionPage) is None
