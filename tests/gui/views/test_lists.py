"""The weights and the output of one query, and the list of bars they share."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QFocusEvent, QPaintEvent, QRegion
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton

from attnviz.core.edits import set_vector_value
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CausalMask, CustomMask
from attnviz.core.request import Region, Request
from attnviz.core.selection import Selection
from attnviz.core.stages import Picture, QueryRow, Stages
from attnviz.gui.theme import DARK
from attnviz.gui.views.largest_weights import MOST_LARGEST, LargestWeights
from attnviz.gui.views.output_view import OutputView
from attnviz.gui.views.weight_bars import WeightBars


class Painted(QObject):
    """What of a widget has been painted."""

    def __init__(self, widget) -> None:
        super().__init__(widget)
        self.region = QRegion()
        widget.installEventFilter(self)

    def eventFilter(self, watched, event) -> bool:
        if event.type() == QEvent.Type.Paint and isinstance(event, QPaintEvent):
            self.region |= event.region()
        return False


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


# --- very many keys


def long_stages(weights: np.ndarray, n_seen: int) -> Stages:
    """An answer of a long document of which only the row of the last seen query matters."""
    n = len(weights)
    vectors = np.zeros((n, 1), np.float32)
    inputs = Inputs("", tuple(f"w{key % 7}" for key in range(n)), (Head("h", vectors, vectors, vectors),))
    assert inputs.is_long
    assert isinstance(inputs.mask, CausalMask)
    query, one = n_seen - 1, np.zeros((1, 1), np.float32)
    allowed = np.arange(n) <= query
    row = QueryRow(query, *[weights.astype(np.float32)] * 4, allowed, np.zeros(1, np.float32))
    request = Request(inputs, query, Region(0, (0, n), (0, n), (1, 1)))
    statistics = np.zeros(n, np.float32)
    return Stages(request, *[Picture((one,), 1)] * 4, row, statistics, statistics)


@pytest.fixture
def many() -> np.ndarray:
    """Weights of 5,000 keys of which 4,000 are seen; 200 of them are larger than the others."""
    weights = np.zeros(5000)
    weights[:4000] = 1.0
    weights[100:4000:20] += 1000.0 + np.arange(195)[::-1]
    return weights / weights.sum()


def in_token_order(bars, stages: Stages) -> None:
    """Choose the order of tokens for very many keys, which stand by weight at first."""
    bars.draw(stages, Selection(0, stages.row.query, 0))
    bars.findChild(QToolButton, "weights_by_weight").click()


def test_of_very_many_keys_the_largest_have_rows_and_all_others_one_together(bars, many):
    stages = long_stages(many, 4000)
    in_token_order(bars, stages)
    bars.draw(stages, Selection(0, 3999, 110))
    rows = bars.bars.order()
    largest = np.argsort(-many, kind="stable")[:MOST_LARGEST]
    assert set(rows) == {*largest.tolist(), *range(107, 114)}  # and those beside the selected key
    assert rows == sorted(rows)
    share = 100 * many[largest].sum()
    assert bars.shown_sums() == [f"100 largest {share:.1f}%", f"3,900 others {100 - share:.1f}%"]
    assert bars.shown_percent(4500) == "—"
    assert bars.bars.accessibleDescription().startswith("w5 0.0%, 100 largest ")


def test_by_weight_the_largest_of_very_many_keys_come_first_and_the_selected_last(bars, many):
    bars.draw(long_stages(many, 4000), Selection(0, 3999, 17))
    assert bars.bars.order() == [*range(100, 2100, 20), 17]
    assert bars.bars.row_rect(3000).isNull()


def test_the_largest_weights_stay_in_view_though_a_small_one_is_selected(bars, many):
    stages = long_stages(many, 4000)
    bars.draw(stages, Selection(0, 3999, 17))
    assert bars.bars.verticalScrollBar().value() == 0
    bars.draw(stages, Selection(0, 3999, 2000))
    assert bars.bars.viewport().rect().contains(bars.bars.row_rect(2000).toRect())
    bars.draw(stages, Selection(0, 3999, 18))
    assert bars.bars.verticalScrollBar().value() == 0
    bars.findChild(QToolButton, "weights_by_weight").click()
    for key in range(15, 22):  # the selected one and its neighbours
        assert bars.bars.viewport().rect().contains(bars.bars.row_rect(key).toRect())


def test_the_arrow_keys_walk_from_key_to_key_or_from_weight_to_weight(bars, many, qtbot):
    stages = long_stages(many, 4000)
    in_token_order(bars, stages)
    bars.draw(stages, Selection(0, 3999, 120))
    with qtbot.waitSignal(bars.cell_chosen) as chosen:
        QTest.keyClick(bars.bars, Qt.Key.Key_Down)
    assert chosen.args == [3999, 121]
    bars.findChild(QToolButton, "weights_by_weight").setChecked(True)
    for key, expected in ((Qt.Key.Key_Down, 140), (Qt.Key.Key_Home, 100), (Qt.Key.Key_End, 2080)):
        with qtbot.waitSignal(bars.cell_chosen) as chosen:
            QTest.keyClick(bars.bars, key)
        assert chosen.args == [3999, expected]


def test_a_row_of_few_seen_keys_shows_them_all_and_nobody_else(bars, many):
    stages = long_stages(np.where(np.arange(5000) < 30, 1 / 30, 0.0), 30)
    in_token_order(bars, stages)
    bars.draw(stages, Selection(0, 29, 0))
    assert bars.bars.order() == list(range(30))
    assert bars.shown_sums() == ["30 largest 100.0%", "0 others 0.0%"]


def test_the_bar_of_the_others_is_as_long_as_their_sum(bars, many):
    bars.draw(long_stages(many, 4000), Selection(0, 3999, 0))
    largest, others = (bars.sums.bar_rect(row).width() for row in range(2))
    share = np.sort(many)[::-1][:MOST_LARGEST].sum()
    assert others / largest == pytest.approx((1 - share) / share, abs=0.02)


def test_very_many_keys_stand_by_weight_until_one_says_otherwise_and_few_as_they_did(
    bars, many, neko, stages_of
):
    few, long = (stages_of(neko, 6), Selection(0, 6, 2)), (long_stages(many, 4000), Selection(0, 3999, 0))
    button = bars.findChild(QToolButton, "weights_by_weight")
    shown, chosen = [], []
    bars.order_shown.connect(shown.append)
    bars.order_chosen.connect(chosen.append)
    for document, by_weight in ((few, False), (long, True), (few, False), (long, True)):
        bars.draw(*document)
        assert button.isChecked() == by_weight
    assert shown == [True, False, True]
    assert chosen == []
    button.click()
    bars.draw(*few)
    bars.draw(*long)
    assert not button.isChecked()
    assert chosen == [False]


def test_a_short_document_after_a_long_one_has_all_its_keys_and_no_sums(bars, many, neko, stages_of):
    bars.draw(long_stages(many, 4000), Selection(0, 3999, 0))
    bars.draw(stages_of(neko, 6), Selection(0, 6, 2))
    assert bars.bars.order() == list(range(10))
    assert bars.shown_sums() == []
    assert bars.sums.isHidden()


def test_of_equal_weights_the_first_keys_are_among_the_largest():
    weights = np.full(5000, 1 / 5000, np.float32)
    chosen = LargestWeights.of(weights, np.ones(5000, bool), 4000, by_weight=True)
    assert chosen.rows.tolist() == [*range(MOST_LARGEST), 4000]
    assert chosen.sum_largest + chosen.sum_others == pytest.approx(1.0, abs=1e-6)
    assert chosen.n_others == 4900


def test_an_edit_paints_no_name_again(bars, neko, stages_of, qtbot):
    bars.draw(stages_of(neko, 6), Selection(0, 6, 2))
    QApplication.processEvents()
    painted = Painted(bars.bars.viewport())
    bars.draw(stages_of(set_vector_value(neko, 0, "q", 6, 1, 0.5), 6), Selection(0, 6, 2))
    qtbot.waitUntil(lambda: not painted.region.isEmpty())
    row = bars.bars.row_rect(2).toAlignedRect()
    assert painted.region.contains(row.center())
    assert not painted.region.contains(row.topLeft() + QPoint(8, 8))


def test_the_focus_is_seen_as_soon_as_it_is_there(bars, neko, stages_of, qtbot):
    bars.draw(stages_of(neko, 6), Selection(0, 6, 2))
    QApplication.processEvents()
    painted = Painted(bars.bars.viewport())
    for kind in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
        painted.region = QRegion()
        QApplication.sendEvent(bars.bars, QFocusEvent(kind))
        qtbot.waitUntil(lambda: painted.region.contains(bars.bars.row_rect(2).toAlignedRect().center()))
