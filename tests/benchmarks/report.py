"""The table of a run in docs/performance.md, between two marks, so that nobody types it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.row import COLUMNS, Row

PLACE = Path(__file__).resolve().parents[2] / "docs" / "performance.md"
BEGIN, END = "<!-- written by make bench ARGS=--write -->", "<!-- end of what is written -->"


def with_table(text: str, machine: str, rows: Sequence[Row]) -> str:
    """Give a text with what stands between the marks replaced by these rows.

    Raises
    ------
    ValueError
        When the marks are not there.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"There is no place for the table; {BEGIN} and {END} are wanted.")
    lines = [_line(COLUMNS), _line(["---"] * len(COLUMNS)), *(_line(row.cells()) for row in rows)]
    return f"{before}{BEGIN}\n{machine}:\n\n" + "\n".join(lines) + f"\n{END}{after}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
