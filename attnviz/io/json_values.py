"""JSON values, each checked for its type: what is wrong is named with its place.

Nothing here knows what a document is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.io.digits import shortest_float
from attnviz.io.errors import FileError

SMALL = 256
"""Arrays of up to this many numbers are written as JSON; larger ones are handed to the caller."""

PutArray = Callable[[str, NDArray[Any]], None]
"""Keeps a large array under a member's name, float32 or bool, two axes."""
GetArray = Callable[[str, str], NDArray[Any]]
"""Gives a large array by its member's name and wanted type, ``<f4`` or ``|b1``; two axes."""


def array_json(
    array: NDArray[Any], name: str, put_array: PutArray, value: Callable[[Any], Any] = shortest_float
) -> Any:
    """Give an array as rows of JSON values, or, over ``SMALL`` numbers, where ``put_array`` keeps it."""
    if array.size > SMALL:
        put_array(name, array)
        return {"npy": name}
    return [[value(number) for number in row] for row in array]


def number_table(value: Any, place: str, get_array: GetArray) -> NDArray[Any]:
    """Give rows of numbers, or an array that lies elsewhere, as an array with two axes."""
    if isinstance(value, dict):
        return far_array(value, place, "<f4", get_array)
    rows = [[a_number(number, place) for number in a_list(row, place)] for row in a_list(value, place)]
    return np.array(even_rows(rows, place), np.float64)


def far_array(value: dict[str, Any], place: str, kind: str, get_array: GetArray) -> NDArray[Any]:
    """Give an array that lies elsewhere, ``{"npy": NAME}``."""
    return get_array(a_text(need(value, "npy", f"{place}."), f"{place}.npy"), kind)


def even_rows(rows: list[list[Any]], place: str) -> list[list[Any]]:
    """Give the rows where all have as many numbers, at least one."""
    if not rows or not rows[0]:
        raise FileError("“{place}” is empty; at least one row and one column are needed.", place=place)
    for index, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise FileError(
                "“{place}” is ragged: row {row} has {got} numbers, row 0 has {wanted}.",
                place=place,
                row=index,
                got=len(row),
                wanted=len(rows[0]),
            )
    return rows


def need(data: dict[str, Any], key: str, at: str = "") -> Any:
    """Give a value that must be there."""
    if key not in data:
        raise FileError("“{place}” is missing.", place=f"{at}{key}")
    return data[key]


def a_number(value: Any, place: str) -> float:
    """Give a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(value, place, "a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if math.isinf(number):  # 1e400
        raise FileError("“{place}” holds a number that is far too large.", place=place)
    return number


def a_count(value: Any, place: str) -> int:
    """Give a whole number from 0."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _wrong(value, place, "a whole number from 0")
    return value


def a_text(value: Any, place: str) -> str:
    """Give a text."""
    if not isinstance(value, str):
        raise _wrong(value, place, "a text")
    return value


def texts(value: Any, place: str) -> tuple[str, ...]:
    """Give a list of texts as a tuple."""
    return tuple(a_text(item, place) for item in a_list(value, place))


def a_bool(value: Any, place: str) -> bool:
    """Give true or false."""
    if not isinstance(value, bool):
        raise _wrong(value, place, "true or false")
    return value


def a_list(value: Any, place: str) -> list[Any]:
    """Give a list."""
    if not isinstance(value, list):
        raise _wrong(value, place, "a list")
    return value


def an_object(value: Any, place: str) -> dict[str, Any]:
    """Give an object."""
    if not isinstance(value, dict):
        raise _wrong(value, place, "an object")
    return value


def _wrong(value: Any, place: str, wanted: str) -> FileError:
    if value is None or isinstance(value, bool):
        got = {None: "null", True: "true", False: "false"}[value]
    elif isinstance(value, int | float):
        got = str(value) if -1e6 <= value <= 1e6 else "a huge number"
    else:
        got = "a text" if isinstance(value, str) else "a list" if isinstance(value, list) else "an object"
    return FileError("“{place}” holds {what}; {kind} is wanted.", place=place, what=got, kind=wanted)
