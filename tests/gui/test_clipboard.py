"""The clipboard: what is left on it when the program ends."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from PySide6.QtCore import QItemSelection, QItemSelectionModel
from PySide6.QtGui import QGuiApplication

from attnviz.core.inputs import Head, Inputs
from attnviz.core.summaries import MEASURES
from attnviz.gui.editors.vector_grid import VectorGrid
from attnviz.gui.views.plain_table import MOST_COPIED

N = 9_000

_COPY_AND_END = """
import numpy as np
from PySide6.QtWidgets import QApplication
from attnviz.core.request import Request
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.gui.clipboard import copy_weights
from attnviz.io.presets import load_preset

app = QApplication([])
copy_weights(NumpyEngine(1).compute(Request.whole(load_preset("neko", "ja").inputs, 0, 6)))
print(app.clipboard().text().count("\\n"))
"""


def test_the_process_ends_in_order_with_something_copied():
    ended = subprocess.run([sys.executable, "-c", _COPY_AND_END], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "10\n", "")


@pytest.fixture
def long_window(make_window, qtbot):
    random = np.random.default_rng(0)
    q, k, v = random.standard_normal((3, N, 8)).astype(np.float32)
    window = make_window(Inputs("", tuple(map(str, range(N))), (Head("a", q, k, v),)))
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def copy(qtbot, window, words="Copied the numbers as a table.") -> list[list[str]]:
    """Press Ctrl+C and give what is on the clipboard once the window says that it is there."""
    QGuiApplication.clipboard().setText("before")
    window.deeds["copy"].trigger()
    assert QGuiApplication.clipboard().text() == "before"  # it is being written beside the window
    assert window.status.currentMessage() == "Copying …"
    qtbot.waitUntil(lambda: window.status.currentMessage().startswith(words))
    return [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]


def test_summaries_of_very_many_rows_are_written_beside_the_window(qtbot, long_window):
    window = long_window
    window.show_option("summary", "entropy")
    qtbot.waitUntil(lambda: bool(window.stages.summaries) and not window.runner.is_busy, timeout=30_000)
    window.parts.marginals.setFocus()
    rows = copy(qtbot, window)
    told = window.stages.summaries[0]
    assert (len(rows), len(rows[0])) == (N + 1, len(MEASURES) + 1)
    assert np.array_equal(np.array([row[1:] for row in rows[1:]], np.float32)[:, 0], told.of(MEASURES[0]))
    assert "\n".join("\t".join(row) for row in rows) == window.parts.marginals.copied_text()


def test_very_many_numbers_of_q_are_written_beside_the_window(qtbot, long_window):
    window = long_window
    window.parts.show_tab(window.parts.vectors)
    grid = window.parts.vectors.findChild(VectorGrid, "vectors/q")
    grid.setFocus()
    model = grid.model()
    whole = QItemSelection(model.index(0, 0), model.index(N - 1, 7))
    grid.selectionModel().select(whole, QItemSelectionModel.SelectionFlag.ClearAndSelect)
    rows = copy(qtbot, window)
    assert np.array_equal(np.array(rows, np.float32), window.document.inputs.heads[0].q)


def test_outputs_of_very_many_rows_are_written_beside_the_window(qtbot, long_window):
    window = long_window
    window.parts.show_tab(window.parts.tabs.layer)
    qtbot.waitUntil(lambda: bool(window.stages.head_outputs) and not window.runner.is_busy, timeout=30_000)
    table = window.parts.head_outputs.table
    table.setFocus()
    words = f"Copied the first {MOST_COPIED:,} of {N:,} rows"
    rows = copy(qtbot, window, words)
    assert (len(rows), len(rows[0])) == (MOST_COPIED, 9)
    output = window.stages.head_outputs[0][:MOST_COPIED]
    values = [[float(text.replace("−", "-")) for text in row[1:]] for row in rows]
    assert np.abs(np.array(values) - output).max() < 0.0051


def test_few_numbers_are_there_at_once(qtbot, long_window):
    window = long_window
    window.parts.show_tab(window.parts.vectors)
    grid = window.parts.vectors.findChild(VectorGrid, "vectors/q")
    grid.setFocus()
    grid.selectionModel().select(grid.model().index(0, 0), QItemSelectionModel.SelectionFlag.ClearAndSelect)
    window.deeds["copy"].trigger()
    number = np.float32(QGuiApplication.clipboard().text())
    assert number == window.document.inputs.heads[0].q[0, 0]
