"""What a person waits for in the real window at one length, in a process of its own for its memory.

usage: one_length.py N_TOKENS N_HEADS ROUNDS STEPS
It prints rows as JSON. Beyond 2,048 tokens it also times the first and the complete picture, wheel and drag,
a jump to another part of the map, and how long the event loop lets a message wait while the map is refined.
STEPS edits, each of its own step, are undone and redone before the most resident memory is told.
"""

from __future__ import annotations

import gc
import json
import os
import re
import resource
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attnviz.core import edits
from attnviz.gui.app import create_application
from attnviz.gui.main_window import MainWindow
from attnviz.gui.views.map_window import Window
from attnviz.io.presets import load_preset
from tests.benchmarks.edit_to_pixels import WARM_UP, WindowDrag, close, open_sized, random_document, wait
from tests.benchmarks.row import Row, Times

D = 64
NOTCHES, MOVES, JUMPS = 10, 40, 6
NEAR = 2048
"""Queries and keys in view where one jumps."""
PULSE = 0.005  # s


def measure(n_tokens: int, n_heads: int, rounds: int, steps: int) -> list[Row]:
    """Give the rows of one length."""
    create_application()
    window = open_sized(load_preset("neko").inputs)
    inputs = random_document(n_tokens, D, n_heads)
    size = f"{n_heads} × {n_tokens:,}" if n_heads > 1 else f"{n_tokens:,} tokens"
    screen = Screen(window)
    pulses = Pulses()
    rows = []
    started = time.perf_counter()
    window.document.replace(inputs)
    wait(lambda: screen.shows(inputs), 120)
    first = (time.perf_counter() - started) * 1e3
    if inputs.is_long:
        pulses.start()
        wait(lambda: screen.is_complete(), 600)
        complete = (time.perf_counter() - started) * 1e3
        delays = pulses.stop()
        rows.append(Row(f"window: first picture, {size}", first, aim="< 1,000 ms"))
        rows.append(Row(f"window: complete picture, {size}", complete))
        if len(delays) >= 200:  # a second of refining
            words = f"window: event loop's 99th percentile while refining, {size}"
            rows.append(Row(words, float(np.percentile(delays, 99)), aim="≤ 50 ms"))
    wait(screen.is_complete, 600)
    gc.freeze()
    rows += _edits(window, n_tokens, rounds, size)
    if inputs.is_long:
        pulses.start()  # the loop never sleeps where a turn of the wheel changes nothing
        rows += _moves(window, screen, size)
        pulses.stop()
    words = f"window: most resident memory, {size}"
    if steps:
        window.parts.stages.reset_zoom()
        wait(lambda: window.runner.is_busy is False or screen.stages.is_coarse, 60)
        _step(window, screen, n_tokens, steps)
        words = f"{words}, {steps} edits undone and redone"
    rows.append(Row(words, _most_resident(), aim="≤ 700 MB", unit="MB"))
    close(window)
    return rows


def _edits(window: MainWindow, n_tokens: int, rounds: int, size: str) -> list[Row]:
    """Drag a number of q of the last token."""
    drag = WindowDrag(window.document.inputs, n_tokens - 1, window)
    times, computed = Times(), []
    for turn in range(-WARM_UP, rounds):
        cpu = time.process_time()
        took = drag.redraw()
        if turn >= 0:
            times.wall.append(took)
            times.cpu.append((time.process_time() - cpu) * 1e3)
            computed.append(window.stages.seconds * 1e3)
    frame = "p95 ≤ 16.7 ms" if n_tokens <= 4096 else "p95 ≤ 50 ms" if n_tokens >= 131072 else ""
    return [
        times.row(f"window: q edit to pixels, {size}", aim=frame),
        Row.of(f"window: of that computing, {size}", computed),
    ]


def _moves(window: MainWindow, screen: Screen, size: str) -> list[Row]:
    """Turn the wheel in and out, drag, and jump; frames run from the event to the end of painting."""
    grid = window.parts.stages.viewport()
    panel = window.parts.stages.panel("weights").plot_rect()
    wheel, drag, jump = Times(), Times(), Times()
    for notch in [1] * NOTCHES + [-1] * (NOTCHES // 2):
        screen.time(lambda notch=notch: _turn(grid, panel.center(), notch), wheel)
    handle, origin = window.windowHandle(), grid.mapTo(window, panel.center())
    none = Qt.KeyboardModifier.NoModifier
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, none, origin)
    for move in range(1, MOVES + 1):
        at = origin + QPoint(-3 * move, -2 * move)
        screen.time(lambda at=at: QTest.mouseMove(handle, at), drag)
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, none, at)
    near = Window(0.0, 0.0, NEAR, NEAR)
    n_query, n_key = window.document.inputs.n_query, window.document.inputs.n_key
    for place in range(JUMPS):
        query = n_query * (place * 5 % JUMPS + 1) / (JUMPS + 1)
        there = near.centred(query, query / 2, n_query, n_key)

        def go(there=there) -> None:
            window.parts.stages.look_at(there)
            wait(screen.is_complete, 120)

        jump.take(go)
    rows = [wheel.row(f"window: frame of a zoom, {size}"), drag.row(f"window: frame of a pan, {size}")]
    rows.append(jump.row(f"window: exact picture of another {NEAR:,} × {NEAR:,}, {size}"))
    return rows


def _most_resident() -> float:
    """Give the most memory that was resident, in MB; the system's own count begins with the parent's."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.findall(r"VmHWM:\s*(\d+) kB", status.read_text())[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _turn(grid, at: QPoint, notches: int) -> None:
    nothing = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    turn = QPoint(0, 120 * notches)
    event = QWheelEvent(QPointF(at), QPointF(grid.mapToGlobal(at)), QPoint(), turn, *nothing, False)
    QApplication.sendEvent(grid, event)


def _step(window: MainWindow, screen: Screen, n_tokens: int, steps: int) -> None:
    """Make edits of one step each all over the text, undo them all and do them again."""
    document = window.document
    rng = np.random.default_rng(1)

    def settle() -> None:
        inputs = document.inputs
        wait(lambda: screen.shows(inputs))

    for query in rng.integers(n_tokens, size=steps).tolist():
        document.select_query(query)
        document.apply(lambda inputs, query=query: edits.set_vector_value(inputs, 0, "q", query, 1, 2.5))
        settle()
    for way in (document.undo, document.redo):
        for _ in range(steps):
            way()
            settle()


class Screen:
    """Knows what the window has painted, by the events that end a painting."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self.frames = self.answers = 0
        self.stages = None
        assert window.live is not None
        clock = window.live.clock
        told = clock.painted

        def painted(event: QEvent) -> None:
            told(event)
            if event.type() == QEvent.Type.UpdateRequest:
                self.frames += 1
                self.answers += window.stages is not self.stages
                self.stages = window.stages

        clock.painted = painted  # type: ignore[method-assign]

    def shows(self, inputs) -> bool:
        """Say whether these inputs have been painted."""
        return self.stages is not None and self.stages.request.inputs is inputs

    def is_complete(self) -> bool:
        """Say whether the last painting showed all there is to show."""
        live = self._window.live
        return live is not None and live.is_up_to_date() and self.stages is self._window.stages

    def time(self, way: Callable[[], object], times: Times) -> None:
        """Note the time from a person's move to the end of the next painting; none where nothing changed."""
        before, wall, cpu = self.frames, time.perf_counter(), time.process_time()
        way()
        end = wall + 0.5
        wait(lambda: self.frames > before or time.perf_counter() > end)
        if self.frames > before:
            times.wall.append((time.perf_counter() - wall) * 1e3)
            times.cpu.append((time.process_time() - cpu) * 1e3)


class Pulses(QObject):
    """Sends the event loop a message every 5 ms from another thread, and notes how long each had to wait."""

    sent = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self._delays: list[float] = []
        self._is_over = threading.Event()
        self._thread: threading.Thread | None = None
        self.sent.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def start(self) -> None:
        """Begin."""
        self._delays.clear()
        self._is_over.clear()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def stop(self) -> list[float]:
        """End, and give the delays in ms."""
        assert self._thread is not None
        self._is_over.set()
        self._thread.join()
        return list(self._delays)

    def _run(self) -> None:
        while not self._is_over.wait(PULSE):
            self.sent.emit(time.perf_counter())

    def _take(self, when: float) -> None:
        self._delays.append((time.perf_counter() - when) * 1e3)


def main() -> None:
    """Print the rows of the length asked for."""
    print(json.dumps(measure(*map(int, sys.argv[1:5]))))


if __name__ == "__main__":
    sys.exit(main())
