"""The tab of shapes: what it says of a document, that its texts never meet, and how it is reached."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtTest import QTest

from attnviz.core.inputs import Head, Inputs
from attnviz.core.projections import Projection
from attnviz.core.request import Request
from attnviz.core.selection import Selection
from attnviz.core.stages import Stages
from attnviz.core.synthetic_layer import synthetic_layer
from attnviz.gui.theme import DARK, LIGHT
from attnviz.gui.views.chain_layout import Word
from attnviz.gui.views.shape_view import ShapeView

NUMBERS_HEAD, NUMBERS_ALL, COST_HEAD, COST_ALL, BYTES_HEAD, BYTES_ALL = range(4, 10)


@pytest.fixture
def view(qtbot):
    view = ShapeView()
    qtbot.addWidget(view)
    view.resize(1368, 300)  # with Qt's own scroll bars, which are wider than the window's
    view.show()
    return view


@pytest.fixture(scope="module")
def andrea() -> Inputs:
    tokens = [str(index % 50) for index in range(1024)]
    return synthetic_layer(tokens, [f"h{index}" for index in range(12)], d_model=768, d_k=64, seed=1)


def unequal() -> Inputs:
    """Heads of different sizes and sources, biases, and a W_O."""
    x = np.ones((5, 6), np.float32)
    w = [np.ones((6, width)) for width in (2, 2, 3)]
    maps = Projection(*w, b_v=np.ones(3))
    derived = Head("d", *(maps.derived(each, x) for each in "qkv"), source="projection", projection=maps)
    plain = Head("p", np.ones((5, 40)), np.ones((5, 40)), np.ones((5, 1)))
    return Inputs("", tuple("abcde"), (derived, plain), x=x, w_o=np.ones((4, 6)), b_o=np.ones(6))


def shown(view: ShapeView, inputs: Inputs, stages_of, head: int = 0) -> ShapeView:
    few = inputs.n_tokens <= 64
    if few:
        view.draw(stages_of(inputs, 0, head), Selection(head, 0, 0))
        return view
    small = stages_of(Inputs("", ("a",), (Head("a", [[1.0]], [[1.0]], [[1.0]]),)))
    view.draw(replace_request(small, Request.whole(inputs, head)), Selection(head, 0, 0))
    return view


def replace_request(stages: Stages, request: Request) -> Stages:
    """Give stages that answer another request; the view reads nothing but its inputs and head."""
    return replace(stages, request=request)


def test_the_published_layer_is_said_with_its_numbers(view, andrea, stages_of):
    shown(view, andrea, stages_of)
    assert view.chain.shown_text().startswith("1,048,576 scores per head  ·  12,582,912 in all 12 heads")
    assert view.counts.shown_text("scores", NUMBERS_HEAD) == "1,048,576"
    assert view.counts.shown_text("scores", COST_ALL) == "805,306,368"
    assert view.counts.shown_text("weights", BYTES_HEAD) == "4,194,304"
    assert view.counts.shown_text("sum", COST_ALL) == "4,026,531,840"
    assert view.counts.shown_text("parameters", NUMBERS_ALL) == "2,359,296"
    words = view.chain.words()
    for said in ("1,024 × 768", "768 × 64", "÷ √64", "÷ 8", "12 heads", "· W_O", "768 × 768", "n × d_k"):
        assert said in words


def test_a_document_of_vectors_starts_at_q_and_says_that_w_o_is_the_identity(view, neko, stages_of):
    shown(view, neko, stages_of)
    assert view.chain.shown_arrays()[0] == "q"
    assert "the identity" in view.chain.words()
    assert view.counts.shown_text("output", 3) == "concat, as W_O is the identity"
    assert "W_Q" not in view.chain.accessibleDescription()


@pytest.mark.parametrize("head", [0, 1])
def test_heads_of_different_sizes_are_told_apart(view, stages_of, head):
    shown(view, unequal(), stages_of, head)
    q = "2" if head == 0 else "40"
    assert f"5 × {q}" in view.chain.words()
    assert view.counts.shown_text("q", 1) == f"5 × {q}"
    assert view.counts.shown_text("q", NUMBERS_ALL) == str(5 * 42)
    assert view.counts.shown_text("W_Q", 1) == ("6 × 2" if head == 0 else "—")
    parts = view.chain.layout_drawn().concat_parts
    assert parts[0].width() == pytest.approx(3 * parts[1].width())
    assert ("x" in view.chain.shown_arrays()) == (head == 0)


def extent(view: ShapeView, word: Word) -> QRectF:
    """Give where a word's signs are, in px."""
    width = view.chain._labels[word.look].width(word.text)
    left = word.x - width / 2 if word.is_centred else word.x
    return QRectF(left, word.y - 5, width, 10)


@pytest.mark.parametrize("which", ["andrea", "neko", "unequal 0", "unequal 1", "strong"])
def test_no_text_meets_another_a_box_or_a_line(view, andrea, neko, stages_of, which):
    inputs = {"andrea": andrea, "neko": neko, "strong": replace(neko, scale_strength=12.25)}.get(
        which, unequal()
    )
    shown(view, inputs, stages_of, int(which[-1]) if which[-1].isdigit() else 0)
    layout = view.chain.layout_drawn()
    places = [(word.text, extent(view, word)) for word in layout.words]
    for index, (text, place) in enumerate(places):
        assert QRectF(view.chain.rect()).contains(place), text
        for other, its in places[index + 1 :]:
            assert not place.intersects(its), (text, other)
        for box in (each.box for each in layout.places if each.box is not None):
            assert not place.intersects(box), text
        for line in (*layout.lines, *layout.arrows):
            for start, end in pairwise(line):
                stroke = QRectF(start, end).normalized().adjusted(-0.5, -0.5, 0.5, 0.5)
                assert not place.intersects(stroke), text


def test_a_longer_side_is_a_longer_side(view, andrea, stages_of):
    shown(view, andrea, stages_of)
    boxes = {place.name: place.box for place in view.chain.layout_drawn().places}
    assert boxes["scores"].width() == boxes["scores"].height() == boxes["q"].height()
    assert boxes["q"].width() < boxes["x"].width() < boxes["scores"].width()
    assert boxes["head_output"].width() == boxes["q"].width()


def test_pointing_at_an_array_names_it_with_shape_formula_and_bytes(view, andrea, stages_of):
    shown(view, andrea, stages_of)
    QTest.mouseMove(view.chain, view.chain.area("q").center().toPoint())
    assert view.chain.shown_text() == (
        "q: 1,024 × 64 (n_tokens × d_k)  ·  x · W_Q  ·  65,536 numbers  ·  50,331,648 multiply-adds"
        "  ·  262,144 bytes"
    )
    QTest.mouseMove(view.chain, view.chain.area("w_o").center().toPoint())
    assert view.chain.shown_text().startswith("W_O: 768 × 768 (Σ d_v × d_model)")
    QTest.mouseMove(view.chain, (view.chain.area("w_o").topLeft() + QPointF(2, 4)).toPoint())
    assert view.chain.shown_text().startswith("W_O: ")  # a map lies above the words of its neighbours
    QTest.mouseMove(view.chain, QPoint(view.chain.width() - 2, 2))
    assert view.chain.shown_text().startswith("1,048,576 scores per head")


def test_arrow_keys_go_along_the_chain_and_are_heard(view, neko, stages_of):
    shown(view, neko, stages_of)
    view.chain.setFocus()
    heard = []
    for _ in range(len(view.chain.shown_arrays()) + 1):
        QTest.keyClick(view.chain, Qt.Key.Key_Right)
        heard.append(view.chain.shown_text().partition(":")[0])
        assert view.chain.accessibleDescription().startswith(view.chain.shown_text())
    assert heard[:5] == ["q", "k", "v", "scores", "scaled"]
    assert heard[-3:] == ["concat", "output", "output"]
    QTest.keyClick(view.chain, Qt.Key.Key_Home)
    assert view.chain.shown_text().startswith("q: 10 × 4")
    view.chain.clearFocus()
    assert view.chain.shown_text().startswith("100 scores per head")


def test_the_whole_chain_is_described_to_assistive_tools(view, andrea, stages_of):
    shown(view, andrea, stages_of)
    lines = view.chain.accessibleDescription().split("\n")
    names = ["x", "W_Q", "W_K", "W_V", "q", "k", "v", "scores", "scaled", "masked", "weights"]
    assert [line.partition(":")[0] for line in lines[1:12]] == names
    assert "64 → 7.8, 256 → 16.2, 4,096 → 63.7" in view.spread.accessibleDescription()


def test_the_plot_marks_the_document_and_softmax_needs_the_division(view, andrea, stages_of):
    shown(view, andrea, stages_of, head=2)
    assert view.spread.shown_text().startswith("d_k = 64, √d_k = 8; scores of head “h2” spread by 8.")
    undivided, divided = (float(text.rstrip("%")) for text in view.spread.shown_largest())
    assert undivided > 95 > 60 > divided
    assert view.spread.point(64, 8).y() == pytest.approx(view.spread.point(1, 8).y())
    middle = (view.spread.point(1, 1) + view.spread.point(4096, 64)) / 2
    assert view.spread.point(64, 8) == middle  # the curve √d_k is a straight line between doublings


def test_the_spread_follows_q_and_not_what_else_changes(view, neko, stages_of):
    shown(view, neko, stages_of)
    before = view.spread.shown_text()
    shown(view, replace(neko, scale_strength=3.0), stages_of)
    assert view.spread.shown_text() == before
    assert "÷ (√4 × 3)" in view.chain.words()
    head = neko.heads[0]
    shown(view, neko.with_head(0, replace(head, q=head.q * 2)), stages_of)
    assert view.spread.shown_text() != before


def test_equal_scores_have_a_spread_of_0_and_a_place_in_the_plot(view, inputs_of, stages_of):
    shown(view, inputs_of(np.zeros((3, 3))), stages_of)
    assert view.spread.shown_text().endswith("spread by 0")
    assert view.spread.rect().contains(view.spread.point(3, 0).toPoint())


def test_parts_stand_beside_each_other_or_below_and_all_can_be_scrolled_to(view, andrea, stages_of):
    shown(view, andrea, stages_of)
    assert view.spread.x() >= view.chain.width()
    view.resize(1032, 120)
    assert view.spread.y() >= view.chain.height()
    assert view.horizontalScrollBar().maximum() == 0
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    bottom = view.counts.mapTo(view.viewport(), view.counts.rect().bottomLeft())
    assert view.viewport().rect().contains(bottom)


def test_only_the_selected_head_s_columns_have_the_accent(view, andrea, stages_of, drawn):
    for theme in (LIGHT, DARK):
        view.set_theme(theme)
        shown(view, andrea, stages_of, head=3)
        image = drawn(view.chain)
        own = view.chain.layout_drawn().concat_parts[3]
        for x in range(image.width()):
            y = round(own.center().y())
            if image.pixelColor(x, y).hsvSaturation() > 90:
                assert own.left() - 1.5 <= x <= own.right() + 1.5
        assert image.pixelColor(int(own.center().x()), int(own.center().y())).hsvSaturation() > 90
