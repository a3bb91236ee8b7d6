"""What the strip and the grid of heads have in common: all heads as small maps, of which one is active.

A head whose map is still of the moment before is shown faded, until the present one comes.
"""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from attnviz.core.selection import Selection
from attnviz.core.stages import Stages, Thumbnail
from attnviz.core.summaries import MASSES, RowSummaries
from attnviz.gui.colormaps import weight_indices, weights_lut
from attnviz.gui.fonts import load_fonts, number_font, small_font, text_font
from attnviz.gui.labels import Labels
from attnviz.gui.number_texts import own_digits, trimmed
from attnviz.gui.plain_text import tooltip, visible
from attnviz.gui.theme import LIGHT, Theme
from attnviz.gui.views.measure_words import measure_name, value_text

_FADED = 0.35
_LEAST_SIDE = 6  # px of a map, however few queries or keys there are


class HeadsArea(QAbstractScrollArea):
    """All heads, to be placed and painted one by one; a click, or an arrow key, makes one the active head.

    Signals
    -------
    head_chosen(head)
        Another head is to be looked at.
    """

    head_chosen = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        load_fonts()
        super().__init__(parent)
        self.setObjectName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.theme = LIGHT
        self.name_labels, self.bold_labels = Labels(text_font()), Labels(text_font(bold=True))
        self.number_labels, self.small_labels = Labels(number_font(small=True)), Labels(small_font())
        self.names: tuple[str, ...] = ()
        self.active = 0
        self._shape = (1, 1)
        self._is_cross = False
        self._thumbnails: dict[int, Thumbnail] = {}
        self._summaries: dict[int, RowSummaries] = {}
        self._stale: set[int] = set()
        self._images: dict[int, tuple[Thumbnail, int, QImage]] = {}

    def draw(self, stages: Stages, selection: Selection) -> None:
        """Show the heads; those that are not computed yet have a name, and their last map, faded."""
        inputs = stages.request.inputs
        names = tuple(visible(head.name) for head in inputs.heads)
        size = (inputs.n_query, inputs.n_key)
        if len(names) != len(self.names) or size != self._shape:
            self._thumbnails, self._summaries, self._stale, self._images = {}, {}, set(), {}
        self.names, self._shape, self._is_cross = names, size, inputs.is_cross
        for head in self._thumbnails:
            if head not in stages.thumbnails:
                self._stale.add(head)
        self._thumbnails |= stages.thumbnails
        self._summaries |= stages.summaries
        self._stale -= stages.thumbnails.keys()
        if self.active != selection.head:
            self.active = selection.head
            self.reveal()
        self.fit()
        self.setAccessibleDescription(self.told(self.active))
        self.viewport().update()

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self.theme = theme
        self._images.clear()
        self.viewport().update()

    def is_faded(self, head: int) -> bool:
        """Say whether a head's map is of the moment before."""
        return head in self._stale

    def thumbnail(self, head: int) -> Thumbnail | None:
        """Give the map that is shown of a head, None where there is none yet."""
        return self._thumbnails.get(head)

    def summaries(self, head: int) -> RowSummaries | None:
        """Give what sums up the rows of a head, None where it is not there yet."""
        return self._summaries.get(head)

    def told(self, head: int) -> str:
        """Give all there is to say of a head, a line each."""
        name, small, sums = self.names[head], self._thumbnails.get(head), self._summaries.get(head)
        if small is None or sums is None:
            return name
        norm = QCoreApplication.translate("HeadStrip", "Norm of the output of all tokens: {norm}")
        entropy = QCoreApplication.translate(
            "HeadStrip", "Mean entropy of the rows: {bits} bits, as if each token looked at {keys} keys alike"
        )
        lines = [
            name,
            norm.format(norm=own_digits(small.output_norm)),
            entropy.format(bits=trimmed(small.mean_entropy, 3), keys=trimmed(2.0**small.mean_entropy, 1)),
        ]
        masses = QCoreApplication.translate("HeadsArea", "Mean weight {mass}: {percent}")
        for mass in MASSES:
            percent = value_text(mass, sums.mean(mass))
            lines.append(masses.format(mass=measure_name(mass, is_cross=self._is_cross), percent=percent))
        if head in self._stale:
            lines.append(QCoreApplication.translate("HeadsArea", "As it was a moment before"))
        return "\n".join(lines)

    def head_rect(self, head: int) -> QRect:
        """Give where a head lies, in px of the viewport."""
        raise NotImplementedError

    def head_at(self, place: QPoint) -> int:
        """Give the head at a place in px of the viewport, −1 where there is none."""
        shown = (head for head in range(len(self.names)) if self.head_rect(head).contains(place))
        return next(shown, -1)

    def head_after(self, key: Qt.Key) -> int | None:
        """Give the head that a key leads to from the active one, which may be none that there is."""
        raise NotImplementedError

    def paint_head(self, painter: QPainter, head: int, rect: QRect) -> None:
        """Paint a head, on the ground."""
        raise NotImplementedError

    def fit(self) -> None:
        """Let the scroll bar reach over all heads."""
        raise NotImplementedError

    def reveal(self) -> None:
        """Bring the active head into view."""
        self.fit()
        bar, rect = self.verticalScrollBar(), self.head_rect(self.active)
        top = rect.top() + bar.value()
        bar.setValue(min(max(bar.value(), top + rect.height() - self.viewport().height()), top))

    def map_in(self, square: QRect) -> QRect:
        """Give where a map lies in a square: as wide and as high as its keys and queries want it."""
        longest = max(self._shape)
        height, width = (max(_LEAST_SIDE, round(square.width() * side / longest)) for side in self._shape)
        left, top = (
            square.left() + (square.width() - width) // 2,
            square.top() + (square.height() - height) // 2,
        )
        return QRect(left, top, width, height)

    def paint_map(self, painter: QPainter, head: int, square: QRect) -> None:
        """Paint a head's map and its frame into a square, the map faded where it is of the moment before."""
        place = self.map_in(square)
        small = self._thumbnails.get(head)
        if small is not None:
            painter.setOpacity(_FADED if head in self._stale else 1.0)
            painter.drawImage(QRectF(place), self._image(head, small, square.width()))
            painter.setOpacity(1.0)
        painter.setPen(self.theme.border)
        painter.drawRect(place.adjusted(-1, -1, 0, 0))  # around it: the first key may be a sink

    def say(self) -> None:
        """Take the words of the present language."""
        if self.names:
            self.setAccessibleDescription(self.told(self.active))
        self.viewport().update()

    def retranslate(self) -> None:
        """Take the words of the present language."""
        raise NotImplementedError

    def _image(self, head: int, small: Thumbnail, side: int) -> QImage:
        """Give a head's map for a square of this side: as many cells made one as share a px of the screen."""
        block = max(1, math.ceil(max(small.picture.shape) / max(1, side * self.devicePixelRatioF())))
        known = self._images.get(head)
        if known is not None and known[0] is small and known[1] == block:
            return known[2]
        picture = small.picture
        for axis in (0, 1) if block > 1 else ():  # the largest stands for them, so that no peak is lost
            picture = np.maximum.reduceat(picture, np.arange(0, picture.shape[axis], block), axis=axis)
        indices = np.ascontiguousarray(weight_indices(picture, float(picture.max())))
        colours = np.ascontiguousarray(weights_lut(self.theme)[indices])
        height, width = indices.shape
        image = QImage(colours.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888).copy()
        self._images[head] = small, block, image
        return image

    # Qt's overrides

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.names:
            self.reveal()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        head = self.head_at(event.position().toPoint())
        if head >= 0:
            self.head_chosen.emit(head)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        wanted = self.head_after(Qt.Key(event.key()))
        if wanted is None:
            super().keyPressEvent(event)
        elif 0 <= wanted < len(self.names) and wanted != self.active:
            self.head_chosen.emit(wanted)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            head = self.head_at(event.pos())
            text = tooltip(self.told(head)) if head >= 0 else ""
            QToolTip.showText(event.globalPos(), text, self.viewport())
            return True
        return super().viewportEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, shown = QPainter(self.viewport()), self.viewport().rect()
        painter.fillRect(shown, self.theme.ground)
        for head in range(len(self.names)):
            rect = self.head_rect(head)
            if rect.intersects(shown):
                self.paint_head(painter, head, rect)
        painter.end()
