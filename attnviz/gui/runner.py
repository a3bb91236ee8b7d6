"""The runner: a worker thread that creates, uses and closes the engine, and the queue before it.

Only its own worker touches an engine. Nothing here knows what is drawn or edited.
"""

from __future__ import annotations

import copy
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Protocol, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, SignalInstance

from attnviz.core.errors import AttnvizError
from attnviz.core.request import Request
from attnviz.core.stages import Stages
from attnviz.engine.base import Engine, Progress

_T = TypeVar("_T")
_Waiting = tuple["Errand", Callable[[], object], bool]  # what is done, what follows, and whether it gives way
_Named = tuple[str, AttnvizError | None]  # an engine's name, and why no better one is used

OVERVIEW = "overview"
"""The lane of answers that are not of what is looked at, but of all there is."""
LANES = ("edit", "view", "extras", OVERVIEW, "refine")
"""From the most to the least urgent."""

SHORT = 0.1
"""Seconds that a computation may take before a newer one of its own lane may stop it."""
TOLD_EVERY = 0.04
"""Seconds between two signals of progress; engines ask much more often whether to go on."""


class MakeEngine(Protocol):
    """Creates an engine; called in the thread that will use it."""

    def __call__(self) -> tuple[Engine, AttnvizError | None]:
        """Give the engine and, where a better one cannot be used here, why."""
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

    Another engine is made in a worker of its own while the present one goes on answering; once it is there it
    takes over what waits. One engine at a time is made or closed.

    All signals are delivered in the thread the runner lives in.
    """

    stages_ready = Signal(object)
    """Stages, partial ones too; where answers come faster than they are taken, the newest of them."""
    overview_ready = Signal(object)
    """Stages asked for in the lane of the overview."""
    failed = Signal(object)
    """An AttnvizError: what could not be computed."""
    progress = Signal(float)
    """Fraction done of what is running; comes only from work that takes over 100 ms."""
    busy_changed = Signal(bool)
    cancelled = Signal()
    engine_changed = Signal(str, object)
    """Name of the engine that answers, and why no better one does (an AttnvizError) or None.

    Comes when an engine takes over, and when an answer says that another one had to compute it."""
    engine_refused = Signal(object)
    """An AttnvizError: why the engine asked for last cannot be used; the present one stays."""

    _posted = Signal(object)

    def __init__(self, make_engine: MakeEngine, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._condition = threading.Condition()
        self._waiting: dict[str, Request] = {}
        self._answer: tuple[Stages, int, _Named] | None = None  # with the number and the name of its owner
        self._errands: deque[_Waiting] = deque()
        self._is_running = False
        self._is_cancelled = False
        self._is_closing = False
        self._is_busy = False
        self._is_superseded = False
        self._gave_way = False  # the computation before this one was stopped for a newer one of its lane
        self._has_nobody = False  # no engine could be made, and none is being made
        self._workers: list[threading.Thread] = []
        self._newest = 0  # number of the worker started last, from 1
        self._owner = 0  # number of the worker that answers, 0 for none
        self._heir = 0  # number of a worker that has its engine and waits to take over, 0 for none
        self._making = threading.Lock()
        self._owner_name: _Named = ("", None)
        self._named = 0  # number of the owner named last
        self._told: tuple[str, str] = ("", "")
        self._told_at = -math.inf  # when a worker last said how far it was
        self._posted.connect(self._take, Qt.ConnectionType.QueuedConnection)
        self.use_engine(make_engine)

    @property
    def is_busy(self) -> bool:
        """True from a submit until its answer, or a newer one's, has been delivered."""
        return self._is_busy

    def submit(self, request: Request, lane: str = "edit") -> None:
        """Ask for an answer; never waits for one."""
        urgency = LANES.index(lane)
        with self._condition:
            if self._is_closing or self._has_nobody:
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

    def use_engine(self, make_engine: MakeEngine, then: Callable[[], object] = lambda: None) -> None:
        """Use another engine as soon as it is made; where it cannot be, the present one stays.

        Parameters
        ----------
        make_engine
            Called in a thread of its own. Only what was asked for last is used.
        then
            Called in the runner's thread once the engine is used.
        """
        with self._condition:
            if self._is_closing:
                return
            self._newest += 1
            self._has_nobody = False
            worker = threading.Thread(
                target=self._work, args=(self._newest, make_engine, then), name="attnviz-engine", daemon=True
            )
            self._workers = [*(old for old in self._workers if old.is_alive()), worker]
            self._condition.notify_all()
        worker.start()

    def run_errand(self, errand: Errand, then: Callable[[], object], *, gives_way: bool = False) -> None:
        """Let the worker do something else with the engine, such as an export, once no request waits.

        Parameters
        ----------
        errand
            Called in the worker thread with the engine and a Progress; says whether it was done to the end.
        then
            Called in the runner's thread when it was.
        gives_way
            It is stopped for any request and begun again afterwards, so that edits do not wait for it; for
            what the engine goes on with where it was.
        """
        with self._condition:
            if self._is_closing or self._has_nobody:
                return
            self._errands.append((errand, then, gives_way))
            self._condition.notify_all()
        self._set_busy(True)

    def cancel(self) -> None:
        """Stop what runs and forget what waits."""
        with self._condition:
            is_forgotten = bool(self._waiting or self._errands)
            self._waiting.clear()
            self._errands.clear()
            self._is_cancelled = self._is_running
        if is_forgotten and not self._is_cancelled:  # no worker has begun it, so none says that it ended
            self._post(self.cancelled.emit)
            self._post(self._rest)

    def close(self) -> None:
        """Stop, close the engine and wait for the threads to end; may be called twice."""
        with self._condition:
            self._is_closing = True
            self._condition.notify_all()
        for worker in self._workers:
            worker.join()

    def _take(self, call: Callable[[], object]) -> None:
        """Do in this thread what the worker has posted; nobody wants to hear of it after the end."""
        if not self._is_closing:
            call()

    def _deliver(self) -> None:
        with self._condition:
            answer, self._answer = self._answer, None
        if answer is not None:
            stages, owner, name = answer
            self.stages_ready.emit(stages)
            own = stages.engine in ("", name[0]) and stages.engine_note is None
            self._name_engine(owner, name if own else (stages.engine, stages.engine_note))

    def _rest(self) -> None:
        with self._condition:
            is_done = not (self._waiting or self._errands or self._is_running or self._answer)
        if is_done:
            self._set_busy(False)

    def _set_busy(self, is_busy: bool) -> None:
        if is_busy != self._is_busy:
            self._is_busy = is_busy
            self.busy_changed.emit(is_busy)

    def _take_over(self, owner: int, name: _Named) -> None:
        if owner > self._named:  # or an answer of it has come already, which knows more
            self._name_engine(owner, name)

    def _name_engine(self, owner: int, named: _Named) -> None:
        self._named = owner
        name, why = named
        told = (name, "" if why is None else str(why))
        if told != self._told:
            self._told = told
            self.engine_changed.emit(name, why)

    # What follows runs in a worker thread.

    def _work(self, number: int, make_engine: MakeEngine, then: Callable[[], object]) -> None:
        with self._making:
            made = (
                self._guarded(make_engine, self.engine_refused, number) if self._is_wanted(number) else None
            )
        if made is not None:
            engine, why = made
            name = (engine.name, why)
            if self._becomes_owner(number, name):
                self._post(self._take_over, number, name)
                self._post(then)
                self._answer_all(engine)
            with self._making:
                self._guarded(engine.close)
        else:
            self._drop_what_nobody_answers(number)

    def _is_wanted(self, number: int) -> bool:
        with self._condition:
            return not self._is_closing and (number == self._newest or self._owner == 0)

    def _becomes_owner(self, number: int, name: _Named) -> bool:
        """Wait until the present owner has finished what it is at; False if another engine was asked for."""
        with self._condition:
            while not self._is_closing:
                if self._owner == 0 and self._heir in (0, number):  # somebody has to answer, wanted or not
                    self._owner, self._owner_name, self._heir = number, name, 0
                    return True
                if number != self._newest:
                    break
                self._heir = number
                self._condition.notify_all()
                self._condition.wait()
            if self._heir == number:
                self._heir = 0
            return False

    def _drop_what_nobody_answers(self, number: int) -> None:
        with self._condition:
            if self._owner or number != self._newest:
                return
            self._has_nobody = True
            self._waiting.clear()
            self._errands.clear()
        self._post(self._rest)

    def _answer_all(self, engine: Engine) -> None:
        """Answer and do what waits until the end, or until another worker takes over."""
        previous: Stages | None = None
        while True:
            with self._condition:
                while not (self._is_closing or self._heir or self._waiting or self._errands):
                    self._condition.wait()
                if self._is_closing or self._heir:
                    self._owner = 0
                    self._condition.notify_all()
                    return
                self._is_running, self._is_cancelled = True, False
                lane = next((lane for lane in LANES if lane in self._waiting), None)
                request = self._waiting.pop(lane) if lane else None
                errand = None if lane else self._errands.popleft()
            if request is not None and lane is not None:
                previous = self._compute(engine, request, lane, previous)
            elif errand is not None:
                self._do(engine, *errand)
            with self._condition:
                self._is_running = False
            self._post(self._rest)

    def _post(self, call: Callable[..., object], *arguments: object) -> None:
        """Let something be called in the runner's thread, as soon as it is back in its event loop."""
        self._posted.emit(partial(call, *arguments))

    def _do(self, engine: Engine, errand: Errand, then: Callable[[], object], gives_way: bool) -> None:
        gave_way = False

        def progress(fraction: float, partial: Stages | None = None) -> bool:
            nonlocal gave_way
            self._tell(fraction)
            with self._condition:
                gave_way = gives_way and bool(self._waiting)
                return not (self._is_closing or self._is_cancelled or gave_way)

        is_done = self._guarded(lambda: errand(engine, progress))
        with self._condition:  # a cancel of just now shall not find nothing, and it come back after that
            is_cancelled = self._is_cancelled
            if gave_way and is_done is False and not is_cancelled:  # None: it failed
                self._errands.appendleft((errand, then, gives_way))
        if is_done:
            self._post(then)
        elif is_cancelled:
            self._post(self.cancelled.emit)

    def _compute(self, engine: Engine, request: Request, lane: str, previous: Stages | None) -> Stages | None:
        """Answer a request; give what the next is to be compared with, which is never an overview."""
        start = time.monotonic()

        def progress(fraction: float, partial: Stages | None = None) -> bool:
            elapsed = time.monotonic() - start
            if self._must_stop(lane, elapsed, fraction):
                return False
            if partial is not None and lane != OVERVIEW:
                self._hand_over(partial)
            if elapsed > SHORT:
                self._tell(fraction)
            return True

        self._is_superseded = False
        stages = self._guarded(lambda: engine.compute(request, previous, progress))
        self._gave_way = self._is_superseded and stages is None
        if stages is not None and lane == OVERVIEW:
            self._post(self.overview_ready.emit, stages)
            return previous
        if stages is not None:
            self._hand_over(stages)
            return stages
        if self._is_cancelled:
            self._post(self.cancelled.emit)
        return previous

    def _tell(self, fraction: float) -> None:
        """Say how far the work is, where that has not been said a moment ago."""
        now = time.monotonic()
        if now - self._told_at >= TOLD_EVERY:
            self._told_at = now
            self._post(self.progress.emit, fraction)

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
            self._answer = (stages, self._owner, self._owner_name)
            self._condition.notify_all()
        if is_first:
            self._post(self._deliver)

    def _guarded(
        self, work: Callable[[], _T], refusal: SignalInstance | None = None, number: int = 0
    ) -> _T | None:
        """Do something that may fail; the thread lives on and the window hears why.

        Parameters
        ----------
        work
            What is done.
        refusal
            The signal that says why; None: ``failed``.
        number
            The worker that must still be wanted for anybody to hear it, 0 for none.
        """
        try:
            return work()
        except AttnvizError as error:
            # A copy without the traceback, which would keep what belongs to this thread alive in another.
            why = copy.copy(error)
        except MemoryError:
            why = AttnvizError("There is not enough memory to compute this; make the document smaller.")
        except Exception as error:  # whatever it is, it is said, and the next edit is computed again
            reason = str(error).rstrip(".") or type(error).__name__
            why = AttnvizError("The computation failed: {reason}.", reason=reason)
        if not number or self._is_wanted(number):
            self._post((refusal or self.failed).emit, why)
        return None
