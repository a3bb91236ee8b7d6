"""A row of the table that `make bench` prints."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Row(NamedTuple):
    """What was timed, in ms: median and 95th percentile; how it compares, and what is wanted of that."""

    what: str
    median: float
    p95: float
    ratio: float | None = None
    aim: str = ""

    @classmethod
    def of(cls, what: str, times: Sequence[float], ratio: float | None = None, aim: str = "") -> Row:
        """Give the row of some times in ms."""
        return cls(what, statistics.median(times), float(np.percentile(times, 95)), ratio, aim)

    def __str__(self) -> str:
        """Give the row as it stands under ``HEADING``."""
        shown = "" if self.ratio is None else f"{self.ratio:.2f}"
        return f"{self.what:44}{self.median:11.2f}{self.p95:11.2f}{shown:>8}  {self.aim}".rstrip()


HEADING = f"{'':44}{'median ms':>11}{'p95 ms':>11}{'ratio':>8}  aim"
