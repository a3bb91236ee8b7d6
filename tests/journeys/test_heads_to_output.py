"""A person follows the heads to the layer's output, edits W_O, and sees what each head adds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QLabel

from attnviz.core.inputs import Head, Inputs
from attnviz.gui.views.head_shares import ShareBars
from attnviz.gui.views.head_strip import HeadStrip
from attnviz.gui.views.layer_output import LayerOutput


def open_page(person):
    person.open_tab("heads_to_output")
    person.until(person.window.live.has_all_heads)
    person.settle()
    return person


def output(person, token: int) -> list[str]:
    view = person.control("layer_output", LayerOutput)
    return [view.shown_text(token, dim) for dim in range(view.model.columnCount())]


@pytest.mark.parametrize(
    ("speaks", "theme", "size"), [("en", "light", (1360, 860)), ("ja", "dark", (1024, 700))]
)
def test_with_the_identity_the_output_is_the_heads_side_by_side(sit_down, speaks, theme, size):
    person = open_page(sit_down(speaks=speaks, theme=theme, size=size))
    concat = person.window.parts.head_outputs
    wanted = [concat.shown_text(head, 6, dim) for head in range(2) for dim in range(4)]
    assert output(person, 6) == wanted
    assert "8 ×" in person.control("output_map/title", QLabel).text()
    assert person.field("d_output") == "8"
    assert not person.control("output_map/identity", QAbstractButton).isEnabled()
    assert not person.control("residual", QAbstractButton).isEnabled()
    assert "x · W" in person.control("residual").toolTip()


def test_a_number_of_w_o_changes_the_output_and_undo_makes_it_the_identity_again(person):
    open_page(person)
    before = output(person, 6)
    person.enter_cell("output_map/w_o", 0, 0, "0")
    person.enter_cell("output_map/w_o", 4, 0, "1")
    after = output(person, 6)
    assert after[0] == before[4]
    assert after[1:] == before[1:]
    assert person.control("output_map/title", QLabel).text().startswith("W_O  8")
    person.shortcut("Ctrl+Z")
    person.shortcut("Ctrl+Z")
    person.settle()
    person.until(person.window.live.has_all_heads)
    assert output(person, 6) == before
    assert "identity" in person.control("output_map/title", QLabel).text()


@pytest.mark.parametrize(("speaks", "theme"), [("en", "dark"), ("ja", "light")])
def test_the_output_takes_more_and_fewer_dimensions_and_undo_brings_them_back(sit_down, speaks, theme):
    person = open_page(sit_down(speaks=speaks, theme=theme))
    before = output(person, 6)
    person.enter_number("d_output", "3")
    person.until(lambda: output(person, 6) == before[:3])
    person.enter_number("d_output", "9")
    person.until(lambda: output(person, 6) == [*before[:3], *["0.00"] * 6])
    assert person.window.document.inputs.w_o.shape == (8, 9)
    person.enter_number("d_output", "0")
    assert "1" in person.refusal()
    assert person.field("d_output") == "9"
    person.shortcut("Ctrl+Z")
    person.shortcut("Ctrl+Z")
    person.until(lambda: output(person, 6) == before)
    assert person.field("d_output") == "8"
    assert person.window.document.inputs.w_o is None


def test_a_block_is_pasted_and_the_identity_comes_back_by_its_button(person):
    open_page(person)
    before = output(person, 6)
    QGuiApplication.clipboard().setText("2\t0\n0\t2")
    person.click_cell("output_map/w_o", 0, 0)
    person.shortcut("Ctrl+V")
    person.settle()
    assert float(output(person, 6)[0].replace("−", "-")) == pytest.approx(
        2 * float(before[0].replace("−", "-")), abs=0.011
    )
    assert person.window.document.undo_steps == 1
    person.click("output_map/identity")
    person.settle()
    assert output(person, 6) == before
    assert person.window.document.inputs.w_o is None


def test_the_shares_of_the_heads_add_up_to_the_output_and_are_told_exactly(person):
    open_page(person)
    person.enter_cell("output_map/w_o", 4, 0, "0.5")
    bars = person.control("head_shares/bars", ShareBars)
    stages = person.window.stages
    assert np.allclose(bars.shares.sum(axis=0), stages.output[6], atol=1e-5)
    assert [bars.sum_text(dim) for dim in range(8)] == output(person, 6)
    told = bars.told(0).splitlines()
    assert len(told) == 4  # the dimension, two heads and their sum
    assert told[1].startswith(person.window.document.inputs.heads[0].name)
    rects = bars.share_rects(0)
    assert rects[0].width() > 0
    assert rects[1].width() > 0
    person.click(bars.viewport(), rects[0].center().toPoint())
    assert bars.accessibleDescription() == bars.told(0)
    person.key(Qt.Key.Key_Down)
    assert bars.accessibleDescription() == bars.told(1)


@pytest.mark.parametrize("speaks", ["en", "ja"])
def test_in_a_small_window_bars_stay_clear_of_their_numbers(sit_down, speaks):
    person = open_page(sit_down(speaks=speaks, size=(1024, 700)))
    bars = person.control("head_shares/bars", ShareBars)
    numbers = bars.fontMetrics().horizontalAdvance("0000.00")
    for dim in range(8):
        assert all(rect.right() < bars.viewport().width() - numbers for rect in bars.share_rects(dim))
    assert max(rect.width() for dim in range(8) for rect in bars.share_rects(dim)) > 20


def test_positive_and_negative_shares_stack_to_their_own_sides(person):
    open_page(person)
    person.enter_cell("output_map/w_o", 4, 0, "-0.5")
    bars = person.control("head_shares/bars", ShareBars)
    first, second = bars.shares[0, 0], bars.shares[1, 0]
    assert first * second < 0
    rects = bars.share_rects(0)
    assert rects[0].left() == pytest.approx(rects[1].right()) or rects[1].left() == pytest.approx(
        rects[0].right()
    )


def test_a_bias_is_added_edited_and_taken_away(person):
    open_page(person)
    before = output(person, 0)
    person.click("output_map/bias")
    person.settle()
    assert output(person, 0) == before
    person.enter_cell("output_map/b_o", 0, 3, "10")
    assert float(output(person, 0)[3]) == pytest.approx(float(before[3]) + 10, abs=0.011)
    bars = person.control("head_shares/bars", ShareBars)
    assert bars.parts[-1] == "b_O"
    person.click("output_map/bias")
    person.settle()
    assert output(person, 0) == before


def test_x_is_added_where_it_has_the_outputs_shape(sit_down):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((4, 6)).astype(np.float32)
    heads = tuple(Head(name, *rng.standard_normal((3, 4, 3)).astype(np.float32)) for name in "ab")
    inputs = Inputs("", tuple("wxyz"), heads, x=x)
    person = open_page(sit_down(inputs))
    person.click("residual")
    person.settle()
    shown = [float(text.replace("−", "-")) for text in output(person, 2)]
    assert np.allclose(shown, (x + person.window.stages.output)[2], atol=0.006)
    person = open_page(sit_down(replace(inputs, x=x[:, :5])))
    assert not person.control("residual", QAbstractButton).isEnabled()
    assert "5" in person.control("residual").toolTip()


def test_a_thumbnail_makes_its_head_the_active_one_by_mouse_and_by_keys(person):
    open_page(person)
    strip = person.control("head_strip", HeadStrip)
    norm, entropy = strip.shown_texts(1)
    assert float(norm.split()[1]) == pytest.approx(person.window.stages.thumbnails[1].output_norm, abs=0.01)
    assert "bits" in entropy
    person.click(strip.viewport(), strip.head_rect(1).center())
    person.settle()
    assert person.window.document.selection.head == 1
    person.key(Qt.Key.Key_Up)
    person.settle()
    assert person.window.document.selection.head == 0
    assert strip.accessibleDescription() == strip.told(0)


def test_a_thumbnail_follows_an_edit(person):
    open_page(person)
    before = person.window.stages.thumbnails[0]
    person.click("mask")
    person.settle()
    person.until(person.window.live.has_all_heads)
    after = person.window.stages.thumbnails[0]
    assert before.picture[0, 5] == 0 < after.picture[0, 5]


def test_a_click_on_the_output_selects_its_token(person):
    open_page(person)
    person.click_cell("layer_output/table", 2, 0)
    person.settle()
    assert person.window.document.selection.query == 2


def test_768_dimensions_stay_usable(sit_down):
    rng = np.random.default_rng(0)
    heads = tuple(
        Head(f"h{index}", *rng.standard_normal((3, 64, 64)).astype(np.float32)) for index in range(12)
    )
    w_o = (rng.standard_normal((768, 768)) / 28).astype(np.float32)
    person = open_page(sit_down(Inputs("", tuple(f"t{i}" for i in range(64)), heads, w_o=w_o)))
    person.enter_cell("output_map/w_o", 700, 760, "3")
    assert person.window.document.inputs.w_o[700, 760] == 3
    bars = person.control("head_shares/bars", ShareBars)
    bars.setFocus()
    person.key(Qt.Key.Key_End)
    assert bars.current == 767
    assert bars.dim_at(QPoint(5, bars.viewport().height() - 3)) == 767
