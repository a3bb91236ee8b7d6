"""The shapes of the layer: the chain from x to the output, what is counted in it, and why √d_k."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from attnviz.core.arrays import FloatArray
from attnviz.core.block_arrays import glimpse
from attnviz.core.inputs import Inputs
from attnviz.core.score_spread import own_spread
from attnviz.core.selection import Selection
from attnviz.core.shape_chain import ShapeChain, shape_chain
from attnviz.core.stages import Stages
from attnviz.gui.fonts import load_fonts
from attnviz.gui.number_texts import own_digits
from attnviz.gui.plain_text import visible
from attnviz.gui.theme import LIGHT, SPACE, Theme
from attnviz.gui.views.chain_diagram import ChainDiagram
from attnviz.gui.views.shape_counts import ShapeCounts
from attnviz.gui.views.spread_plot import SpreadPlot

_GAP = 3 * SPACE


class ShapeView(QScrollArea):
    """Diagram, plot and table: beside each other where there is room, else below; the whole scrolls."""

    def __init__(self, parent: QWidget | None = None) -> None:
        load_fonts()
        super().__init__(parent)
        self.setObjectName("shapes")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._drawn: tuple[ShapeChain, str] | None = None
        self._vectors: tuple[FloatArray, FloatArray] | None = None
        self._spread = 0.0
        self._sheet = QWidget()
        self.chain = ChainDiagram(self._sheet)
        self.spread = SpreadPlot(self._sheet)
        self.counts = ShapeCounts(self._sheet)
        self.setWidget(self._sheet)
        self.chain.reached.connect(self._bring_into_view)
        self.counts.selectionModel().currentRowChanged.connect(self._follow_row)
        self.set_theme(LIGHT)
        self.retranslate()

    def draw(self, stages: Stages, selection: Selection) -> None:
        """Show the shapes of the stages' document, as their head goes through it."""
        inputs, at = stages.request.inputs, stages.request.region.head
        head = inputs.heads[at]
        now = (shape_chain(inputs, at), scaling_text(inputs, at))
        if now != self._drawn:
            self._drawn = now
            self.chain.draw(*now)
            self.counts.draw(*now)
            self._place()
        if self._vectors is None or self._vectors[0] is not head.q or self._vectors[1] is not head.k:
            spread = own_spread(glimpse(head.q), glimpse(head.k))
            if not math.isnan(spread):  # else they cannot be read any more, and what is shown stays
                self._spread = spread
            self._vectors = (head.q, head.k)
        self.spread.draw(head.d_k, self._spread, visible(head.name))

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self.counts.counts.theme = theme
        palette = theme.palette()
        for part in (self, self.viewport(), self._sheet):
            part.setPalette(palette)
        for part in (self.chain, self.spread, self.counts):
            part.set_theme(theme)

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self.setAccessibleName(self.tr("Shapes"))
        self.chain.setAccessibleName(self.tr("The chain of shapes from x to the output"))
        self.counts.setAccessibleName(self.tr("Numbers, multiply-adds and bytes of every array"))
        self.chain.arrange()
        self.spread.retranslate()
        if self._drawn is not None:
            self.counts.draw(*self._drawn)
        self._place()

    def _place(self) -> None:
        """Put the parts beside each other as far as there is room."""
        room = self.viewport().width()
        x, y, bottom, right = 0, 0, 0, 0
        for part in (self.chain, self.spread, self.counts):
            if x and x + part.width() > room:
                x, y = 0, bottom + _GAP
            part.move(x, y)
            x += part.width() + _GAP
            bottom, right = max(bottom, y + part.height()), max(right, part.x() + part.width())
        self._sheet.resize(right, bottom)

    def _bring_into_view(self, area: QRect) -> None:
        place = area.translated(self.chain.pos())
        self.ensureVisible(place.left(), 0, 2 * SPACE, 0)
        self.ensureVisible(place.right(), 0, 2 * SPACE, 0)

    def _follow_row(self, current: QModelIndex, previous: QModelIndex) -> None:
        if current.isValid() and self.counts.hasFocus():
            rect = self.counts.visualRect(current).translated(self.counts.pos())
            rect.translate(0, self.counts.across.height())
            self.ensureVisible(self.horizontalScrollBar().value(), rect.center().y(), 0, rect.height())

    # Qt's overrides

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)  # the stages above need the height more

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()


def scaling_text(inputs: Inputs, head: int) -> str:
    """Give what the scores of a head are divided by: ``÷ √64``, ``÷ (√5 × 2)``."""
    d_k = inputs.heads[head].d_k
    if inputs.scale_strength != 1.0:
        return f"÷ (√{d_k} × {own_digits(inputs.scale_strength)})"
    return f"÷ √{d_k}"
