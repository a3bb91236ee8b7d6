"""The four panels look as they did when someone last looked at them and found them good.

The pictures are compared in blocks of 4 × 4 pixels, so that another release of Qt may draw the edges of
letters otherwise, while anything that moved, changed its colour or is gone stands out. After a wanted change,
ATTNVIZ_UPDATE_SNAPSHOTS=1 writes the pictures anew; look at them before committing them.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

FOLDER = Path(__file__).parent / "snapshots"
SIZE = (1360, 860)
BLOCK = 4
TOLERANCE = 20
"""Of 255, per block and colour."""
MOST_OTHER = 0.003
"""Share of blocks that may differ by more."""


def picture(person) -> QImage:
    person.window.parts.stages.clearFocus()
    return person.picture(person.window.parts.stages.viewport()).convertToFormat(QImage.Format.Format_RGB888)


def blocks(image: QImage) -> np.ndarray:
    """Average an image over its blocks, (rows, columns, 3)."""
    width, height = image.width() // BLOCK, image.height() // BLOCK
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    colours = pixels[:, : 3 * image.width()].reshape(image.height(), image.width(), 3)
    cut = colours[: height * BLOCK, : width * BLOCK].astype(float)
    return cut.reshape(height, BLOCK, width, BLOCK, 3).mean(axis=(1, 3))


def share_of_others(one: QImage, other: QImage) -> float:
    assert one.size() == other.size()
    return float((np.abs(blocks(one) - blocks(other)).max(axis=2) > TOLERANCE).mean())


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_four_panels_look_as_they_did(sit_down, tmp_path, theme):
    path = FOLDER / f"stages-{theme}.png"
    now = picture(sit_down(size=SIZE, theme=theme, speaks="ja"))
    if os.environ.get("ATTNVIZ_UPDATE_SNAPSHOTS"):
        assert now.save(str(path))
    then = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB888)
    now.save(str(tmp_path / path.name))
    assert then.size() == now.size()
    assert share_of_others(then, now) <= MOST_OTHER, f"compare {path} with {tmp_path / path.name}"


@pytest.mark.parametrize("change", ["mask", "selection", "number"])
def test_a_small_change_would_be_noticed(sit_down, change):
    person = sit_down(size=SIZE)
    before = picture(person)
    if change == "mask":
        person.shortcut("Ctrl+M")
    elif change == "selection":
        person.click("token/7")
    else:
        person.enter_number("q/0/1/number", "0")
    person.settle()
    assert share_of_others(before, picture(person)) > MOST_OTHER
