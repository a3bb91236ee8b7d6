"""One lone weight at query 0, key 2 is in the top row and third column wherever a person meets it."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage

from attnviz.core.inputs import Inputs
from attnviz.engine.arrays import inputs_from_arrays

N = 4


@pytest.fixture
def lone() -> Inputs:
    """Four tokens; only query 0 may attend, and only to key 2, its score being large."""
    q, k = np.zeros((N, 1)), np.zeros((N, 1))
    q[0], k[2] = 30, 30
    allowed = np.zeros((N, N), bool)
    allowed[0] = True
    return inputs_from_arrays(q, k, k, tokens=["a", "b", "c", "d"], mask=allowed)


def deepest_cell(image: QImage, plot: QRect) -> tuple[int, int]:
    """Give the (row, column) of the darkest cell of a picture of N × N cells, each cell's middle measured."""
    darkest = {}
    for row in range(N):
        for column in range(N):
            # Beside the middle, where no number stands.
            x = plot.left() + round((column + 0.5) * plot.width() / N)
            y = plot.top() + round((row + 0.25) * plot.height() / N)
            darkest[row, column] = image.pixelColor(x, y).lightness()
    return min(darkest, key=darkest.__getitem__)


def test_in_the_window(sit_down, lone):
    person = sit_down(lone)
    panel = person.panel("weights")
    assert panel.shown_number(0, 2) == "100.0"
    picture = person.picture(person.window.parts.stages.viewport())
    assert deepest_cell(picture, panel.plot_rect()) == (0, 2)
    assert person.panel("weights").cell_rect(0, 2).top() == panel.plot_rect().top()


def test_in_the_exported_png(sit_down, lone, tmp_path):
    person = sit_down(lone)
    person.shortcut("Ctrl+E")
    person.pick("picture/panel", "weights")
    person.press_button("picture/save")
    person.choose_file(tmp_path / "weights.png")
    image = QImage(str(tmp_path / "weights.png"))
    assert deepest_cell(image, matrix_in(image)) == (0, 2)


def test_in_the_exported_csv(sit_down, lone, tmp_path):
    person = sit_down(lone)
    person.choose("file", "export_table")
    person.press_button("table/save")
    person.choose_file(tmp_path / "weights.csv")
    person.until((tmp_path / "weights.csv").exists)
    with (tmp_path / "weights.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["", "a", "b", "c", "d"]
    assert rows[1] == ["a", "0", "0", "1", "0"]
    assert [row[1:] for row in rows[2:]] == [["0"] * 4] * 3


def matrix_in(image: QImage) -> QRect:
    """Find the frame of the matrix in a picture: what lies between its outermost long lines."""
    ground = image.pixel(1, 1)
    wide = [
        y
        for y in range(image.height())
        if sum(image.pixel(x, y) != ground for x in range(0, image.width(), 2)) > image.width() // 4
    ]
    tall = [
        x
        for x in range(image.width())
        if sum(image.pixel(x, y) != ground for y in range(wide[0], wide[-1], 2)) > (wide[-1] - wide[0]) // 3
    ]
    return QRect(tall[0], wide[0], tall[-1] - tall[0], wide[-1] - wide[0])
