"""Documents for the engine's tests, and the accuracy rule they are held to."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from attnviz.core.attention import define
from attnviz.core.inputs import Head, Inputs, divisor
from attnviz.core.masks import CausalMask, CustomMask, Mask, NoMask
from attnviz.core.stages import STAGE_NAMES, Stages

EPSILON = 2.0**-23


def document(
    n: int,
    d_k: int = 4,
    d_v: int | None = None,
    *,
    n_heads: int = 1,
    mask: Mask | str = "causal",
    mask_fill: float = -math.inf,
    scale_strength: float = 1.0,
    spread: float = 1.0,
    seed: int = 0,
    n_key: int | None = None,
) -> Inputs:
    """Give a document of random vectors; with ``n_key`` one of cross attention."""
    rng = np.random.default_rng(seed)

    def vectors(dims: int, count: int) -> NDArray[np.float32]:
        return (rng.standard_normal((count, dims)) * spread).astype(np.float32)

    keys = n if n_key is None else n_key
    heads = tuple(
        Head(str(head), vectors(d_k, n), vectors(d_k, keys), vectors(d_k if d_v is None else d_v, keys))
        for head in range(n_heads)
    )
    tokens = tuple(f"t{index}" for index in range(n))
    key_tokens = None if n_key is None else tuple(f"k{index}" for index in range(n_key))
    return Inputs(
        "",
        tokens,
        heads,
        mask_of(mask, n, seed, keys),
        mask_fill,
        scale_strength,
        key_tokens=key_tokens,
    )


def mask_of(kind: Mask | str, n: int, seed: int = 0, n_key: int | None = None) -> Mask:
    """Give a mask by name; ``holes`` is a random one with a row that hides everything."""
    if not isinstance(kind, str):
        return kind
    if kind == "holes":
        allowed = np.random.default_rng(seed + 1).random((n, n if n_key is None else n_key)) < 0.6
        allowed[n // 2] = False
        return CustomMask(allowed)
    return {"causal": CausalMask(), "none": NoMask(), "causal last": CausalMask(alignment="last")}[kind]


def plain(inputs: Inputs, head: int = 0) -> dict[str, NDArray[np.float32]]:
    """Compute all stages in straightforward float32 numpy: the yardstick of the accuracy rule."""
    vectors = inputs.heads[head]
    scores = vectors.q @ vectors.k.T
    scaled = scores / np.float32(divisor(vectors.d_k, inputs.scale_strength))
    masked = np.where(inputs.allowed(), scaled, np.float32(inputs.mask_fill))
    top = masked.max(axis=1, keepdims=True)
    exponentials = np.exp(masked - np.where(np.isfinite(top), top, np.float32(0)))
    total = exponentials.sum(axis=1, keepdims=True)
    weights = exponentials / np.where(total > 0, total, np.float32(1))
    return {
        "scores": scores,
        "scaled": scaled,
        "masked": masked,
        "weights": weights,
        "head_output": weights @ vectors.v,
    }


def assert_accurate(stages: Stages) -> None:
    """Hold the answer for a whole region to the accuracy rule, and to being finite where it must be."""
    inputs, head = stages.request.inputs, stages.request.region.head
    vectors = inputs.heads[head]
    reference, yardstick = define(inputs, head), plain(inputs, head)
    bound = float((np.abs(vectors.q.astype(np.float64)) @ np.abs(vectors.k.astype(np.float64)).T).max())
    by = divisor(vectors.d_k, inputs.scale_strength)
    bounds = {
        "scores": bound,
        "scaled": bound / by,
        "masked": bound / by,
        "weights": 1.0,
        "head_output": float(np.abs(vectors.v).max()),
    }
    answers = {stage: stages.picture(stage).array() for stage in STAGE_NAMES}
    answers["head_output"] = stages.head_outputs[head]
    visible = inputs.allowed()
    fill = np.float32(inputs.mask_fill)
    assert (answers["masked"][~visible] == fill).all()
    for stage, answer in answers.items():
        assert answer.dtype == np.float32
        wanted, rough = getattr(reference, stage), yardstick[stage]
        where = visible if stage == "masked" else np.ones(answer.shape, bool)
        assert np.isfinite(answer[where]).all()
        if where.any():
            error = np.abs(answer[where] - wanted[where]).max()
            limit = 2 * np.abs(rough[where] - wanted[where]).max() + 4 * EPSILON * bounds[stage]
            assert error <= limit, (stage, error, limit)
    top, total = stages.row_max.astype(np.float64), stages.row_sum
    assert (top == answers["masked"].max(axis=1)).all()
    is_empty = np.isneginf(top)
    assert (total[is_empty] == 0).all()
    exact = np.exp(answers["masked"][~is_empty].astype(np.float64) - top[~is_empty, None]).sum(axis=1)
    assert np.allclose(total[~is_empty], exact, rtol=1e-5)


def assert_same(mine: Stages, other: Stages, *, exactly: bool = False) -> None:
    """Compare two answers: to the last bit, or as two right ones may differ."""

    def same(a: NDArray[np.float32], b: NDArray[np.float32], size: float) -> None:
        assert a.shape == b.shape
        if exactly:
            assert np.array_equal(a, b)
            return
        finite = np.isfinite(b)
        assert (a[~finite] == b[~finite]).all()
        assert np.abs(a[finite] - b[finite]).max(initial=0) <= 16 * EPSILON * size

    head = mine.request.inputs.heads[mine.request.region.head]
    dot = float(np.abs(head.q).sum(axis=1).max() * np.abs(head.k).max()) or 1.0
    by = divisor(head.d_k, mine.request.inputs.scale_strength)
    # A weight is as wrong as its scaled score is; both are right to the accuracy rule.
    spread = 1.0 + dot / by
    for stage, size in (("scores", dot), ("scaled", dot / by), ("masked", dot / by), ("weights", spread)):
        same(mine.picture(stage).array(), other.picture(stage).array(), size)
        same(getattr(mine.row, stage), getattr(other.row, stage), size)
    same(mine.row_max, other.row_max, dot / by)
    same(mine.row_sum, other.row_sum, spread * len(head.k))
    assert np.array_equal(mine.row.allowed, other.row.allowed)
    v_size = spread * float(np.abs(head.v).max())
    same(mine.row.output, other.row.output, v_size)
    assert mine.head_outputs.keys() == other.head_outputs.keys()
    for index, output in mine.head_outputs.items():
        vectors = mine.request.inputs.heads[index]
        reach = 1.0 + float(np.abs(vectors.q).sum(axis=1).max() * np.abs(vectors.k).max())
        reach /= divisor(vectors.d_k, mine.request.inputs.scale_strength)
        same(output, other.head_outputs[index], (1.0 + reach) * float(np.abs(vectors.v).max()))
