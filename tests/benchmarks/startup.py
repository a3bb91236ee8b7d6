"""From the start of a process to its first painted window, beside a process that only imports what Qt needs.

The window counts as painted when its answer stands on the screen, not when its frame does. Both processes are
started in turns, so that whatever else the machine does meets both alike. The window's is started as
``attnviz`` starts it. Both find compiled what they import, as what is installed is: attnviz too, which in a
source tree would be compiled with every start where the environment forbids Python to write.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from tests.benchmarks.row import HEADING, Row

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 5
LONGEST = 60  # s
AIM = "≤ 1.6 times as long as the imports"
IMPORTS = "import PySide6.QtWidgets, numpy, pyqtgraph; print(flush=True); import os; os._exit(0)"
WINDOW = """
import contextlib, os, sys
from attnviz import __main__ as command
qt_loads = command._qt

@contextlib.contextmanager
def qt_loads_and_window_is_measured():
    with qt_loads():
        yield
    from PySide6.QtCore import QEvent
    from attnviz.gui import app

    class Measured(app.MainWindow):
        # Says a line, and is gone, when all of the window has been painted with an answer.
        def event(self, event):
            done = super().event(event)
            if event.type() == QEvent.Type.UpdateRequest and self.stages is not None:
                print(flush=True)
                os._exit(0)
            return done

    app.MainWindow = Measured

command._qt = qt_loads_and_window_is_measured
sys.exit(command.main([]))
"""


def measure(rounds: int = ROUNDS) -> list[Row]:
    """Give both times; the first start of each, which fills the caches of the system, is not counted."""
    times: dict[str, list[float]] = {"imports": [], "window": []}
    with tempfile.TemporaryDirectory() as compiled:
        for turn in range(rounds + 1):
            for name, program in (("imports", IMPORTS), ("window", WINDOW)):
                elapsed = _time_to_first_line(program, compiled)
                if turn:
                    times[name].append(elapsed * 1e3)
    imports, window = times["imports"], times["window"]
    ratio = statistics.median(window) / statistics.median(imports)
    return [
        Row.of("start to first painted window", window, ratio, AIM),
        Row.of("start, importing PySide6, numpy, pyqtgraph", imports),
    ]


def _time_to_first_line(program: str, compiled: str) -> float:
    environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ, "PYTHONPATH": str(ROOT)}
    environment |= {"PYTHONPYCACHEPREFIX": compiled, "PYTHONDONTWRITEBYTECODE": ""}
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, env=environment, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        too_late = threading.Timer(LONGEST, process.kill)
        too_late.start()
        line = process.stdout.readline()
        elapsed = time.perf_counter() - started
        too_late.cancel()
    if not line:
        raise RuntimeError("The process ended without painting.")
    return elapsed


def main() -> None:
    """Print the table."""
    print(HEADING)
    for row in measure():
        print(row)


if __name__ == "__main__":
    sys.exit(main())
