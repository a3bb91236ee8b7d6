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
from attnviz.gui.main_window import MainWindow
from attnviz.gui.settings import Settings

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
    """Give the times at 10 and at 1,024 tokens."""
    create_application()
    rows = []
    for n_tokens, d in ((10, 4), (1024, 64)):
        inputs = document(n_tokens, d)
        ours = time_window(inputs, rounds)
        theirs = time_matplotlib(inputs, rounds)
        faster = statistics.median(theirs) / statistics.median(ours)
        rows.append(_row(f"edit to pixels, {n_tokens} tokens", ours, faster))
        rows.append(_row(f"matplotlib, four panels, {n_tokens} tokens", theirs, None))
    return rows


def document(n_tokens: int, d: int) -> Inputs:
    """Give a document of two heads of random numbers; the same every time."""
    rng = np.random.default_rng(0)
    vectors = [rng.standard_normal((n_tokens, d)).astype(np.float32) for _ in range(3)]
    return Inputs(
        "", tuple(f"t{index}" for index in range(n_tokens)), (Head("a", *vectors), Head("b", *vectors))
    )


def time_window(inputs: Inputs, rounds: int) -> list[float]:
    """Drag one q value; give ms from each edit to the end of the painting that shows it."""
    language = Language()
    window = open_window(Settings(_no_settings()), language, inputs)
    window.resize(*SIZE)
    window.parts.share_out(*SIZE)
    window.document.select_query(inputs.n_tokens - 1)
    _wait(lambda: window.stages is not None and not window.runner.is_busy)
    try:
        return _drag(window, inputs.n_tokens - 1, rounds)
    finally:
        window.abandon()
        window.deleteLater()


def _drag(window: MainWindow, query: int, rounds: int) -> list[float]:
    times: list[float] = []
    assert window.live is not None
    window.live.clock.measured.connect(lambda seconds: times.append(seconds * 1e3))
    for step in range(WARM_UP + rounds):
        value = (step % 60) / 10 - 3
        seen = len(times)
        window.document.apply(
            lambda inputs, value=value: edits.set_vector_value(inputs, 0, "q", query, 1, value), "drag"
        )
        _wait(lambda seen=seen: len(times) > seen)
    return times[-rounds:]


def time_matplotlib(inputs: Inputs, rounds: int) -> list[float]:
    """Redraw the four stages; give ms of each redrawing."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    stages = define(inputs, 0)
    hidden = ~inputs.mask.allowed((0, inputs.n_tokens), (0, inputs.n_tokens))
    pictures = [
        stages.scores.astype(np.float32),
        stages.scaled.astype(np.float32),
        np.ma.masked_array(stages.scaled.astype(np.float32), hidden),
        stages.weights.astype(np.float32),
    ]
    figure = Figure(PANEL_INCHES, DPI)
    canvas = FigureCanvasAgg(figure)
    images = []
    for axes, picture, title in zip(
        figure.subplots(2, 2).flat, pictures, ("QKᵀ", "÷√d_k", "mask", "softmax"), strict=True
    ):
        images.append(axes.imshow(picture, aspect="auto"))
        axes.set_title(title)
    canvas.draw()
    times = []
    for step in range(WARM_UP + rounds):
        started = time.perf_counter()
        for image, picture in zip(images, pictures, strict=True):
            image.set_data(picture)
        canvas.draw()
        if step >= WARM_UP:
            times.append((time.perf_counter() - started) * 1e3)
    return times


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
