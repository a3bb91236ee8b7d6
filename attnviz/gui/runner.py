"""The runner: one worker thread that creates, uses and closes the engine, and the queue before it.

Only the worker touches the engine. Nothing here knows what is drawn or edited.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Protocol, TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from attnviz.core.errors import AttnvizError
from attnviz.core.request import Request
from attnviz.core.stages import Stages
from attnviz.engine.base import Engine

_T = TypeVar("_T")

LANES = ("edit", "view", "extras", "refine")
"""From the most to the least urgent."""

SHORT = 0.1
"""Seconds that a computation may take before a newer one of its own lane may stop it."""


class MakeEngine(Protocol):
    """Creates an engine; called in the worker thread."""

    def __call__(self) -> tuple[Engine, str]:
        """Give the engine and, where a better one cannot be used here, why; else an empty text."""
        ...


class Runner(QObject):
    """Answers requests, the newest first, without ever letting the picture starve.

    In each lane only the newest request waits. What runs is finished, unless a more urgent lane wants the
    engine, or it takes long and a newer request of its lane waits; never are two in a row stopped for that.
    A request drops older ones that wait in less urgent lanes: it shows the same window at a later moment.

    All signals are delivered in the thread the runner lives in.
    """

    stages_ready = Signal(object)
    """Stages, partial ones too; where answers come faster than they are taken, the newest of them."""
    failed = Signal(object)
    """An AttnvizError: what could not be computed, or which engine could not be used."""
    progress = Signal(float)
    """Fraction done of what is running; comes only from work that takes over 100 ms."""
    busy_changed = Signal(bool)
    cancelled = Signal()
    engine_changed = Signal(str, str)
    """Name of the engine from now on, and why no better one is used, or an empty text."""

    _answered = Signal()
    _idle = Signal()

    def __init__(self, make_engine: MakeEngine, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._condition = threading.Condition()
        self._waiting: dict[str, Request] = {}
        self._make_engine: MakeEngine | None = make_engine
        self._answer: Stages | None = None
        self._running_lane: str | None = None
        self._is_cancelled = False
        self._is_closing = False
        self._is_busy = False
        self._is_superseded = False
        self._gave_way = False  # the computation before this one was stopped for a newer one of its lane
        self._answered.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._idle.connect(self._rest, Qt.ConnectionType.QueuedConnection)
        self._thread = threading.Thread(target=self._work, name="attnviz-engine", daemon=True)
        self._thread.start()

    @property
    def is_busy(self) -> bool:
        """True from a submit until its answer, or a newer one's, has been delivered."""
        return self._is_busy

    def submit(self, request: Request, lane: str = "edit") -> None:
        """Ask for an answer; never waits for one."""
        urgency = LANES.index(lane)
        with self._condition:
            if self._is_closing:
                return
            for less_urgent in LANES[urgency + 1 :]:
                self._waiting.pop(less_urgent, None)
            self._waiting[lane] = request
            self._condition.notify()
        self._set_busy(True)

    def use_engine(self, make_engine: MakeEngine) -> None:
        """Use another engine from now on; where it cannot be made, the present one stays."""
        with self._condition:
            self._make_engine = make_engine
            self._condition.notify()

    def cancel(self) -> None:
        """Stop what runs and forget what waits."""
        with self._condition:
            self._waiting.clear()
            self._is_cancelled = self._running_lane is not None

    def close(self) -> None:
        """Stop, close the engine and wait for the thread to end; may be called twice."""
        with self._condition:
            self._is_closing = True
            self._waiting.clear()
            self._condition.notify()
        self._thread.join()

    def _deliver(self) -> None:
        with self._condition:
            answer, self._answer = self._answer, None
        if answer is not None and not self._is_closing:
            self.stages_ready.emit(answer)

    def _rest(self) -> None:
        with self._condition:
            is_done = not self._waiting and self._running_lane is None and self._answer is None
        if is_done:
            self._set_busy(False)

    def _set_busy(self, is_busy: bool) -> None:
        if is_busy != self._is_busy:
            self._is_busy = is_busy
            self.busy_changed.emit(is_busy)

    # What follows runs in the worker thread.

    def _work(self) -> None:
        engine: Engine | None = None
        previous: Stages | None = None
        while True:
            with self._condition:
                while not (self._is_closing or self._waiting or self._make_engine):
                    self._condition.wait()
                if self._is_closing:
                    break
                make_engine, self._make_engine = self._make_engine, None
                lane = next((lane for lane in LANES if lane in self._waiting), None)
                request = self._waiting.pop(lane) if lane and (engine or make_engine) else None
                self._running_lane = lane
                self._is_cancelled = False
            if make_engine is not None:
                engine, previous = self._changed_engine(engine, make_engine), None
            if request is not None and engine is not None and lane is not None:
                previous = self._compute(engine, request, lane, previous)
            with self._condition:
                self._running_lane = None
                if engine is None:
                    self._waiting.clear()  # nobody can answer
            self._idle.emit()
        if engine is not None:
            self._guarded(engine.close)

    def _changed_engine(self, old: Engine | None, make_engine: MakeEngine) -> Engine | None:
        made = self._guarded(make_engine)
        if made is None:
            return old
        if old is not None:
            self._guarded(old.close)
        engine, reason = made
        self.engine_changed.emit(engine.name, reason)
        return engine

    def _compute(self, engine: Engine, request: Request, lane: str, previous: Stages | None) -> Stages | None:
        start = time.monotonic()

        def progress(fraction: float, partial: Stages | None = None) -> bool:
            elapsed = time.monotonic() - start
            if self._must_stop(lane, elapsed, fraction):
                return False
            if partial is not None:
                self._hand_over(partial)
            if elapsed > SHORT:
                self.progress.emit(fraction)
            return True

        self._is_superseded = False
        stages = self._guarded(lambda: engine.compute(request, previous, progress))
        self._gave_way = self._is_superseded and stages is None
        if stages is not None:
            self._hand_over(stages)
            return stages
        if self._is_cancelled:
            self.cancelled.emit()
        return previous

    def _must_stop(self, lane: str, elapsed: float, fraction: float) -> bool:
        with self._condition:
            if self._is_closing or self._is_cancelled:
                return True
            if any(urgent in self._waiting for urgent in LANES[: LANES.index(lane)]):
                return True
            self._is_superseded = (
                lane in self._waiting and not self._gave_way and elapsed > SHORT and fraction < 0.5
            )
            return self._is_superseded

    def _hand_over(self, stages: Stages) -> None:
        with self._condition:
            is_first = self._answer is None
            self._answer = stages
        if is_first:
            self._answered.emit()

    def _guarded(self, work: Callable[[], _T]) -> _T | None:
        """Do something that may fail; the thread lives on and the window hears why."""
        try:
            return work()
        except AttnvizError as error:
            self.failed.emit(error)
        except MemoryError:
            self.failed.emit(
                AttnvizError("There is not enough memory to compute this; make the document smaller.")
            )
        except Exception as error:  # whatever it is, it is said, and the next edit is computed again
            reason = str(error).rstrip(".") or type(error).__name__
            self.failed.emit(AttnvizError("The computation failed: {reason}.", reason=reason))
        return None
