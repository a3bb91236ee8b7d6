"""Edits of every kind, drawn by hypothesis."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from attnviz.core import edits, key_edits, mask_edits
from tests.engine.documents import mask_of


def random_edit(inputs, draw):
    """Draw one of all kinds of edit."""
    head = draw(st.integers(0, inputs.n_heads - 1))
    token = draw(st.integers(0, inputs.n_query - 1))
    kinds = ["q", "k", "v", "block", "strength", "mask", "fill", "link", "token", "head", "size"]
    if inputs.is_cross:
        kinds += ["key token", "alignment"]
    kind = draw(st.sampled_from(kinds))
    value = draw(st.sampled_from([-3.0, -0.1, 0.0, 0.7, 2.5]))
    if kind == "alignment":
        return mask_edits.set_alignment(inputs, draw(st.sampled_from(["first", "last"])))
    if kind == "key token":
        key = draw(st.integers(0, inputs.n_key - 1))
        kept = [*range(key + 1), None, *range(key + 1, inputs.n_key)]
        if inputs.n_key > 1 and draw(st.booleans()):
            kept = [index for index in range(inputs.n_key) if index != key]
        return key_edits.rearrange_keys(inputs, "", ["k"] * len(kept), kept)
    if kind in ("q", "k", "v"):
        count = len(getattr(inputs.heads[head], kind))
        return edits.set_vector_value(inputs, head, kind, token % count, 0, value)
    if kind == "block":
        which = draw(st.sampled_from("qkv"))
        count = len(getattr(inputs.heads[head], which))
        rows = draw(st.integers(1, count - token % count))
        return edits.set_vector_block(inputs, head, which, token % count, 0, [[value]] * rows)
    if kind == "strength":
        return edits.set_scale_strength(inputs, draw(st.sampled_from([0.3, 1.0, 2.0])))
    if kind == "mask":
        return edits.set_mask(
            inputs,
            mask_of(draw(st.sampled_from(["causal", "none", "holes"])), inputs.n_query, n_key=inputs.n_key),
        )
    if kind == "fill":
        return edits.set_mask_fill(inputs, draw(st.sampled_from([-math.inf, -1e9, 0.0])))
    if kind == "link" and inputs.heads[head].d_k == inputs.heads[head].d_v:
        return edits.set_v_is_k(inputs, head, not inputs.heads[head].v_is_k)
    if kind == "head":
        return (
            edits.copy_head(inputs, head, "copy") if inputs.n_heads < 3 else edits.remove_head(inputs, head)
        )
    if kind == "size":
        return edits.resize_head(inputs, head, draw(st.integers(1, 8)), draw(st.integers(1, 8)))
    kept = [*range(token + 1), None, *range(token + 1, inputs.n_tokens)]
    if inputs.n_tokens > 1 and draw(st.booleans()):
        kept = [index for index in range(inputs.n_tokens) if index != token]
    return edits.rearrange_tokens(inputs, "", ["t"] * len(kept), kept)
