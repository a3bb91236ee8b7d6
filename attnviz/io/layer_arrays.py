"""What a layer is beside its stages, as arrays by name: what heads are made of and what becomes of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core import layer_output
from attnviz.core.arrays import FloatArray
from attnviz.core.inputs import Inputs
from attnviz.core.projections import BIASES, WEIGHTS
from attnviz.core.stages import Stages

OUTPUT = "output"
LAYER = "layer"
"""Stands for all of ``layer_arrays`` among names of arrays."""


def output_of(heads: Sequence[Stages]) -> FloatArray:
    """Give the layer's output, float32 (n_query, d_output), of the stages of all its heads in order."""
    return layer_output.output(_concat(heads), heads[0].request.inputs)


def layer_arrays(heads: Sequence[Stages]) -> dict[str, NDArray[Any]]:
    """Give ``q``, ``k``, ``v``, ``x``, ``x_keys``, the maps, ``concat``, ``w_o``, ``output``, ``residual``.

    Parameters
    ----------
    heads
        The stages of all heads in order.

    Returns
    -------
    dict
        Those that the document has. What each head has is stacked, (n_heads, …); where heads differ in size,
        or only some have it, there are ``q_0``, ``q_1``, … instead. W_O that is the identity is left out.
    """
    inputs = heads[0].request.inputs
    arrays: dict[str, NDArray[Any]] = {}
    for which in "qkv":
        arrays |= _of_heads(which, [getattr(head, which) for head in inputs.heads])
    for name in (*WEIGHTS, *BIASES):
        arrays |= _of_heads(name, [_map(inputs, index, name) for index in range(inputs.n_heads)])
    joined = _concat(heads)
    output = layer_output.output(joined, inputs)
    parts = {
        "x": inputs.x,
        "x_keys": inputs.x_keys,
        "concat": joined,
        "w_o": inputs.w_o,
        "b_o": inputs.b_o,
        OUTPUT: output,
        "residual": layer_output.residual(output, inputs),
    }
    return arrays | {name: array for name, array in parts.items() if array is not None}


def _concat(heads: Sequence[Stages]) -> FloatArray:
    return layer_output.concat([stages.head_outputs[stages.request.region.head] for stages in heads])


def _map(inputs: Inputs, head: int, name: str) -> FloatArray | None:
    maps = inputs.heads[head].projection
    array: FloatArray | None = None if maps is None else getattr(maps, name)
    return array


def _of_heads(name: str, arrays: Sequence[FloatArray | None]) -> dict[str, NDArray[Any]]:
    there = {index: array for index, array in enumerate(arrays) if array is not None}
    if len(there) == len(arrays) and len({array.shape for array in there.values()}) == 1:
        return {name: np.stack(list(there.values()))}
    return {f"{name}_{index}": array for index, array in there.items()}
