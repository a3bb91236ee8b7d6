"""A document as JSON values and back, field by field, every type checked.

Sessions and presets share this. Large arrays are put elsewhere by the caller; zip files are not known here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core.inputs import MAX_HEADS, MAX_TOKENS, Head, Inputs
from attnviz.core.masks import CausalMask, CustomMask, Mask, NoMask
from attnviz.core.selection import Selection
from attnviz.io.digits import shortest_float
from attnviz.io.errors import FileError

SMALL = 256
"""Arrays of up to this many numbers are written as JSON; larger ones are handed to the caller."""

PutArray = Callable[[str, NDArray[Any]], None]
"""Keeps a large array under a member's name, float32 or bool, two axes."""
GetArray = Callable[[str, str], NDArray[Any]]
"""Gives a large array by its member's name and wanted type, ``<f4`` or ``|b1``; two axes."""


def document_json(inputs: Inputs, selection: Selection, put_array: PutArray) -> dict[str, Any]:
    """Give a document as JSON values; arrays over ``SMALL`` numbers go to ``put_array``."""
    return {
        "text": inputs.text,
        "tokens": list(inputs.tokens),
        "mask": _mask_json(inputs.mask, put_array),
        "mask_fill": inputs.mask_fill if math.isfinite(inputs.mask_fill) else "-inf",
        "scale_strength": inputs.scale_strength,
        "selection": {"head": selection.head, "query": selection.query, "key": selection.key},
        "heads": [_head_json(head, f"head-{index}", put_array) for index, head in enumerate(inputs.heads)],
    }


def read_document(data: dict[str, Any], get_array: GetArray) -> tuple[Inputs, Selection]:
    """Give the document that JSON values stand for; keys that are not known are passed over.

    Raises
    ------
    FileError
        When a field is missing or of the wrong type; the sentence names it.
    InputError
        When the fields do not make a document.
    """
    tokens = _texts(_need(data, "tokens"), "tokens")
    if len(tokens) > MAX_TOKENS:
        raise FileError(
            "There are {got} tokens; at most {wanted} are possible.", got=len(tokens), wanted=MAX_TOKENS
        )
    heads = _list(_need(data, "heads"), "heads")
    if len(heads) > MAX_HEADS:
        raise FileError(
            "There are {got} heads; 1 to {wanted} are possible.", got=len(heads), wanted=MAX_HEADS
        )
    inputs = Inputs(
        text=_text(_need(data, "text"), "text"),
        tokens=tokens,
        heads=tuple(
            _head(_object(head, f"heads[{index}]"), f"heads[{index}].", len(tokens), get_array)
            for index, head in enumerate(heads)
        ),
        mask=_mask(_object(_need(data, "mask"), "mask"), get_array),
        mask_fill=_mask_fill(_need(data, "mask_fill")),
        scale_strength=_number(_need(data, "scale_strength"), "scale_strength"),
    )
    chosen = _object(data.get("selection", {}), "selection")
    at = {what: _count(chosen.get(what, 0), f"selection.{what}") for what in ("head", "query", "key")}
    return inputs, Selection(**at).clamped(inputs)


def _head_json(head: Head, folder: str, put_array: PutArray) -> dict[str, Any]:
    vectors = {"q": head.q, "k": head.k} | ({} if head.v_is_k else {"v": head.v})
    return {
        "name": head.name,
        "source": head.source,
        "v_is_k": head.v_is_k,
        "qk_names": list(head.qk_names),
        "v_names": list(head.v_names),
        "default_tokens": np.flatnonzero(head.is_default).tolist(),
        **{
            which: _array_json(array, f"{folder}/{which}.npy", shortest_float, put_array)
            for which, array in vectors.items()
        },
    }


def _mask_json(mask: Mask, put_array: PutArray) -> dict[str, Any]:
    if isinstance(mask, CustomMask):
        return {"kind": mask.kind, "allowed": _array_json(mask.array, "mask.npy", bool, put_array)}
    return {"kind": mask.kind}


def _array_json(array: NDArray[Any], name: str, value: Callable[[Any], Any], put_array: PutArray) -> Any:
    if array.size > SMALL:
        put_array(name, array)
        return {"npy": name}
    return [[value(number) for number in row] for row in array]


def _head(data: dict[str, Any], at: str, n_tokens: int, get_array: GetArray) -> Head:
    v_is_k = _bool(data.get("v_is_k", False), f"{at}v_is_k")
    q = _vectors(_need(data, "q", at), f"{at}q", n_tokens, get_array)
    k = _vectors(_need(data, "k", at), f"{at}k", n_tokens, get_array)
    v = k if v_is_k else _vectors(_need(data, "v", at), f"{at}v", n_tokens, get_array)
    is_default = np.zeros(n_tokens, bool)
    for token in _list(data.get("default_tokens", []), f"{at}default_tokens"):
        index = _count(token, f"{at}default_tokens")
        if index >= n_tokens:
            raise FileError(
                "“{place}” holds {got}, but there are only {wanted} tokens.",
                place=f"{at}default_tokens",
                got=index,
                wanted=n_tokens,
            )
        is_default[index] = True
    source: Any = _text(data.get("source", "vectors"), f"{at}source")  # Head says which are possible
    return Head(
        name=_text(_need(data, "name", at), f"{at}name"),
        q=q,
        k=k,
        v=v,
        v_is_k=v_is_k,
        qk_names=_texts(data.get("qk_names", []), f"{at}qk_names"),
        v_names=_texts(data.get("v_names", []), f"{at}v_names"),
        source=source,
        is_default=is_default,
    )


def _mask(data: dict[str, Any], get_array: GetArray) -> Mask:
    kind = _text(_need(data, "kind", "mask."), "mask.kind")
    if kind == CausalMask.kind:
        return CausalMask()
    if kind == NoMask.kind:
        return NoMask()
    if kind != CustomMask.kind:
        raise FileError("The kind of mask is “{got}”; causal, none or custom is wanted.", got=kind[:40])
    allowed = _need(data, "allowed", "mask.")
    if isinstance(allowed, dict):
        return CustomMask(_far_array(allowed, "mask.allowed", "|b1", get_array))
    place = "mask.allowed"
    rows = [[_bool(cell, place) for cell in _list(row, place)] for row in _list(allowed, place)]
    return CustomMask(np.array(_even(rows, place), bool))


def _vectors(value: Any, place: str, n_tokens: int, get_array: GetArray) -> NDArray[Any]:
    if isinstance(value, dict):
        array = _far_array(value, place, "<f4", get_array)
    else:
        rows = [[_number(number, place) for number in _list(row, place)] for row in _list(value, place)]
        array = np.array(_even(rows, place), np.float64)
    if array.shape[0] != n_tokens:
        raise FileError(
            "“{place}” has {got} rows, but there are {wanted} tokens.",
            place=place,
            got=array.shape[0],
            wanted=n_tokens,
        )
    return array


def _far_array(value: dict[str, Any], place: str, kind: str, get_array: GetArray) -> NDArray[Any]:
    return get_array(_text(_need(value, "npy", f"{place}."), f"{place}.npy"), kind)


def _even(rows: list[list[Any]], place: str) -> list[list[Any]]:
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


def _need(data: dict[str, Any], key: str, at: str = "") -> Any:
    if key not in data:
        raise FileError("“{place}” is missing.", place=f"{at}{key}")
    return data[key]


def _mask_fill(value: Any) -> float:
    return -math.inf if value == "-inf" else _number(value, "mask_fill")


def _number(value: Any, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(value, place, "a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if math.isinf(number):  # 1e400
        raise FileError("“{place}” holds a number that is far too large.", place=place)
    return number


def _count(value: Any, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _wrong(value, place, "a whole number from 0")
    return value


def _text(value: Any, place: str) -> str:
    if not isinstance(value, str):
        raise _wrong(value, place, "a text")
    return value


def _texts(value: Any, place: str) -> tuple[str, ...]:
    return tuple(_text(item, place) for item in _list(value, place))


def _bool(value: Any, place: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong(value, place, "true or false")
    return value


def _list(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise _wrong(value, place, "a list")
    return value


def _object(value: Any, place: str) -> dict[str, Any]:
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
