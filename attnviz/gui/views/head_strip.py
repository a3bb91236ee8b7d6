"""All heads at a glance: a small map of each head's weights, its output's norm, its rows' entropy."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from attnviz.core.selection import Selection
from attnviz.core.stages import Stages, Thumbnail
from attnviz.gui.colormaps import weight_indices, weights_lut
from attnviz.gui.fonts import load_fonts, number_font, small_font, text_font
from attnviz.gui.labels import Labels
from attnviz.gui.number_texts import own_digits, trimmed
from attnviz.gui.plain_text import tooltip, visible
from attnviz.gui.theme import LIGHT, SPACE, Theme

PICTURE = 48
ROW = PICTURE + 2 * SPACE
_WIDTH = 144
_LEAST_SIDE = 6  # px of a picture, however few queries or keys there are


class HeadStrip(QAbstractScrollArea):
    """The heads from top to bottom; a click, or an arrow key, makes one the active head.

    Signals
    -------
    head_chosen(head)
        Another head is to be looked at.
    """

    head_chosen = Signal(int)

    reading_line = 36
    """Where it is read first, in px from its top: all in the tab but the buttons are one row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        load_fonts()
        super().__init__(parent)
        self.setObjectName("head_strip")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedWidth(_WIDTH)
        self._theme = LIGHT
        self._name, self._bold = Labels(text_font()), Labels(text_font(bold=True))
        self._small, self._number = Labels(small_font()), Labels(number_font(small=True))
        self._names: tuple[str, ...] = ()
        self._thumbnails: dict[int, Thumbnail] = {}
        self._images: dict[int, tuple[Thumbnail, QImage]] = {}
        self._active = 0
        self._shape = (1, 1)
        self.retranslate()

    def draw(self, stages: Stages, selection: Selection) -> None:
        """Show the heads; those that are not computed yet have a name and no more."""
        inputs = stages.request.inputs
        self._names = tuple(visible(head.name) for head in inputs.heads)
        self._shape = (inputs.n_query, inputs.n_key)
        self._thumbnails = dict(stages.thumbnails)
        self._images = {head: made for head, made in self._images.items() if head < len(self._names)}
        if self._active != selection.head:
            self._active = selection.head
            self._reveal()
        self._fit()
        self.setAccessibleDescription(self.told(self._active))
        self.viewport().update()

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme
        self._images.clear()
        self.viewport().update()

    def head_rect(self, head: int) -> QRect:
        """Give where a head lies, in px of the viewport."""
        return QRect(0, head * ROW - self.verticalScrollBar().value(), self.viewport().width(), ROW)

    def picture_rect(self, head: int) -> QRect:
        """Give where a head's small picture lies: as wide and as high as its keys and queries want it."""
        rect = self.head_rect(head)
        longest = max(self._shape)
        height, width = (max(_LEAST_SIDE, round(PICTURE * side / longest)) for side in self._shape)
        left, top = rect.left() + 2 * SPACE, rect.top() + SPACE
        return QRect(left + (PICTURE - width) // 2, top + (PICTURE - height) // 2, width, height)

    def told(self, head: int) -> str:
        """Give all there is to say of a head, a line each."""
        name, small = self._names[head], self._thumbnails.get(head)
        if small is None:
            return name
        norm = self.tr("Norm of the output of all tokens: {norm}").format(norm=own_digits(small.output_norm))
        entropy = self.tr(
            "Mean entropy of the rows: {bits} bits, as if each token looked at {keys} keys alike"
        ).format(bits=trimmed(small.mean_entropy, 3), keys=trimmed(2.0**small.mean_entropy, 1))
        return "\n".join([name, norm, entropy])

    def shown_texts(self, head: int) -> tuple[str, str]:
        """Give the norm and the mean entropy as they are written; empty where not computed."""
        small = self._thumbnails.get(head)
        if small is None:
            return "", ""
        bits = self.tr("{bits} bits").format(bits=f"{small.mean_entropy:.2f}")
        return f"‖o‖ {trimmed(small.output_norm)}", f"H {bits}"

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self.setAccessibleName(self.tr("All heads: weights, norm of the output, entropy"))
        if self._names:
            self.setAccessibleDescription(self.told(self._active))
        self.viewport().update()

    def _fit(self) -> None:
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, len(self._names) * ROW - self.viewport().height()))
        bar.setPageStep(max(1, self.viewport().height()))
        bar.setSingleStep(ROW // 2)

    def _reveal(self) -> None:
        self._fit()
        bar, top = self.verticalScrollBar(), self._active * ROW
        bar.setValue(min(max(bar.value(), top + ROW - self.viewport().height()), top))

    def _image(self, head: int, small: Thumbnail) -> QImage:
        known = self._images.get(head)
        if known is not None and known[0] is small:
            return known[1]
        indices = np.ascontiguousarray(weight_indices(small.picture, float(small.picture.max())))
        colours = np.ascontiguousarray(weights_lut(self._theme)[indices])
        height, width = indices.shape
        image = QImage(colours.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888).copy()
        self._images[head] = small, image
        return image

    def _head_at(self, place: QPoint) -> int:
        head = (place.y() + self.verticalScrollBar().value()) // ROW
        return head if 0 <= head < len(self._names) else -1

    # Qt's overrides

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH, 3 * ROW)

    def minimumSizeHint(self) -> QSize:
        return QSize(_WIDTH, ROW)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._reveal()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        head = self._head_at(event.position().toPoint())
        if head >= 0:
            self.head_chosen.emit(head)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = len(self._names) - 1
        wanted = {
            Qt.Key.Key_Up: self._active - 1,
            Qt.Key.Key_Down: self._active + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }.get(Qt.Key(event.key()))
        if wanted is None:
            super().keyPressEvent(event)
        elif 0 <= wanted <= last and wanted != self._active:
            self.head_chosen.emit(wanted)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            head = self._head_at(event.pos())
            text = tooltip(self.told(head)) if head >= 0 else ""
            QToolTip.showText(event.globalPos(), text, self.viewport())
            return True
        return super().viewportEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), theme.ground)
        first = self.verticalScrollBar().value() // ROW
        last = min(len(self._names), first + self.viewport().height() // ROW + 2)
        for head in range(first, last):
            self._paint_head(painter, head)
        painter.end()

    def _paint_head(self, painter: QPainter, head: int) -> None:
        theme, rect, is_active = self._theme, self.head_rect(head), head == self._active
        if is_active:
            painter.fillRect(QRect(rect.left(), rect.top() + SPACE, 3, PICTURE), theme.accent)
        place = QRect(rect.left() + 2 * SPACE, rect.top() + SPACE, PICTURE, PICTURE)
        small, picture = self._thumbnails.get(head), self.picture_rect(head)
        if small is not None:
            painter.drawImage(QRectF(picture), self._image(head, small))
        painter.setPen(theme.border)
        painter.drawRect(picture.adjusted(0, 0, -1, -1))
        left = place.right() + 2 * SPACE
        room = rect.width() - left - SPACE
        painter.setPen(theme.text)
        labels = self._bold if is_active else self._name
        labels.draw(painter, left, rect.top() + 14, labels.elided(self._names[head], room))
        painter.setPen(theme.muted)
        for line, text in enumerate(self.shown_texts(head)):
            self._number.draw(painter, left, rect.top() + 31 + 15 * line, self._number.elided(text, room))
        if is_active and self.hasFocus():
            painter.drawRect(rect.adjusted(4, 0, -2, -1))
