"""The names of the lines of concat, W_O and the output, and where one head ends and the next begins."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from attnviz.core.inputs import Inputs


def concat_names(inputs: Inputs) -> tuple[str, ...]:
    """Give a name for each column of concat, which is a row of W_O: the head's and the dimension's."""
    if inputs.n_heads == 1:
        return tuple(inputs.heads[0].names_of("v"))
    return tuple(f"{head.name} · {name}" for head in inputs.heads for name in head.names_of("v"))


def output_names(inputs: Inputs) -> tuple[str, ...]:
    """Give a name for each dimension of the output: those of concat where W_O is the identity."""
    if inputs.w_o is None:
        return concat_names(inputs)
    return tuple(str(number) for number in range(inputs.d_output))


def first_lines(inputs: Inputs) -> frozenset[int]:
    """Give the first column of concat of every head but the first."""
    return frozenset(np.cumsum([head.d_v for head in inputs.heads])[:-1].tolist())


@functools.lru_cache(maxsize=4)
def identity(size: int) -> NDArray[np.float32]:
    """Give the identity, float32 (size, size), read-only, in no more memory than a row or two of it."""
    line: NDArray[np.float32] = np.zeros(2 * size - 1, np.float32)
    line[size - 1] = 1
    step = line.strides[0]
    return np.lib.stride_tricks.as_strided(line[size - 1 :], (size, size), (-step, step), writeable=False)
