"""The arithmetic behind one displayed number, as data.

Which products make a score, what divides it, what softmax does to it.
Words and layout are the window's business.
"""

from __future__ import annotations

from dataclasses import dataclass

from attnviz.core.stages import Cell, Stages


@dataclass(frozen=True)
class Product:
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
    factors = zip(head.q[row.query].tolist(), head.k[key].tolist(), strict=True)
    products = tuple(Product(dim, q, k) for dim, (q, k) in enumerate(factors))
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
    return CellTerms(cell, products, head.d_k, inputs.scale_strength, top, total)
