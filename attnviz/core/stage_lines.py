"""Each stage as one line of numpy, with a document's own numbers in it.

The lines are true: run one after the other from ``given`` they give what an engine gives. Words, colours and
kernels are other rooms' business.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnviz.core.inputs import Inputs
from attnviz.core.masks import CausalMask, NoMask
from attnviz.core.numbers import format_shortest
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import PrefixMask, SinkMask, SlidingWindowMask
from attnviz.core.stages import STAGE_NAMES, Stages

OUTPUT = "output"
PARTS = (*STAGE_NAMES, OUTPUT)
"""The four stages and what comes of them, Σ weight × v."""

ALLOWED = "allowed"
"""The name of the mask as an array."""
MOST_LISTED = 12
"""So many hidden tokens are listed in a line; more are taken from the array."""

Shape = tuple[int, int]


@dataclass(frozen=True)
class StageLine:
    """One stage in numpy.

    Attributes
    ----------
    part
        One of PARTS; also the name of the array that the line makes.
    code
        One statement; it takes ``np``, what ``given`` gives, and what the lines before it make.
    operands
        (name, shape) of each array that goes in, in the order of the line.
    shape
        Of the array that comes out.
    """

    part: str
    code: str
    operands: tuple[tuple[str, Shape], ...]
    shape: Shape


def stage_line(stages: Stages, part: str) -> StageLine:
    """Give the numpy line of a part for the head that ``stages`` shows.

    Raises
    ------
    KeyError
        When there is no such part.
    """
    inputs, number = stages.request.inputs, stages.request.region.head
    head = inputs.heads[number]
    square = (inputs.n_query, inputs.n_key)
    if part == "scores":
        operands = (("q", head.q.shape), ("kᵀ", head.k.shape[::-1]))
        return StageLine(part, "scores = q @ k.T", operands, square)
    if part == "scaled":
        return StageLine(
            part, f"scaled = scores / {_divisor_code(inputs, head.d_k)}", (("scores", square),), square
        )
    if part == "masked":
        allowed = allowed_code(inputs)
        code = f"masked = np.where({allowed}, scaled, {_number_code(inputs.mask_fill)})"
        taken = (("allowed", square),) if allowed == ALLOWED else ()
        return StageLine(part, code, (*taken, ("scaled", square)), square)
    if part == "weights":
        shares = "(e := np.exp(masked - masked.max(axis=1, keepdims=True))) / e.sum(axis=1, keepdims=True)"
        # A row that may attend to nothing is −∞ − −∞, which is no number; its weights are 0 by definition.
        code = f"weights = {f'np.nan_to_num({shares})' if has_empty_row(stages) else shares}"
        return StageLine(part, code, (("masked", square),), square)
    if part == OUTPUT:
        operands = (("weights", square), ("v", head.v.shape))
        return StageLine(part, "output = weights @ v", operands, (inputs.n_query, head.d_v))
    raise KeyError(part)


def given(inputs: Inputs, head: int) -> dict[str, NDArray[np.generic]]:
    """Give the arrays that the lines start from: q, k, v float32, and allowed bool (n_query, n_key)."""
    vectors = inputs.heads[head]
    return {"q": vectors.q, "k": vectors.k, "v": vectors.v, ALLOWED: inputs.allowed()}


def has_empty_row(stages: Stages) -> bool:
    """Say whether some query may attend to nothing, and its row of masked is −∞ throughout."""
    return bool(np.isneginf(stages.row_max).any())


def _divisor_code(inputs: Inputs, d_k: int) -> str:
    if inputs.scale_strength == 1.0:
        return f"np.float32(np.sqrt({d_k}))"
    return f"np.float32(np.sqrt({d_k}) * {inputs.scale_strength!r})"


def allowed_code(inputs: Inputs) -> str:
    """Give numpy for the cells that may be attended, or ``allowed`` where no rule says it in one line.

    What it makes is bool (n_query, n_key), or (n_key,) where all queries see the same keys. A query that does
    not stand at the key of its own number has its place in ``k=``.
    """
    mask, n_key = inputs.mask, inputs.n_key
    offset = mask.offset(inputs.n_query, n_key)
    past = _triangle(inputs, offset)
    if isinstance(mask, CausalMask):
        return past
    if isinstance(mask, NoMask):
        return f"np.ones(({inputs.n_query}, {n_key}), bool)"
    if isinstance(mask, SlidingWindowMask):
        return f"{past} & ~{_triangle(inputs, offset - mask.width)}"
    if isinstance(mask, SinkMask):
        window = f"~{_triangle(inputs, offset - mask.width)}"
        return f"{past} & ((np.arange({n_key}) < {mask.sinks}) | {window})"
    if isinstance(mask, PrefixMask):
        return f"{past} | (np.arange({n_key}) < {mask.length})"
    if isinstance(mask, PaddingMask) and len(mask.tokens) <= MOST_LISTED:
        kept = f"~np.isin(np.arange({n_key}), {list(mask.tokens)})"
        return f"{past} & {kept}" if mask.hides_future else kept
    return ALLOWED


def _triangle(inputs: Inputs, offset: int) -> str:
    """Give numpy for key ≤ query + offset."""
    n_query, n_key = inputs.n_query, inputs.n_key
    shape = str(n_query) if n_query == n_key else f"{n_query}, {n_key}"
    return f"np.tri({shape}, k={offset}, dtype=bool)" if offset else f"np.tri({shape}, dtype=bool)"


def _number_code(value: float) -> str:
    return "-np.inf" if value == -math.inf else format_shortest(value)
