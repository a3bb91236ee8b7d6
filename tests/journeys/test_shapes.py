"""A person reads the shapes and counts of a layer off the tab, and sees them follow what they edit."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from attnviz.gui.views.chain_diagram import ChainDiagram
from attnviz.gui.views.shape_counts import ShapeCounts
from attnviz.gui.views.spread_plot import SpreadPlot

NUMBERS_HEAD, NUMBERS_ALL, COST_HEAD, COST_ALL, BYTES_HEAD, BYTES_ALL = range(4, 10)


def chain(person) -> ChainDiagram:
    return person.control("shapes/chain", ChainDiagram)


def counts(person) -> ShapeCounts:
    return person.control("shapes/counts", ShapeCounts)


def plot(person) -> SpreadPlot:
    return person.control("shapes/spread", SpreadPlot)


def is_in_sight(part: QWidget) -> bool:
    return not part.visibleRegion().isEmpty()


def test_the_published_layer_says_its_shapes_and_its_million_scores(person):
    person.choose("presets", "preset/andrea")
    person.settle()
    person.open_tab("shapes")
    assert chain(person).shown_text().startswith("1,048,576 scores per head  ·  12,582,912 in all 12 heads")
    assert is_in_sight(chain(person))
    assert is_in_sight(plot(person))  # beside the chain, without scrolling
    for said in ("1,024 × 768", "768 × 64", "1,024 × 64", "1,024 × 1,024", "÷ √64", "12 heads", "768 × 768"):
        assert said in chain(person).words()
    assert counts(person).shown_text("scores", BYTES_HEAD) == "4,194,304"
    assert counts(person).shown_text("sum", COST_ALL) == "4,026,531,840"
    assert counts(person).shown_text("parameters", NUMBERS_ALL) == "2,359,296"
    assert plot(person).shown_text().startswith("d_k = 64, √d_k = 8;")


def test_pointing_at_an_array_says_all_of_it(person):
    person.choose("presets", "preset/andrea")
    person.settle()
    person.open_tab("shapes")
    person.move(chain(person), chain(person).area("weights").center().toPoint())
    person.until(
        lambda: chain(person).shown_text().startswith("weights: 1,024 × 1,024 (n_tokens × n_tokens)")
    )
    assert chain(person).shown_text().endswith("1,048,576 numbers  ·  4,194,304 bytes")


def test_numbers_follow_d_k_of_one_head_and_undo(person):
    person.open_tab("shapes")
    assert "10 × 4" in chain(person).words()
    assert counts(person).shown_text("scores", COST_ALL) == "800"
    person.open_tab("vectors")
    person.enter_number("d_k", "9")
    person.open_tab("shapes")
    assert "10 × 9" in chain(person).words()
    assert "÷ √9" in chain(person).words()
    assert counts(person).shown_text("scores", COST_HEAD) == "900"
    assert counts(person).shown_text("scores", COST_ALL) == "1,300"  # the other head keeps its 4
    assert counts(person).shown_text("q", NUMBERS_ALL) == "130"
    assert plot(person).shown_text().startswith("d_k = 9, √d_k = 3;")
    person.shortcut("Ctrl+2")
    person.settle()
    assert counts(person).shown_text("q", NUMBERS_HEAD) == "40"
    person.shortcut("Ctrl+Z")
    person.settle()
    assert counts(person).shown_text("scores", COST_ALL) == "800"


def test_the_spread_follows_a_slider_while_the_tab_is_in_front(person):
    person.open_tab("shapes")
    before = plot(person).shown_text()
    person.enter_number("q/0/0/number", "3")
    assert plot(person).shown_text() != before


def test_the_tab_is_read_by_keyboard_alone(person):
    person.window.parts.tabs.tabBar().setFocus()
    while person.tab() != "shapes":
        person.key(Qt.Key.Key_Right)
    reached = []
    for _ in range(4):
        person.key(Qt.Key.Key_Tab)
        reached.append(person.focus().objectName())
    assert {"shapes/chain", "shapes/spread", "shapes/counts"} <= set(reached)
    chain(person).setFocus()
    person.key(Qt.Key.Key_End)
    assert chain(person).shown_text().startswith("output: 10 × 8")
    counts(person).setFocus()
    for _ in range(counts(person).counts.rowCount()):
        person.key(Qt.Key.Key_Down)
    assert person.window.parts.shapes.verticalScrollBar().value() > 0


def test_in_a_small_window_all_of_it_is_below(sit_down):
    person = sit_down(size=(1024, 700))
    person.choose("presets", "preset/andrea")
    person.settle()
    person.open_tab("shapes")
    shapes = person.window.parts.shapes
    assert shapes.horizontalScrollBar().maximum() == 0
    shapes.verticalScrollBar().setValue(shapes.verticalScrollBar().maximum())
    assert is_in_sight(counts(person).viewport())


def test_it_speaks_japanese_and_changes_with_the_language(sit_down):
    person = sit_down(speaks="ja")
    person.open_tab("shapes")
    assert "連結" in chain(person).words()
    assert counts(person).shown_text("連結", NUMBERS_ALL) == "80"
    person.choose("view", "language", "language/en")
    person.settle()
    assert "concat" in chain(person).words()
    assert counts(person).shown_text("concat", NUMBERS_ALL) == "80"
