"""The checkbox that hides the future, whatever else the mask hides."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from attnviz.core import mask_edits
from attnviz.core.inputs import Inputs
from attnviz.core.selection import Selection
from attnviz.gui.editors.editor import Editor


class HideFuture(Editor):
    """Checked where all of the future is hidden, unchecked where none of it is, else half checked."""

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
        is_other = self._inputs is None or self._inputs.is_cross != inputs.is_cross
        super().refresh(inputs, selection)
        if is_other:
            self._explain()
        state = {
            True: Qt.CheckState.Checked,
            False: Qt.CheckState.Unchecked,
            None: Qt.CheckState.PartiallyChecked,
        }[inputs.mask.hides_future]
        if state != self._box.checkState():
            self._box.setTristate(state == Qt.CheckState.PartiallyChecked)
            self._box.setCheckState(state)  # clicked, which asks, is not sent for this

    def toggle(self) -> None:
        """Ask for the future to be seen where all of it is hidden, and to be hidden otherwise."""
        if self._inputs is None:
            return
        hidden = self._inputs.mask.hides_future is not True
        self.edit_asked.emit(lambda inputs: mask_edits.set_future_hidden(inputs, hidden), "")
        self.refresh(self._inputs, self._selection)  # the click has changed the mark; the document decides

    def retranslate(self) -> None:
        self._box.setText(self.tr("Hide the future"))
        self._box.setAccessibleName(self.tr("Hide the future"))
        self._explain()

    def _explain(self) -> None:
        is_cross = self._inputs is not None and self._inputs.is_cross
        self._box.setToolTip(
            self.tr("A query sees the keys up to the one it stands at.")
            if is_cross
            else self.tr("A query sees itself and what came before it.")
        )
