"""The q, k or v of one head as a table's model: nothing is copied, only what is in view is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import Head, Inputs
from attnviz.core.numbers import parse_number
from attnviz.gui.number_field import fitting_text, number_text
from attnviz.gui.plain_text import tooltip, visible

DEFAULT_ROLE = Qt.ItemDataRole.UserRole + 1
"""True where the row's vectors are still the ones they came with."""
SELECTED_ROLE = Qt.ItemDataRole.UserRole + 2
"""True for the row of the selected query."""

_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable
_Index = QModelIndex | QPersistentModelIndex


class VectorModel(QAbstractTableModel):
    """Rows are tokens, columns dimensions. Setting a cell only asks; the document decides.

    Signals
    -------
    value_asked(int, int, float)
        A cell (token, dim) is to have a number.
    refused(AttnvizError)
        What was typed is no number.
    row_marked(int)
        A row has become, or is no longer, the selected query's.
    """

    value_asked = Signal(int, int, float)
    refused = Signal(object)
    row_marked = Signal(int)

    def __init__(self, which: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.which = which
        self._head: Head | None = None
        self._tokens: tuple[str, ...] = ()
        self._names: tuple[str, ...] = ()
        self._selected = -1
        self._default_note = ""

    @property
    def array(self) -> NDArray[np.float32]:
        """The numbers shown, float32 (tokens, dims)."""
        assert self._head is not None
        return getattr(self._head, self.which)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the dimensions."""
        return self._names

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of the rows."""
        return self._tokens

    @property
    def selected(self) -> int:
        """The row of the selected query."""
        return self._selected

    @property
    def is_default(self) -> NDArray[np.bool_]:
        """Which rows' vectors are still the ones they came with, (tokens,)."""
        assert self._head is not None
        return self._head.is_default

    def set_default_note(self, note: str) -> None:
        """Set the tooltip of rows whose vectors are still defaults."""
        self._default_note = note

    def show_head(self, inputs: Inputs, head: int, selected: int) -> None:
        """Show a head; tells views what changed, with as little as will do."""
        new = inputs.heads[head]
        array = getattr(new, self.which)
        old_shape = getattr(self._head, self.which).shape if self._head is not None else (0, 0)
        if array.shape != old_shape:
            self._resize(old_shape, array.shape, new, inputs, selected)
            return
        old_head, old_tokens, old_selected = self._head, self._tokens, self._selected
        self._take(new, inputs, selected)
        assert old_head is not None
        last_column = array.shape[1] - 1
        rows, columns = _changed(old_head, new, self.which)
        if rows.size:
            first, last = int(columns[0]), int(columns[-1])
            self.dataChanged.emit(self.index(int(rows[0]), first), self.index(int(rows[-1]), last))
        if selected != old_selected:
            for row in {old_selected, selected} & set(range(array.shape[0])):
                self.row_marked.emit(row)
        if inputs.tokens != old_tokens or not np.array_equal(new.is_default, old_head.is_default):
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, array.shape[0] - 1)
        if new.names_of(self.which) != old_head.names_of(self.which):
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last_column)

    def _resize(
        self, old: tuple[int, int], now: tuple[int, int], head: Head, inputs: Inputs, selected: int
    ) -> None:
        if old[0] == now[0] and old[1] and now[1]:
            parent = QModelIndex()
            grows = now[1] > old[1]
            if grows:
                self.beginInsertColumns(parent, old[1], now[1] - 1)
            else:
                self.beginRemoveColumns(parent, now[1], old[1] - 1)
            self._take(head, inputs, selected)
            if grows:
                self.endInsertColumns()
            else:
                self.endRemoveColumns()
            shared = min(old[1], now[1]) - 1
            self.dataChanged.emit(self.index(0, 0), self.index(now[0] - 1, shared))
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, now[1] - 1)
        else:
            self.beginResetModel()
            self._take(head, inputs, selected)
            self.endResetModel()

    def _take(self, head: Head, inputs: Inputs, selected: int) -> None:
        self._head, self._tokens, self._selected = head, inputs.tokens, selected
        self._names = head.names_of(self.which)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() or self._head is None else int(self.array.shape[0])

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() or self._head is None else int(self.array.shape[1])

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self._head is None or not index.isValid():
            return None
        row = index.row()
        if role == Qt.ItemDataRole.DisplayRole:
            return fitting_text(float(self.array[row, index.column()]))
        if role == Qt.ItemDataRole.EditRole:
            return number_text(float(self.array[row, index.column()]))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == DEFAULT_ROLE:
            return bool(self._head.is_default[row])
        if role == SELECTED_ROLE:
            return row == self._selected
        if role == Qt.ItemDataRole.ToolTipRole:
            exact = number_text(float(self.array[row, index.column()]))
            return f"{exact}\n{self._default_note}" if self._head.is_default[row] else exact
        if role == Qt.ItemDataRole.AccessibleTextRole:
            number = number_text(float(self.array[row, index.column()]))
            place = f"{visible(self._tokens[row])}, {visible(self._names[index.column()])}"
            return f"{self.which}, {place}: {number}"
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
        texts = self._names if orientation == Qt.Orientation.Horizontal else self._tokens
        if not 0 <= section < len(texts):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return visible(texts[section])
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(texts[section])
        if orientation == Qt.Orientation.Vertical and self._head is not None:
            if role == DEFAULT_ROLE:
                return bool(self._head.is_default[section])
            if role == SELECTED_ROLE:
                return section == self._selected
        return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        return _FLAGS


def _changed(old: Head, new: Head, which: str) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Give the rows and the columns that look different, (rows,) and (columns,), both empty where none do."""
    before, after = getattr(old, which), getattr(new, which)
    differs = np.zeros(after.shape, bool) if before is after else before != after
    if old.is_default is not new.is_default:
        differs |= (old.is_default != new.is_default)[:, None]
    return np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
