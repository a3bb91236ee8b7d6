"""All stages of some heads on the device, and the accuracy rule they keep."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core import attention
from tests.cuda.device import Device, Room

Array = NDArray[Any]
EPSILON = 2.0**-23
NONE, CAUSAL, ARRAY = 0, 1, 2  # mask kinds, as in cuda/mask.cu


@dataclass(frozen=True)
class Case:
    """Some heads, and what decides their stages.

    Attributes
    ----------
    q, k, v
        float32 (H, R, d_k), (H, T, d_k), (H, T, d_v); the queries are those from `first_row` on.
    kind, allowed
        The mask: one of NONE, CAUSAL, ARRAY; bool (R, T), or None where the kind says it all.
    """

    q: Array
    k: Array
    v: Array
    kind: int = NONE
    allowed: Array | None = None
    fill: float = -math.inf
    first_row: int = 0

    @property
    def sizes(self) -> tuple[int, int, int]:
        """(H, R, T)."""
        return (*self.q.shape[:2], self.k.shape[1])

    @property
    def divisor(self) -> np.float32:
        """√d_k in float32."""
        return np.float32(math.sqrt(self.q.shape[2]))

    def visible(self) -> Array:
        """bool (R, T): who sees whom."""
        _, n_rows, n_keys = self.sizes
        if self.kind == ARRAY:
            assert self.allowed is not None
            return self.allowed
        rows, keys = np.arange(n_rows)[:, None] + self.first_row, np.arange(n_keys)
        return keys <= rows if self.kind == CAUSAL else np.ones((n_rows, n_keys), bool)

    def head(self, index: int) -> Case:
        """One head of it."""
        one = slice(index, index + 1)
        return replace(self, q=self.q[one], k=self.k[one], v=self.v[one])


def case(n: int, d_k: int = 4, d_v: int | None = None, *, mask: str = "causal", n_heads: int = 1) -> Case:
    """A case of random vectors.

    Masks are "none", "causal", "holes" (at random, and one row wholly), "finite" (holes, filled with -2.5).
    """
    rng = np.random.default_rng(n * 1000 + d_k)
    d_v = d_k if d_v is None else d_v
    q, k, v = (rng.standard_normal((n_heads, n, d)).astype(np.float32) for d in (d_k, d_k, d_v))
    if mask in ("none", "causal"):
        return Case(q, k, v, NONE if mask == "none" else CAUSAL)
    allowed = rng.random((n, n)) < 0.6
    allowed[n // 2] = False
    return Case(q, k, v, ARRAY, allowed, -2.5 if mask == "finite" else -math.inf)


STAGES = ("scores", "scaled", "masked", "weights", "row_max", "row_sum", "output")


class Rooms:
    """A case's arrays on the device, and room for its stages."""

    def __init__(self, device: Device, case: Case) -> None:
        n_heads, n_rows, n_keys = case.sizes
        self.device, self.case = device, case
        self.q, self.k, self.v = (device.put(vectors) for vectors in (case.q, case.k, case.v))
        self.allowed: Room | None = None
        if case.allowed is not None:
            self.allowed = device.put(case.allowed.astype(np.uint8))
        square = (n_heads, n_rows, n_keys)
        self.scores, self.scaled, self.masked, self.weights = (device.room(square) for _ in range(4))
        self.row_max, self.row_sum = device.room(square[:2]), device.room(square[:2])
        self.output = device.room((n_heads, n_rows, case.v.shape[2]))

    def fetch(self) -> dict[str, Array]:
        """All stages by name."""
        return {name: self.device.fetch(getattr(self, name)) for name in STAGES}


def plain(device: Device, case: Case, block: tuple[int, int] | None = None) -> dict[str, Array]:
    """The stages of one head, each by its plain kernel."""
    rooms, (_, n_rows, n_keys) = Rooms(device, case), case.sizes
    run_plain(rooms, None, None, n_rows, n_keys, block)
    return rooms.fetch()


def run_plain(
    rooms: Rooms,
    rows: Room | None,
    keys: Room | None,
    n_rows: int,
    n_keys: int,
    block: tuple[int, int] | None = None,
) -> None:
    """Launch all plain kernels for some rows and keys, the last two for all keys of those rows."""
    case, launch, (_, _, total) = rooms.case, rooms.device.launch, rooms.case.sizes
    d_k, d_v, work = case.q.shape[2], case.v.shape[2], (n_keys, n_rows)
    row_block = (block[0] * block[1], 1) if block else None
    launch(
        "scores_plain",
        work,
        rooms.q,
        rooms.k,
        rooms.scores,
        rows,
        keys,
        n_rows,
        n_keys,
        total,
        d_k,
        block=block,
    )
    launch(
        "scale",
        work,
        rooms.scores,
        rooms.scaled,
        rows,
        keys,
        n_rows,
        n_keys,
        total,
        case.divisor,
        block=block,
    )
    launch(
        "mask", work, rooms.scaled, rooms.masked, rooms.allowed, rows, keys, n_rows, n_keys, total,
        case.first_row, case.kind, case.fill, block=block,
    )  # fmt: skip
    launch(
        "softmax_plain", (n_rows,), rooms.masked, rooms.weights, rooms.row_max, rooms.row_sum, rows, n_rows,
        total, block=row_block,
    )  # fmt: skip
    launch(
        "weighted_sum_plain",
        (d_v, n_rows),
        rooms.weights,
        rooms.v,
        rooms.output,
        rows,
        n_rows,
        total,
        d_v,
        block=block,
    )


def tiled(device: Device, case: Case) -> dict[str, Array]:
    """The stages of all heads by the kernels for many tokens."""
    rooms, (n_heads, n_rows, n_keys) = Rooms(device, case), case.sizes
    d_k, d_v = case.q.shape[2], case.v.shape[2]
    device.launch(
        "scores_tiled", (n_keys, n_rows, n_heads), rooms.q, rooms.k, rooms.scores, rooms.scaled, rooms.masked,
        rooms.allowed, n_rows, n_keys, d_k, case.first_row, case.kind, case.divisor, case.fill,
    )  # fmt: skip
    device.launch(
        "softmax_rows", (n_rows, 1, n_heads), rooms.masked, rooms.weights, rooms.row_max, rooms.row_sum, None,
        n_rows, n_rows, n_keys,
    )  # fmt: skip
    device.launch(
        "weighted_sum_tiled",
        (d_v, n_rows, n_heads),
        rooms.weights,
        rooms.v,
        rooms.output,
        n_rows,
        n_keys,
        d_v,
    )
    return rooms.fetch()


def assert_accurate(stages: dict[str, Array], case: Case) -> None:
    """Hold every head to: error ≤ 2 · error of straightforward float32 + 4 ε B, against float64."""
    for head in range(case.sizes[0]):
        mine = {name: array[head] for name, array in stages.items()}
        reference, yardstick = _stages(case.head(head), np.float64), _stages(case.head(head), np.float32)
        q, k = np.abs(case.q[head].astype(np.float64)), np.abs(case.k[head].astype(np.float64))
        dot = float((q @ k.T).max())
        bounds = {"scores": dot, "weights": 1.0, "output": float(np.abs(case.v[head]).max())}
        bounds["scaled"] = bounds["masked"] = dot / float(case.divisor)
        for stage, bound in bounds.items():
            finite = np.isfinite(reference[stage])
            assert (mine[stage][~finite] == reference[stage][~finite]).all()
            error = np.abs(mine[stage][finite] - reference[stage][finite]).max(initial=0)
            rough = np.abs(yardstick[stage][finite] - reference[stage][finite]).max(initial=0)
            assert error <= 2 * rough + 4 * EPSILON * bound, stage
        assert (mine["masked"][~case.visible()] == np.float32(case.fill)).all()
        assert (mine["row_max"] == mine["masked"].max(axis=1)).all()
        hidden = np.isneginf(mine["row_max"])
        assert (mine["row_sum"][hidden] == 0).all()
        seen = mine["masked"][~hidden].astype(np.float64)
        totals = np.exp(seen - mine["row_max"][~hidden, None]).sum(axis=1)
        assert np.allclose(mine["row_sum"][~hidden], totals, rtol=1e-5)


def _stages(case: Case, dtype: type) -> dict[str, Array]:
    """The stages of one head by the formulas of core.attention, in float64, or the same in float32."""
    q, k, v = (vectors[0].astype(dtype) for vectors in (case.q, case.k, case.v))
    scores = q @ k.T
    scaled = scores / dtype(math.sqrt(q.shape[1]))
    masked = np.where(case.visible(), scaled, dtype(case.fill))
    if dtype is np.float64:
        weights = attention.weights(masked)
    else:
        top = masked.max(axis=1, keepdims=True)
        exponentials = np.exp(masked - np.where(np.isfinite(top), top, dtype(0)))
        total = exponentials.sum(axis=1, keepdims=True)
        weights = exponentials / np.where(total > 0, total, dtype(1))
    return {"scores": scores, "scaled": scaled, "masked": masked, "weights": weights, "output": weights @ v}
