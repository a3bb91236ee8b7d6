"""A person starts from Python or a terminal: windows end cleanly, pictures and numbers agree."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

import attnviz
from attnviz.gui.picture_dialog import PictureWish

ROOT = Path(__file__).resolve().parents[2]

WHEN_SHOWN = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from attnviz.gui import app

opened = app.open_window

def open_and_act(*arguments, **named):
    window = opened(*arguments, **named)
    timer = QTimer(window)

    def look():
        if window.live.is_up_to_date() and not window.runner.is_busy:
            timer.stop()
            act(window)

    timer.timeout.connect(look)
    timer.start(5)
    return window

app.open_window = open_and_act
"""
"""Has ``act`` called with the window once it shows an answer."""


def process(code: str, *arguments: str) -> tuple[int, str, list[str]]:
    """Run code in a process of its own; gives its exit code, what it printed, and what it complained of."""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", code, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
    )
    # The offscreen platform says this of every window that has a smallest size.
    return (
        done.returncode,
        done.stdout,
        [line for line in done.stderr.splitlines() if "This plugin" not in line],
    )


def command(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "attnviz", *arguments], cwd=ROOT, capture_output=True, timeout=120
    )


def test_main_py_opens_the_example_and_ends_with_0_when_the_window_is_closed():
    code = f"""{WHEN_SHOWN}
import runpy
def act(window):
    print(window.parts.weights.shown_percent(2))
    window.close()
sys.argv = ["main.py"]
runpy.run_path("main.py", run_name="__main__")
"""
    assert process(code) == (0, "65.7%\n", [])


def test_view_opens_the_window_on_arrays_and_returns_when_it_is_closed():
    code = f"""{WHEN_SHOWN}
import attnviz
def act(window):
    print(window.parts.stages.panel("weights").shown_number(2, 1))
    window.close()
k = [[2, 0], [0, 2], [1, 1]]
attnviz.view(q=[[2, 0], [0, 2], [0, 2]], k=k, v=k, tokens=["cat", "fish", "it"], mask="none")
print("after")
"""
    assert process(code) == (0, "76.8\nafter\n", [])


def test_view_can_be_called_again_and_again_in_one_process():
    code = f"""{WHEN_SHOWN}
import attnviz
def act(window):
    print(len(window.document.inputs.tokens))
    window.close()
for n in (1, 2, 3):
    attnviz.view([[1.0]] * n, [[1.0]] * n, [[1.0]] * n)
"""
    assert process(code) == (0, "1\n2\n3\n", [])


@pytest.mark.parametrize(
    ("arrays", "why"),
    [
        (([[1, 2]], [[1]], [[1]]), "dimensions"),
        (([[1], [2, 3]], [[1]], [[1]]), "ragged"),
        (([], [], []), "empty"),
        (([[float("nan")]], [[1]], [[1]]), "finite"),
    ],
)
def test_view_refuses_arrays_that_do_not_fit_and_opens_nothing(qapp, arrays, why):
    with pytest.raises(ValueError, match=why):
        attnviz.view(*arrays)
    assert not [window for window in QApplication.topLevelWidgets() if window.isVisible()]


def test_render_draws_the_exact_size_and_the_very_picture_of_the_window(person, tmp_path):
    path = tmp_path / "neko.png"
    what = ["--preset", "neko", "--panel", "weights", "--lang", "en", "--theme", "dark"]
    done = command("render", *what, "--size", "701x503", "-o", str(path))
    assert (done.returncode, done.stdout) == (0, b"")
    image = QImage(str(path))
    assert (image.width(), image.height()) == (701, 503)
    drawn = person.window.picture(PictureWish("weights", (701, 503), 1.0, "dark"))
    assert image == drawn.convertedTo(image.format())


def test_export_writes_the_numbers_that_stand_in_the_window(person):
    done = command("export", "--preset", "neko", "--stage", "weights", "--head", "0", "-o", "-")
    rows = list(csv.reader(io.StringIO(done.stdout.decode("utf-8"))))
    weights = np.array([row[1:] for row in rows[1:]], np.float32)
    for query in range(10):
        assert [f"{100 * weight:.1f}" for weight in weights[query, : query + 1]] == person.cells(
            "weights", query
        )


@pytest.mark.parametrize(
    "arguments",
    [
        ["render", "--preset", "no", "-o", "a.png"],
        ["render", "--size", "0x5", "-o", "a.png"],
        ["render", "--query", "99", "-o", "a.png"],
        ["export", "--stage", "no", "-o", "a.csv"],
        ["render", "-o", "no/such/folder/a.png"],
        ["no_such_file.attnviz"],
    ],
)
def test_a_mistake_is_answered_in_one_sentence(arguments):
    done = command(*arguments)
    lines = done.stderr.decode("utf-8").splitlines()
    assert (done.returncode, len(lines), done.stdout) == (2, 1, b"")
    assert lines[0].endswith(".")
