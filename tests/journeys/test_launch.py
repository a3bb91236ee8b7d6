"""A person launches the program: the example is there, its numbers are true, and closing ends it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from attnviz.gui.app import run
from attnviz.gui.main_window import MainWindow

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def launched(qapp):
    """Run the program as `attnviz` does and hand its window to a journey once it shows something."""

    def launch(journey) -> None:
        failures: list[BaseException] = []
        timer = QTimer(qapp)

        def look() -> None:
            for window in QApplication.topLevelWidgets():
                if isinstance(window, MainWindow) and window.isVisible() and window.stages is not None:
                    timer.stop()
                    try:
                        journey(window)
                    except BaseException as failure:  # said below, once the window is closed
                        failures.append(failure)
                    window.abandon()

        timer.timeout.connect(look)
        timer.start(5)
        assert run() == 0
        timer.deleteLater()
        if failures:
            raise failures[0]

    return launch


def test_the_program_opens_on_what_sore_attends_to(launched):
    def journey(window: MainWindow) -> None:
        window.resize(1360, 860)
        window.parts.share_out(1360, 860)
        bars = window.parts.weights
        assert "それ" in bars.heading()
        assert [bars.shown_percent(key) for key in (0, 2, 9)] == ["18.8%", "65.7%", "—"]
        panel = window.parts.stages.panel("weights")
        assert panel.shown_number(6, 2) == "65.7"
        assert panel.is_hatched(6, 7)
        assert window.status.engine[0].startswith("CPU: numpy")
        assert not window.grab().isNull()

    launched(journey)


def test_the_version_is_said_without_a_window():
    done = subprocess.run(
        [sys.executable, "main.py", "--version"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0
    assert done.stdout.startswith("attnviz ")
