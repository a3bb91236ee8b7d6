"""Summaries beside the map, the grid of heads and the table of their means."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox

from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CustomMask, NoMask
from attnviz.core.request import Request
from attnviz.core.selection import Selection
from attnviz.core.stages import Thumbnail
from attnviz.core.summaries import MEASURES, RowSummaries, define_summaries
from attnviz.gui.number_field import NumberField
from attnviz.gui.theme import DARK, LIGHT
from attnviz.gui.views.head_grid import HeadGrid
from attnviz.gui.views.head_strip import HeadStrip
from attnviz.gui.views.marginal_plot import MarginalPlot
from attnviz.gui.views.marginal_profile import allowed_keys, longest_per_px, shares
from attnviz.gui.views.row_span import RowSpan
from attnviz.gui.views.summary_table import SummaryTable

SPAN = RowSpan(header=150.0, top=200.0, height=200.0, first=0.0, rows=10.0)


def with_summaries(stages, heads=None, window=16):
    """Give stages with the summaries and thumbnails of some heads, or all."""
    inputs = stages.request.inputs
    heads = range(inputs.n_heads) if heads is None else heads
    sums = {h: RowSummaries(**define_summaries(inputs, h, window), window=window) for h in heads}
    small = {h: Thumbnail(np.eye(8, dtype=np.float32), sums[h].entropy, 1.0 + h) for h in heads}
    request = replace(stages.request, window=window)
    return replace(stages, request=request, summaries=sums, thumbnails=small)


@pytest.fixture
def plot(qtbot):
    plot = MarginalPlot()
    qtbot.addWidget(plot)
    plot.resize(plot.width(), 460)
    plot.follow(lambda: SPAN)
    plot.show_measure("entropy")
    return plot


@pytest.fixture
def grid(qtbot):
    grid = HeadGrid()
    qtbot.addWidget(grid)
    grid.resize(820, 180)
    grid.show()
    return grid


@pytest.fixture
def table(qtbot):
    table = SummaryTable()
    qtbot.addWidget(table)
    table.resize(560, 180)
    table.show()
    return table


@pytest.fixture
def many_heads():
    rng = np.random.default_rng(0)
    heads = tuple(Head(f"h.{h}", *rng.standard_normal((3, 6, 4))) for h in range(12))
    return Inputs("", tuple("abcdef"), heads)


# Beside the map -------------------------------------------------------------------------------------------


def test_each_measure_is_written_in_its_own_way(plot, neko, stages_of):
    plot.draw(with_summaries(stages_of(neko, 6)), Selection(0, 6, 2))
    shown = {}
    for measure in MEASURES:
        plot.show_measure(measure)
        shown[measure] = plot.shown_value(6)
    assert shown == {
        "entropy": "1.60 bits",
        "effective_keys": "3.0 keys",
        "on_first": "18.8%",
        "on_itself": "3.7%",
        "on_previous": "2.5%",
        "on_window": "100.0%",
    }
    assert plot.shown_mean("on_first") == "36.0%"


def test_a_bar_stands_at_the_height_of_its_row_and_is_as_long_as_its_value(plot, neko, stages_of):
    plot.show_measure("on_first")
    plot.draw(with_summaries(stages_of(neko, 6)), Selection(0, 6, 2))
    first, second = plot.bar_rect(0), plot.bar_rect(1)
    assert 200 <= first.top() < first.bottom() <= 220 <= second.top() < second.bottom() <= 240
    assert second.width() / first.width() == pytest.approx(0.8176, abs=0.001)


def test_rows_out_of_view_have_no_bar_and_those_in_view_follow_the_map(plot, neko, stages_of):
    plot.draw(with_summaries(stages_of(neko, 6)), Selection(0, 6, 2))
    plot.follow(lambda: RowSpan(150.0, 200.0, 200.0, 4.0, 5.0))
    assert plot.bar_rect(3).isEmpty()
    assert plot.bar_rect(9).isEmpty()
    assert 200 <= plot.bar_rect(4).top() < plot.bar_rect(4).bottom() <= 240


def test_the_selected_row_has_the_accent_and_the_others_have_not(plot, neko, stages_of, drawn, theme):
    plot.set_theme(theme)
    plot.draw(with_summaries(stages_of(neko, 6)), Selection(0, 6, 2))
    plot.grab()
    image = drawn(plot)
    inside = [plot.bar_rect(query).center().toPoint() for query in (6, 5)]
    assert image.pixelColor(inside[0]) == theme.accent
    assert image.pixelColor(inside[1]) == theme.bar


def test_many_rows_keep_the_longest_of_each_px():
    values = np.zeros(1000, np.float32)
    values[777] = 0.5
    shown = longest_per_px(values, RowSpan(0.0, 0.0, 100.0, 0.0, 1000.0))
    assert shown.shape == (100,)
    assert np.flatnonzero(shown).tolist() == [77]
    zoomed = longest_per_px(values, RowSpan(0.0, 0.0, 100.0, 770.0, 10.0))
    assert np.flatnonzero(zoomed).tolist() == list(range(70, 80))


def test_a_thousand_rows_are_drawn_as_an_outline(plot, stages_of, drawn):
    rng = np.random.default_rng(0)
    head = Head("h", *rng.standard_normal((3, 1000, 4)))
    inputs = Inputs("", ("t",) * 1000, (head,))
    plot.follow(lambda: RowSpan(150.0, 200.0, 200.0, 0.0, 1000.0))
    plot.draw(with_summaries(stages_of(inputs, 500)), Selection(0, 500, 0))
    image = drawn(plot)
    y = round(200 + 500.5 / 1000 * 200)
    assert any(image.pixelColor(60, at) == LIGHT.accent for at in (y - 1, y, y + 1))
    assert image.pixelColor(6, 390) == LIGHT.bar


def test_scales_depend_on_no_value():
    entropy = shares("entropy", np.array([0.0, 1.0, 2.0, 3.0]), 16)
    assert entropy.tolist() == [0, 0.25, 0.5, 0.75]
    assert shares("effective_keys", np.array([0.0, 1.0, 4.0, 16.0]), 16).tolist() == [0, 0, 0.5, 1]
    assert shares("on_first", np.array([0.0, 0.3, 1.0]), 16).tolist() == [0, 0.3, 1]
    assert shares("entropy", np.array([0.0]), 1).tolist() == [0]


def test_allowed_keys_are_counted_unless_there_are_too_many(neko):
    assert allowed_keys(neko).tolist() == list(range(1, 11))

    class Huge:
        n_query, n_key = 10_000, 10_000

    assert allowed_keys(Huge()) is None


def test_a_row_that_sees_no_key_has_a_dash(plot, stages_of, inputs_of):
    allowed = np.array([[True, True], [False, False]])
    inputs = inputs_of([[0, 0], [0, 0]], mask=CustomMask(allowed))
    plot.draw(with_summaries(stages_of(inputs)), Selection())
    assert plot.shown_value(0) == "1.00 bits"
    assert plot.shown_value(1) == "—"


def test_what_is_not_there_yet_is_said(plot, neko, stages_of):
    plot.draw(stages_of(neko, 6), Selection(0, 6, 2))
    assert plot.empty_text() == "The summaries are being computed."
    assert plot.shown_value(6) == ""
    assert plot.bar_rect(6).isEmpty()
    plot.draw(replace(stages_of(neko, 6), is_coarse=True), Selection(0, 6, 2))
    assert "once every row is computed" in plot.empty_text()
    plot.draw(with_summaries(stages_of(neko, 6)), Selection(0, 6, 2))
    assert plot.empty_text() == ""


def test_none_hides_it_and_the_window_has_its_field(plot, neko, stages_of):
    plot.draw(with_summaries(stages_of(neko, 6)), Selection(0, 6, 2))
    field = plot.findChild(NumberField, "marginals/window")
    assert field.isHidden()
    plot.show_measure("on_window")
    assert not field.isHidden()
    plot.show_measure("none")
    assert plot.isHidden()


def test_the_choice_and_the_field_tell_what_was_chosen(plot, qtbot, neko, stages_of):
    plot.show_measure("on_window")
    plot.show()
    choice = plot.findChild(QComboBox, "marginals/measure")
    with qtbot.waitSignal(plot.measure_chosen) as told:
        choice.activated.emit(choice.findData("on_first"))
    assert told.args == ["on_first"]
    field = plot.findChild(NumberField, "marginals/window")
    field.setText("4")
    with qtbot.waitSignal(plot.window_chosen) as told:
        QTest.keyClick(field, Qt.Key.Key_Return)
    assert told.args == [4]
    field.setText("0")
    with qtbot.waitSignal(plot.refused):
        QTest.keyClick(field, Qt.Key.Key_Return)


def test_a_click_and_the_arrow_keys_choose_a_query(plot, qtbot, neko, stages_of):
    plot.show()
    plot.draw(with_summaries(stages_of(neko, 6)), Selection(0, 6, 2))
    with qtbot.waitSignal(plot.query_chosen) as told:
        QTest.mouseClick(plot, Qt.MouseButton.LeftButton, pos=QPoint(50, 250))
    assert told.args == [2]
    with qtbot.waitSignal(plot.query_chosen) as told:
        QTest.keyClick(plot, Qt.Key.Key_Down)
    assert told.args == [7]


def test_the_row_under_the_pointer_is_read_out(plot, neko, stages_of):
    plot.show()
    plot.draw(with_summaries(stages_of(neko, 6)), Selection(0, 6, 2))
    QTest.mouseMove(plot, QPoint(50, 250))
    assert plot.hover_text() == "魚  1.38 bits"
    assert "それ" in plot.accessibleDescription()
    assert "1.60 bits" in plot.accessibleDescription()
    QTest.mouseMove(plot, QPoint(50, 20))
    assert plot.hover_text() == ""


# All heads ------------------------------------------------------------------------------------------------


def test_all_heads_are_seen_at_once_as_large_as_there_is_room_for(grid, many_heads, stages_of):
    grid.draw(with_summaries(stages_of(many_heads)), Selection())
    rects = [grid.head_rect(head) for head in range(12)]
    assert all(grid.viewport().rect().contains(rect) for rect in rects)
    assert not any(a.intersects(b) for i, a in enumerate(rects) for b in rects[:i])
    small = grid.side()
    grid.resize(820, 500)
    assert grid.side() > small
    assert grid.map_rect(0).width() == grid.side()
    grid.resize(200, 90)  # no room for all: they scroll
    assert grid.verticalScrollBar().maximum() > 0


def test_a_head_of_the_grid_has_its_name_entropy_and_sink(grid, neko, stages_of):
    grid.draw(with_summaries(stages_of(neko, 6)), Selection(0, 6, 2))
    assert grid.shown_texts(0) == ("H 1.57", "first 36.0%")
    assert grid.told(0).splitlines()[0] == "意味"
    assert "Mean weight on itself: 20.5%" in grid.told(0)
    assert grid.accessibleDescription() == grid.told(0)


def test_a_click_and_the_arrow_keys_choose_a_head(grid, qtbot, many_heads, stages_of):
    grid.draw(with_summaries(stages_of(many_heads)), Selection())
    with qtbot.waitSignal(grid.head_chosen) as told:
        QTest.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=grid.head_rect(5).center())
    assert told.args == [5]
    with qtbot.waitSignal(grid.head_chosen) as told:
        QTest.keyClick(grid, Qt.Key.Key_Right)
    assert told.args == [1]
    with qtbot.waitSignal(grid.head_chosen) as told:
        QTest.keyClick(grid, Qt.Key.Key_End)
    assert told.args == [11]


@pytest.mark.parametrize("kind", [HeadGrid, HeadStrip])
def test_maps_of_the_moment_before_stay_faded_until_the_present_ones_come(
    qtbot, neko, stages_of, kind, drawn
):
    area = kind()
    qtbot.addWidget(area)
    area.resize(400, 300)
    area.draw(with_summaries(stages_of(neko)), Selection())
    bright = drawn(area.viewport())
    area.draw(with_summaries(stages_of(neko), heads=[0]), Selection())
    assert (area.is_faded(0), area.is_faded(1)) == (False, True)
    assert "As it was a moment before" in area.told(1)
    where = area.map_rect(1) if kind is HeadGrid else area.picture_rect(1)
    place = where.topLeft() + QPoint(3, 3)  # in the first cell of the map: a weight of 1
    faded = drawn(area.viewport())
    assert faded.pixelColor(place).lightness() > bright.pixelColor(place).lightness()
    area.draw(with_summaries(stages_of(neko)), Selection())
    assert not area.is_faded(1)
    assert drawn(area.viewport()).pixelColor(place) == bright.pixelColor(place)


@pytest.mark.parametrize("n", [48, 96])
def test_a_lone_peak_is_seen_in_maps_of_any_size(grid, drawn, stages_of, many_heads, n):
    picture = np.zeros((n, n), np.float32)
    picture[n - 1, 0] = 1.0
    stages = with_summaries(stages_of(many_heads))
    small = Thumbnail(picture, stages.thumbnails[0].row_entropy, 1.0)
    grid.draw(replace(stages, thumbnails=dict(stages.thumbnails) | {0: small}), Selection(1, 0, 0))
    for size in ((820, 180), (820, 500)):
        grid.resize(*size)
        place = grid.map_rect(0)
        image = drawn(grid.viewport())
        corner = [(place.left() + right, place.bottom() - up) for right in (0, 1) for up in (0, 1)]
        assert min(image.pixelColor(*at).lightness() for at in corner) < 100


def test_another_document_leaves_no_map_behind(grid, neko, many_heads, stages_of):
    grid.draw(with_summaries(stages_of(neko)), Selection())
    grid.draw(stages_of(many_heads), Selection())
    assert grid.thumbnail(0) is None
    assert grid.told(0) == "h.0"


def test_maps_are_as_wide_and_high_as_their_keys_and_queries(grid, stages_of):
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((3, 4)), rng.standard_normal((6, 4))
    inputs = Inputs("", tuple("abc"), (Head("h", q, k, k),), mask=NoMask(), key_tokens=tuple("uvwxyz"))
    grid.draw(_cross_stages(inputs), Selection())
    assert grid.map_rect(0).width() == 2 * grid.map_rect(0).height()


def test_in_cross_attention_no_key_is_called_the_query_itself(plot, table, grid):
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((3, 4)), rng.standard_normal((6, 4))
    inputs = Inputs("", tuple("abc"), (Head("h", q, k, k),), mask=NoMask(), key_tokens=tuple("uvwxyz"))
    stages = _cross_stages(inputs)
    for view in (plot, table, grid):
        view.draw(stages, Selection())
    choice = plot.findChild(QComboBox, "marginals/measure")
    named = [choice.itemText(index) for index in range(choice.count())]
    assert named[4:6] == ["same place", "place before"]
    across = Qt.Orientation.Horizontal
    assert [table.model().headerData(at, across) for at in (3, 4)] == ["same place", "place before"]
    assert "Mean weight same place" in grid.told(0)
    assert plot.copied_text().split("\n")[0].split("\t")[4] == "same place"


def _cross_stages(inputs):
    from attnviz.core.request import THUMBNAILS
    from attnviz.engine.numpy_engine import NumpyEngine

    engine = NumpyEngine(1)
    stages = engine.compute(Request.whole(inputs, extras=frozenset([THUMBNAILS])))
    engine.close()
    return stages


# The means ------------------------------------------------------------------------------------------------


def test_the_table_holds_the_means_of_every_head(table, neko, stages_of):
    table.draw(with_summaries(stages_of(neko), window=4), Selection())
    means = RowSummaries(**define_summaries(neko, 1, 4), window=4)
    assert table.shown_text(1, "entropy") == f"{means.mean('entropy'):.2f}"
    assert table.shown_text(1, "on_window") == f"{means.mean('on_window'):.1%}"
    model = table.model()
    heads = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(6)]
    assert heads == ["entropy bits", "effective keys", "on first", "on itself", "on previous", "window 4"]
    assert [model.headerData(row, Qt.Orientation.Vertical) for row in range(2)] == ["意味", "直前"]


def test_means_that_are_not_there_yet_step_back(table, neko, stages_of):
    table.draw(stages_of(neko), Selection())
    assert table.shown_text(0, "entropy") == ""
    table.draw(with_summaries(stages_of(neko)), Selection())
    before = table.shown_text(1, "entropy")
    table.draw(with_summaries(stages_of(neko), heads=[0]), Selection())
    assert table.shown_text(1, "entropy") == before
    assert table.sums.look(1, 0).is_muted
    assert not table.sums.look(0, 0).is_muted


def test_copying_the_table_brings_its_header(table, neko, stages_of):
    table.draw(with_summaries(stages_of(neko)), Selection())
    lines = table.copied_text().split("\n")
    assert lines[0].split("\t")[:3] == ["", "entropy bits", "effective keys"]
    assert lines[1].split("\t")[0] == "意味"
    assert len(lines) == 3


def test_a_click_in_the_table_chooses_its_head(table, qtbot, neko, stages_of):
    table.set_theme(DARK)
    table.draw(with_summaries(stages_of(neko)), Selection())
    place = table.visualRect(table.model().index(1, 2)).center()
    with qtbot.waitSignal(table.head_chosen) as told:
        QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert told.args == [1]
