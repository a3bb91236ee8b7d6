"""A calm table of whole rows: flat headers, cells painted straight from a model's looks, and copying as text.

Qt asks a model written in Python many questions for every cell it paints; here it is asked one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, Protocol, cast

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from attnviz.gui.fonts import number_font, small_font, text_font
from attnviz.gui.labels import Labels
from attnviz.gui.theme import LIGHT, SPACE, Theme

ROW = 22
"""Height of a row in px."""
MOST_COPIED = 5000
"""Rows that are copied at a time: what takes a moment to write, and what a spreadsheet takes."""
_AT_ONCE = 4000
"""Cells that are copied while a person waits, some ms; a model with ``texts`` has more written elsewhere."""
_HEADER_LINE = 15

RowTexts = Callable[[int], tuple[str, list[str]]]
"""Gives what the header of a row and its cells say, of one moment and in any thread."""
Index = QModelIndex | QPersistentModelIndex


class Look(NamedTuple):
    """How one cell is painted."""

    text: str
    is_number: bool = True
    is_bold: bool = False
    is_muted: bool = False
    is_selected: bool = False
    is_shaded: bool = False
    tint: tuple[QColor, QColor] | None = None
    """Ground and ink, where the number is shown as a colour too."""
    is_first: bool = False
    """A line divides it from the cell to its left."""


class HasLooks(Protocol):
    """What the table's model can do beside Qt's own."""

    def look(self, row: int, column: int) -> Look:
        """Give how a cell is painted."""
        ...

    def heading(self, section: int, orientation: Qt.Orientation) -> Look:
        """Give how a header's section is painted; its text may have two lines."""
        ...


class FlatHeader(QHeaderView):
    """A header without a raised look: quiet text, and one line between it and the cells."""

    def __init__(self, orientation: Qt.Orientation, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        self.theme = LIGHT
        self.lines = 1
        self._small, self._small_bold = Labels(small_font()), Labels(small_font(bold=True))
        self._text, self._text_bold = Labels(text_font()), Labels(text_font(bold=True))
        self.setHighlightSections(False)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setMinimumSectionSize(ROW if orientation == Qt.Orientation.Vertical else 12 * SPACE)

    def text_width(self, section: int) -> float:
        """Give the width in px of the words over a column."""
        look = cast(HasLooks, self.model()).heading(section, self.orientation())
        labels = self._small_bold if look.is_bold else self._small
        return max(labels.width(part) for part in look.text.split("\n"))

    # Qt's overrides

    def sizeHint(self) -> QSize:
        if not self._is_across() and self.minimumWidth() == self.maximumWidth():
            return QSize(self.minimumWidth(), 0)  # Qt would measure a thousand headings
        hint = super().sizeHint()
        return QSize(hint.width(), self.lines * _HEADER_LINE + 2 * SPACE) if self._is_across() else hint

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:
        if not rect.isValid():
            return
        theme = self.theme
        painter.fillRect(rect, theme.ground)
        look = cast(HasLooks, self.model()).heading(logicalIndex, self.orientation())
        if self._is_across():
            labels = self._small_bold if look.is_bold else self._small
            painter.setPen(theme.text if look.is_bold else theme.muted)
            parts = look.text.split("\n")
            for index, part in enumerate(parts):
                middle = rect.bottom() - SPACE - _HEADER_LINE * (len(parts) - index - 0.5)
                text = labels.elided(part, rect.width() - 3 * SPACE)
                if look.is_number:
                    labels.draw_right(painter, rect.right() - 2 * SPACE, middle, text)
                else:
                    labels.draw(painter, rect.left() + SPACE, middle, text)
            painter.setPen(theme.border)
            painter.drawLine(rect.bottomLeft(), rect.bottomRight())
            return
        labels = self._text_bold if look.is_bold else self._text
        if look.is_selected:
            painter.fillRect(rect, theme.accent_soft)
        painter.setPen(theme.text)
        labels.draw(
            painter, rect.left() + SPACE, rect.center().y() + 0.5, labels.elided(look.text, rect.width() - 8)
        )

    def _is_across(self) -> bool:
        return self.orientation() == Qt.Orientation.Horizontal


class PlainTable(QTableView):
    """The table; Ctrl+C copies the selected rows as tab-separated text, or all where none is selected.

    At most ``MOST_COPIED`` of them.

    Signals
    -------
    told(str)
        A sentence about what was done.
    resized()
        There is more or less room for the cells.
    """

    told = Signal(str)
    resized = Signal()

    reading_line = ROW // 2
    """Where it is read first, in px from its top: tables side by side are one row, whatever their heights."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._text, self._bold, self._number = (
            Labels(text_font()),
            Labels(text_font(bold=True)),
            Labels(number_font()),
        )
        self.across, self.down = FlatHeader(Qt.Orientation.Horizontal), FlatHeader(Qt.Orientation.Vertical)
        self.setHorizontalHeader(self.across)
        self.setVerticalHeader(self.down)
        self.down.setDefaultSectionSize(ROW)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self._corner = self.findChildren(QAbstractButton)[0]  # the only one a table has
        self._corner.installEventFilter(self)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = self.across.theme = self.down.theme = theme
        palette = theme.palette()
        palette.setColor(palette.ColorRole.Base, theme.ground)
        self.setPalette(palette)
        for part in (self.viewport(), self.across.viewport(), self.down.viewport()):
            part.update()

    def reveal_row(self, row: int) -> None:
        """Bring a row into view, as far across as the table is scrolled now."""
        self.executeDelayedItemsLayout()  # else a new row is looked for within the height there was
        across = self.horizontalScrollBar().value()
        self.scrollTo(self.model().index(row, 0))
        self.horizontalScrollBar().setValue(across)

    def copied_text(self) -> str:
        """Give the selected rows, or all, as tab-separated text, after the header of each."""
        model = self.model()
        lines = []
        for row in self._copied_rows()[:MOST_COPIED]:
            cells = [cast(HasLooks, model).look(row, column).text for column in range(model.columnCount())]
            if self.down.isVisibleTo(self):
                cells.insert(0, cast(HasLooks, model).heading(row, Qt.Orientation.Vertical).text)
            lines.append("\t".join(cells))
        return "\n".join(lines)

    def long_copy(self) -> Callable[[], str] | None:
        """Give what writes ``copied_text`` of this moment in any thread, where that takes long; else None."""
        model, rows = self.model(), self._copied_rows()[:MOST_COPIED]
        texts: Callable[[], RowTexts | None] | None = getattr(model, "texts", None)
        write = None if texts is None or len(rows) * model.columnCount() <= _AT_ONCE else texts()
        return (
            None if write is None else partial(_written, write, rows, has_names=self.down.isVisibleTo(self))
        )

    def copy(self) -> None:
        """Put ``copied_text`` on the clipboard."""
        QGuiApplication.clipboard().setText(self.copied_text())
        note = self.note_on_copy()
        if note:
            self.told.emit(note)

    def note_on_copy(self) -> str:
        """Give what is to be said where not all rows are copied; nothing where all are."""
        n_rows = len(self._copied_rows())
        if n_rows <= MOST_COPIED:
            return ""
        return self.tr(
            "Copied the first {n} of {count} rows; select others to copy them, or export the numbers."
        ).format(n=f"{MOST_COPIED:,}", count=f"{n_rows:,}")

    def _copied_rows(self) -> Sequence[int]:
        """Give the selected rows, or all where none is."""
        selected = self.selectionModel().selection()
        parts = [(selected.at(index).top(), selected.at(index).bottom()) for index in range(selected.count())]
        if not parts:
            return range(self.model().rowCount())
        if len(parts) == 1:
            return range(parts[0][0], parts[0][1] + 1)
        return sorted({row for first, last in parts for row in range(first, last + 1)})

    def _paint_cell(self, painter: QPainter, rect: QRect, look: Look) -> None:
        theme = self._theme
        if look.tint is not None:
            painter.fillRect(rect, look.tint[0])
            if look.is_selected:  # an outline, since the ground is the number
                painter.fillRect(rect.left(), rect.top(), rect.width(), 2, theme.accent)
                painter.fillRect(rect.left(), rect.bottom() - 1, rect.width(), 2, theme.accent)
        elif look.is_selected:
            painter.fillRect(rect, theme.accent_soft)
        elif look.is_shaded:
            painter.fillRect(rect, theme.raised)
        if look.is_first:
            painter.fillRect(rect.left(), rect.top(), 1, rect.height(), theme.muted)
        painter.setPen(look.tint[1] if look.tint else theme.muted if look.is_muted else theme.text)
        labels = self._bold if look.is_bold else self._number if look.is_number else self._text
        text = labels.elided(look.text, rect.width() - 3 * SPACE)
        middle = rect.top() + rect.height() / 2
        if look.is_number:
            labels.draw_right(painter, rect.right() - 2 * SPACE, middle, text)
        else:
            labels.draw(painter, rect.left() + SPACE, middle, text)

    def _paint_highlight(self, painter: QPainter, rect: QRect) -> None:
        option = QStyleOptionViewItem()
        self.initViewItemOption(option)
        option.rect, option.state = rect, option.state | QStyle.StateFlag.State_Selected
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewRow, option, painter, self)

    # Qt's overrides

    def paintEvent(self, event: QPaintEvent) -> None:
        rect, model = event.rect(), cast(HasLooks, self.model())
        rows = _span(self.rowAt(rect.top()), self.rowAt(rect.bottom()), self.model().rowCount())
        columns = [
            (column, self.columnViewportPosition(column), self.columnWidth(column))
            for column in _span(
                self.columnAt(rect.left()), self.columnAt(rect.right()), self.model().columnCount()
            )
        ]
        if not rows or not columns:
            return
        left, width = columns[0][1], columns[-1][1] + columns[-1][2] - columns[0][1]
        selected = self.selectionModel().selection()
        selection = [selected.at(index) for index in range(selected.count())]
        painter = QPainter(self.viewport())
        for row in rows:
            top, height = self.rowViewportPosition(row), self.rowHeight(row)
            if any(part.top() <= row <= part.bottom() for part in selection):
                self._paint_highlight(painter, QRect(left, top, width, height))
            for column, x, cell_width in columns:
                self._paint_cell(painter, QRect(x, top, cell_width, height), model.look(row, column))
        painter.end()

    def dataChanged(self, topLeft: Index, bottomRight: Index, roles: Sequence[int] = ()) -> None:
        # Of the rows in view alone: for others Qt would paint all columns of all rows again.
        model, height = self.model(), self.viewport().height()
        shown = _span(self.rowAt(0), self.rowAt(height - 1), model.rowCount())
        first, last = max(topLeft.row(), shown.start), min(bottomRight.row(), shown.stop - 1)
        if first <= last:
            columns = topLeft.column(), bottomRight.column()
            super().dataChanged(model.index(first, columns[0]), model.index(last, columns[1]), roles)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._corner and event.type() == QEvent.Type.Paint:
            painter = QPainter(self._corner)
            painter.fillRect(self._corner.rect(), self.across.theme.ground)
            painter.setPen(self.across.theme.border)
            painter.drawLine(self._corner.rect().bottomLeft(), self._corner.rect().bottomRight())
            painter.end()
            return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            event.accept()
            return
        index = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and index.isValid():
            self.clicked.emit(index)  # what a click chooses, Enter chooses too
            event.accept()
            return
        super().keyPressEvent(event)


def _written(texts: RowTexts, rows: Sequence[int], *, has_names: bool) -> str:
    """Write rows as tab-separated text."""
    each = (texts(row) for row in rows)
    return "\n".join("\t".join([name, *cells] if has_names else cells) for name, cells in each)


def _span(first: int, last: int, count: int) -> range:
    """Give the rows or columns from first to last, of which −1 stands for beyond the last there is."""
    return range(0) if first < 0 else range(first, last + 1 if last >= 0 else count)


def cell_data(look: Look, role: int, theme: Theme) -> object:
    """Give what Qt and assistive tools ask of a cell beside its painting."""
    if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
        return look.text
    if role == Qt.ItemDataRole.TextAlignmentRole:
        side = Qt.AlignmentFlag.AlignRight if look.is_number else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter
    if role == Qt.ItemDataRole.ForegroundRole:
        return QColor(theme.muted if look.is_muted else theme.text)
    return None
