"""A panel's legend: the part of the map that the allowed cells use, between their least and largest value."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from attnviz.gui.colormaps import CENTRE, Colours
from attnviz.gui.labels import Labels
from attnviz.gui.theme import SPACE, Theme
from attnviz.gui.views.stage_picture import StagePicture

_LENGTH, _THICKNESS = 96.0, 6.0  # of the bar in px
_SHORTEST = 12.0


def paint_legend(
    painter: QPainter,
    place: QRectF,
    picture: StagePicture,
    table: Colours,
    texts: tuple[str, str],
    labels: Labels,
    theme: Theme,
) -> None:
    """Draw a legend: a bar along the place's longer side, with a text at each end.

    Parameters
    ----------
    place
        Below the plot, or beside it.
    picture
        Whose range is shown.
    table
        Its map, uint8 (256, 3).
    texts
        The least and the largest value, as they are written.
    """
    painter.setPen(theme.muted)
    room = labels.width("−00.00") + SPACE
    is_upright = place.height() > place.width()
    if not picture.has_range:
        x = place.left() + 2 * SPACE if is_upright else place.right() - labels.width("—")
        labels.draw(painter, x, place.top() + 11, "—")
        return
    if is_upright:
        bar = QRectF(place.left() + 2 * SPACE, place.top(), _THICKNESS, min(_LENGTH, place.height()))
    else:
        length = min(_LENGTH, place.width() - 2 * room)
        right = place.right() - max(room, labels.width(texts[1]) + SPACE)
        bar = QRectF(right - length, place.top() + 11 - _THICKNESS / 2, length, _THICKNESS)
    if max(bar.width(), bar.height()) < _SHORTEST:
        return
    low, high = picture.range
    first, last = picture.indices_of(low, high)
    painter.drawImage(bar, _part_of_map(table.tobytes(), first, last, is_upright))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(theme.border)
    painter.drawRect(bar)
    painter.setPen(theme.muted)
    if picture.is_diverging and low < 0 < high:
        zero = (CENTRE - first + 0.5) / (last + 1 - first)
        if is_upright:
            y = bar.bottom() - zero * bar.height()
            painter.drawLine(QLineF(bar.right() + 1, y, bar.right() + 3, y))
        else:
            x = bar.left() + zero * bar.width()
            painter.drawLine(QLineF(x, bar.bottom() + 1, x, bar.bottom() + 3))
    if is_upright:
        labels.draw(painter, bar.right() + SPACE, bar.top() + 5, texts[1])
        labels.draw(painter, bar.right() + SPACE, bar.bottom() - 5, texts[0])
    else:
        labels.draw(painter, bar.right() + SPACE, bar.center().y(), texts[1])
        labels.draw_right(painter, bar.left() - SPACE, bar.center().y(), texts[0])


def paint_note(
    painter: QPainter, place: QRectF, left: float, note: str, badge: str, labels: Labels, theme: Theme
) -> None:
    """Write a line below a plot from ``left`` on: what a px stands for, after a badge where there is one.

    A line too long for that begins further left.
    """
    middle = place.top() + 12.0
    width = labels.width(note) + (labels.width(badge) + 5 * SPACE if badge else 0.0)
    left = min(left, max(place.left(), place.right() - width))
    if badge:
        badge = labels.elided(badge, place.right() - left - 3 * SPACE)
        rect = QRectF(left, middle - 8, labels.width(badge) + 3 * SPACE, 16)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.muted)
        painter.setBrush(theme.raised)
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), SPACE, SPACE)
        painter.restore()
        painter.setPen(theme.text)
        labels.draw(painter, left + 1.5 * SPACE, middle, badge)
        left = rect.right() + 2 * SPACE
    painter.setPen(theme.muted)
    labels.draw(painter, left, middle, labels.elided(note, place.right() - left))


@functools.lru_cache(maxsize=256)
def _part_of_map(table: bytes, first: int, last: int, is_upright: bool) -> QImage:
    """Give the colours ``first`` to ``last`` of a map from left to right, or from below."""
    pixels = packed(table)[first : last + 1]
    pixels = np.ascontiguousarray(pixels[::-1, None] if is_upright else pixels[None, :])
    rows, columns = pixels.shape
    return QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGB32).copy()


@functools.cache
def packed(table: bytes) -> NDArray[np.uint32]:
    """Give a table of (r, g, b) as the 32-bit pixels of QImage's Format_RGB32."""
    red, green, blue = np.frombuffer(table, np.uint8).reshape(-1, 3).T.astype(np.uint32)
    return np.asarray(np.uint32(0xFF000000) | red << 16 | green << 8 | blue, np.uint32)
