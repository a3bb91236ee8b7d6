"""Pure edits of what comes before and after the heads: x, the maps of a head, W_O.

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
from attnviz.core.edits import plain
from attnviz.core.errors import InputError
from attnviz.core.inputs import Head, Inputs
from attnviz.core.output_rows import with_heads
from attnviz.core.projections import BIASES, WEIGHTS, Projection, project
from attnviz.core.request import check_index

_SHOWN = dict(zip((*WEIGHTS, *BIASES), ("W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V"), strict=True))


def set_x_block(inputs: Inputs, token: int, dim: int, values: ArrayLike) -> Inputs:
    """Set a rectangle of x from its top left corner; values of shape (rows, columns).

    Raises
    ------
    InputError
        When there is no x, the rectangle does not fit, or a number is not finite or over 1e6.
    """
    x = _patched(_x_of(inputs), token, dim, checked_vectors(values, "x"), "x")
    if x is inputs.x:
        return inputs
    rows = np.arange(token, token + np.shape(values)[0])
    heads = tuple(_with_rows(head, x, rows) for head in inputs.heads)
    return replace(inputs, x=x, heads=heads)


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
    changed = _patched(table, row, column, block, shown)
    if changed is table:
        return inputs
    maps = _with_map(maps, which, changed[0] if is_bias else changed)
    columns = slice(column, column + block.shape[1])
    bias = getattr(maps, f"b_{vector}")
    vectors = getattr(old, vector).copy()
    vectors[:, columns] = project(
        _x_of(inputs), getattr(maps, f"w_{vector}")[:, columns], None if bias is None else bias[columns]
    )
    return inputs.with_head(head, _with_vectors(old, maps, {vector: closed(vectors)}))


def add_bias(inputs: Inputs, head: int, which: str) -> Inputs:
    """Give a derived head ``b_q``, ``b_k`` or ``b_v``, zeros, where it has none; no vector changes."""
    old, maps = _derived_head(inputs, head)
    if getattr(maps, which) is not None:
        return inputs
    zeros: FloatArray = np.zeros(getattr(maps, f"w_{which[-1]}").shape[1], np.float32)
    return inputs.with_head(head, _with_vectors(old, _with_map(maps, which, zeros), {}))


def drop_bias(inputs: Inputs, head: int, which: str) -> Inputs:
    """Take ``b_q``, ``b_k`` or ``b_v`` away from a derived head."""
    old, maps = _derived_head(inputs, head)
    if getattr(maps, which) is None:
        return inputs
    maps, vector = _with_map(maps, which, None), which[-1]
    derived = maps.derived(vector, _x_of(inputs))
    return inputs.with_head(head, _with_vectors(old, maps, {vector: derived}))


def set_projection(inputs: Inputs, head: int, projection: Projection) -> Inputs:
    """Derive a head from x by these maps; its d_k and d_v become theirs, and W_O follows.

    Raises
    ------
    InputError
        When there is no x, or the maps do not fit it.
    """
    check_index("head", head, inputs.n_heads)
    derived = derived_head(inputs.heads[head], _x_of(inputs), projection)
    return with_heads(inputs, _replaced(inputs.heads, head, derived), range(inputs.n_heads))


def derived_head(head: Head, x: FloatArray, projection: Projection) -> Head:
    """Give a head with q, k and v derived from x (n, d_model); names of dimensions stay where they fit.

    Raises
    ------
    InputError
        When x and the maps differ in d_model.
    """
    if x.shape[1] != projection.d_model:
        raise InputError(
            "x has {x} dimensions, but W_Q of head “{name}” has {got} rows; both need the same d_model.",
            x=x.shape[1],
            name=head.name,
            got=projection.d_model,
        )
    q, k, v = (projection.derived(which, x) for which in "qkv")
    qk_names = head.qk_names if head.d_k == projection.d_k else ()
    v_names = head.v_names if head.d_v == projection.d_v else ()
    return Head(head.name, q, k, v, False, qk_names, v_names, "projection", head.is_default, projection)


def start_projection(inputs: Inputs, head: int) -> Inputs:
    """Let a head of vectors be derived from x, its numbers as they were.

    Where there is no x yet, x becomes the head's q, k and v side by side, and the maps pick each out of it.
    Where there is one, the maps are those that come nearest to the head's vectors (least squares), and the
    vectors become what these give.
    """
    check_index("head", head, inputs.n_heads)
    old = inputs.heads[head]
    if old.projection is not None:
        return inputs
    x = inputs.x
    if x is None:
        parts = [old.q, old.k] if old.v_is_k else [old.q, old.k, old.v]
        x = sealed(np.concatenate(parts, axis=1))
        ends = np.cumsum([part.shape[1] for part in parts]).tolist()
        picks = [
            np.eye(x.shape[1], dtype=np.float32)[:, end - part.shape[1] : end]
            for end, part in zip(ends, parts, strict=True)
        ]
        maps = Projection(picks[0], picks[1], picks[-1])
    else:
        maps = Projection(*(_nearest_map(x, getattr(old, which)) for which in "qkv"))
    return replace(inputs, x=x, heads=_replaced(inputs.heads, head, derived_head(old, x, maps)))


def stop_projection(inputs: Inputs, head: int) -> Inputs:
    """Let a head be one of plain vectors; its numbers stay, and so does x."""
    check_index("head", head, inputs.n_heads)
    old = inputs.heads[head]
    return inputs if old.projection is None else inputs.with_head(head, plain(old))


def set_x(inputs: Inputs, x: ArrayLike | None) -> Inputs:
    """Replace x (n, d_model) as a whole; heads derived from it follow.

    Raises
    ------
    InputError
        When it does not fit the tokens or the maps, or is taken away while heads are derived from it.
    """
    if x is None:
        return replace(inputs, x=None)
    new = checked_vectors(x, "x")
    if len(new) != inputs.n_tokens:
        raise InputError(
            "x has {got} rows, but there are {wanted} tokens; one row per token is wanted.",
            got=len(new),
            wanted=inputs.n_tokens,
        )
    heads = tuple(
        head if head.projection is None else derived_head(head, new, head.projection) for head in inputs.heads
    )
    return replace(inputs, x=new, heads=heads)


def resize_x(inputs: Inputs, d_model: int) -> Inputs:
    """Change d_model: columns of x and rows of all W_Q, W_K and W_V are cut at the end, or added as zeros.

    Added zeros change no vector; what is cut is missing from every derived q, k and v.

    Raises
    ------
    InputError
        When there is no x, or d_model is not 1 to 4,096.
    """
    x = _x_of(inputs)
    old = x.shape[1]
    if not 1 <= d_model <= MAX_DIMENSIONS:
        raise InputError(
            "{got} dimensions were asked for {what}; 1 to 4096 are possible.", got=d_model, what="x"
        )
    if d_model == old:
        return inputs
    x = _sized(x, d_model, axis=1)
    heads = []
    for head in inputs.heads:
        if head.projection is not None:
            changes: dict[str, Any] = {
                name: _sized(getattr(head.projection, name), d_model, axis=0) for name in WEIGHTS
            }
            maps = replace(head.projection, **changes)
            grows = d_model > old
            vectors = {} if grows else {which: maps.derived(which, x) for which in "qkv"}
            head = _with_vectors(head, maps, vectors)
        heads.append(head)
    return replace(inputs, x=x, heads=tuple(heads))


def set_w_o_block(inputs: Inputs, row: int, column: int, values: ArrayLike) -> Inputs:
    """Set a rectangle of W_O from its top left corner; the identity that it was becomes numbers.

    Raises
    ------
    InputError
        When the rectangle does not fit, or a number is not finite or over 1e6.
    """
    old = np.eye(inputs.d_concat, dtype=np.float32) if inputs.w_o is None else inputs.w_o
    changed = _patched(old, row, column, checked_table(values, "W_O"), "W_O")
    return inputs if changed is old else replace(inputs, w_o=changed)


def set_w_o(inputs: Inputs, w_o: ArrayLike | None, b_o: ArrayLike | None = None) -> Inputs:
    """Replace W_O (Σ d_v, d_model) and b_O (d_model,); None: the identity, and no bias.

    Raises
    ------
    InputError
        When shapes do not fit the heads.
    """
    table = None if w_o is None else checked_table(w_o, "W_O")
    return replace(inputs, w_o=table, b_o=None if b_o is None else np.asarray(b_o))


def set_b_o_block(inputs: Inputs, column: int, values: ArrayLike) -> Inputs:
    """Set some numbers of b_O, values of shape (1, columns); a bias that was not there is zeros before."""
    bias = np.zeros(inputs.d_output, np.float32) if inputs.b_o is None else inputs.b_o
    changed = _patched(bias[None], 0, column, checked_table(values, "b_O"), "b_O")
    return replace(inputs, b_o=changed[0])


def _x_of(inputs: Inputs) -> FloatArray:
    if inputs.x is None:
        raise InputError("There is no x in this document; give it one first.")
    return inputs.x


def _derived_head(inputs: Inputs, head: int) -> tuple[Head, Projection]:
    check_index("head", head, inputs.n_heads)
    old = inputs.heads[head]
    if old.projection is None:
        raise InputError("Head “{name}” is not derived from x; choose x · W for it first.", name=old.name)
    return old, old.projection


def _nearest_map(x: FloatArray, vectors: FloatArray) -> FloatArray:
    """Give the W (d_model, dims) whose x · W comes nearest to the vectors, in few digits where these do."""
    w: NDArray[np.float64] = np.linalg.lstsq(x.astype(np.float64), vectors.astype(np.float64), rcond=None)[0]
    short = np.round(w, 6) + 0.0  # no −0
    off, short_off = (np.abs(project(x, table) - vectors).max() for table in (w, short))
    return sealed(short if short_off <= off * 1.001 else w)


def _sized(table: FloatArray, count: int, axis: int) -> FloatArray:
    """Give a table with lines cut at the end of an axis, or added there as zeros."""
    shape = list(table.shape)
    shape[axis] = count
    sized: FloatArray = np.zeros(shape, np.float32)
    shared = tuple(slice(min(old, new)) for old, new in zip(table.shape, shape, strict=True))
    sized[shared] = table[shared]
    return closed(sized)


def _with_rows(head: Head, x: FloatArray, rows: NDArray[np.intp]) -> Head:
    """Give a head with some rows derived again; nobody's defaults any more."""
    maps = head.projection
    if maps is None:
        return head
    marks = head.is_default
    if marks[rows].any():
        marks = marks.copy()
        marks[rows] = False
        head = replace(head, is_default=marks)
    vectors = {}
    for which in "qkv":
        changed = getattr(head, which).copy()
        changed[rows] = maps.derived(which, x[rows])
        vectors[which] = closed(changed)
    return _with_vectors(head, maps, vectors)


def _with_map(maps: Projection, which: str, values: FloatArray | None) -> Projection:
    changes: dict[str, Any] = {which: values}
    return replace(maps, **changes)


def _with_vectors(head: Head, maps: Projection, vectors: dict[str, FloatArray]) -> Head:
    changes: dict[str, Any] = {**vectors, "projection": maps}
    return replace(head, **changes)


def _patched(table: FloatArray, row: int, column: int, block: FloatArray, what: str) -> FloatArray:
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
