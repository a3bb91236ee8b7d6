"""One table of numbers: cells typed into, rectangles copied, pasted and cleared, dimensions renamed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPalette,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QFrame, QTableView, QWidget

from attnviz.core.errors import AttnvizError, InputError
from attnviz.gui.editors.inline_field import InlineField
from attnviz.gui.editors.sheet import Sheet
from attnviz.gui.editors.slim_scroll_bar import THICKNESS, SlimScrollBar
from attnviz.gui.editors.vector_cells import VectorCells
from attnviz.gui.editors.vector_header import ROW_HEIGHT, VectorHeader
from attnviz.gui.editors.vector_model import VectorModel
from attnviz.gui.fonts import number_font, small_font, text_font
from attnviz.gui.plain_text import candidates_for_widest, visible
from attnviz.gui.symbols import draw_symbol
from attnviz.gui.theme import LIGHT, SPACE, Theme
from attnviz.text.table_text import format_table, parse_table

MOST_COPIED = 250_000
"""Numbers that are copied at a time: what takes about a second to write, and a spreadsheet takes."""
_AT_ONCE = 40_000
"""Numbers that are written within some hundredths of a second."""
_LEAST_COLUMN, _USUAL_COLUMN, _MOST_COLUMN = 66, 76, 112
_LEAST_HEADING, _MOST_HEADING = 40, 112


class VectorGrid(QTableView):
    """The table of q, of k, of v, of x or of a map.

    Parameters
    ----------
    name
        The object's name.
    is_named
        Whether a person can name its columns.

    Signals
    -------
    block_asked(int, int, ndarray)
        A rectangle of numbers (rows, columns) is to be set from a row and a column on.
    dimension_renamed(int, str)
        A dimension is to have a name.
    row_chosen(int)
        A row's heading was clicked.
    cell_entered(int, int)
        A person went to a cell, or pressed on the one where they were.
    refused(AttnvizError)
        What was typed or pasted cannot be taken.
    """

    block_asked = Signal(int, int, object)
    dimension_renamed = Signal(int, str)
    row_chosen = Signal(int)
    cell_entered = Signal(int, int)
    refused = Signal(object)

    reading_line = ROW_HEIGHT // 2
    """Where it is read first, in px from its top: tables side by side are one row, whatever their heights."""

    def __init__(self, name: str, parent: QWidget | None = None, *, is_named: bool = True) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._is_named = is_named
        self._is_showing = False
        self._theme = LIGHT
        self._model = VectorModel(name.rpartition("/")[2], self)
        self._cells = VectorCells(self._model, self)
        self._columns = VectorHeader(Qt.Orientation.Horizontal, self)
        self._rows = VectorHeader(Qt.Orientation.Vertical, self)
        self._bars = (SlimScrollBar(Qt.Orientation.Horizontal), SlimScrollBar(Qt.Orientation.Vertical))
        self._field: InlineField | None = None
        self._named = -1
        self._wanted = _LEAST_COLUMN
        self._measured: tuple[tuple[str, ...], tuple[str, ...]] | None = None
        self.setModel(self._model)
        self.setItemDelegate(self._cells)
        self.setHorizontalHeader(self._columns)
        self.setVerticalHeader(self._rows)
        self.setHorizontalScrollBar(self._bars[0])
        self.setVerticalScrollBar(self._bars[1])
        self.setFont(number_font())
        self._columns.setFont(small_font())
        self._rows.setFont(small_font())
        self._rows.setDefaultSectionSize(ROW_HEIGHT)
        self.setCornerButtonEnabled(False)
        self.setCornerWidget(QWidget(self))  # instead of the square that styles draw between scroll bars
        self._title = self.findChildren(QAbstractButton)[0]  # the corner between the headings, the only one
        self._title.installEventFilter(self)
        self.viewport().setBackgroundRole(QPalette.ColorRole.Window)
        self.setShowGrid(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        trigger = QAbstractItemView.EditTrigger
        self.setEditTriggers(trigger.DoubleClicked | trigger.EditKeyPressed | trigger.AnyKeyPressed)
        self._rows.sectionPressed.connect(self.row_chosen)
        self._columns.sectionDoubleClicked.connect(self.rename_dimension)
        self._columns.geometriesChanged.connect(self._place_field)
        self._bars[0].valueChanged.connect(self._place_field)
        self._model.refused.connect(self.refused)
        self._model.row_marked.connect(self._update_row)
        self._model.column_marked.connect(self._update_column)
        self.selectionModel().currentChanged.connect(self._tell_cell)
        self.pressed.connect(lambda index: self._tell_cell(index, index))  # the current one too
        self._model.value_asked.connect(
            lambda token, dim, value: self.block_asked.emit(token, dim, np.array([[value]]))
        )

    @property
    def vectors(self) -> VectorModel:
        """The model behind the table."""
        return self._model

    def name_rows_by_symbols(self) -> None:
        """Write the names of rows as symbols, not as names that people gave."""
        self._rows.holds_symbols = True

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._theme = theme
        for part in (self._cells, self._columns, self._rows, *self._bars):
            part.set_theme(theme)
        self.viewport().update()

    def show_sheet(self, sheet: Sheet) -> None:
        """Show other numbers; says nothing and keeps the current cell where there still is one."""
        at = self.currentIndex()
        place = (at.row(), at.column()) if at.isValid() else (0, 0)
        self._is_showing = True
        if sheet.symbol != self._model.sheet.symbol:
            self._title.update()
        before = self._model.sheet
        self._model.show_sheet(sheet)
        if sheet.row >= 0 and (sheet.row, len(sheet.rows)) != (before.row, len(before.rows)):
            self._reveal_row(sheet.row)
        if not self.currentIndex().isValid():
            last = (self._model.rowCount() - 1, self._model.columnCount() - 1)
            index = self._model.index(min(place[0], last[0]), min(place[1], last[1]))
            self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
        self._is_showing = False
        self._measure()

    def _reveal_row(self, row: int) -> None:
        """Bring a row into view, as far across as the table is scrolled now."""
        across = self._bars[0].value()
        self.scrollTo(self._model.index(row, 0))
        self._bars[0].setValue(across)

    def width_wanted(self) -> int:
        """Give the width in px in which every column is in view."""
        columns = self._model.columnCount() * min(max(_LEAST_COLUMN, self._wanted), _MOST_COLUMN)
        return self._rows.width() + columns + THICKNESS + 2

    def height_wanted(self) -> int:
        """Give the height in px in which every row is in view."""
        return ROW_HEIGHT * (self._model.rowCount() + 1) + THICKNESS + 2

    def heading_width(self) -> int:
        """Give the width in px of the rows' headings."""
        return self._rows.width()

    def set_heading_width(self, width: int) -> None:
        """Give the rows' headings a width in px, that of a table above or below."""
        if width != self._rows.width():
            self._rows.setFixedWidth(width)
            self.updateGeometries()

    def point_at(self, *cells: tuple[int, int]) -> None:
        """Outline cells (row, column) that something elsewhere points at, and bring the first into view."""
        pointed = frozenset(cells)
        if pointed != self._cells.pointed:
            self._cells.pointed = pointed
            if cells:
                self.scrollTo(self._model.index(*cells[0]))
            self.viewport().update()

    def choose_cell(self, row: int, column: int) -> None:
        """Make a cell the current one and select nothing, without the keyboard and without a word."""
        self._is_showing = True
        index = self._model.index(row, column)
        if index.isValid():
            self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.Clear)
        self._is_showing = False

    def focus_cell(self, token: int, dim: int) -> None:
        """Bring a cell into view and give it the keyboard."""
        index = self._model.index(token, dim)
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)
            self.setFocus(Qt.FocusReason.OtherFocusReason)

    def long_copy(self) -> Callable[[], str] | None:
        """Give what writes the selected rectangle in any thread, where that takes long; else None."""
        rows, columns = self._selected_rectangle()
        if not _AT_ONCE < (rows.stop - rows.start) * (columns.stop - columns.start) <= MOST_COPIED:
            return None
        try:
            return partial(format_table, self._model.array[rows, columns])
        except AttnvizError:  # ``copy`` says why
            return None

    def copy(self) -> None:
        """Put the selected rectangle on the clipboard as tab-separated text."""
        rows, columns = self._selected_rectangle()
        count = (rows.stop - rows.start) * (columns.stop - columns.start)
        if count > MOST_COPIED:
            self.refused.emit(
                InputError(
                    "{got} numbers are too many for the clipboard; select at most {wanted}.",
                    got=count,
                    wanted=MOST_COPIED,
                )
            )
        elif count:
            try:
                numbers = self._model.array[rows, columns]
            except AttnvizError as error:
                self.refused.emit(error)
                return
            QGuiApplication.clipboard().setText(format_table(numbers))

    def paste(self) -> None:
        """Ask for the clipboard's numbers from the current cell on; a single one fills what is selected."""
        try:
            table = np.array(parse_table(QGuiApplication.clipboard().text()), np.float64)
        except AttnvizError as error:
            self.refused.emit(error)
            return
        rows, columns = self._selected_rectangle()
        if table.shape == (1, 1):
            table = np.full((rows.stop - rows.start, columns.stop - columns.start), table[0, 0])
        if table.size:
            self.block_asked.emit(rows.start, columns.start, table)

    def clear_cells(self) -> None:
        """Ask for zeros in the selected rectangle."""
        rows, columns = self._selected_rectangle()
        zeros: NDArray[np.float64] = np.zeros((rows.stop - rows.start, columns.stop - columns.start))
        if zeros.size:
            self.block_asked.emit(rows.start, columns.start, zeros)

    def set_named(self, is_named: bool) -> None:
        """Say whether dimensions can have names."""
        if is_named != self._is_named:
            self._is_named = is_named
            self._close_field()

    def rename_dimension(self, dim: int) -> None:
        """Let the name of a dimension be written over its heading, where it can have one."""
        if not self._is_named:
            return
        self._close_field()
        field = InlineField(self._model.names[dim], self._columns.viewport())
        field.setObjectName(f"{self.objectName()}/name")
        field.setAccessibleName(self.tr("Name of the dimension"))
        field.setFont(small_font())
        field.finished.connect(self._take_name)
        field.dropped.connect(self._close_field)
        self._field, self._named = field, dim
        self.scrollTo(self._model.index(max(0, self.currentIndex().row()), dim))
        self._place_field()
        field.begin()

    def _take_name(self, name: str) -> None:
        dim = self._named
        self._close_field()
        if dim < len(self._model.names) and name != self._model.names[dim]:
            self.dimension_renamed.emit(dim, name)

    def _close_field(self) -> None:
        field, self._field = self._field, None
        if field is not None:
            field.put_away(self)

    def _place_field(self) -> None:
        if self._field is not None:
            x = self._columns.sectionViewportPosition(self._named)
            self._field.setGeometry(x, 0, self._columns.sectionSize(self._named), self._columns.height())

    def _update_row(self, row: int) -> None:
        top, height = self.rowViewportPosition(row), self.rowHeight(row)
        for part in (self.viewport(), self._rows.viewport()):
            part.update(0, top, part.width(), height)

    def _update_column(self, column: int) -> None:
        left, width = self.columnViewportPosition(column), self.columnWidth(column)
        for part in (self.viewport(), self._columns.viewport()):
            part.update(left, 0, width, part.height())

    def _tell_cell(self, current: QModelIndex, previous: QModelIndex) -> None:
        if not self._is_showing and current.isValid():
            self.cell_entered.emit(current.row(), current.column())

    def _paint_title(self) -> None:
        painter, font = QPainter(self._title), text_font(bold=True)
        painter.fillRect(self._title.rect(), self._theme.ground)
        painter.setPen(self._theme.text)
        draw_symbol(painter, 2 * SPACE, self._title.height() / 2 + 5, font, self._model.sheet.symbol)
        painter.setPen(QPen(self._theme.grid, 1))
        painter.drawLine(self._title.rect().bottomLeft(), self._title.rect().bottomRight())
        painter.end()

    def _selected_rectangle(self) -> tuple[slice, slice]:
        selection: QItemSelection = self.selectionModel().selection()
        current = self.currentIndex()
        if not selection.isEmpty():
            area = selection.first()
            return slice(area.top(), area.bottom() + 1), slice(area.left(), area.right() + 1)
        if current.isValid():
            return slice(current.row(), current.row() + 1), slice(current.column(), current.column() + 1)
        return slice(0, 0), slice(0, 0)

    def _measure(self) -> None:
        """Make columns as wide as numbers and names want, and the rows' heading as wide as tokens want."""
        sheet = self._model.sheet
        measured = (sheet.rows, sheet.columns)
        if measured == self._measured:
            return
        self._measured = measured
        metrics = QFontMetrics(small_font())
        self._wanted = max(metrics.horizontalAdvance(visible(name)) for name in measured[1])
        self._wanted = max(_USUAL_COLUMN, self._wanted + 18)
        last = len(measured[0]) - 1
        names = (sheet.row_name(last, name) for name in candidates_for_widest(measured[0]))
        rows = max(map(metrics.horizontalAdvance, names)) + 24
        self._rows.setFixedWidth(min(_MOST_HEADING, max(_LEAST_HEADING, rows)))
        self.updateGeometries()
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Give the columns what their names want, less where all of them would then no longer be in view."""
        room = self.viewport().width() // max(1, self._model.columnCount())
        wanted = min(self._wanted, max(_LEAST_COLUMN, room), _MOST_COLUMN)
        self._columns.setDefaultSectionSize(max(_LEAST_COLUMN, wanted))

    def _own_key(self, event: QKeyEvent) -> bool:
        keys = QKeySequence.StandardKey
        return (
            event.matches(keys.Copy)
            or event.matches(keys.Paste)
            or (event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and not event.modifiers())
        )

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self._own_key(event)
        ):
            event.accept()
            return True
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and watched is self._title:
            self._paint_title()
            return True
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = QKeySequence.StandardKey
        if event.matches(keys.Copy):
            self.copy()
        elif event.matches(keys.Paste):
            self.paste()
        elif self._own_key(event):
            self.clear_cells()
        elif event.key() == Qt.Key.Key_F2 and event.modifiers() == Qt.KeyboardModifier.ShiftModifier:
            self.rename_dimension(max(0, self.currentIndex().column()))
        else:
            super().keyPressEvent(event)
