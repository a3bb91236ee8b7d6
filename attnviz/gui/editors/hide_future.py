"""The checkbox that hides the future: causal mask or none."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from attnviz.core import edits
from attnviz.core.inputs import Inputs
from attnviz.core.masks import CausalMask, NoMask
from attnviz.core.selection import Selection
from attnviz.gui.editors.editor import Editor


class HideFuture(Editor):
    """Checked for the causal mask, unchecked for none, half checked for a mask of one's own."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._box = QCheckBox(self)
        self._box.setObjectName("mask")
        self._box.clicked.connect(self.toggle)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._box)
        self.retranslate()

    def refresh(self, inputs: Inputs, selection: Selection) -> None:
        super().refresh(inputs, selection)
        state = {"causal": Qt.CheckState.Checked, "none": Qt.CheckState.Unchecked}.get(
            inputs.mask.kind, Qt.CheckState.PartiallyChecked
        )
        if state != self._box.checkState():
            self._box.setTristate(state == Qt.CheckState.PartiallyChecked)
            self._box.setCheckState(state)  # clicked, which asks, is not sent for this

    def toggle(self) -> None:
        """Ask for no mask where the future is hidden, and for the causal mask otherwise."""
        if self._inputs is None:
            return
        mask = NoMask() if self._inputs.mask.kind == "causal" else CausalMask()
        self.edit_asked.emit(lambda inputs: edits.set_mask(inputs, mask), "")
        self.refresh(self._inputs, self._selection)  # the click has changed the mark; the document decides

    def retranslate(self) -> None:
        self._box.setText(self.tr("Hide the future"))
        self._box.setAccessibleName(self.tr("Hide the future"))
        self._box.setToolTip(self.tr("A query sees itself and what came before it."))
