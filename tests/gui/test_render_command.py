"""attnviz render: a picture of any size without a display, and nothing left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import NoMask
from attnviz.core.selection import Selection
from attnviz.gui.render_command import render
from attnviz.io import picture_session
from attnviz.io.opening import open_document

SELECTION = Selection(0, 2, 1)
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Options:
    inputs: Inputs
    output: Path
    selection: Selection = SELECTION
    panel: str = "stages"
    size: tuple[int, int] = (640, 480)
    scale: float = 1.0
    language: str = "en"
    theme: str = "light"
    engine: str = "cpu"
    carries_document: bool = True


@pytest.fixture
def options(qapp, small_inputs, tmp_path) -> Options:
    return Options(small_inputs, tmp_path / "out.png")


@pytest.mark.parametrize("panel", ["stages", "scores", "scaled", "masked", "weights", "window"])
@pytest.mark.parametrize(
    ("size", "scale"), [((640, 480), 1.0), ((1, 1), 1.0), ((1999, 1001), 3.0), ((1, 900), 4.0)]
)
def test_every_panel_is_drawn_at_exactly_the_size_asked_for(options, panel, size, scale):
    render(replace(options, panel=panel, size=size, scale=scale))
    image = QImage(str(options.output))
    assert (image.width(), image.height()) == size
    assert [window for window in QApplication.topLevelWidgets() if window.isVisible()] == []


def test_the_same_document_gives_the_same_picture(options):
    pictures = []
    for _ in range(2):
        render(options)
        pictures.append(options.output.read_bytes())
    assert pictures[0] == pictures[1]


def test_the_file_carries_the_document_unless_it_is_left_out(options):
    assert render(options) == ""
    assert open_document(options.output).session.inputs.equals(options.inputs)
    render(replace(options, carries_document=False))
    assert b"attnviz-session" not in options.output.read_bytes()


def test_a_document_too_large_to_be_carried_is_left_out_and_that_is_said(options, monkeypatch):
    monkeypatch.setattr(picture_session, "MAX_CARRIED_BYTES", 10)
    assert "too large" in render(options)
    assert QImage(str(options.output)).width() == 640
    assert b"attnviz-session" not in options.output.read_bytes()


@pytest.mark.parametrize("panel", ["stages", "window"])
def test_language_and_theme_change_the_picture(options, panel):
    pictures = []
    for changes in ({}, {"theme": "dark"}, {"selection": Selection(1, 0, 0)}):
        render(replace(options, panel=panel, **changes))
        pictures.append(options.output.read_bytes())
    assert len(set(pictures)) == 3


def test_a_lone_weight_at_query_0_and_key_2_is_in_the_top_row_and_third_column(qapp, tmp_path):
    q, k = np.zeros((4, 4)), np.zeros((4, 4))
    q[0, 0], k[2, 0] = 100.0, 100.0
    inputs = Inputs("", tuple("abcd"), (Head("", q, k, np.zeros((4, 1))),), mask=NoMask())
    out = tmp_path / "out.png"
    render(Options(inputs, out, selection=Selection(0, 3, 3), panel="weights", size=(600, 600)))
    image = QImage(str(out))
    dark = [
        (x, y)
        for x in range(0, 600, 2)
        for y in range(60, 560, 2)
        if image.pixelColor(x, y).lightness() < 90 and image.pixelColor(x, y).saturation() > 60
    ]
    across, down = (sum(place[axis] for place in dark) / len(dark) for axis in (0, 1))
    assert 600 * 0.5 < across < 600 * 0.8
    assert down < 600 * 0.4


def test_an_output_that_cannot_be_written_is_refused_and_nothing_is_left(options, tmp_path):
    with pytest.raises(AttnvizError, match="there is no folder"):
        render(replace(options, output=tmp_path / "gone" / "out.png"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("panel", ["stages", "window"])
def test_a_process_without_a_display_draws_and_says_nothing(tmp_path, panel):
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    out = tmp_path / "out.png"
    command = [sys.executable, "main.py", "render", "--panel", panel, "--lang", "ja", "-o", str(out)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not QImage(str(out)).isNull()
