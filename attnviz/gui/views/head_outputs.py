"""Every head's output, Σ weight × v, for all tokens: one virtual table, the heads side by side."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from attnviz.core.numbers import format_fixed
from attnviz.core.selection import Selection
from attnviz.core.stages import Stages
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


class HeadOutputsModel(QAbstractTableModel):
    """Rows are tokens; columns are the dimensions of the first head, then of the second, and so on."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.stages: Stages | None = None
        self.selection = Selection()
        self.theme = LIGHT
        self.places: list[tuple[int, int]] = []
        """(head, dim) of every column."""
        self._n_rows = 0
        self._names: object = None
        self._limit = 0.0

    def take(self, stages: Stages, selection: Selection) -> None:
        """Show another moment."""
        self.stages, self.selection = stages, selection
        inputs = stages.request.inputs
        self._limit = max((limit_of(output) for output in stages.head_outputs.values()), default=0.0)
        places = [(index, dim) for index, head in enumerate(inputs.heads) for dim in range(head.d_v)]
        if places != self.places or inputs.n_tokens != self._n_rows:
            self.beginResetModel()
            self.places, self._n_rows = places, inputs.n_tokens
            self.endResetModel()
            return
        self.dataChanged.emit(self.index(0, 0), self.index(self._n_rows - 1, len(places) - 1))
        names = [(head.name, head.names_of("v")) for head in inputs.heads], selection.head, inputs.tokens
        if names != self._names:
            self._names = names
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(places) - 1)
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, self._n_rows - 1)

    def look(self, row: int, column: int) -> Look:
        """Give how a cell is painted; it is empty while the head's output is not computed yet."""
        head, dim = self.places[column]
        output = None if self.stages is None else self.stages.head_outputs.get(head)
        is_selected, is_first = row == self.selection.query, dim == 0 and head > 0
        if output is None:
            return Look("", is_selected=is_selected, is_first=is_first)
        value = float(output[row, dim])
        colours = tint(value, self._limit, self.theme)
        return Look(format_fixed(value, 2), is_selected=is_selected, tint=colours, is_first=is_first)

    def heading(self, section: int, orientation: Qt.Orientation) -> Look:
        """Give how a header's section is painted: a token, or a dimension, the first below its head."""
        if self.stages is None:
            return Look("")
        inputs = self.stages.request.inputs
        if orientation == Qt.Orientation.Vertical:
            is_selected = section == self.selection.query
            return Look(row_names(inputs.tokens)[section], is_bold=is_selected, is_selected=is_selected)
        head, dim = self.places[section]
        name = visible(inputs.heads[head].name) if dim == 0 else ""
        dimension = visible(inputs.heads[head].names_of("v")[dim])
        return Look(f"{name}\n{dimension}", is_bold=head == self.selection.head)

    def texts(self) -> RowTexts | None:
        """Give what writes a row of this moment."""
        if self.stages is None:
            return None
        outputs, names = self.stages.head_outputs, row_names(self.stages.request.inputs.tokens)
        columns = [(outputs.get(head), dim) for head, dim in self.places]

        def texts(row: int) -> tuple[str, list[str]]:
            return names[row], [
                "" if output is None else format_fixed(float(output[row, dim]), 2) for output, dim in columns
            ]

        return texts

    def head_at(self, column: int) -> int:
        """Give the head a column belongs to."""
        return self.places[column][0]

    # Qt's overrides

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else self._n_rows

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self.places)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.ToolTipRole and self.stages is not None:
            head, dim = self.places[index.column()]
            output = self.stages.head_outputs.get(head)
            return None if output is None else own_digits(float(output[index.row(), dim]))
        return cell_data(self.look(index.row(), index.column()), role, self.theme)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if role == Qt.ItemDataRole.ToolTipRole and section < self._sections(orientation):
            return tooltip(self.heading(section, orientation).text.strip())
        if role == Qt.ItemDataRole.DisplayRole and section < self._sections(orientation):
            return self.heading(section, orientation).text
        return None

    def _sections(self, orientation: Qt.Orientation) -> int:
        return self.columnCount() if orientation == Qt.Orientation.Horizontal else self.rowCount()


class HeadOutputs(QWidget):
    """The outputs of all heads.

    Signals
    -------
    query_chosen(query), head_chosen(head)
        A token's row, or a head's column, was clicked.
    """

    query_chosen = Signal(int)
    head_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        load_fonts()
        super().__init__(parent)
        self.setObjectName("head_outputs")
        self._fitted: tuple[object, ...] = ()
        self._labels = Labels(text_font(bold=True))
        self.model = HeadOutputsModel(self)
        self.table = PlainTable()
        self.table.setObjectName("head_outputs/table")
        self.table.setModel(self.model)
        self.table.across.lines = 2
        self.table.across.setSectionsClickable(True)
        self.table.down.setSectionsClickable(True)
        self.table.down.sectionClicked.connect(self.query_chosen)
        self.table.across.sectionClicked.connect(
            lambda column: self.head_chosen.emit(self.model.head_at(column))
        )
        self.table.clicked.connect(lambda index: self.query_chosen.emit(index.row()))
        self._heading = Heading()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._heading)
        layout.addWidget(self.table)
        self.set_theme(LIGHT)
        self.retranslate()

    def draw(self, stages: Stages, selection: Selection) -> None:
        """Show the outputs that the stages hold; a head that is not computed yet has empty cells."""
        moved = selection.query != self.model.selection.query
        self.model.take(stages, selection)
        if moved:
            self.table.reveal_row(selection.query)
        inputs = stages.request.inputs
        self._heading.set_text(f"concat  {inputs.n_tokens} × {inputs.d_concat}")
        fitted = (inputs.tokens, tuple((head.name, head.names_of("v")) for head in inputs.heads))
        if fitted != self._fitted:
            self._fitted = fitted
            self._fit(inputs.tokens, [name for _, names in fitted[1] for name in names])

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self.model.theme = theme
        self.table.set_theme(theme)

    def shown_text(self, head: int, token: int, dim: int) -> str:
        """Give one number of a head's output as it is written."""
        return self.model.look(token, self.model.places.index((head, dim))).text

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self.setAccessibleName(self.tr("Output of every head"))
        self.table.setAccessibleName(self.tr("Output of every head"))

    def _fit(self, tokens: tuple[str, ...], names: list[str]) -> None:
        """Give columns the width of their largest possible content."""
        number = Labels(number_font()).width("−0000.00")
        widest = max((self._labels.width(visible(name)) for name in set(names)), default=0.0)
        self.table.across.setDefaultSectionSize(int(max(number, min(widest, _MOST_DIMENSION))) + 2 * SPACE)
        tokens_width = max(map(self._labels.width, row_names(tokens).longest))
        self.table.down.setFixedWidth(int(min(tokens_width, _MOST_NAME)) + 5 * SPACE)

    # Qt's overrides

    def sizeHint(self) -> QSize:
        return QSize(640, 8 * ROW)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.model.stages is not None:
            self.table.reveal_row(self.model.selection.query)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
