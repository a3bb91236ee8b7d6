"""How far the bars beside a map reach: shares of a scale that depends on no value, row by row or px by px."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPolygonF

from attnviz.core.inputs import Inputs
from attnviz.core.summaries import EFFECTIVE_KEYS, ENTROPY
from attnviz.gui.views.row_span import RowSpan

_MOST_CELLS = 20_000_000  # of a mask that are counted


def shares(measure: str, values: NDArray[Any], n_key: int) -> NDArray[np.float64]:
    """Give how far along the scale of a measure values lie, 0 to 1.

    Entropy reaches to log₂ n_key, masses to 1; effective keys are on a scale of doublings from 1 to n_key.
    """
    parts = values.astype(np.float64)
    if measure == EFFECTIVE_KEYS:
        parts = np.log2(np.maximum(parts, 1.0))
    if measure in (ENTROPY, EFFECTIVE_KEYS):
        parts /= math.log2(max(n_key, 2))
    return np.clip(parts, 0.0, 1.0)


def longest_per_px(values: NDArray[np.float32], span: RowSpan) -> NDArray[np.float32]:
    """Give for each px of height the largest value of its rows: a lone peak is never lost."""
    count = max(1, round(span.height))
    edges = np.floor(span.first + np.arange(count) * (span.rows / count)).astype(np.intp)
    edges = np.minimum(edges, len(values) - 1)
    if span.rows <= count:
        return values[edges]
    end = min(len(values), math.ceil(span.first + span.rows))
    return np.maximum.reduceat(values[:end], edges)


def outline(lengths: NDArray[np.float64], left: float, top: float) -> QPolygonF:
    """Give the outline of rows of one px each, which begin at ``left``."""
    points = [QPointF(left, top)]
    for row, length in enumerate(lengths.tolist()):
        points += [QPointF(left + length, top + row), QPointF(left + length, top + row + 1)]
    points.append(QPointF(left, top + len(lengths)))
    return QPolygonF(points)


def allowed_keys(inputs: Inputs) -> NDArray[np.float64] | None:
    """Count the keys that each query may attend to, (n_query,); None where that would take long."""
    n_query = inputs.n_query
    if n_query * inputs.n_key > _MOST_CELLS:
        return None
    counts = [
        inputs.allowed((first, min(first + 256, n_query))).sum(axis=1) for first in range(0, n_query, 256)
    ]
    return np.concatenate(counts).astype(np.float64)
