"""How a cell of a table of numbers is drawn, and the field that lies over it while a number is typed."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from attnviz.gui.editors.vector_model import VectorModel
from attnviz.gui.number_field import fitting_text
from attnviz.gui.text_field import TextField
from attnviz.gui.theme import LIGHT, Theme

_Index = QModelIndex | QPersistentModelIndex
# Made once: combining flags costs as much as drawing a number, and there are hundreds of cells in view.
_PLACE = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
_SELECTED, _FOCUSED = QStyle.StateFlag.State_Selected, QStyle.StateFlag.State_HasFocus


class VectorCells(QStyledItemDelegate):
    """Draws numbers; while one is being typed, a refresh leaves what is typed alone."""

    def __init__(self, model: VectorModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model  # asked in Python: through an index every answer costs a way through Qt and back
        self._theme = LIGHT
        self.pointed: frozenset[tuple[int, int]] = frozenset()
        """Cells (row, column) that something elsewhere points at."""

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._theme = theme

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: _Index) -> QWidget:
        field = TextField(parent)
        field.leaving_commits = False  # the table commits when the field is left
        field.setObjectName("vectors/number")
        field.setFont(option.font)
        field.setAlignment(Qt.AlignmentFlag.AlignRight)
        field.setAccessibleName(index.data(Qt.ItemDataRole.AccessibleTextRole) or "")
        return field

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: _Index) -> None:
        editor.setGeometry(option.rect)

    def setEditorData(self, editor: QWidget, index: _Index) -> None:
        if isinstance(editor, TextField):
            editor.set_shown(index.data(Qt.ItemDataRole.EditRole))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:
        if isinstance(editor, TextField) and editor.is_edited:
            model.setData(index, editor.text())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        theme, model = self._theme, self._model
        row, column = index.row(), index.column()
        sheet, rect = model.sheet, option.rect
        is_crossing = row == sheet.row and column == sheet.column
        is_marked = (
            is_crossing
            if sheet.row >= 0 and sheet.column >= 0
            else sheet.row == row or sheet.column == column
        )
        if is_marked:
            painter.fillRect(rect, theme.accent_soft)
        if option.state & _SELECTED:
            painter.setOpacity(0.5 if is_marked else 1.0)
            painter.fillRect(rect, theme.raised)
            painter.setOpacity(1.0)
        if (row, column) in self.pointed:
            painter.setPen(QPen(theme.accent, 1))
            painter.drawRect(rect.adjusted(1, 1, -2, -2))
        if option.state & _FOCUSED:
            painter.setPen(QPen(theme.muted, 1))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))
        painter.setPen(theme.muted if model.is_default(row) else theme.text)
        painter.drawText(
            rect.adjusted(2, 0, -6, 0),
            _PLACE,
            fitting_text(model.number(row, column)),
        )
