"""The arithmetic behind one displayed number, as data.

Which products make a score, what divides it, what softmax does to it; which products make a number of x · W.
Words and layout are the window's business.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from attnviz.core.block_arrays import row_to_show
from attnviz.core.errors import InputError
from attnviz.core.inputs import Inputs
from attnviz.core.stages import Cell, Stages


class Product(NamedTuple):
    """One term of q · k: the dimension and both factors."""

    dim: int
    q: float
    k: float


@dataclass(frozen=True)
class CellTerms:
    """How one cell's weight comes about.

    Attributes
    ----------
    cell
        The four values of the cell.
    products
        The d_k terms whose sum is the score.
    d_k, scale_strength
        What the score is divided by: √d_k · scale_strength.
    row_max, row_sum
        The largest masked score of the row, and Σ exp(masked − row_max).
    """

    cell: Cell
    products: tuple[Product, ...]
    d_k: int
    scale_strength: float
    row_max: float
    row_sum: float


def cell_terms(stages: Stages, key: int) -> CellTerms:
    """Give the arithmetic behind the selected query's cell at ``key``."""
    inputs, row = stages.request.inputs, stages.row
    head = inputs.heads[stages.request.region.head]
    q, k = row_to_show(head.q, row.query), row_to_show(head.k, key)
    factors = zip(q.tolist(), k.tolist(), strict=True)
    products = tuple(Product(dim, q, k) for dim, (q, k) in enumerate(factors))
    top, total = _statistics(stages)
    cell = Cell(
        row.query,
        key,
        float(row.scores[key]),
        float(row.scaled[key]),
        float(row.masked[key]),
        float(row.weights[key]),
        bool(row.allowed[key]),
    )
    return CellTerms(cell, products, head.d_k, inputs.scale_strength, top, total)


def _statistics(stages: Stages) -> tuple[float, float]:
    """Give the selected query's row maximum and sum, out of its row where they were not computed."""
    row, (first, last) = stages.row, stages.request.region.queries
    if first <= row.query < last and not math.isnan(stages.row_max[row.query - first]):
        return float(stages.row_max[row.query - first]), float(stages.row_sum[row.query - first])
    top = float(row.masked.max())
    if not math.isfinite(top):
        return top, 0.0
    return top, float(np.exp(row.masked - np.float32(top)).sum(dtype=np.float64))


@dataclass(frozen=True)
class MapTerms:
    """How one number of a derived q, k or v comes about: a row of x times a column of W.

    Attributes
    ----------
    which, token, dim
        The number: of ``q``, ``k`` or ``v``, in which row and column.
    factors
        The d_model pairs (x, W) whose products are added.
    total
        Their sum, without the bias.
    bias
        What is added to it, None where there is no bias.
    result
        The number itself, as the head holds it.
    """

    which: str
    token: int
    dim: int
    factors: tuple[tuple[float, float], ...]
    total: float
    bias: float | None
    result: float


def map_terms(inputs: Inputs, head: int, which: str, token: int, dim: int) -> MapTerms:
    """Give the arithmetic behind one number of ``q``, ``k`` or ``v`` of a head derived from x.

    Raises
    ------
    InputError
        When the head is not derived from x.
    """
    derived = inputs.heads[head]
    maps, x_rows = derived.projection, inputs.x_of(which)
    if maps is None or x_rows is None:
        raise InputError("Head “{name}” is not derived from x; choose x · W for it first.", name=derived.name)
    row, column = x_rows[token].tolist(), getattr(maps, f"w_{which}")[:, dim].tolist()
    bias = getattr(maps, f"b_{which}")
    return MapTerms(
        which,
        token,
        dim,
        tuple(zip(row, column, strict=True)),
        math.fsum(x * w for x, w in zip(row, column, strict=True)),
        None if bias is None else float(bias[dim]),
        float(getattr(derived, which)[token, dim]),
    )
