"""The dialog that asks which numbers to export: which stage, of which heads, in which format."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QVBoxLayout, QWidget

from attnviz.core.inputs import Inputs
from attnviz.core.numbers import shorten
from attnviz.core.selection import Selection
from attnviz.core.summaries import WINDOW
from attnviz.gui.theme import SPACE
from attnviz.io.export import ALL, STAGES, SUFFIXES, fits_one_table, needs_all_heads
from attnviz.io.layer_arrays import OUTPUT
from attnviz.io.summary_tables import SUMMARIES
from attnviz.io.tables import MASK

ALL_HEADS = -1


@dataclass(frozen=True)
class TableWish:
    """Numbers to write: a stage or ``all``, a head (None: all of them), and the file's suffix.

    ``window`` is the width of the window of the summaries.
    """

    stage: str
    head: int | None
    suffix: str
    window: int = WINDOW


class TableDialog(QDialog):
    """Asks for a TableWish.

    Parameters
    ----------
    stage
        What is offered first.
    window
        The width of the window of the summaries.
    """

    wished = Signal(object)
    """A TableWish."""

    def __init__(
        self,
        inputs: Inputs,
        selection: Selection,
        parent: QWidget | None = None,
        *,
        stage: str = "weights",
        window: int = WINDOW,
    ) -> None:
        super().__init__(parent)
        self._window = window
        self.setObjectName("table_dialog")
        self.setWindowTitle(self.tr("Export numbers"))
        self._stage, self._head, self._format = (self._box(name) for name in ("stage", "head", "format"))
        texts = {
            "scores": "QKᵀ",
            "scaled": "÷√d_k",
            "masked": self.tr("mask"),
            "weights": "softmax",
            "head_output": self.tr("head output"),
            OUTPUT: self.tr("output of all heads"),
            MASK: self.tr("M, who may attend"),
            SUMMARIES: self.tr("summaries of each row"),
            ALL: self.tr("all of them"),
        }
        for each in STAGES:
            self._stage.addItem(texts[each], each)
        for index, head in enumerate(inputs.heads):
            self._head.addItem(shorten(head.name), index)
        self._head.addItem(self.tr("all heads"), ALL_HEADS)
        for suffix in SUFFIXES:
            self._format.addItem(suffix[1:].upper(), suffix)
        self._stage.setCurrentIndex(self._stage.findData(stage))
        all_at_first = stage == SUMMARIES
        self._head.setCurrentIndex(self._head.count() - 1 if all_at_first else selection.head)
        buttons = QDialogButtonBox(self)
        save = buttons.addButton(self.tr("Save as…"), QDialogButtonBox.ButtonRole.AcceptRole)
        save.setObjectName("table/save")
        save.setDefault(True)
        buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self._save)
        buttons.rejected.connect(self.reject)
        form = QFormLayout()
        form.setSpacing(2 * SPACE)
        for text, field in (
            (self.tr("Stage"), self._stage),
            (self.tr("Head"), self._head),
            (self.tr("Format"), self._format),
        ):
            form.addRow(text, field)
            field.setAccessibleName(text)
            field.currentIndexChanged.connect(self._offer_what_fits)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4 * SPACE, 4 * SPACE, 4 * SPACE, 4 * SPACE)
        layout.setSpacing(4 * SPACE)
        layout.addLayout(form)
        layout.addWidget(buttons)

    def wish(self) -> TableWish:
        """Give what is chosen."""
        head = self._head.currentData()
        return TableWish(
            self._stage.currentData(),
            None if head == ALL_HEADS else head,
            self._format.currentData(),
            self._window,
        )

    def _box(self, name: str) -> QComboBox:
        box = QComboBox(self)
        box.setObjectName(f"table/{name}")
        return box

    def _offer_what_fits(self) -> None:
        """A CSV file holds one stage, of one head unless it fits all; choosing more goes over to NPZ."""
        is_whole = needs_all_heads(self._stage.currentData())
        self._head.setEnabled(not is_whole)
        if is_whole:
            self._head.setCurrentIndex(self._head.findData(ALL_HEADS))
            return
        wish = self.wish()
        if (
            wish.suffix == ".csv"
            and not fits_one_table(wish.stage)
            and (wish.stage == ALL or wish.head is None)
        ):
            self._format.setCurrentIndex(self._format.findData(".npz"))

    def _save(self) -> None:
        wish = self.wish()
        self.accept()
        self.wished.emit(wish)
