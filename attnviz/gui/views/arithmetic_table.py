"""The arithmetic of one query: k, q·k, the scaled score and the weight of every key, and one row's terms."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QEvent, QModelIndex, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QWidget

from attnviz.core.block_arrays import row_to_show
from attnviz.core.numbers import format_fixed
from attnviz.core.selection import Selection
from attnviz.core.stages import Stages
from attnviz.gui.fonts import load_fonts, number_font, text_font
from attnviz.gui.labels import Labels
from attnviz.gui.number_texts import short_number
from attnviz.gui.theme import LIGHT, SPACE, Theme
from attnviz.gui.views.board_state import scale_title
from attnviz.gui.views.plain_table import Index, Look, PlainTable, RowTexts, cell_data
from attnviz.gui.views.term_lines import TermLines
from attnviz.gui.views.token_names import row_names

KEY, K, SCORE, SCALED, WEIGHT = range(5)
_LEAST_KEY, _MOST_KEY = 48, 120.0  # px
_MOST_SHOWN = 16  # numbers of a k; a longer one is elided, and whole in the terms


class ArithmeticModel(QAbstractTableModel):
    """One row per key; texts are made for the cells that are painted, and no others."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.stages: Stages | None = None
        self.selected = -1
        self.theme = LIGHT

    def take(self, stages: Stages, selected: int) -> None:
        """Show another moment."""
        before, self.stages = self.stages, stages
        moved, self.selected = selected != self.selected, selected
        if before is None or len(before.row.scores) != len(stages.row.scores):
            self.beginResetModel()
            self.endResetModel()
        elif moved or not _has_same_keys(before, stages):
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, WEIGHT))
        else:
            old, new = before.row, stages.row
            differs = (old.scores != new.scores) | (old.scaled != new.scaled) | (old.weights != new.weights)
            rows = np.flatnonzero(differs)
            if rows.size:
                self.dataChanged.emit(self.index(int(rows[0]), SCORE), self.index(int(rows[-1]), WEIGHT))
        if self._heads(before) != self._heads(stages):
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, KEY, WEIGHT)

    def look(self, row: int, column: int) -> Look:
        """Give how a cell is painted."""
        stages = self.stages
        if stages is None:
            return Look("")
        return Look(
            self._text(stages, row, column),
            is_number=column not in (KEY, K),
            is_bold=column == KEY and row == self.selected,
            is_muted=not stages.row.allowed[row],
            is_selected=row == self.selected,
        )

    def heading(self, section: int, orientation: Qt.Orientation) -> Look:
        """Give how a header's section is painted."""
        if orientation == Qt.Orientation.Vertical or self.stages is None:
            return Look("")
        return Look(self._heads(self.stages)[section], is_number=section not in (KEY, K))

    def texts(self) -> RowTexts | None:
        """Give what writes a row of this moment."""
        stages = self.stages
        if stages is None:
            return None
        return lambda row: ("", [self._text(stages, row, column) for column in range(5)])

    def headings(self) -> list[str]:
        """Give the words over all columns."""
        return self._heads(self.stages)

    @staticmethod
    def _text(stages: Stages, key: int, column: int) -> str:
        row = stages.row
        if column == KEY:
            return row_names(stages.request.inputs.key_labels)[key]
        if column == K:
            return vector_text(row_to_show(stages.request.inputs.heads[stages.request.region.head].k, key))
        if column == SCORE:
            return format_fixed(float(row.scores[key]), 2)
        if column == SCALED:
            return format_fixed(float(row.scaled[key]), 2)
        if not row.allowed[key] and row.weights[key] == 0:
            return "—"
        return format_fixed(float(row.weights[key]), 3)

    @staticmethod
    def _heads(stages: Stages | None) -> list[str]:
        if stages is None:
            return []
        head = stages.request.inputs.heads[stages.request.region.head]
        return [
            QCoreApplication.translate("ArithmeticTable", "key"),
            "k = v" if head.v_is_k else "k",
            "q·k",
            scale_title(stages),
            QCoreApplication.translate("ArithmeticTable", "weight"),
        ]

    # Qt's overrides

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() or self.stages is None else len(self.stages.row.scores)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else 5

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if self.stages is None or not index.isValid():
            return None
        return cell_data(self.look(index.row(), index.column()), role, self.theme)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        return self.heading(section, orientation).text if role == Qt.ItemDataRole.DisplayRole else None


class ArithmeticTable(QWidget):
    """The arithmetic of the selected query, with the selected key's terms beside it.

    Signals
    -------
    cell_chosen(query, key)
        A key's row was chosen.
    term_chosen(which, token, dim)
        A number in the terms was chosen: leads to the field of ``q`` or ``k`` where it is edited.
    """

    cell_chosen = Signal(int, int)
    term_chosen = Signal(str, int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        load_fonts()
        super().__init__(parent)
        self.setObjectName("arithmetic")
        self._stages: Stages | None = None
        self._is_drawing = False
        self._tokens: tuple[str, ...] | None = None
        self._widest = 0.0  # of the tokens, in px
        self._fitted: tuple[object, ...] = ()
        self._text, self._number = Labels(text_font(bold=True)), Labels(number_font())
        self.model = ArithmeticModel(self)
        self.table = PlainTable()
        self.table.setObjectName("arithmetic/table")
        self.table.setModel(self.model)
        self.table.down.hide()
        self.table.across.setSectionsClickable(False)
        self.table.across.setSectionResizeMode(K, QHeaderView.ResizeMode.Stretch)
        self.table.selectionModel().currentRowChanged.connect(self._choose)
        self.table.resized.connect(self._fit_columns)
        self.terms = TermLines()
        self.terms.term_chosen.connect(self.term_chosen)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4 * SPACE)
        layout.addWidget(self.table, 3)
        layout.addWidget(self.terms, 2)
        self.set_theme(LIGHT)
        self.retranslate()

    def draw(self, stages: Stages, selection: Selection) -> None:
        """Show the arithmetic of the stages' query, the selected key's row opened."""
        self._stages = stages
        key = min(max(selection.key, 0), len(stages.row.scores) - 1)
        self._is_drawing = True
        moved = key != self.model.selected
        self.model.take(stages, key)
        tokens = stages.request.inputs.key_labels
        if tokens is not self._tokens and tokens != self._tokens:
            self._tokens = tokens
            self._widest = self._widest_token()
        if moved or self.table.currentIndex().row() != key:
            column = max(self.table.currentIndex().column(), 0)
            self.table.setCurrentIndex(self.model.index(key, column))
            self.table.reveal_row(key)
        self._is_drawing = False
        self._fit_columns()
        self.terms.draw(stages, key)

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self.model.theme = theme
        self.terms.set_theme(theme)
        self.table.set_theme(theme)

    def shown_text(self, key: int, column: int) -> str:
        """Give what a cell says; columns are KEY, K, SCORE, SCALED and WEIGHT."""
        return self.model.look(key, column).text

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self.setAccessibleName(self.tr("The arithmetic of the selected query"))
        self.table.setAccessibleName(self.tr("The arithmetic of the selected query"))
        self.model.headerDataChanged.emit(Qt.Orientation.Horizontal, KEY, WEIGHT)
        if self._stages is not None:
            self._fit_columns()

    def _fit_columns(self) -> None:
        """Give every column the width of its largest possible content.

        In a narrow place tokens are cut, so that the weights, to which all leads, stay in sight.
        """
        heads = self.model.headings()
        place = (self.table.viewport().width(), self.model.rowCount(), self._widest, heads)
        if place == self._fitted:
            return
        self._fitted = place
        number, across = self._number, self.table.across
        widths = dict.fromkeys((SCORE, SCALED), number.width("−00000.00")) | {WEIGHT: number.width("0.000")}
        fitted = {
            column: int(max(width, across.text_width(column))) + 4 * SPACE for column, width in widths.items()
        }
        room = self.table.viewport().width() - across.minimumSectionSize() - sum(fitted.values())
        fitted[KEY] = max(_LEAST_KEY, min(int(self._widest) + 5 * SPACE, room))
        for column, width in fitted.items():
            if width != self.table.columnWidth(column):
                self.table.setColumnWidth(column, width)

    def _widest_token(self) -> float:
        names = row_names(self._tokens or ()).longest
        return min(max((self._text.width(name) for name in names), default=0.0), _MOST_KEY)

    def _choose(self, current: QModelIndex, previous: QModelIndex) -> None:
        if not self._is_drawing and self._stages is not None and current.isValid():
            self.cell_chosen.emit(self._stages.row.query, current.row())

    # Qt's overrides

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.table.reveal_row(self.model.selected)  # what is drawn before it has a size scrolls nowhere


def _has_same_keys(old: Stages, new: Stages) -> bool:
    """Say whether both show the same in the columns of the keys, and the same keys as hidden."""
    k, old_k = (part.request.inputs.heads[part.request.region.head].k for part in (new, old))
    tokens, old_tokens = (part.request.inputs.key_labels for part in (new, old))
    return (
        k is old_k
        and (tokens is old_tokens or tokens == old_tokens)
        and np.array_equal(new.row.allowed, old.row.allowed)
    )


def vector_text(values: np.ndarray) -> str:
    """Give a vector as one line, such as ``1.0  3.0  0.0  0.0``; a long one ends in an ellipsis."""
    if np.isnan(values[0]):
        return "—"  # it cannot be read any more
    shown = "  ".join(short_number(float(value)) for value in values[:_MOST_SHOWN])
    return f"{shown}  …" if len(values) > _MOST_SHOWN else shown
