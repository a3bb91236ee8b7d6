"""The layer's output for every engine, concat · W_O + b_O; what an earlier answer knew is kept."""

from __future__ import annotations

import numpy as np

from attnviz.core.inputs import Inputs
from attnviz.core.layer_output import concat, output
from attnviz.core.request import OUTPUT
from attnviz.core.stages import Stages
from attnviz.engine.blocks import FloatArray, IntArray
from attnviz.engine.changes import changed_rows


def layer_output(stages: Stages, previous: Stages | None) -> FloatArray | None:
    """Give the layer's output of an answer that holds the outputs of all heads.

    Parameters
    ----------
    stages
        The answer, complete but for this.
    previous
        An earlier answer, whose output is kept where the heads' outputs and W_O are the same.

    Returns
    -------
    array or None
        float32 (n_query, d_output), read-only; None where it was not asked for, or a head is missing.
    """
    inputs = stages.request.inputs
    if OUTPUT not in stages.request.extras or stages.is_partial:
        return None
    heads = [stages.head_outputs[head] for head in range(inputs.n_heads)]
    kept = None if previous is None else _kept(stages, previous)
    if previous is None or previous.output is None or kept is None:
        result = output(concat(heads), inputs)
        if any(result is head for head in heads):  # a single head, and the identity
            return result
    else:
        rows, columns = kept
        if not rows.size and not columns.size:
            return previous.output
        result = previous.output.copy()
        if columns.size:
            result[:, columns] = _columns(concat(heads), inputs, columns)
        if rows.size:
            result[rows] = output(concat([head[rows] for head in heads]), inputs)
    result.flags.writeable = False
    return result


def _kept(stages: Stages, previous: Stages) -> tuple[IntArray, IntArray] | None:
    """Give the rows and the columns of the output that differ from the earlier; None: all of it."""
    old, new = previous.request.inputs, stages.request.inputs
    if previous.output is None or previous.output.shape != (new.n_query, new.d_output):
        return None
    if [head.d_v for head in old.heads] != [head.d_v for head in new.heads]:
        return None
    if len(previous.head_outputs) != new.n_heads or (old.w_o is None) != (new.w_o is None):
        return None
    rows: set[int] = set()
    for head in range(new.n_heads):
        rows.update(changed_rows(previous.head_outputs[head], stages.head_outputs[head]).tolist())
    differs = _bias(old) != _bias(new)
    if old.w_o is not None and new.w_o is not None and old.w_o is not new.w_o:
        differs |= (old.w_o != new.w_o).any(axis=0)
    return np.array(sorted(rows), np.intp), np.flatnonzero(differs)


def _columns(whole: FloatArray, inputs: Inputs, columns: IntArray) -> FloatArray:
    part = whole[:, columns] if inputs.w_o is None else whole @ inputs.w_o[:, columns]
    return part + _bias(inputs)[columns]


def _bias(inputs: Inputs) -> FloatArray:
    return np.zeros(inputs.d_output, np.float32) if inputs.b_o is None else inputs.b_o
