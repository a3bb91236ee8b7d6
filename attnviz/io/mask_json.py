"""A mask as JSON values and back: its kind, and the numbers of that kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from attnviz.core.masks import CausalMask, CustomMask, Mask, NoMask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import PrefixMask, SinkMask, SlidingWindowMask
from attnviz.io.errors import FileError
from attnviz.io.json_values import (
    GetArray,
    PutArray,
    a_bool,
    a_count,
    a_list,
    a_text,
    array_json,
    even_rows,
    far_array,
    need,
)


def mask_json(mask: Mask, put_array: PutArray) -> dict[str, Any]:
    """Give a mask as JSON values; the cells of a large custom one go to ``put_array``."""
    numbers: dict[str, Any] = {}
    if isinstance(mask, CustomMask):
        numbers = {"allowed": array_json(mask.array, "mask.npy", put_array, bool)}
    elif isinstance(mask, PaddingMask):
        numbers = {"tokens": list(mask.tokens), "hides_future": mask.hides_future}
    elif isinstance(mask, SlidingWindowMask):
        numbers = {"width": mask.width}
    elif isinstance(mask, SinkMask):
        numbers = {"sinks": mask.sinks, "width": mask.width}
    elif isinstance(mask, PrefixMask):
        numbers = {"length": mask.length}
    if mask.alignment != "first":
        numbers["alignment"] = mask.alignment
    return {"kind": mask.kind, **numbers}


def read_mask(data: dict[str, Any], get_array: GetArray) -> Mask:
    """Give the mask that JSON values stand for.

    Raises
    ------
    FileError
        When the kind is not known, or one of its numbers is missing or of the wrong type.
    InputError
        When a number makes no mask of that kind.
    """
    alignment: Any = a_text(data.get("alignment", "first"), "mask.alignment")  # the mask says which there are
    return _read_kind(data, get_array).with_alignment(alignment)


def _read_kind(data: dict[str, Any], get_array: GetArray) -> Mask:
    kind = a_text(need(data, "kind", "mask."), "mask.kind")

    def count(key: str) -> int:
        return a_count(need(data, key, "mask."), f"mask.{key}")

    if kind == CausalMask.kind:
        return CausalMask()
    if kind == NoMask.kind:
        return NoMask()
    if kind == PaddingMask.kind:
        tokens = a_list(need(data, "tokens", "mask."), "mask.tokens")
        hides_future = a_bool(data.get("hides_future", False), "mask.hides_future")
        return PaddingMask(tuple(a_count(token, "mask.tokens") for token in tokens), hides_future)
    if kind == SlidingWindowMask.kind:
        return SlidingWindowMask(count("width"))
    if kind == SinkMask.kind:
        return SinkMask(count("sinks"), count("width"))
    if kind == PrefixMask.kind:
        return PrefixMask(count("length"))
    if kind == CustomMask.kind:
        return _read_cells(need(data, "allowed", "mask."), get_array)
    raise FileError(
        "The kind of mask is “{got}”; causal, none, padding, window, sinks, prefix or custom is wanted.",
        got=kind[:40],
    )


def _read_cells(allowed: Any, get_array: GetArray) -> CustomMask:
    place = "mask.allowed"
    if isinstance(allowed, dict):
        return CustomMask(far_array(allowed, place, "|b1", get_array))
    rows = [[a_bool(cell, place) for cell in a_list(row, place)] for row in a_list(allowed, place)]
    return CustomMask(np.array(even_rows(rows, place), bool))
