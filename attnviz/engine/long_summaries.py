"""What sums up the rows of a long document: entropies of a walk, and masses near where each query stands.

Once the statistics of a row are known, its weight on any key costs one product; so masses cost a band of keys
and not the square.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from attnviz.core.summaries import RowSummaries
from attnviz.engine.blocks import FloatArray, IntArray, Rows
from attnviz.engine.head_memory import HeadMemory
from attnviz.engine.long_rows import cells
from attnviz.engine.summary_rows import SummaryRows, weight_at, weight_near
from attnviz.engine.team import Job

BoolArray = NDArray[np.bool_]

_JOB_ROWS = 4096
_GROUP = 128  # rows whose bands are computed as one block
_MOST_KEYS = 4096  # of a block


class KeptSums:
    """The masses of one head's rows for one width of the window, kept between calls.

    Attributes
    ----------
    window
        The width.
    is_there
        bool (n_query,): whose masses are known.
    """

    def __init__(self, memory: HeadMemory, window: int) -> None:
        problem = memory.problem
        self.window = window
        self._place = problem.mask.offset(len(problem.q), problem.n_key)
        self._n_query = len(problem.q)
        self.is_there = np.zeros(self._n_query, bool)
        self._rows = SummaryRows(self._n_query, self._place, window)
        self._told: RowSummaries | None = None

    @classmethod
    def of(cls, memory: HeadMemory, window: int) -> KeptSums:
        """Give what is kept of a head for a width, new where it is kept for another or of another place."""
        kept, problem = memory.sums, memory.problem
        place = problem.mask.offset(len(problem.q), problem.n_key)
        if not isinstance(kept, cls) or kept.window != window or kept._place != place:
            kept = memory.sums = cls(memory, window)
        return kept

    def forget(self, touched: BoolArray) -> None:
        """Know nothing of some rows any more."""
        self.is_there &= ~touched
        if self._told is not None:  # what was handed out may not change
            self._rows = SummaryRows(self._n_query, self._place, self.window, self._told)
            self._told = None

    def jobs(self, memory: HeadMemory, go_on: Callable[[int], bool], lock: Lock) -> list[Job]:
        """Give jobs that find the masses of rows whose statistics are known when they run."""
        lacking = np.flatnonzero(~self.is_there)
        return [
            partial(self._find, memory, lacking[first : first + _JOB_ROWS], go_on, lock)
            for first in range(0, len(lacking), _JOB_ROWS)
        ]

    def finished(self, memory: HeadMemory) -> RowSummaries | None:
        """Give the summaries; None where something of a row is not known."""
        if self._told is None:
            if not (self.is_there.all() and memory.has_entropy.all() and memory.is_known.all()):
                return None
            every = np.arange(self._n_query)
            self._rows.put_entropy(every, memory.entropy, memory.total > 0)
            self._told = self._rows.finished()
        return self._told

    # What runs in any thread-----------------------------------------------------------------------------

    def _find(self, memory: HeadMemory, rows: IntArray, go_on: Callable[[int], bool], lock: Lock) -> None:
        rows = rows[memory.is_known[rows] & ~self.is_there[rows]]  # two heads may be of the same vectors
        cuts = np.flatnonzero((np.diff(rows) > _GROUP) | (np.diff(rows // _GROUP) > 0)) + 1
        for group in np.split(rows, cuts):
            if group.size and go_on(0):
                found = self._masses(memory, group)
                with lock:
                    if self.is_there[group].all():  # and handed out, maybe
                        continue
                    for measure, values in found.items():
                        self._rows.put(measure, group, values)
                    self.is_there[group] = True

    def _masses(self, memory: HeadMemory, rows: IntArray) -> dict[str, FloatArray]:
        n_key, places = memory.problem.n_key, rows + self._place
        found = {name: np.zeros(len(rows), np.float32) for name in ("on_itself", "on_previous", "on_window")}
        found["on_first"] = cells(memory, rows, (0, 1))[1][:, 0]
        reach = max(self.window, 2)  # so that the previous key is among them
        first, last = max(0, int(places[0]) - reach + 1), min(n_key, int(places[-1]) + reach)
        for start in range(first, last, _MOST_KEYS):
            keys: Rows = (start, min(start + _MOST_KEYS, last))
            weights, local = cells(memory, rows, keys)[1], places - start
            found["on_itself"] += weight_at(weights, local)
            found["on_previous"] += weight_at(weights, local - 1)
            found["on_window"] += weight_near(weights, local, self.window)
        found["on_window"] = np.minimum(found["on_window"], np.float32(1))
        return found
