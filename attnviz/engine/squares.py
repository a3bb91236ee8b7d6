"""The four squares of one head that stay on the device, and the problem they answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attnviz.engine.blocks import Problem, Rows
from attnviz.engine.device_memory import DeviceMemory

STAGES = ("scores", "scaled", "masked", "weights")


@dataclass(frozen=True)
class Square:
    """Device addresses of what a launch works on, and its sizes.

    Attributes
    ----------
    rows
        Half-open range of queries held: R of them, the squares' first row is query ``rows[0]``.
    n_keys, d_k, d_v
        Sizes T, d_k and d_v.
    scores, scaled, masked, weights
        float32 (R, T).
    row_max, row_sum
        float32 (R,), one behind the other.
    output
        float32 (R, d_v).
    """

    rows: Rows
    n_keys: int
    d_k: int
    d_v: int
    scores: int
    scaled: int
    masked: int
    weights: int
    row_max: int
    row_sum: int
    output: int

    @property
    def n_rows(self) -> int:
        """R, the rows held."""
        return self.rows[1] - self.rows[0]

    def stage(self, name: str, row: int = 0, key: int = 0) -> int:
        """Give the address of a cell of one stage; rows are counted from the square's first."""
        address: int = getattr(self, name)
        return address + 4 * (row * self.n_keys + key)


class Squares:
    """Memory for one head's squares, kept from one computation to the next.

    Attributes
    ----------
    answered
        The problem that the squares of all their rows answer; None where they answer none, as in the middle
        of a computation.
    """

    def __init__(self, driver: Any) -> None:
        self._memory = {name: DeviceMemory(driver) for name in (*STAGES, "statistics", "output")}
        self._square: Square | None = None
        self.answered: Problem | None = None

    def rows_to_hold(self, problem: Problem, rows: Rows) -> Rows:
        """Give the range of queries to hold for these: the one held now, where they are in it."""
        square, answered = self._square, self.answered
        if square is None or answered is None or answered.q.shape != problem.q.shape:
            return rows
        return square.rows if square.rows[0] <= rows[0] and rows[1] <= square.rows[1] else rows

    def missing_bytes(self, rows: Rows, n_keys: int) -> int:
        """Give how much more memory the four squares of a range of queries would take."""
        size = 4 * (rows[1] - rows[0]) * n_keys
        return sum(max(0, size - self._memory[name].size) for name in STAGES)

    def arrange(self, problem: Problem, rows: Rows) -> Square:
        """Make room for a range of queries of a problem; what the squares answered stays where it fits."""
        n_rows, n_keys = rows[1] - rows[0], problem.n_key
        d_k, d_v = problem.q.shape[1], problem.v.shape[1]
        if self._square is None or self._square.rows != rows or self._square.n_keys != n_keys:
            self.answered = None
        self._square = None
        sizes = dict.fromkeys(STAGES, 4 * n_rows * n_keys)
        sizes |= {"statistics": 8 * n_rows, "output": 4 * n_rows * d_v}
        for name, size in sizes.items():
            # A head of more dimensions has every row of its output computed anew anyway.
            if self._memory[name].grow(size) and name != "output":
                self.answered = None
        scores, scaled, masked, weights, statistics, output = (
            memory.address for memory in self._memory.values()
        )
        self._square = Square(
            rows,
            n_keys,
            d_k,
            d_v,
            scores,
            scaled,
            masked,
            weights,
            statistics,
            statistics + 4 * n_rows,
            output,
        )
        return self._square

    def free(self) -> None:
        """Give all memory back."""
        self.answered = self._square = None
        for memory in self._memory.values():
            memory.free()
