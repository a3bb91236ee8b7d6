"""Views of cross attention: columns are called by keys, rows by queries, and pictures are not square."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF, Qt

from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CausalMask, NoMask
from attnviz.core.projections import Projection
from attnviz.core.request import SUMMARIES, THUMBNAILS, Request
from attnviz.core.selection import Selection
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.gui.export_image import drawing_of, finished
from attnviz.gui.theme import LIGHT
from attnviz.gui.views.arithmetic_table import KEY, ArithmeticTable
from attnviz.gui.views.head_strip import PICTURE, HeadStrip
from attnviz.gui.views.hover_card import cell_lines, spoken
from attnviz.gui.views.shape_view import ShapeView
from attnviz.gui.views.stage_grid import StageGrid
from attnviz.gui.views.weight_bars import WeightBars

QUERIES = ("The", "cat", "ate")
KEYS = ("猫", "が", "魚", "を", "食べた")


@pytest.fixture
def cross() -> Inputs:
    """Three queries whose scores with five keys are 10 · query + key."""
    scores = np.add.outer(10 * np.arange(3), np.arange(5)).astype(np.float32)
    head = Head("h", scores, np.eye(5, dtype=np.float32), np.arange(10, dtype=np.float32).reshape(5, 2))
    of_keys = {"key_tokens": KEYS, "key_text": "猫が魚を食べた"}
    return Inputs("The cat ate", QUERIES, (head, head), mask=NoMask(), **of_keys)


@pytest.fixture
def grid(qtbot) -> StageGrid:
    grid = StageGrid()
    qtbot.addWidget(grid)
    grid.resize(760, 480)
    grid.show()
    return grid


def test_cells_labels_and_axes_are_of_queries_and_keys(grid, cross, stages_of):
    grid.draw(stages_of(cross, 1), Selection(0, 1, 4))
    panel = grid.panel("scores")
    assert [panel.shown_number(2, key) for key in range(5)] == [f"2{key}.00" for key in range(5)]
    plot = panel.plot_rect()
    assert plot.width() / 5 == panel.cell_rect(0, 0).width()
    assert plot.height() / 3 == panel.cell_rect(0, 0).height()
    assert panel.cell_rect(2, 4).bottomRight() == plot.bottomRight()
    for axis, names in (("query", QUERIES), ("key", KEYS)):
        assert all(panel.label_rect(axis, index).isValid() for index in range(len(names)))
    rows, columns = grid._board.panels["scores"].axes
    assert (tuple(rows.names), tuple(columns.names)) == (QUERIES, KEYS)
    assert grid.accessibleDescription().startswith("cat → 食べた")


def test_other_keys_alone_are_laid_out_anew(grid, cross, stages_of):
    grid.draw(stages_of(cross), Selection(0, 0, 4))
    before = grid.panel("scores").plot_rect()
    head = replace(cross.heads[0], q=cross.heads[0].q[:, :2], k=np.eye(2, dtype=np.float32),
                   v=np.ones((2, 2), np.float32))  # fmt: skip
    fewer = replace(cross, heads=(head, head), key_tokens=("a very long key token", "b"))
    grid.draw(stages_of(fewer), Selection(0, 0, 1))
    assert grid.window_shown().is_whole(3, 2)
    assert grid.panel("scores").plot_rect() != before
    renamed = replace(fewer, key_tokens=("x", "b"))
    grid.draw(stages_of(renamed), Selection(0, 0, 1))
    assert tuple(grid._board.panels["scores"].axes[1].names) == ("x", "b")


def test_a_mask_that_is_aligned_otherwise_is_hatched_otherwise(grid, cross, stages_of):
    for alignment, offset in (("first", 0), ("last", 2)):
        grid.draw(stages_of(replace(cross, mask=CausalMask(alignment=alignment))), Selection())
        panel = grid.panel("weights")
        cells = np.array([[panel.is_hatched(query, key) for key in range(5)] for query in range(3)])
        rows, columns = np.indices((3, 5))
        assert (cells == (columns > rows + offset)).all()


def test_hidden_cells_with_a_weight_are_marked_where_they_lie(grid, cross, stages_of):
    mask = CausalMask(alignment="last")
    head = replace(cross.heads[0], q=np.zeros((3, 5), np.float32))
    leaking = replace(cross, heads=(head, head), mask=mask, mask_fill=-1.0)
    grid.draw(stages_of(leaking), Selection())
    panel = grid.panel("weights")
    cells = np.array([[panel.is_leaking(query, key) for key in range(5)] for query in range(3)])
    rows, columns = np.indices((3, 5))
    assert (cells == (columns > rows + 2)).all()
    assert cells.any()


def test_the_readout_names_the_query_and_the_key(cross, stages_of):
    stages = stages_of(cross, 2)
    assert cell_lines(stages, 2, 4)[0] == "ate → 食べた"
    assert spoken(stages, 0, 3).startswith("The → を: QKᵀ 3")


def test_bars_and_arithmetic_have_a_row_for_each_key(qtbot, cross, stages_of):
    bars, table = WeightBars(), ArithmeticTable()
    for view in (bars, table):
        qtbot.addWidget(view)
        view.draw(stages_of(cross, 1), Selection(0, 1, 3))
    assert bars.heading() == "Attention from “cat”"
    assert bars.bars.accessibleDescription().startswith("を ")
    assert [table.shown_text(key, KEY) for key in range(5)] == list(KEYS)
    assert table.terms.text().startswith("cat → を")


@pytest.mark.parametrize(("shape", "wide", "high"), [((3, 5), 48, 29), ((40, 4), 6, 48), ((4, 4), 48, 48)])
def test_a_small_picture_is_as_wide_and_high_as_keys_and_queries_want_it(qtbot, shape, wide, high):
    n_query, n_key = shape
    rng = np.random.default_rng(0)
    head = Head("h", rng.normal(size=(n_query, 2)), rng.normal(size=(n_key, 2)), rng.normal(size=(n_key, 2)))
    tokens, keys = (tuple(map(str, range(n))) for n in shape)
    inputs = Inputs("", tokens, (head,), mask=NoMask(), key_tokens=keys)
    engine = NumpyEngine(n_threads=1)
    stages = engine.compute(Request.whole(inputs, 0, 0, frozenset({THUMBNAILS, SUMMARIES})))
    engine.close()
    assert stages is not None
    strip = HeadStrip()
    qtbot.addWidget(strip)
    strip.draw(stages, Selection())
    rect = strip.picture_rect(0)
    assert (rect.width(), rect.height()) == (wide, high)
    assert strip.head_rect(0).contains(rect)
    middle = rect.center() - QPoint(strip.head_rect(0).left() + 8 + PICTURE // 2, 4 + PICTURE // 2)
    assert middle.manhattanLength() <= 2


def test_a_picture_of_any_size_is_exported(cross, stages_of):
    for panel in ("stages", "weights"):
        image = finished(drawing_of(stages_of(cross), Selection(), panel=panel, size=(400, 300), theme=LIGHT))
        assert (image.width(), image.height()) == (400, 300)


def two_x(cross: Inputs) -> Inputs:
    """Let queries be derived from an x of 2 dimensions, keys from one of 6."""
    x, x_keys = np.ones((3, 2), np.float32), np.ones((5, 6), np.float32)
    maps = Projection(np.ones((2, 4)), np.ones((6, 4)), np.ones((6, 3)), b_k=np.ones(4))
    vectors = (maps.derived("q", x), maps.derived("k", x_keys), maps.derived("v", x_keys))
    head = Head("h", *vectors, source="projection", projection=maps)
    return replace(cross, heads=(head,), x=x, x_keys=x_keys)


def test_the_chain_begins_with_two_x_and_no_text_meets_another(qtbot, cross, stages_of):
    view = ShapeView()
    qtbot.addWidget(view)
    view.resize(1368, 300)
    inputs = two_x(cross)
    view.draw(stages_of(inputs), Selection())
    words = view.chain.words()
    axes = ("n_query × d_model", "n_key × d_model_k", "n_query × n_key")
    for said in ("x", "3 × 2", "x_K", "5 × 6", "3 × 5", *axes, "· W_K + b_K"):
        assert said in words
    assert view.chain.shown_arrays()[:5] == ["x", "x_keys", "w_q", "w_k", "w_v"]
    texts = view.chain.layout_drawn()
    labels = view.chain._labels
    places = []
    for word in texts.words:
        width = labels[word.look].width(word.text)
        left = word.x - width / 2 if word.is_centred else word.x
        places.append(QRectF(left, word.y - 5, width, 10))
    assert not any(one.intersects(other) for one, other in combinations(places, 2))
    assert all(place.left() >= 0 and place.right() <= view.chain.width() for place in places)
    assert view.counts.shown_text("x_K", 1) == "5 × 6"
    assert view.counts.shown_text("k", 3) == "x_K · W_K + b_K"
    view.chain.setFocus(Qt.FocusReason.OtherFocusReason)
