"""Work that needs no engine, in a thread beside the window: reading files, packing them, trying imports.

An engine may be at a long text for minutes; who opens a file does not wait for that.
"""

from __future__ import annotations

import copy
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from attnviz.core.errors import AttnvizError
from attnviz.io.reading import Stopped, Watch

_T = TypeVar("_T")


@dataclass(eq=False)
class _Task:
    """One piece of work, see ``Background.do``."""

    work: Callable[[Watch], Any]
    then: Callable[[Any], object]
    otherwise: Callable[[], object]
    words: str
    told: Callable[[float], object]
    is_cancelled: bool = False


class Background(QObject):
    """Does one piece of work after the other, in the order they were asked for.

    All signals are delivered, and all answers given, in the thread it lives in.
    """

    failed = Signal(object)
    """An AttnvizError: why a piece of work could not be done."""
    progress = Signal(float)
    """How far the present work is, from 0 to 1."""
    busy_changed = Signal(bool)
    begun = Signal(str)
    """What the work is that is begun now, in words for a person; may be empty."""
    cancelled = Signal()
    """What was under way has been stopped, since a person has cancelled it."""

    _posted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._condition = threading.Condition()
        self._waiting: deque[_Task] = deque()
        self._thread: threading.Thread | None = None
        self._running: _Task | None = None
        self._is_closing = self._is_busy = False
        self._posted.connect(self._take, Qt.ConnectionType.QueuedConnection)

    @property
    def is_busy(self) -> bool:
        """True from ``do`` until everything asked for has been answered."""
        return self._is_busy

    def do(
        self,
        work: Callable[[Watch], _T],
        then: Callable[[_T], object],
        otherwise: Callable[[], object] = lambda: None,
        words: str = "",
        told: Callable[[float], object] = lambda fraction: None,
    ) -> Callable[[], None]:
        """Do something, and go on with what it gives; the answer stops it, and nothing else.

        Parameters
        ----------
        work
            Called in the thread. It tells the ``Watch`` how far it is, and raises ``Stopped`` where that says
            no.
        then
            Called with the result, unless the work failed or was stopped.
        otherwise
            Called where it did, or was forgotten before it began.
        words
            What the work is, for a person.
        told
            Called with how far it is, from 0 to 1, as ``progress`` is said.
        """
        task = _Task(work, then, otherwise, words, told)
        with self._condition:
            if self._is_closing:
                return lambda: None
            self._waiting.append(task)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="attnviz-background", daemon=True)
                self._thread.start()
            self._condition.notify_all()
        self._set_busy(True)
        return lambda: self._stop([task])

    def cancel(self) -> None:
        """Stop what is under way, where it can be stopped, and forget what waits."""
        with self._condition:
            tasks = [*([] if self._running is None else [self._running]), *self._waiting]
        self._stop(tasks)

    def _stop(self, tasks: list[_Task]) -> None:
        with self._condition:
            forgotten = [task for task in tasks if task in self._waiting]
            for task in forgotten:
                self._waiting.remove(task)
            for task in tasks:
                task.is_cancelled = True
        for task in forgotten:
            task.otherwise()
        if forgotten:
            self._rest()

    def close(self) -> None:
        """Stop and wait for the thread to end; may be called twice."""
        with self._condition:
            self._is_closing = True
            self._condition.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _take(self, call: Callable[[], object]) -> None:
        if not self._is_closing:
            call()

    def _rest(self) -> None:
        with self._condition:
            is_done = not (self._waiting or self._running)
        if is_done:
            self._set_busy(False)

    def _set_busy(self, is_busy: bool) -> None:
        if is_busy != self._is_busy:
            self._is_busy = is_busy
            self.busy_changed.emit(is_busy)

    # What follows runs in the thread.

    def _work(self) -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._is_closing or self._waiting)
                if self._is_closing:
                    return
                self._running = task = self._waiting.popleft()
            self._do(task)
            del task  # nothing of a document is kept alive by what was done with it
            with self._condition:
                self._running = None
            self._post(self._rest)

    def _do(self, task: _Task) -> None:
        self._post(self.begun.emit, task.words)
        try:
            result = task.work(partial(self._watch, task))
        except Stopped:
            if task.is_cancelled:
                self._post(self.cancelled.emit)
        except AttnvizError as error:
            # A copy without the traceback, which would keep alive what belongs to this thread.
            self._post(self.failed.emit, copy.copy(error))
        except MemoryError:
            self._post(self.failed.emit, AttnvizError("There is not enough memory for this."))
        except Exception as error:  # whatever it is, it is said, and the next work is done
            reason = str(error).rstrip(".") or type(error).__name__
            self._post(self.failed.emit, AttnvizError("This could not be done: {reason}.", reason=reason))
        else:
            self._post(task.then, result)
            return
        self._post(task.otherwise)

    def _watch(self, task: _Task, fraction: float) -> bool:
        self._post(self.progress.emit, fraction)
        self._post(task.told, fraction)
        with self._condition:
            return not (self._is_closing or task.is_cancelled)

    def _post(self, call: Callable[..., object], *arguments: object) -> None:
        """Let something be called in the thread this lives in, as soon as it is back in its event loop."""
        self._posted.emit(partial(call, *arguments))
