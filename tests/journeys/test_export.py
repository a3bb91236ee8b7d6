"""A person exports pictures and numbers, and copies what they look at."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QLabel

from tests.journeys.window_hands import clipboard

TOKENS = ["猫", "が", "魚", "を", "食べた", "。", "それ", "は", "新鮮", "だった"]


def set_size(person, width: int, height: int) -> None:
    for name, value in (("width", width), ("height", height)):
        person.click(f"picture/{name}")
        person.shortcut("Ctrl+A")
        person.type(str(value))
        person.key(Qt.Key.Key_Tab)


@pytest.mark.parametrize("panel", ["stages", "weights", "window"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_picture_has_exactly_the_pixels_asked_for(person, tmp_path, panel, theme):
    person.shortcut("Ctrl+E")
    person.pick("picture/panel", panel)
    person.pick("picture/theme", theme)
    set_size(person, 1003, 777)
    assert not person.control("picture/preview", QLabel).pixmap().isNull()
    person.press_button("picture/save")
    person.choose_file(tmp_path / "mine.png")
    image = QImage(str(tmp_path / "mine.png"))
    assert (image.width(), image.height()) == (1003, 777)
    assert (image.pixelColor(2, 2).lightness() > 128) == (theme == "light")
    assert person.message() == f"Wrote {tmp_path / 'mine.png'}, 1003 × 777 pixels, with the document inside."


@pytest.mark.parametrize("what", ["picture", "numbers", "session"])
def test_a_folder_that_is_not_there_is_refused_in_a_sentence(person, tmp_path, what):
    suffix = {"picture": ".png", "numbers": ".csv", "session": ".attnviz"}[what]
    path = tmp_path / "no" / f"mine{suffix}"
    if what == "picture":
        person.shortcut("Ctrl+E")
        person.press_button("picture/save")
    elif what == "numbers":
        person.choose("file", "export_table")
        person.press_button("table/save")
    else:
        person.shortcut("Ctrl+Shift+S")
    person.choose_file(path)
    person.until(person.refusal)
    assert person.refusal() == f"“{path}” cannot be written: there is no folder “{path.parent}”."
    assert person.message() == person.refusal()
    assert not path.parent.exists()


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".json"])
def test_the_numbers_of_a_stage_are_exported_as_they_are(person, tmp_path, suffix):
    person.choose("file", "export_table")
    person.pick("table/format", suffix)
    person.press_button("table/save")
    path = tmp_path / f"mine{suffix}"
    person.choose_file(path)
    person.until(lambda: person.message() == f"Wrote {path}.")
    if suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        assert rows[0] == ["", *TOKENS]
        assert [row[0] for row in rows[1:]] == TOKENS
        weights = np.array([row[1:] for row in rows[1:]], np.float32)
    elif suffix == ".npz":
        with np.load(path) as arrays:
            weights = arrays["weights"]
    else:
        weights = np.array(json.loads(path.read_text("utf-8"))["weights"], np.float32)
    assert f"{100 * weights[6, 2]:.1f}" == person.cells("weights", 6)[2]
    assert weights[6, 7:].tolist() == [0, 0, 0]


def test_all_stages_of_all_heads_go_into_one_file(person, tmp_path):
    person.choose("file", "export_table")
    person.pick("table/stage", "all")
    person.pick("table/head", -1)
    person.press_button("table/save")
    path = tmp_path / "all.npz"
    person.choose_file(path)
    person.until(path.exists)
    with np.load(path) as arrays:
        assert arrays["weights"].shape == (2, 10, 10)
        assert np.isneginf(arrays["masked"][0, 0, 1])


def test_copying_with_a_panel_in_hand_gives_a_picture_and_a_table(person):
    stages = person.window.parts.stages
    person.click(stages.viewport(), person.panel("scores").cell_rect(6, 2).center())
    person.move(stages.viewport(), person.panel("scores").cell_rect(6, 2).center())
    person.shortcut("Ctrl+C")
    data = QGuiApplication.clipboard().mimeData()
    assert data.hasImage()
    rows = [line.split("\t") for line in data.text().splitlines()]
    assert rows[0] == ["", *TOKENS]
    assert [float(text) for text in rows[7][1:8]] == [3, -2, 5.5, -2, 0.75, -1, -0.25]
    assert person.message() == "Copied the panel as a picture and as a table."


def test_copying_from_the_arithmetic_gives_the_chosen_row_or_its_terms(person):
    table = person.control("arithmetic/table")
    person.click(table.viewport(), table.visualRect(table.model().index(0, 0)).center())
    person.shortcut("Ctrl+C")
    assert clipboard().split("\t") == ["猫", "3.0  0.0  0.0  0.0", "3.00", "1.50", "0.188"]
    person.click(person.control("arithmetic/terms").viewport())
    person.shortcut("Ctrl+C")
    assert clipboard() == person.terms()


def test_copying_from_the_bars_gives_names_and_numbers(person):
    person.click(person.control("weights_of_query/bars").viewport())
    person.shortcut("Ctrl+C")
    rows = [line.split("\t") for line in clipboard().splitlines()]
    assert [row[0] for row in rows] == TOKENS
    assert float(rows[2][1]) == pytest.approx(0.657, abs=5e-4)


def test_copying_from_a_text_field_gives_its_text(person):
    person.shortcut("Ctrl+L")
    person.shortcut("Ctrl+C")
    assert clipboard() == "猫が魚を食べた。それは新鮮だった"


def test_the_picture_of_the_dialog_can_be_copied(person):
    person.choose("file", "export_panel")
    set_size(person, 640, 480)
    person.press_button("picture/copy")
    image = QGuiApplication.clipboard().image()
    assert (image.width(), image.height()) == (640, 480)
