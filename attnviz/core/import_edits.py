"""The edit that brings arrays from elsewhere into a document, Inputs -> Inputs, in one step.

What each array becomes is told by the caller; what does not fit is explained, and nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from attnviz.core.arrays import FloatArray
from attnviz.core.errors import InputError
from attnviz.core.head import Head
from attnviz.core.import_heads import made_head
from attnviz.core.import_joined import taken_apart
from attnviz.core.import_parts import VECTORS, Part, Piece, misfit, piece_of_layer, pieces_of_heads
from attnviz.core.inputs import Inputs, checked_tokens
from attnviz.core.masks import Alignment, CausalMask, CustomMask, Mask, NoMask
from attnviz.core.output_rows import carried_output
from attnviz.core.projections import BIASES, WEIGHTS

How = Literal["change", "replace", "add"]
"""Heads that arrays are of: those there are, others in their place, or more of them."""


@dataclass(frozen=True)
class Names:
    """Texts that came with the arrays; None: there were none."""

    tokens: tuple[str, ...] | None = None
    key_tokens: tuple[str, ...] | None = None
    heads: tuple[str, ...] | None = None
    x: tuple[str, ...] | None = None


def import_arrays(
    inputs: Inputs,
    parts: Sequence[Part],
    how: How = "replace",
    names: Names | None = None,
    join: Callable[[Sequence[str]], str] = " ".join,
) -> Inputs:
    """Give the document with arrays brought in.

    Parameters
    ----------
    parts
        The arrays and what each becomes. With ``change`` heads count as they are in the document, else among
        themselves.
    how
        ``change``: what is given replaces the same of the heads there are. ``replace``: the document has just
        the heads that are given. ``add``: they come after those there are.
    names
        Texts that came with the arrays. Where the number of tokens changes and there are none, tokens are
        numbered from 0.
    join
        Gives the sentence of new tokens.

    Raises
    ------
    InputError
        When something does not fit; the sentence names the array, the axis and both sizes.

    Notes
    -----
    A head without v has v = k. k and v with another number of rows than q make a document of cross attention.
    """
    names = names or Names()
    parts = taken_apart(parts)
    given = pieces_of_heads(parts)
    layer = {role: piece_of_layer(parts, role) for role in ("x", "x_keys", "w_o", "b_o", "mask")}
    if not given and not any(layer.values()) and names.tokens is None:
        raise InputError("Nothing was chosen to be imported; say what an array becomes.")
    if not given and how != "change":
        raise InputError("There is no q, k, v or W_Q among the arrays, of which heads are made.")
    if how == "change":
        _check_heads_are_there(inputs, given)
    else:
        _check_no_head_is_left_out(given)
    sides = _sides(inputs, given, layer, names, how)
    x, x_keys = _sources(inputs, given, layer, sides, how)
    places = range(inputs.n_heads) if how == "change" else range(len(given))
    bases = {place: _base(inputs, place, how, names) for place in places}
    made = [made_head(given.get(place, {}), base, place, x, x_keys) for place, base in bases.items()]
    heads = (*inputs.heads, *made) if how == "add" else tuple(made)
    mask = _mask(inputs, layer["mask"], sides)
    w_o, b_o = _output(inputs, heads, layer, how)
    was_x = None if inputs.x is None else inputs.x.shape[1]
    x_names = inputs.x_names if x is not None and x.shape[1] == was_x else ()
    if layer["x"] is not None and names.x is not None:  # they came with it
        x_names = names.x
    return replace(
        inputs,
        text=inputs.text if sides.tokens == inputs.tokens else join(sides.tokens),
        tokens=sides.tokens,
        heads=heads,
        mask=mask,
        x=x,
        x_names=x_names,
        w_o=w_o,
        b_o=b_o,
        key_tokens=sides.key_tokens,
        x_keys=x_keys,
        key_text=inputs.key_text
        if sides.key_tokens is None or sides.key_tokens == inputs.key_tokens
        else join(sides.key_tokens),
    )


@dataclass(frozen=True)
class _Sides:
    """The tokens of both sides; ``key_tokens`` is None where the tokens are the keys too."""

    tokens: tuple[str, ...]
    key_tokens: tuple[str, ...] | None

    @property
    def n_query(self) -> int:
        return len(self.tokens)

    @property
    def n_key(self) -> int:
        return len(self.tokens if self.key_tokens is None else self.key_tokens)


Given = dict[int, dict[str, Piece]]


def _check_heads_are_there(inputs: Inputs, given: Given) -> None:
    for head in sorted(given):
        if head >= inputs.n_heads:
            piece = next(iter(given[head].values()))
            raise InputError(
                "“{name}” holds numbers of head {got}, counted from 0, but the document has heads 0 to "
                "{last}; replace the heads, or add these to them.",
                name=piece.part.name,
                got=head,
                last=inputs.n_heads - 1,
            )
    for pieces in given.values():
        for piece in pieces.values():
            count = sum(piece.part is other.get(piece.part.role, piece).part for other in given.values())
            if piece.part.head is None and count != inputs.n_heads:
                raise InputError(
                    "The number of heads of “{name}” is {got}, but that of the document {wanted}; replace "
                    "the heads, or add these to them.",
                    name=piece.part.name,
                    got=count,
                    wanted=inputs.n_heads,
                )


def _check_no_head_is_left_out(given: Given) -> None:
    for head in range(len(given)):
        if head not in given:
            raise InputError(
                "There is nothing for head {got}, but for head {other}; heads are counted from 0.",
                got=head,
                other=max(given),
            )


def _sides(inputs: Inputs, given: Given, layer: dict[str, Piece | None], names: Names, how: How) -> _Sides:
    """Decide on the tokens, and check the rows of everything against them."""
    queries = _rows_of(given, layer, ("q",), "x")
    keys = _rows_of(given, layer, ("k", "v"), "x_keys")
    is_whole = how == "replace" or (
        how == "change"
        and len(given) == inputs.n_heads
        and all(_is_made_anew(pieces, inputs.heads[head], layer) for head, pieces in given.items())
    )
    is_derived = how == "change" and layer["x"] is not None and all(head.projection for head in inputs.heads)
    if names.tokens is not None:
        n_query = len(names.tokens)
    elif (is_whole or is_derived) and queries:
        n_query = len(queries[0].array)
    else:
        n_query = inputs.n_query
    _check_rows(queries, n_query)
    tokens = names.tokens
    if tokens is None:
        tokens = inputs.tokens if n_query == inputs.n_query else _numbered(n_query)
    tokens = checked_tokens(tokens)
    own = names.key_tokens
    was = inputs.key_tokens if how != "replace" or inputs.is_cross else None
    if own is not None:
        n_key = len(own)
    elif is_whole and keys:
        n_key = len(keys[0].array)
    elif how != "replace" and inputs.is_cross and not (is_derived and layer["x_keys"] is None):
        n_key = inputs.n_key
    else:
        n_key = n_query
    is_cross = own is not None or n_key != n_query or layer["x_keys"] is not None
    is_cross = is_cross or (how != "replace" and inputs.is_cross)
    if is_cross:
        _check_key_rows(keys, n_key)
    else:
        _check_rows(keys, n_key)
    if not is_cross:
        return _Sides(tokens, None)
    if own is None:
        own = was if was is not None and len(was) == n_key else None
    return _Sides(tokens, checked_tokens(_numbered(n_key) if own is None else own))


def _check_rows(pieces: Sequence[Piece], wanted: int) -> None:
    for piece in pieces:
        if wrong := misfit(piece, 0, wanted):
            raise InputError(
                "“{name}” has {got} rows (axis {axis}), but there are {wanted} tokens; one row per token is "
                "wanted.",
                **wrong,
            )


def _check_key_rows(pieces: Sequence[Piece], wanted: int) -> None:
    for piece in pieces:
        if wrong := misfit(piece, 0, wanted):
            raise InputError(
                "“{name}” has {got} rows (axis {axis}), but there are {wanted} key tokens; one row per token "
                "is wanted.",
                **wrong,
            )


def _rows_of(
    given: Given, layer: dict[str, Piece | None], of_heads: tuple[str, ...], of_layer: str
) -> list[Piece]:
    found = [pieces[role] for pieces in given.values() for role in of_heads if role in pieces]
    piece = layer[of_layer]
    return found if piece is None else [*found, piece]


def _is_made_anew(pieces: dict[str, Piece], old: Head, layer: dict[str, Piece | None]) -> bool:
    """Say whether nothing of a head's old vectors stays."""
    if any(name in pieces for name in (*WEIGHTS, *BIASES)) and layer["x"] is not None:
        return True
    return all(which in pieces or (which == "v" and old.v_is_k) for which in VECTORS)


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(str(index) for index in range(count))


def _sources(
    inputs: Inputs, given: Given, layer: dict[str, Piece | None], sides: _Sides, how: How
) -> tuple[FloatArray | None, FloatArray | None]:
    """Give x, and x of the keys where there are key tokens."""
    has_maps = any(name in pieces for pieces in given.values() for name in WEIGHTS)
    found: list[FloatArray | None] = []
    for role, rows in (("x", sides.n_query), ("x_keys", sides.n_key)):
        piece, old = layer[role], getattr(inputs, role)
        if piece is not None:
            found.append(piece.array)
        elif old is not None and len(old) == rows and (how != "replace" or has_maps):
            found.append(old)
        else:
            found.append(None)
    return found[0], None if sides.key_tokens is None else found[1]


def _base(inputs: Inputs, place: int, how: How, names: Names) -> Head | str:
    """Give the head that is changed, or the name of a new one."""
    if how == "change":
        head = inputs.heads[place]
        return (
            head
            if names.heads is None or place >= len(names.heads)
            else replace(head, name=names.heads[place])
        )
    if names.heads is not None and place < len(names.heads):
        return names.heads[place]
    return str(place + (inputs.n_heads if how == "add" else 0))


def _mask(inputs: Inputs, piece: Piece | None, sides: _Sides) -> Mask:
    n_query, n_key = sides.n_query, sides.n_key
    if piece is None:
        if (n_query, n_key) == (inputs.n_query, inputs.n_key):
            return inputs.mask
        queries, keys = np.arange(n_query), np.arange(n_key)
        queries[inputs.n_query :], keys[inputs.n_key :] = -1, -1
        if np.array_equal(queries, keys):
            return inputs.mask.rearranged(queries)
        return inputs.mask.rearranged(queries, "queries").rearranged(keys, "keys")
    _check_rows([piece], n_query)
    if wrong := misfit(piece, 1, n_key):
        raise InputError(
            "“{name}” has {got} columns (axis {axis}), but there are {wanted} keys; one column per key is "
            "wanted.",
            **wrong,
        )
    cells: NDArray[Any] = piece.array
    if cells.dtype != np.bool_:
        if not np.isin(cells, (0, 1)).all():
            raise InputError(
                "“{name}” holds other numbers than 0 and 1; a mask is 1 where the query may attend to the "
                "key.",
                name=piece.part.name,
            )
        cells = cells.astype(bool)
    own = inputs.mask
    kept = own.alignment  # which query stands at which key stays as it is
    other: Alignment = "first" if kept == "last" else "last"
    known = (CausalMask(alignment=kept), CausalMask(alignment=other), NoMask(alignment=kept))
    for mask in (own, *known):
        if mask is own and (n_query, n_key) != (inputs.n_query, inputs.n_key):
            continue
        offset = mask.offset(n_query, n_key)
        if np.array_equal(mask.allowed((0, n_query), (0, n_key), offset), cells):
            return mask
    return CustomMask(cells, alignment=kept)


def _output(
    inputs: Inputs, heads: Sequence[Head], layer: dict[str, Piece | None], how: How
) -> tuple[FloatArray | None, FloatArray | None]:
    """Give W_O and b_O: those given, else those of the heads that stay."""
    w_o, b_o = layer["w_o"], layer["b_o"]
    d_concat = sum(head.d_v for head in heads)
    if w_o is not None and (wrong := misfit(w_o, 0, d_concat)):
        raise InputError(
            "“{name}” has {got} rows (axis {axis}), but the heads' outputs side by side have "
            "{wanted} columns (Σ d_v); both need the same number.",
            **wrong,
        )
    table, bias = (None if piece is None else piece.array for piece in (w_o, b_o))
    if table is None and how != "replace":
        origins = [head if head < inputs.n_heads else None for head in range(len(heads))]
        if inputs.w_o is not None or inputs.b_o is not None:
            table, old_bias = carried_output(inputs, heads, origins)
            bias = old_bias if bias is None else bias
    if b_o is not None and (wrong := misfit(b_o, 1, d_concat if table is None else table.shape[1])):
        raise InputError(
            "“{name}” has {got} numbers (axis {axis}), but the output has {wanted} dimensions; "
            "one per dimension is wanted.",
            **wrong,
        )
    return table, bias
