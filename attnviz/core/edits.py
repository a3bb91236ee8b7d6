"""Pure edits, Inputs -> Inputs; each shares every array it does not touch.

An edit takes the document as it is now and gives the document as it shall be. What a step of undo keeps is in
steps.py. Where vectors come from when a token is new (a lexicon, zeros) is told by the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attnviz.core.arrays import FloatArray, checked_vectors, closed, with_block
from attnviz.core.block_arrays import as_blocks
from attnviz.core.errors import InputError
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import Mask
from attnviz.core.memory import check_fits
from attnviz.core.output_rows import with_heads
from attnviz.core.projections import Projection
from attnviz.core.request import check_index
from attnviz.core.token_rows import (
    Fresh,
    Kept,
    all_stay,
    carried,
    check_rows_fit,
    checked_origins,
    places_of,
    rearranged_head,
)

Edit = Callable[[Inputs], Inputs]


def set_vector_value(inputs: Inputs, head: int, which: str, token: int, dim: int, value: float) -> Inputs:
    """Set one number of ``q``, ``k`` or ``v``. Where v = k, setting either sets both.

    Raises
    ------
    InputError
        When the place does not exist or the value is not a finite number of magnitude up to 1e6.
    """
    return set_vector_block(inputs, head, which, token, dim, [[value]])


def set_vector_block(
    inputs: Inputs, head: int, which: str, token: int, dim: int, values: ArrayLike
) -> Inputs:
    """Set a rectangle of ``q``, ``k`` or ``v`` from its top left corner; values of shape (rows, columns).

    The tokens touched lose their default mark in this head; a head of position codes whose q or k is edited,
    or a head derived from x, becomes one of plain vectors.

    Raises
    ------
    InputError
        When the rectangle does not fit, or a value is not a finite number of magnitude up to 1e6.
    """
    check_index("head", head, inputs.n_heads)
    old = inputs.heads[head]
    block = checked_vectors(values, which)
    array = {"q": old.q, "k": old.k, "v": old.v}[which]
    if (
        token < 0
        or dim < 0
        or token + block.shape[0] > array.shape[0]
        or dim + block.shape[1] > array.shape[1]
    ):
        raise InputError(
            "{rows} × {columns} numbers from token {token}, dimension {dim} do not fit into {which}, "
            "which has {n_tokens} tokens × {n_dims} dimensions.",
            rows=block.shape[0],
            columns=block.shape[1],
            token=token,
            dim=dim,
            which=which,
            n_tokens=array.shape[0],
            n_dims=array.shape[1],
        )
    now = with_block(array, token, dim, block)
    if now is array:
        return inputs
    old = without_marks(old, slice(token, token + block.shape[0]), of_keys=which != "q" and inputs.is_cross)
    keeps_source = which == "v" and not old.v_is_k and old.source == "positions"
    old = replace(old, source="positions" if keeps_source else "vectors", projection=None)
    if which == "q":
        head_now = replace(old, q=now)
    elif old.v_is_k:
        head_now = replace(old, k=now, v=now)
    else:
        head_now = replace(old, k=now) if which == "k" else replace(old, v=now)
    return inputs.with_head(head, head_now)


def set_v_is_k(inputs: Inputs, head: int, v_is_k: bool) -> Inputs:
    """Link v to k (v takes k's numbers and names) or cut the link (the numbers stay).

    A head derived from x becomes one of plain vectors when its v is linked.
    """
    check_index("head", head, inputs.n_heads)
    old = inputs.heads[head]
    if old.v_is_k == v_is_k:
        return inputs
    v, names = (old.k, old.qk_names) if v_is_k else (old.v, old.v_names)
    old = plain(old)
    linked = replace(old, v=v, v_names=names, v_is_k=v_is_k)
    return _with_head(inputs, head, linked)


def set_mask(inputs: Inputs, mask: Mask) -> Inputs:
    """Set the kind of mask."""
    return inputs if mask.equals(inputs.mask) else replace(inputs, mask=mask)


def set_mask_fill(inputs: Inputs, mask_fill: float) -> Inputs:
    """Set what hidden scores become: −∞ or a finite number."""
    return inputs if mask_fill == inputs.mask_fill else replace(inputs, mask_fill=mask_fill)


def set_scale_strength(inputs: Inputs, scale_strength: float) -> Inputs:
    """Set the scale strength, 0.01 to 100."""
    return (
        inputs if scale_strength == inputs.scale_strength else replace(inputs, scale_strength=scale_strength)
    )


def rename_dimension(inputs: Inputs, head: int, which: str, dim: int, name: str) -> Inputs:
    """Name one dimension of q and k (``which`` is ``q`` or ``k``) or of ``v``; v = k shares the names."""
    check_index("head", head, inputs.n_heads)
    old = inputs.heads[head]
    names = list(old.names_of(which))
    if not 0 <= dim < len(names):
        raise InputError(
            "There is no dimension {got}; 0 to {last} are there, counted from 0.",
            got=dim,
            last=len(names) - 1,
        )
    if names[dim] == name:
        return inputs
    names[dim] = name
    qk_names = tuple(names) if which != "v" or old.v_is_k else old.qk_names
    v_names = tuple(names) if which == "v" or old.v_is_k else old.v_names
    return inputs.with_head(head, replace(old, qk_names=qk_names, v_names=v_names))


def add_head(inputs: Inputs, at: int, name: str) -> Inputs:
    """Insert a head of zeros with the shape and dimension names of the head before it (or of the first)."""
    like = inputs.heads[max(0, min(at, inputs.n_heads) - 1)]
    check_fits(4 * (like.q.size + like.k.size + like.v.size), "q, k, v")
    zero = Head(
        name,
        np.zeros(like.q.shape, np.float32),
        np.zeros(like.k.shape, np.float32),
        np.zeros(like.v.shape, np.float32),
        qk_names=like.qk_names,
        v_names=like.v_names,
    )
    return _with_new_head(inputs, at, zero)


def copy_head(inputs: Inputs, head: int, name: str) -> Inputs:
    """Insert a copy of a head right after it; arrays are shared. Its rows of W_O are zeros."""
    check_index("head", head, inputs.n_heads)
    copy = replace(inputs.heads[head], name=name)
    return _with_new_head(inputs, head + 1, copy)


def remove_head(inputs: Inputs, head: int) -> Inputs:
    """Take a head away; the last one cannot be removed."""
    check_index("head", head, inputs.n_heads)
    if inputs.n_heads == 1:
        raise InputError("This is the only head; a document needs at least one.")
    left = [place for place in range(inputs.n_heads) if place != head]
    return with_heads(inputs, [inputs.heads[place] for place in left], left)


def move_head(inputs: Inputs, head: int, to: int) -> Inputs:
    """Move a head to another place, counted from 0."""
    check_index("head", head, inputs.n_heads)
    check_index("head", to, inputs.n_heads)
    if head == to:
        return inputs
    order = list(range(inputs.n_heads))
    order.insert(to, order.pop(head))
    return with_heads(inputs, [inputs.heads[place] for place in order], order)


def rename_head(inputs: Inputs, head: int, name: str) -> Inputs:
    """Name a head."""
    check_index("head", head, inputs.n_heads)
    old = inputs.heads[head]
    return inputs if old.name == name else inputs.with_head(head, replace(old, name=name))


def resize_head(inputs: Inputs, head: int, d_k: int, d_v: int) -> Inputs:
    """Change d_k and d_v of a head: dimensions are cut at the end, or added with zeros and numbered names.

    Where v = k and the two sizes differ, the link is cut. A head of position codes becomes one of plain
    vectors when its d_k changes. W_Q, W_K and W_V are cut and filled up with q, k and v, W_O with the heads.

    Raises
    ------
    InputError
        When a size is not 1 to 4,096.
    """
    check_index("head", head, inputs.n_heads)
    old = inputs.heads[head]
    if (d_k, d_v) == (old.d_k, old.d_v):
        return inputs
    q, k = _resized(old.q, d_k, "q"), _resized(old.k, d_k, "k")
    v_is_k = old.v_is_k and d_k == d_v
    v = k if v_is_k else _resized(old.v, d_v, "v")
    changed = replace(
        old,
        q=q,
        k=k,
        v=v,
        v_is_k=v_is_k,
        qk_names=resized_names(old.qk_names, d_k),
        v_names=resized_names(old.v_names, d_v),
        source="vectors" if d_k != old.d_k and old.source == "positions" else old.source,
        projection=None if old.projection is None else _resized_maps(old.projection, d_k, d_v),
    )
    return _with_head(inputs, head, changed)


def rearrange_tokens(
    inputs: Inputs, text: str, tokens: Sequence[str], kept: Kept, fresh: Fresh | None = None
) -> Inputs:
    """Give the document with other tokens: add, remove, move, rename and a new sentence are all this.

    In cross attention these are the query tokens: q, x and rows of a custom mask move with them, and nothing
    of the keys (``key_edits.rearrange_keys``).

    Parameters
    ----------
    text
        The sentence the tokens stand for.
    tokens
        The new tokens, at least one.
    kept
        For each new token the index of the old token whose vectors and marks it keeps, or None (in an array
        −1) where it is new.
    fresh
        Gives the vectors of a new token in a head; None or a None answer: zeros. They are marked as defaults.

    Notes
    -----
    Heads of position codes are rebuilt from positions: their q and k follow the number of tokens. Their v is
    carried like any other. A custom mask moves with its tokens. x moves with its tokens too; a new token has
    zeros there, and in heads derived from x what follows from that.
    """
    tokens = checked_origins(tokens, kept)
    places = places_of(kept)
    if all_stay(places, inputs.n_tokens):
        return replace(inputs, text=text, tokens=tokens)
    check_rows_fit(inputs, "q" if inputs.is_cross else "qkv", len(places))
    which = "q" if inputs.is_cross else "qkv"
    heads = tuple(rearranged_head(head, which, tokens, places, fresh) for head in inputs.heads)
    mask = inputs.mask.rearranged(places, "queries" if inputs.is_cross else "both")
    x, x_keys = inputs.x, inputs.x_keys
    if x is not None:
        if inputs.is_cross and x_keys is None and len(x) == inputs.n_key:
            x_keys = x  # that of the keys was the same, and stays
        x = carried(x, places)
    return replace(inputs, text=text, tokens=tokens, heads=heads, mask=mask, x=x, x_keys=x_keys)


def without_marks(head: Head, rows: slice | NDArray[np.intp], *, of_keys: bool) -> Head:
    """Give a head whose tokens of these rows are nobody's defaults any more."""
    marks = head.key_marks if of_keys else head.is_default
    if not marks[rows].any():
        return head
    marks = marks.copy()
    marks[rows] = False
    return replace(head, is_default_key=marks) if of_keys else replace(head, is_default=marks)


def plain(head: Head) -> Head:
    """Give a head as one of plain vectors; its numbers stay."""
    return head if head.source == "vectors" else replace(head, source="vectors", projection=None)


def _with_new_head(inputs: Inputs, at: int, head: Head) -> Inputs:
    places = range(inputs.n_heads)
    heads = (*inputs.heads[:at], head, *inputs.heads[at:])
    return with_heads(inputs, heads, (*places[:at], None, *places[at:]))


def _with_head(inputs: Inputs, index: int, head: Head) -> Inputs:
    """Give the document with one head replaced; W_O follows its d_v."""
    heads = (*inputs.heads[:index], head, *inputs.heads[index + 1 :])
    return with_heads(inputs, heads, range(inputs.n_heads))


def _resized(array: NDArray[np.float32], dims: int, what: str) -> NDArray[np.float32]:
    if not 1 <= dims <= 4096:
        raise InputError(
            "{got} dimensions were asked for {what}; 1 to 4096 are possible.", got=dims, what=what
        )
    blocks = as_blocks(array)
    if blocks is not None:
        return cast(FloatArray, blocks.resized(dims))
    resized = np.zeros((array.shape[0], dims), np.float32)
    shared = min(dims, array.shape[1])
    resized[:, :shared] = array[:, :shared]
    return closed(resized)


def resized_names(names: tuple[str, ...], dims: int) -> tuple[str, ...]:
    """Give names for another number of dimensions: cut at the end, or numbered from there on."""
    return (*names[:dims], *(str(dim) for dim in range(len(names), dims))) if names else ()


def _resized_maps(maps: Projection, d_k: int, d_v: int) -> Projection:
    def bias(values: NDArray[np.float32] | None, dims: int) -> NDArray[np.float32] | None:
        return None if values is None else _resized(values[None], dims, "b")[0]

    return Projection(
        _resized(maps.w_q, d_k, "q"),
        _resized(maps.w_k, d_k, "k"),
        _resized(maps.w_v, d_v, "v"),
        bias(maps.b_q, d_k),
        bias(maps.b_k, d_k),
        bias(maps.b_v, d_v),
    )
