"""A person goes to the head 直前: every token looks at the one before it, however many there are."""

from __future__ import annotations

import pytest

from attnviz.gui.editors.token_line import MOST_CHIPS


def looks_back(person, least: float, rows: int) -> None:
    """Assert that every row puts at least so many percent on the token before it, and row 0 all on itself."""
    panel = person.panel("weights")
    assert panel.shown_number(0, 0) == "100.0"
    assert all(float(panel.shown_number(query, query - 1)) >= least for query in range(1, rows))


@pytest.mark.parametrize("way", ["click", "keys", "menu_key"])
def test_every_token_looks_at_the_one_before_it(person, way):
    if way == "click":
        person.click("head/1")
    elif way == "keys":
        person.shortcut("Ctrl+2")
    else:
        person.click("q/1/heading")  # folds; the head in front stays
        person.shortcut("Ctrl+2")
    person.settle()
    assert person.head_in_front() == "previous"
    looks_back(person, 90, 10)
    assert float(person.bars()[5].rstrip("%")) >= 90
    assert person.largest_bar() == "。"


def test_each_row_can_be_read_in_the_bars_as_well(person):
    person.shortcut("Ctrl+2")
    person.settle()
    person.click("token/0")
    person.settle()
    assert person.bars() == ["100.0%", *["—"] * 9]
    for query in range(1, 10):
        person.click(f"token/{query}")
        person.settle()
        assert float(person.bars()[query - 1].rstrip("%")) >= 90


@pytest.mark.parametrize("n_tokens", [11, 37, 200])
def test_after_more_tokens_are_written_it_still_looks_one_back(person, n_tokens):
    person.shortcut("Ctrl+2")
    person.write_sentence("猫が魚を食べた。それは新鮮だった" + "。" * (n_tokens - 10))
    assert len(person.tokens()) == n_tokens <= MOST_CHIPS
    person.click("tokens")
    for query in (1, n_tokens // 2, n_tokens - 1):
        person.click(person.window.parts.token_editor.chips.chip(query))
        person.settle()
        assert float(person.bars()[query - 1].rstrip("%")) >= 80
    person.double_click(person.window.parts.stages.viewport(), person.panel("weights").plot_rect().center())
    if person.panel("weights").shown_number(1, 0):
        looks_back(person, 80, n_tokens)


def test_the_other_head_comes_back_with_its_own_numbers(person):
    person.shortcut("Ctrl+2")
    person.settle()
    person.shortcut("Ctrl+1")
    person.settle()
    assert person.head_in_front() == "meaning"
    assert person.cells("weights", 6) == ["18.8", "1.5", "65.7", "1.5", "6.1", "2.5", "3.7"]
