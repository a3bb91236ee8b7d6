"""Maps from numbers to colours: one for weights, one for the three stages before, each light and dark.

A picture is shown as uint8 indices into a table of 256 colours: index 0 is a hidden cell, 1 to 255 are
values. The diverging map has its centre, value 0, at index 128. Levels come from the caller; nothing here
looks at a picture except to turn it into indices.
"""

from __future__ import annotations

import functools

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from attnviz.gui.theme import Theme

HIDDEN = 0
"""Index of a cell the mask hides."""
LOWEST, CENTRE, HIGHEST = 1, 128, 255
"""Indices of the least value, of 0 in a diverging map, and of the largest value."""

Colours = NDArray[np.uint8]
Indices = NDArray[np.uint8]

_MIN_CONTRAST = 4.5


@functools.cache
def weights_lut(theme: Theme) -> Colours:
    """Give the sequential map of weights, uint8 (256, 3): from the ground to deep (dark: bright) blue.

    Notes
    -----
    Both are the blue arm of a perceptually uniform diverging CET map: D13 with a light centre, D6 with a
    dark one.
    """
    at = np.linspace(0.5, 0.0, HIGHEST - LOWEST + 1)
    return _table(_sampled("CET-D6" if theme.is_dark else "CET-D13", at), 0, theme)


@functools.cache
def diverging_lut(theme: Theme) -> Colours:
    """Give the map of scores, scaled and masked, uint8 (256, 3): ochre below 0, the ground at 0, blue above.

    Notes
    -----
    CET-CBD1 (light centre) and CET-D6 (dark centre) run from blue to ochre, safe for colour-blind eyes; they
    are taken the other way round, so that blue means more attention here as in the weights.
    """
    at = np.linspace(1.0, 0.0, HIGHEST - LOWEST + 1)
    return _table(_sampled("CET-D6" if theme.is_dark else "CET-CBD1", at), CENTRE - LOWEST, theme)


def weight_indices(weights: NDArray[np.float32], largest: float) -> Indices:
    """Turn weights of 0 to ``largest`` into indices LOWEST to HIGHEST; what lies beyond is clipped."""
    return _indices(weights, (HIGHEST - LOWEST) / _positive(largest), float(LOWEST))


def diverging_indices(values: NDArray[np.float32], limit: float) -> Indices:
    """Turn values of −``limit`` to ``limit`` into indices around CENTRE; what lies beyond is clipped."""
    return _indices(values, (HIGHEST - CENTRE) / _positive(limit), float(CENTRE))


@functools.cache
def text_colour(background: tuple[int, int, int]) -> QColor:
    """Give the ink for a number on ``background`` (r, g, b): soft or pure black or white, at 4.5:1."""
    inks = ((29, 31, 34), (250, 250, 250), (0, 0, 0), (255, 255, 255))
    best_soft = max(inks[:2], key=lambda ink: contrast(background, ink))
    if contrast(background, best_soft) >= _MIN_CONTRAST:
        return QColor(*best_soft)
    return QColor(*max(inks, key=lambda ink: contrast(background, ink)))


@functools.cache
def inks(table: bytes) -> tuple[list[QColor], Indices]:
    """Give the inks for numbers on a table's 256 colours, and which of them each colour takes, (256,)."""
    colours = np.frombuffer(table, np.uint8).reshape(-1, 3).tolist()
    wanted = [text_colour((red, green, blue)).rgba() for red, green, blue in colours]
    several = sorted(set(wanted))
    numbers = np.array([several.index(ink) for ink in wanted], np.uint8)
    return [QColor.fromRgba(ink) for ink in several], numbers


def contrast(one: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    """Give the contrast ratio of two colours, 1 to 21.

    References
    ----------
    WCAG 2.2, relative luminance and contrast ratio.
    """
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: tuple[int, int, int]) -> float:
    parts = [part / 255 for part in colour]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _sampled(name: str, at: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the CET map's colours at positions 0 to 1, float (len(at), 3) of 0 to 255."""
    colours = pg.colormap.get(name).getLookupTable(0.0, 1.0, 1021)[:, :3].astype(np.float64)
    places = np.linspace(0, 1, len(colours))
    return np.stack([np.interp(at, places, colours[:, part]) for part in range(3)], axis=1)


def _table(colours: NDArray[np.float64], zero: int, theme: Theme) -> Colours:
    """Give the 256 colours: shifted near index ``zero`` so that 0 is the ground; hidden comes first."""
    ground = np.array([theme.ground.red(), theme.ground.green(), theme.ground.blue()], np.float64)
    reach = max(zero, len(colours) - 1 - zero)
    nearness = np.clip(1 - np.abs(np.arange(len(colours)) - zero) / reach, 0, 1)
    shifted = colours + (ground - colours[zero]) * nearness[:, None] ** 2
    table = np.vstack([ground, shifted])
    return np.clip(np.round(table), 0, 255).astype(np.uint8)


def _positive(size: float) -> float:
    """Give a size to divide by: 1 where a picture is 0 throughout or has no cell to take it from."""
    return size if np.isfinite(size) and size > 0 else 1.0


def _indices(values: NDArray[np.float32], per_unit: float, zero: float) -> Indices:
    scaled = np.multiply(values, np.float32(min(per_unit, 1e20)), dtype=np.float32)
    scaled += np.float32(zero + 0.5)
    np.clip(scaled, LOWEST, HIGHEST, out=scaled)
    return scaled.astype(np.uint8)
