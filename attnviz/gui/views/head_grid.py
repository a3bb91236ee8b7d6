"""The maps of all heads side by side, as large as there is room for, each with what sums it up."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from attnviz.gui.theme import SPACE
from attnviz.gui.views.heads_area import HeadsArea
from attnviz.gui.views.measure_words import value_text

SMALLEST, LARGEST = 52, 288
"""The least and the most width and height of a map, in px."""
_BELOW = 52  # px of a name and two numbers
_GAP = 3 * SPACE
_STEP = 4  # px by which maps grow, so that they do not flicker while a window is resized


class HeadGrid(HeadsArea):
    """The heads in rows; their maps are of the largest size at which all of them can be seen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("head_grid", parent)
        self.retranslate()

    def side(self) -> int:
        """Give the width and height of a map in px."""
        room = self.viewport().size()
        for side in range(LARGEST, SMALLEST - 1, -_STEP):
            columns = self._columns_of(side)
            rows = -(-len(self.names) // columns)
            if rows * (side + _BELOW + _GAP) <= room.height() and columns * (side + _GAP) <= room.width():
                return side
        return SMALLEST

    def n_columns(self) -> int:
        """Give how many heads stand in a row."""
        return self._columns_of(self.side())

    def head_rect(self, head: int) -> QRect:
        """Give where a head lies, in px of the viewport."""
        side, columns = self.side(), self.n_columns()
        row, column = divmod(head, columns)
        top = row * (side + _BELOW + _GAP) - self.verticalScrollBar().value()
        return QRect(column * (side + _GAP), top, side + _GAP, side + _BELOW + _GAP)

    def map_rect(self, head: int) -> QRect:
        """Give where a head's map lies, in px of the viewport."""
        return self.map_in(self._square(head))

    def head_after(self, key: Qt.Key) -> int | None:
        """Give the head beside, above or below the active one, the first or the last."""
        return {
            Qt.Key.Key_Left: self.active - 1,
            Qt.Key.Key_Right: self.active + 1,
            Qt.Key.Key_Up: self.active - self.n_columns(),
            Qt.Key.Key_Down: self.active + self.n_columns(),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: len(self.names) - 1,
        }.get(key)

    def shown_texts(self, head: int) -> tuple[str, str]:
        """Give the mean entropy and the mean weight on the first token as they are written."""
        sums = self.summaries(head)
        if sums is None:
            return "", ""
        sink = value_text("on_first", sums.mean("on_first"))
        return f"H {value_text('entropy', sums.mean('entropy'))}", self.tr("first {percent}").format(
            percent=sink
        )

    def fit(self) -> None:
        """Let the scroll bar reach over all heads."""
        bar, side = self.verticalScrollBar(), self.side()
        rows = -(-len(self.names) // self.n_columns())
        bar.setRange(0, max(0, rows * (side + _BELOW + _GAP) - self.viewport().height()))
        bar.setPageStep(max(1, self.viewport().height()))
        bar.setSingleStep((side + _BELOW) // 2)

    def paint_head(self, painter: QPainter, head: int, rect: QRect) -> None:
        """Paint a head's map, and below it its name and numbers."""
        theme, is_active, place = self.theme, head == self.active, self._square(head)
        self.paint_map(painter, head, place)
        if is_active:
            painter.setPen(QPen(theme.accent, 2.0))
            painter.drawRect(self.map_in(place).adjusted(-1, -1, 1, 1))
        if is_active and self.hasFocus():
            painter.setPen(QPen(theme.accent, 1.0, Qt.PenStyle.DotLine))
            painter.drawRect(rect.adjusted(1, 1, -2, -2))
        painter.setPen(theme.text)
        labels = self.bold_labels if is_active else self.name_labels
        labels.draw(
            painter, place.left(), place.bottom() + 14, labels.elided(self.names[head], place.width())
        )
        painter.setPen(theme.muted)
        for line, text in enumerate(self.shown_texts(head)):
            shown = self.number_labels.elided(text, place.width() + _GAP // 2)
            self.number_labels.draw(painter, place.left(), place.bottom() + 30 + 14 * line, shown)

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self.setAccessibleName(self.tr("All heads: weights, entropy, weight on the first token"))
        self.say()

    def _square(self, head: int) -> QRect:
        side, corner = self.side(), self.head_rect(head).topLeft()
        return QRect(corner + QPoint(_GAP // 2, _GAP // 2), QSize(side, side))

    def _columns_of(self, side: int) -> int:
        return max(1, min(len(self.names) or 1, self.viewport().width() // (side + _GAP)))

    # Qt's overrides

    def sizeHint(self) -> QSize:
        return QSize(6 * (SMALLEST + _GAP), SMALLEST + _BELOW + _GAP)

    def minimumSizeHint(self) -> QSize:
        return QSize(SMALLEST + _GAP, SMALLEST + _BELOW)
