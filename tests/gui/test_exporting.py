"""Exports: exact pixels, true numbers, and a sentence about each file."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QPushButton, QSpinBox

from attnviz.gui.picture_dialog import PictureDialog
from attnviz.io.picture_wish import PANELS, PictureWish
from attnviz.gui.table_dialog import TableDialog, TableWish
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


def test_a_picture_of_the_window_leaves_no_window_behind(qtbot, window, tmp_path):
    before = set(QGuiApplication.topLevelWindows())
    window.exporting.write_picture(tmp_path / "a.png", PictureWish("window", (900, 600), 1.0, "dark"))
    visible = [shown for shown in QGuiApplication.topLevelWindows() if shown.isVisible()]
    assert set(visible) <= before


def test_a_picture_that_cannot_be_written_is_refused_with_a_reason(window, tmp_path):
    window.exporting.write_picture(tmp_path / "gone" / "a.png", PictureWish("stages", (90, 60), 1.0, "light"))
    assert "there is no folder" in window.status.currentMessage()


@pytest.mark.parametrize(("action", "panel"), [("export_png", "stages"), ("export_window", "window")])
def test_the_picture_dialog_leads_to_a_file(window, tmp_path, action, panel):
    window.deeds[action].trigger()
    dialog = window.findChild(PictureDialog)
    assert dialog.wish().panel == panel
    assert not dialog.findChild(type(dialog._preview), "picture/preview").pixmap().isNull()
    dialog.findChild(QDoubleSpinBox, "picture/scale").setValue(2.0)
    dialog.findChild(QSpinBox, "picture/width").setValue(800)
    dialog.findChild(QSpinBox, "picture/height").setValue(600)
    dialog.findChild(QPushButton, "picture/save").click()
    choose_file(window, tmp_path / "mine.png")
    image = QImage(str(tmp_path / "mine.png"))
    assert (image.width(), image.height()) == (800, 600)


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
