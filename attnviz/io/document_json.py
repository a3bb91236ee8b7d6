"""A document as JSON values and back, field by field, every type checked.

Sessions and presets share this. Large arrays are put elsewhere by the caller; zip files are not known here.
"""

from __future__ import annotations

import math
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
    check_derived,
    layer_json,
    projection_json,
    read_layer,
    read_projection,
)
from attnviz.io.mask_json import mask_json, read_mask


def document_json(inputs: Inputs, selection: Selection, put_array: PutArray) -> dict[str, Any]:
    """Give a document as JSON values; arrays over ``SMALL`` numbers go to ``put_array``."""
    return {
        "text": inputs.text,
        "tokens": list(inputs.tokens),
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
    heads = a_list(need(data, "heads"), "heads")
    if len(heads) > MAX_HEADS:
        raise FileError(
            "There are {got} heads; 1 to {wanted} are possible.", got=len(heads), wanted=MAX_HEADS
        )
    layer = read_layer(data, get_array)
    inputs = Inputs(
        text=a_text(need(data, "text"), "text"),
        tokens=tokens,
        heads=tuple(
            _head(an_object(head, f"heads[{index}]"), f"heads[{index}].", len(tokens), layer["x"], get_array)
            for index, head in enumerate(heads)
        ),
        mask=read_mask(an_object(need(data, "mask"), "mask"), get_array),
        mask_fill=_mask_fill(need(data, "mask_fill")),
        scale_strength=a_number(need(data, "scale_strength"), "scale_strength"),
        **layer,
    )
    check_derived(inputs)
    chosen = an_object(data.get("selection", {}), "selection")
    at = {what: a_count(chosen.get(what, 0), f"selection.{what}") for what in ("head", "query", "key")}
    return inputs, Selection(**at).clamped(inputs)


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
        **({} if maps is None else {"projection": projection_json(maps, folder, put_array)}),
        **{which: array_json(array, f"{folder}/{which}.npy", put_array) for which, array in vectors.items()},
    }


def _head(data: dict[str, Any], at: str, n_tokens: int, x: NDArray[Any] | None, get_array: GetArray) -> Head:
    v_is_k = a_bool(data.get("v_is_k", False), f"{at}v_is_k")
    maps = None
    if "projection" in data:
        maps = read_projection(
            an_object(data["projection"], f"{at}projection"), f"{at}projection.", get_array
        )

    def vectors(which: str) -> NDArray[Any]:
        if maps is not None and which not in data and x is not None and x.shape[-1] == maps.d_model:
            return maps.derived(which, x.astype(np.float32))
        return _vectors(need(data, which, at), f"{at}{which}", n_tokens, get_array)

    q, k = vectors("q"), vectors("k")
    v = k if v_is_k else vectors("v")
    is_default = np.zeros(n_tokens, bool)
    for token in a_list(data.get("default_tokens", []), f"{at}default_tokens"):
        index = a_count(token, f"{at}default_tokens")
        if index >= n_tokens:
            raise FileError(
                "“{place}” holds {got}, but there are only {wanted} tokens.",
                place=f"{at}default_tokens",
                got=index,
                wanted=n_tokens,
            )
        is_default[index] = True
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
        is_default=is_default,
        projection=maps,
    )


def _vectors(value: Any, place: str, n_tokens: int, get_array: GetArray) -> NDArray[Any]:
    array = number_table(value, place, get_array)
    if array.shape[0] != n_tokens:
        raise FileError(
            "“{place}” has {got} rows, but there are {wanted} tokens.",
            place=place,
            got=array.shape[0],
            wanted=n_tokens,
        )
    return array


def _mask_fill(value: Any) -> float:
    return -math.inf if value == "-inf" else a_number(value, "mask_fill")
