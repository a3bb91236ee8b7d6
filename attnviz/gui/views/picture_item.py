"""A picture of indices in a scene, its colours looked up before Qt sees it."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from attnviz.gui.colormaps import Colours
from attnviz.gui.views.stage_legend import packed


class PictureItem(pg.ImageItem):
    """A pyqtgraph image of indices that looks its colours up at once.

    pyqtgraph would hand Qt an indexed image and its table, made anew each time; 32-bit pixels are drawn much
    faster.
    """

    def __init__(self) -> None:
        super().__init__(axisOrder="row-major")
        self.image: NDArray[np.uint8] | None = None
        self._pixels: NDArray[np.uint32] | None = None
        self._bounds = QRectF()

    def show_indices(self, indices: NDArray[np.uint8], table: Colours) -> None:
        """Take indices (rows, columns) in the colours of ``table``, (256, 3), for the next painting.

        Which rows are painted again is asked for elsewhere, unless there are more or fewer of them.
        """
        self._pixels = packed(table.tobytes())[indices]
        if self.image is None or self.image.shape != indices.shape:
            rows, columns = indices.shape
            self.prepareGeometryChange()
            self._bounds = QRectF(0.0, 0.0, columns, rows)
            self.setImage(indices, autoLevels=False, levels=None)
        self.image, self._renderRequired = indices, True

    def boundingRect(self) -> QRectF:
        """Give the picture's place in its own cells, which Qt asks for many times with each painting."""
        return self._bounds

    def render(self) -> None:
        """Make the image that ``paint`` draws; pyqtgraph calls this."""
        pixels = self._pixels
        if pixels is None:
            return
        rows, columns = pixels.shape
        self.qimage = QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGB32)
        self._renderRequired = self._unrenderable = False

    def paint(self, painter: QPainter, *args: object) -> None:
        """Draw the image, without what pyqtgraph does for others."""
        if self._renderRequired:
            self.render()
        if self.qimage is not None:
            painter.drawImage(self._bounds, self.qimage)
