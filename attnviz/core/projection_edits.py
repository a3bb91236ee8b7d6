"""Pure edits of what comes before the heads: x, and the maps of a head.

What an edit changes is derived again at once, and only that: a row of x is a row of every derived q, k and v,
a number of W_Q a column of one q.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attnviz.core.arrays import (
    MAX_DIMENSIONS,
    FloatArray,
    checked_table,
    checked_vectors,
    closed,
    sealed,
    with_block,
)
from attnviz.core.edits import plain, resized_names, without_marks
from attnviz.core.errors import InputError
from attnviz.core.inputs import Head, Inputs
from attnviz.core.projections import BIASES, WEIGHTS, Projection, check_depths, project
from attnviz.core.request import check_index

_SHOWN = dict(zip((*WEIGHTS, *BIASES), ("W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V"), strict=True))


def set_x_block(inputs: Inputs, token: int, dim: int, values: ArrayLike) -> Inputs:
    """Set a rectangle of x from its top left corner; values of shape (rows, columns).

    Raises
    ------
    InputError
        When there is no x, the rectangle does not fit, or a number is not finite or over 1e6.
    """
    x = patched(x_of(inputs), token, dim, checked_vectors(values, "x"), "x")
    if x is inputs.x:
        return inputs
    rows = np.arange(token, token + np.shape(values)[0])
    heads = inputs.heads
    for which in _from_x(inputs):
        heads = tuple(with_rows(head, which, x, rows) for head in heads)
    return replace(inputs, x=x, heads=heads)


def _from_x(inputs: Inputs) -> tuple[str, ...]:
    """Give what follows from x, by whose tokens it is: of tokens, of queries, of keys."""
    if not inputs.is_cross:
        return ("qkv",)
    return ("q", "kv") if inputs.x_keys is None else ("q",)


def set_projection_block(
    inputs: Inputs, head: int, which: str, row: int, column: int, values: ArrayLike
) -> Inputs:
    """Set a rectangle of a derived head's ``w_q``, ``w_k``, ``w_v``, or (row 0) ``b_q``, ``b_k``, ``b_v``.

    A bias that was not there is zeros before.

    Raises
    ------
    InputError
        When the head is not derived from x, the rectangle does not fit, or a number is not finite or too
        large.
    """
    old, maps = _derived_head(inputs, head)
    is_bias, shown = which in BIASES, _SHOWN[which]
    vector = which[-1]
    table = getattr(maps, which)
    if is_bias:
        dims = getattr(old, vector).shape[1]
        table = np.zeros((1, dims), np.float32) if table is None else table[None]
    block = checked_table(values, shown)
    changed = patched(table, row, column, block, shown)
    if changed is table:
        return inputs
    maps = _with_map(maps, which, changed[0] if is_bias else changed)
    columns = slice(column, column + block.shape[1])
    bias = getattr(maps, f"b_{vector}")
    vectors = getattr(old, vector).copy()
    w = getattr(maps, f"w_{vector}")[:, columns]
    vectors[:, columns] = project(x_of(inputs, vector), w, None if bias is None else bias[columns])
    return inputs.with_head(head, with_vectors(old, maps, {vector: closed(vectors)}))


def add_bias(inputs: Inputs, head: int, which: str) -> Inputs:
    """Give a derived head ``b_q``, ``b_k`` or ``b_v``, zeros, where it has none; no vector changes."""
    old, maps = _derived_head(inputs, head)
    if getattr(maps, which) is not None:
        return inputs
    zeros: FloatArray = np.zeros(getattr(maps, f"w_{which[-1]}").shape[1], np.float32)
    return inputs.with_head(head, with_vectors(old, _with_map(maps, which, zeros), {}))


def drop_bias(inputs: Inputs, head: int, which: str) -> Inputs:
    """Take ``b_q``, ``b_k`` or ``b_v`` away from a derived head."""
    old, maps = _derived_head(inputs, head)
    if getattr(maps, which) is None:
        return inputs
    maps, vector = _with_map(maps, which, None), which[-1]
    derived = maps.derived(vector, x_of(inputs, vector))
    return inputs.with_head(head, with_vectors(old, maps, {vector: derived}))


def derived_head(head: Head, x: FloatArray, projection: Projection, x_keys: FloatArray | None = None) -> Head:
    """Give a head with q, k and v derived from x (n, d_model); names of dimensions stay where they fit.

    In cross attention k and v are derived from ``x_keys`` (n_key, d_model_k).

    Raises
    ------
    InputError
        When x and the maps differ in d_model.
    """
    x_keys = x if x_keys is None else x_keys
    check_depths(head.name, projection, x.shape[1], x_keys.shape[1])
    q = projection.derived("q", x)
    k, v = (projection.derived(which, x_keys) for which in "kv")
    qk_names = head.qk_names if head.d_k == projection.d_k else ()
    v_names = head.v_names if head.d_v == projection.d_v else ()
    return Head(
        head.name,
        q,
        k,
        v,
        False,
        qk_names,
        v_names,
        "projection",
        head.is_default if len(head.is_default) == len(q) else np.zeros(0, bool),
        projection,
        head.is_default_key if len(head.is_default_key) == len(k) else np.zeros(0, bool),
    )


def start_projection(inputs: Inputs, head: int) -> Inputs:
    """Let a head of vectors be derived from x, its numbers as they were.

    Where there is no x yet, x becomes the head's q, k and v side by side, and the maps pick each out of it.
    Where there is one, the maps are those that come nearest to the head's vectors (least squares), and the
    vectors become what these give. In cross attention queries and keys have an x each.
    """
    check_index("head", head, inputs.n_heads)
    old = inputs.heads[head]
    if old.projection is not None:
        return inputs
    values = ("k",) if old.v_is_k else ("k", "v")
    if inputs.is_cross:
        x, maps_of_q = _maps_from(old, ("q",), inputs.x)
        shared = inputs.x if inputs.x is not None and len(inputs.x) == inputs.n_key else None
        x_keys, maps_of_keys = _maps_from(old, values, shared if inputs.x_keys is None else inputs.x_keys)
        maps = maps_of_q | maps_of_keys
    else:
        x, maps = _maps_from(old, ("q", *values), inputs.x)
        x_keys = None
    projection = Projection(maps["q"], maps["k"], maps.get("v", maps["k"]))
    derived = derived_head(old, x, projection, x_keys)
    return replace(inputs, x=x, x_keys=x_keys, heads=_replaced(inputs.heads, head, derived))


def _maps_from(
    head: Head, which: tuple[str, ...], x: FloatArray | None
) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Give x, and the map from it to each of some vectors of a head; a new x is these side by side."""
    if x is not None:
        return x, {name: nearest_map(x, getattr(head, name)) for name in which}
    parts = [getattr(head, name) for name in which]
    x = sealed(np.concatenate(parts, axis=1))
    ends = np.cumsum([part.shape[1] for part in parts]).tolist()
    picks = np.eye(x.shape[1], dtype=np.float32)
    return x, {
        name: sealed(picks[:, end - part.shape[1] : end])
        for name, end, part in zip(which, ends, parts, strict=True)
    }


def stop_projection(inputs: Inputs, head: int) -> Inputs:
    """Let a head be one of plain vectors; its numbers stay, and so does x."""
    check_index("head", head, inputs.n_heads)
    old = inputs.heads[head]
    return inputs if old.projection is None else inputs.with_head(head, plain(old))


def resize_x(inputs: Inputs, d_model: int) -> Inputs:
    """Change d_model: columns of x and rows of all W_Q, W_K and W_V are cut at the end, or added as zeros.

    Added zeros change no vector; what is cut is missing from every derived q, k and v. Where keys have an x
    of their own, W_K and W_V stay (``key_edits.resize_x_keys``).

    Raises
    ------
    InputError
        When there is no x, or d_model is not 1 to 4,096.
    """
    x = resized_x(x_of(inputs), d_model)
    if x is inputs.x:
        return inputs
    which = "qkv" if inputs.x_keys is None else "q"
    heads = tuple(with_resized_maps(head, which, x) for head in inputs.heads)
    return replace(inputs, x=x, x_names=resized_names(inputs.x_names, d_model), heads=heads)


def rename_x_dimension(inputs: Inputs, dim: int, name: str) -> Inputs:
    """Name a dimension of x.

    Raises
    ------
    InputError
        When there is no x, or no such dimension.
    """
    count = x_of(inputs).shape[1]
    if not 0 <= dim < count:
        raise InputError(
            "There is no dimension {got}; 0 to {last} are there, counted from 0.", got=dim, last=count - 1
        )
    names = list(inputs.x_names or (str(number) for number in range(count)))
    if names[dim] == name:
        return inputs
    names[dim] = name
    return replace(inputs, x_names=tuple(names))


def resized_x(x: FloatArray, d_model: int) -> FloatArray:
    """Give x with columns cut at the end or added as zeros, itself where there are so many already."""
    if not 1 <= d_model <= MAX_DIMENSIONS:
        raise InputError(
            "{got} dimensions were asked for {what}; 1 to 4096 are possible.", got=d_model, what="x"
        )
    return x if d_model == x.shape[1] else sized(x, d_model, axis=1)


def with_resized_maps(head: Head, which: str, x: FloatArray) -> Head:
    """Give a head whose maps to some of ``qkv`` have as many rows as x (n, d_model) has columns."""
    maps = head.projection
    if maps is None:
        return head
    rows = x.shape[1]
    changes: dict[str, Any] = {f"w_{name}": sized(getattr(maps, f"w_{name}"), rows, 0) for name in which}
    grows = x.shape[1] > maps.depth(which[0])
    maps = replace(maps, **changes)
    return with_vectors(head, maps, {} if grows else {name: maps.derived(name, x) for name in which})


def x_of(inputs: Inputs, which: str = "q") -> FloatArray:
    """Give what ``q``, ``k`` or ``v`` is derived from, or say that there is none."""
    x = inputs.x_of(which)
    if x is None:
        raise InputError("There is no x in this document; give it one first.")
    return x


def _derived_head(inputs: Inputs, head: int) -> tuple[Head, Projection]:
    check_index("head", head, inputs.n_heads)
    old = inputs.heads[head]
    if old.projection is None:
        raise InputError("Head “{name}” is not derived from x; choose x · W for it first.", name=old.name)
    return old, old.projection


def nearest_map(x: FloatArray, vectors: FloatArray) -> FloatArray:
    """Give the W (d_model, dims) whose x · W comes nearest to the vectors, in few digits where these do."""
    w: NDArray[np.float64] = np.linalg.lstsq(x.astype(np.float64), vectors.astype(np.float64), rcond=None)[0]
    short = np.round(w, 6) + 0.0  # no −0
    off, short_off = (np.abs(project(x, table) - vectors).max() for table in (w, short))
    return sealed(short if short_off <= off * 1.001 else w)


def sized(table: FloatArray, count: int, axis: int) -> FloatArray:
    """Give a table with lines cut at the end of an axis, or added there as zeros."""
    shape = list(table.shape)
    shape[axis] = count
    sized: FloatArray = np.zeros(shape, np.float32)
    shared = tuple(slice(min(old, new)) for old, new in zip(table.shape, shape, strict=True))
    sized[shared] = table[shared]
    return closed(sized)


def with_rows(head: Head, which: str, x: FloatArray, rows: NDArray[np.intp]) -> Head:
    """Give a head with some rows of some of ``qkv`` derived again; nobody's defaults any more."""
    maps = head.projection
    if maps is None:
        return head
    head = without_marks(head, rows, of_keys=which == "kv")
    vectors = {}
    for name in which:
        changed = getattr(head, name).copy()
        changed[rows] = maps.derived(name, x[rows])
        vectors[name] = closed(changed)
    return with_vectors(head, maps, vectors)


def _with_map(maps: Projection, which: str, values: FloatArray | None) -> Projection:
    changes: dict[str, Any] = {which: values}
    return replace(maps, **changes)


def with_vectors(head: Head, maps: Projection, vectors: dict[str, FloatArray]) -> Head:
    """Give a derived head with other maps, and those of its vectors that follow from them."""
    changes: dict[str, Any] = {**vectors, "projection": maps}
    return replace(head, **changes)


def patched(table: FloatArray, row: int, column: int, block: FloatArray, what: str) -> FloatArray:
    """Give a copy of a table with a rectangle set, the table itself where nothing differs."""
    if row < 0 or column < 0 or row + block.shape[0] > len(table) or column + block.shape[1] > table.shape[1]:
        raise InputError(
            "{rows} × {columns} numbers from row {row}, column {column} do not fit into {what}, "
            "which has {n_rows} rows × {n_columns} columns.",
            rows=block.shape[0],
            columns=block.shape[1],
            row=row,
            column=column,
            what=what,
            n_rows=len(table),
            n_columns=table.shape[1],
        )
    return with_block(table, row, column, block)


def _replaced(heads: tuple[Head, ...], index: int, head: Head) -> tuple[Head, ...]:
    return (*heads[:index], head, *heads[index + 1 :])
