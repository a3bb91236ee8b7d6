"""The counts of a chain as a table: numbers, multiply-adds and bytes of every array."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, Qt
from PySide6.QtWidgets import QWidget

from attnviz.core.shape_chain import BYTES_PER_NUMBER, ChainArray, ShapeChain
from attnviz.gui.fonts import number_font, small_font, text_font
from attnviz.gui.labels import Labels
from attnviz.gui.theme import LIGHT, SPACE
from attnviz.gui.views.plain_table import ROW, Index, Look, PlainTable, cell_data
from attnviz.gui.views.shape_words import array_name, axes_text, counted, formula_text, shape_text

N_COLUMNS = 10
_BESIDE = 3 * SPACE + 1  # px that a cell leaves beside its text
_N_WORDS = 4  # columns of words before those of numbers


class ShapeCountsModel(QAbstractTableModel):
    """A row per array, then the sums, and what of these are parameters."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = LIGHT
        self._rows: list[list[str]] = []

    def take(self, chain: ShapeChain, scaling: str) -> None:
        """Show another chain."""
        self.beginResetModel()
        self._rows = [_row(array, scaling) for array in chain.arrays]
        sums = [
            sum(array.size_in_all for array in chain.arrays),
            chain.multiply_adds,
            chain.n_bytes,
        ]
        total = QCoreApplication.translate("ShapeView", "sum")
        parameters = QCoreApplication.translate("ShapeView", "parameters")
        self._rows.append(
            [total, "", "", "", "", counted(sums[0]), "", counted(sums[1]), "", counted(sums[2])]
        )
        learnt = chain.parameters
        self._rows.append(
            [parameters, "", "", "", "", counted(learnt), "", "", "", counted(BYTES_PER_NUMBER * learnt)]
        )
        self.endResetModel()

    def look(self, row: int, column: int) -> Look:
        """Give how a cell is painted."""
        is_sum = row >= len(self._rows) - 2
        return Look(
            self._rows[row][column],
            is_number=column >= _N_WORDS,
            is_bold=column == 0,
            is_muted=column in (2, 3),
            is_shaded=is_sum,
        )

    def heading(self, section: int, orientation: Qt.Orientation) -> Look:
        """Give how a header's section is painted."""
        if orientation == Qt.Orientation.Vertical:
            return Look("")
        head = QCoreApplication.translate("ShapeView", "this head")
        in_all = QCoreApplication.translate("ShapeView", "all heads")
        texts = (
            QCoreApplication.translate("ShapeView", "array"),
            QCoreApplication.translate("ShapeView", "rows × columns"),
            "",
            QCoreApplication.translate("ShapeView", "computed from"),
            QCoreApplication.translate("ShapeView", "numbers"),
            QCoreApplication.translate("ShapeView", "multiply-adds"),
            QCoreApplication.translate("ShapeView", "bytes (float32)"),
        )
        if section < _N_WORDS:
            return Look(f"\n{texts[section]}", is_number=False)
        group, part = divmod(section - _N_WORDS, 2)
        return Look(f"{texts[_N_WORDS + group]}\n{(head, in_all)[part]}")

    # Qt's overrides

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else N_COLUMNS

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        return (
            cell_data(self.look(index.row(), index.column()), role, self.theme) if index.isValid() else None
        )

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return self.heading(section, orientation).text.strip().replace("\n", " ")


class ShapeCounts(PlainTable):
    """The table, as high and wide as it is; what it stands in scrolls."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("shapes/counts")
        self.counts = ShapeCountsModel(self)
        self.setModel(self.counts)
        self.down.hide()
        self.across.lines = 2
        self.across.setSectionsClickable(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._measures = Labels(text_font()), Labels(text_font(bold=True)), Labels(number_font())
        self._small = Labels(small_font())

    def draw(self, chain: ShapeChain, scaling: str) -> None:
        """Show the counts of a chain."""
        row = self.currentIndex().row()
        self.counts.take(chain, scaling)
        self._fit()
        if 0 <= row < self.counts.rowCount():
            self.setCurrentIndex(self.counts.index(row, 0))
            self.clearSelection()

    def shown_text(self, array: str, column: int) -> str:
        """Give what a cell says in the row that begins with ``array``."""
        rows = range(self.counts.rowCount())
        row = next(row for row in rows if self.counts.look(row, 0).text == array)
        return self.counts.look(row, column).text

    def _fit(self) -> None:
        """Give every column the width of its content, and the table the size of all rows."""
        text, bold, number = self._measures
        across, total = Qt.Orientation.Horizontal, 0
        for column in range(N_COLUMNS):
            labels = bold if column == 0 else number if column >= _N_WORDS else text
            heads = self.counts.heading(column, across).text.split("\n")
            widths = [self._small.width(part) for part in heads]
            widths += [
                max(labels.width(look.text), bold.width(look.text) if look.is_bold else 0.0)
                for look in (self.counts.look(row, column) for row in range(self.counts.rowCount()))
            ]
            width = int(max(widths)) + _BESIDE
            self.setColumnWidth(column, width)
            total += width
        height = self.counts.rowCount() * ROW + self.across.sizeHint().height()
        self.setFixedSize(total, height)


def _row(array: ChainArray, scaling: str) -> list[str]:
    own = array.own
    per_head = own if own is not None and not array.is_of_layer else None
    cells = [
        array_name(array.name),
        "—" if own is None else shape_text(own),
        axes_text(array),
        formula_text(array, scaling),
    ]
    for mine, in_all in (
        (None if per_head is None else per_head.size, array.size_in_all),
        (None if per_head is None else per_head.multiply_adds, array.multiply_adds_in_all),
        (None if per_head is None else per_head.n_bytes, array.n_bytes_in_all),
    ):
        cells += ["" if not mine else counted(mine), counted(in_all) if in_all else ""]
    return cells
