"""From an edit to the pixels: the real window beside matplotlib redrawing the same four panels.

The window computes, refreshes all editors and paints the four panels, the query's bars and the table of the
arithmetic; the clock runs from the edit to the end of painting. matplotlib is given the numbers, ready
computed, puts them into four images by set_data and draws its canvas (Agg): what a script would do in its
fastest way. Nothing here needs a display.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QCoreApplication, QEventLoop, QSettings

from attnviz.core import edits
from attnviz.core.attention import define
from attnviz.core.inputs import Head, Inputs
from attnviz.gui.app import create_application, open_window
from attnviz.gui.language import Language
from attnviz.gui.settings import Settings
from attnviz.io.presets import load_preset

SIZE = (1360, 860)
WARM_UP, ROUNDS = 10, 100
PANEL_INCHES, DPI = (7.8, 5.3), 100
"""The area that the four panels have in the window of SIZE."""


class Row(NamedTuple):
    """What was timed, in ms: median and 95th percentile, and how many times faster than matplotlib it is."""

    what: str
    median: float
    p95: float
    times_faster: float | None


def measure(rounds: int = ROUNDS) -> list[Row]:
    """Give the times at 10 and at 1,024 tokens.

    Both ways take turns, so that whatever else the machine does meets both alike.
    """
    create_application()
    rows = []
    for inputs, query in ((load_preset("neko").inputs, 6), (random_document(1024, 64), 1023)):
        n_tokens = inputs.n_tokens
        ours, theirs = WindowDrag(inputs, query), MatplotlibPanels(inputs)
        times = [(ours.redraw(), theirs.redraw()) for _ in range(WARM_UP + rounds)][WARM_UP:]
        ours.close()
        window, panels = ([pair[way] for pair in times] for way in (0, 1))
        faster = statistics.median(panels) / statistics.median(window)
        rows.append(_row(f"edit to pixels, {n_tokens} tokens", window, faster))
        rows.append(_row(f"matplotlib, four panels, {n_tokens} tokens", panels, None))
    return rows


def random_document(n_tokens: int, d: int) -> Inputs:
    """Give a document of two heads of random numbers; the same every time."""
    rng = np.random.default_rng(0)
    vectors = [rng.standard_normal((n_tokens, d)).astype(np.float32) for _ in range(3)]
    return Inputs(
        "", tuple(f"t{index}" for index in range(n_tokens)), (Head("a", *vectors), Head("b", *vectors))
    )


class WindowDrag:
    """Drags the second q value of one token in the real window."""

    def __init__(self, inputs: Inputs, query: int) -> None:
        self._window = open_window(Settings(_no_settings()), Language(), inputs)
        self._window.resize(*SIZE)
        self._window.parts.share_out(*SIZE)
        self._query = query
        self._window.document.select_query(self._query)
        self._steps = 0
        self._times: list[float] = []
        live = self._window.live
        assert live is not None
        _wait(live.is_up_to_date)
        live.clock.measured.connect(lambda seconds: self._times.append(seconds * 1e3))

    def redraw(self) -> float:
        """Move the value by one step; give ms from the edit to the end of the painting that shows it."""
        value = (self._steps % 60) / 10 - 3
        self._steps += 1
        self._times.clear()
        self._window.document.apply(
            lambda inputs: edits.set_vector_value(inputs, 0, "q", self._query, 1, value), "drag"
        )
        _wait(lambda: bool(self._times))
        return self._times[0]

    def close(self) -> None:
        """Close the window."""
        self._window.abandon()
        self._window.deleteLater()


class MatplotlibPanels:
    """Redraws the four stages of the first head."""

    def __init__(self, inputs: Inputs) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        stages = define(inputs, 0)
        hidden = ~inputs.mask.allowed((0, inputs.n_tokens), (0, inputs.n_tokens))
        scaled = stages.scaled.astype(np.float32)
        self._pictures = [
            stages.scores.astype(np.float32),
            scaled,
            np.ma.masked_array(scaled, hidden),
            stages.weights.astype(np.float32),
        ]
        figure = Figure(PANEL_INCHES, DPI)
        self._canvas = FigureCanvasAgg(figure)
        self._images = []
        titles = ("QKᵀ", "÷√d_k", "mask", "softmax")
        for axes, picture, title in zip(figure.subplots(2, 2).flat, self._pictures, titles, strict=True):
            self._images.append(axes.imshow(picture, aspect="auto"))
            axes.set_title(title)

    def redraw(self) -> float:
        """Put the numbers in and draw; give ms."""
        started = time.perf_counter()
        for image, picture in zip(self._images, self._pictures, strict=True):
            image.set_data(picture)
        self._canvas.draw()
        return (time.perf_counter() - started) * 1e3


def _row(what: str, times: list[float], faster: float | None) -> Row:
    return Row(what, statistics.median(times), float(np.percentile(times, 95)), faster)


def _no_settings() -> QSettings:
    # A file of its own: Qt writes by renaming, which would replace a shared place such as the null device.
    return QSettings(str(Path(tempfile.mkdtemp(), "settings.ini")), QSettings.Format.IniFormat)


def _wait(is_done: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not is_done():
        # Sleeping in the event loop, as the application does: a spinning loop would slow the worker down.
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        if time.monotonic() > end:
            raise TimeoutError("The window did not answer.")


def main() -> None:
    """Print the table."""
    for what, median, p95, ratio in measure():
        note = "" if ratio is None else f"   {ratio:.1f} times faster than matplotlib"
        print(f"{what:42} median {median:8.2f} ms   p95 {p95:8.2f} ms{note}")


if __name__ == "__main__":
    sys.exit(main())
