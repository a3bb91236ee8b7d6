"""The runner: one worker thread that creates, uses and closes the engine, and the queue before it.

Only the worker touches the engine. Nothing here knows what is drawn or edited.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Protocol, TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from attnviz.core.errors import AttnvizError
from attnviz.core.request import Request
from attnviz.core.stages import Stages
from attnviz.engine.base import Engine, Progress

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


class Errand(Protocol):
    """Something to be done with the engine in the worker thread."""

    def __call__(self, engine: Engine, progress: Progress) -> bool:
        """Do it, asking ``progress`` now and then; say whether it was done to the end."""
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

    _posted = Signal(object)

    def __init__(self, make_engine: MakeEngine, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._condition = threading.Condition()
        self._waiting: dict[str, Request] = {}
        self._make_engine: MakeEngine | None = make_engine
        self._answer: Stages | None = None
        self._errands: deque[tuple[Errand, Callable[[], object]]] = deque()
        self._is_running = False
        self._is_cancelled = False
        self._is_closing = False
        self._is_busy = False
        self._is_superseded = False
        self._gave_way = False  # the computation before this one was stopped for a newer one of its lane
        self._posted.connect(self._take, Qt.ConnectionType.QueuedConnection)
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
            self._condition.notify_all()
        self._set_busy(True)

    def wait_briefly(self, seconds: float) -> None:
        """Deliver the answer at once if it comes within this time; for work known to be short.

        Notes
        -----
        What was changed and what follows from it then reach the screen in one painting instead of two.
        """
        with self._condition:
            self._condition.wait_for(
                lambda: self._answer is not None or not (self._is_running or self._waiting), seconds
            )
        self._deliver()

    def use_engine(self, make_engine: MakeEngine) -> None:
        """Use another engine from now on; where it cannot be made, the present one stays."""
        with self._condition:
            self._make_engine = make_engine
            self._condition.notify_all()

    def run_errand(self, errand: Errand, then: Callable[[], object]) -> None:
        """Let the worker do something else with the engine, such as an export, once no request waits.

        Parameters
        ----------
        errand
            Called in the worker thread with the engine and a Progress; says whether it was done to the end.
        then
            Called in the runner's thread when it was.
        """
        with self._condition:
            if self._is_closing:
                return
            self._errands.append((errand, then))
            self._condition.notify_all()
        self._set_busy(True)

    def cancel(self) -> None:
        """Stop what runs and forget what waits."""
        with self._condition:
            self._waiting.clear()
            self._errands.clear()
            self._is_cancelled = self._is_running

    def close(self) -> None:
        """Stop, close the engine and wait for the thread to end; may be called twice."""
        with self._condition:
            self._is_closing = True
            self._condition.notify_all()
        self._thread.join()

    def _take(self, call: Callable[[], object]) -> None:
        """Do in this thread what the worker has posted; nobody wants to hear of it after the end."""
        if not self._is_closing:
            call()

    def _deliver(self) -> None:
        with self._condition:
            answer, self._answer = self._answer, None
        if answer is not None:
            self.stages_ready.emit(answer)

    def _rest(self) -> None:
        with self._condition:
            is_done = not (self._waiting or self._errands or self._is_running or self._answer)
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
                while not (self._is_closing or self._waiting or self._errands or self._make_engine):
                    self._condition.wait()
                if self._is_closing:
                    break
                make_engine, self._make_engine = self._make_engine, None
                self._is_running, self._is_cancelled = True, False
            if make_engine is not None:
                engine, previous = self._changed_engine(engine, make_engine), None
            with self._condition:
                if engine is None:  # nobody can answer
                    self._waiting.clear()
                    self._errands.clear()
                lane = next((lane for lane in LANES if lane in self._waiting), None)
                request = self._waiting.pop(lane) if lane else None
                errand = self._errands.popleft() if self._errands and not lane else None
            if engine is not None and request is not None and lane is not None:
                previous = self._compute(engine, request, lane, previous)
            elif engine is not None and errand is not None:
                self._do(engine, *errand)
            with self._condition:
                self._is_running = False
            self._post(self._rest)
        if engine is not None:
            self._guarded(engine.close)

    def _post(self, call: Callable[..., object], *arguments: object) -> None:
        """Let something be called in the runner's thread, as soon as it is back in its event loop."""
        self._posted.emit(partial(call, *arguments))

    def _do(self, engine: Engine, errand: Errand, then: Callable[[], object]) -> None:
        def progress(fraction: float, partial: Stages | None = None) -> bool:
            self._post(self.progress.emit, fraction)
            with self._condition:
                return not (self._is_closing or self._is_cancelled)

        if self._guarded(lambda: errand(engine, progress)):
            self._post(then)
        elif self._is_cancelled:
            self._post(self.cancelled.emit)

    def _changed_engine(self, old: Engine | None, make_engine: MakeEngine) -> Engine | None:
        made = self._guarded(make_engine)
        if made is None:
            return old
        if old is not None:
            self._guarded(old.close)
        engine, reason = made
        self._post(self.engine_changed.emit, engine.name, reason)
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
                self._post(self.progress.emit, fraction)
            return True

        self._is_superseded = False
        stages = self._guarded(lambda: engine.compute(request, previous, progress))
        self._gave_way = self._is_superseded and stages is None
        if stages is not None:
            self._hand_over(stages)
            return stages
        if self._is_cancelled:
            self._post(self.cancelled.emit)
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
            self._condition.notify_all()
        if is_first:
            self._post(self._deliver)

    def _guarded(self, work: Callable[[], _T]) -> _T | None:
        """Do something that may fail; the thread lives on and the window hears why."""
        try:
            return work()
        except AttnvizError as error:
            self._post(self.failed.emit, error)
        except MemoryError:
            self._post(
                self.failed.emit,
                AttnvizError("There is not enough memory to compute this; make the document smaller."),
            )
        except Exception as error:  # whatever it is, it is said, and the next edit is computed again
            reason = str(error).rstrip(".") or type(error).__name__
            self._post(self.failed.emit, AttnvizError("The computation failed: {reason}.", reason=reason))
        return None
