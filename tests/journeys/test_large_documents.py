"""A person opens documents of 1,024 and 2,048 tokens: they are shown, and they react."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from attnviz.core.inputs import Head, Inputs
from attnviz.gui.editors.value_bars import ValueBars
from tests.journeys.window_eyes import SCORE


def large(n_tokens: int, n_heads: int, d: int) -> Inputs:
    """Random vectors, but the queries in the middle and at the end look for the k of token 7."""
    rng = np.random.default_rng(5)
    heads = []
    for head in range(n_heads):
        q, k, v = (rng.standard_normal((n_tokens, d)).astype(np.float32) for _ in range(3))
        q[n_tokens // 2] = q[-1] = 5 * k[7]
        heads.append(Head(f"h{head}", q, k, v))
    return Inputs("", tuple(f"t{index}" for index in range(n_tokens)), tuple(heads))


@pytest.fixture(params=[(1024, 4, 64), (2048, 2, 16)], ids=["1024 tokens", "2048 tokens"])
def before_a_large_one(request, sit_down):
    return sit_down(large(*request.param)), request.param[0]


def test_a_large_document_is_shown_and_reacts_to_an_edit_of_q(before_a_large_one):
    person, n = before_a_large_one
    person.click("tokens")
    person.key(Qt.Key.Key_End)
    person.settle()
    assert person.selected_token() == f"t{n - 1}"
    assert float(person.bars()[7].rstrip("%")) > 50
    before = person.arithmetic(SCORE)[7]
    if n == 1024:
        bars = person.control("q/0", ValueBars)
        top, middle = round(bars.bar_rect(3).top()), bars.bar_rect(3).center().toPoint()
        person.drag(bars, middle, QPoint(middle.x(), top + 8), QPoint(middle.x(), top))
    else:
        person.enter_number("q/0/3/number", "-3")
    person.settle()
    assert person.arithmetic(SCORE)[7] != before
    person.shortcut("Ctrl+Z")
    person.settle()
    assert person.arithmetic(SCORE)[7] == before


def test_every_part_of_a_large_document_can_be_looked_at(before_a_large_one):
    person, n = before_a_large_one
    person.shortcut("Ctrl+M")
    person.settle()
    assert "—" not in person.bars()
    person.shortcut("Ctrl+2")
    person.settle()
    assert person.head_in_front() == "h1"
    stages = person.window.parts.stages.viewport()
    person.click(stages, person.panel("weights").plot_rect().center())
    person.settle()
    assert abs(int(person.selected_token()[1:]) - n // 2) < n // 20
    person.wheel(stages, person.panel("weights").plot_rect().center(), 30)
    query, key = (int(token[1:]) for token in person.terms().splitlines()[0].split(" → "))
    assert person.panel("weights").shown_number(query, key)
    for tab in ("vectors", "heads_to_output", "arithmetic"):
        person.open_tab(tab)
        person.settle()
        person.picture()
    person.until(lambda: not person.window.runner.is_busy)


def test_what_stands_out_in_a_large_matrix_is_seen_from_afar(before_a_large_one):
    person, n = before_a_large_one
    panel = person.panel("weights")
    cell, plot = panel.cell_rect(n // 2, 7), panel.plot_rect()
    picture = person.picture(person.window.parts.stages.viewport())

    def lightness(y: int, columns: range) -> list[int]:
        return [picture.pixelColor(x, y).lightness() for x in columns]

    beside = lightness(plot.center().y() + 20, range(plot.left() + 20, plot.center().x()))
    darkest = min(min(lightness(cell.top() + dy, range(cell.left(), cell.left() + 3))) for dy in (-1, 0, 1))
    assert darkest < min(beside) - 30


def test_what_was_cancelled_is_computed_once_it_is_asked_for_again(sit_down):
    person = sit_down(large(2048, 2, 64), engine="cpu")
    window = person.window
    window.document.select_head(1)
    window.runner.cancel()
    person.until(lambda: not window.runner.is_busy)
    assert not window.live.is_up_to_date()
    person.key(Qt.Key.Key_F5)
    person.settle()
    assert window.stages.request.region.head == 1
