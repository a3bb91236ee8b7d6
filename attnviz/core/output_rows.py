"""W_O and b_O follow the heads: their rows move, come and go with the heads they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from attnviz.core.arrays import FloatArray, sealed
from attnviz.core.inputs import Head, Inputs
from attnviz.core.layer_output import head_slices


def with_heads(inputs: Inputs, heads: Sequence[Head], origins: Sequence[int | None]) -> Inputs:
    """Give the document with other heads.

    Parameters
    ----------
    origins
        For each new head the index of the old head whose rows of W_O it keeps, None where it is new: zeros.
        Where its d_v changed, rows are cut at the end or added as zeros.
    """
    w_o, b_o = carried_output(inputs, heads, origins)
    return replace(inputs, heads=tuple(heads), w_o=w_o, b_o=b_o)


def carried_output(
    inputs: Inputs, heads: Sequence[Head], origins: Sequence[int | None]
) -> tuple[FloatArray | None, FloatArray | None]:
    """Give W_O and b_O for other heads; parameters are those of ``with_heads``."""
    w_o, b_o = inputs.w_o, inputs.b_o
    if w_o is not None:
        w_o = _carried(w_o, inputs, heads, origins)
    elif b_o is not None:  # W_O is the identity, so that b_O has an entry per column of concat
        b_o = _carried(b_o[:, None], inputs, heads, origins)[:, 0]
    return w_o, b_o


def _carried(
    rows: FloatArray, inputs: Inputs, heads: Sequence[Head], origins: Sequence[int | None]
) -> FloatArray:
    places = head_slices(inputs)
    parts = []
    for head, origin in zip(heads, origins, strict=True):
        part = np.zeros((head.d_v, rows.shape[1]), np.float32)
        if origin is not None:
            kept = rows[places[origin]][: head.d_v]
            part[: len(kept)] = kept
        parts.append(part)
    return sealed(np.concatenate(parts))
