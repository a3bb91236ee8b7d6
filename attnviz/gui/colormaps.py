"""Maps from numbers to colours: one for weights, one for the three stages before, each light and dark.

A picture is shown as uint8 indices into a table of 256 colours: index 0 is a hidden cell, 1 to 255 are
values. The diverging map has its centre, value 0, at index 128. Levels come from the caller; nothing here
looks at a picture except to turn it into indices.
"""

from __future__ import annotations

import functools
import math
from pathlib import Path

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
_INKS = ((29, 31, 34), (250, 250, 250), (0, 0, 0), (255, 255, 255))
_SOFT = 2  # of them are soft


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
    return _indices(weights, *_weight_scale(largest))


def diverging_indices(values: NDArray[np.float32], limit: float) -> Indices:
    """Turn values of −``limit`` to ``limit`` into indices around CENTRE; what lies beyond is clipped."""
    return _indices(values, *_diverging_scale(limit))


def weight_index(weight: float, largest: float) -> int:
    """Give what ``weight_indices`` gives for one weight, many times as fast."""
    return _index(weight, *_weight_scale(largest))


def diverging_index(value: float, limit: float) -> int:
    """Give what ``diverging_indices`` gives for one value, many times as fast."""
    return _index(value, *_diverging_scale(limit))


@functools.cache
def text_colour(background: tuple[int, int, int]) -> QColor:
    """Give the ink for a number on ``background`` (r, g, b): soft or pure black or white, at 4.5:1."""
    return QColor(*_INKS[int(_ink_numbers(np.array([background], np.uint8))[0])])


@functools.cache
def inks(table: bytes) -> tuple[list[QColor], Indices]:
    """Give the inks for numbers on a table's 256 colours, and which of them each colour takes, (256,)."""
    of_colours = _ink_numbers(np.frombuffer(table, np.uint8).reshape(-1, 3))
    several = sorted(set(of_colours.tolist()))  # np.unique loads numpy.ma, which takes 50 ms
    numbers = np.searchsorted(several, of_colours)
    return [QColor(*_INKS[ink]) for ink in several], numbers.astype(np.uint8)


def contrast(one: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    """Give the contrast ratio of two colours, 1 to 21.

    References
    ----------
    WCAG 2.2, relative luminance and contrast ratio.
    """
    return float(_contrasts(np.array([one], np.uint8), np.array([other], np.uint8))[0, 0])


def _contrasts(some: Colours, others: Colours) -> NDArray[np.float64]:
    """Give the contrast ratio of each of (n, 3) colours with each of (m, 3) others, (n, m)."""
    lights = _luminances(some)[:, None] + 0.05, _luminances(others)[None, :] + 0.05
    return np.maximum(*lights) / np.minimum(*lights)


def _luminances(colours: Colours) -> NDArray[np.float64]:
    parts = colours / 255.0
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def _ink_numbers(backgrounds: Colours) -> NDArray[np.intp]:
    """Give which of the inks is for each of (n, 3) colours, (n,): a soft one where it is readable."""
    ratios = _contrasts(backgrounds, np.array(_INKS, np.uint8))
    soft = ratios[:, :_SOFT].argmax(axis=1)
    is_readable = ratios[:, :_SOFT].max(axis=1) >= _MIN_CONTRAST
    return np.where(is_readable, soft, ratios.argmax(axis=1))


def _sampled(name: str, at: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the CET map's colours at positions 0 to 1, float (len(at), 3) of 0 to 255."""
    stops = stops_of(name)
    # As pyqtgraph's own tables: whole numbers at three places between two of its colours.
    colours = np.floor(_between(stops, np.linspace(0, 1, 4 * len(stops) - 3)))
    return _between(colours, at)


def stops_of(name: str) -> NDArray[np.float64]:
    """Give the colours of a map that pyqtgraph carries, float (n, 3) of 0 to 255, evenly spaced.

    Notes
    -----
    pyqtgraph.colormap.get gives the same and makes a QColor of each line, which takes 5 ms at every start.
    """
    try:
        text = (Path(pg.__file__).parent / "colors" / "maps" / f"{name}.csv").read_text(encoding="utf-8")
    except OSError:  # pyqtgraph keeps its maps elsewhere by now
        stops: NDArray[np.float64] = pg.colormap.get(name).getColors(mode="byte")[:, :3].astype(np.float64)
        return stops
    lines = [line.split(";")[0].split(",")[:3] for line in text.splitlines() if line and line[0] != ";"]
    return np.floor(255 * np.array(lines, np.float64) + 0.5)


def _between(colours: NDArray[np.float64], at: NDArray[np.float64]) -> NDArray[np.float64]:
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
    return size if math.isfinite(size) and size > 0 else 1.0


def _weight_scale(largest: float) -> tuple[float, float]:
    return (HIGHEST - LOWEST) / _positive(largest), float(LOWEST)


def _diverging_scale(limit: float) -> tuple[float, float]:
    return (HIGHEST - CENTRE) / _positive(limit), float(CENTRE)


def _index(value: float, per_unit: float, zero: float) -> int:
    scaled = float(np.float32(value) * np.float32(min(per_unit, 1e20)) + np.float32(zero + 0.5))
    return int(min(max(scaled, LOWEST), HIGHEST))


def _indices(values: NDArray[np.float32], per_unit: float, zero: float) -> Indices:
    scaled = np.multiply(values, np.float32(min(per_unit, 1e20)), dtype=np.float32)
    scaled += np.float32(zero + 0.5)
    np.clip(scaled, LOWEST, HIGHEST, out=scaled)
    return scaled.astype(np.uint8)
