"""All heads at a glance: a small map of each head's weights, its output's norm, its rows' entropy."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from attnviz.gui.number_texts import trimmed
from attnviz.gui.theme import SPACE
from attnviz.gui.views.heads_area import HeadsArea

PICTURE = 48
ROW = PICTURE + 2 * SPACE
_WIDTH = 160


class HeadStrip(HeadsArea):
    """The heads from top to bottom."""

    reading_line = 36
    """Where it is read first, in px from its top: all in the tab but the buttons are one row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("head_strip", parent)
        self.setFixedWidth(_WIDTH)
        self.retranslate()

    def head_rect(self, head: int) -> QRect:
        """Give where a head lies, in px of the viewport."""
        return QRect(0, head * ROW - self.verticalScrollBar().value(), self.viewport().width(), ROW)

    def picture_rect(self, head: int) -> QRect:
        """Give where a head's small picture lies: as wide and as high as its keys and queries want it."""
        return self.map_in(self._square(head))

    def head_after(self, key: Qt.Key) -> int | None:
        """Give the head above or below the active one, the first or the last."""
        return {
            Qt.Key.Key_Up: self.active - 1,
            Qt.Key.Key_Down: self.active + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: len(self.names) - 1,
        }.get(key)

    def shown_texts(self, head: int) -> tuple[str, str]:
        """Give the norm and the mean entropy as they are written; empty where not computed."""
        small = self.thumbnail(head)
        if small is None:
            return "", ""
        bits = self.tr("{bits} bits").format(bits=f"{small.mean_entropy:.2f}")
        return f"‖o‖ {trimmed(small.output_norm)}", f"H {bits}"

    def fit(self) -> None:
        """Let the scroll bar reach over all heads."""
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, len(self.names) * ROW - self.viewport().height()))
        bar.setPageStep(max(1, self.viewport().height()))
        bar.setSingleStep(ROW // 2)

    def paint_head(self, painter: QPainter, head: int, rect: QRect) -> None:
        """Paint a head's map, and beside it its name and numbers."""
        theme, is_active = self.theme, head == self.active
        if is_active:
            painter.fillRect(QRect(rect.left(), rect.top() + SPACE, 3, PICTURE), theme.accent)
        square = self._square(head)
        self.paint_map(painter, head, square)
        left = square.right() + 2 * SPACE
        room = rect.width() - left - SPACE
        painter.setPen(theme.text)
        labels = self.bold_labels if is_active else self.name_labels
        labels.draw(painter, left, rect.top() + 14, labels.elided(self.names[head], room))
        painter.setPen(theme.muted)
        numbers = self.number_labels
        for line, text in enumerate(self.shown_texts(head)):
            numbers.draw(painter, left, rect.top() + 31 + 15 * line, numbers.elided(text, room))

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self.setAccessibleName(self.tr("All heads: weights, norm of the output, entropy"))
        self.say()

    def _square(self, head: int) -> QRect:
        rect = self.head_rect(head)
        return QRect(rect.left() + 2 * SPACE, rect.top() + SPACE, PICTURE, PICTURE)

    # Qt's overrides

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH, 3 * ROW)

    def minimumSizeHint(self) -> QSize:
        return QSize(_WIDTH, ROW)
