"""The weights of one query: a bar and a percentage for every key; it tells which key was chosen.

Of very many keys the largest weights have bars, and all others one together.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from attnviz.core.numbers import format_percent
from attnviz.core.selection import Selection
from attnviz.core.stages import Stages
from attnviz.gui.fonts import load_fonts, small_font
from attnviz.gui.plain_text import visible
from attnviz.gui.splitter import Line
from attnviz.gui.theme import LIGHT, SPACE, Theme
from attnviz.gui.views.bar_list import ROW, BarList
from attnviz.gui.views.heading import Heading
from attnviz.gui.views.largest_weights import MANY_KEYS, MOST_LARGEST, LargestWeights
from attnviz.gui.views.token_names import NumberedNames, TokenNames


class WeightBars(QWidget):
    """The weights of the selected query, in token order or by weight.

    Of more than ``MANY_KEYS`` keys the ``MOST_LARGEST`` largest weights have rows and, in token order, the
    keys beside the selected one; below stand the sum of the largest, and all others as one bar.

    Signals
    -------
    cell_chosen(query, key)
        A key was chosen.
    order_chosen(by_weight), order_shown(by_weight)
        A person has chosen an order of the bars, or there are very many keys now, or no more, whose order is
        another: by weight at first, since most bars of very many keys are nothing.
    """

    cell_chosen = Signal(int, int)
    order_chosen = Signal(bool)
    order_shown = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        load_fonts()
        super().__init__(parent)
        self.setObjectName("weights_of_query")
        self._stages: Stages | None = None
        self._selection = Selection()
        self._tokens: tuple[str, ...] | None = None
        self._counts = (0, 0)  # of the largest, and of the others
        self._looked_at: tuple[int, int, bool] | None = None  # query, key, and whether by weight
        self._is_by_weight = {False: False, True: True}  # of few keys, and of very many
        self._heading = Heading()
        self._by_weight = QToolButton()
        self._by_weight.setObjectName("weights_by_weight")
        self._by_weight.setCheckable(True)
        self._by_weight.setAutoRaise(True)
        self._by_weight.setFont(small_font())
        self._by_weight.toggled.connect(self._choose_order)
        self._empty = QLabel()
        self._empty.setObjectName("weights_of_query/empty")
        self._empty.setWordWrap(True)
        self._empty.setTextFormat(Qt.TextFormat.PlainText)
        self._empty.hide()
        self.bars = BarList()
        self.bars.setObjectName("weights_of_query/bars")
        self.bars.chosen.connect(self._choose)
        self.sums = BarList()
        self.sums.setObjectName("weights_of_query/sums")
        self.sums.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # there is nothing in it to be chosen
        self.sums.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.sums.setFixedHeight(2 * ROW)
        self.sums.hide()
        self._line = Line()
        self._line.hide()
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
        layout.addWidget(self._line)
        layout.addWidget(self.sums)
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
            self._name_rows()
        self._stages, self._selection = stages, selection
        self._refresh()

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        for part in (self.bars, self.sums):
            part.set_theme(theme)

    def heading(self) -> str:
        """Give the heading as it is written."""
        return self._heading.full_text()

    def shown_percent(self, key: int) -> str:
        """Give a key's percentage as it is written, — where the mask hides it."""
        return self.bars.shown_value(key)

    def shown_sums(self) -> list[str]:
        """Give what is written of the largest weights together and of all others, where there is."""
        if self.sums.isHidden():
            return []
        names = self._sum_names(*self._counts)
        return [f"{names[row]} {self.sums.shown_value(row)}" for row in range(2)]

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
        self.sums.setAccessibleName(self.tr("Sums of the weights"))
        self._name_rows()
        self._refresh()

    def has_many_keys(self) -> bool:
        """Say whether there are so many keys that only some have a bar of their own."""
        return self._tokens is not None and len(self._tokens) > MANY_KEYS

    def _name_rows(self) -> None:
        """Take the names of all keys; where there are very many, those of the sums too, as wide."""
        tokens = self._tokens or ()
        is_many = self.has_many_keys()
        if self._by_weight.isChecked() != self._is_by_weight[is_many]:
            with QSignalBlocker(self._by_weight):
                self._by_weight.setChecked(self._is_by_weight[is_many])
            self.order_shown.emit(self._is_by_weight[is_many])
        for part in (self._line, self.sums):
            part.setVisible(is_many)
        policy = Qt.ScrollBarPolicy
        self.bars.setVerticalScrollBarPolicy(
            policy.ScrollBarAlwaysOn if is_many else policy.ScrollBarAsNeeded
        )
        self.sums.set_right_margin(self.bars.verticalScrollBar().sizeHint().width())
        self._counts = (0, 0)
        if not is_many:
            self.bars.set_names(TokenNames(tokens), "100.0%")
            return
        widest = self._sum_names(MOST_LARGEST, len(tokens))
        self.sums.set_names(widest, "100.0%")
        self.bars.set_names(NumberedNames(tokens), "100.0%", self.sums.name_width)
        self.sums.set_names(widest, "100.0%", self.bars.name_width)

    def _sum_names(self, n_largest: int, n_others: int) -> tuple[str, str]:
        return (
            self.tr("{count} largest").format(count=f"{n_largest:,}"),
            self.tr("{count} others").format(count=f"{n_others:,}"),
        )

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
        order, by_weight, is_apart = None, self._by_weight.isChecked(), False
        if self.has_many_keys():
            largest = LargestWeights.of(row.weights, ~muted, self._selection.key, by_weight=by_weight)
            self._show_sums(largest)
            order, is_apart = largest.rows, by_weight and len(largest.rows) > largest.n_largest
        elif by_weight:
            order = np.lexsort((-row.weights, muted))
        self._empty.setVisible(not row.allowed.any() and not row.weights.any())
        self.bars.set_values(
            row.weights,
            lambda key: "—" if muted[key] else format_percent(float(row.weights[key])),
            ends=(0.0, 1.0),
            order=order,
            muted=muted,
            selected=self._selection.key,
            has_gaps=self.has_many_keys() and not by_weight,
            reveals=not is_apart,  # below a hundred others; these are what one wants to see
        )
        key = self._selection.key
        looked_at = (row.query, key, by_weight)
        if self.has_many_keys() and looked_at != self._looked_at:
            self.bars.reveal(-1 if is_apart else key)
        self._looked_at = looked_at
        if 0 <= key < len(row.weights):
            name = visible(stages.request.inputs.key_labels[key])
            described = ", ".join([f"{name} {self.bars.shown_value(key)}", *self.shown_sums()])
            self.bars.setAccessibleDescription(described)

    def _show_sums(self, largest: LargestWeights) -> None:
        """Show the largest together and all others."""
        counts = largest.n_largest, largest.n_others
        if counts != self._counts:
            self._counts = counts
            self.sums.set_names(self._sum_names(*counts), "100.0%", self.bars.name_width)
        values = np.array([largest.sum_largest, largest.sum_others])
        self.sums.set_values(
            values.astype(np.float32), lambda row: format_percent(float(values[row])), ends=(0.0, 1.0)
        )
        self.sums.setAccessibleDescription(", ".join(self.shown_sums()))

    def _choose_order(self, by_weight: bool) -> None:
        self._is_by_weight[self.has_many_keys()] = by_weight
        self.order_chosen.emit(by_weight)
        self._refresh()

    def _choose(self, key: int) -> None:
        if self._stages is not None:
            self.cell_chosen.emit(self._stages.row.query, key)

    # Qt's overrides

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
