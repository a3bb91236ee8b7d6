"""The mask's controls, small enough for a heading: what is hidden, and what hidden scores become."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from attnviz.core import edits
from attnviz.core.inputs import Inputs
from attnviz.core.masks import CausalMask, Mask, NoMask
from attnviz.core.selection import Selection
from attnviz.gui.editors.editor import Editor
from attnviz.gui.fonts import number_font, small_font
from attnviz.gui.number_field import NumberField
from attnviz.gui.theme import SPACE

_LARGE_NEGATIVE = -1e9
_FIRST_NUMBER = -10.0
_FLOAT32_MAX = float(np.finfo(np.float32).max)


class Choice(QComboBox):
    """A list of choices that tells only what a person chose, and leaves the wheel to what lies around it."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFont(small_font())
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)  # in another language too
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.activated.connect(lambda index: self.chosen.emit(self.itemData(index)))

    def set_choices(self, choices: tuple[tuple[str, str], ...]) -> None:
        """Offer choices, each an id and its text; the id shown stays."""
        if tuple((self.itemData(i), self.itemText(i)) for i in range(self.count())) == choices:
            return
        now = self.currentData()
        self.clear()
        for identity, text in choices:
            self.addItem(text, identity)
        self.show_choice(now)

    def show_choice(self, identity: str) -> None:
        """Show a choice and say nothing."""
        index = self.findData(identity)
        if index != self.currentIndex():
            self.setCurrentIndex(index)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, super().minimumSizeHint().height())

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class MaskPanel(Editor):
    """Editor of the mask's kind and of the mask value."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._last_number = _FIRST_NUMBER
        self._kind = Choice(self)
        self._kind.setObjectName("mask_kind")
        self._fill = Choice(self)
        self._fill.setObjectName("mask_fill")
        self._number = NumberField(self, minimum=-_FLOAT32_MAX, maximum=_FLOAT32_MAX, widest="−0000.0")
        self._number.setObjectName("mask_fill/number")
        self._number.setFont(number_font(small=True))
        self._kind.chosen.connect(self._choose_kind)
        self._fill.chosen.connect(self._choose_fill)
        self._number.value_entered.connect(lambda value: self._set_fill(value, self._number.gesture))
        self._number.refused.connect(self.refused)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE)
        row.addWidget(self._kind)
        row.addWidget(self._fill)
        row.addWidget(self._number)
        row.addStretch(1)
        self._number.hide()
        self.retranslate()

    def refresh(self, inputs: Inputs, selection: Selection) -> None:
        super().refresh(inputs, selection)
        self._offer_kinds()
        self._kind.show_choice(inputs.mask.kind)
        fill = inputs.mask_fill
        which = {-math.inf: "-inf", _LARGE_NEGATIVE: "-1e9"}.get(fill, "number")
        self._fill.show_choice(which)
        if which == "number":
            self._last_number = fill
            self._number.set_value(fill)
        if (which == "number") == self._number.isHidden():
            self._number.setVisible(which == "number")

    def retranslate(self) -> None:
        self._offer_kinds()
        self._fill.set_choices((("-inf", "−∞"), ("-1e9", "−1e9"), ("number", self.tr("number"))))
        self._kind.setAccessibleName(self.tr("Kind of mask"))
        self._kind.setToolTip(self.tr("Which cells are hidden"))
        for widget in (self._fill, self._number):
            widget.setAccessibleName(self.tr("Mask value"))
        self._fill.setToolTip(self.tr("What the scores of hidden cells become before softmax"))

    def _offer_kinds(self) -> None:
        choices = [("causal", self.tr("future hidden")), ("none", self.tr("nothing hidden"))]
        if self._inputs is not None and self._inputs.mask.kind not in ("causal", "none"):
            choices.append((self._inputs.mask.kind, self.tr("own mask")))
        self._kind.set_choices(tuple(choices))

    def _choose_kind(self, kind: str) -> None:
        kinds: dict[str, Mask] = {"causal": CausalMask(), "none": NoMask()}
        mask = kinds.get(kind)
        if mask is not None:
            self.edit_asked.emit(lambda inputs: edits.set_mask(inputs, mask), "")
        self._show_again()

    def _choose_fill(self, which: str) -> None:
        self._set_fill({"-inf": -math.inf, "-1e9": _LARGE_NEGATIVE}.get(which, self._last_number), "")
        if which == "number" and not self._number.isHidden():
            self._number.setFocus(Qt.FocusReason.OtherFocusReason)

    def _set_fill(self, value: float, run: str) -> None:
        gesture = f"mask_fill#{run}" if run else ""
        self.edit_asked.emit(lambda inputs: edits.set_mask_fill(inputs, value), gesture)
        self._show_again()

    def _show_again(self) -> None:
        if self._inputs is not None:  # a choice that was not taken goes back
            self.refresh(self._inputs, self._selection)
