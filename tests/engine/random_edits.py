"""Edits of every kind, drawn by hypothesis."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from attnviz.core import edits
from tests.engine.documents import mask_of


def random_edit(inputs, draw):
    """Draw one of all kinds of edit."""
    head = draw(st.integers(0, inputs.n_heads - 1))
    token = draw(st.integers(0, inputs.n_tokens - 1))
    kind = draw(
        st.sampled_from(["q", "k", "v", "block", "strength", "mask", "fill", "link", "token", "head", "size"])
    )
    value = draw(st.sampled_from([-3.0, -0.1, 0.0, 0.7, 2.5]))
    if kind in ("q", "k", "v"):
        return edits.set_vector_value(inputs, head, kind, token, 0, value)
    if kind == "block":
        rows = draw(st.integers(1, inputs.n_tokens - token))
        return edits.set_vector_block(inputs, head, draw(st.sampled_from("qkv")), token, 0, [[value]] * rows)
    if kind == "strength":
        return edits.set_scale_strength(inputs, draw(st.sampled_from([0.3, 1.0, 2.0])))
    if kind == "mask":
        return edits.set_mask(
            inputs, mask_of(draw(st.sampled_from(["causal", "none", "holes"])), inputs.n_tokens)
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
