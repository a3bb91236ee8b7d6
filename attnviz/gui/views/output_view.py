"""The output of one query, Σ weight × v: a bar and a value for every dimension."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from attnviz.core.block_arrays import as_blocks, glimpse
from attnviz.core.numbers import format_fixed
from attnviz.core.selection import Selection
from attnviz.core.stages import Stages
from attnviz.gui.fonts import load_fonts
from attnviz.gui.plain_text import visible
from attnviz.gui.theme import LIGHT, SPACE, Theme
from attnviz.gui.views.bar_list import BarList
from attnviz.gui.views.code_button import CodeButton
from attnviz.gui.views.heading import Heading


class OutputView(QWidget):
    """The selected query's output.

    Signals
    -------
    term_chosen(which, token, dim)
        A dimension was chosen: leads to the selected key's number there, ``which`` being ``v``.
    code_asked()
        The code that computes the output is to be seen.
    """

    term_chosen = Signal(str, int, int)
    code_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        load_fonts()
        super().__init__(parent)
        self.setObjectName("output_of_query")
        self._stages: Stages | None = None
        self._selection = Selection()
        self._known: tuple[object, ...] = ()
        self._limit: tuple[object, tuple[float, float]] = (None, (0.0, 1.0))
        self._heading = Heading()
        self.bars = BarList()
        self.bars.setObjectName("output_of_query/bars")
        self.bars.chosen.connect(self._choose)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE)
        self._code = CodeButton("code_of/output", self)
        self._code.clicked.connect(self._ask_for_code)
        top = QHBoxLayout()
        top.setSpacing(0)
        top.addWidget(self._heading, 1)
        top.addWidget(self._code)
        layout.addLayout(top)
        layout.addWidget(self.bars, 1)
        self.set_theme(LIGHT)
        self.retranslate()

    def draw(self, stages: Stages, selection: Selection) -> None:
        """Show the output of the stages' query."""
        self._stages, self._selection = stages, selection
        head = stages.request.inputs.heads[stages.request.region.head]
        names = head.names_of("v")
        output = stages.row.output
        low, high = self._ends(head.v, output)
        widest = max(format_fixed(low, 2), format_fixed(high, 2), "−00.00", key=len)
        if self._known != (names, widest):
            self._known = (names, widest)
            self.bars.set_names([visible(name) for name in names], widest)
        self.bars.set_values(output, lambda dim: format_fixed(float(output[dim]), 2), ends=(low, high))

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self.bars.set_theme(theme)
        self._code.set_theme(theme)

    def shown_value(self, dim: int) -> str:
        """Give a dimension's output as it is written."""
        return self.bars.shown_value(dim)

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self._heading.set_text(self.tr("Output: Σ weight × v"))
        self.setAccessibleName(self.tr("Output of the selected query"))
        self.bars.setAccessibleName(self.tr("Output of the selected query"))
        self._code.say(self.tr("Show the code of the output"))

    def _ends(self, v: np.ndarray, output: np.ndarray) -> tuple[float, float]:
        """Give the ends of the bars: an output is a mean of v, so it lies within v, whatever q may be.

        Of a v that is not held only the beginning is known; the ends widen with the outputs that are shown.
        """
        blocks = as_blocks(v)
        if self._limit[0] is not v:
            seen = glimpse(v)
            low, high = min(_finite(seen.min()), 0.0), max(_finite(seen.max()), 0.0)
            self._limit = (v, (low, high if high > low else 1.0))
        if blocks is not None:
            low, high = self._limit[1]
            self._limit = (v, (min(low, float(output.min())), max(high, float(output.max()))))
        return self._limit[1]

    def _ask_for_code(self) -> None:
        self.code_asked.emit()

    def _choose(self, dim: int) -> None:
        self.term_chosen.emit("v", self._selection.key, dim)

    # Qt's overrides

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()


def _finite(value: np.floating) -> float:
    return 0.0 if np.isnan(value) else float(value)
