"""Pictures of long documents are computed for their own pixels, beside the window."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from attnviz.core import edits
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import NoMask
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.gui import export_image, exporting
from attnviz.gui.picture_dialog import PictureDialog
from attnviz.gui.render_command import render
from attnviz.gui.shown_picture import PlannedPicture, plan_picture
from attnviz.gui.views.map_window import Window
from attnviz.io.picture_wish import PictureWish
from tests.gui.test_exporting import enter
from tests.gui.test_files import choose_file
from tests.gui.test_render_command import Options

N = 3000
PEAK = (2111, 777)  # a query and the key it alone looks at


@pytest.fixture(scope="module")
def inputs() -> Inputs:
    q, k = np.zeros((N, 2), np.float32), np.zeros((N, 2), np.float32)
    q[PEAK[0], 0], k[PEAK[1], 0] = 100.0, 100.0
    return Inputs("", tuple(map(str, range(N))), (Head("a", q, k, k),), NoMask())


@pytest.fixture
def window(make_window, inputs, qtbot):
    window = make_window(inputs)
    qtbot.waitUntil(lambda: window.live.is_up_to_date() and not window.runner.is_busy)
    return window


def dark_pixels(image: QImage) -> list[tuple[int, int]]:
    """Where the picture is as dark as a weight of 1; the letters are grey."""
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)
    blue, green, red = (pixels[..., channel].astype(int) for channel in range(3))
    rows, columns = np.nonzero((blue - red > 40) & (red < 40) & (green < 80))
    inside = (rows > 60) & (rows < image.height() - 60)
    return list(zip(rows[inside].tolist(), columns[inside].tolist(), strict=True))


def test_the_file_shows_more_cells_than_the_screen(qtbot, window, tmp_path):
    path = tmp_path / "a.png"
    wish = PictureWish("weights", (1700, 1700), 1.0, "light", carries_document=False)
    request = plan_picture(window, wish).request
    assert (request.region.bins, request.detail) == ((2, 2), "full")
    assert min(window.stages.request.region.bins) > 6
    with qtbot.waitSignal(window.exporting.told, check_params_cb=lambda words: words.startswith("Wrote")):
        window.exporting.write_picture(path, wish)
        assert not path.exists()
    dark = dark_pixels(QImage(str(path)))
    height, width = (max(at) - min(at) + 1 for at in zip(*dark, strict=True))
    assert 1 <= height <= 3
    assert 1 <= width <= 3  # enlarged from the screen it would be 10


@pytest.mark.parametrize("panel", ["weights", "window"])
def test_the_command_line_draws_the_very_picture_of_the_window(qtbot, window, inputs, tmp_path, panel):
    wish = PictureWish(panel, (1360, 860), 1.0, "light", carries_document=False)
    plan = plan_picture(window, wish)
    engine = NumpyEngine()
    try:
        drawn = plan.drawn(engine.compute(plan.request) if plan.request else None)
    finally:
        engine.close()
    options = Options(
        inputs, tmp_path / "cli.png", plan.selection, panel, (1360, 860), carries_document=False
    )
    render(options)
    mine = QImage(str(options.output))
    if panel == "window":  # apart from the status line, which tells times
        area = mine.rect().adjusted(0, 0, 0, -40)
        mine, drawn = mine.copy(area), drawn.copy(area)
    drawn.setDevicePixelRatio(1.0)
    assert mine == drawn.convertedTo(mine.format())


def test_a_picture_of_the_window_has_the_cells_that_the_window_shows(window):
    shown = window.stages.request.region
    plan = plan_picture(window, PictureWish("window", (1360, 860), 1.0, "light"))
    drawn = shown if plan.request is None else plan.request.region
    assert drawn.bins == shown.bins
    twice = plan_picture(window, PictureWish("window", (2720, 1720), 2.0, "light")).request
    assert twice.region.bins == (-(-shown.bins[0] // 2), -(-shown.bins[1] // 2))


def test_only_what_is_looked_at_is_computed(window):
    window.parts.stages.look_at(Window(700.25, 2000.5, 400.0, 300.0))
    request = plan_picture(window, PictureWish("scores", (1500, 1500), 1.0, "light")).request
    assert request.region.queries == (2000, 2301)
    assert request.region.keys == (700, 1101)
    assert request.region.bins == (1, 1)


def test_what_is_done_meanwhile_is_not_in_the_picture_and_does_not_wait(qtbot, window, inputs, tmp_path):
    wish = PictureWish("weights", (1700, 1700), 1.0, "light")
    told = []
    window.exporting.told.connect(told.append)
    window.exporting.write_picture(tmp_path / "a.png", wish)
    window.document.apply(lambda now: edits.set_vector_value(now, 0, "q", PEAK[0], 0, 0.0))
    qtbot.waitUntil(lambda: any(words.startswith("Wrote") for words in told))
    assert dark_pixels(QImage(str(tmp_path / "a.png")))
    from attnviz.io.opening import open_document

    assert open_document(tmp_path / "a.png").session.inputs.equals(inputs)


def test_cancel_ends_it_and_leaves_no_file(qtbot, window, tmp_path, monkeypatch):
    begun = threading.Event()

    def endless(engine, request, previous=None, progress=None):
        begun.set()
        while progress(0.1, None):
            pass

    monkeypatch.setattr(NumpyEngine, "compute", endless)
    window.exporting.write_picture(tmp_path / "a.png", PictureWish("weights", (900, 900), 1.0, "light"))
    qtbot.waitUntil(begun.is_set)
    with qtbot.waitSignal(window.runner.cancelled):
        window.status.cancel_asked.emit()
    qtbot.waitUntil(lambda: not window.runner.is_busy)
    assert window.status.currentMessage() == "Cancelled."
    assert not list(tmp_path.glob("*.png"))


def test_a_picture_without_memory_for_it_is_refused_with_its_bytes(window, tmp_path, monkeypatch):
    monkeypatch.setattr(export_image, "free_bytes", lambda: 1_000_000)
    wish = PictureWish("weights", (1700, 1700), 1.0, "light")
    window.exporting.write_picture(tmp_path / "a.png", wish)
    needed = 1500 * 1500 * 66
    assert window.status.currentMessage() == (
        f"A picture of 1,500 × 1,500 cells takes {needed:,} bytes of memory, and 1,000,000 are free; "
        "choose a smaller one."
    )
    assert not (tmp_path / "a.png").exists()


def test_the_dialog_says_what_a_pixel_of_the_file_will_show(qtbot, window, tmp_path):
    window.deeds["export_panel"].trigger()
    dialog = window.findChild(PictureDialog)
    words = dialog.findChild(QLabel, "picture/cells")
    assert words.isVisible()
    assert words.text() == "Computed for these pixels: each shows 6 × 6 cells."
    for name in ("width", "height"):
        enter(qtbot, dialog, name, "1700")
    qtbot.waitUntil(lambda: words.text() == "Computed for these pixels: each shows 2 × 2 cells.")
    dialog.findChild(QPushButton, "picture/save").click()
    with qtbot.waitSignal(window.exporting.told, check_params_cb=lambda words: words.startswith("Wrote")):
        choose_file(window, tmp_path / "a.png")


def test_the_copied_picture_is_computed_for_its_pixels_too(qtbot, window):
    window.deeds["export_panel"].trigger()
    with qtbot.waitSignal(window.exporting.told, check_params_cb=lambda words: words.startswith("Copied")):
        window.findChild(PictureDialog).findChild(QPushButton, "picture/copy").click()
    dark = [(row, column) for row, column in dark_pixels(QGuiApplication.clipboard().image()) if column < 640]
    assert 1 <= len(dark) <= 4  # beside them stands the legend


def test_a_short_document_is_drawn_at_once_and_says_nothing_of_cells(make_window):
    window = make_window()
    wish = PictureWish("weights", (900, 900), 1.0, "light")
    assert plan_picture(window, wish).request is None
    window.deeds["export_panel"].trigger()
    dialog = window.findChild(PictureDialog)
    assert not dialog.findChild(QLabel, "picture/cells").isVisible()
    dialog.reject()


def test_a_request_of_what_is_there_is_none(window):
    stages = window.stages
    region = stages.request.region
    frame = (region.queries, region.keys, region.max_cells)
    assert export_image.request_of(stages, frame) is None


@pytest.mark.parametrize("panel", ["weights", "stages"])
def test_a_large_picture_is_drawn_over_several_turns_and_is_the_same(
    qtbot, window, tmp_path, monkeypatch, panel
):
    wish = PictureWish(panel, (1301, 1207), 1.5, "dark", carries_document=False)
    whole = plan_picture(window, wish).drawn(window.stages)
    monkeypatch.setattr(exporting, "_SOON_DRAWN", 1000)
    monkeypatch.setattr(PlannedPicture, "request", None)  # drawn of what the window shows
    turns, path = [], tmp_path / "a.png"
    with qtbot.waitSignal(window.exporting.told, check_params_cb=lambda words: words.startswith("Wrote")):
        window.exporting.write_picture(path, wish)
        QTimer.singleShot(0, lambda: turns.append(path.exists()))
    assert turns == [False]  # something else had its turn before it was there
    written = QImage(str(path))
    whole.setDevicePixelRatio(1.0)
    assert written == whole.convertedTo(written.format())


def test_a_large_picture_is_copied_once_it_is_drawn(qtbot, window, monkeypatch):
    monkeypatch.setattr(exporting, "_SOON_DRAWN", 1000)
    wish = PictureWish("weights", (300, 200), 1.0, "light", carries_document=False)
    QGuiApplication.clipboard().clear()
    with qtbot.waitSignal(window.exporting.told, check_params_cb=lambda words: words.startswith("Copied")):
        window.exporting._copy(wish)
        assert QGuiApplication.clipboard().image().isNull()
    assert QGuiApplication.clipboard().image().size().toTuple() == (300, 200)
    QGuiApplication.clipboard().clear()


def test_a_large_picture_that_memory_runs_out_for_is_refused_once(qtbot, window, monkeypatch, tmp_path):
    def drawing(plan, answer=None):
        yield
        raise MemoryError

    monkeypatch.setattr(exporting, "_SOON_DRAWN", 1000)
    monkeypatch.setattr(PlannedPicture, "request", None)
    monkeypatch.setattr(PlannedPicture, "drawing", drawing)
    failures = []
    window.exporting.failed.connect(failures.append)
    wish = PictureWish("weights", (300, 200), 1.0, "light", carries_document=False)
    window.exporting.write_picture(tmp_path / "a.png", wish)
    qtbot.waitUntil(lambda: bool(failures))
    QApplication.processEvents()
    assert list(map(str, failures)) == ["There is not enough memory for this."]
    assert not list(tmp_path.glob("*.png"))


def test_a_picture_painted_in_strips_has_no_seam(window, monkeypatch):
    plan = plan_picture(window, PictureWish("stages", (901, 707), 1.0, "light"))
    whole = plan.drawn(window.stages)
    monkeypatch.setattr(export_image, "_STRIP_PX", 901 * 100)
    pieces = plan.drawn(window.stages)
    mine, its = (
        np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1) for image in (whole, pieces)
    )
    # A cell of a picture may end a px later: Qt counts its lines from where it begins to paint.
    same = (mine == its).mean(axis=1)
    assert (same < 1).sum() < 40
    assert (same[99:601:100] > 0.98).all()
    assert (same[100:602:100] > 0.98).all()
