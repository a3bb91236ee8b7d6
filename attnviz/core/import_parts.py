"""Arrays from elsewhere and what each becomes in a document; every shape that does not fit is explained.

Nothing here reads a file or knows the document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core.arrays import FloatArray, as_numbers, checked_table, checked_vectors
from attnviz.core.errors import InputError
from attnviz.core.inputs import MAX_HEADS
from attnviz.core.projections import BIASES, WEIGHTS

VECTORS = ("q", "k", "v")
JOINED = {"qkv": VECTORS, "w_qkv": WEIGHTS, "b_qkv": BIASES}
"""Roles of what holds three others side by side in its columns."""
OF_HEADS = (*VECTORS, *WEIGHTS, *BIASES, *JOINED)
"""Roles of which every head has its own."""
ROWS = (*BIASES, "b_qkv", "b_o")
"""Roles of what has one axis, for a head or the layer."""
ROLES = (
    *("q", "k", "v", "x", "x_keys", *WEIGHTS, *BIASES),
    *("w_o", "b_o", "mask", "qkv", "w_qkv", "b_qkv"),
)
"""What an array may become."""
SYMBOLS = {
    "x_keys": "x of the keys", "w_q": "W_Q", "w_k": "W_K", "w_v": "W_V", "b_q": "b_Q", "b_k": "b_K",
    "b_v": "b_V", "w_o": "W_O", "b_o": "b_O", "qkv": "q | k | v", "w_qkv": "W_Q | W_K | W_V",
    "b_qkv": "b_Q | b_K | b_V",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Part:
    """One array and what it becomes.

    Attributes
    ----------
    name
        What the array is called where it comes from; it stands in sentences.
    role
        One of ``ROLES``.
    array
        Numbers of any real type and any order; bool for a mask. A BlockArray or an ArrayStack, which lie
        elsewhere, are q, k or v as they are; for all else they are read.
    head
        The head that an array of ``OF_HEADS`` belongs to; None: it holds all heads, on axis 0 or, with
        ``shares``, side by side in its columns.
    shares
        The number of heads that share the columns of a table (rows, n_heads · d); 0: none do.
    is_transposed
        Whether rows and columns are the other way round, as in torch's ``Linear.weight``.
    """

    name: str
    role: str
    array: NDArray[Any]
    head: int | None = None
    shares: int = 0
    is_transposed: bool = False

    @property
    def axes(self) -> int:
        """Axes of one head's array, or of the layer's."""
        return 1 if self.role in ROWS else 2

    @property
    def shown_role(self) -> str:
        """The role as it is written on the screen."""
        return SYMBOLS.get(self.role, self.role)


@dataclass(frozen=True, eq=False)
class Piece:
    """What a part gives to one head, or to the layer: (rows, columns), or (columns,) for a bias."""

    part: Part
    array: FloatArray
    row_axis: int
    """Which axis of the part's array its rows are on."""
    column_axis: int
    """Which axis of the part's array its columns are on."""


def pieces_of_heads(parts: Sequence[Part]) -> dict[int, dict[str, Piece]]:
    """Give what each head is given, by its index and by role.

    Raises
    ------
    InputError
        When an array has another number of axes, two disagree on the number of heads, columns cannot be
        shared evenly, two are the same of one head, or a number is not finite or over 1e6.
    """
    found: dict[int, dict[str, Piece]] = {}
    first: Part | None = None
    for part in parts:
        if part.role not in OF_HEADS:
            continue
        arrays, row_axis, column_axis = _of_heads(part)
        if part.head is None and part.shares == 0:
            if first is not None and len(arrays) != first.array.shape[_stack_axis(first)]:
                raise InputError(
                    "“{name}” has {got} heads (axis {axis}), but “{other}” has {wanted}; "
                    "both need the same number.",
                    name=part.name,
                    got=len(arrays),
                    axis=_stack_axis(part),
                    other=first.name,
                    wanted=first.array.shape[_stack_axis(first)],
                )
            first = first or part
        for head, array in arrays.items():
            roles = found.setdefault(head, {})
            if part.role in roles:
                raise InputError(
                    "“{name}” and “{other}” would both become {role} of head {head}; choose one of them.",
                    name=roles[part.role].part.name,
                    other=part.name,
                    role=part.shown_role,
                    head=head,
                )
            what = f"“{part.name}”" if len(arrays) == 1 else f"“{part.name}”, head {head},"
            roles[part.role] = Piece(part, _checked(part, array, what), row_axis, column_axis)
    if found and max(found) >= MAX_HEADS:
        raise InputError(
            "There are {got} heads; 1 to {wanted} are possible.", got=max(found) + 1, wanted=MAX_HEADS
        )
    return found


def piece_of_layer(parts: Sequence[Part], role: str) -> Piece | None:
    """Give the one array of a role of the layer, None where there is none.

    Raises
    ------
    InputError
        When there are two, it has another number of axes, or a number is not finite or over 1e6.
    """
    there = [part for part in parts if part.role == role]
    if not there:
        return None
    if len(there) > 1:
        raise InputError(
            "“{name}” and “{other}” would both become {role}; choose one of them.",
            name=there[0].name,
            other=there[1].name,
            role=there[0].shown_role,
        )
    part = _read_where_needed(there[0])
    array, dropped = _without_unit_axes(part, part.axes)
    row_axis, column_axis = _axes_of_table(part, dropped)
    if role == "w_o" and array.ndim == 3:  # (n_heads, d_v, d_model): the heads' rows below each other
        array = np.concatenate(list(_turned(part, array)))
    else:
        _check_axes(part, array.ndim, part.axes)
        array = _turned(part, array)
    if role == "mask":
        return Piece(part, array, row_axis, column_axis)
    return Piece(part, _checked(part, array, f"“{part.name}”"), row_axis, column_axis)


def table_of(part: Part) -> tuple[Part, int]:
    """Give a part of one table or row, read where it lies elsewhere, and the axis that its columns are on.

    Raises
    ------
    InputError
        When it has another number of axes.
    """
    part = _read_where_needed(part)
    array, dropped = _without_unit_axes(part, part.axes)
    _check_axes(part, array.ndim, part.axes)
    return part, _axes_of_table(part, dropped)[1]


def misfit(piece: Piece, axis: int, wanted: int) -> dict[str, Any]:
    """Give name, got, axis and wanted where a piece's rows (0) or columns (1) are not as many as wanted.

    Nothing where they are; ``axis`` of the answer is that of the array as it came.
    """
    is_bias = piece.array.ndim == 1
    got = piece.array.shape[0 if is_bias else axis]
    if got == wanted:
        return {}
    place = piece.row_axis if axis == 0 and not is_bias else piece.column_axis
    return {"name": piece.part.name, "got": got, "axis": place, "wanted": wanted}


def _of_heads(part: Part) -> tuple[dict[int, NDArray[Any]], int, int]:
    """Give the arrays of a part by head, and the axes of its array that rows and columns are on."""
    part = _read_where_needed(part)
    if part.head is not None or part.shares:
        array, dropped = _without_unit_axes(part, part.axes)
        _check_axes(part, array.ndim, part.axes)
        row_axis, column_axis = _axes_of_table(part, dropped)
        array = _turned(part, array)
        if part.head is not None:
            return {part.head: array}, row_axis, column_axis
        columns = array.shape[-1]
        if columns % part.shares:
            raise InputError(
                "“{name}” has {got} columns (axis {axis}), which {wanted} heads cannot share evenly.",
                name=part.name,
                got=columns,
                axis=column_axis,
                wanted=part.shares,
            )
        return dict(enumerate(np.split(array, part.shares, axis=-1))), row_axis, column_axis
    array, dropped = _without_unit_axes(part, part.axes + 1)
    _check_axes(part, array.ndim, part.axes + 1)
    row_axis, column_axis = _axes_of_table(part, dropped + 1)
    return dict(enumerate(_turned(part, array))), row_axis, column_axis


def _read_where_needed(part: Part) -> Part:
    """Read an array that lies elsewhere and cannot stay there."""
    array: Any = part.array
    stays = part.role in VECTORS and not part.is_transposed and not part.shares
    if stays or isinstance(array, np.ndarray):
        return part
    return replace(part, array=np.asarray(array))


def _without_unit_axes(part: Part, axes: int) -> tuple[NDArray[Any], int]:
    """Give an array without leading axes of length 1 that are too many, such as a batch of one."""
    array, dropped = part.array, 0
    while array.ndim > axes and array.shape[0] == 1:
        array, dropped = array[0], dropped + 1
    return array, dropped


def _stack_axis(part: Part) -> int:
    return _without_unit_axes(part, part.axes + 1)[1]


def _axes_of_table(part: Part, before: int) -> tuple[int, int]:
    if part.axes == 1:
        return before, before
    return (before + 1, before) if part.is_transposed else (before, before + 1)


def _turned(part: Part, array: NDArray[Any]) -> NDArray[Any]:
    return np.swapaxes(array, -1, -2) if part.is_transposed and part.axes == 2 else array


def _check_axes(part: Part, got: int, wanted: int) -> None:
    if got == wanted:
        return
    of_one = _shape_of(part)
    if part.role in OF_HEADS and wanted > part.axes:
        raise InputError(
            "“{name}” has shape {got}; for {role} of all heads {wanted} is wanted.",
            name=part.name,
            got=part.array.shape,
            role=part.shown_role,
            wanted=f"(n_heads, {of_one[1:-1].rstrip(',')})",
        )
    raise InputError(
        "“{name}” has shape {got}; for {role} {wanted} is wanted.",
        name=part.name,
        got=part.array.shape,
        role=part.shown_role,
        wanted=of_one,
    )


def _shape_of(part: Part) -> str:
    dims = "d_v" if part.role in ("v", "w_v", "b_v") else "d_k"
    if part.role in VECTORS:
        return f"(n, {dims})"
    if part.role in WEIGHTS:
        return f"(d_model, {dims})"
    if part.role in BIASES:
        return f"({dims},)"
    joined = {"qkv": "(n, 3 · d)", "w_qkv": "(d_model, 3 · d)", "b_qkv": "(3 · d,)"}
    if part.role in joined:
        return joined[part.role]
    layer = {"w_o": "(Σ d_v, d_model)", "b_o": "(d_model,)", "mask": "(n_query, n_key)"}
    return layer.get(part.role, "(n, d_model)")


def _checked(part: Part, array: NDArray[Any], what: str) -> FloatArray:
    """Give a piece as read-only float32 with finite numbers up to 1e6."""
    if part.axes == 1:
        row: FloatArray = checked_table(as_numbers(array, what)[None], what)[0]
        return row
    is_rows_of_tokens = part.role in (*VECTORS, "x", "x_keys")
    return checked_vectors(array, what) if is_rows_of_tokens else checked_table(array, what)
