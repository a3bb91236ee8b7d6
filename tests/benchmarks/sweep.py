"""A bar of q swept from end to end at 12 heads × 1,024 tokens: pictures a second, and where it ends.

With 64 dimensions a token's sliders are upright bars. One asks for its next value every 8 ms, as under a
mouse, to and fro; a picture counts when the painting that shows another answer has ended.
"""

from __future__ import annotations

import os
import statistics
import time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt, QTimer

from attnviz.gui.app import create_application
from attnviz.gui.editors.value_bars import ValueBars
from tests.benchmarks.edit_to_pixels import close, open_sized, random_document, wait
from tests.benchmarks.one_length import Screen
from tests.benchmarks.row import Row

N_HEADS, N_TOKENS, D = 12, 1024, 64
INTERVAL = 8  # ms
SWEEPS, DIM = 6, 5


def measure(sweeps: int = SWEEPS, n_tokens: int = N_TOKENS) -> list[Row]:
    """Give pictures a second; the first way there and back is a warm-up.

    Raises
    ------
    RuntimeError
        When what is shown at the end is not the last value asked for.
    """
    create_application()
    window = open_sized(random_document(n_tokens, D, N_HEADS))
    window.document.select_query(n_tokens - 1)
    screen = Screen(window)
    wait(screen.is_complete)
    bars = window.parts.query_sliders.findChild(ValueBars, "q/0")
    values = [step / 10 for step in range(-30, 31)]
    rates = []
    for sweep in range(-2, sweeps):
        wanted = values if sweep % 2 == 0 else values[::-1]
        seconds, pictures = _sweep(bars, wanted, screen)
        if sweep >= 0:
            rates.append(pictures / seconds)
        shown = float(screen.stages.request.inputs.heads[0].q[n_tokens - 1, DIM])
        if shown != wanted[-1] or not window.live.is_up_to_date():
            raise RuntimeError(f"The sweep ended on {shown}, not on {wanted[-1]}.")
    close(window)
    words = f"slider swept end to end, pictures a second, {N_HEADS} × {n_tokens:,}"
    return [Row(words, statistics.median(rates), aim="≥ 30, ending on the last value (it did)", unit="/s")]


def _sweep(bars: ValueBars, values: list[float], screen: Screen) -> tuple[float, int]:
    """Ask for all values; give s until the last is painted, and how many answers were painted."""
    waiting, before = iter(values), screen.answers
    is_over = False

    def ask() -> None:
        nonlocal is_over
        value = next(waiting, None)
        if value is None:
            is_over = True
            timer.stop()
        else:
            bars.value_asked.emit(DIM, value, f"sweep{values[0]}")

    timer = QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.setInterval(INTERVAL)
    timer.timeout.connect(ask)
    started = time.perf_counter()
    timer.start()
    wait(lambda: is_over and screen.is_complete())
    return time.perf_counter() - started, screen.answers - before
