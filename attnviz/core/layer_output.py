"""From the heads' outputs to the layer's: concat, output projection, and each head's share of it.

The arithmetic alone; float32 in, float32 out, no threads.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attnviz.core.arrays import FloatArray
from attnviz.core.inputs import Inputs


def concat(head_outputs: Sequence[FloatArray]) -> FloatArray:
    """Give the heads' outputs side by side: float32 (n, d_v) each, together (n, Σ d_v)."""
    return np.concatenate(head_outputs, axis=1)


def output(concat: FloatArray, inputs: Inputs) -> FloatArray:
    """Give concat · W_O + b_O of rows of concat: (rows, Σ d_v) gives (rows, d_output).

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.2.2: MultiHead(Q, K, V).
    """
    result = concat if inputs.w_o is None else concat @ inputs.w_o
    return result if inputs.b_o is None else result + inputs.b_o


def head_slices(inputs: Inputs) -> tuple[slice, ...]:
    """Give the columns of concat, and rows of W_O, that belong to each head."""
    ends = np.cumsum([head.d_v for head in inputs.heads]).tolist()
    return tuple(slice(end - head.d_v, end) for end, head in zip(ends, inputs.heads, strict=True))


def contributions(head_outputs: Sequence[FloatArray], inputs: Inputs) -> FloatArray:
    """Give what each head adds to the output of one token, through its own rows of W_O.

    Parameters
    ----------
    head_outputs
        One row (d_v,) per head.

    Returns
    -------
    array
        float32 (n_heads, d_output). Their sum and b_O are the token's output.
    """
    shares = np.zeros((inputs.n_heads, inputs.d_output), np.float32)
    for share, row, place in zip(shares, head_outputs, head_slices(inputs), strict=True):
        if inputs.w_o is None:
            share[place] = row
        else:
            share[:] = row @ inputs.w_o[place]
    return shares


def residual(output: FloatArray, inputs: Inputs) -> FloatArray | None:
    """Give x + output where there is an x of the output's shape, (n, d_model); else None."""
    if inputs.x is None or inputs.x.shape != output.shape:
        return None
    return inputs.x + output
