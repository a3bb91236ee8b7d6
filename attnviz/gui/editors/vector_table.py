"""The vectors of the active head: q, k and v side by side, v = k, and the numbers of dimensions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from attnviz.core import edits
from attnviz.core.arrays import MAX_DIMENSIONS
from attnviz.core.inputs import Inputs
from attnviz.core.selection import Selection
from attnviz.gui.editors.editor import Editor
from attnviz.gui.editors.vector_grid import VectorGrid
from attnviz.gui.fonts import number_font, text_font
from attnviz.gui.number_field import NumberField
from attnviz.gui.theme import SPACE, Theme


class VectorTable(Editor):
    """Editor of all vectors of the active head."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("vectors")
        self._grids = {which: VectorGrid(which, self) for which in ("q", "k", "v")}
        self._v_is_k = QCheckBox("v = k", self)
        self._v_is_k.setObjectName("v_is_k")
        self._v_is_k.clicked.connect(self._link)
        self._sizes = {name: self._size_field(name) for name in ("d_k", "d_v")}
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, 0)
        row.setSpacing(3 * SPACE)
        for which, controls in (("q", ["d_k"]), ("k", []), ("v", ["d_v", "v_is_k"])):
            row.addLayout(self._column(which, controls), 1)
        for grid in self._grids.values():
            self._connect(grid)
        self.retranslate()

    @property
    def grids(self) -> dict[str, VectorGrid]:
        """The three tables, by ``q``, ``k`` and ``v``."""
        return self._grids

    def focus_cell(self, which: str, token: int, dim: int) -> None:
        """Bring a cell of ``q``, ``k`` or ``v`` into view and give it the keyboard."""
        self._grids[which].focus_cell(token, dim)

    def refresh(self, inputs: Inputs, selection: Selection) -> None:
        super().refresh(inputs, selection)
        for grid in self._grids.values():
            grid.show_head(inputs, selection.head, selection.query)
        head = inputs.heads[selection.head]
        self._sizes["d_k"].set_value(head.d_k)
        self._sizes["d_v"].set_value(head.d_v)
        self._sizes["d_v"].setEnabled(not head.v_is_k)
        self._v_is_k.setChecked(head.v_is_k)
        self._v_is_k.setEnabled(head.v_is_k or head.d_k == head.d_v)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        for grid in self._grids.values():
            grid.set_theme(theme)

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Vectors"))
        self._v_is_k.setAccessibleName(self.tr("v = k: v follows k"))
        self._v_is_k.setToolTip(self.tr("v takes k's numbers, and a change of one changes both."))
        self._sizes["d_k"].setAccessibleName(self.tr("d_k, dimensions of q and k"))
        self._sizes["d_v"].setAccessibleName(self.tr("d_v, dimensions of v"))
        note = self.tr("The vectors of this token are defaults; nobody has edited them yet.")
        for which, grid in self._grids.items():
            grid.setAccessibleName(self.tr("{which}, one row per token").format(which=which))
            grid.vectors.set_default_note(note)
            grid.horizontalHeader().setToolTip(self.tr("Double-click a dimension's name to change it."))

    def _size_field(self, name: str) -> NumberField:
        field = NumberField(self, minimum=1, maximum=MAX_DIMENSIONS, step=1, whole=True, widest="0000")
        field.setObjectName(name)
        field.setFont(number_font())
        field.value_entered.connect(lambda value: self._resize(name, round(value), field.gesture))
        field.refused.connect(self.refused)
        return field

    def _column(self, which: str, controls: list[str]) -> QVBoxLayout:
        title = QLabel(which, self)
        title.setFont(text_font(bold=True))
        title.setBuddy(self._grids[which])
        line = QHBoxLayout()
        line.setSpacing(SPACE)
        line.addWidget(title)
        line.addSpacing(4 * SPACE)
        for name in controls:
            if name == "v_is_k":
                line.addSpacing(2 * SPACE)
                line.addWidget(self._v_is_k)
            else:
                line.addWidget(QLabel(f"<i>d</i><sub>{name[-1]}</sub>", self))
                line.addWidget(self._sizes[name])
        line.addStretch(1)
        line.addStrut(28)
        column = QVBoxLayout()
        column.setSpacing(SPACE)
        column.addLayout(line)
        column.addWidget(self._grids[which], 1)
        return column

    def _connect(self, grid: VectorGrid) -> None:
        which = grid.vectors.which
        grid.block_asked.connect(lambda token, dim, values: self._set_block(which, token, dim, values))
        grid.dimension_renamed.connect(lambda dim, name: self._rename(which, dim, name))
        grid.query_chosen.connect(self.query_chosen)
        grid.refused.connect(self.refused)
        for other in self._grids.values():
            if other is not grid:  # rows stand side by side
                grid.verticalScrollBar().valueChanged.connect(other.verticalScrollBar().setValue)

    def _set_block(self, which: str, token: int, dim: int, values: NDArray[np.float64]) -> None:
        head = self._selection.head
        self.edit_asked.emit(
            lambda inputs: edits.set_vector_block(inputs, head, which, token, dim, values), ""
        )

    def _rename(self, which: str, dim: int, name: str) -> None:
        head = self._selection.head
        self.edit_asked.emit(lambda inputs: edits.rename_dimension(inputs, head, which, dim, name), "")

    def _link(self, v_is_k: bool) -> None:
        head = self._selection.head
        self.edit_asked.emit(lambda inputs: edits.set_v_is_k(inputs, head, v_is_k), "")
        if self._inputs is not None:  # the click has changed the mark; the document decides
            self.refresh(self._inputs, self._selection)

    def _resize(self, name: str, size: int, run: str) -> None:
        head = self._selection.head

        def resize(inputs: Inputs) -> Inputs:
            old = inputs.heads[head]
            d_k, d_v = (size, old.d_v) if name == "d_k" else (old.d_k, size)
            if old.v_is_k:
                d_k = d_v = size
            return edits.resize_head(inputs, head, d_k, d_v)

        self.edit_asked.emit(resize, f"{name}/{head}#{run}" if run else "")
