"""A document as JSON values and back, field by field, every type checked.

Sessions and presets share this. Large arrays are put elsewhere by the caller; zip files are not known here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core.inputs import MAX_HEADS, MAX_TOKENS, Head, Inputs
from attnviz.core.selection import Selection
from attnviz.io.errors import FileError
from attnviz.io.json_values import (
    GetArray,
    PutArray,
    a_bool,
    a_count,
    a_list,
    a_number,
    a_text,
    an_object,
    array_json,
    need,
    number_table,
    texts,
)
from attnviz.io.layer_json import (
    layer_json,
    projection_json,
    read_layer,
    read_projection,
    with_derived,
)
from attnviz.io.mask_json import mask_json, read_mask


def document_json(inputs: Inputs, selection: Selection, put_array: PutArray) -> dict[str, Any]:
    """Give a document as JSON values; arrays over ``SMALL`` numbers go to ``put_array``."""
    return {
        "text": inputs.text,
        "tokens": list(inputs.tokens),
        **_keys_json(inputs),
        "mask": mask_json(inputs.mask, put_array),
        "mask_fill": inputs.mask_fill if math.isfinite(inputs.mask_fill) else "-inf",
        "scale_strength": inputs.scale_strength,
        "selection": {"head": selection.head, "query": selection.query, "key": selection.key},
        **layer_json(inputs, put_array),
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
    tokens = texts(need(data, "tokens"), "tokens")
    if len(tokens) > MAX_TOKENS:
        raise FileError(
            "There are {got} tokens; at most {wanted} are possible.", got=len(tokens), wanted=MAX_TOKENS
        )
    key_tokens = texts(data["key_tokens"], "key_tokens") if "key_tokens" in data else None
    if key_tokens is not None and len(key_tokens) > MAX_TOKENS:
        raise FileError(
            "There are {got} tokens; at most {wanted} are possible.", got=len(key_tokens), wanted=MAX_TOKENS
        )
    heads = a_list(need(data, "heads"), "heads")
    if len(heads) > MAX_HEADS:
        raise FileError(
            "There are {got} heads; 1 to {wanted} are possible.", got=len(heads), wanted=MAX_HEADS
        )
    layer = read_layer(data, get_array)
    rows = _Rows(tokens, key_tokens, layer["x"], layer["x_keys"])
    inputs = Inputs(
        text=a_text(need(data, "text"), "text"),
        tokens=tokens,
        heads=tuple(
            _head(an_object(head, f"heads[{index}]"), f"heads[{index}].", rows, get_array)
            for index, head in enumerate(heads)
        ),
        key_tokens=key_tokens,
        key_text=a_text(data.get("key_text", ""), "key_text"),
        x_names=texts(data.get("x_names", []), "x_names"),
        mask=read_mask(an_object(need(data, "mask"), "mask"), get_array),
        mask_fill=_mask_fill(need(data, "mask_fill")),
        scale_strength=a_number(need(data, "scale_strength"), "scale_strength"),
        **layer,
    )
    inputs = with_derived(inputs)
    chosen = an_object(data.get("selection", {}), "selection")
    at = {what: a_count(chosen.get(what, 0), f"selection.{what}") for what in ("head", "query", "key")}
    return inputs, Selection(**at).clamped(inputs)


@dataclass(frozen=True)
class _Rows:
    """What a head's rows belong to: the tokens of either side, and what its vectors may be derived from."""

    tokens: tuple[str, ...]
    key_tokens: tuple[str, ...] | None
    x: NDArray[Any] | None
    x_keys: NDArray[Any] | None

    def count(self, which: str) -> int:
        """Give how many rows ``q``, ``k`` or ``v`` has."""
        return len(self.tokens if which == "q" or self.key_tokens is None else self.key_tokens)

    def x_of(self, which: str) -> NDArray[Any] | None:
        """Give what ``q``, ``k`` or ``v`` is derived from."""
        return self.x if which == "q" or self.x_keys is None else self.x_keys


def _keys_json(inputs: Inputs) -> dict[str, Any]:
    """Give what only a document of cross attention has."""
    if inputs.key_tokens is None:
        return {}
    return {"key_text": inputs.key_text, "key_tokens": list(inputs.key_tokens)}


def _head_json(head: Head, folder: str, put_array: PutArray) -> dict[str, Any]:
    maps = head.projection
    vectors = {"q": head.q, "k": head.k} | ({} if head.v_is_k else {"v": head.v})
    return {
        "name": head.name,
        "source": head.source,
        "v_is_k": head.v_is_k,
        "qk_names": list(head.qk_names),
        "v_names": list(head.v_names),
        "default_tokens": np.flatnonzero(head.is_default).tolist(),
        **_key_marks_json(head),
        **({} if maps is None else {"projection": projection_json(maps, folder, put_array)}),
        **{which: array_json(array, f"{folder}/{which}.npy", put_array) for which, array in vectors.items()},
    }


def _key_marks_json(head: Head) -> dict[str, Any]:
    marks = np.flatnonzero(head.is_default_key).tolist()
    return {"default_key_tokens": marks} if marks else {}


def _head(data: dict[str, Any], at: str, rows: _Rows, get_array: GetArray) -> Head:
    v_is_k = a_bool(data.get("v_is_k", False), f"{at}v_is_k")
    maps = None
    if "projection" in data:
        maps = read_projection(
            an_object(data["projection"], f"{at}projection"), f"{at}projection.", get_array
        )

    def vectors(which: str) -> NDArray[Any]:
        x = rows.x_of(which)
        if maps is not None and which not in data and x is not None and x.shape[-1] == maps.depth(which):
            return maps.derived(which, x.astype(np.float32))
        return _vectors(need(data, which, at), f"{at}{which}", which, rows, get_array)

    q, k = vectors("q"), vectors("k")
    v = k if v_is_k else vectors("v")
    source: Any = a_text(data.get("source", "vectors"), f"{at}source")  # Head says which are possible
    return Head(
        name=a_text(need(data, "name", at), f"{at}name"),
        q=q,
        k=k,
        v=v,
        v_is_k=v_is_k,
        qk_names=texts(data.get("qk_names", []), f"{at}qk_names"),
        v_names=texts(data.get("v_names", []), f"{at}v_names"),
        source=source,
        is_default=_marks(data, "default_tokens", at, rows.count("q")),
        is_default_key=_marks(data, "default_key_tokens", at, rows.count("k")),
        projection=maps,
    )


def _marks(data: dict[str, Any], name: str, at: str, count: int) -> NDArray[np.bool_]:
    """Give a mark per token of a list of indices, none where it is missing."""
    marks = np.zeros(count, bool)
    for token in a_list(data.get(name, []), f"{at}{name}"):
        index = a_count(token, f"{at}{name}")
        if index >= count:
            raise FileError(
                "“{place}” holds {got}, but there are only {wanted} tokens.",
                place=f"{at}{name}",
                got=index,
                wanted=count,
            )
        marks[index] = True
    return marks


def _vectors(value: Any, place: str, which: str, rows: _Rows, get_array: GetArray) -> NDArray[Any]:
    array, wanted = number_table(value, place, get_array), rows.count(which)
    if array.shape[0] == wanted:
        return array
    if which != "q" and rows.key_tokens is not None:
        raise FileError(
            "“{place}” has {got} rows, but there are {wanted} key tokens.",
            place=place,
            got=array.shape[0],
            wanted=wanted,
        )
    raise FileError(
        "“{place}” has {got} rows, but there are {wanted} tokens.",
        place=place,
        got=array.shape[0],
        wanted=wanted,
    )


def _mask_fill(value: Any) -> float:
    return -math.inf if value == "-inf" else a_number(value, "mask_fill")
