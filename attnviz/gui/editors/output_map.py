"""W_O and b_O, from all heads' outputs to the layer's: a table that is the identity until it is edited."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QStyle,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from attnviz.core import output_edits
from attnviz.core.arrays import MAX_DIMENSIONS
from attnviz.core.edits import Edit
from attnviz.core.inputs import Inputs
from attnviz.core.selection import Selection
from attnviz.gui.concat_names import concat_names, first_lines, identity, output_names
from attnviz.gui.editors.editor import Editor
from attnviz.gui.editors.sheet import Sheet
from attnviz.gui.editors.slim_scroll_bar import THICKNESS
from attnviz.gui.editors.vector_cells import VectorCells
from attnviz.gui.editors.vector_grid import VectorGrid
from attnviz.gui.editors.vector_header import ROW_HEIGHT
from attnviz.gui.editors.vector_model import VectorModel
from attnviz.gui.fonts import number_font, text_font
from attnviz.gui.number_field import NumberField, fitting_text
from attnviz.gui.splitter import Line
from attnviz.gui.theme import SPACE, Theme
from attnviz.gui.tints import limit_of, tint

_TOP = 24
_NONE: NDArray[np.bool_] = np.zeros(0, bool)
_PLACE = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
_OFF, _ON = Qt.ScrollBarPolicy.ScrollBarAlwaysOff, Qt.ScrollBarPolicy.ScrollBarAlwaysOn


class TintedCells(VectorCells):
    """Cells whose ground is their number's colour."""

    limit = 0.0
    """The magnitude at the ends of the map."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        rect, model = option.rect, self._model
        value = float(model.array[index.row(), index.column()])
        ground, ink = tint(value, self.limit, self._theme)
        painter.fillRect(rect, ground)
        inner = rect.adjusted(0, 0, -1, -1)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(QPen(self._theme.muted, 1))
            painter.drawRect(inner)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(ink, 2))
            painter.drawRect(inner.adjusted(1, 1, -1, -1))
        painter.setPen(ink)
        painter.drawText(rect.adjusted(2, 0, -6, 0), _PLACE, fitting_text(value))


class MapGrid(VectorGrid):
    """A table of numbers as colours too, with a line above the first row of every head."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent, is_named=False)
        self._model: VectorModel
        self._tinted = TintedCells(self._model, self)
        self._cells = self._tinted
        self.setItemDelegate(self._cells)
        self._firsts: frozenset[int] = frozenset()

    def show_map(self, sheet: Sheet, firsts: frozenset[int] = frozenset()) -> None:
        """Show other numbers, and the rows above which a line is drawn."""
        is_identity = sheet.array.strides[0] < 0
        limit = 1.0 if is_identity else limit_of(sheet.array)
        if (limit, firsts) != (self._tinted.limit, self._firsts):
            self._tinted.limit, self._firsts = limit, firsts
            self.viewport().update()
        self.show_sheet(sheet)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._firsts:
            return
        painter = QPainter(self.viewport())
        first, last = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        for row in range(max(first, 0), (last if last >= 0 else self._model.rowCount() - 1) + 1):
            if row in self._firsts:
                top = self.rowViewportPosition(row)
                painter.fillRect(0, top, self.viewport().width(), 1, self._theme.muted)
        painter.end()


class OutputMap(Editor):
    """Editor of W_O and b_O."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("output_map")
        self.w_o, self.b_o = MapGrid("output_map/w_o", self), MapGrid("output_map/b_o", self)
        self._title = QLabel(self)
        self._title.setFont(text_font(bold=True))
        self._title.setObjectName("output_map/title")
        self._title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._title.setMinimumWidth(0)
        self._columns = NumberField(
            self, minimum=1, maximum=MAX_DIMENSIONS, step=1, whole=True, widest="0000"
        )
        self._columns.setObjectName("d_output")
        self._columns.setFont(number_font())
        self._columns.value_entered.connect(self._resize)
        self._columns.refused.connect(self.refused)
        self._reset = QToolButton(self)
        self._reset.setObjectName("output_map/identity")
        self._reset.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._reset.clicked.connect(self._make_identity)
        self._bias = QCheckBox("b_O", self)
        self._bias.setObjectName("output_map/bias")
        self._bias.clicked.connect(self._set_bias)
        self._rule = Line(self)
        self.w_o.block_asked.connect(self._set_block)
        self.b_o.block_asked.connect(self._set_bias_block)
        for grid in (self.w_o, self.b_o):
            grid.refused.connect(self.refused)
            grid.setVerticalScrollBarPolicy(_ON)
            grid.setMinimumWidth(120)
        self.b_o.horizontalHeader().hide()
        self.b_o.name_rows_by_symbols()
        self.b_o.setFixedHeight(ROW_HEIGHT + THICKNESS)
        self.b_o.setHorizontalScrollBarPolicy(_ON)
        bars = [grid.horizontalScrollBar() for grid in (self.w_o, self.b_o)]
        bars[0].valueChanged.connect(bars[1].setValue)
        bars[1].valueChanged.connect(bars[0].setValue)
        top = QHBoxLayout()
        top.setSpacing(SPACE)
        top.addWidget(self._title)
        top.addWidget(self._columns)
        top.addStretch(1)
        top.addWidget(self._reset)
        top.addWidget(self._bias)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.w_o, 1)
        column.addWidget(self._rule)
        column.addWidget(self.b_o)
        self._title.setFixedHeight(_TOP)
        for control in (self._columns, self._reset, self._bias):
            control.setMaximumHeight(_TOP)
        self.retranslate()

    def refresh(self, inputs: Inputs, selection: Selection) -> None:
        super().refresh(inputs, selection)
        columns = output_names(inputs)
        columns = tuple(name.rpartition(" · ")[2] for name in columns)
        array = identity(inputs.d_concat) if inputs.w_o is None else inputs.w_o
        sheet = Sheet("W_O", array, concat_names(inputs), columns, _NONE)
        self.w_o.show_map(sheet, first_lines(inputs))
        has_bias = inputs.b_o is not None
        if inputs.b_o is not None:
            self.b_o.show_map(Sheet("b_O", inputs.b_o[None], ("b_O",), columns, _NONE))
            self.b_o.set_heading_width(self.w_o.heading_width())
        self.b_o.setVisible(has_bias)
        self._rule.setVisible(has_bias)
        self.w_o.setHorizontalScrollBarPolicy(_OFF if has_bias else Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._bias.setChecked(has_bias)
        self._reset.setEnabled(inputs.w_o is not None)
        self._columns.set_value(inputs.d_output)
        self._say_what_it_is()

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.w_o.set_theme(theme)
        self.b_o.set_theme(theme)

    def retranslate(self) -> None:
        """Say all texts in the language that is now installed."""
        self.w_o.setAccessibleName(self.tr("W_O, from the heads' outputs to the layer's"))
        self.b_o.setAccessibleName(self.tr("b_O, added to every row of concat · W_O"))
        self._reset.setText(self.tr("Identity"))
        self._reset.setAccessibleName(self.tr("Make W_O the identity again: the output is concat"))
        self._reset.setToolTip(self._reset.accessibleName())
        self._columns.setAccessibleName(
            self.tr(
                "Dimensions of the output: columns of W_O. New ones are zeros; the identity becomes numbers."
            )
        )
        self._bias.setAccessibleName(self.tr("b_O, added to every row of concat · W_O"))
        self._bias.setToolTip(self._bias.accessibleName())
        self._say_what_it_is()

    def _say_what_it_is(self) -> None:
        inputs = self._inputs
        if inputs is None:
            return
        is_identity = inputs.w_o is None
        title = self.tr("W_O = identity") if is_identity else "W_O"
        self._title.setText(f"{title}  {inputs.d_concat} ×")
        self._title.setToolTip(
            self.tr("The output is concat itself. Type a number to make W_O a matrix of your own.")
            if is_identity
            else self.tr("Each head has the rows between two lines. Columns that are added are zeros.")
        )

    def _set_block(self, row: int, column: int, values: NDArray[np.float64]) -> None:
        self.edit_asked.emit(lambda inputs: output_edits.set_w_o_block(inputs, row, column, values), "")

    def _set_bias_block(self, row: int, column: int, values: NDArray[np.float64]) -> None:
        self.edit_asked.emit(lambda inputs: output_edits.set_b_o_block(inputs, column, values), "")

    def _resize(self, columns: float) -> None:
        run = self._columns.gesture
        self.edit_asked.emit(
            lambda inputs: output_edits.resize_output(inputs, round(columns)),
            f"d_output#{run}" if run else "",
        )

    def _make_identity(self) -> None:
        self._ask(_with_identity)

    def _set_bias(self, is_there: bool) -> None:
        def change(inputs: Inputs) -> Inputs:
            bias = np.zeros(inputs.d_output, np.float32) if is_there else None
            return output_edits.set_w_o(inputs, inputs.w_o, bias)

        self._ask(change)

    def _ask(self, edit: Edit) -> None:
        """Ask for what a click has marked; the document decides, and its answer is shown."""
        self.edit_asked.emit(edit, "")
        if self._inputs is not None:
            self.refresh(self._inputs, self._selection)


def _with_identity(inputs: Inputs) -> Inputs:
    """Make W_O the identity; a bias stays where it still fits."""
    bias = inputs.b_o if inputs.d_output == inputs.d_concat else None
    return output_edits.set_w_o(inputs, None, bias)
