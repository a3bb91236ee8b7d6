"""Cross attention in the editors: the row of the keys, rows of k and v, which query stands at which key."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QLineEdit, QToolButton

from attnviz.core import key_edits
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CausalMask, CustomMask, NoMask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import PrefixMask, SinkMask, SlidingWindowMask
from attnviz.core.selection import Selection
from attnviz.gui.editors.alignment_choice import AlignmentChoice
from attnviz.gui.editors.choice import Choice
from attnviz.gui.editors.hide_future import HideFuture
from attnviz.gui.editors.mask_panel import MaskPanel
from attnviz.gui.editors.token_chip import TokenChip
from attnviz.gui.editors.token_editor import TokenEditor
from attnviz.gui.editors.vector_grid import VectorGrid
from attnviz.gui.editors.vector_table import VectorTable
from attnviz.gui.theme import DARK, LIGHT
from tests.gui.editors.hands import commit

LEFT = Qt.MouseButton.LeftButton
KEYS = ("the", "cat", "ate", "it")


@pytest.fixture
def cross(inputs) -> Inputs:
    """Ten queries and four keys."""
    heads = tuple(
        Head(head.name, head.q, head.k[:4], head.v[:4], head.v_is_k, head.qk_names, head.v_names)
        for head in inputs.heads
    )
    return replace(inputs, heads=heads, key_tokens=KEYS, key_text="the cat ate it")


@pytest.fixture
def rows(desk, cross) -> TokenEditor:
    desk.inputs, desk.selection = cross, Selection(0, 6, 2)
    return desk.put(TokenEditor, 1300, 100)


def chip(desk, index: int) -> TokenChip:
    return desk.find(TokenChip, f"key_token/{index}")


# --- on and off


def test_one_row_is_as_it_was_until_keys_have_their_own(desk):
    editor = desk.put(TokenEditor, 1300, 100)
    box = desk.find(QCheckBox, "cross_attention")
    assert not editor.key_chips.isVisible()
    assert not box.isChecked()
    height = editor.sizeHint().height()
    QTest.mouseClick(box, LEFT, pos=QPoint(8, 15))
    assert desk.inputs.is_cross
    assert desk.gestures == [""]
    assert editor.key_chips.isVisible()
    assert editor.sizeHint().height() > height
    QTest.mouseClick(box, LEFT, pos=QPoint(8, 15))
    assert not desk.inputs.is_cross
    assert not editor.key_chips.isVisible()
    assert editor.sizeHint().height() == height


def test_a_tick_that_was_not_taken_goes_back(desk):
    desk.put(TokenEditor, 1300, 100)
    desk.is_deaf = True
    box = desk.find(QCheckBox, "cross_attention")
    QTest.mouseClick(box, LEFT, pos=QPoint(8, 15))
    assert desk.gestures == [""]
    assert not box.isChecked()


def test_rows_are_called_queries_and_keys_only_where_there_are_two(desk, rows):
    assert [rows._queries.label.text(), rows._keys.label.text()] == ["Queries", "Keys"]
    desk.set(key_edits.join_keys(desk.inputs))
    assert rows._queries.label.text() == "Sentence"
    assert rows.sentence.accessibleName() == "Sentence"


# --- the row of the keys


def test_a_chip_of_the_keys_chooses_the_key_and_changes_nothing(desk, rows):
    QTest.mouseClick(chip(desk, 1), LEFT)
    assert (desk.selection.query, desk.selection.key) == (6, 1)
    assert chip(desk, 1).is_selected
    assert desk.find(TokenChip, "token/6").is_selected
    assert desk.gestures == []


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_the_chosen_key_is_outlined_and_the_chosen_query_filled(desk, rows, theme):
    rows.set_theme(theme)
    for name, colour in (("token/6", theme.accent), ("key_token/2", theme.accent_soft)):
        image = QImage(40, 28, QImage.Format.Format_RGB32)
        desk.find(TokenChip, name).render(image)
        assert image.pixelColor(5, 14) == colour


def test_keys_are_edited_and_the_queries_stay(desk, rows):
    q, k = desk.inputs.heads[0].q, desk.inputs.heads[0].k
    rows.key_chips.setFocus()
    QTest.keyClick(rows.key_chips, Qt.Key.Key_F2)
    field = desk.find(QLineEdit, "key_tokens/name")
    field.selectAll()
    commit(field, "eats")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert desk.inputs.key_tokens == ("the", "cat", "eats", "it")
    QTest.keyClick(rows.key_chips, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert desk.inputs.key_tokens == ("the", "cat", "it", "eats")
    assert desk.selection.key == 3
    assert desk.inputs.heads[0].k[3].tolist() == k[2].tolist()
    QTest.keyClick(rows.key_chips, Qt.Key.Key_Delete)
    assert desk.inputs.key_tokens == ("the", "cat", "it")
    assert desk.inputs.heads[0].q is q
    assert desk.inputs.tokens[6] == "それ"


def test_the_button_of_a_row_adds_to_that_row(desk, rows):
    QTest.mouseClick(desk.find(QToolButton, "key_tokens/add"), LEFT)
    field = desk.find(QLineEdit, "key_tokens/name")
    commit(field, "fish")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert desk.inputs.key_tokens == ("the", "cat", "ate", "fish", "it")
    assert len(desk.inputs.tokens) == 10
    assert chip(desk, 3).is_default
    assert not chip(desk, 2).is_default


def test_a_sentence_of_the_keys_that_is_refused_gives_way_to_the_old_one(desk, rows):
    field = desk.find(QLineEdit, "key_sentence")
    field.setFocus()
    field.selectAll()
    commit(field, " ")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert len(desk.refusals) == 1
    assert field.text() == "the cat ate it"


@pytest.mark.parametrize("width", [960, 1024, 1360])
def test_both_rows_begin_below_each_other(desk, rows, width):
    rows.resize(width, 100)
    QApplication.processEvents()  # lays out what has got another width
    for one, other in ((rows.sentence, rows.key_sentence), (rows.chips, rows.key_chips)):
        assert one.mapTo(rows, QPoint(0, 0)).x() == other.mapTo(rows, QPoint(0, 0)).x()
    assert rows.sentence.width() == rows.key_sentence.width()
    assert rows.sentence.width() >= 160


# --- vectors


@pytest.fixture
def table(desk, cross) -> VectorTable:
    desk.inputs, desk.selection = cross, Selection(0, 6, 2)
    return desk.put(VectorTable, 1300, 160)


def test_rows_of_k_and_v_are_those_of_the_keys(desk, table):
    for which, tokens in (("q", desk.inputs.tokens), ("k", KEYS), ("v", KEYS)):
        assert desk.find(VectorGrid, f"vectors/{which}").vectors.sheet.rows == tokens
    assert table.grids["q"].vectors.sheet.row == 6
    assert table.grids["k"].vectors.sheet.row == table.grids["v"].vectors.sheet.row == 2


def test_a_heading_of_k_chooses_the_key_and_one_of_q_the_query(desk, table):
    keys = []
    table.key_chosen.connect(keys.append)
    table.grids["k"].row_chosen.emit(3)
    assert keys == [3]
    assert (desk.selection.query, desk.selection.key) == (6, 3)
    table.grids["q"].row_chosen.emit(1)
    assert desk.selection.query == 1


def test_k_and_v_scroll_together_and_q_alone(desk, table):
    desk.set(replace(desk.inputs, heads=tuple(_with_keys(head, 40) for head in desk.inputs.heads),
                     key_tokens=tuple(f"k{n}" for n in range(40)), key_text=""))  # fmt: skip
    bars = {which: grid.verticalScrollBar() for which, grid in table.grids.items()}
    bars["k"].setValue(80)
    assert bars["v"].value() == 80
    assert bars["q"].value() == 0
    bars["q"].setValue(20)
    assert bars["k"].value() == 80


def _with_keys(head: Head, count: int) -> Head:
    k = np.ones((count, head.d_k), np.float32)
    v = k if head.v_is_k else np.ones((count, head.d_v), np.float32)
    return replace(head, k=k, v=v)


def test_a_number_of_the_keys_x_moves_k_and_v_and_leaves_q(desk, table):
    table._set_source("projection")
    q, v = desk.inputs.heads[0].q, desk.inputs.heads[0].v
    table.show_page("v")
    page = table.projection
    assert page is not None
    sheet = page.grids["x"].vectors.sheet
    assert (sheet.symbol, sheet.rows, sheet.row) == ("x_K", KEYS, 2)
    page.block_asked.emit("x", 3, 0, np.array([[7.0]]))
    assert desk.inputs.x_keys[3, 0] == 7.0
    assert desk.inputs.heads[0].q is q
    assert not np.array_equal(desk.inputs.heads[0].v[3], v[3])
    table._resize("d_model", 2, "")
    assert desk.inputs.x_keys.shape == (4, 2)
    assert desk.inputs.x.shape[1] != 2


# --- which query stands at which key


@pytest.fixture
def panel(desk, cross) -> MaskPanel:
    desk.inputs = cross
    return desk.put(MaskPanel, 500, 30)


ALIGNED = [CausalMask(), SlidingWindowMask(2), SinkMask(1, 2), PrefixMask(2), PaddingMask((1,), True)]
OTHERS = [NoMask(), PaddingMask((1,), False), CustomMask(np.ones((10, 4), bool))]


@pytest.mark.parametrize("mask", [*ALIGNED, *OTHERS], ids=lambda mask: f"{mask.kind}-{mask.hides_future}")
def test_the_alignment_is_there_where_the_mask_asks_for_positions(desk, panel, mask):
    choice = desk.find(AlignmentChoice, "mask_alignment")
    desk.set(replace(desk.inputs, mask=mask))
    assert choice.isVisible() == any(mask is each for each in ALIGNED)
    desk.set(key_edits.join_keys(replace(desk.inputs, mask=NoMask())))
    assert not choice.isVisible()


def test_the_alignment_is_chosen_by_keys_and_stays_with_another_kind(desk, panel):
    choice = desk.find(AlignmentChoice, "mask_alignment")
    choice.setFocus()
    QTest.keyClick(choice, Qt.Key.Key_Down)
    assert desk.inputs.mask == CausalMask(alignment="last")
    assert choice.toolTip() == choice.sentence() == "The last query stands at the last key."
    desk.find(Choice, "mask_kind").chosen.emit("window")
    assert desk.inputs.mask.alignment == "last"
    desk.find(Choice, "mask_kind").chosen.emit("custom")
    assert desk.inputs.mask.array.shape == (10, 4)
    desk.find(Choice, "mask_kind").chosen.emit("causal")
    assert desk.inputs.mask == CausalMask(alignment="last")


def test_the_box_says_a_word_where_there_is_room_and_a_sign_where_there_is_not(desk, panel):
    choice = desk.find(AlignmentChoice, "mask_alignment")
    panel.resize(panel.sizeHint().width(), 24)
    assert choice.shown_text() == "↖ starts aligned"
    whole = panel.sizeHint().width()
    panel.resize(160, 24)
    assert choice.shown_text() == "↖"
    assert choice.width() < 60
    assert panel.sizeHint().width() == whole  # what it wants does not follow from what it has
    panel.resize(whole, 24)
    assert choice.shown_text() == "↖ starts aligned"


def test_no_query_is_itself_a_key(desk, cross, panel):
    desk.set(replace(cross, mask=SlidingWindowMask(2)))
    assert "itself" not in panel.findChild(QLineEdit, "mask_width").toolTip()
    desk.set(replace(key_edits.join_keys(cross), mask=SlidingWindowMask(2)))
    assert "itself" in panel.findChild(QLineEdit, "mask_width").accessibleName()


def test_hiding_the_future_is_explained_by_where_a_query_stands(desk, cross):
    desk.put(HideFuture, 200, 40)
    box = desk.find(QCheckBox, "mask")
    assert box.toolTip() == "A query sees itself and what came before it."
    desk.set(cross)
    assert box.toolTip() == "A query sees the keys up to the one it stands at."
