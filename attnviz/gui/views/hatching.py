"""The strokes over hidden cells, made once per mask and place and then only copied."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen, QRegion

from attnviz.gui.colormaps import HIDDEN, Indices

_PITCH = 6.0  # px between strokes


def hatch_image(
    indices: Indices, target: QRectF, size: tuple[float, float], scale: float, colour: QColor
) -> QImage:
    """Give an image of strokes where ``indices`` are HIDDEN, and nothing elsewhere.

    Parameters
    ----------
    indices
        The picture as it is shown, pooled where it is.
    target
        Where the whole of it lies, in px, relative to the image's left top corner.
    size
        The image's width and height in px.
    scale
        Device px per px; the image carries it.
    colour
        Of the strokes.
    """
    width, height = max(1, math.ceil(size[0] * scale)), max(1, math.ceil(size[1] * scale))
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    hidden = np.ascontiguousarray(np.where(indices == HIDDEN, np.uint8(255), np.uint8(0)))
    cover = QImage(
        hidden.data, hidden.shape[1], hidden.shape[0], hidden.shape[1], QImage.Format.Format_Alpha8
    )
    painter = QPainter(image)
    painter.fillRect(image.rect(), QBrush(_tile(scale, colour)))
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationIn)
    on_device = QRectF(
        target.x() * scale, target.y() * scale, target.width() * scale, target.height() * scale
    )
    painter.drawImage(on_device, cover)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Clear)
    painter.setClipRegion(QRegion(image.rect()) - QRegion(on_device.toAlignedRect()))
    painter.fillRect(image.rect(), Qt.GlobalColor.transparent)  # the picture may cover a part alone
    painter.end()
    image.setDevicePixelRatio(scale)
    return image


def _tile(scale: float, colour: QColor) -> QImage:
    """Give one square of a seamless pattern of diagonal strokes, in device px."""
    side = max(2, round(_PITCH * scale))
    tile = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
    tile.fill(Qt.GlobalColor.transparent)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, max(1.0, scale)))
    for shift in (-side, 0, side):
        painter.drawLine(QPointF(shift - 1, side + 1), QPointF(shift + side + 1, -1))
    painter.end()
    return tile
