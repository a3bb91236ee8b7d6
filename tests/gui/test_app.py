"""The application: it opens, closes, is interrupted, and ends without a trace, as a process too."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from attnviz.core.errors import AttnvizError
from attnviz.core.selection import Selection
from attnviz.gui import files
from attnviz.gui.app import run, view_inputs
from attnviz.gui.import_dialog import ImportDialog
from attnviz.gui.main_window import MainWindow
from attnviz.io import opening
from attnviz.io.session import save_session

ROOT = Path(__file__).resolve().parents[2]


def when_shown(act) -> None:
    """Do something with the window as soon as it shows an answer."""
    timer = QTimer(QApplication.instance())

    def look() -> None:
        windows = [w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow) and w.isVisible()]
        if windows and windows[0].stages is not None:
            timer.stop()
            timer.deleteLater()
            act(windows[0])

    timer.timeout.connect(look)
    timer.start(5)


def test_run_returns_0_when_the_window_is_closed(qapp):
    seen = []
    when_shown(lambda window: (seen.append(window.document.preset), window.close()))
    assert run() == 0
    assert seen == ["neko"]


def test_run_opens_a_session(qapp, tmp_path, small_inputs):
    path = tmp_path / "small.attnviz"
    save_session(path, small_inputs, Selection(1, 2, 3))
    seen = []
    when_shown(
        lambda window: (seen.append((window.document.path, window.document.selection)), window.close())
    )
    assert run(str(path)) == 0
    assert seen == [(path, Selection(1, 2, 3))]


def test_the_window_is_there_before_a_large_session_is_read(qapp, tmp_path, small_inputs, monkeypatch):
    monkeypatch.setattr(files, "_SOON_READ", 0)
    gate, read = threading.Event(), opening.open_document

    def wait_and_read(path, watch=None):
        assert gate.wait(60)
        return read(path, watch)

    monkeypatch.setattr(opening, "open_document", wait_and_read)
    path = tmp_path / "small.attnviz"
    save_session(path, small_inputs, Selection(1, 2, 3))
    seen = []

    def act(window: MainWindow) -> None:
        seen.append(window.document.preset)
        window.document.path_changed.connect(lambda path: (seen.append(path), window.close()))
        gate.set()

    when_shown(act)
    assert run(str(path)) == 0
    assert seen == ["neko", path]


def test_a_session_that_is_damaged_inside_is_told_of_in_the_window(qapp, tmp_path, small_inputs):
    path = tmp_path / "small.attnviz"
    save_session(path, small_inputs, Selection())
    path.write_bytes(path.read_bytes()[:-30])
    seen = []
    when_shown(lambda window: (seen.append(window.status.currentMessage()), window.close()))
    assert run(str(path)) == 0
    assert "small.attnviz" in seen[0]
    assert "damaged" in seen[0]


def test_run_asks_what_arrays_become(qapp, tmp_path):
    path = tmp_path / "mine.npy"
    np.save(path, np.ones((3, 2), np.float32))
    seen = []

    def act(window: MainWindow) -> None:
        def look() -> None:
            dialogs = window.findChildren(ImportDialog)
            if dialogs:
                timer.stop()
                seen.append(dialogs[0].windowTitle())
                dialogs[0].reject()
                window.close()

        timer = QTimer(window)
        timer.timeout.connect(look)
        timer.start(5)

    when_shown(act)
    assert run(str(path)) == 0
    assert "mine.npy" in seen[0]


def test_run_begins_a_lesson(qapp, tmp_path):
    path = tmp_path / "mine.attnviz-lesson.json"
    path.write_text(
        '{"format": "attnviz-lesson", "version": 1, "id": "mine", "title": "Mine", "preset": "toy",'
        ' "steps": [{"do": "Look.", "see": "Three tokens.", "edits": []}]}',
        "utf-8",
    )
    seen = []
    when_shown(
        lambda window: (
            seen.append((window.lessons.is_running, window.document.inputs.n_tokens)),
            window.close(),
        )
    )
    assert run(str(path)) == 0
    assert seen == [(True, 3)]


def test_viewing_beside_a_running_application_returns_when_the_window_is_closed(qapp, small_inputs):
    seen = []
    when_shown(lambda window: (seen.append(window.document.inputs), window.close()))
    view_inputs(small_inputs)
    assert seen == [small_inputs]
    assert QApplication.instance() is qapp


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_an_interrupt_closes_the_window_and_gives_the_signal_back(qapp):
    before = signal.getsignal(signal.SIGINT)
    when_shown(lambda window: os.kill(os.getpid(), signal.SIGINT))
    assert run() == 0
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_a_second_interrupt_closes_a_window_with_unsaved_changes(qapp):
    def act(window: MainWindow) -> None:
        window.document.apply(lambda inputs: inputs.with_head(0, inputs.heads[1]))
        os.kill(os.getpid(), signal.SIGINT)
        QTimer.singleShot(50, window, lambda: os.kill(os.getpid(), signal.SIGINT))

    when_shown(act)
    assert run() == 0


def test_without_a_display_the_window_is_refused_in_one_sentence(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(AttnvizError, match="There is no display"):
        run()


CLOSE_WHEN_SHOWN = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from attnviz.gui import app

opened = app.open_window
def open_and_close(*arguments, **options):
    window = opened(*arguments, **options)
    close = lambda stages: QTimer.singleShot(0, window, window.close)
    close(window.stages) if window.stages is not None else window.runner.stages_ready.connect(close)
    return window
app.open_window = open_and_close
sys.exit(app.run())
"""


def test_a_process_ends_with_code_0_and_says_nothing():
    """A window of pyqtgraph that is still there when the interpreter ends would crash it."""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", CLOSE_WHEN_SHOWN],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    said = [line for line in done.stderr.splitlines() if "propagateSizeHints" not in line]
    assert (done.returncode, done.stdout, said) == (0, "", [])


def test_no_thread_is_left_when_the_window_is_closed(qapp):
    when_shown(lambda window: window.close())
    run()
    assert "attnviz-engine" not in {thread.name for thread in threading.enumerate()}
