"""Exports: exact pixels, true numbers, and a sentence about each file."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton

from attnviz.engine.arrays import inputs_from_arrays
from attnviz.gui.number_field import NumberField
from attnviz.gui.picture_dialog import PictureDialog
from attnviz.gui.table_dialog import TableDialog, TableWish
from attnviz.io.opening import open_document
from attnviz.io.picture_wish import PANELS, PictureWish
from tests.gui.test_files import choose_file


@pytest.mark.parametrize("panel", PANELS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_picture_has_exactly_the_pixels_asked_for(window, tmp_path, panel, theme):
    path = tmp_path / "a.png"
    window.exporting.write_picture(path, PictureWish(panel, (701, 503), 1.5, theme))
    image = QImage(str(path))
    assert (image.width(), image.height()) == (701, 503)
    assert (image.pixelColor(1, 1).lightness() > 128) == (theme == "light")
    assert "701 × 503" in window.status.currentMessage()
    assert str(path) in window.status.currentMessage()


@pytest.mark.parametrize("shape", [(2, 2000), (2000, 2)])
def test_a_large_document_is_packed_beside_the_window(qtbot, make_window, tmp_path, shape):
    n_query, n_key = shape
    k = np.zeros((n_key, 64), np.float32)
    window = make_window(inputs_from_arrays(np.zeros((n_query, 64)), k, k, mask="none"))
    path = tmp_path / "a.png"
    with qtbot.waitSignal(window.exporting.told):
        window.exporting.write_picture(path, PictureWish("stages", (90, 60), 1.0, "light"))
        assert not path.exists()
    assert open_document(path).session.inputs.n_key == n_key


def test_a_picture_of_the_window_leaves_no_window_behind(qtbot, window, tmp_path):
    before = set(QGuiApplication.topLevelWindows())
    window.exporting.write_picture(tmp_path / "a.png", PictureWish("window", (900, 600), 1.0, "dark"))
    visible = [shown for shown in QGuiApplication.topLevelWindows() if shown.isVisible()]
    assert set(visible) <= before


def test_a_picture_that_cannot_be_written_is_refused_with_a_reason(window, tmp_path):
    window.exporting.write_picture(tmp_path / "gone" / "a.png", PictureWish("stages", (90, 60), 1.0, "light"))
    assert "there is no folder" in window.status.currentMessage()


@pytest.mark.parametrize(("action", "panel"), [("export_png", "stages"), ("export_window", "window")])
def test_the_picture_dialog_leads_to_a_file(qtbot, window, tmp_path, action, panel):
    window.deeds[action].trigger()
    dialog = window.findChild(PictureDialog)
    assert dialog.wish().panel == panel
    assert not dialog.findChild(type(dialog._preview), "picture/preview").pixmap().isNull()
    for name, text in (("scale", "2"), ("width", "800"), ("height", "600")):
        enter(qtbot, dialog, name, text)
    assert dialog.wish() == PictureWish(panel, (800, 600), 2.0, "light")
    dialog.findChild(QPushButton, "picture/save").click()
    choose_file(window, tmp_path / "mine.png")
    image = QImage(str(tmp_path / "mine.png"))
    assert (image.width(), image.height()) == (800, 600)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("width", "0", "0 is out of range; write a number from 1 to 16384."),
        ("width", "16385", "16385 is out of range; write a number from 1 to 16384."),
        ("height", "wide", "“wide” is not a number; write digits such as 0.75 or -2."),
        ("height", "2.5", "“2.5” is not a whole number; write digits such as 4."),
        ("scale", "1,5", "“1,5” has a decimal comma; write it with a point: 1.5."),
        ("scale", "nan", "“nan” is not a number; write digits such as 0.75 or -2."),
        ("scale", "", "The field is empty; write a number such as 0.75."),
    ],
)
def test_a_size_that_is_none_is_refused_and_said_and_nothing_is_saved(qtbot, window, name, text, reason):
    window.deeds["export_png"].trigger()
    dialog = window.findChild(PictureDialog)
    before = dialog.wish()
    enter(qtbot, dialog, name, text)
    bubble = dialog.findChild(QLabel, "refusal")
    assert (bubble.text(), bubble.isVisible()) == (reason, True)
    assert dialog.wish() == before
    dialog.findChild(QPushButton, "picture/save").click()
    assert dialog.isVisible()
    dialog.reject()


def enter(qtbot, dialog, name, text):
    """Type into a field of the picture dialog and leave it."""
    field = dialog.findChild(NumberField, f"picture/{name}")
    qtbot.waitUntil(dialog.isActiveWindow)
    field.setFocus()
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Delete)
    QTest.keyClicks(field, text)
    field.clearFocus()


def test_a_picture_can_be_copied(window):
    window.deeds["export_panel"].trigger()
    window.findChild(PictureDialog).findChild(QPushButton, "picture/copy").click()
    assert (QGuiApplication.clipboard().image().width()) == 720


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".json"])
def test_the_numbers_of_a_stage_reach_a_file(qtbot, window, tmp_path, suffix):
    path = tmp_path / f"weights{suffix}"
    with qtbot.waitSignal(window.exporting.told):
        window.exporting.write_table(path, TableWish("weights", 0, suffix))
    assert str(path) in window.status.currentMessage()
    shown = window.stages.weights.array()
    if suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        assert rows[0][1:] == list(window.document.inputs.tokens)
        found = np.array([row[1:] for row in rows[1:]], np.float32)
    elif suffix == ".npz":
        with np.load(path) as arrays:
            found = arrays["weights"]
    else:
        found = np.array(json.loads(path.read_text("utf-8"))["weights"], np.float32)
    assert np.array_equal(found, shown)


def test_all_stages_of_all_heads_reach_one_file(qtbot, window, tmp_path):
    path = tmp_path / "all.npz"
    with qtbot.waitSignal(window.exporting.told):
        window.exporting.write_table(path, TableWish("all", None, ".npz"))
    with np.load(path) as arrays:
        assert arrays["head_output"].shape[0] == 2


def test_numbers_that_cannot_be_written_are_refused_with_a_reason(qtbot, window, tmp_path):
    with qtbot.waitSignal(window.runner.failed):
        window.exporting.write_table(tmp_path / "gone" / "a.csv", TableWish("weights", 0, ".csv"))
    assert "there is no folder" in window.status.currentMessage()


def test_the_table_dialog_offers_only_what_a_format_can_hold(qtbot, window, tmp_path):
    window.deeds["export_table"].trigger()
    dialog = window.findChild(TableDialog)
    assert dialog.wish() == TableWish("weights", 0, ".csv")
    stage, head = (dialog.findChild(QComboBox, f"table/{name}") for name in ("stage", "head"))
    stage.setCurrentIndex(stage.findData("all"))
    assert dialog.wish() == TableWish("all", 0, ".npz")
    stage.setCurrentIndex(stage.findData("scores"))
    head.setCurrentIndex(head.count() - 1)
    assert dialog.wish() == TableWish("scores", None, ".npz")
    dialog.findChild(QPushButton, "table/save").click()
    with qtbot.waitSignal(window.exporting.told):
        choose_file(window, tmp_path / "scores.npz")
    assert (tmp_path / "scores.npz").exists()
