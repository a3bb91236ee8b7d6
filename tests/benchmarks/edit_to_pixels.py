"""From an edit to the pixels: the real window beside matplotlib redrawing the four panels.

The window computes, refreshes all editors and paints the four panels, the query's bars and the table of the
arithmetic; the clock runs from the edit to the end of painting. matplotlib is given the numbers, ready
computed, puts them into four images by set_data and draws its canvas (Agg): what a script would do in its
fastest way. It draws bare pictures, much less than our panels show, and the same panels as ours: tokens along
the axes, numbers in the cells, the query's outline (no legend). Nothing here needs a display.
"""

from __future__ import annotations

import gc
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QCoreApplication, QEventLoop, QSettings

from attnviz.assets import resource_path
from attnviz.core import edits
from attnviz.core.attention import define
from attnviz.core.inputs import Head, Inputs
from attnviz.gui.app import create_application, open_window
from attnviz.gui.language import Language
from attnviz.gui.main_window import MainWindow
from attnviz.gui.plain_text import visible
from attnviz.gui.settings import Settings
from attnviz.io.presets import load_preset
from tests.benchmarks.row import HEADING, Row

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties
    from matplotlib.image import AxesImage
    from matplotlib.text import Text

SIZE = (1360, 860)
WARM_UP, ROUNDS = 10, 25
VOCABULARY = 8192
"""Different tokens of a document of random numbers: few words of a long text are new."""
SELDOM = 5
"""The same panels in matplotlib take so long that they have a turn only in every fifth round."""
PANEL_INCHES, DPI = (7.8, 5.3), 100
"""The area that the four panels have in the window of SIZE."""
MOST_LABELS = 16
"""Tokens along an axis of matplotlib's panels; with more, they are thinned out and cells have no numbers."""
TITLES = ("QKᵀ", "÷√d_k", "mask", "softmax")
CENTRED: dict[str, Any] = {"ha": "center", "va": "center"}
AIM = f"the window ≥ 12 times faster, its p95 ≤ {1000 / 60:.1f} ms"


def measure(rounds: int = ROUNDS) -> list[Row]:
    """Give the times at 10 and at 1,024 tokens.

    All ways take turns, so that whatever else the machine does meets them alike.
    """
    create_application()
    rows = []
    for inputs, query in ((load_preset("neko").inputs, 6), (random_document(1024, 64), 1023)):
        n_tokens = inputs.n_tokens
        ours = WindowDrag(inputs, query)
        bare, same = (MatplotlibPanels(inputs, query, is_bare=is_bare) for is_bare in (True, False))
        gc.freeze()  # as the program does once its window is open
        window: list[float] = []
        others: tuple[list[float], list[float]] = ([], [])
        for turn in range(-WARM_UP, rounds):
            times = (ours.redraw(), bare.redraw(), same.redraw() if turn % SELDOM == 0 else None)
            for known, time_taken in zip((window, *others), times, strict=True):
                if turn >= 0 and time_taken is not None:
                    known.append(time_taken)
        gc.unfreeze()
        ours.close()
        rows.append(Row.of(f"edit to pixels, {n_tokens} tokens", window))
        for what, theirs in zip(("bare pictures", "the same panels"), others, strict=True):
            slower = statistics.median(theirs) / statistics.median(window)
            rows.append(Row.of(f"matplotlib, {what}, {n_tokens} tokens", theirs, slower, AIM))
    return rows


def random_document(n_tokens: int, d: int, n_heads: int = 2) -> Inputs:
    """Give a document of heads of the same random numbers; the same every time."""
    rng = np.random.default_rng(0)
    vectors = [rng.standard_normal((n_tokens, d), np.float32) for _ in range(3)]
    words = [f"t{index}" for index in range(min(n_tokens, VOCABULARY))]
    tokens = tuple(words[index % VOCABULARY] for index in range(n_tokens))
    return Inputs("", tokens, tuple(Head(chr(ord("a") + index), *vectors) for index in range(n_heads)))


class WindowDrag:
    """Drags the second q value of one token in the real window, a new one on ``inputs`` or one there is."""

    def __init__(self, inputs: Inputs, query: int, window: MainWindow | None = None) -> None:
        self._window = window or open_sized(inputs)
        self._query = query
        self._window.document.select_query(self._query)
        self._steps = 0
        self._times: list[float] = []
        live = self._window.live
        assert live is not None
        wait(live.is_up_to_date)
        live.clock.measured.connect(lambda seconds: self._times.append(seconds * 1e3))

    def redraw(self) -> float:
        """Move the value by one step; give ms from the edit to the end of the painting that shows it."""
        value = (self._steps % 60) / 10 - 3
        self._steps += 1
        self._times.clear()
        self._window.document.apply(
            lambda inputs: edits.set_vector_value(inputs, 0, "q", self._query, 1, value), "drag"
        )
        wait(lambda: bool(self._times))
        return self._times[0]

    def close(self) -> None:
        """Close the window."""
        close(self._window)


class MatplotlibPanels:
    """Redraws the four stages of the first head as matplotlib does it in its fastest way: set_data and draw.

    Parameters
    ----------
    inputs, query
        Two moments are shown by turns: ``inputs``, and the same with another number in the query's q.
    is_bare
        True: four pictures with a title and numbers along the axes. False: what our panels show too: tokens
        along both axes, a number in every cell where there is room, and the query's outline.
    """

    def __init__(self, inputs: Inputs, query: int, *, is_bare: bool) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.patches import Rectangle

        self._moments = [
            _pictures(edits.set_vector_value(inputs, 0, "q", query, 1, value), is_bare=is_bare)
            for value in (-1.0, 1.0)
        ]
        self._steps, self._is_bare = 0, is_bare
        figure = Figure(PANEL_INCHES, DPI)
        self._canvas = FigureCanvasAgg(figure)
        self._images: list[AxesImage] = []
        self._texts: list[dict[tuple[int, int], Text]] = []
        n_tokens = inputs.n_tokens
        step = -(-n_tokens // MOST_LABELS)
        for axes, picture, title in zip(figure.subplots(2, 2).flat, self._moments[0], TITLES, strict=True):
            self._images.append(axes.imshow(picture, aspect="auto"))
            axes.set_title(title)
            if is_bare:
                continue
            names, font = [visible(token) for token in inputs.tokens[::step]], _font()
            axes.set_xticks(range(0, n_tokens, step), names, rotation=90, font=font, fontsize=8)
            axes.set_yticks(range(0, n_tokens, step), names, font=font, fontsize=8)
            axes.add_patch(Rectangle((-0.5, query - 0.5), n_tokens, 1, fill=False, edgecolor="crimson"))
            shown = np.argwhere(~np.ma.getmaskarray(picture)).tolist() if n_tokens <= MOST_LABELS else []
            self._texts.append(
                {(row, column): axes.text(column, row, "", size=7, **CENTRED) for row, column in shown}
            )

    def redraw(self) -> float:
        """Put the numbers of the next moment in and draw; give ms."""
        pictures = self._moments[self._steps % 2]
        self._steps += 1
        started = time.perf_counter()
        for image, picture in zip(self._images, pictures, strict=True):
            image.set_data(picture)
            if not self._is_bare:
                image.autoscale()
        for texts, picture, title in zip(self._texts, pictures, TITLES, strict=False):
            unit, decimals = (100.0, 1) if title == "softmax" else (1.0, 2)
            for (row, column), text in texts.items():
                shown = f"{picture[row, column] * unit:.{decimals}f}"
                if shown != text.get_text():
                    text.set_text(shown)
        self._canvas.draw()
        return (time.perf_counter() - started) * 1e3


def _pictures(inputs: Inputs, *, is_bare: bool) -> list[np.ndarray]:
    """Give the four stages of the first head, float32 (n, n), those after the mask without hidden cells."""
    stages = define(inputs, 0)
    hidden = ~inputs.mask.allowed((0, inputs.n_tokens), (0, inputs.n_tokens))
    scaled, weights = stages.scaled.astype(np.float32), stages.weights.astype(np.float32)
    last = weights if is_bare else np.ma.masked_array(weights, hidden)
    return [stages.scores.astype(np.float32), scaled, np.ma.masked_array(scaled, hidden), last]


def _font() -> FontProperties:
    """Give a font that has the tokens' characters: the program's own."""
    from matplotlib.font_manager import FontProperties

    return FontProperties(fname=sorted(resource_path("fonts", "m-plus-1p").rglob("*Regular.ttf"))[0])


def open_sized(inputs: Inputs) -> MainWindow:
    """Open a window of SIZE, with settings of its own."""
    window = open_window(Settings(_no_settings()), Language(), inputs)
    window.resize(*SIZE)
    window.parts.share_out(*SIZE)
    live = window.live
    assert live is not None
    wait(live.is_up_to_date)
    return window


def close(window: MainWindow) -> None:
    """Close a window without asking."""
    window.abandon()
    window.deleteLater()


def wait(is_done: Callable[[], bool], seconds: float = 60.0) -> None:
    """Run the event loop until something is done."""
    end = time.monotonic() + seconds
    while not is_done():
        # Sleeping in the event loop, as the application does: a spinning loop would slow the worker down.
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        if time.monotonic() > end:
            raise TimeoutError("The window did not answer.")


def _no_settings() -> QSettings:
    # A file of its own: Qt writes by renaming, which would replace a shared place such as the null device.
    return QSettings(str(Path(tempfile.mkdtemp(), "settings.ini")), QSettings.Format.IniFormat)


def main() -> None:
    """Print the table."""
    print(HEADING)
    for row in measure():
        print(row)


if __name__ == "__main__":
    sys.exit(main())
