"""Pure edits of what comes after the heads: W_O and b_O.

How both follow heads that come, go and move is in output_rows.py.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.arrays import MAX_DIMENSIONS, checked_table
from attnviz.core.errors import InputError
from attnviz.core.inputs import Inputs
from attnviz.core.projection_edits import patched, sized


def set_w_o_block(inputs: Inputs, row: int, column: int, values: ArrayLike) -> Inputs:
    """Set a rectangle of W_O from its top left corner; the identity that it was becomes numbers.

    Raises
    ------
    InputError
        When the rectangle does not fit, or a number is not finite or over 1e6.
    """
    old = np.eye(inputs.d_concat, dtype=np.float32) if inputs.w_o is None else inputs.w_o
    changed = patched(old, row, column, checked_table(values, "W_O"), "W_O")
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


def resize_output(inputs: Inputs, d_output: int) -> Inputs:
    """Change the output's dimensions: columns of W_O, and of b_O, are cut at the end or added as zeros.

    The identity that W_O was becomes numbers, and stays the identity as far as it reaches.

    Raises
    ------
    InputError
        When the number is not 1 to 4,096.
    """
    if not 1 <= d_output <= MAX_DIMENSIONS:
        raise InputError(
            "{got} dimensions were asked for {what}; 1 to 4096 are possible.", got=d_output, what="W_O"
        )
    if d_output == inputs.d_output:
        return inputs
    w_o = np.eye(inputs.d_concat, dtype=np.float32) if inputs.w_o is None else inputs.w_o
    b_o = None if inputs.b_o is None else sized(inputs.b_o[None], d_output, 1)[0]
    return replace(inputs, w_o=sized(w_o, d_output, 1), b_o=b_o)


def set_b_o_block(inputs: Inputs, column: int, values: ArrayLike) -> Inputs:
    """Set some numbers of b_O, values of shape (1, columns); a bias that was not there is zeros before."""
    bias = np.zeros(inputs.d_output, np.float32) if inputs.b_o is None else inputs.b_o
    changed = patched(bias[None], 0, column, checked_table(values, "b_O"), "b_O")
    return replace(inputs, b_o=changed[0])
