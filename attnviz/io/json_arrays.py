"""Arrays from JSON text: an object of names and nested lists, or one nested list."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.io.errors import FileError, shown
from attnviz.io.npy_any import MAX_AXES

Value = NDArray[Any] | list[str] | tuple[int, ...] | FileError
"""An array of numbers; texts; the shape of an array that is passed over; or what is wrong with one."""


def read_values(text: str, title: str, skipped: Callable[[str], bool]) -> dict[str, Value]:
    """Give the arrays of a JSON text by name; values that are no lists are passed over.

    Parameters
    ----------
    title
        What an array without a name is called.
    skipped
        Says of a name that only the shape is wanted.

    Raises
    ------
    FileError
        When it is no JSON, a name stands twice, or it is nested too deeply.
    """
    try:
        data = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError("It is not valid JSON.") from error
    if isinstance(data, list):
        data = {title: data}
    if not isinstance(data, dict):
        raise FileError("It holds no lists of numbers; an object of names and lists is wanted.")
    found: dict[str, Value] = {}
    for name, value in data.items():
        if not isinstance(value, list):
            continue
        try:
            found[name] = _shape(value) if skipped(name) else _array(value, shown(name))
        except FileError as error:
            found[name] = error
    return found


def _array(value: list[Any], name: str) -> NDArray[Any] | list[str]:
    shape = _shape(value)
    if len(shape) > MAX_AXES:
        raise FileError(
            "“{name}” has {got} axes; at most {wanted} are possible.",
            name=name,
            got=len(shape),
            wanted=MAX_AXES,
        )
    flat: list[Any] = value
    for axis, count in enumerate(shape[1:], 1):
        for place, row in enumerate(flat):
            if not isinstance(row, list) or len(row) != count:
                raise FileError(
                    "“{name}” is ragged: list {place} on axis {axis} has {got} entries, the first has "
                    "{wanted}.",
                    name=name,
                    place=place,
                    axis=axis - 1,
                    got=len(row) if isinstance(row, list) else 0,
                    wanted=count,
                )
        flat = [entry for row in flat for entry in row]
    kinds = set(map(type, flat))
    if kinds == {str} and len(shape) == 1:
        return flat
    if kinds == {bool}:
        return np.array(flat, bool).reshape(shape)
    if not kinds <= {int, float}:
        place = next(index for index, entry in enumerate(flat) if type(entry) not in (int, float))
        raise FileError(
            "“{name}” holds something else than numbers, at {place}.",
            name=name,
            place=str(tuple(int(index) for index in np.unravel_index(place, shape))),
        )
    try:
        return np.array(flat, np.float64).reshape(shape)
    except OverflowError as error:
        raise FileError("“{name}” holds a number that is far too large.", name=name) from error


def _shape(value: list[Any]) -> tuple[int, ...]:
    """Give the shape that the first entries have."""
    shape: list[int] = []
    entry: Any = value
    while isinstance(entry, list) and len(shape) <= MAX_AXES:
        shape.append(len(entry))
        entry = entry[0] if entry else None
    return tuple(shape)


def _once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise FileError("It holds “{name}” twice.", name=shown(key))
        found[key] = value
    return found
