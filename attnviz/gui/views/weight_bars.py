"""The weights of one query: a bar and a percentage for every key; it tells which key was chosen."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from attnviz.core.numbers import format_percent
from attnviz.core.selection import Selection
from attnviz.core.stages import Stages
from attnviz.gui.fonts import load_fonts, small_font
from attnviz.gui.plain_text import visible
from attnviz.gui.theme import LIGHT, SPACE, Theme
from attnviz.gui.views.bar_list import BarList
from attnviz.gui.views.heading import Heading
from attnviz.gui.views.token_names import TokenNames


class WeightBars(QWidget):
    """The weights of the selected query, in token order or by weight.

    Signals
    -------
    cell_chosen(query, key)
        A key was chosen.
    """

    cell_chosen = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        load_fonts()
        super().__init__(parent)
        self.setObjectName("weights_of_query")
        self._stages: Stages | None = None
        self._selection = Selection()
        self._tokens: tuple[str, ...] | None = None
        self._heading = Heading()
        self._by_weight = QToolButton()
        self._by_weight.setObjectName("weights_by_weight")
        self._by_weight.setCheckable(True)
        self._by_weight.setAutoRaise(True)
        self._by_weight.setFont(small_font())
        self._by_weight.toggled.connect(self._refresh)
        self._empty = QLabel()
        self._empty.setObjectName("weights_of_query/empty")
        self._empty.setWordWrap(True)
        self._empty.setTextFormat(Qt.TextFormat.PlainText)
        self._empty.hide()
        self.bars = BarList()
        self.bars.setObjectName("weights_of_query/bars")
        self.bars.chosen.connect(self._choose)
        top = QHBoxLayout()
        top.setSpacing(SPACE)
        top.addWidget(self._heading, 1)
        top.addWidget(self._by_weight)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE)
        layout.addLayout(top)
        layout.addWidget(self._empty)
        layout.addWidget(self.bars, 1)
        self.set_theme(LIGHT)
        self.retranslate()

    def draw(self, stages: Stages, selection: Selection) -> None:
        """Show the weights of the stages' query."""
        tokens = stages.request.inputs.key_labels
        if self._stages is not None and self._stages.row is stages.row and selection == self._selection:
            self._stages = stages  # the picture has become finer, and no more
            return
        if tokens is not self._tokens and tokens != self._tokens:
            self._tokens = tokens
            self.bars.set_names(TokenNames(tokens), "100.0%")
        self._stages, self._selection = stages, selection
        self._refresh()

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self.bars.set_theme(theme)

    def heading(self) -> str:
        """Give the heading as it is written."""
        return self._heading.full_text()

    def shown_percent(self, key: int) -> str:
        """Give a key's percentage as it is written, — where the mask hides it."""
        return self.bars.shown_value(key)

    def empty_text(self) -> str:
        """Give what is said of a row without any key to attend to; nothing where there is one."""
        return "" if self._empty.isHidden() else self._empty.text()

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self._by_weight.setText(self.tr("By weight"))
        self._by_weight.setToolTip(self.tr("Put the keys with the largest weights first"))
        self._by_weight.setAccessibleName(self.tr("Order by weight"))
        self._empty.setText(
            self.tr("The mask hides every key from this token, so it attends to nothing and its output is 0.")
        )
        self.setAccessibleName(self.tr("Weights of the selected query"))
        self.bars.setAccessibleName(self.tr("Weights of the selected query"))
        self._refresh()

    def _refresh(self) -> None:
        stages = self._stages
        if stages is None:
            self._heading.set_text("")
            return
        row = stages.row
        token = visible(stages.request.inputs.tokens[row.query])
        self._heading.set_text(self.tr("Attention from “{token}”").format(token=token))
        hidden = ~row.allowed
        # With a finite mask value hidden keys get weight too; that is shown, not hidden.
        muted = hidden & (row.weights == 0)
        order = None
        if self._by_weight.isChecked():
            order = np.lexsort((-row.weights, muted))
        self._empty.setVisible(not row.allowed.any() and not row.weights.any())
        self.bars.set_values(
            row.weights,
            lambda key: "—" if muted[key] else format_percent(float(row.weights[key])),
            ends=(0.0, 1.0),
            order=order,
            muted=muted,
            selected=self._selection.key,
        )
        key = self._selection.key
        if 0 <= key < len(row.weights):
            name = visible(stages.request.inputs.key_labels[key])
            self.bars.setAccessibleDescription(f"{name} {self.bars.shown_value(key)}")

    def _choose(self, key: int) -> None:
        if self._stages is not None:
            self.cell_chosen.emit(self._stages.row.query, key)

    # Qt's overrides

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
