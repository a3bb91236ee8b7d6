"""The layer's output for all tokens, concat · W_O + b_O, or the residual sum x + output."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from attnviz.core.layer_output import residual
from attnviz.core.numbers import format_fixed
from attnviz.core.selection import Selection
from attnviz.core.stages import Stages
from attnviz.gui.concat_names import first_lines, output_names
from attnviz.gui.fonts import load_fonts, number_font, text_font
from attnviz.gui.labels import Labels
from attnviz.gui.number_texts import own_digits
from attnviz.gui.plain_text import tooltip, visible
from attnviz.gui.theme import LIGHT, SPACE, Theme
from attnviz.gui.tints import limit_of, tint
from attnviz.gui.views.heading import Heading
from attnviz.gui.views.plain_table import ROW, Index, Look, PlainTable, RowTexts, cell_data
from attnviz.gui.views.token_names import row_names

_MOST_NAME = 120.0
_MOST_DIMENSION = 64.0


class LayerOutputModel(QAbstractTableModel):
    """Rows are tokens, columns dimensions of the output; cells are empty while it is not computed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = LIGHT
        self.values: NDArray[np.float32] | None = None
        self._tokens: tuple[str, ...] = ()
        self._names: tuple[str, ...] = ()
        self._firsts: frozenset[int] = frozenset()
        self._query = 0
        self._limit = 0.0

    def take(self, stages: Stages, query: int, values: NDArray[np.float32] | None) -> None:
        """Show another moment."""
        inputs = stages.request.inputs
        names = output_names(inputs)
        is_other = (len(inputs.tokens), len(names)) != (len(self._tokens), len(self._names))
        if is_other:
            self.beginResetModel()
        has_other_names = self._names != names
        has_other_rows = (self._tokens, self._query) != (inputs.tokens, query)
        self._tokens, self._names, self._query = inputs.tokens, names, query
        self._firsts = first_lines(inputs) if inputs.w_o is None else frozenset()
        self.values, self._limit = values, 0.0 if values is None else limit_of(values)
        if is_other:
            self.endResetModel()
            return
        last = self.index(len(self._tokens) - 1, len(names) - 1)
        self.dataChanged.emit(self.index(0, 0), last)
        if has_other_rows:
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, last.row())
        if has_other_names:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last.column())

    def look(self, row: int, column: int) -> Look:
        """Give how a cell is painted."""
        is_selected, is_first = row == self._query, column in self._firsts
        if self.values is None:
            return Look("", is_selected=is_selected, is_first=is_first)
        value = float(self.values[row, column])
        colours = tint(value, self._limit, self.theme)
        return Look(format_fixed(value, 2), is_selected=is_selected, tint=colours, is_first=is_first)

    def heading(self, section: int, orientation: Qt.Orientation) -> Look:
        """Give how a header's section is painted: a token, or a dimension."""
        if orientation == Qt.Orientation.Vertical:
            is_selected = section == self._query
            return Look(row_names(self._tokens)[section], is_bold=is_selected, is_selected=is_selected)
        return Look(visible(self._names[section]).rpartition(" · ")[2])

    def texts(self) -> RowTexts:
        """Give what writes a row of this moment."""
        values, names, empty = self.values, row_names(self._tokens), [""] * len(self._names)

        def texts(row: int) -> tuple[str, list[str]]:
            cells = empty if values is None else [format_fixed(value, 2) for value in values[row].tolist()]
            return names[row], cells

        return texts

    # Qt's overrides

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self._tokens)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self._names)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.ToolTipRole and self.values is not None:
            place = f"{visible(self._tokens[row])}, {visible(self._names[column])}"
            return tooltip(f"{place}: {own_digits(float(self.values[row, column]))}")
        return cell_data(self.look(row, column), role, self.theme)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        names = self._names if orientation == Qt.Orientation.Horizontal else self._tokens
        if not 0 <= section < len(names):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.heading(section, orientation).text
        return tooltip(names[section]) if role == Qt.ItemDataRole.ToolTipRole else None


class LayerOutput(QWidget):
    """The output, and with a tick the residual sum.

    Signals
    -------
    query_chosen(query)
        A token's row was clicked.
    """

    query_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        load_fonts()
        super().__init__(parent)
        self.setObjectName("layer_output")
        self._labels = Labels(text_font(bold=True))
        self._stages: Stages | None = None
        self._selection = Selection()
        self._fitted: tuple[object, ...] = ()
        self._heading = Heading()
        self.adds_x = QCheckBox("+ x")
        self.adds_x.setObjectName("residual")
        self.adds_x.toggled.connect(lambda is_on: self._show())
        self.model = LayerOutputModel(self)
        self.table = PlainTable()
        self.table.setObjectName("layer_output/table")
        self.table.setModel(self.model)
        self.table.across.setSectionsClickable(False)
        self.table.across.lines = 2  # as high as the heads' beside it, so that rows stand in line
        self.table.down.setSectionsClickable(True)
        self.table.down.sectionClicked.connect(self.query_chosen)
        self.table.clicked.connect(lambda index: self.query_chosen.emit(index.row()))
        top = QHBoxLayout()
        top.setSpacing(SPACE)
        top.addWidget(self._heading, 1)
        top.addWidget(self.adds_x)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(self.table)
        self.set_theme(LIGHT)
        self.retranslate()

    def draw(self, stages: Stages, selection: Selection) -> None:
        """Show the output that the stages hold; the cells are empty where it is not computed yet."""
        moved = selection.query != self._selection.query
        self._stages, self._selection = stages, selection
        self._show()
        if moved:
            self.table.reveal_row(selection.query)
        fitted = (stages.request.inputs.tokens, output_names(stages.request.inputs))
        if fitted != self._fitted:
            self._fitted = fitted
            self._fit(*fitted)

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self.model.theme = theme
        self.table.set_theme(theme)

    def shown_text(self, token: int, dim: int) -> str:
        """Give one number as it is written."""
        return self.model.look(token, dim).text

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self.table.setAccessibleName(self.tr("Output of the layer"))
        self.adds_x.setAccessibleName(self.tr("Add x: the residual sum, x + output"))
        if self._stages is not None:
            self._show()

    def _show(self) -> None:
        stages = self._stages
        if stages is None:
            return
        inputs, values = stages.request.inputs, stages.output
        fits = inputs.x is not None and inputs.x.shape == (inputs.n_tokens, inputs.d_output)
        self.adds_x.setEnabled(fits)
        adds = fits and self.adds_x.isChecked()
        if adds and values is not None:
            values = residual(values, inputs)
        self.model.take(stages, self._selection.query, values)
        name = self.tr("x + output") if adds else self.tr("output")
        self._heading.set_text(f"{name}  {inputs.n_tokens} × {inputs.d_output}")
        self.adds_x.setToolTip(self._why(stages))

    def _why(self, stages: Stages) -> str:
        """Say what the tick does, or why it cannot be made."""
        inputs = stages.request.inputs
        if inputs.x is None:
            return self.tr(
                "There is no x to add. In the tab “Vectors q k v” choose x · W to derive a head from x."
            )
        if inputs.x.shape[1] != inputs.d_output:
            return self.tr(
                "x has {x} dimensions and the output {output}; only the same number can be added."
            ).format(x=inputs.x.shape[1], output=inputs.d_output)
        return self.adds_x.accessibleName()

    def _fit(self, tokens: tuple[str, ...], names: tuple[str, ...]) -> None:
        """Give columns the width of their largest possible content."""
        number = Labels(number_font()).width("−0000.00")
        shown = {visible(name).rpartition(" · ")[2] for name in names}
        widest = max((self._labels.width(name) for name in shown), default=0.0)
        self.table.across.setDefaultSectionSize(int(max(number, min(widest, _MOST_DIMENSION))) + 2 * SPACE)
        tokens_width = max(map(self._labels.width, row_names(tokens).longest))
        self.table.down.setFixedWidth(int(min(tokens_width, _MOST_NAME)) + 5 * SPACE)

    # Qt's overrides

    def sizeHint(self) -> QSize:
        return QSize(320, 8 * ROW)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 3 * ROW)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._stages is not None:
            self.table.reveal_row(self._selection.query)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
