"""A person sees what sums up the rows beside the map, compares the heads, and writes the numbers down."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from attnviz.core.inputs import Head, Inputs
from attnviz.gui.views.head_grid import HeadGrid
from attnviz.gui.views.marginal_plot import MarginalPlot
from attnviz.gui.views.summary_table import SummaryTable
from tests.journeys.window_hands import clipboard


def beside(person, measure: str) -> MarginalPlot:
    """Choose from the View menu what is drawn beside the map."""
    person.choose("view", "summary", f"summary/{measure}")
    person.until(person.window.live.has_all_extras)
    person.settle()
    return person.control("marginals", MarginalPlot)


@pytest.mark.parametrize(
    ("speaks", "theme", "size"), [("en", "light", (1360, 860)), ("ja", "dark", (1024, 700))]
)
def test_a_measure_stands_beside_the_map_at_the_height_of_its_row(sit_down, speaks, theme, size):
    person = sit_down(speaks=speaks, theme=theme, size=size)
    plot = beside(person, "on_first")
    assert plot.shown_value(6) == "18.8%"
    panel = person.panel("weights")
    for query in range(10):
        cell, bar = panel.cell_rect(query, 0), plot.bar_rect(query)
        top = panel.parentWidget().mapTo(person.window, cell.topLeft()).y()
        middle = plot.mapTo(person.window, bar.center().toPoint()).y()
        assert top <= middle <= top + cell.height()
    colours = {plot.grab().toImage().pixelColor(plot.bar_rect(q).center().toPoint()).name() for q in (0, 6)}
    assert len(colours) == 2  # the selected row's bar has the accent


def test_zoomed_and_alone_the_bars_follow_their_rows(person):
    plot = beside(person, "entropy")
    person.double_click(
        person.panel("scores").parentWidget(), person.panel("scores").cell_rect(2, 2).center()
    )
    panel = person.panel("scores")
    grid = panel.parentWidget()
    person.wheel(grid, panel.cell_rect(6, 2).center(), 4)
    person.picture()  # as painted
    for query in range(10):
        cell, bar = panel.cell_rect(query, 0), plot.bar_rect(query)
        if bar.isEmpty():
            assert cell.bottom() <= panel.plot_rect().top() or cell.top() >= panel.plot_rect().bottom() - 1
        else:
            assert cell.top() - 1 <= bar.center().y() <= cell.bottom() + 1
    assert any(plot.bar_rect(query).isEmpty() for query in range(10))


def test_an_edit_changes_the_bars_at_once_and_undo_brings_them_back(person):
    plot = beside(person, "entropy")
    before = plot.shown_value(6)
    person.enter_number("q/0/1/number", "0")
    after = plot.shown_value(6)
    assert after != before
    assert plot.shown_mean("entropy") != ""
    person.shortcut("Ctrl+Z")
    person.settle()
    assert plot.shown_value(6) == before


def test_a_click_on_a_bar_and_the_arrow_keys_select_the_query(person):
    plot = beside(person, "on_itself")
    person.click(plot, plot.bar_rect(2).center().toPoint())
    person.settle()
    assert person.selected_token() == "魚"
    person.key(Qt.Key.Key_Down)
    person.settle()
    assert person.selected_token() == "を"


def test_copying_takes_every_row_of_every_measure(person):
    plot = beside(person, "entropy")
    plot.setFocus()
    person.shortcut("Ctrl+C")
    lines = [line.split("\t") for line in clipboard().split("\n")]
    assert lines[0][:3] == ["", "entropy", "effective keys"]
    assert lines[7][0] == "それ"
    assert f"{float(lines[7][3]):.1%}" == "18.8%"
    assert len(lines) == 11


def test_of_a_long_text_the_bars_come_once_its_picture_is_exact(sit_down):
    rng = np.random.default_rng(0)
    head = Head("h", *rng.standard_normal((3, 9_000, 16)).astype(np.float32))
    person = sit_down(engine="cpu")
    plot = beside(person, "on_itself")
    person.window.document.replace(Inputs("", tuple(f"t{i}" for i in range(9_000)), (head,)))
    person.until(lambda: person.window.stages.request.inputs is person.window.document.inputs)
    if person.window.stages.is_coarse:
        assert plot.empty_text() == "The summaries come once every row is computed."
    person.settle()
    person.until(person.window.live.has_all_extras)
    assert plot.empty_text() == ""
    weights = person.window.stages.row.weights
    assert plot.shown_value(0) == "100.0%"
    person.click(plot, QPoint(60, int(plot.bar_rect(4500).y())))
    person.settle()
    query = person.window.stages.row.query
    assert abs(query - 4500) < 60
    weights = person.window.stages.row.weights
    assert plot.shown_value(query) == f"{weights[query]:.1%}"


def test_the_window_is_as_wide_as_one_asks_here_and_in_the_tab(person):
    plot = beside(person, "on_window")
    assert plot.shown_value(6) == "100.0%"
    person.enter_number("marginals/window", "1")
    person.until(person.window.live.has_all_extras)
    assert plot.shown_value(6) == "3.7%"  # the token itself
    person.open_tab("all_heads")
    person.until(person.window.live.has_all_extras)
    assert person.field("all_heads/window") == "1"
    person.enter_number("all_heads/window", "0")
    assert "0 is out of range" in person.refusal()
    assert person.field("all_heads/window") == "1"
    person.enter_number("all_heads/window", "7")
    person.until(person.window.live.has_all_extras)
    assert plot.shown_value(6) == "100.0%"
    table = person.control("head_summaries", SummaryTable)
    assert table.model().headerData(5, Qt.Orientation.Horizontal) == "window 7"


def test_what_was_chosen_is_there_again_the_next_time(sit_down):
    first = sit_down()
    beside(first, "on_window")
    first.enter_number("marginals/window", "3")
    first.window.abandon()
    second = sit_down()
    plot = second.control("marginals", MarginalPlot)
    assert plot.isVisible()
    second.until(second.window.live.has_all_extras)
    assert second.field("marginals/window") == "3"
    assert plot.shown_value(9) == second.control("marginals", MarginalPlot).shown_value(9) != ""
    second.pick("marginals/measure", "none")
    assert plot.isHidden()


def test_all_heads_are_compared_and_one_is_chosen(person):
    person.open_tab("all_heads")
    person.until(person.window.live.has_all_extras)
    grid, table = person.control("head_grid", HeadGrid), person.control("head_summaries", SummaryTable)
    assert grid.shown_texts(0) == ("H 1.57", "first 36.0%")
    assert table.shown_text(1, "on_previous") == "84.3%"
    person.click(grid.viewport(), grid.head_rect(1).center())
    person.settle()
    assert person.head_in_front() == person.heads()[1]
    person.click(table.viewport(), table.visualRect(table.model().index(0, 3)).center())
    person.settle()
    assert person.head_in_front() == person.heads()[0]
    person.shortcut("Ctrl+C")
    assert clipboard().split("\n")[0].startswith("\tentropy bits\teffective keys")


def test_the_grid_follows_an_edit_of_any_head(person):
    person.open_tab("all_heads")
    person.until(person.window.live.has_all_extras)
    grid = person.control("head_grid", HeadGrid)
    before = [grid.shown_texts(head) for head in range(2)]
    person.enter_number("q/0/0/number", "3")
    person.until(person.window.live.has_all_extras)
    after = [grid.shown_texts(head) for head in range(2)]
    assert after[0] != before[0]
    assert after[1] == before[1]
    assert not grid.is_faded(0)


def test_dragging_a_slider_of_twelve_heads_refreshes_the_grid_all_the_way(sit_down):
    rng = np.random.default_rng(0)
    heads = tuple(Head(f"h{h}", *rng.standard_normal((3, 256, 4)).astype(np.float32)) for h in range(12))
    person = sit_down(Inputs("", tuple(f"t{i}" for i in range(256)), heads))
    person.open_tab("all_heads")
    person.until(person.window.live.has_all_extras)
    grid = person.control("head_grid", HeadGrid)
    slider = person.control("q/0/0")
    seen = set()
    person.window.drawn.connect(lambda: seen.add(grid.thumbnail(0)))
    middle = slider.height() // 2
    places = [QPoint(slider.width() * part // 10, middle) for part in range(2, 9)]
    person.press(slider, places[0])
    for place in places[1:]:
        person.move(slider, place)
        person.until(person.window.live.is_up_to_date)
        assert not grid.is_faded(0)
        assert not grid.is_faded(11)
    person.release(slider, places[-1])
    person.settle()
    assert len(seen) >= len(places) - 1
    assert len(person.window.stages.thumbnails) == 12


def test_maps_of_all_heads_stay_as_they_are_while_one_looks_elsewhere_in_a_long_text(sit_down):
    rng = np.random.default_rng(0)
    heads = tuple(Head(f"h{h}", *rng.standard_normal((3, 2_200, 2)).astype(np.float32)) for h in range(2))
    person = sit_down(Inputs("", tuple(f"t{i}" for i in range(2_200)), heads), engine="cpu")
    person.open_tab("all_heads")
    person.until(person.window.live.has_all_extras)
    grid = person.control("head_grid", HeadGrid)
    maps, faded = [grid.thumbnail(head) for head in range(2)], []
    person.window.drawn.connect(lambda: faded.append(grid.is_faded(0) or grid.is_faded(1)))
    panels, plot = person.window.parts.stages.viewport(), person.panel("weights").plot_rect()
    person.click(panels, plot.center() + QPoint(0, 20))
    person.settle()
    person.wheel(panels, plot.center(), 8)
    person.settle()
    assert person.window.stages.request.region.queries != (0, 2_200)
    assert faded
    assert not any(faded)
    assert [grid.thumbnail(head) for head in range(2)] == maps


def test_the_summaries_are_written_to_a_file(person, tmp_path):
    person.open_tab("all_heads")
    person.until(person.window.live.has_all_extras)
    person.enter_number("all_heads/window", "2")
    person.click("all_heads/export")
    person.until(lambda: person.face().objectName() == "table_dialog")
    person.press_button("table/save")
    person.choose_file(tmp_path / "rows.csv")
    person.until(lambda: (tmp_path / "rows.csv").exists() and not person.window.runner.is_busy)
    with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 20
    assert rows[6]["token"] == "それ"
    assert f"{float(rows[6]['on_first']):.1%}" == "18.8%"
    assert {row["window"] for row in rows} == {"2"}


def test_by_keyboard_alone(person):
    person.open_tab("all_heads")
    person.until(person.window.live.has_all_extras)
    person.control("head_grid").setFocus()
    person.key(Qt.Key.Key_Right)
    person.settle()
    assert person.head_in_front() == person.heads()[1]
    person.key(Qt.Key.Key_Tab)
    assert person.focus().objectName() == "all_heads/beside"
    person.key(Qt.Key.Key_Down)
    assert person.control("marginals").isVisible()
    person.key(Qt.Key.Key_Tab)
    assert person.focus().objectName() == "all_heads/window"
    person.key(Qt.Key.Key_Tab)
    assert person.focus().objectName() == "all_heads/export"
    person.key(Qt.Key.Key_Tab)
    assert person.focus().objectName() == "head_summaries"
