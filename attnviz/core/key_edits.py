"""Pure edits of cross attention, Inputs -> Inputs: the keys as tokens of their own, and what comes of them.

Edits that are of tokens and keys alike (numbers of k and v, names of dimensions) are in edits.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.arrays import checked_vectors
from attnviz.core.errors import InputError
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import Places
from attnviz.core.position_codes import previous_token_vectors
from attnviz.core.projection_edits import (
    derived_head,
    patched,
    resized_x,
    with_resized_maps,
    with_rows,
    x_of,
)
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


def separate_keys(inputs: Inputs) -> Inputs:
    """Give the keys tokens of their own, which start as a copy of the tokens; no number changes."""
    if inputs.is_cross:
        return inputs
    heads = tuple(replace(head, is_default_key=head.is_default) for head in inputs.heads)
    return replace(inputs, heads=heads, key_text=inputs.text, key_tokens=inputs.tokens, x_keys=inputs.x)


def join_keys(inputs: Inputs) -> Inputs:
    """Let the tokens be the keys again.

    Notes
    -----
    k, v and columns of a custom mask stay with their places: row i of k is then of token i. Where there were
    fewer keys than tokens, zeros are added, where there were more, the last ones are cut. A head of position
    codes is rebuilt. A head derived from x stays one where its W_K has as many rows as x has columns: its k
    and v then come from x; else it becomes one of plain vectors.
    """
    if not inputs.is_cross:
        return inputs
    n, n_key = inputs.n_query, inputs.n_key
    there = np.arange(n)
    places = np.where(there < n_key, there, -1)
    heads = tuple(_joined(head, inputs, places) for head in inputs.heads)
    mask = inputs.mask.rearranged(places, "keys")
    return replace(inputs, heads=heads, mask=mask, key_text="", key_tokens=None, x_keys=None)


def _joined(head: Head, inputs: Inputs, places: Places) -> Head:
    marks = head.is_default & ((places < 0) | head.key_marks[places])
    head = replace(head, is_default=marks, is_default_key=np.zeros(0, bool))
    maps = head.projection
    if maps is not None and inputs.x is not None and maps.d_model_k == inputs.x.shape[1]:
        return derived_head(head, inputs.x, maps)
    if head.source == "positions":
        q, k = previous_token_vectors(len(places))
        return replace(head, q=q, k=k, v=k if head.v_is_k else carried(head.v, places))
    k = carried(head.k, places)
    v = k if head.v_is_k else carried(head.v, places)
    return replace(head, k=k, v=v, source="vectors", projection=None)


def rearrange_keys(
    inputs: Inputs, text: str, tokens: Sequence[str], kept: Kept, fresh: Fresh | None = None
) -> Inputs:
    """Give a document of cross attention with other key tokens; the query tokens stay.

    k, v, x of the keys, columns of a custom mask and padding move with them. Parameters and notes are those
    of ``edits.rearrange_tokens``.

    Raises
    ------
    InputError
        When the document has no key tokens of its own, or there would be none or too many.
    """
    _check_cross(inputs)
    tokens = checked_origins(tokens, kept)
    places = places_of(kept)
    if all_stay(places, inputs.n_key):
        return replace(inputs, key_text=text, key_tokens=tokens)
    check_rows_fit(inputs, "kv", len(places))
    heads = tuple(rearranged_head(head, "kv", tokens, places, fresh) for head in inputs.heads)
    mask = inputs.mask.rearranged(places, "keys")
    before = inputs.x_keys
    if before is None and inputs.x is not None and len(inputs.x) == inputs.n_key:
        before = inputs.x  # both were the same; only that of the keys moves
    x_keys = None if before is None else carried(before, places)
    return replace(inputs, heads=heads, mask=mask, key_text=text, key_tokens=tokens, x_keys=x_keys)


def set_x_keys_block(inputs: Inputs, token: int, dim: int, values: ArrayLike) -> Inputs:
    """Set a rectangle of the keys' x from its top left corner; values of shape (rows, columns).

    Raises
    ------
    InputError
        When there are no key tokens or no x, the rectangle does not fit, or a number is not finite or over
        1e6.
    """
    _check_cross(inputs)
    x = patched(x_of(inputs, "k"), token, dim, checked_vectors(values, "x of the keys"), "x")
    if x is inputs.x_of("k"):
        return inputs
    rows = np.arange(token, token + np.shape(values)[0])
    heads = tuple(with_rows(head, "kv", x, rows) for head in inputs.heads)
    return replace(inputs, x_keys=x, heads=heads)


def resize_x_keys(inputs: Inputs, d_model: int) -> Inputs:
    """Change the dimensions of the keys' x: its columns, and rows of all W_K and W_V, are cut or added.

    Raises
    ------
    InputError
        When there are no key tokens or no x, or it is not 1 to 4,096.
    """
    _check_cross(inputs)
    x = resized_x(x_of(inputs, "k"), d_model)
    if x is inputs.x_of("k"):
        return inputs
    heads = tuple(with_resized_maps(head, "kv", x) for head in inputs.heads)
    return replace(inputs, x_keys=x, heads=heads)


def _check_cross(inputs: Inputs) -> None:
    if not inputs.is_cross:
        raise InputError("The tokens are the keys in this document; separate the keys from them first.")
