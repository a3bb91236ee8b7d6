"""The tab that reads as the formula does: heads → concat · W_O + b_O = output, and each head's share."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from attnviz.gui.editors.output_map import OutputMap
from attnviz.gui.fonts import text_font
from attnviz.gui.theme import SPACE
from attnviz.gui.views.head_outputs import HeadOutputs
from attnviz.gui.views.head_shares import HeadShares
from attnviz.gui.views.head_strip import HeadStrip
from attnviz.gui.views.layer_output import LayerOutput


class LayerPage(QWidget):
    """All of the tab, in its place; nothing here is connected to a document."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("heads_to_output")
        self.strip = HeadStrip()
        self.head_outputs = HeadOutputs()
        self.output_map = OutputMap()
        self.output = LayerOutput()
        self.shares = HeadShares()
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE, 0, SPACE, 0)
        row.setSpacing(SPACE)
        row.addWidget(self.strip)
        row.addWidget(_sign("→"), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.head_outputs, 4)
        row.addWidget(_sign("·"), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.output_map, 4)
        row.addWidget(_sign("="), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.output, 4)
        row.addSpacing(2 * SPACE)
        row.addWidget(self.shares, 4)
        down = [table.verticalScrollBar() for table in (self.head_outputs.table, self.output.table)]
        down[0].valueChanged.connect(down[1].setValue)  # a token's rows stand side by side
        down[1].valueChanged.connect(down[0].setValue)

    # Qt's overrides

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)  # the stages above need the height more; all here scrolls


def _sign(text: str) -> QLabel:
    label = QLabel(text)
    label.setFont(text_font(bold=True))
    label.setFixedSize(3 * SPACE, 6 * SPACE)
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    return label
