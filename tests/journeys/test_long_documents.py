"""A person looks at a long text as at a map: from afar, near, and while it is still being computed."""

from __future__ import annotations

import threading
from functools import cache

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QImage
from PySide6.QtWidgets import QLabel, QProgressBar, QWidget

from attnviz.core.inputs import Inputs
from attnviz.core.synthetic_text import D_K, synthetic_text
from attnviz.gui.editors.go_to_bar import GoToField
from attnviz.gui.views.overview import Overview

WORDS = [f"w{index}" for index in range(60)]


@cache  # documents are never written to
def long_text(n: int) -> Inputs:
    return synthetic_text(WORDS, "copy", n_tokens=n, passages=[(n // 14, 3), (n // 25, 3)], seed=5)


def weight(inputs: Inputs, query: int, key: int) -> float:
    """A weight by its definition, in float64."""
    head = inputs.heads[0]
    scores = head.k[: query + 1].astype(np.float64) @ head.q[query].astype(np.float64) / np.sqrt(D_K)
    weights = np.exp(scores - scores.max())
    return float(weights[key] / weights.sum())


def copied(inputs: Inputs) -> tuple[int, int]:
    """A query in a passage that came before, and the key it copies from."""
    head, n = inputs.heads[0], inputs.n_tokens
    for query in range(n - 100, n // 2, -37):
        scores = head.k[: query + 1] @ head.q[query]
        key = int(scores.argmax())
        if 100 < key < query - 100 and weight(inputs, query, key) > 0.5:
            return query, key
    raise AssertionError("no query copies")


@pytest.fixture
def reader(request, sit_down):
    """Someone before a long text, whose picture is exact at once unless a test wants more tokens."""
    return sit_down(long_text(getattr(request, "param", 5_000)), engine="cpu")


of_either_length = pytest.mark.parametrize(
    "reader", [5_000, 20_000], ids=["5,000 tokens", "20,000 tokens"], indirect=True
)


def grid(person) -> QWidget:
    return person.window.parts.stages.viewport()


def middle(person) -> QPoint:
    return person.panel("weights").plot_rect().center()


@of_either_length
def test_a_long_text_is_seen_whole_and_what_stands_out_is_seen_from_afar(reader):
    inputs, panel = reader.window.document.inputs, reader.panel("weights")
    assert not panel.is_coarse()
    assert panel.note().startswith("largest of ")
    assert f"{inputs.n_tokens} tokens" in reader.window.findChild(QLabel, "status/times").text()
    query, key = copied(inputs)
    cell, picture = panel.cell_rect(query, key), reader.picture(grid(reader))
    near = [
        picture.pixelColor(cell.left() + dx, cell.top() + dy).lightness()
        for dx in range(-2, 3)
        for dy in range(-2, 3)
    ]
    far = [picture.pixelColor(cell.left() + 18, cell.top() + dy).lightness() for dy in range(-2, 3)]
    assert min(near) < min(far) - 40


@of_either_length
def test_the_wheel_leads_from_the_whole_to_one_number_and_back(reader):
    inputs = reader.window.document.inputs
    query, key = copied(inputs)
    panel = reader.panel("weights")
    for _ in range(12):
        reader.wheel(grid(reader), panel.cell_rect(query, key).center(), 4)
        reader.settle()
    assert panel.shown_number(query, key) == f"{100 * weight(inputs, query, key):.1f}"
    assert panel.note() == ""
    reader.wheel(grid(reader), middle(reader), -60)
    reader.settle()
    assert reader.window.parts.stages.window_shown().is_whole(inputs.n_query, inputs.n_key)


def test_a_drag_pans_and_the_overview_says_where_one_is(reader):
    reader.wheel(grid(reader), middle(reader), 8)
    reader.settle()
    before = reader.window.parts.stages.window_shown()
    frame = reader.control("overview", Overview).frame_rect()
    start = middle(reader)
    reader.drag(grid(reader), start, start + QPoint(-20, -30), start + QPoint(-40, -60))
    reader.settle()
    now = reader.window.parts.stages.window_shown()
    assert now.y > before.y
    assert now.x > before.x
    assert reader.control("overview", Overview).frame_rect().center().y() > frame.center().y()
    overview = reader.control("overview", Overview)
    reader.click(overview, QPoint(overview.width() // 4, overview.height() // 2))
    reader.settle()
    shown, n = reader.window.parts.stages.window_shown(), reader.window.document.inputs.n_tokens
    assert shown.y + shown.rows / 2 == pytest.approx(n / 2, rel=0.03)


def test_ctrl_g_goes_to_a_query_and_a_key(reader):
    inputs = reader.window.document.inputs
    query, key = copied(inputs)
    reader.shortcut("Ctrl+G")
    reader.type(f"{query}, {key}")
    reader.key(Qt.Key.Key_Return)
    reader.settle()
    panel = reader.panel("weights")
    assert panel.plot_rect().contains(panel.cell_rect(query, key).center())
    assert panel.shown_number(query, key) == f"{100 * weight(inputs, query, key):.1f}"
    assert reader.selected_token() == inputs.tokens[query]
    assert reader.terms().splitlines()[0] == f"{inputs.tokens[query]} → {inputs.tokens[key]}"
    reader.type(f"{inputs.n_tokens}")  # the field still has the keyboard
    reader.control("go_to/place", GoToField).setText(str(inputs.n_tokens))
    reader.key(Qt.Key.Key_Return)
    assert f"no query {inputs.n_tokens}" in reader.refusal()
    reader.key(Qt.Key.Key_Escape)
    assert not reader.window.parts.go_to.isVisible()


def test_a_token_is_found_and_the_next_on_repeat(reader):
    inputs = reader.window.document.inputs
    places = [index for index, token in enumerate(inputs.tokens) if "w41" in token]
    reader.shortcut("Ctrl+G")
    reader.type("w41")
    for number in range(3):
        reader.key(Qt.Key.Key_Return)
        reader.settle()
        assert reader.window.document.selection.query == places[number]
        assert reader.window.findChild(QLabel, "go_to/count").text() == f"{number + 1} / {len(places)}"
    reader.key(Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    reader.settle()
    assert reader.window.document.selection.query == places[1]
    panel = reader.panel("scores")
    assert panel.plot_rect().contains(
        panel.cell_rect(places[1], reader.window.document.selection.key).center()
    )


def test_arrow_keys_move_the_cell_and_the_window_follows(reader):
    reader.shortcut("Ctrl+G")
    reader.type("1000, 900")
    reader.key(Qt.Key.Key_Return)
    reader.settle()
    reader.window.parts.stages.setFocus()
    for _ in range(12):
        reader.key(Qt.Key.Key_Down)
    reader.settle()
    assert reader.window.document.selection.query == 1012
    panel = reader.panel("scores")
    assert panel.plot_rect().adjusted(0, -1, 0, 1).contains(panel.cell_rect(1012, 900).center())
    reader.key(Qt.Key.Key_End)
    reader.settle()
    assert reader.window.document.selection.key == 1012
    reader.key(Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    reader.settle()
    last = reader.window.document.inputs.n_tokens - 1
    assert (reader.window.document.selection.query, reader.window.document.selection.key) == (last, last)
    assert panel.plot_rect().adjusted(-1, -1, 1, 1).contains(panel.cell_rect(last, last).center())


def test_the_exact_numbers_are_read_out_wherever_one_points(reader):
    inputs = reader.window.document.inputs
    at = middle(reader) + QPoint(-20, 10)
    reader.move(grid(reader), at)
    card = reader.window.parts.stages.hover_text().splitlines()
    query, key = (int(part.split()[0]) for part in card[0].split(" → "))
    head = inputs.heads[0]
    assert float(card[1].split()[-1].replace("−", "-")) == pytest.approx(
        float(head.q[query].astype(np.float64) @ head.k[key].astype(np.float64)), rel=1e-4, abs=1e-4
    )
    assert "The cell that is seen here" in card[-1]


def test_the_mean_is_chosen_in_the_menu_and_said(reader):
    reader.choose("view", "pooling", "pooling/mean")
    reader.settle()
    assert reader.panel("weights").note().startswith("mean of ")
    reader.choose("view", "pooling", "pooling/peak")
    reader.settle()
    assert reader.panel("weights").note().startswith("largest of ")


@of_either_length
def test_an_edit_is_seen_at_once_wherever_one_has_zoomed_and_is_undone(reader):
    inputs = reader.window.document.inputs
    query, key = copied(inputs)
    reader.shortcut("Ctrl+G")
    reader.type(f"{query}, {key}")
    reader.key(Qt.Key.Key_Return)
    reader.settle()
    panel = reader.panel("weights")
    before = panel.shown_number(query, key)
    bars = reader.control("q/0")
    top, centre = round(bars.bar_rect(15).top()), bars.bar_rect(15).center().toPoint()
    reader.drag(bars, centre, QPoint(centre.x(), top - 6), QPoint(centre.x(), top - 14))
    reader.settle()
    edited = reader.window.document.inputs
    assert edited is not inputs
    assert panel.shown_number(query, key) == f"{100 * weight(edited, query, key):.1f}" != before
    assert f"= {weight(edited, query, key):.3f}" in reader.terms()
    reader.shortcut("Ctrl+Z")
    reader.settle()
    assert panel.shown_number(query, key) == before


def test_painting_a_mask_of_too_many_cells_is_refused_and_nothing_changes(sit_down):
    person = sit_down(long_text(5_000), engine="cpu")
    before = person.window.document.inputs
    person.pick("mask_kind", "custom")
    assert "up to 4096 × 4096" in person.refusal()
    assert person.window.document.inputs is before


def test_the_part_in_view_is_copied_as_a_table_that_says_which_it_is(reader):
    from tests.journeys.window_hands import clipboard

    reader.click(grid(reader), middle(reader))
    reader.settle()
    reader.window.parts.stages.setFocus()
    reader.shortcut("Ctrl+C")
    reader.until(lambda: "one number for" in reader.message())
    lines = clipboard().splitlines()
    assert lines[0].split("\t")[1].startswith("0–")
    assert len(lines) - 1 == reader.window.stages.weights.shape[0]


# --- while it is being computed


@pytest.fixture
def patient(sit_down):
    """Someone before a text so long that its picture takes a while, and who does not wait for it."""
    person = sit_down(engine="cpu")
    person.window.document.replace(long_text(36_000))
    person.until(lambda: person.window.stages.request.inputs is person.window.document.inputs)
    return person


def is_being_refined(person) -> bool:
    """Whether a finer picture at the panels' pixels has come, and finer ones are on their way."""
    request, plot = person.window.stages.request, person.panel("weights").plot_rect()
    is_of_panels = request.region.max_cells is not None and request.region.max_cells[0] <= plot.height()
    return is_of_panels and request.detail == "full" and person.window.stages.is_partial


def test_a_coarse_picture_comes_first_marked_and_becomes_fine_in_its_place(patient):
    panel = patient.panel("weights")
    assert panel.is_coarse()
    patient.until(lambda: patient.window.findChild(QLabel, "status/work").isVisible())
    assert patient.window.findChild(QLabel, "status/work").text().startswith("refining")
    assert patient.window.findChild(QProgressBar, "status/progress").isVisible()
    plot = panel.plot_rect()
    patient.settle()
    assert not panel.is_coarse()
    assert panel.plot_rect() == plot
    assert not patient.window.findChild(QLabel, "status/work").isVisible()


def test_refining_can_be_cancelled_and_taken_up_again(patient):
    patient.until(lambda: is_being_refined(patient))
    patient.click("status/cancel")
    patient.until(lambda: not patient.window.runner.is_busy)
    assert patient.panel("weights").is_coarse()
    assert patient.message() == "Cancelled."
    assert not patient.window.live.is_up_to_date()
    patient.key(Qt.Key.Key_F5)
    patient.settle()
    assert not patient.panel("weights").is_coarse()


def test_edits_and_pans_do_not_wait_for_the_refinement(patient):
    window = patient.window
    patient.until(lambda: window.findChild(QLabel, "status/work").isVisible())
    patient.shortcut("Ctrl+M")
    inputs = window.document.inputs
    patient.until(lambda: window.stages.request.inputs is inputs)
    assert window.stages.is_coarse  # the answer to the edit came before all was computed
    patient.wheel(grid(patient), middle(patient), 45)
    patient.until(lambda: patient.panel("weights").note() == "")
    shown = window.parts.stages.window_shown()
    query, key = int(shown.y + shown.rows / 2), int(shown.x + shown.columns / 2)
    patient.until(lambda: patient.panel("scores").shown_number(query, key))
    patient.settle()


def test_closing_while_it_computes_leaves_no_thread(patient):
    patient.until(lambda: patient.window.findChild(QLabel, "status/work").isVisible())
    patient.window.abandon()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("attnviz")]


def test_the_preset_of_a_long_text_opens_on_what_it_copies(sit_down):
    person = sit_down(engine="cpu", size=(1024, 700))
    person.window.findChild(QAction, "action/preset/long").trigger()
    person.until(lambda: person.window.document.inputs.n_tokens == 32_768)
    person.settle()
    inputs, selection = person.window.document.inputs, person.window.document.selection
    assert weight(inputs, selection.query, selection.key) > 0.5
    assert inputs.tokens[selection.key] == inputs.tokens[selection.query + 1]


def test_the_part_in_view_is_exported_as_it_is_seen(sit_down, tmp_path):
    person = sit_down(long_text(5_000), engine="cpu")
    pictures = []
    for number in range(2):
        person.shortcut("Ctrl+E")
        person.pick("picture/panel", "window")
        person.press_button("picture/save")
        person.choose_file(tmp_path / f"{number}.png")
        person.until(lambda number=number: (tmp_path / f"{number}.png").exists())
        person.until(lambda: not person.window.runner.is_busy)
        pictures.append(QImage(str(tmp_path / f"{number}.png")))
        person.wheel(grid(person), middle(person), 12)
        person.settle()
    whole, near = pictures
    assert whole.size() == near.size()
    plot = person.panel("weights").plot_rect()
    place = grid(person).mapTo(person.window, plot.center())
    seen = [{picture.pixel(place.x() - dx, place.y() + 3) for dx in range(60)} for picture in pictures]
    assert seen[0] != seen[1]


@pytest.mark.long
def test_131072_tokens_open_are_walked_through_and_closed(sit_down):
    person = sit_down(engine="cpu")
    person.window.document.replace(long_text(131_072))
    person.until(lambda: person.window.stages.request.inputs is person.window.document.inputs)
    assert person.panel("weights").is_coarse()
    person.shortcut("Ctrl+G")
    person.type("100000, 99000")
    person.key(Qt.Key.Key_Return)
    person.settle()
    assert person.panel("scores").shown_number(100_000, 99_000)
    before = person.panel("weights").shown_number(100_000, 99_000)
    person.window.parts.stages.setFocus()
    person.key(Qt.Key.Key_Down)
    person.settle()
    assert person.window.document.selection.query == 100_001
    assert person.panel("weights").shown_number(100_000, 99_000) == before
    person.wheel(grid(person), middle(person), -60)
    person.until(lambda: person.panel("weights").note().startswith("largest of"))
    person.until(lambda: is_being_refined(person))
    person.picture()
