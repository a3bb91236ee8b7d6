"""The overview: a small map of the whole matrix with a frame around the part in view, to be moved there.

It is handed what it shows and tells where somebody wants to go; it decides nothing.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from attnviz.core.stages import Stages
from attnviz.gui.colormaps import HIDDEN, Indices, weight_indices, weights_lut
from attnviz.gui.theme import LIGHT, Theme
from attnviz.gui.views.hatching import hatch_image
from attnviz.gui.views.map_window import Window
from attnviz.gui.views.stage_legend import packed

_LEAST_FRAME = 5.0  # px of the frame's sides, so that it is seen however little is in view
_STEP = 0.25  # of what is in view, for an arrow key


class Overview(QWidget):
    """The whole matrix of weights, small.

    Signals
    -------
    place_chosen(key, query)
        The middle of what is to be in view, in cells.
    moved(columns, rows)
        What is in view is to move by so many cells.
    """

    place_chosen = Signal(float, float)
    moved = Signal(float, float)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("overview")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._theme = LIGHT
        self._indices: Indices | None = None
        self._level = 1.0
        self._image: QImage | None = None
        self._hatch: QImage | None = None
        self._window = Window(0.0, 0.0, 1.0, 1.0)
        self._shape = (1, 1)
        self._selected = 0
        self.retranslate()
        self.hide()

    def draw(self, stages: Stages, level: float) -> None:
        """Show the weights of an answer of all of the matrix, in a map that ends at ``level``."""
        weights = stages.weights.array()
        bins = max(-(-side // _MOST) for side in weights.shape)
        if bins > 1:
            weights = _largest(weights, bins)
        allowed = np.isfinite(_largest(stages.scores.array(), bins) if bins > 1 else stages.scores.array())
        if stages.request.region.bins == (1, 1):
            region = stages.request.region
            seen = stages.request.inputs.allowed(region.queries, region.keys)
            allowed = _largest(seen, bins) if bins > 1 else seen
        before, self._indices = (
            self._indices,
            np.where(allowed, weight_indices(weights, level), np.uint8(HIDDEN)),
        )
        self._image = None
        if before is None or not np.array_equal(before == HIDDEN, ~allowed):
            self._hatch = None
        self.update()

    def clear(self) -> None:
        """Show nothing but where one is."""
        self._indices = self._image = self._hatch = None
        self.update()

    def show_window(self, window: Window, n_query: int, n_key: int, query: int) -> None:
        """Frame the part in view, and mark the selected query."""
        if (window, (n_query, n_key), query) != (self._window, self._shape, self._selected):
            self._window, self._shape, self._selected = window, (n_query, n_key), query
            self.setAccessibleDescription(
                self.tr("Queries {first} to {last}, keys {left} to {right}").format(
                    first=int(window.y),
                    last=min(int(window.y + window.rows), n_query - 1),
                    left=int(window.x),
                    right=min(int(window.x + window.columns), n_key - 1),
                )
            )
            self.update()

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme
        self._image = self._hatch = None
        self.update()

    def frame_rect(self) -> QRectF:
        """Give where the part in view lies, in px."""
        area, window, (n_query, n_key) = self._area(), self._window, self._shape
        width, height = (
            max(area.width() * window.columns / n_key, _LEAST_FRAME),
            max(area.height() * window.rows / n_query, _LEAST_FRAME),
        )
        x = area.left() + area.width() * (window.x + window.columns / 2) / n_key - width / 2
        y = area.top() + area.height() * (window.y + window.rows / 2) / n_query - height / 2
        return QRectF(
            min(max(x, area.left()), area.right() - width),
            min(max(y, area.top()), area.bottom() - height),
            width,
            height,
        )

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self.setAccessibleName(self.tr("Overview of the whole matrix"))
        self.setToolTip(self.tr("Where in the matrix the panels are; click or drag to go elsewhere"))

    def _area(self) -> QRectF:
        return QRectF(self.rect()).adjusted(1, 1, -1, -1)

    def _go(self, point: QPointF) -> None:
        area, (n_query, n_key) = self._area(), self._shape
        self.place_chosen.emit(
            (point.x() - area.left()) / area.width() * n_key,
            (point.y() - area.top()) / area.height() * n_query,
        )

    # Qt's overrides

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._go(event.position())
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event.position())
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        across, down = {
            Qt.Key.Key_Left: (-1, 0),
            Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Up: (0, -1),
            Qt.Key.Key_Down: (0, 1),
        }.get(Qt.Key(event.key()), (0, 0))
        if across or down:
            self.moved.emit(across * _STEP * self._window.columns, down * _STEP * self._window.rows)
        else:
            event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._image = self._hatch = None

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, area = self._theme, self._area()
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.ground)
        if self._indices is not None:
            self._paint_map(painter, area, self._indices)
        y = area.top() + area.height() * (self._selected + 0.5) / self._shape[0]
        painter.setPen(QPen(theme.accent, 1.0))
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right() - 1, y))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.muted if self.hasFocus() else theme.border, 1.0))
        painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        self._paint_frame(painter)
        painter.end()

    def _paint_map(self, painter: QPainter, area: QRectF, indices: Indices) -> None:
        scale = self.devicePixelRatioF()
        if self._image is None:
            pixels = np.ascontiguousarray(packed(weights_lut(self._theme).tobytes())[indices])
            rows, columns = pixels.shape
            self._image = QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGB32).copy()
            if self._hatch is None and (indices == HIDDEN).any():
                place = QRectF(0, 0, area.width(), area.height())
                size = (area.width(), area.height())
                self._hatch = hatch_image(indices, place, size, scale, self._theme.hatch)
        painter.drawImage(area, self._image)
        if self._hatch is not None:
            painter.drawImage(area.topLeft(), self._hatch)

    def _paint_frame(self, painter: QPainter) -> None:
        """Outline the part in view, with an edge of the ground so that it stands out from any map."""
        theme, rect = self._theme, self.frame_rect()
        painter.setPen(QPen(theme.ground, 3.0))
        painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5))
        painter.setPen(QPen(theme.text, 1.0 + self.hasFocus()))
        painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5))


_MOST = 160  # cells of the map; it is not larger than so many px


def _largest(values: np.ndarray, bins: int) -> np.ndarray:
    """Give the largest of each bins × bins block."""
    rows = np.maximum.reduceat(values, np.arange(0, values.shape[0], bins), axis=0)
    return np.maximum.reduceat(rows, np.arange(0, values.shape[1], bins), axis=1)
