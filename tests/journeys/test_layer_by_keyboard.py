"""A person without a mouse works on the whole layer, in either language and look."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QListView, QTableView

from attnviz.gui.linked_lines import LinkedLines
from attnviz.gui.views.layer_output import LayerOutput

TABS = "qt_tabwidget_tabbar"


@pytest.fixture(params=[("en", "light"), ("ja", "dark")], ids=["English, light", "Japanese, dark"])
def person(request, sit_down):
    speaks, theme = request.param
    return sit_down(speaks=speaks, theme=theme)


def go_to_tab(person, name: str) -> None:
    person.tab_to(TABS)
    person.key(Qt.Key.Key_Home)
    while person.tab() != name:
        person.key(Qt.Key.Key_Right)
    person.settle()


def fill_in(person, text: str) -> None:
    """Replace what stands in the field that has the keyboard."""
    person.shortcut("Ctrl+A")
    person.type(text)
    person.key(Qt.Key.Key_Return)
    person.settle()


def choose_kind(person, kind: str) -> None:
    """Let the list of masks drop down and take a kind."""
    person.tab_to("mask_kind")
    box = person.focus()
    assert isinstance(box, QComboBox)
    steps = box.findData(kind) - box.currentIndex()
    person.key(Qt.Key.Key_Space)
    person.until(box.view().isVisible)
    for _ in range(abs(steps)):
        QTest.keyClick(box.view(), Qt.Key.Key_Down if steps > 0 else Qt.Key.Key_Up)
    QTest.keyClick(box.view(), Qt.Key.Key_Return)
    person.until(lambda: not box.view().isVisible())
    person.settle()
    assert box.currentData() == kind


def hatched(person) -> np.ndarray:
    panel, n = person.panel("weights"), len(person.tokens())
    return np.array([[panel.is_hatched(query, key) for key in range(n)] for query in range(n)])


def test_a_derived_head_is_read_changed_and_made_one_of_vectors(person):
    person.key(Qt.Key.Key_P, Qt.KeyboardModifier.AltModifier)
    menu = person.window.menus.menu("presets")
    person.until(menu.isVisible)
    while menu.activeAction() is None or menu.activeAction().objectName() != "action/preset/linear-map":
        person.press_in_popup(Qt.Key.Key_Down)
    person.press_in_popup(Qt.Key.Key_Return)
    person.settle()
    go_to_tab(person, "vectors")
    person.tab_to("vectors/page/q")
    person.tab_to("projection/w")
    person.key(Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    person.type("5")
    person.key(Qt.Key.Key_Return)
    person.settle()
    assert person.window.document.inputs.heads[0].projection.w_q[0, 0] == 5
    person.tab_to("projection/result")
    person.key(Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    person.settle()
    assert "×5" in person.control("projection/terms", LinkedLines).text()
    person.tab_to("vectors/page/q")
    person.key(Qt.Key.Key_Right)
    assert person.focus().objectName() == "vectors/page/k"
    person.tab_to("bias")
    person.key(Qt.Key.Key_Space)
    person.settle()
    assert person.window.document.inputs.heads[0].projection.b_k is not None
    person.tab_to("source/projection")
    person.key(Qt.Key.Key_Left)
    person.key(Qt.Key.Key_Space)
    person.settle()
    assert person.window.document.inputs.heads[0].source == "vectors"


def test_heads_are_followed_to_an_output_of_another_size(person):
    go_to_tab(person, "heads_to_output")
    person.until(person.window.live.has_all_heads)
    person.tab_to("d_output")
    fill_in(person, "2")
    view = person.control("layer_output", LayerOutput)
    person.until(lambda: view.model.columnCount() == 2)
    person.tab_to("output_map/w_o")
    person.key(Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    person.key(Qt.Key.Key_Down)
    person.type("0.5")
    person.key(Qt.Key.Key_Return)
    person.settle()
    assert person.window.document.inputs.w_o[1].tolist() == [0.5, 1.0]
    person.tab_to("output_map/bias")
    person.key(Qt.Key.Key_Space)
    person.settle()
    assert person.window.document.inputs.b_o.tolist() == [0, 0]
    person.tab_to("output_map/identity")
    person.key(Qt.Key.Key_Space)
    person.settle()
    assert person.window.document.inputs.w_o is None
    person.tab_to("head_strip")
    person.key(Qt.Key.Key_Down)
    person.settle()
    assert person.window.document.selection.head == 1
    person.tab_to("layer_output/table")
    person.key(Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    person.key(Qt.Key.Key_Down)
    person.key(Qt.Key.Key_Return)
    person.settle()
    assert person.window.document.selection.query == 1


def test_shapes_are_read_array_by_array(person):
    go_to_tab(person, "shapes")
    person.tab_to("shapes/chain")
    chain, told = person.focus(), []
    person.key(Qt.Key.Key_Home)
    for _ in range(4):
        told.append(chain.accessibleDescription())
        person.key(Qt.Key.Key_Right)
    assert len(set(told)) == 4
    assert all("10 × 4" in said for said in told[:2])
    person.tab_to("shapes/counts")
    counts = person.focus()
    assert isinstance(counts, QTableView)
    person.key(Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    first = counts.currentIndex().row()
    person.key(Qt.Key.Key_Down)
    assert counts.currentIndex().row() == first + 1


@pytest.mark.parametrize(
    ("kind", "field", "number", "hidden"),
    [
        ("window", "mask_width", "2", lambda query, key: not query - 2 < key <= query),
        ("sinks", "mask_sinks", "2", lambda query, key: key > query or (key >= 2 and key < query - 2)),
        ("prefix", "mask_length", "3", lambda query, key: key > query and key >= 3),
    ],
)
def test_kinds_of_mask_and_their_numbers_are_chosen(person, kind, field, number, hidden):
    choose_kind(person, kind)
    person.tab_to(field)
    fill_in(person, number)
    wanted = np.array([[hidden(query, key) for key in range(10)] for query in range(10)])
    assert (hatched(person) == wanted).all()
    person.shortcut("Ctrl+Z")
    person.shortcut("Ctrl+Z")
    person.settle()
    assert (hatched(person) == np.triu(np.ones((10, 10), bool), 1)).all()


def test_the_mask_value_is_chosen_and_written(person):
    person.tab_to("mask_fill")
    box = person.focus()
    assert isinstance(box, QComboBox)
    while box.currentData() != "number":
        person.key(Qt.Key.Key_Down)
    person.tab_to("mask_fill/number")
    fill_in(person, "-2")
    assert person.window.document.inputs.mask_fill == -2
    assert person.panel("weights").is_leaking(0, 5)


def test_tokens_are_hidden_as_padding(person):
    choose_kind(person, "padding")
    person.tab_to("mask_tokens")
    person.key(Qt.Key.Key_Space)
    tokens = person.window.findChild(QListView, "mask/padding/tokens")
    person.until(tokens.isVisible)
    QTest.keyClick(tokens, Qt.Key.Key_Down)
    QTest.keyClick(tokens, Qt.Key.Key_Space)
    QTest.keyClick(tokens, Qt.Key.Key_Escape)
    person.until(lambda: not tokens.isVisible())
    person.settle()
    assert hatched(person)[:, 1].all()


def test_a_mask_of_ones_own_is_painted_cell_by_cell(person):
    choose_kind(person, "custom")
    person.tab_to("mask_paint")
    if not person.focus().isChecked():
        person.key(Qt.Key.Key_Space)
    person.tab_to("stages")
    selection = person.window.document.selection
    person.key(Qt.Key.Key_Down)
    person.key(Qt.Key.Key_Space)
    person.settle()
    wanted = np.triu(np.ones((10, 10), bool), 1)
    wanted[selection.query + 1, selection.key] = True
    assert (hatched(person) == wanted).all()
    person.key(Qt.Key.Key_Space)
    person.settle()
    wanted[selection.query + 1, selection.key] = False
    assert (hatched(person) == wanted).all()
