"""A process of its own with the window in it, which edits for ever and says what it has done; for kills.

``python crashing_window.py`` opens what `attnviz` opens. Once the window shows something, it prints a line
``shown TEXT STRENGTH TITLE``, then makes an edit every few milliseconds and prints ``edit NUMBER SECONDS``.
With ``look`` as its argument it edits nothing.
"""

from __future__ import annotations

import sys
import time

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from attnviz.core import edits
from attnviz.gui.app import create_application, run
from attnviz.gui.main_window import MainWindow

EVERY_MS = 7


def main() -> None:
    app = create_application()
    timer = QTimer(app)
    state = {"number": 0, "is_shown": False}

    def act() -> None:
        window = next((w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow)), None)
        if window is None or window.stages is None:
            return
        if not state["is_shown"]:
            state["is_shown"] = True
            say("shown", f"{window.document.inputs.scale_strength:.6f}", window.windowTitle())
        if "look" in sys.argv:
            return
        state["number"] += 1
        strength = 1.0 + state["number"] / 10_000
        window.document.apply(lambda inputs: edits.set_scale_strength(inputs, strength), "drag")
        say("edit", str(state["number"]), f"{time.time():.4f}")

    timer.timeout.connect(act)
    timer.start(EVERY_MS)
    run()


def say(*words: str) -> None:
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
