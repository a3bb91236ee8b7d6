"""A person opens the program and looks: the published numbers stand there."""

from __future__ import annotations

import pytest

from tests.journeys.window_eyes import KEY, SCALED, SCORE, WEIGHT
from tests.published import NEKO_PERCENT

TOKENS = ["猫", "が", "魚", "を", "食べた", "。", "それ", "は", "新鮮", "だった"]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_it_opens_on_the_example_with_sore_selected(sit_down, language):
    person = sit_down(speaks=language)
    assert person.tokens() == TOKENS
    assert person.selected_token() == "それ"
    assert person.field("sentence") == "猫が魚を食べた。それは新鮮だった"
    assert person.heads() == {"ja": ["意味", "直前"], "en": ["meaning", "previous"]}[language]


def test_all_55_visible_weights_are_the_published_ones(person):
    shown = [person.cells("weights", query) for query in range(10)]
    assert shown == [[f"{percent:.1f}" for percent in row] for row in NEKO_PERCENT]


def test_the_stages_of_sore_are_the_published_ones(person):
    assert person.cells("scores", 6)[:7] == ["3.00", "−2.00", "5.50", "−2.00", "0.75", "−1.00", "−0.25"]
    assert person.cells("scaled", 6)[:7] == ["1.50", "−1.00", "2.75", "−1.00", "0.38", "−0.50", "−0.13"]
    assert person.cells("masked", 6) == person.cells("scaled", 6)[:7]


def test_the_arithmetic_of_sore_is_the_published_one(person):
    assert person.arithmetic(KEY) == TOKENS
    assert person.arithmetic(SCORE)[:7] == ["3.00", "−2.00", "5.50", "−2.00", "0.75", "−1.00", "−0.25"]
    assert person.arithmetic(SCALED)[:7] == ["1.50", "−1.00", "2.75", "−1.00", "0.38", "−0.50", "−0.13"]
    weights = ["0.188", "0.015", "0.657", "0.015", "0.061", "0.025", "0.037"]
    assert person.arithmetic(WEIGHT) == [*weights, "—", "—", "—"]


def test_the_selected_weight_is_written_out_in_its_terms(person):
    terms = person.terms()
    assert terms.startswith("それ → 魚")
    assert "1.0×1 + 1.5×3 + 0.0×0 + (−1.0)×0 = 5.50" in terms
    assert "÷ √4 = 2.75" in terms
    assert "exp(2.75 − max) / sum = 0.657" in terms


def test_the_bars_and_the_output_of_sore_are_the_published_ones(person):
    percents = ["18.8%", "1.5%", "65.7%", "1.5%", "6.1%", "2.5%", "3.7%"]
    assert person.bars() == [*percents, "—", "—", "—"]
    assert person.output() == ["1.23", "2.01", "0.18", "0.12"]


def test_bars_are_as_long_as_the_weights_are_large(person):
    lengths = [person.bar_pixels(key) for key in range(10)]
    assert lengths[0] / lengths[2] == pytest.approx(18.8 / 65.7, abs=0.03)
    assert lengths[7:] == [0, 0, 0]


def test_what_the_mask_hides_is_hatched_and_carries_no_number(person):
    for stage in ("masked", "weights"):
        panel = person.panel(stage)
        hidden = [(query, key) for query in range(10) for key in range(query + 1, 10)]
        assert all(panel.is_hatched(*cell) and panel.shown_number(*cell) == "" for cell in hidden)
        assert not any(panel.is_hatched(query, key) for query in range(10) for key in range(query + 1))
        strokes = person.picture(person.window.parts.stages.viewport()).copy(panel.cell_rect(0, 9))
        colours = {strokes.pixel(x, y) for x in range(strokes.width()) for y in range(strokes.height())}
        assert len(colours) > 1
