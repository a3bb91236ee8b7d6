"""How long it takes from a change until it is on the screen."""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QWidget

from attnviz.core.request import Request


class ScreenClock(QObject):
    """Measures from ``start`` to the end of the painting that shows the answer.

    Parameters
    ----------
    window
        The top-level widget. It hands its ``UpdateRequest`` events on by ``painted``, since all of its
        widgets are painted within that one event.
    """

    measured = Signal(float)
    """Seconds."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._started: tuple[Request, float] | None = None
        self._shown: float | None = None

    def start(self, request: Request) -> None:
        """A change has just been made, and this request will show it."""
        self._started = (request, time.perf_counter())

    def drawn(self, request: Request) -> None:
        """The answer has been handed to the views."""
        if self._started is not None and self._started[0] is request:
            self._shown, self._started = self._started[1], None

    def painted(self, event: QEvent) -> None:
        """The window has dealt with an event."""
        if event.type() == QEvent.Type.UpdateRequest and self._shown is not None:
            seconds, self._shown = time.perf_counter() - self._shown, None
            self.measured.emit(seconds)
