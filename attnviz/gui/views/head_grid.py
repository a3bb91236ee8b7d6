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
_BELOW = 52  # px of height of a name and two numbers below a map
_ASIDE = 96  # px of width of the same beside it
_GAP = 3 * SPACE
_STEP = 4  # px by which maps grow, so that they do not flicker while a window is resized


class HeadGrid(HeadsArea):
    """The heads in rows; their maps are of the largest size at which all of them can be seen.

    Where height is scarce and width is not, names and numbers stand beside the maps.
    """

    reading_line = 18
    """Where it is read first, in px from its top: before the tools in the same row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("head_grid", parent)
        self._planned: tuple[tuple[QSize, int], tuple[int, int, bool]] | None = None
        self.retranslate()

    def side(self) -> int:
        """Give the width and height of a map in px."""
        return self._plan()[0]

    def n_columns(self) -> int:
        """Give how many heads stand in a row."""
        return self._plan()[1]

    def head_rect(self, head: int) -> QRect:
        """Give where a head lies, in px of the viewport."""
        side, columns, is_aside = self._plan()
        size = _tile(side, is_aside)
        row, column = divmod(head, columns)
        top = row * size.height() - self.verticalScrollBar().value()
        return QRect(QPoint(column * size.width(), top), size)

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
        side, columns, is_aside = self._plan()
        bar, height = self.verticalScrollBar(), _tile(side, is_aside).height()
        bar.setRange(0, max(0, -(-len(self.names) // columns) * height - self.viewport().height()))
        bar.setPageStep(max(1, self.viewport().height()))
        bar.setSingleStep(height // 2)

    def paint_head(self, painter: QPainter, head: int, rect: QRect) -> None:
        """Paint a head's map, and below it its name and numbers."""
        theme, is_active, place = self.theme, head == self.active, self._square(head)
        self.paint_map(painter, head, place)
        if is_active:
            painter.setPen(QPen(theme.accent, 2.0))
            painter.drawRect(self.map_in(place).adjusted(-1, -1, 1, 1))  # its pen is 2 px wide
        if is_active and self.hasFocus():
            painter.setPen(QPen(theme.accent, 1.0, Qt.PenStyle.DotLine))
            painter.drawRect(rect.adjusted(1, 1, -2, -2))
        left, y, room = place.left(), place.bottom() + 14, rect.width() - _GAP // 2
        if self._plan()[2]:
            left, y, room = place.right() + 2 * SPACE, place.top() + 8, _ASIDE - 3 * SPACE
        painter.setPen(theme.text)
        labels = self.bold_labels if is_active else self.name_labels
        labels.draw(painter, left, y, labels.elided(self.names[head], room))
        painter.setPen(theme.muted)
        for line, text in enumerate(self.shown_texts(head)):
            self.number_labels.draw(painter, left, y + 16 + 14 * line, self.number_labels.elided(text, room))

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self.setAccessibleName(self.tr("All heads: weights, entropy, weight on the first token"))
        self.say()

    def _square(self, head: int) -> QRect:
        side, corner = self.side(), self.head_rect(head).topLeft()
        return QRect(corner + QPoint(_GAP // 2, _GAP // 2), QSize(side, side))

    def _plan(self) -> tuple[int, int, bool]:
        """Choose the side of a map, how many heads stand in a row, and whether their names stand beside."""
        room, count = self.viewport().size(), max(1, len(self.names))
        key = (room, count)
        if self._planned is None or self._planned[0] != key:
            self._planned = key, _plan_for(room, count)
        return self._planned[1]

    # Qt's overrides

    def sizeHint(self) -> QSize:
        return QSize(6 * (SMALLEST + _GAP), SMALLEST + _BELOW + _GAP)

    def minimumSizeHint(self) -> QSize:
        return QSize(SMALLEST + _GAP, SMALLEST + _BELOW)


def _tile(side: int, is_aside: bool) -> QSize:
    """Give the size of a head with its map, its name and its numbers."""
    return QSize(side + _GAP + (_ASIDE if is_aside else 0), side + _GAP + (0 if is_aside else _BELOW))


def _plan_for(room: QSize, count: int) -> tuple[int, int, bool]:
    """Find the largest maps of which ``count`` can be seen at once; the smallest where they cannot."""
    for side in range(LARGEST, SMALLEST - 1, -_STEP):
        for is_aside in (False, True):
            size = _tile(side, is_aside)
            columns = min(count, room.width() // size.width())
            if columns and -(-count // columns) * size.height() <= room.height():
                return side, columns, is_aside
    return SMALLEST, max(1, min(count, room.width() // _tile(SMALLEST, False).width())), False
