"""A row of the table that `make bench` prints, and the clocks it is measured by."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

Result = TypeVar("Result")


class Row(NamedTuple):
    """What was measured: median and 95th percentile; how it compares, and what is wanted of that.

    Attributes
    ----------
    median, p95
        In ``unit``; p95 None where it was measured once.
    cpu
        Median of the CPU time of all threads of the process, in the same unit, None where it was not taken.
        On a busy machine it says more than the time on the clock.
    """

    what: str
    median: float
    p95: float | None = None
    ratio: float | None = None
    aim: str = ""
    cpu: float | None = None
    unit: str = "ms"

    @classmethod
    def of(
        cls,
        what: str,
        times: Sequence[float],
        ratio: float | None = None,
        aim: str = "",
        cpu: Sequence[float] = (),
    ) -> Row:
        """Give the row of some times in ms."""
        p95 = float(np.percentile(times, 95)) if len(times) > 1 else None
        return cls(what, statistics.median(times), p95, ratio, aim, statistics.median(cpu) if cpu else None)

    def cells(self) -> tuple[str, str, str, str, str, str]:
        """Give the words of the row's cells."""
        unit = "" if self.unit == "ms" else f" {self.unit}"
        numbers = [
            "" if number is None else f"{number:,.2f}{unit}" for number in (self.median, self.p95, self.cpu)
        ]
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        return self.what, numbers[0], numbers[1], numbers[2], ratio, self.aim

    def __str__(self) -> str:
        """Give the row as it stands under ``HEADING``."""
        return _line(self.cells())


def not_installed(what: str) -> Row:
    """Give the row of something that is not there to be measured."""
    return Row(what, float("nan"), aim="not installed")


class Times:
    """What one way took, each time it was gone: ms on the clock, and ms of CPU in all threads."""

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.cpu: list[float] = []

    def take(self, way: Callable[[], Result], *, counts: bool = True) -> Result:
        """Go a way, note what it took where it counts, and give what it gave."""
        wall, cpu = time.perf_counter(), time.process_time()
        result = way()
        if counts:
            self.wall.append((time.perf_counter() - wall) * 1e3)
            self.cpu.append((time.process_time() - cpu) * 1e3)
        return result

    @property
    def median(self) -> float:
        """The median on the clock, in ms."""
        return statistics.median(self.wall)

    def ratio(self, other: Times) -> float:
        """Give how many times longer this took than another way: in CPU time, which a busy machine spares."""
        return statistics.median(self.cpu) / statistics.median(other.cpu)

    def row(self, what: str, ratio: float | None = None, aim: str = "") -> Row:
        """Give the row of these times."""
        return Row.of(what, self.wall, ratio, aim, self.cpu)


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    """Give the exponent of size by which times grow: the slope through their logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def _line(cells: Sequence[str]) -> str:
    what, median, p95, cpu, ratio, aim = cells
    return f"{what:56}{median:>14}{p95:>14}{cpu:>14}{ratio:>8}  {aim}".rstrip()


COLUMNS = ("what", "median", "p95", "CPU", "ratio", "aim")
HEADING = _line(("", "median ms", "p95 ms", "CPU ms", "ratio", "aim"))
