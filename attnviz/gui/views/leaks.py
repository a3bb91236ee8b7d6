"""Hidden cells whose weight is above 0: what leaks under a finite mask value."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QPointF
from PySide6.QtGui import QColor, QPainter, QPolygonF

from attnviz.core.stages import Stages
from attnviz.gui.views.stage_picture import AllowedCells

SIGN = 6.0
"""Side of the sign in px."""
_NOTHING_FROM = 110.0  # exp(−110) is 0 in float32


def leaking_cells(stages: Stages, allowed: AllowedCells) -> NDArray[np.bool_] | None:
    """Give the cells that leak, bool (n_query, n_key); None where none does.

    Only rows whose maximum the mask value comes near are looked at: at −1e9 that is hardly ever one.
    """
    fill = stages.request.inputs.mask_fill
    if fill == -math.inf or allowed.all:
        return None
    near = stages.row_max - np.float32(fill) < _NOTHING_FROM
    if len(near) != stages.weights.shape[0] or stages.weights.shape != allowed.array.shape:
        return None
    leaks = np.zeros(allowed.array.shape, bool)
    first = 0
    for block in stages.weights.blocks:
        rows = first + np.flatnonzero(near[first : first + len(block)])
        leaks[rows] = (block[rows - first] > 0) & ~allowed.array[rows]
        first += len(block)
    return leaks if leaks.any() else None


def leak_words() -> str:
    """Give what the sign means, beside the sign."""
    return QCoreApplication.translate("StageBoard", "hidden, yet with weight")


def draw_sign(painter: QPainter, corner: QPointF, size: float, colour: QColor) -> None:
    """Draw the sign of a leak: the right top corner of a cell, filled; ``corner`` is that corner in px."""
    painter.setBrush(colour)
    painter.drawPolygon(QPolygonF([corner, corner + QPointF(-size, 0), corner + QPointF(0, size)]))
