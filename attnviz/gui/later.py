"""What a window makes ready once it can be seen, so that it can be seen sooner: one piece at a time.

Between two pieces a person's keys and clicks come first. Whoever needs a piece earlier makes it then.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

LATEST_MS = 2000
"""Time in ms after which it is begun with, where the window still could not be painted."""


class Later(QObject):
    """Work that waits for the first picture; in the order in which it was added."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._waiting: deque[Callable[[], object]] = deque()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._do_one)
        self._timer.start(LATEST_MS)
        self._is_begun = False

    @property
    def is_done(self) -> bool:
        """Whether nothing waits any more."""
        return not self._waiting

    def add(self, work: Callable[[], object]) -> None:
        """Let something be done once the window can be seen."""
        self._waiting.append(work)
        if self._is_begun:
            self._timer.start(0)

    def begin(self) -> None:
        """Know that the window can be seen."""
        if not self._is_begun:
            self._is_begun = True
            self._timer.start(0)

    def drop(self) -> None:
        """Forget what waits."""
        self._waiting.clear()
        self._timer.stop()

    def _do_one(self) -> None:
        self._is_begun = True
        try:
            if self._waiting:
                self._waiting.popleft()()
        finally:  # what fails keeps nothing that comes after it from being done
            if self._waiting:
                self._timer.start(0)
