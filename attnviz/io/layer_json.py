"""What comes before and after the heads as JSON values: x, the maps of a head, W_O.

A derived head's q, k and v are written too, so that a document comes back bit for bit; they are checked
against their maps.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from attnviz.core.inputs import Head, Inputs
from attnviz.core.projections import BIASES, WEIGHTS, Projection, agreed
from attnviz.io.errors import FileError
from attnviz.io.json_values import GetArray, PutArray, array_json, need, number_table


def layer_json(inputs: Inputs, put_array: PutArray) -> dict[str, Any]:
    """Give x with its names, that of the keys, W_O and b_O, those there are; a bias is a table of one row."""
    parts = {
        "x": inputs.x,
        "x_keys": inputs.x_keys,
        "w_o": inputs.w_o,
        "b_o": None if inputs.b_o is None else inputs.b_o[None],
    }
    names = {"x_names": list(inputs.x_names)} if inputs.x_names else {}
    return names | {
        name: array_json(array, f"{name}.npy", put_array)
        for name, array in parts.items()
        if array is not None
    }


def read_layer(data: dict[str, Any], get_array: GetArray) -> dict[str, NDArray[Any] | None]:
    """Give ``x``, ``x_keys``, ``w_o`` and ``b_o`` as Inputs wants them, None where they are missing."""
    return {
        "x": _table(data, "x", "", get_array),
        "x_keys": _table(data, "x_keys", "", get_array),
        "w_o": _table(data, "w_o", "", get_array),
        "b_o": _bias(data, "b_o", "", get_array),
    }


def projection_json(maps: Projection, folder: str, put_array: PutArray) -> dict[str, Any]:
    """Give W_Q, W_K, W_V and those biases there are."""
    tables = {name: getattr(maps, name) for name in WEIGHTS}
    rows = {name: getattr(maps, name)[None] for name in BIASES if getattr(maps, name) is not None}
    return {
        name: array_json(array, f"{folder}/{name}.npy", put_array) for name, array in (tables | rows).items()
    }


def read_projection(data: dict[str, Any], at: str, get_array: GetArray) -> Projection:
    """Give a head's maps; ``at`` is their place in the file, with a dot at its end."""
    tables = (number_table(need(data, name, at), f"{at}{name}", get_array) for name in WEIGHTS)
    return Projection(*tables, *(_bias(data, name, at, get_array) for name in BIASES))


def with_derived(inputs: Inputs) -> Inputs:
    """Give the document with vectors that follow from their maps; those that are near become what these give.

    Raises
    ------
    FileError
        When they are something else, naming the head and the vectors.
    """
    for index, head in enumerate(inputs.heads):
        if head.projection is not None:
            inputs = inputs.with_head(index, _derived(index, head, head.projection, inputs))
    return inputs


def _derived(index: int, head: Head, maps: Projection, inputs: Inputs) -> Head:
    vectors: dict[str, Any] = {}
    for which in "qkv":
        x, given = inputs.x_of(which), getattr(head, which)
        found = given if x is None else agreed(given, maps.derived(which, x))
        if found is None:
            raise FileError(
                "“{place}” is not x · W of that head; correct it, or leave the vectors out.",
                place=f"heads[{index}].{which}",
            )
        if found is not given:
            vectors[which] = found
    return replace(head, **vectors) if vectors else head


def _table(data: dict[str, Any], name: str, at: str, get_array: GetArray) -> NDArray[Any] | None:
    value = data.get(name)
    return None if value is None else number_table(value, f"{at}{name}", get_array)


def _bias(data: dict[str, Any], name: str, at: str, get_array: GetArray) -> NDArray[Any] | None:
    table = _table(data, name, at, get_array)
    if table is None:
        return None
    if len(table) != 1:
        raise FileError("“{place}” has {got} rows; a bias has one.", place=f"{at}{name}", got=len(table))
    row: NDArray[Any] = table[0]
    return row
