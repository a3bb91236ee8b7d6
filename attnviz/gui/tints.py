"""The colour of a cell of a table by its number, around 0, and the ink that can be read on it."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from attnviz.gui.colormaps import diverging_indices, diverging_lut, text_colour
from attnviz.gui.theme import Theme


def limit_of(values: NDArray[np.float32]) -> float:
    """Give the largest magnitude, the end of the map; 0 for no values."""
    return max(abs(float(values.max())), abs(float(values.min()))) if values.size else 0.0


def tint(value: float, limit: float, theme: Theme) -> tuple[QColor, QColor]:
    """Give ground and ink of a number between −limit and limit."""
    index = int(diverging_indices(np.array([value], np.float32), limit)[0])
    return _pair(index, theme)


@functools.lru_cache(maxsize=1024)
def _pair(index: int, theme: Theme) -> tuple[QColor, QColor]:
    red, green, blue = (int(part) for part in diverging_lut(theme)[index])
    return QColor(red, green, blue), text_colour((red, green, blue))
