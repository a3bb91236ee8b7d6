import itertools

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget

from attnviz.core.edits import set_mask, set_mask_fill, set_scale_strength, set_vector_value
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CustomMask, NoMask
from attnviz.core.selection import Selection
from attnviz.core.stages import STAGE_NAMES
from attnviz.gui.colormaps import HIGHEST, contrast, weights_lut
from attnviz.gui.theme import DARK, LIGHT
from attnviz.gui.views.panel_handle import PanelHandle
from attnviz.gui.views.stage_grid import StageGrid
from tests.gui.views.hands import point_at

LONE = [[0.0, 0.0, 50.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]


@pytest.fixture
def grid(qtbot):
    grid = StageGrid()
    qtbot.addWidget(grid)
    grid.resize(760, 480)
    grid.show()
    qtbot.waitExposed(grid)
    return grid


@pytest.fixture
def neko_grid(grid, neko, stages_of):
    grid.draw(stages_of(neko, 6), Selection(0, 6, 2))
    return grid


def wheel(grid: StageGrid, at: QPoint, steps: int) -> None:
    event = QWheelEvent(
        QPointF(at),
        QPointF(grid.viewport().mapToGlobal(at)),
        QPoint(),
        QPoint(0, 120 * steps),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QCoreApplication.sendEvent(grid.viewport(), event)


def test_a_lone_weight_at_query_0_and_key_2_is_in_the_top_row_and_third_column(grid, inputs_of, stages_of):
    grid.draw(stages_of(inputs_of(LONE, mask=NoMask()), 1), Selection(0, 1, 0))
    panel = grid.panel("weights")
    deepest = tuple(weights_lut(LIGHT)[HIGHEST].tolist())
    found = [(q, k) for q in range(3) for k in range(3) if panel.colour_at(q, k).getRgb()[:3] == deepest]
    assert found == [(0, 2)]
    rects = {(q, k): panel.cell_rect(q, k) for q in range(3) for k in range(3)}
    assert rects[0, 2].top() == min(rect.top() for rect in rects.values())
    assert rects[0, 2].left() == max(rect.left() for rect in rects.values())
    assert rects[0, 0].left() < rects[0, 1].left() < rects[0, 2].left()


def test_panels_are_found_by_name_and_say_their_titles(neko_grid):
    titles = {stage: neko_grid.findChild(QWidget, f"stage/{stage}").title() for stage in STAGE_NAMES}
    assert titles == {
        "scores": "QKᵀ",
        "scaled": "÷√dₖ  √4 = 2",
        "masked": "mask  hidden: −∞",
        "weights": "softmax  % of each row",
    }
    assert all(isinstance(neko_grid.findChild(QWidget, f"stage/{s}"), PanelHandle) for s in STAGE_NAMES)


def test_the_title_says_the_scale_strength_where_it_is_not_1(grid, neko, stages_of):
    grid.draw(stages_of(set_scale_strength(neko, 1.5), 6), Selection(0, 6, 2))
    assert grid.panel("scaled").title() == "÷(√dₖ × strength)  √4 × 1.5 = 3"


@pytest.mark.parametrize(
    ("strength", "remark"),
    [(0.011, "√4 × 0.011 = 0.022"), (1.234, "√4 × 1.234 = 2.47"), (100, "√4 × 100 = 200")],
)
def test_the_scale_strength_is_never_rounded_to_another(grid, neko, stages_of, strength, remark):
    grid.draw(stages_of(set_scale_strength(neko, strength), 6), Selection(0, 6, 2))
    assert grid.panel("scaled").title().endswith(remark)


@pytest.mark.parametrize(
    ("fill", "shown"),
    [(-1e9, "−1e9"), (-5, "−5"), (-0.001, "−0.001"), (0.125, "0.125"), (-1234567, "−1.234567e6")],
)
def test_the_mask_value_is_said_with_the_digits_it_has(grid, neko, stages_of, fill, shown):
    grid.draw(stages_of(set_mask_fill(neko, fill), 6), Selection(0, 6, 2))
    assert grid.panel("masked").title() == f"mask  hidden: {shown}"


def test_a_mask_that_hides_nothing_has_no_value_to_say(grid, neko, stages_of):
    grid.draw(stages_of(set_mask(neko, NoMask()), 6), Selection(0, 6, 2))
    assert grid.panel("masked").title() == "mask"


def test_the_published_numbers_stand_in_the_cells(neko_grid):
    row = {stage: [neko_grid.panel(stage).shown_number(6, key) for key in range(10)] for stage in STAGE_NAMES}
    assert row["scores"][:7] == ["3.00", "−2.00", "5.50", "−2.00", "0.75", "−1.00", "−0.25"]
    assert row["scaled"][:7] == ["1.50", "−1.00", "2.75", "−1.00", "0.38", "−0.50", "−0.13"]
    assert row["masked"] == [*row["scaled"][:7], "", "", ""]
    assert row["weights"] == ["18.8", "1.5", "65.7", "1.5", "6.1", "2.5", "3.7", "", "", ""]


def test_cells_are_struck_out_only_where_hidden_and_only_in_mask_and_softmax(neko_grid):
    for stage in STAGE_NAMES:
        struck = {(q, k) for q in range(10) for k in range(10) if neko_grid.panel(stage).is_hatched(q, k)}
        hidden = {(q, k) for q in range(10) for k in range(10) if k > q}
        assert struck == (hidden if stage in ("masked", "weights") else set())


def test_strokes_are_drawn_in_hidden_cells_and_nowhere_else(grid, inputs_of, stages_of, drawn):
    grid.resize(1200, 900)  # so that no number touches the edge of its cell
    grid.draw(stages_of(inputs_of(np.zeros((6, 6))), 0), Selection(0, 0, 0))
    image = drawn(grid.viewport())

    def has_strokes(stage: str, query: int, key: int) -> bool:
        rect = grid.panel(stage).cell_rect(query, key)
        strip = [image.pixelColor(x, rect.top() + 5) for x in range(rect.left() + 3, rect.right() - 2)]
        return min(colour.lightness() for colour in strip) < LIGHT.ground.lightness() - 15

    for stage in ("scores", "scaled", "masked"):  # all of them 0: the ground itself
        for query, key in ((2, 4), (3, 5), (5, 1), (4, 4)):
            assert has_strokes(stage, query, key) is (stage == "masked" and key > query)


def test_every_number_has_enough_contrast_on_its_cell(neko_grid, theme):
    neko_grid.set_theme(theme)
    for stage in STAGE_NAMES:
        cells = neko_grid._board.panels[stage].cells
        for query in range(10):
            for key in range(query + 1):
                ground = neko_grid.panel(stage).colour_at(query, key).getRgb()[:3]
                ink = cells.number_colour(query, key).getRgb()[:3]
                if (query, key) != (6, 2):  # its corner is the outline
                    assert contrast(ink, ground) >= 4.5


def test_hover_reads_out_both_tokens_and_all_four_stages(neko_grid):
    point_at(neko_grid, neko_grid.panel("scores").cell_rect(6, 2).center())
    lines = neko_grid.hover_text().splitlines()
    assert lines[0] == "それ → 魚"
    assert lines[1:4] == ["QKᵀ 5.5", "÷√dₖ 2.75", "mask 2.75"]
    assert lines[4].startswith("softmax 0.65")
    assert lines[4].endswith("65.7%")


def test_hover_says_that_a_cell_is_hidden(neko_grid):
    point_at(neko_grid, neko_grid.panel("weights").cell_rect(6, 9).center())
    assert "mask masked (hidden)" in neko_grid.hover_text()
    assert "softmax masked (hidden)" in neko_grid.hover_text()


def test_outside_the_matrix_nothing_is_read_out(neko_grid):
    panel = neko_grid.panel("scores")
    point_at(neko_grid, panel.cell_rect(0, 0).center())
    assert neko_grid.hover_text()
    point_at(neko_grid, panel.label_rect("query", 4).center())
    assert neko_grid.hover_text() == ""
    point_at(neko_grid, panel.cell_rect(0, 0).center())
    QCoreApplication.sendEvent(neko_grid.viewport(), QEvent(QEvent.Type.Leave))
    assert neko_grid.hover_text() == ""


def test_a_weight_that_leaks_to_a_hidden_cell_is_marked_and_said(grid, inputs_of, stages_of, drawn):
    inputs = inputs_of(np.zeros((3, 3)), mask_fill=-1.0)
    grid.draw(stages_of(inputs, 2), Selection(0, 2, 0))
    panel = grid.panel("weights")
    assert panel.is_hatched(0, 2)
    assert panel.shown_number(0, 2) == ""
    corner = panel.cell_rect(0, 2).topRight() + QPoint(-3, 2)
    assert drawn(grid.viewport()).pixelColor(corner).lightness() < 90
    point_at(grid, panel.cell_rect(0, 2).center())
    assert "yet it gets weight" in grid.hover_text()
    assert "softmax 0." in grid.hover_text()


@pytest.mark.parametrize("stage", STAGE_NAMES)
def test_a_click_on_a_cell_chooses_it_in_any_panel(neko_grid, qtbot, stage):
    with qtbot.waitSignal(neko_grid.cell_chosen) as chosen:
        position = neko_grid.panel(stage).cell_rect(4, 1).center()
        QTest.mouseClick(neko_grid.viewport(), Qt.MouseButton.LeftButton, pos=position)
    assert chosen.args == [4, 1]


def test_a_click_on_a_row_label_chooses_the_query(neko_grid, qtbot):
    with qtbot.waitSignal(neko_grid.query_chosen) as chosen:
        position = neko_grid.panel("masked").label_rect("query", 8).center()
        QTest.mouseClick(neko_grid.viewport(), Qt.MouseButton.LeftButton, pos=position)
    assert chosen.args == [8]


@pytest.mark.parametrize(
    ("key", "wanted"),
    [
        (Qt.Key.Key_Up, [5, 2]),
        (Qt.Key.Key_Down, [7, 2]),
        (Qt.Key.Key_Left, [6, 1]),
        (Qt.Key.Key_Right, [6, 3]),
    ],
)
def test_arrow_keys_move_the_selected_cell(neko_grid, qtbot, key, wanted):
    with qtbot.waitSignal(neko_grid.cell_chosen) as chosen:
        QTest.keyClick(neko_grid, key)
    assert chosen.args == wanted


def test_arrow_keys_stop_at_the_edge_and_do_not_wait_for_the_picture(neko_grid):
    chosen = []
    neko_grid.cell_chosen.connect(lambda query, key: chosen.append((query, key)))
    for _ in range(4):
        QTest.keyClick(neko_grid, Qt.Key.Key_Left)
    assert chosen == [(6, 1), (6, 0)]


def test_the_selected_cell_is_spoken(neko_grid, stages_of, neko):
    neko_grid.setFocus()
    neko_grid.draw(stages_of(neko, 6), Selection(0, 6, 4))
    assert neko_grid.accessibleDescription().startswith(
        "それ → 食べた: QKᵀ 0.75, ÷√dₖ 0.375, mask 0.375, softmax 0.06"
    )
    interface = QAccessible.queryAccessibleInterface(neko_grid)
    assert interface.text(QAccessible.Text.Name) == "The four stages of attention"


def test_the_wheel_zooms_all_panels_around_the_cell_under_it_within_the_matrix(neko_grid):
    panel, other = neko_grid.panel("weights"), neko_grid.panel("scores")
    at = panel.cell_rect(6, 2).center()
    before = panel.cell_rect(6, 2)
    wheel(neko_grid, at, 3)
    assert panel.cell_rect(6, 2).width() > 1.8 * before.width()
    assert panel.cell_rect(6, 2).contains(at)
    assert other.cell_rect(6, 2).size() == panel.cell_rect(6, 2).size()
    wheel(neko_grid, at, -30)
    assert panel.cell_rect(6, 2) == before
    wheel(neko_grid, at, 100)
    assert neko_grid.window_shown().columns == pytest.approx(1)


def test_dragging_pans_within_the_matrix_and_chooses_nothing(neko_grid):
    chosen = []
    neko_grid.cell_chosen.connect(lambda *cell: chosen.append(cell))
    neko_grid.zoom(2.0, (5.0, 5.0))
    start = neko_grid.window_shown()
    at = neko_grid.panel("scores").plot_rect().center()
    QTest.mousePress(neko_grid.viewport(), Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseMove(neko_grid.viewport(), at + QPoint(40, 20))
    assert neko_grid.window_shown().x < start.x
    QTest.mouseMove(neko_grid.viewport(), at + QPoint(4000, 4000))
    assert (neko_grid.window_shown().x, neko_grid.window_shown().y) == (0.0, 0.0)
    QTest.mouseRelease(neko_grid.viewport(), Qt.MouseButton.LeftButton, pos=at + QPoint(40, 20))
    assert chosen == []


def test_home_shows_the_whole_matrix_again(neko_grid):
    neko_grid.zoom(3.0)
    QTest.keyClick(neko_grid, Qt.Key.Key_Home)
    assert neko_grid.window_shown().is_whole(10, 10)


def test_a_selection_out_of_view_is_brought_into_view(neko_grid, neko, stages_of):
    neko_grid.zoom(3.0, (0.0, 0.0))
    neko_grid.draw(stages_of(neko, 9), Selection(0, 9, 9))
    panel = neko_grid.panel("scores")
    assert panel.plot_rect().adjusted(-1, -1, 1, 1).contains(panel.cell_rect(9, 9))


def test_double_click_gives_one_panel_the_whole_area_and_esc_returns(neko_grid):
    before = neko_grid.panel("weights").plot_rect()
    QTest.mouseDClick(neko_grid.viewport(), Qt.MouseButton.LeftButton, pos=before.center())
    assert neko_grid.panel_alone() == "weights"
    assert neko_grid.panel("weights").plot_rect().height() > 1.8 * before.height()
    assert not neko_grid.panel("scores").isVisible()
    QTest.keyClick(neko_grid, Qt.Key.Key_Escape)
    assert neko_grid.panel_alone() is None
    assert neko_grid.panel("weights").plot_rect() == before


def test_the_selected_row_is_outlined_in_the_accent_in_all_four_panels(neko_grid, drawn):
    image = drawn(neko_grid.viewport())
    for stage in STAGE_NAMES:
        panel = neko_grid.panel(stage)
        x, y = panel.cell_rect(6, 8).center().x(), panel.cell_rect(6, 8).top()
        near = [image.pixelColor(x, y + dy) for dy in range(-2, 3)]
        assert any(colour.red() > 170 and colour.green() < 90 for colour in near)


def test_the_mask_panel_can_show_m_itself(neko_grid):
    neko_grid.set_mask_shows_m(True)
    panel = neko_grid.panel("masked")
    assert panel.title().startswith("M")
    assert panel.shown_number(6, 2) == "0"
    assert panel.shown_number(6, 9) == "−∞"
    neko_grid.set_mask_shows_m(False)
    assert panel.shown_number(6, 2) == "2.75"


def test_the_map_of_weights_can_end_at_the_largest(grid, inputs_of, stages_of):
    grid.draw(stages_of(inputs_of(np.zeros((4, 4)), mask=NoMask()), 0), Selection(0, 3, 3))
    panel, deepest = grid.panel("weights"), tuple(weights_lut(LIGHT)[HIGHEST].tolist())
    assert panel.colour_at(1, 1).getRgb()[:3] != deepest
    grid.set_weights_to_largest(True)
    assert panel.colour_at(1, 1).getRgb()[:3] == deepest


def test_tools_stand_in_their_panels_header(neko_grid):
    tools = QLabel("causal, −∞")
    neko_grid.set_panel_tools("masked", tools)
    assert tools.isVisible()
    header = neko_grid._board.panels["masked"].place_now.header.toRect()
    assert header.contains(tools.geometry())
    neko_grid.show_alone("weights")
    assert not tools.isVisible()
    neko_grid.show_alone(None)
    assert tools.isVisible()


def test_the_legend_says_the_range_of_allowed_cells(neko_grid):
    assert neko_grid.panel("scores").shown_range() == (-2.0, 6.0)
    low, high = neko_grid.panel("weights").shown_range()
    assert (round(low, 3), high) == (0.015, 1.0)


def test_a_row_without_any_key_and_a_wholly_hidden_matrix_are_drawn(grid, inputs_of, stages_of):
    allowed = np.ones((4, 4), bool)
    allowed[1] = False
    grid.draw(stages_of(inputs_of(np.zeros((4, 4)), mask=CustomMask(allowed)), 1), Selection(0, 1, 1))
    assert grid.panel("weights").shown_number(1, 1) == ""
    hidden = CustomMask(np.zeros((4, 4), bool))
    grid.draw(stages_of(inputs_of(np.zeros((4, 4)), mask=hidden), 1), Selection(0, 1, 1))
    assert grid.panel("weights").shown_range() is None
    grid.viewport().grab()


def test_one_changed_row_leaves_the_other_rows_numbers_alone(neko_grid, neko, stages_of):
    cells = neko_grid._board.panels["scores"].cells
    before = dict(cells._rows)
    changed = set_vector_value(neko, 0, "q", 6, 0, 1.2)  # stays below the largest, so colours stay
    neko_grid.draw(stages_of(changed, 6), Selection(0, 6, 2))
    assert [row for row in range(10) if cells._rows[row] is not before[row]] == [6]
    assert neko_grid.panel("scores").shown_number(6, 2) == "5.70"


def test_the_screen_after_an_edit_is_the_screen_drawn_from_nothing(neko_grid, neko, stages_of, qtbot, drawn):
    first = stages_of(neko, 6)
    for value in (3.0, -3.0, 0.5):
        changed = stages_of(set_vector_value(neko, 0, "q", 6, 0, value), 6, previous=first)
        neko_grid.draw(changed, Selection(0, 6, 2))
    QCoreApplication.processEvents()
    fresh = StageGrid()
    qtbot.addWidget(fresh)
    fresh.resize(neko_grid.size())
    fresh.show()
    qtbot.waitExposed(fresh)
    fresh.draw(changed, Selection(0, 6, 2))
    for each in (neko_grid, fresh):
        each.setFocus()  # rather than the first of its buttons
        each.clearFocus()
    assert drawn(neko_grid.viewport()) == drawn(fresh.viewport())


@pytest.mark.parametrize("size", [(760, 480), (480, 420), (1360, 860), (300, 240)])
@pytest.mark.parametrize("n", [10, 60, 400])
def test_labels_neither_overlap_nor_leave_the_viewport(grid, inputs_of, stages_of, size, n):
    grid.resize(*size)
    tokens = [f"token{i}" * (1 + i % 5) for i in range(n)]
    grid.draw(stages_of(inputs_of(np.zeros((n, n)), tokens), n // 2), Selection(0, n // 2, n // 3))
    area = grid.viewport().rect().adjusted(-1, -1, 1, 1)
    for panel in grid._board.panels.values():
        for axis in panel.axes:
            rects = [rect for _, rect in axis.labels()]
            assert all(area.contains(rect.toRect()) for rect in rects)
            for earlier, later in itertools.pairwise(rects):
                assert not earlier.adjusted(0.2, 0.2, -0.2, -0.2).intersects(later)


def test_any_text_is_a_label(grid, inputs_of, stages_of):
    tokens = ["", " ", "<b>x</b>", "👨‍👩‍👧‍👦", "e\u0301", "a\nb", "長" * 300, "\u202eabc", "x" * 100_000]
    grid.draw(stages_of(inputs_of(np.zeros((9, 9)), tokens), 2), Selection(0, 2, 2))
    point_at(grid, grid.panel("scores").cell_rect(2, 5).center())
    assert grid.hover_text().splitlines()[0] == "<b>x</b> → a↵b"
    grid.viewport().grab()


def test_fewer_tokens_than_before_are_drawn_with_the_selection_kept_inside(neko_grid, inputs_of, stages_of):
    point_at(neko_grid, neko_grid.panel("scores").cell_rect(9, 9).center())
    neko_grid.draw(stages_of(inputs_of([[1.0]]), 0), Selection(0, 0, 0))
    assert neko_grid.panel("weights").shown_number(0, 0) == "100.0"
    assert neko_grid.hover_text() == ""


def test_both_looks_have_their_own_ground(neko_grid, drawn):
    for theme in (DARK, LIGHT):
        neko_grid.set_theme(theme)
        assert drawn(neko_grid.viewport()).pixelColor(1, 1) == theme.ground


def test_an_empty_grid_can_be_hovered_clicked_and_closed(grid, qtbot):
    point_at(grid, QPoint(200, 200))
    QTest.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(200, 200))
    QTest.keyClick(grid, Qt.Key.Key_Left)
    assert grid.hover_text() == ""


@pytest.mark.parametrize("size", [(760, 480), (1000, 800), (701, 613), (520, 402)])
def test_the_first_and_the_last_of_cells_smaller_than_a_px_are_seen(grid, stages_of, drawn, size):
    n = 1024
    grid.resize(*size)
    q = np.zeros((n, 1), np.float32)
    q[[0, -1]] = 1
    k = np.full((n, 1), 9, np.float32)
    inputs = Inputs("", ("t",) * n, (Head("", q, k, k),), mask=NoMask())
    grid.draw(stages_of(inputs, 500), Selection(0, 500, 500))
    panel = grid.panel("scores")
    place, image = panel.plot_rect(), drawn(grid.viewport())
    column = place.center().x()
    middle = image.pixelColor(column, place.top() + place.height() // 4)
    for row in (place.top(), place.bottom()):
        assert image.pixelColor(column, row).blue() - image.pixelColor(column, row).red() > 100
    assert abs(middle.blue() - middle.red()) < 10
