"""The brush over the mask panel, and the signs of leaking cells."""

import itertools

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from attnviz.core.edits import set_mask, set_mask_fill
from attnviz.core.masks import CausalMask, CustomMask, NoMask
from attnviz.core.selection import Selection
from attnviz.gui.views.leaks import leaking_cells
from attnviz.gui.views.stage_grid import StageGrid
from attnviz.gui.views.stage_picture import AllowedCells

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def grid(qtbot, neko, stages_of):
    """A grid ready to be painted on, and the list of what it tells."""
    grid = StageGrid()
    qtbot.addWidget(grid)
    grid.resize(760, 480)
    grid.show()
    qtbot.waitExposed(grid)
    grid.draw(stages_of(neko, 6), Selection(0, 6, 2))
    grid.set_painting(True)
    grid.told = []
    grid.mask_painted.connect(lambda *what: grid.told.append(what))
    return grid


def stroke(grid, *places, stage="masked"):
    panel = grid.panel(stage)
    places = [place if isinstance(place, QPoint) else panel.cell_rect(*place).center() for place in places]
    QTest.mousePress(grid.viewport(), LEFT, pos=places[0])
    for place in places[1:]:
        QTest.mouseMove(grid.viewport(), place)
    QTest.mouseRelease(grid.viewport(), LEFT, pos=places[-1])


def cells(told):
    return [(queries[0], keys[0]) for rectangles, _, _ in told for queries, keys in rectangles]


def test_a_stroke_passes_every_cell_on_its_way(grid):
    stroke(grid, (1, 0), (4, 6), (4, 7))
    found = cells(grid.told)
    assert found[0] == (1, 0)
    assert found[-1] == (4, 7)
    for (query, key), (next_query, next_key) in itertools.pairwise(found):
        assert max(abs(next_query - query), abs(next_key - key)) == 1
    assert [is_first for _, _, is_first in grid.told] == [True, False, False]


@pytest.mark.parametrize(("begin", "allowed"), [((6, 2), False), ((2, 6), True)])
def test_a_stroke_does_all_along_what_it_does_where_it_begins(grid, begin, allowed):
    stroke(grid, begin, (5, 5), (9, 9))
    assert {told[1] for told in grid.told} == {allowed}


def test_a_stroke_that_leaves_the_matrix_goes_along_its_edge(grid):
    rect = grid.panel("masked").plot_rect()
    stroke(grid, (4, 4), QPoint(rect.right() + 60, rect.center().y()), QPoint(-20, rect.bottom() + 200))
    found = cells(grid.told)
    assert all(0 <= query < 10 and 0 <= key < 10 for query, key in found)
    assert found[-1] == (9, 0)


def test_only_the_mask_panel_is_painted_and_only_while_painting_is_on(grid, qtbot):
    for stage in ("scores", "scaled", "weights"):
        with qtbot.waitSignal(grid.cell_chosen):
            stroke(grid, (3, 1), stage=stage)
    grid.set_painting(False)
    with qtbot.waitSignal(grid.cell_chosen):
        stroke(grid, (3, 1))
    assert grid.told == []


def test_a_double_click_paints_twice_and_enlarges_nothing(grid):
    place = grid.panel("masked").cell_rect(3, 1).center()
    QTest.mouseClick(grid.viewport(), LEFT, pos=place)
    QTest.mouseDClick(grid.viewport(), LEFT, pos=place)
    assert len(grid.told) >= 2
    assert grid.panel_alone() is None


def test_the_pointer_says_where_a_stroke_may_begin(grid):
    QTest.mouseMove(grid.viewport(), grid.panel("masked").cell_rect(3, 1).center())
    assert grid.viewport().cursor().shape() == Qt.CursorShape.CrossCursor
    QTest.mouseMove(grid.viewport(), grid.panel("weights").cell_rect(3, 1).center())
    assert grid.viewport().cursor().shape() == Qt.CursorShape.ArrowCursor


def test_in_a_small_matrix_of_many_tokens_the_brush_is_wide_enough_to_see(grid, inputs_of, stages_of):
    grid.draw(stages_of(inputs_of(np.zeros((300, 300))), 0), Selection())
    stroke(grid, (150, 150))
    (((queries, keys),), _, _) = grid.told[0]
    width = grid.panel("masked").plot_rect().width() / 300
    assert width < 2
    assert 3 <= (keys[1] - keys[0]) * width < 6
    assert queries[0] <= 150 < queries[1]
    assert keys[0] <= 150 < keys[1]


def test_space_tells_of_the_selected_cell(grid, qtbot):
    grid.setFocus()
    with qtbot.waitSignal(grid.mask_toggled) as told:
        QTest.keyClick(grid, Qt.Key.Key_Space)
    assert told.args == [6, 2]
    grid.set_painting(False)
    with qtbot.assertNotEmitted(grid.mask_toggled):
        QTest.keyClick(grid, Qt.Key.Key_Space)


@pytest.mark.parametrize("fill", [-np.inf, -1e9, -1e4, -200.0, -80.0, -2.0, 0.0, 3.0])
@pytest.mark.parametrize("mask", [CausalMask(), NoMask(), CustomMask(np.eye(10, k=1, dtype=bool))])
def test_cells_leak_where_they_are_hidden_and_have_weight(neko, stages_of, mask, fill):
    stages = stages_of(set_mask_fill(set_mask(neko, mask), fill), 0)
    allowed = mask.allowed((0, 10), (0, 10))
    wanted = (stages.weights.array() > 0) & ~allowed
    leaks = leaking_cells(stages, AllowedCells(allowed))
    assert (leaks is None) == (not wanted.any())
    assert leaks is None or (leaks == wanted).all()


def test_the_sign_goes_when_nothing_leaks_any_more(grid, neko, stages_of):
    panel = grid.panel("weights")
    title = panel.title()
    grid.draw(stages_of(set_mask_fill(neko, -2.0), 6), Selection(0, 6, 2))
    assert panel.is_leaking(0, 5)
    assert not panel.is_leaking(5, 0)
    assert panel.title() == f"{title}  hidden, yet with weight"
    grid.draw(stages_of(neko, 6), Selection(0, 6, 2))
    assert not panel.is_leaking(0, 5)
    assert panel.title() == title
