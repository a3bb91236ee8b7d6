"""How far a long computation is, and whether it shall go on: asked often, told seldom."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from attnviz.core.stages import Stages
from attnviz.engine.base import Progress

ASKED_EVERY = 0.002
"""Seconds between two calls of progress: an edit waits as long for the engine."""
SHOWN_EVERY = 0.3
"""Seconds between two partial answers."""


class Watch:
    """Asks progress from the thread it was made in; other threads learn of a no by ``go_on``.

    Parameters
    ----------
    progress
        May be None: then nobody ever says no.
    work
        Multiply-adds of everything, roughly.
    partial
        Makes a partial answer of what is there now; None where nothing new is worth showing.
    """

    def __init__(
        self, progress: Progress | None, work: int, partial: Callable[[], Stages | None] = lambda: None
    ) -> None:
        self._progress, self._work, self._partial = progress, max(1, work), partial
        self._leader = threading.get_ident()
        self._done = 0
        self._told = 0.0
        self._asked = self._shown = time.monotonic()
        self.is_stopped = False

    def go_on(self, share: int = 0) -> bool:
        """Count a share of the work as begun, and say whether to do it."""
        self._done += share  # a share that two threads lose between them is not missed
        if self.is_stopped:
            return False
        if self._progress is None or threading.get_ident() != self._leader:
            return True
        now = time.monotonic()
        if now - self._asked < ASKED_EVERY:
            return True
        if now - self._shown >= SHOWN_EVERY:
            self._shown = now
            return self.tell(self._partial())
        return self.tell(None)

    def tell(self, partial: Stages | None) -> bool:
        """Tell progress how far the work is, and say whether to go on."""
        if self._progress is None or self.is_stopped:
            return not self.is_stopped
        self._told = max(self._told, min(self._done / self._work, 0.999))
        self.is_stopped = not self._progress(self._told, partial)
        self._asked = time.monotonic()
        return not self.is_stopped

    def finish(self) -> bool:
        """Tell progress that everything is done; False where it does not want the answer."""
        if self._progress is not None and not self.is_stopped:
            self.is_stopped = not self._progress(1.0, None)
        return not self.is_stopped
