"""The arithmetic behind one displayed number, as data.

Which products make a score, what divides it, what softmax does to it.
Words and layout are the window's business.
"""

from __future__ import annotations

from dataclasses import dataclass

from attnviz.core.inputs import divisor
from attnviz.core.stages import Cell, Stages


@dataclass(frozen=True)
class Product:
    """One term of q · k: the dimension, both factors and their product."""

    dim: int
    name: str
    q: float
    k: float
    product: float


@dataclass(frozen=True)
class CellTerms:
    """How one cell's weight comes about.

    Attributes
    ----------
    cell
        The four values of the cell.
    products
        The d_k terms whose sum is the score.
    divisor
        √d_k · scale_strength.
    d_k, scale_strength
        The divisor's parts.
    row_max, row_sum
        The largest masked score of the row, and Σ exp(masked − row_max).
    exponential
        exp(masked − row_max); 0 for a hidden cell at −∞.
    """

    cell: Cell
    products: tuple[Product, ...]
    divisor: float
    d_k: int
    scale_strength: float
    row_max: float
    row_sum: float
    exponential: float


@dataclass(frozen=True)
class OutputTerm:
    """One token's share of one output dimension: weight × v."""

    key: int
    weight: float
    v: float
    product: float


def cell_terms(stages: Stages, key: int) -> CellTerms:
    """Give the arithmetic behind the selected query's cell at ``key``."""
    inputs, row = stages.request.inputs, stages.row
    head = inputs.heads[stages.request.region.head]
    names = head.names_of("q")
    q, k = head.q[row.query], head.k[key]
    products = tuple(
        Product(dim, names[dim], float(q[dim]), float(k[dim]), float(q[dim]) * float(k[dim]))
        for dim in range(head.d_k)
    )
    at = row.query - stages.request.region.queries[0]
    top, total = float(stages.row_max[at]), float(stages.row_sum[at])
    cell = Cell(
        row.query,
        key,
        float(row.scores[key]),
        float(row.scaled[key]),
        float(row.masked[key]),
        float(row.weights[key]),
        bool(row.allowed[key]),
    )
    return CellTerms(
        cell,
        products,
        divisor(head.d_k, inputs.scale_strength),
        head.d_k,
        inputs.scale_strength,
        top,
        total,
        cell.weights * total,
    )


def output_terms(stages: Stages, dim: int) -> tuple[OutputTerm, ...]:
    """Give weight × v of every key for one dimension of the selected query; their sum is the output."""
    row = stages.row
    v = stages.request.inputs.heads[stages.request.region.head].v[:, dim]
    return tuple(
        OutputTerm(key, float(weight), float(value), float(weight) * float(value))
        for key, (weight, value) in enumerate(zip(row.weights, v, strict=True))
    )
