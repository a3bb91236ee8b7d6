"""A person explores the four panels with mouse and keys: hover, click, walk, zoom, pan, one alone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt

from attnviz.core.stages import STAGE_NAMES


@pytest.fixture
def stages(person):
    """The viewport of the four panels."""
    return person.window.parts.stages.viewport()


def hover(person, stages, at: QPoint) -> str:
    person.move(stages, at)
    return person.window.parts.stages.hover_text()


def test_hovering_a_cell_in_any_panel_says_its_values_at_all_four_stages(person, stages):
    for stage in STAGE_NAMES:
        lines = hover(person, stages, person.panel(stage).cell_rect(6, 2).center()).splitlines()
        assert lines[:4] == ["それ → 魚", "QKᵀ 5.5", "÷√dₖ 2.75", "mask 2.75"]
        assert lines[4].startswith("softmax 0.657")
        assert lines[4].endswith("65.7%")
        assert person.control("hover_card").isVisible()
        assert hover(person, stages, QPoint(1, 1)) == ""


def test_a_hidden_cell_says_that_it_is_hidden(person, stages):
    text = hover(person, stages, person.panel("weights").cell_rect(6, 9).center())
    assert text.splitlines() == [
        "それ → だった",
        "QKᵀ −1.5",
        "÷√dₖ −0.75",
        "mask masked (hidden)",
        "softmax masked (hidden)",
    ]


def test_outside_the_matrix_there_is_nothing(person, stages):
    panel = person.panel("weights")
    inside, plot = panel.cell_rect(9, 9), panel.plot_rect()
    assert hover(person, stages, inside.center())
    for outside in (
        QPoint(plot.right() + 4, inside.center().y()),
        QPoint(inside.center().x(), plot.bottom() + 4),
        QPoint(plot.left() - 6, inside.center().y()),
        QPoint(inside.center().x(), plot.top() - 6),
    ):
        assert hover(person, stages, outside) == ""
    assert hover(person, stages, inside.center())
    person.move("sentence")
    assert person.window.parts.stages.hover_text() == ""


def test_the_readout_follows_an_edit_under_a_resting_pointer(person, stages):
    hover(person, stages, person.panel("scores").cell_rect(6, 2).center())
    person.window.deeds["toggle_mask"].trigger()
    person.settle()
    assert person.window.parts.stages.hover_text().splitlines()[0] == "それ → 魚"


def test_a_click_chooses_query_and_key_in_every_part(person, stages):
    person.click(stages, person.panel("scaled").cell_rect(4, 0).center())
    person.settle()
    assert person.selected_token() == "食べた"
    assert person.bars()[:5] == ["29.4%", "1.9%", "62.3%", "1.9%", "4.5%"]
    assert person.terms().startswith("食べた → 猫")


def test_a_row_s_label_chooses_its_query(person, stages):
    person.click(stages, person.panel("weights").label_rect("query", 8).center())
    person.settle()
    assert person.selected_token() == "新鮮"


def test_arrow_keys_walk_from_cell_to_cell_and_stop_at_the_edge(person, stages):
    person.click(stages, person.panel("weights").cell_rect(6, 2).center())
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Left):
        person.key(key)
    person.settle()
    assert person.selected_token() == "。"
    assert person.terms().startswith("。 → 猫")
    assert "10.5%" in person.window.parts.stages.accessibleDescription()
    for _ in range(12):
        person.key(Qt.Key.Key_Down)
    person.settle()
    assert person.selected_token() == "だった"


def test_the_wheel_zooms_all_panels_about_the_pointer(person, stages):
    before = {stage: person.panel(stage).cell_rect(6, 2) for stage in STAGE_NAMES}
    person.wheel(stages, before["weights"].center(), 3)
    for stage in STAGE_NAMES:
        after = person.panel(stage).cell_rect(6, 2)
        assert after.width() > 1.5 * before[stage].width()
        assert abs(after.center().x() - before[stage].center().x()) < 3 + after.width() / 4
        assert after.size() == person.panel("weights").cell_rect(6, 2).size()
    person.wheel(stages, before["weights"].center(), -9)
    assert {stage: person.panel(stage).cell_rect(6, 2) for stage in STAGE_NAMES} == before


def test_a_drag_moves_the_zoomed_matrix_in_all_panels_and_chooses_nothing(person, stages):
    middle = person.panel("weights").plot_rect().center()
    person.wheel(stages, middle, 4)
    before = {stage: person.panel(stage).cell_rect(5, 5).topLeft() for stage in STAGE_NAMES}
    person.drag(stages, middle, middle + QPoint(30, 0), middle + QPoint(40, 12))
    moves = {
        (at - before[stage]).toTuple()
        for stage, at in ((stage, person.panel(stage).cell_rect(5, 5).topLeft()) for stage in STAGE_NAMES)
    }
    assert len({(round(x / 3), round(y / 3)) for x, y in moves}) == 1
    assert min(moves)[0] > 20
    assert person.selected_token() == "それ"
    person.choose("view", "whole_matrix")
    assert person.panel("weights").cell_rect(0, 0).topLeft() == person.panel("weights").plot_rect().topLeft()


def test_a_double_click_gives_one_panel_all_the_room_and_esc_gives_it_back(person, stages):
    before = person.panel("masked").plot_rect()
    person.double_click(stages, before.center())
    assert person.panel("masked").plot_rect().height() > 1.7 * before.height()
    assert [stage for stage in STAGE_NAMES if person.panel(stage).isVisible()] == ["masked"]
    assert person.panel("masked").shown_number(6, 2) == "2.75"
    person.key(Qt.Key.Key_Escape)
    assert person.panel("masked").plot_rect() == before
    assert all(person.panel(stage).isVisible() for stage in STAGE_NAMES)


def test_bars_may_stand_in_the_order_of_their_weights(person):
    person.click("weights_by_weight")
    assert person.bars()[:4] == ["65.7%", "18.8%", "6.1%", "3.7%"]
    assert person.bars()[-3:] == ["—", "—", "—"]
    person.choose("view", "bars", "bars/by_token")
    assert person.bars()[:3] == ["18.8%", "1.5%", "65.7%"]


def test_a_bar_chooses_its_key(person):
    bars = person.control("weights_of_query/bars")
    person.click(bars.viewport(), bars.row_rect(0).center().toPoint())
    assert person.terms().startswith("それ → 猫")


def test_the_weights_colours_may_end_at_the_largest_weight(person):
    person.write_sentence("。 。 。 。")
    before = person.panel("weights").colour_at(3, 0)
    person.choose("view", "weights_range", "weights_range/largest")
    person.shortcut("Ctrl+M")
    person.settle()
    assert person.panel("weights").colour_at(3, 0).lightness() < before.lightness()
