"""A table of numbers as a model: nothing is copied, only what is in view is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from attnviz.core.block_arrays import as_blocks, row_to_show
from attnviz.core.errors import AttnvizError
from attnviz.core.lineage import rows_between
from attnviz.core.numbers import parse_number
from attnviz.gui.editors.sheet import Sheet
from attnviz.gui.number_field import fitting_text, number_text
from attnviz.gui.plain_text import tooltip, visible

DEFAULT_ROLE = Qt.ItemDataRole.UserRole + 1
"""True where the row's vectors are still the ones they came with."""
SELECTED_ROLE = Qt.ItemDataRole.UserRole + 2
"""True for the row of the selected query, and for a column that is looked at."""

_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable
_Index = QModelIndex | QPersistentModelIndex
_EMPTY = Sheet("", np.zeros((0, 0), np.float32), (), (), np.zeros(0, bool))


class VectorModel(QAbstractTableModel):
    """Rows are tokens or dimensions of x, columns dimensions. Setting a cell only asks; the document decides.

    Signals
    -------
    value_asked(int, int, float)
        A cell (row, column) is to have a number.
    refused(AttnvizError)
        What was typed is no number.
    row_marked(int), column_marked(int)
        A line has become, or is no longer, the marked one.
    """

    value_asked = Signal(int, int, float)
    refused = Signal(object)
    row_marked = Signal(int)
    column_marked = Signal(int)

    def __init__(self, which: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.which = which
        self._sheet = _EMPTY
        self._default_note = ""

    @property
    def sheet(self) -> Sheet:
        """What is shown."""
        return self._sheet

    @property
    def array(self) -> NDArray[np.float32]:
        """The numbers shown, float32 (rows, columns)."""
        return self._sheet.array

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self._sheet.columns

    def number(self, row: int, column: int) -> float:
        """Give a number; NaN where it lies elsewhere and cannot be read any more."""
        array = self._sheet.array
        if as_blocks(array) is None:
            return float(array[row, column])
        return float(row_to_show(array, row)[column])

    def is_default(self, row: int) -> bool:
        """Say whether a row's vectors are still the ones they came with."""
        return bool(self._sheet.is_default.size) and bool(self._sheet.is_default[row])

    def set_default_note(self, note: str) -> None:
        """Set the tooltip of rows whose vectors are still defaults."""
        self._default_note = note

    def show_sheet(self, sheet: Sheet) -> None:
        """Show other numbers; tells views what changed, with as little as will do."""
        old = self._sheet
        if sheet.array.shape != old.array.shape:
            self._resize(sheet)
            return
        self._sheet = sheet
        rows, columns = _changed(old, sheet)
        if rows.size:
            first, last = int(columns[0]), int(columns[-1])
            self.dataChanged.emit(self.index(int(rows[0]), first), self.index(int(rows[-1]), last))
        n_rows, n_columns = sheet.array.shape
        if sheet.row != old.row:
            for row in {old.row, sheet.row}:
                if 0 <= row < n_rows:
                    self.row_marked.emit(row)
        if sheet.column != old.column:
            for column in {old.column, sheet.column}:
                if 0 <= column < n_columns:
                    self.column_marked.emit(column)
        has_other_rows = sheet.rows is not old.rows and sheet.rows != old.rows
        has_other_marks = sheet.is_default is not old.is_default and not np.array_equal(
            sheet.is_default, old.is_default
        )
        if has_other_rows or has_other_marks:
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, n_rows - 1)
        if sheet.columns != old.columns:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, n_columns - 1)

    def _resize(self, sheet: Sheet) -> None:
        (rows, columns), (n_rows, n_columns) = self._sheet.array.shape, sheet.array.shape
        if rows == n_rows and columns and n_columns:
            parent = QModelIndex()
            grows = n_columns > columns
            if grows:
                self.beginInsertColumns(parent, columns, n_columns - 1)
            else:
                self.beginRemoveColumns(parent, n_columns, columns - 1)
            self._sheet = sheet
            if grows:
                self.endInsertColumns()
            else:
                self.endRemoveColumns()
            shared = min(columns, n_columns) - 1
            self.dataChanged.emit(self.index(0, 0), self.index(n_rows - 1, shared))
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, n_columns - 1)
        else:
            self.beginResetModel()
            self._sheet = sheet
            self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else int(self.array.shape[0])

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else int(self.array.shape[1])

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, sheet = index.row(), self._sheet
        if role == Qt.ItemDataRole.DisplayRole:
            return fitting_text(self.number(row, index.column()))
        if role == Qt.ItemDataRole.EditRole:
            return number_text(self.number(row, index.column()))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == DEFAULT_ROLE:
            return self.is_default(row)
        if role == SELECTED_ROLE:
            return row == sheet.row
        if role == Qt.ItemDataRole.ToolTipRole:
            exact = number_text(self.number(row, index.column()))
            return f"{exact}\n{self._default_note}" if self.is_default(row) else exact
        if role == Qt.ItemDataRole.AccessibleTextRole:
            number = number_text(self.number(row, index.column()))
            place = f"{visible(sheet.rows[row])}, {visible(sheet.columns[index.column()])}"
            return f"{sheet.symbol}, {place}: {number}"
        return None

    def setData(self, index: _Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        text = str(value)
        if text == self.data(index, Qt.ItemDataRole.EditRole):
            return False
        try:
            number = parse_number(text)
        except AttnvizError as error:
            self.refused.emit(error)
            return False
        self.value_asked.emit(index.row(), index.column(), number)
        return True

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        is_across, sheet = orientation == Qt.Orientation.Horizontal, self._sheet
        texts = sheet.columns if is_across else sheet.rows
        if not 0 <= section < len(texts):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            name = visible(texts[section])
            return name if is_across else sheet.row_name(section, name)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(texts[section])
        if role == SELECTED_ROLE:
            return section == (sheet.column if is_across else sheet.row)
        if role == DEFAULT_ROLE:
            return not is_across and self.is_default(section)
        return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        return _FLAGS


def _changed(old: Sheet, new: Sheet) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Give the rows and the columns that look different, (rows,) and (columns,), both empty where none do."""
    before, after = old.array, new.array
    if before is after and old.is_default is new.is_default:
        return np.empty(0, np.intp), np.empty(0, np.intp)
    if as_blocks(before) is not None or as_blocks(after) is not None:  # they are not read to be compared
        own = rows_between(before, after) if old.is_default is new.is_default else None
        return np.arange(len(after)) if own is None else own, np.arange(after.shape[1])
    if old.is_default is new.is_default and (own := rows_between(before, after)) is not None:
        differs = before[own] != after[own]  # what an edit has seen need not be looked for
        return own[differs.any(axis=1)], np.flatnonzero(differs.any(axis=0))
    differs = np.zeros(after.shape, bool) if before is after else before != after
    if old.is_default is not new.is_default:
        marks = [
            sheet.is_default if sheet.is_default.size else np.zeros(len(after), bool) for sheet in (old, new)
        ]
        differs |= (marks[0] != marks[1])[:, None]
    return np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
