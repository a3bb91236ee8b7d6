"""From plain arrays to a document, and all stages of all heads as plain arrays, for ``attnviz.compute``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attnviz.core.array_stacks import ArrayStack, stack_of_file, stack_of_store
from attnviz.core.arrays import FloatArray, as_array, as_numbers, checked_vectors
from attnviz.core.block_arrays import BlockArray
from attnviz.core.errors import InputError
from attnviz.core.inputs import DENSE_TOKENS, MAX_TOKENS, Head, Inputs
from attnviz.core.masks import Alignment, CausalMask, CustomMask, Mask, NoMask
from attnviz.core.memory import check_fits
from attnviz.core.request import HEAD_OUTPUTS, Region, Request
from attnviz.core.stages import STAGE_NAMES
from attnviz.engine.base import Engine
from attnviz.engine.cluster import stack_of_dask
from attnviz.engine.layout import blocks_of
from attnviz.engine.numpy_engine import NumpyEngine


@dataclass(frozen=True, eq=False)
class Attention:
    """All stages of all heads, float32 and read-only.

    Attributes
    ----------
    scores, scaled, masked, weights
        Shape (n_heads, n_query, n_key); rows are queries, columns keys. Hidden cells of ``masked`` hold the
        mask value.
    head_output
        Σ weight × v, shape (n_heads, n_query, d_v).
    """

    scores: FloatArray
    scaled: FloatArray
    masked: FloatArray
    weights: FloatArray
    head_output: FloatArray


def attention_of(inputs: Inputs, engine: Engine | None = None) -> Attention:
    """Compute every stage of every head; all heads need the same d_v. Without an engine numpy's is used.

    Raises
    ------
    InputError
        When the squares do not fit into memory.
    """
    n_heads, n_query, n_key = inputs.n_heads, inputs.n_query, inputs.n_key
    check_fits(4 * n_heads * n_query * (4 * n_key + inputs.heads[0].d_v), ", ".join(STAGE_NAMES))
    own = engine or NumpyEngine()
    squares = {stage: np.empty((n_heads, n_query, n_key), np.float32) for stage in STAGE_NAMES}
    output = np.empty((n_heads, n_query, inputs.heads[0].d_v), np.float32)
    try:
        for head in range(n_heads):
            for part in _parts(inputs, head):
                stages = own.compute(part)
                assert stages is not None  # nobody cancels
                (first, _), keys = part.region.queries, slice(*part.region.keys)
                for stage, square in squares.items():
                    for row, block in stages.picture(stage).changed_blocks(None):
                        square[head, first + row : first + row + len(block), keys] = block
                if head in stages.head_outputs:
                    output[head] = stages.head_outputs[head]
    finally:
        if engine is None:
            own.close()
    for array in (*squares.values(), output):
        array.flags.writeable = False
    return Attention(**squares, head_output=output)


def _parts(inputs: Inputs, head: int) -> Iterator[Request]:
    """Ask for a head, and for one of a long document in parts that are not pooled."""
    if not inputs.is_long:
        yield Request.whole(inputs, head)
        return
    yield Request(inputs, 0, Region(head, (0, 1), (0, 1)), frozenset([HEAD_OUTPUTS]))
    for queries in blocks_of((0, inputs.n_query), DENSE_TOKENS):
        for keys in blocks_of((0, inputs.n_key), DENSE_TOKENS):
            yield Request(inputs, queries[0], Region(head, queries, keys))


def inputs_from_arrays(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    tokens: Sequence[str] | None = None,
    key_tokens: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    mask: str | ArrayLike = "causal",
    alignment: Alignment = "first",
    scale_strength: float = 1.0,
    mask_fill: float = -math.inf,
) -> Inputs:
    """Make a document of q, k and v, arrays of shape (n_heads, n, d), or (n, d) for one head.

    It is of cross attention where there are other numbers of keys than of queries, or key tokens are given.

    Parameters
    ----------
    tokens
        n_query strings; None: numbers from 0.
    key_tokens
        n_key strings; None: numbers from 0 where the numbers differ, else the tokens are the keys too.
    names
        n_heads strings; None: numbers from 0.
    mask
        ``causal``, ``none``, or a bool array of shape (n_query, n_key), True where the query (row) may attend
        to the key (column).
    alignment
        ``first`` or ``last``: which query stands at which key, see ``core.masks.Aligned``.

    Raises
    ------
    InputError
        When shapes disagree or a value cannot be taken; the sentence names the axis and both sizes.
    """
    stacks = _checked_stacks({"q": q, "k": k, "v": v})
    n_query, n_key = stacks["q"].shape[-2], stacks["k"].shape[-2]
    n_heads = stacks["q"].shape[0] if stacks["q"].ndim == 3 else 1
    labels, head_names = _checked_tokens(tokens, n_query), _checked_names(names, n_heads)
    is_cross = n_key != n_query or key_tokens is not None
    key_labels = _checked_tokens(key_tokens, n_key, "key_tokens") if is_cross else None
    heads = []
    for head in range(n_heads):
        place = "" if n_heads == 1 else f", head {head}"
        vectors = {which: _of_head(stack, head, f"{which}{place}") for which, stack in stacks.items()}
        heads.append(Head(head_names[head], vectors["q"], vectors["k"], vectors["v"]))
    return Inputs(
        " ".join(labels),
        labels,
        tuple(heads),
        _checked_mask(mask).with_alignment(alignment),
        _as_float(mask_fill, "mask_fill"),
        _as_float(scale_strength, "scale_strength"),
        key_tokens=key_labels,
        key_text=" ".join(key_labels or ()),
    )


Stack = NDArray[Any] | ArrayStack | BlockArray
"""q, k or v of all heads: held, or where it lies."""


def _stack_of(values: Any, which: str) -> Stack:
    """Take an array as it is where it lies elsewhere and is long, else as numbers."""
    if isinstance(values, ArrayStack | BlockArray):
        return values
    stack = stack_of_file(values, which) or stack_of_store(values, which) or stack_of_dask(values, which)
    return as_numbers(values, which) if stack is None else stack


def _of_head(stack: Stack, head: int, what: str) -> FloatArray:
    if isinstance(stack, BlockArray):
        return checked_vectors(cast(FloatArray, stack), what)
    if isinstance(stack, ArrayStack):
        return checked_vectors(cast(FloatArray, stack.head(head)), what)
    return checked_vectors(stack[head] if stack.ndim == 3 else stack, what)


def _checked_stacks(given: dict[str, ArrayLike]) -> dict[str, Stack]:
    """Give q, k and v, of shape (n_heads, n, d) or (n, d), as stacks that fit each other."""
    arrays = {which: _stack_of(values, which) for which, values in given.items()}
    for which, array in arrays.items():
        if array.size == 0:
            raise InputError(
                "{which} is empty (shape {got}); at least one head, token and dimension are needed.",
                which=which,
                got=array.shape,
            )
        if array.ndim not in (2, 3):
            raise InputError(
                "{which} has shape {got}; (n_heads, n, d) or (n, d) is wanted.", which=which, got=array.shape
            )
    q_shape = arrays["q"].shape
    for which in ("k", "v"):
        shape = arrays[which].shape
        if len(shape) != len(q_shape):
            raise InputError(
                "q has shape {q} and {which} has shape {got}; both need the same number of axes.",
                which=which,
                q=q_shape,
                got=shape,
            )
        if len(shape) == 3 and shape[0] != q_shape[0]:
            raise InputError(
                "q has {q} heads and {which} has {got} (axis 0); both need the same number.",
                which=which,
                q=q_shape[0],
                got=shape[0],
            )
        if shape[-2] != arrays["k"].shape[-2]:
            raise InputError(
                "k has {k} keys and v has {v} (axis {axis}); both need one row per key.",
                k=arrays["k"].shape[-2],
                v=shape[-2],
                axis=len(shape) - 2,
            )
        if which == "k" and shape[-1] != q_shape[-1]:
            raise InputError(
                "q has {q} dimensions and k has {got} (axis {axis}); both need the same d_k.",
                q=q_shape[-1],
                got=shape[-1],
                axis=len(shape) - 1,
            )
    most = max(q_shape[-2], arrays["k"].shape[-2])
    if most > MAX_TOKENS:
        raise InputError(
            "There are {got} tokens; at most {wanted} are possible.", got=most, wanted=MAX_TOKENS
        )
    held = (array for array in arrays.values() if isinstance(array, np.ndarray))
    check_fits(sum(4 * array.size for array in held), "q, k, v")
    return arrays


def _checked_mask(mask: str | ArrayLike) -> Mask:
    if isinstance(mask, str) or mask is None:
        if mask == CausalMask.kind:
            return CausalMask()
        if mask == NoMask.kind:
            return NoMask()
        raise InputError("There is no mask “{got}”; causal, none or a bool array is wanted.", got=mask)
    return CustomMask(as_array(mask, "The mask"))


def _checked_tokens(tokens: Sequence[str] | None, count: int, what: str = "tokens") -> tuple[str, ...]:
    if tokens is None:
        return tuple(str(index) for index in range(count))
    labels = _as_texts(tokens, what)
    if len(labels) != count:
        raise InputError(
            "{got} {what} were given for arrays of {wanted}; one each is needed.",
            got=len(labels),
            what=what,
            wanted=count,
        )
    return labels


def _checked_names(names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    if names is None:
        return tuple(str(index) for index in range(count))
    labels = _as_texts(names, "names")
    if len(labels) != count:
        raise InputError(
            "{got} names were given for {wanted} heads; one each is needed.", got=len(labels), wanted=count
        )
    return labels


def _as_texts(values: Sequence[str], what: str) -> tuple[str, ...]:
    try:
        return tuple(str(value) for value in values)
    except TypeError:
        raise InputError("{what} is {got}; a list of texts is wanted.", what=what, got=repr(values)) from None


def _as_float(value: object, what: str) -> float:
    try:
        return float(value)  # type: ignore[arg-type]  # this is the question
    except (TypeError, ValueError, OverflowError):
        raise InputError("{what} is {got}, not a number.", what=what, got=repr(value)[:40]) from None
