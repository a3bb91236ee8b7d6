"""A table of numbers from CSV or TSV text, with or without a line of names and a column of tokens."""

from __future__ import annotations

import csv
import io
from array import array
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnviz.core.errors import InputError
from attnviz.core.numbers import parse_number, shorten
from attnviz.io.errors import FileError

_MAX_COLUMNS = 100_000


@dataclass(frozen=True, eq=False)
class Table:
    """A table: float64 (rows, columns), and what its first column says, None where it has no words."""

    array: NDArray[np.float64]
    labels: tuple[str, ...] | None


def read_table(text: str, *, is_tabs: bool = False) -> Table:
    """Read a table of numbers.

    Parameters
    ----------
    text
        Lines of cells, separated by commas, by semicolons (then a comma is a decimal point), or by tabs. A
        first line and a first column that are not numbers are names.
    is_tabs
        Whether cells are separated by tabs whatever they look like.

    Raises
    ------
    FileError
        When there is no number, rows differ in length, or a cell is no number; row and column are named, as
        a spreadsheet counts them.
    """
    first_line = text.lstrip("\r\n").split("\n", 1)[0]
    separator = "\t" if is_tabs or "\t" in first_line else ";" if ";" in first_line else ","
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    numbers, labels = array("d"), []
    width, has_labels, count = 0, False, 0
    try:
        for line, cells in enumerate(rows, 1):
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) > _MAX_COLUMNS:
                raise FileError("Row {row} has far too many columns.", row=line)
            if count == 0 and not width:
                width = len(cells)
                if any(map(_is_word, cells[1:])) or (width == 1 and _is_word(cells[0])):
                    has_labels = width > 1 and not cells[0].strip()
                    continue  # a line of names
                if width > 1 and not cells[0].strip():  # tokens that are numbers, over and beside the table
                    has_labels = True
                    continue
            if len(cells) != width:
                raise FileError(
                    "Row {row} has {got} cells, those before have {wanted}; all rows need the same.",
                    row=line,
                    got=len(cells),
                    wanted=width,
                )
            if count == 0 and width > 1 and _is_word(cells[0]):
                has_labels = True
            if has_labels:
                labels.append(cells[0])
            for column, cell in enumerate(cells[has_labels:], 1 + has_labels):
                numbers.append(_number(cell, line, column, is_comma=separator == ";"))
            count += 1
    except csv.Error as error:
        raise FileError("It is not a table: {reason}.", reason=error) from error
    if not numbers:
        raise FileError("There is no number in it.")
    table = np.frombuffer(numbers, np.float64).reshape(count, -1)
    return Table(table, tuple(labels) if has_labels else None)


def _is_word(cell: str) -> bool:
    """Say whether a cell is a name: neither blank nor a number, be it none that can be taken."""
    try:
        float(cell.strip().replace(",", ".").replace("−", "-").replace("∞", "inf") or "0")
    except ValueError:
        return True
    return False


def _number(cell: str, row: int, column: int, *, is_comma: bool) -> float:
    try:
        return parse_number(cell.replace(",", ".") if is_comma else cell)
    except InputError as reason:
        raise FileError(
            "Row {row}, column {column} holds “{got}”; a finite number of magnitude up to 1e6 is wanted.",
            row=row,
            column=column,
            got=shorten(cell),
        ) from reason
