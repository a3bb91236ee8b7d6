"""Numbers to and from the clipboard of a spreadsheet: tab-separated text, a line per row."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
from numpy.typing import NDArray

from attnviz.core.errors import InputError
from attnviz.core.numbers import MAX_MAGNITUDE, format_shortest, parse_number, shorten

_DECIMAL_COMMA = re.compile(r"\s*[+\-−]?\d+,\d+\s*")
_THOUSANDS = re.compile(r"\s*[+\-−]?\d{1,3}(,\d{3})+(\.\d*)?\s*")
_PLAIN = re.compile(r"[0-9.eE+\-\t,\n\x20]*")
_MAX_CHARACTERS = 1 << 25  # 2,048 tokens × 1,024 dimensions of 16 characters


def parse_table(text: str) -> list[list[float]]:
    """Read what a spreadsheet, a text editor or a CSV file puts on the clipboard.

    Cells are separated by tabs or, where there is no tab, by commas; rows by line ends of any kind. Cells
    may be quoted. Empty lines at the end do not count.

    Returns
    -------
    list of list of float
        Rows of equal length, at least one number; magnitudes up to 1e6.

    Raises
    ------
    InputError
        When there is nothing, rows differ in length, or a cell is no number; row and column are named.
    """
    if len(text) > _MAX_CHARACTERS:
        raise InputError("The pasted text is too long for a table of numbers.")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n ")
    if not lines.strip():
        raise InputError("There is nothing to paste; copy numbers first.")
    separator = "\t" if "\t" in lines else ","
    if separator == ",":
        _refuse_decimal_commas(lines.split("\n"))
    try:
        cells = list(csv.reader(io.StringIO(lines, newline=""), delimiter=separator, skipinitialspace=True))
    except csv.Error as error:
        raise InputError("The pasted text is not a table: {reason}.", reason=error) from error
    if _PLAIN.fullmatch(lines) and (plain := _plain_numbers(cells)) is not None:
        return plain
    rows = [
        [_number(cell, row, column) for column, cell in enumerate(line or [""], 1)]
        for row, line in enumerate(cells, 1)
    ]
    for index, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise InputError(
                "Row {row} of the pasted table has {got} cells, row 1 has {wanted}; all rows need the same.",
                row=index,
                got=len(row),
                wanted=len(rows[0]),
            )
    return rows


def format_table(array: NDArray[np.float32]) -> str:
    """Give a float32 array (rows, columns) as tab-separated lines of shortest digits; no last line end."""
    return "\n".join("\t".join(format_shortest(float(value)) for value in row) for row in array)


def _refuse_decimal_commas(lines: list[str]) -> None:
    """Refuse ``0,75``, which is one number in half of the world; ``1,2`` over ``3,4`` are two columns."""
    if all(_DECIMAL_COMMA.fullmatch(line) for line in lines) and (
        len(lines) == 1 or any(len(line.split(",")[1].strip()) > 1 for line in lines)
    ):
        line = lines[0].strip()
        raise InputError(
            "“{text}” may be one number with a decimal comma, or two; write {one} for one, “{two}” for two.",
            text=shorten(line),
            one=shorten(line.replace(",", ".")),
            two=shorten(line.replace(",", ", ")),
        )
    if all(_THOUSANDS.fullmatch(line) for line in lines):
        line = lines[0].strip()
        raise InputError(
            "“{text}” may be one number with commas between thousands, or several; write {one} for one, "
            "“{several}” for several.",
            text=shorten(line),
            one=shorten(line.replace(",", "")),
            several=shorten(line.replace(",", ", ")),
        )


def _plain_numbers(cells: list[list[str]]) -> list[list[float]] | None:
    """Give numbers of ASCII digits all at once, which is many times as fast; None where any is in doubt."""
    try:
        table = np.array(cells, np.float64)
    except ValueError:  # ragged, empty, or no number
        return None
    is_table = table.ndim == 2 and table.size and bool((np.abs(table) <= MAX_MAGNITUDE).all())
    return table.tolist() if is_table else None


def _number(cell: str, row: int, column: int) -> float:
    try:
        return parse_number(cell)
    except InputError as reason:
        raise InputError(
            "Row {row}, column {column} of the pasted table: {reason}", row=row, column=column, reason=reason
        ) from reason
