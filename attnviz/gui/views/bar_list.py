"""A scrolled list of names, bars and values; only what is visible is painted, so its length costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QLine, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from attnviz.gui.fonts import number_font, text_font
from attnviz.gui.labels import Labels
from attnviz.gui.plain_text import tooltip
from attnviz.gui.theme import LIGHT, SPACE, Theme
from attnviz.gui.views.token_names import TokenNames

ROW = 22
"""Height of a row in px."""
_MOST_NAME = 112.0
_AROUND = 3
"""Rows that come into view with the selected one in a list of some of many items."""


class BarList(QAbstractScrollArea):
    """Rows of a name, a bar and a value.

    Signals
    -------
    chosen(index)
        A row was clicked, or reached with the arrow keys; the index is the item's, not the row's.
    """

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(False)
        self._theme = LIGHT
        self._names: Sequence[str] = ()
        self._values: NDArray[np.float32] = np.zeros(0, np.float32)
        self._order: NDArray[np.intp] | None = None
        self._muted: NDArray[np.bool_] | None = None
        self._has_gaps = False
        self._format: Callable[[int], str] = str
        self._ends = (0.0, 1.0)
        self._selected = -1
        self._name_width = 0.0
        self._value_width = 0.0
        self._text, self._text_bold, self._number = (
            Labels(text_font()),
            Labels(text_font(bold=True)),
            Labels(number_font()),
        )

    def set_names(self, names: Sequence[str], widest_value: str, least_width: float = 0.0) -> None:
        """Take the items' names, and a text as wide as any value can be, so that columns keep their width.

        Parameters
        ----------
        least_width
            Width in px that the names have at least, such as that of another list.
        """
        self._names = names
        measured = names.longest if isinstance(names, TokenNames) else set(names)
        longest = max((self._text_bold.width(name) for name in measured), default=0.0)
        self._name_width = max(min(longest, _MOST_NAME), least_width)
        self._value_width = self._number.width(widest_value)
        self._fit()

    def set_values(
        self,
        values: NDArray[np.float32],
        formatted: Callable[[int], str],
        *,
        ends: tuple[float, float],
        order: NDArray[np.intp] | None = None,
        muted: NDArray[np.bool_] | None = None,
        selected: int = -1,
        has_gaps: bool = False,
        reveals: bool = True,
    ) -> None:
        """Show values.

        Parameters
        ----------
        values
            One for each name.
        formatted
            Gives an item's value as text.
        ends
            The values at both ends of the bars' track, the first 0 or below, the last above.
        order
            Items from top to bottom, all or some of them; None: all as they come.
        muted
            Items that step back and have no bar.
        selected
            The item that is selected, or -1.
        has_gaps
            Draw a line between rows whose items do not follow each other.
        reveals
            Bring the selected item into view where it is another.
        """
        n_rows, looked_the_same = self._n_rows(), self._look_of_names()
        moved = selected != self._selected or (order is None) != (self._order is None)
        rows = self._changed_rows(values, ends, order, muted, selected)
        self._values, self._format, self._ends = values, formatted, ends
        self._order, self._muted, self._selected = order, muted, selected
        self._has_gaps = has_gaps
        if n_rows != self._n_rows():
            self._fit()
        if moved and reveals and selected >= 0:
            self._bring_into_view(self._row_of(selected))
        if rows:
            top = rows[0] * ROW - self.verticalScrollBar().value()
            left = self._name_end() if looked_the_same == self._look_of_names() else 0
            self.viewport().update(left, top, self.viewport().width() - left, len(rows) * ROW)

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme
        self.viewport().update()

    def set_right_margin(self, width: int) -> None:
        """Leave room in px at the right, such as a scroll bar takes in another list."""
        self.setViewportMargins(0, 0, width, 0)

    def reveal(self, item: int) -> None:
        """Bring an item into view; where it has no row, the first."""
        row = self._row_of(item)
        if row < 0:
            self.verticalScrollBar().setValue(0)
        else:
            self._bring_into_view(row)

    @property
    def name_width(self) -> float:
        """Width in px of the column of names."""
        return self._name_width

    def order(self) -> list[int]:
        """Give the items from top to bottom."""
        return [self._item_at(row) for row in range(self._n_rows())]

    def shown_value(self, item: int) -> str:
        """Give an item's value as it is written."""
        return self._format(item)

    def row_rect(self, item: int) -> QRectF:
        """Give where an item's row lies, in px of the viewport; nowhere where it has none."""
        if self._row_of(item) < 0:
            return QRectF()
        top = self._row_of(item) * ROW - self.verticalScrollBar().value()
        return QRectF(0, top, self.viewport().width(), ROW)

    def bar_rect(self, item: int) -> QRectF:
        """Give where an item's bar lies, in px of the viewport; 0 wide where there is nothing to show."""
        row = self.row_rect(item)
        if row.isNull():
            return QRectF()
        is_muted = self._muted is not None and bool(self._muted[item])
        left, length = self._bar_along(row.width(), 0.0 if is_muted else float(self._values[item]))
        return QRectF(left, row.top() + 6, length, ROW - 12)

    def _bar_along(self, width: float, value: float) -> tuple[float, float]:
        """Give the left and the length in px of a value's bar, in a row as wide as this."""
        left = SPACE + self._name_width + 2 * SPACE
        track = max(width - left - self._value_width - 3 * SPACE, 0.0)
        low, high = self._ends
        unit = track / (high - low) if high > low else 0.0
        zero = left - low * unit
        start, end = sorted((zero, zero + min(max(value, low), high) * unit))
        return start, end - start

    def _look_of_names(self) -> tuple[object, ...]:
        """Give what the names and the ground of the rows depend on, beside the names and the theme."""
        order, muted = (None if part is None else part.tobytes() for part in (self._order, self._muted))
        return order, muted, self._selected, self._has_gaps

    def _name_end(self) -> int:
        """Give where the names end, in px."""
        return int(SPACE + self._name_width) + SPACE

    def _changed_rows(
        self,
        values: NDArray[np.float32],
        ends: tuple[float, float],
        order: NDArray[np.intp] | None,
        muted: NDArray[np.bool_] | None,
        selected: int,
    ) -> range:
        """Give the rows from the first that will look different to the last; all where it is hard to say."""
        is_same = (ends, selected) == (self._ends, self._selected) and len(values) == len(self._values)
        if not is_same or (order is None) != (self._order is None):
            return range(len(values))
        if order is not None and self._order is not None:
            return range(0) if self._shows_the_same(values, order, muted) else range(len(order))
        if (muted is None) != (self._muted is None):
            return range(len(values))
        differs = values != self._values
        if muted is not None:
            differs |= muted != self._muted
        changed = np.flatnonzero(differs)
        return range(int(changed[0]), int(changed[-1]) + 1) if changed.size else range(0)

    def _shows_the_same(
        self, values: NDArray[np.float32], order: NDArray[np.intp], muted: NDArray[np.bool_] | None
    ) -> bool:
        """Say whether the rows of an order are those there are."""
        if self._order is None or (muted is None) != (self._muted is None):
            return False
        if not np.array_equal(order, self._order):
            return False
        is_same = np.array_equal(values[order], self._values[order])
        if muted is not None and self._muted is not None:
            is_same = is_same and np.array_equal(muted[order], self._muted[order])
        return is_same

    def _n_rows(self) -> int:
        return len(self._names) if self._order is None else len(self._order)

    def _item_at(self, row: int) -> int:
        return row if self._order is None else int(self._order[row])

    def _row_of(self, item: int) -> int:
        if self._order is None:
            return item
        rows = np.flatnonzero(self._order == item)
        return int(rows[0]) if rows.size else -1

    def _bring_into_view(self, row: int) -> None:
        if row < 0:
            return
        bar = self.verticalScrollBar()
        height = self.viewport().height()
        around = _AROUND * ROW if self._has_gaps else 0
        bar.setValue(min(max(bar.value(), (row + 1) * ROW + around - height), row * ROW - around))

    def _fit(self) -> None:
        bar, height = self.verticalScrollBar(), self.viewport().height()
        bar.setRange(0, max(0, self._n_rows() * ROW - height))
        bar.setPageStep(max(height, 1))
        bar.setSingleStep(ROW)
        self.viewport().update()

    def _paint_ground(
        self, painter: QPainter, rows: list[tuple[int, int, float, bool]], width: int, offset: int
    ) -> None:
        """Paint what lies below the bars: the selected row, gaps between rows, and where bars begin."""
        zeros = []
        for row, item, value, is_muted in rows:
            top = row * ROW - offset
            if item == self._selected:
                painter.fillRect(0, top + 1, width, ROW - 2, self._theme.accent_soft)
            if self._has_gaps and row and item != self._item_at(row - 1) + 1:
                painter.setPen(QPen(self._theme.grid, 1.0))
                painter.drawLine(int(SPACE), top, width - SPACE, top)
            left, length = self._bar_along(width, 0.0 if is_muted else value)
            zero = int(left if value >= 0 or is_muted else left + length)
            zeros.append(QLine(zero, top + 3, zero, top + ROW - 4))
        if zeros:
            painter.setPen(self._theme.border)
            painter.drawLines(zeros)

    # Qt's overrides

    def sizeHint(self) -> QSize:
        width = int(self._name_width + self._value_width) + 120 + 8 * SPACE
        return QSize(width, min(max(self._n_rows(), 1), 12) * ROW)

    def minimumSizeHint(self) -> QSize:
        return QSize(int(self._name_width + self._value_width) + 40 + 8 * SPACE, 3 * ROW)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = int(event.position().y() + self.verticalScrollBar().value()) // ROW
        if event.button() == Qt.MouseButton.LeftButton and 0 <= row < self._n_rows():
            self.chosen.emit(self._item_at(row))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_PageUp: -max(1, self.viewport().height() // ROW),
            Qt.Key.Key_PageDown: max(1, self.viewport().height() // ROW),
            Qt.Key.Key_Home: -len(self._names),
            Qt.Key.Key_End: len(self._names),
        }.get(Qt.Key(event.key()))
        if step is None or not self._n_rows():
            super().keyPressEvent(event)
            return
        row = self._row_of(self._selected) if self._selected >= 0 else -1
        to = min(max(row + step, 0), self._n_rows() - 1)
        if to != row:
            self.chosen.emit(self._item_at(to))
        elif row >= 0:
            event.accept()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            row = (event.pos().y() + self.verticalScrollBar().value()) // ROW
            name = self._names[self._item_at(row)] if 0 <= row < self._n_rows() else ""
            if name and self._text_bold.width(name) > self._name_width:
                QToolTip.showText(event.globalPos(), tooltip(name), self)
            else:
                QToolTip.hideText()
            return True
        return super().viewportEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, offset, exposed = self._theme, self.verticalScrollBar().value(), event.rect()
        painter = QPainter(self.viewport())
        painter.fillRect(exposed, theme.ground)
        first = max(0, (exposed.top() + offset) // ROW)
        last = min(self._n_rows(), (exposed.bottom() + offset) // ROW + 1)
        has_names, width = exposed.left() < self._name_end(), self.viewport().width()
        items = [self._item_at(row) for row in range(first, last)]
        values = self._values[items].tolist()
        muted = [False] * len(items) if self._muted is None else self._muted[items].tolist()
        rows = list(zip(range(first, last), items, values, muted, strict=True))
        self._paint_ground(painter, rows, width, offset)
        for row, item, value, is_muted in rows:
            top, is_selected = row * ROW - offset, item == self._selected
            left, length = self._bar_along(width, 0.0 if is_muted else value)
            if length > 0:
                painter.fillRect(
                    QRectF(left, top + 6, length, ROW - 12), theme.accent if is_selected else theme.bar
                )
            painter.setPen(theme.muted if is_muted else theme.text)
            middle = top + ROW / 2
            if has_names:
                labels = self._text_bold if is_selected else self._text
                labels.draw(painter, SPACE, middle, labels.elided(self._names[item], self._name_width))
            self._number.draw_right(painter, width - SPACE, middle, self._format(item))
        if self.hasFocus() and self._selected >= 0:
            painter.setPen(QPen(theme.accent, 1.0))
            painter.drawRect(self.row_rect(self._selected).adjusted(0.5, 1.5, -0.5, -1.5))
        painter.end()
