"""The list of key tokens from which those are chosen that nobody may attend to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QFrame, QListView, QVBoxLayout, QWidget

from attnviz.gui.fonts import text_font
from attnviz.gui.plain_text import visible
from attnviz.gui.theme import SPACE

_ROWS = 10
_WIDTH = 168  # px
_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable
_Index = QModelIndex | QPersistentModelIndex


class PaddingModel(QAbstractListModel):
    """The tokens, a tick at those that are hidden; a text is made when its row is in view.

    Signals
    -------
    toggled(token, hidden)
        A person wants a token hidden, or seen again; the document decides.
    """

    toggled = Signal(int, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tokens: tuple[str, ...] = ()
        self._hidden: NDArray[np.bool_] = np.zeros(0, bool)

    def take(self, tokens: tuple[str, ...], hidden: tuple[int, ...]) -> None:
        """Show which tokens are hidden."""
        ticks = np.zeros(len(tokens), bool)
        ticks[list(hidden)] = True
        if tokens is not self._tokens and tokens != self._tokens:
            self.beginResetModel()
            self._tokens, self._hidden = tokens, ticks
            self.endResetModel()
            return
        rows = np.flatnonzero(ticks != self._hidden)
        self._tokens, self._hidden = tokens, ticks
        if rows.size:
            self.dataChanged.emit(self.index(int(rows[0])), self.index(int(rows[-1])))

    # Qt's overrides

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self._tokens)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = index.row()
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{row}  {visible(self._tokens[row])}"
        if role == Qt.ItemDataRole.CheckStateRole:
            return Qt.CheckState.Checked if self._hidden[row] else Qt.CheckState.Unchecked
        return None

    def setData(self, index: _Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        self.toggled.emit(index.row(), Qt.CheckState(value) == Qt.CheckState.Checked)
        return True

    def flags(self, index: _Index) -> Qt.ItemFlag:
        return _FLAGS


class PaddingList(QFrame):
    """Pops up below a button; a tick is a hidden token. Space or a click changes one, Esc closes.

    Signals
    -------
    toggled(token, hidden)
        A person wants a token hidden, or seen again.
    """

    toggled = Signal(int, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("mask/padding")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._model = PaddingModel(self)
        self._model.toggled.connect(self.toggled)
        self._list = QListView(self)
        self._list.setObjectName("mask/padding/tokens")
        self._list.setModel(self._model)
        self._list.setFont(text_font())
        self._list.setFrameShape(QFrame.Shape.NoFrame)
        self._list.setUniformItemSizes(True)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE, SPACE, SPACE, SPACE)
        column.addWidget(self._list)

    def say(self, name: str) -> None:
        """Take a name for assistive tools."""
        self._list.setAccessibleName(name)

    def show_tokens(self, tokens: tuple[str, ...], hidden: tuple[int, ...]) -> None:
        """Show which tokens are hidden; says nothing."""
        self._model.take(tokens, hidden)

    def pop_up(self, below: QWidget) -> None:
        """Open below a control, or above it where the screen ends."""
        rows = min(_ROWS, self._model.rowCount())
        height = max(1, rows) * max(self._list.sizeHintForRow(0), 1) + 2 * SPACE + 4
        self.resize(_WIDTH, height)
        screen = below.screen().availableGeometry()
        place = below.mapToGlobal(below.rect().bottomLeft())
        if place.y() + height > screen.bottom():
            place = below.mapToGlobal(below.rect().topLeft())
            place.setY(max(screen.top(), place.y() - height))
        place.setX(max(screen.left(), min(place.x(), screen.right() - _WIDTH)))
        self.move(place)
        if not self._list.currentIndex().isValid():
            self._list.setCurrentIndex(self._model.index(0))
        self.show()
        self._list.setFocus(Qt.FocusReason.PopupFocusReason)
