"""The means of what sums up the rows, a line per head."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QSize, Qt, Signal
from PySide6.QtWidgets import QWidget

from attnviz.core.selection import Selection
from attnviz.core.stages import Stages
from attnviz.core.summaries import MEASURES, WINDOW, RowSummaries
from attnviz.gui.fonts import load_fonts, number_font, small_font, text_font
from attnviz.gui.labels import Labels
from attnviz.gui.plain_text import tooltip, visible
from attnviz.gui.theme import LIGHT, SPACE, Theme
from attnviz.gui.views.measure_words import measure_name, measure_sentence, value_text
from attnviz.gui.views.plain_table import ROW, Index, Look, PlainTable, cell_data

_MOST_NAME = 128.0


class SummaryModel(QAbstractTableModel):
    """A row per head, a column per measure; a head that is not computed yet has empty cells."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = LIGHT
        self.names: tuple[str, ...] = ()
        self.active = 0
        self.is_cross = False
        self.window = WINDOW
        self._summaries: dict[int, RowSummaries] = {}
        self._fresh: frozenset[int] = frozenset()

    def take(self, stages: Stages, selection: Selection) -> None:
        """Show another moment; a head it lacks keeps its numbers, and they step back."""
        inputs = stages.request.inputs
        names = tuple(visible(head.name) for head in inputs.heads)
        if len(names) != len(self.names):
            self.beginResetModel()
            self.names, self._summaries = names, {}
            self.endResetModel()
        self.names, self.active, self.is_cross = names, selection.head, inputs.is_cross
        self._fresh = frozenset(stages.summaries)
        self._summaries |= stages.summaries
        if stages.summaries:
            self.window = next(iter(stages.summaries.values())).window
        self.dataChanged.emit(self.index(0, 0), self.index(len(names) - 1, len(MEASURES) - 1))
        self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, len(names) - 1)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(MEASURES) - 1)

    def look(self, row: int, column: int) -> Look:
        """Give how a cell is painted."""
        told = self._summaries.get(row)
        text = "" if told is None else value_text(MEASURES[column], told.mean(MEASURES[column]))
        return Look(text, is_muted=row not in self._fresh, is_selected=row == self.active)

    def heading(self, section: int, orientation: Qt.Orientation) -> Look:
        """Give how a header's section is painted: a head, or a measure and its unit."""
        if orientation == Qt.Orientation.Vertical:
            is_active = section == self.active
            return Look(self.names[section], is_bold=is_active, is_selected=is_active)
        measure = MEASURES[section]
        unit = {"entropy": self.tr("bits"), "on_window": str(self.window)}.get(measure, "")
        return Look(f"{measure_name(measure, is_cross=self.is_cross)}\n{unit}")

    # Qt's overrides

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self.names)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(MEASURES)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        return cell_data(self.look(index.row(), index.column()), role, self.theme)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        is_across = orientation == Qt.Orientation.Horizontal
        if not 0 <= section < (len(MEASURES) if is_across else len(self.names)):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.heading(section, orientation).text.strip().replace("\n", " ")
        if role == Qt.ItemDataRole.ToolTipRole:
            if is_across:
                return tooltip(measure_sentence(MEASURES[section], self.window, is_cross=self.is_cross))
            return tooltip(self.names[section])
        return None


class SummaryTable(PlainTable):
    """The table; a click makes a head the active one.

    Signals
    -------
    head_chosen(head)
        Another head is to be looked at.
    """

    head_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        load_fonts()
        super().__init__(parent)
        self.setObjectName("head_summaries")
        self._name_labels = Labels(text_font(bold=True))
        self._fitted: tuple[str, ...] | None = None
        self.sums = SummaryModel(self)
        self.setModel(self.sums)
        self.across.lines = 2
        self.across.setSectionsClickable(False)
        self.down.setSectionsClickable(True)
        self.down.sectionClicked.connect(self.head_chosen)
        self.clicked.connect(lambda index: self.head_chosen.emit(index.row()))
        self.retranslate()

    def draw(self, stages: Stages, selection: Selection) -> None:
        """Show the means of a moment."""
        moved = selection.head != self.sums.active
        self.sums.take(stages, selection)
        if self._fitted != self.sums.names:
            self._fitted = self.sums.names
            self._fit()
        if moved:
            self.reveal_row(selection.head)

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self.sums.theme = theme
        super().set_theme(theme)

    def shown_text(self, head: int, measure: str) -> str:
        """Give a mean as it is written."""
        return self.sums.look(head, MEASURES.index(measure)).text

    def copied_text(self) -> str:
        """Give the means as tab-separated text, below a line of what they are."""
        across = range(len(MEASURES))
        heads = [str(self.sums.headerData(column, Qt.Orientation.Horizontal)) for column in across]
        return "\t".join(["", *heads]) + "\n" + super().copied_text()

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self.setAccessibleName(self.tr("Means of every head over its rows"))
        self._fit()

    def _fit(self) -> None:
        """Give columns the width of their largest content, and the names theirs."""
        small, number = Labels(small_font()), Labels(number_font())
        for column, measure in enumerate(MEASURES):
            names = (measure_name(measure, is_cross=is_cross) for is_cross in (False, True))
            widest = max(number.width("100.0%"), *(small.width(name) for name in names))
            self.setColumnWidth(column, int(widest) + 4 * SPACE)
        longest = max((self._name_labels.width(name) for name in set(self.sums.names)), default=0.0)
        self.down.setFixedWidth(int(min(longest, _MOST_NAME)) + 5 * SPACE)
        self.updateGeometry()

    # Qt's overrides

    def sizeHint(self) -> QSize:
        columns = sum(self.columnWidth(column) for column in range(len(MEASURES)))
        return QSize(self.down.width() + columns + 4 * SPACE, 8 * ROW)  # a scroll bar beside them

    def minimumSizeHint(self) -> QSize:
        return QSize(self.down.width() + 24 * SPACE, 3 * ROW)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
