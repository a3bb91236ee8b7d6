"""The panels as a map of a long document: any part of it, at its own place, at the panels' pixels."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from attnviz.core.inputs import DENSE_TOKENS, Head, Inputs
from attnviz.core.masks import NoMask
from attnviz.core.request import Region, Request
from attnviz.core.selection import Selection
from attnviz.core.stages import STAGE_NAMES, Stages
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.gui.colormaps import HIGHEST, weights_lut
from attnviz.gui.export_image import drawing_of, finished
from attnviz.gui.theme import DARK, LIGHT
from attnviz.gui.views.map_window import Window
from attnviz.gui.views.overview import Overview
from attnviz.gui.views.stage_grid import StageGrid
from tests.gui.views.hands import point_at

N = 3000
PEAK = (2200, 700)


def long_inputs(n: int = N, mask=None) -> Inputs:
    """Queries that look nowhere in particular, but PEAK's, which looks at one key alone."""
    rng = np.random.default_rng(3)
    q, k, v = (rng.standard_normal((n, 8)).astype(np.float32) for _ in range(3))
    q[:, -1] = k[:, -1] = 0
    q[PEAK[0], -1] = k[PEAK[1], -1] = 9
    more = {} if mask is None else {"mask": mask}
    return Inputs("", tuple(f"word{index}" for index in range(n)), (Head("h", q, k, v),), **more)


@pytest.fixture(scope="module")
def engine():
    engine = NumpyEngine(1)
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def inputs():
    return long_inputs()


@pytest.fixture
def grid(qtbot):
    grid = StageGrid()
    qtbot.addWidget(grid)
    grid.resize(900, 640)
    grid.show()
    qtbot.waitExposed(grid)
    return grid


@pytest.fixture
def live(grid, engine, inputs):
    """A grid that is answered at once, as by an engine that needs no time."""
    asked: list[tuple] = []
    chosen = Selection(0, 100, 90)
    state = {"selection": chosen, "inputs": inputs, "region": Region(0, (0, N), (0, N), (300, 300))}

    def answer() -> Stages:
        stages = engine.compute(Request(state["inputs"], state["selection"].query, state["region"]))
        assert stages is not None
        return stages

    def follow(queries, keys, most) -> None:
        asked.append((queries, keys, most))
        state["region"] = replace(state["region"], queries=queries, keys=keys, max_cells=most)
        if grid.answers:
            grid.draw(answer(), state["selection"])

    grid.answers = True
    grid.asked, grid.answer, grid.state = asked, answer, state
    grid.region_wanted.connect(follow)
    grid.draw(answer(), chosen)
    return grid


def test_a_long_document_is_wanted_at_the_pixels_of_the_panels(live):
    queries, keys, most = live.asked[-1]
    plot = live.panel("weights").plot_rect()
    assert (queries, keys) == ((0, N), (0, N))
    assert plot.height() / 2 <= most[0] <= plot.height()
    assert plot.width() / 2 <= most[1] <= plot.width()
    live.show_alone("weights")
    assert live.asked[-1][2][0] > 1.5 * most[0]


def test_a_dense_document_is_never_asked_for_in_parts(grid, neko, stages_of):
    asked = []
    grid.region_wanted.connect(lambda *region: asked.append(region))
    grid.draw(stages_of(neko, 6), Selection(0, 6, 2))
    grid.zoom(3.0)
    grid.show_alone("scores")
    grid.resize(500, 500)
    assert asked == []


def test_zooming_in_wants_the_part_in_view_until_every_cell_is_one_of_the_picture(live):
    for _ in range(40):
        live.zoom(1.25, (500.0, 1500.0))
    queries, keys, most = live.asked[-1]
    assert queries[0] <= 1500 < queries[1] <= queries[0] + 4
    assert keys[0] <= 500 < keys[1] <= keys[0] + 4
    assert most == (queries[1] - queries[0], keys[1] - keys[0])
    assert live.window_shown().columns == pytest.approx(1)
    assert live.panel("scores").shown_number(1500, 500)
    assert live.panel("scores").note() == ""


def test_small_drags_ask_for_nothing_new(live):
    live.zoom(20.0, (500.0, 1500.0))
    before = len(live.asked)
    at = live.panel("scores").plot_rect().center()
    QTest.mousePress(live.viewport(), Qt.MouseButton.LeftButton, pos=at)
    for step in range(1, 25):
        QTest.mouseMove(live.viewport(), at + QPoint(-20, -step))
    QTest.mouseRelease(live.viewport(), Qt.MouseButton.LeftButton, pos=at + QPoint(-20, -24))
    assert len(live.asked) - before <= 4


def test_what_is_drawn_is_the_picture_of_the_definition_wherever_one_zooms(live, inputs, drawn):
    live.show_alone("weights")
    live.zoom(400.0, (float(PEAK[1]), float(PEAK[0])))
    panel, head = live.panel("weights"), inputs.heads[0]
    score = head.q[PEAK[0]].astype(np.float64) @ head.k[: PEAK[0] + 1].T.astype(np.float64) / np.sqrt(8)
    weight = np.exp(score - score.max())
    weight /= weight.sum()
    assert panel.shown_number(*PEAK) == f"{100 * weight[PEAK[1]]:.1f}"
    assert panel.colour_at(*PEAK).getRgb()[:3] == tuple(weights_lut(LIGHT)[HIGHEST].tolist())


def test_a_lone_peak_is_seen_from_afar(live, drawn):
    panel, image = live.panel("weights"), drawn(live.viewport())
    rect = panel.cell_rect(*PEAK)
    near = [image.pixelColor(rect.left() + dx, rect.top() + dy) for dx in range(-1, 2) for dy in range(-1, 2)]
    assert min(colour.lightness() for colour in near) < 80
    assert panel.note().startswith("largest of ")
    assert live.panel("scores").note().startswith("furthest from 0 of ")


def test_a_picture_of_another_part_stays_at_its_own_place_until_the_right_one_comes(live, drawn):
    live.answers = False
    panel = live.panel("weights")
    before = panel.colour_at(*PEAK)
    live.zoom(4.0, (float(PEAK[1]), float(PEAK[0])))
    image = drawn(live.viewport())
    block = panel.cell_rect(*PEAK).center()
    near = [image.pixelColor(block + QPoint(dx, dy)) for dx in range(-4, 5) for dy in range(-4, 5)]
    assert min(colour.lightness() for colour in near) < 80  # stretched, where it was
    live.draw(live.answer(), live.state["selection"])
    sharp = drawn(live.viewport())
    dark = [
        (dx, dy)
        for dx in range(-9, 10)
        for dy in range(-9, 10)
        if sharp.pixelColor(block + QPoint(dx, dy)).lightness() < 80
    ]
    assert 1 <= len(dark) <= 16
    assert before != LIGHT.ground


def test_zooming_out_shows_the_overview_where_the_picture_does_not_reach(live, engine, inputs, drawn):
    live.zoom(300.0, (2000.0, 2500.0))
    live.answers = False
    live.reset_zoom()
    image, panel = drawn(live.viewport()), live.panel("scores")
    colours = {image.pixelColor(panel.plot_rect().center() + QPoint(-60, dy)).rgb() for dy in range(20, 90)}
    assert len(colours) > 5  # the whole was seen before, and is still that of this moment
    edited = long_inputs(mask=NoMask())
    small = engine.compute(Request(edited, 100, Region(0, (0, 10), (0, 10))))
    live.draw(small, live.state["selection"])
    image = drawn(live.viewport())
    assert image.pixelColor(panel.plot_rect().center() + QPoint(-60, 50)) == LIGHT.ground


def test_another_part_keeps_the_colours_of_the_whole(live):
    live.show_alone("scores")
    live.zoom(150.0, (300.0, 1000.0))
    part = live.panel("scores").shown_range()
    level = live._board.panels["scores"].picture.level
    assert level > 2 * max(abs(part[0]), abs(part[1]))  # the far peak's
    live.reset_zoom()
    assert live._board.panels["scores"].picture.level == pytest.approx(level)


@pytest.mark.parametrize("size", [(900, 640), (480, 420), (1360, 860), (320, 300)])
@pytest.mark.parametrize("factor", [1.0, 7.0, 90.0, 400.0, 3000.0])
def test_labels_neither_overlap_nor_leave_the_viewport_at_any_zoom(live, size, factor):
    live.resize(*size)
    live.zoom(factor, (1234.0, 2345.0))
    area = live.viewport().rect().adjusted(-2, -2, 2, 2)
    for panel in live._board.panels.values():
        for axis in panel.axes:
            found = axis.labels()
            assert [index for index, _ in found] == sorted({index for index, _ in found})
            assert all(area.contains(rect.toRect()) for _, rect in found)
            for (_, earlier), (_, later) in itertools.pairwise(found):
                assert not earlier.adjusted(0.2, 0.2, -0.2, -0.2).intersects(later)


def test_from_afar_axes_have_round_numbers_and_nearer_every_token(live):
    panel = live.panel("weights")
    far = panel.labels("query")
    assert len(far) > 3
    assert all(index % 100 == 0 for index in far if index != 100)
    assert all(index % 500 == 0 for index in panel.labels("key") if index != 90)
    live.show_alone("weights")
    live.zoom(200.0, (1234.0, 2345.0))
    shown = panel.labels("query")
    assert shown == list(range(shown[0], shown[-1] + 1))


def test_the_selected_row_is_outlined_however_thin_it_is(live, drawn):
    image = drawn(live.viewport())
    for stage in STAGE_NAMES:
        panel = live.panel(stage)
        assert panel.cell_rect(100, 0).height() <= 1
        x, y = panel.plot_rect().center().x(), panel.cell_rect(100, 0).top()
        near = [image.pixelColor(x, y + dy) for dy in range(-2, 3)]
        assert any(colour.red() > 170 and colour.green() < 90 for colour in near)


def test_hover_gives_the_exact_cell_and_says_how_many_are_shown_as_one(live, inputs):
    panel = live.panel("weights")
    at = panel.plot_rect().center() + QPoint(-40, 20)
    point_at(live, at)
    lines = live.hover_text().splitlines()
    query, key = (int(part.split()[0]) for part in lines[0].split(" → "))
    assert panel.cell_rect(query, key).adjusted(-2, -2, 2, 2).contains(at)
    cell = live.answer().cell(query, key)
    assert float(lines[1].split()[-1].replace("−", "-")) == pytest.approx(cell.scores, rel=1e-6)
    assert float(lines[4].split()[1]) == pytest.approx(cell.weights, rel=1e-5)
    bins = live.state["region"].bins
    assert f"The cell that is seen here, of {bins[0]} × {bins[1]}" in lines[5]


def test_pointing_at_what_stands_out_names_it_and_a_click_selects_it(live, drawn, qtbot):
    panel, image = live.panel("weights"), drawn(live.viewport())
    near = panel.cell_rect(*PEAK).center()
    places = [near + QPoint(dx, dy) for dx in range(-2, 3) for dy in range(-2, 3)]
    at = min(places, key=lambda place: image.pixelColor(place).lightness())
    assert image.pixelColor(at).lightness() < 80
    point_at(live, at)
    heading, *_, weight, remark = live.hover_text().splitlines()
    assert heading == f"{PEAK[0]} word{PEAK[0]} → {PEAK[1]} word{PEAK[1]}"
    assert weight.endswith("100.0%")
    assert remark.startswith("The cell that is seen here")
    with qtbot.waitSignal(live.cell_chosen) as chosen:
        QTest.mouseClick(live.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert tuple(chosen.args) == PEAK


def test_of_a_coarse_picture_the_cell_pointed_at_is_read_out(live):
    live.draw(replace(live.answer(), is_coarse=True), live.state["selection"])
    point_at(live, live.panel("weights").plot_rect().center() + QPoint(-40, 20))
    assert "One of " in live.hover_text().splitlines()[5]


def test_a_coarse_picture_is_marked_in_every_panel_and_in_what_is_exported(live, drawn):
    stages = live.answer()
    assert not any(live.panel(stage).is_coarse() for stage in STAGE_NAMES)
    fine = drawn(live.viewport())
    live.draw(replace(stages, is_coarse=True), live.state["selection"])
    assert all(live.panel(stage).is_coarse() for stage in STAGE_NAMES)
    assert drawn(live.viewport()) != fine
    pictures = [
        finished(drawing_of(each, Selection(0, 100, 90), size=(900, 640), theme=DARK))
        for each in (stages, replace(stages, is_coarse=True))
    ]
    assert pictures[0] != pictures[1]


def test_the_mean_is_said_in_the_legend(live, engine, inputs):
    region = replace(live.state["region"], pooling="mean")
    live.draw(engine.compute(Request(inputs, 100, region)), live.state["selection"])
    assert live.panel("weights").note() == f"mean of {region.bins[0]} × {region.bins[1]} cells"
    assert live.panel("masked").note().startswith("furthest from 0")


def test_blocks_without_any_allowed_cell_are_struck_out_in_all_panels_and_single_cells_in_two(live):
    assert all(live.panel(stage).is_hatched(200, 2800) for stage in STAGE_NAMES)
    assert not live.panel("weights").is_hatched(2800, 200)
    live.zoom(500.0, (1500.0, 1500.0))
    for stage in STAGE_NAMES:
        assert live.panel(stage).is_hatched(1499, 1501) is (stage in ("masked", "weights"))
        assert (live._board.panels[stage].cells.hatch is not None) is (stage in ("masked", "weights"))


@pytest.mark.parametrize(
    ("key", "modifiers", "wanted"),
    [
        (Qt.Key.Key_Down, Qt.KeyboardModifier.NoModifier, (101, 90)),
        (Qt.Key.Key_Right, Qt.KeyboardModifier.NoModifier, (100, 91)),
        (Qt.Key.Key_PageDown, Qt.KeyboardModifier.NoModifier, (2800, 90)),
        (Qt.Key.Key_PageUp, Qt.KeyboardModifier.NoModifier, (0, 90)),
        (Qt.Key.Key_PageDown, Qt.KeyboardModifier.ShiftModifier, (100, 2790)),
        (Qt.Key.Key_End, Qt.KeyboardModifier.NoModifier, (100, 100)),
        (Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier, (0, 0)),
        (Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier, (N - 1, N - 1)),
    ],
)
def test_keys_lead_to_every_cell(live, qtbot, key, modifiers, wanted):
    with qtbot.waitSignal(live.cell_chosen) as chosen:
        QTest.keyClick(live, key, modifiers)
    assert tuple(chosen.args) == wanted


def test_the_window_follows_a_selection_that_leaves_it(live, engine, inputs):
    live.zoom(200.0, (90.0, 100.0))
    live.state["selection"] = Selection(0, 2500, 2400)
    live.draw(live.answer(), live.state["selection"])
    panel = live.panel("scores")
    assert panel.plot_rect().adjusted(-1, -1, 1, 1).contains(panel.cell_rect(2500, 2400).center())
    assert live.asked[-1][0][0] <= 2500 < live.asked[-1][0][1]


def test_a_cell_that_is_gone_to_stands_in_the_middle_large_enough_to_read(live):
    live.show_cell(*PEAK)
    panel = live.panel("weights")
    assert (panel.cell_rect(*PEAK).center() - panel.plot_rect().center()).manhattanLength() <= 2
    assert panel.cell_rect(*PEAK).height() >= 24
    assert panel.shown_number(*PEAK)


def test_a_token_more_keeps_what_is_in_view_and_another_document_does_not(live, engine):
    live.zoom(50.0, (500.0, 1500.0))
    window = live.window_shown()
    for n, is_kept in ((N + 1, True), (N + 50, False)):
        more = long_inputs(n)
        live.state["inputs"] = more
        live.draw(engine.compute(Request(more, 100, live.state["region"])), live.state["selection"])
        assert (live.window_shown() == window) is is_kept


def test_what_is_in_view_stays_where_a_token_makes_a_document_long_and_dense_again(grid, engine):
    windows = []
    for n in (DENSE_TOKENS, DENSE_TOKENS + 1, DENSE_TOKENS):
        rng = np.random.default_rng(1)
        q = rng.standard_normal((n, 2)).astype(np.float32)
        inputs = Inputs("", ("t",) * n, (Head("h", q, q, q),))
        region = Region(0, (0, n), (0, n), (200, 200) if inputs.is_long else None)
        grid.draw(engine.compute(Request(inputs, 100, region)), Selection(0, 100, 90))
        if not windows:
            grid.zoom(50.0, (500.0, 1500.0))
        windows.append(grid.window_shown())
    assert windows[0].columns < 50
    assert windows == [windows[0]] * 3


def test_few_rows_of_very_many_keys_are_more_than_a_line(grid, engine):
    rng = np.random.default_rng(0)
    q, k = (rng.standard_normal((n, 4)).astype(np.float32) for n in (6, 9000))
    inputs = Inputs("", tuple("abcdef"), (Head("h", q, k, k),), mask=NoMask(), key_tokens=("k",) * 9000)
    region = Region(0, (0, 6), (0, 9000), (200, 300))
    grid.draw(engine.compute(Request(inputs, 2, region)), Selection(0, 2, 5))
    plot = grid.panel("weights").plot_rect()
    assert plot.height() * 3.1 > plot.width()
    assert grid.panel("weights").labels("query") == list(range(6))


# --- the overview


def test_the_overview_frames_what_is_in_view(live):
    live.resize(1200, 640)
    overview = live.findChild(Overview)
    assert overview.isVisible()
    assert overview.x() > live.panel("weights").geometry().right()  # beside the panels
    whole = overview.frame_rect()
    assert whole.width() >= overview.width() - 3
    live.look_at(Window(375.0, 1875.0, 750.0, 750.0))
    part = overview.frame_rect()
    assert part.width() == pytest.approx(whole.width() / 4, abs=1)
    assert part.center().y() == pytest.approx(overview.height() * 0.75, abs=2)
    assert part.center().x() == pytest.approx(overview.width() * 0.25, abs=2)


def test_where_there_is_no_room_beside_the_overview_lies_over_a_corner_while_zoomed_in(live):
    live.resize(640, 640)
    overview = live.findChild(Overview)
    assert not overview.isVisible()
    live.zoom(4.0, (750.0, 2250.0))
    assert overview.isVisible()
    assert live.panel("weights").plot_rect().adjusted(-2, -2, 2, 2).contains(overview.geometry())
    assert overview.width() < 0.5 * live.panel("weights").plot_rect().width()


def test_a_click_in_the_overview_goes_there_and_a_drag_follows(live):
    overview = live.findChild(Overview)
    live.zoom(20.0, (100.0, 100.0))
    size = live.window_shown().rows
    middle = overview.rect().center()
    QTest.mousePress(overview, Qt.MouseButton.LeftButton, pos=middle)
    window = live.window_shown()
    assert window.y + window.rows / 2 == pytest.approx(N / 2, abs=N / 60)
    QTest.mouseMove(overview, middle + QPoint(0, 20))
    assert live.window_shown().y > window.y
    QTest.mouseRelease(overview, Qt.MouseButton.LeftButton, pos=middle + QPoint(0, 20))
    assert live.window_shown().rows == size


def test_arrow_keys_in_the_overview_move_what_is_in_view(live):
    overview = live.findChild(Overview)
    live.zoom(20.0, (1500.0, 1500.0))
    before = live.window_shown()
    QTest.keyClick(overview, Qt.Key.Key_Down)
    QTest.keyClick(overview, Qt.Key.Key_Right)
    now = live.window_shown()
    assert (now.x, now.y) == pytest.approx((before.x + before.columns / 4, before.y + before.rows / 4))
    assert "Queries" in overview.accessibleDescription()


def test_the_overview_of_a_part_is_told_by_another_answer_and_shows_it(live, engine, inputs, drawn):
    live.zoom(300.0, (2000.0, 2500.0))
    edited = long_inputs(mask=NoMask())
    part = live.state["region"]
    live.draw(engine.compute(Request(edited, 100, part)), live.state["selection"])
    overview = live.findChild(Overview)
    empty = drawn(overview)
    live.draw_overview(engine.compute(Request(inputs, 100, Region(0, (0, N), (0, N), (160, 160)))))
    assert drawn(overview) == empty  # of another moment
    live.draw_overview(engine.compute(Request(edited, 100, Region(0, (0, N), (0, N), (160, 160)))))
    assert drawn(overview) != empty


def test_a_dense_document_has_an_overview_only_while_zoomed_in(grid, neko, stages_of):
    grid.draw(stages_of(neko, 6), Selection(0, 6, 2))
    overview = grid.findChild(Overview)
    assert not overview.isVisible()
    grid.zoom(3.0)
    assert overview.isVisible()
    grid.reset_zoom()
    assert not overview.isVisible()


def test_an_export_shows_the_part_in_view_in_the_colours_of_the_whole(live, engine, inputs):
    whole = live.answer()
    live.zoom(200.0, (300.0, 1000.0))
    part, window = live.answer(), live.window_shown()
    assert isinstance(window, Window)
    pictures = [
        finished(
            drawing_of(
                part,
                Selection(0, 100, 90),
                panel="scores",
                size=(400, 400),
                theme=LIGHT,
                window=window,
                overview=seen,
            )
        )
        for seen in (whole, None)
    ]
    assert pictures[0] != pictures[1]
