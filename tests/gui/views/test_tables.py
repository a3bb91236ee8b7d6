"""The arithmetic of one query, and the outputs of all heads."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QGuiApplication, QRegion
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attnviz.core.edits import set_scale_strength, set_vector_value
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CustomMask
from attnviz.core.selection import Selection
from attnviz.engine.layer_pass import layer_output
from attnviz.gui.views import plain_table
from attnviz.gui.views.arithmetic_table import KEY, SCALED, SCORE, WEIGHT, ArithmeticTable, K
from attnviz.gui.views.head_outputs import HeadOutputs
from attnviz.gui.views.layer_output import LayerOutput
from attnviz.gui.views.term_lines import short_number
from attnviz.gui.views.token_names import row_names


@pytest.fixture
def arithmetic(qtbot):
    view = ArithmeticTable()
    qtbot.addWidget(view)
    view.resize(1000, 240)
    view.show()
    return view


@pytest.fixture
def outputs(qtbot):
    view = HeadOutputs()
    qtbot.addWidget(view)
    view.resize(900, 300)
    view.show()
    return view


def headings(table) -> list[str]:
    model = table.model()
    return [model.headerData(i, Qt.Orientation.Horizontal) for i in range(model.columnCount())]


def test_the_published_row_of_the_fish_is_shown(arithmetic, neko, stages_of):
    arithmetic.draw(stages_of(neko, 6), Selection(0, 6, 2))
    row = [arithmetic.shown_text(2, column) for column in (KEY, K, SCORE, SCALED, WEIGHT)]
    assert row == ["魚", "1.0  3.0  0.0  0.0", "5.50", "2.75", "0.657"]
    assert arithmetic.shown_text(9, WEIGHT) == "—"
    assert headings(arithmetic.table) == ["key", "k = v", "q·k", "÷√dₖ", "weight"]


@pytest.mark.parametrize("strength", [1.0, 4.0])
@pytest.mark.parametrize("token", ["魚", "a very long token indeed"])
def test_the_weights_are_in_sight_in_a_narrow_place(arithmetic, neko, stages_of, strength, token):
    named = replace(neko, tokens=(token, *neko.tokens[1:]))
    arithmetic.draw(stages_of(set_scale_strength(named, strength), 6), Selection(0, 6, 2))
    before = [arithmetic.table.columnWidth(column) for column in (SCORE, SCALED, WEIGHT)]
    arithmetic.resize(660, 170)  # beside the card of a lesson in a window of 1024 × 700
    view = arithmetic.table
    assert view.columnViewportPosition(WEIGHT) + view.columnWidth(WEIGHT) <= view.viewport().width()
    assert [view.columnWidth(column) for column in (SCORE, SCALED, WEIGHT)] == before
    assert view.columnWidth(KEY) >= 48


@pytest.mark.parametrize("is_shown_first", [True, False])
def test_the_selected_key_is_in_sight_in_a_document_of_many(
    arithmetic, neko, inputs_of, stages_of, is_shown_first
):
    many = inputs_of(np.zeros((200, 200)))
    if is_shown_first:
        arithmetic.draw(stages_of(neko, 6), Selection(0, 6, 2))
    else:
        arithmetic.hide()
    arithmetic.draw(stages_of(many, 199), Selection(0, 199, 150))
    arithmetic.show()
    table = arithmetic.table
    assert 0 <= table.rowViewportPosition(150) < table.viewport().height() - table.rowHeight(150)


def test_the_selected_row_opens_into_its_terms(arithmetic, neko, stages_of):
    arithmetic.draw(stages_of(neko, 6), Selection(0, 6, 2))
    assert arithmetic.terms.text().splitlines() == [
        "それ → 魚",
        "q·k  1.0×1 + 1.5×3 + 0.0×0 + (−1.0)×0 = 5.50",
        "scale  ÷ √4 = 2.75",
        "softmax  exp(2.75 − max) / sum = 0.657 (max = 2.75, sum = 1.522)",
        "Σ  weight × v = [1.233, 2.013, 0.183, 0.124]",
    ]


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0.004321, "0.0043"),
        (-0.05, "−0.05"),
        (-1.25e-7, "−1.2e−7"),
        (0.129, "0.13"),
        (0.0, "0.0"),
        (2.0, "2.0"),
    ],
)
def test_a_small_number_does_not_read_as_zero(number, shown):
    assert short_number(number) == shown


def test_the_heading_and_the_terms_say_the_scale_strength(arithmetic, neko, stages_of):
    arithmetic.draw(stages_of(set_scale_strength(neko, 2.0), 6), Selection(0, 6, 2))
    assert headings(arithmetic.table)[SCALED] == "÷(√dₖ × strength)"
    assert "÷ (√4 × 2) = 1.38" in arithmetic.terms.text()
    arithmetic.draw(stages_of(set_scale_strength(neko, 0.013), 6), Selection(0, 6, 2))
    assert "÷ (√4 × 0.013) = 211.54" in arithmetic.terms.text()


def test_a_hidden_key_and_a_row_without_any_key_are_said(arithmetic, neko, inputs_of, stages_of):
    arithmetic.draw(stages_of(neko, 6), Selection(0, 6, 9))
    assert "masked (hidden): −∞" in arithmetic.terms.text()
    none = CustomMask(np.zeros((2, 2), bool))
    arithmetic.draw(stages_of(inputs_of(np.zeros((2, 2)), mask=none), 0), Selection(0, 0, 0))
    assert "no key may be attended" in arithmetic.terms.text()


def test_a_click_on_a_term_leads_to_its_field(arithmetic, neko, stages_of, qtbot):
    arithmetic.draw(stages_of(neko, 6), Selection(0, 6, 2))
    for which, token, dim in (("q", 6, 1), ("k", 2, 3)):
        with qtbot.waitSignal(arithmetic.term_chosen) as chosen:
            at = arithmetic.terms.link_rect(which, token, dim).center().toPoint()
            QTest.mouseClick(arithmetic.terms.viewport(), Qt.MouseButton.LeftButton, pos=at)
        assert chosen.args == [which, token, dim]


def test_terms_are_reached_with_the_keyboard(arithmetic, neko, stages_of, qtbot):
    arithmetic.draw(stages_of(neko, 6), Selection(0, 6, 2))
    for _ in range(3):
        QTest.keyClick(arithmetic.terms, Qt.Key.Key_Right)
    with qtbot.waitSignal(arithmetic.term_chosen) as chosen:
        QTest.keyClick(arithmetic.terms, Qt.Key.Key_Return)
    assert chosen.args == ["q", 6, 1]


def test_a_click_on_a_row_chooses_its_key_and_drawing_chooses_nothing(arithmetic, neko, stages_of, qtbot):
    with qtbot.assertNotEmitted(arithmetic.cell_chosen):
        arithmetic.draw(stages_of(neko, 6), Selection(0, 6, 2))
        arithmetic.draw(stages_of(neko, 6), Selection(0, 6, 5))
    with qtbot.waitSignal(arithmetic.cell_chosen) as chosen:
        at = arithmetic.table.visualRect(arithmetic.model.index(1, SCORE)).center()
        QTest.mouseClick(arithmetic.table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert chosen.args == [6, 1]


def test_ctrl_c_copies_the_selected_row_as_tab_separated_text(arithmetic, neko, stages_of):
    arithmetic.draw(stages_of(neko, 6), Selection(0, 6, 2))
    QTest.keyClick(arithmetic.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "魚\t1.0  3.0  0.0  0.0\t5.50\t2.75\t0.657"


def test_long_vectors_are_elided_and_long_sums_say_how_much_is_left_out(arithmetic, inputs_of, stages_of):
    n = 80
    arithmetic.draw(stages_of(inputs_of(np.ones((n, n))), n - 1), Selection(0, n - 1, 0))
    assert arithmetic.shown_text(0, K).endswith("…")
    assert "(16 more)" in arithmetic.terms.text()
    arithmetic.grab()


def test_every_head_s_output_is_shown_under_its_name(outputs, neko, stages_of):
    outputs.draw(stages_of(neko, 6), Selection(0, 6, 2))
    assert [outputs.shown_text(0, 6, dim) for dim in range(4)] == ["1.23", "2.01", "0.18", "0.12"]
    assert headings(outputs.table)[:2] == ["意味\n動物", "\n食べ物"]
    assert headings(outputs.table)[4] == "直前\n動物"
    assert outputs.model.rowCount() == 10


def test_a_head_that_is_not_computed_yet_has_empty_cells(outputs, neko, stages_of):
    from dataclasses import replace

    stages = stages_of(neko, 6)
    outputs.draw(replace(stages, head_outputs={0: stages.head_outputs[0]}), Selection(0, 6, 2))
    assert outputs.shown_text(1, 0, 0) == ""
    outputs.grab()


def test_a_token_s_row_and_a_head_s_column_can_be_chosen(outputs, neko, stages_of, qtbot):
    outputs.draw(stages_of(neko, 6), Selection(0, 6, 2))
    with qtbot.waitSignal(outputs.query_chosen) as chosen:
        at = outputs.table.visualRect(outputs.model.index(3, 1)).center()
        QTest.mouseClick(outputs.table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert chosen.args == [3]
    with qtbot.waitSignal(outputs.head_chosen) as chosen:
        header = outputs.table.across
        at = header.rect().topLeft()
        at.setX(header.sectionViewportPosition(5) + 10)
        at.setY(10)
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert chosen.args == [1]


def test_copying_a_very_long_table_takes_its_first_rows_and_says_so(qtbot, monkeypatch, neko, stages_of):
    monkeypatch.setattr(plain_table, "MOST_COPIED", 4)
    table = ArithmeticTable()
    qtbot.addWidget(table)
    table.draw(stages_of(neko, 6), Selection(0, 6, 2))
    told = []
    table.table.told.connect(told.append)
    table.table.clearSelection()
    table.table.copy()
    lines = QGuiApplication.clipboard().text().split("\n")
    assert [line.split("\t")[0] for line in lines] == ["猫", "が", "魚", "を"]
    assert told == ["Copied the first 4 of 10 rows; select others to copy them, or export the numbers."]
    table.table.selectRow(5)
    table.table.copy()
    assert QGuiApplication.clipboard().text().startswith("。\t")
    assert len(told) == 1
    QGuiApplication.clipboard().clear()


def test_rows_of_very_many_tokens_are_numbered():
    assert row_names(("a", " ") * 1024)[1] == "␣"
    many = row_names(("a", " ") * 1025)
    assert (many[0], many[2049]) == ("0  a", "2049  ␣")
    assert many[2047:] == ("2047  ␣", "2048  a", "2049  ␣")
    assert set(many.longest) == {"2049  a", "2049  ␣"}


def test_only_the_words_that_changed_are_painted_again(arithmetic, inputs_of, stages_of, qtbot):
    rng = np.random.default_rng(0)
    vectors = [rng.standard_normal((5, 16)).astype(np.float32) for _ in range(3)]
    before = Inputs("", tuple("abcde"), (Head("a", *vectors),))
    before = set_vector_value(before, 0, "q", 4, 0, 2.4)  # as wide as the new one
    arithmetic.draw(stages_of(before, 4), Selection(0, 4, 2))
    QApplication.processEvents()
    terms = arithmetic.terms
    painted = []

    class Watch(QObject):
        def eventFilter(self, watched, event) -> bool:
            if event.type() == QEvent.Type.Paint:
                painted.append(QRegion(event.region()))
            return False

    watch = Watch()
    terms.viewport().installEventFilter(watch)
    arithmetic.draw(stages_of(set_vector_value(before, 0, "q", 4, 0, 2.5), 4), Selection(0, 4, 2))
    qtbot.waitUntil(lambda: bool(painted))
    changed, same = (terms.link_rect("q", 4, dim).center().toPoint() for dim in (0, 9))
    assert painted[0].contains(changed)
    assert not painted[0].contains(same)
    shown = terms.viewport().grab().toImage()
    terms.set_lines("", [])
    arithmetic.terms.retranslate()
    assert terms.viewport().grab().toImage() == shown
    assert "2.5×" in terms.text()


@pytest.mark.parametrize("is_selected", [False, True])
@pytest.mark.parametrize("view", [ArithmeticTable, HeadOutputs, LayerOutput])
def test_what_is_written_beside_the_window_is_what_would_be_copied(
    qtbot, monkeypatch, neko, stages_of, view, is_selected
):
    stages = stages_of(neko, 6)
    stages = replace(stages, output=layer_output(stages, None))
    shown = view()
    qtbot.addWidget(shown)
    shown.show()
    shown.draw(stages, Selection(0, 6, 2))
    table = shown.table
    table.clearSelection()
    if is_selected:
        table.selectRow(3)
    assert table.long_copy() is None  # few cells are there at once
    monkeypatch.setattr(plain_table, "_AT_ONCE", 0)
    text = table.copied_text()
    assert table.long_copy()() == text
    assert len(text.split("\n")) == (1 if is_selected else neko.n_tokens)
    monkeypatch.setattr(plain_table, "MOST_COPIED", 4)
    assert table.long_copy()() == "\n".join(text.split("\n")[:4])
    assert ("first 4 of" in table.note_on_copy()) is not is_selected
