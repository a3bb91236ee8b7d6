"""The weights and the output of one query, and the list of bars they share."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from attnviz.core.masks import CustomMask
from attnviz.core.selection import Selection
from attnviz.gui.theme import DARK
from attnviz.gui.views.output_view import OutputView
from attnviz.gui.views.weight_bars import WeightBars


@pytest.fixture
def bars(qtbot):
    bars = WeightBars()
    qtbot.addWidget(bars)
    bars.resize(320, 300)
    bars.show()
    return bars


@pytest.fixture
def output(qtbot):
    output = OutputView()
    qtbot.addWidget(output)
    output.resize(320, 160)
    output.show()
    return output


def test_the_published_percentages_are_shown_and_hidden_keys_have_a_dash(bars, neko, stages_of):
    bars.draw(stages_of(neko, 6), Selection(0, 6, 2))
    shown = [bars.shown_percent(key) for key in range(10)]
    assert shown == ["18.8%", "1.5%", "65.7%", "1.5%", "6.1%", "2.5%", "3.7%", "—", "—", "—"]
    assert bars.heading() == "Attention from “それ”"
    assert bars.empty_text() == ""


def test_bars_are_as_long_as_their_weights(bars, neko, stages_of):
    bars.draw(stages_of(neko, 6), Selection(0, 6, 2))
    lengths = [bars.bars.bar_rect(key).width() for key in range(10)]
    assert lengths[0] / lengths[2] == pytest.approx(0.188 / 0.657, abs=0.01)
    assert lengths[7:] == [0, 0, 0]


def test_keys_stand_in_token_order_or_by_weight(bars, neko, stages_of):
    bars.draw(stages_of(neko, 6), Selection(0, 6, 2))
    assert bars.bars.order() == list(range(10))
    bars.findChild(QToolButton, "weights_by_weight").click()
    assert bars.bars.order() == [2, 0, 4, 6, 5, 1, 3, 7, 8, 9]


def test_a_click_and_the_arrow_keys_choose_a_key_in_the_order_shown(bars, neko, stages_of, qtbot):
    bars.draw(stages_of(neko, 6), Selection(0, 6, 2))
    with qtbot.waitSignal(bars.cell_chosen) as chosen:
        at = bars.bars.row_rect(4).center().toPoint()
        QTest.mouseClick(bars.bars.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert chosen.args == [6, 4]
    bars.findChild(QToolButton, "weights_by_weight").click()
    with qtbot.waitSignal(bars.cell_chosen) as chosen:
        QTest.keyClick(bars.bars, Qt.Key.Key_Down)
    assert chosen.args == [6, 0]


def test_a_row_without_any_key_says_so(bars, inputs_of, stages_of):
    hidden = CustomMask(np.array([[False, False], [True, True]]))
    bars.draw(stages_of(inputs_of(np.zeros((2, 2)), mask=hidden), 0), Selection(0, 0, 0))
    assert "attends to nothing" in bars.empty_text()
    assert [bars.shown_percent(key) for key in (0, 1)] == ["—", "—"]


def test_weight_that_leaks_to_a_hidden_key_is_shown(bars, inputs_of, stages_of):
    bars.draw(stages_of(inputs_of(np.zeros((2, 2)), mask_fill=0.0), 0), Selection(0, 0, 0))
    assert [bars.shown_percent(key) for key in (0, 1)] == ["50.0%", "50.0%"]


def test_the_selected_key_is_scrolled_into_view_in_a_long_document(bars, inputs_of, stages_of):
    n = 500
    bars.draw(stages_of(inputs_of(np.zeros((n, n))), n - 1), Selection(0, n - 1, 400))
    assert bars.bars.viewport().rect().contains(bars.bars.row_rect(400).center().toPoint())
    bars.grab()


def test_nothing_moves_while_a_value_changes(bars, neko, stages_of):
    bars.draw(stages_of(neko, 6), Selection(0, 6, 2))
    left = bars.bars.bar_rect(2).left()
    bars.draw(stages_of(neko, 0), Selection(0, 0, 2))
    assert bars.bars.bar_rect(2).left() == left


def test_the_published_output_is_shown_with_its_dimensions(output, neko, stages_of):
    output.draw(stages_of(neko, 6), Selection(0, 6, 2))
    assert [output.shown_value(dim) for dim in range(4)] == ["1.23", "2.01", "0.18", "0.12"]
    widths = [output.bars.bar_rect(dim).width() for dim in range(4)]
    assert widths[1] > widths[0] > widths[2] > widths[3] > 0


def test_negative_outputs_reach_to_the_left_of_zero(output, neko, stages_of):
    from attnviz.core.edits import set_v_is_k, set_vector_value

    inputs = set_vector_value(set_v_is_k(neko, 0, False), 0, "v", 2, 1, -3.0)
    output.draw(stages_of(inputs, 6), Selection(0, 6, 2))
    assert output.shown_value(1).startswith("−")
    assert output.bars.bar_rect(1).right() == pytest.approx(output.bars.bar_rect(0).left())


def test_a_click_on_a_dimension_leads_to_the_selected_key_s_v(output, neko, stages_of, qtbot):
    output.draw(stages_of(neko, 6), Selection(0, 6, 2))
    with qtbot.waitSignal(output.term_chosen) as chosen:
        at = output.bars.row_rect(3).center().toPoint()
        QTest.mouseClick(output.bars.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert chosen.args == ["v", 2, 3]


def test_the_selected_row_has_the_accent_in_the_dark_too(bars, neko, stages_of, drawn):
    bars.set_theme(DARK)
    bars.draw(stages_of(neko, 6), Selection(0, 6, 2))
    at = bars.bars.bar_rect(2).center().toPoint()
    assert drawn(bars.bars.viewport()).pixelColor(at) == DARK.accent
