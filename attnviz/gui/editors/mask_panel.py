"""The mask's controls, small enough for a heading: what is hidden, and what hidden scores become."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from attnviz.core import edits, mask_edits
from attnviz.core.inputs import Inputs
from attnviz.core.masks import Alignment, CausalMask, CustomMask, Mask, NoMask, Rectangle
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import PrefixMask, SinkMask, SlidingWindowMask
from attnviz.core.selection import Selection
from attnviz.gui import alignment_words
from attnviz.gui.editors.alignment_choice import AlignmentChoice
from attnviz.gui.editors.choice import Choice
from attnviz.gui.editors.editor import Editor, new_gesture
from attnviz.gui.editors.mask_numbers import MaskNumbers
from attnviz.gui.fonts import number_font
from attnviz.gui.number_field import NumberField
from attnviz.gui.theme import SPACE, Theme

_LARGE_NEGATIVES = {"-1e9": -1e9, "-1e4": -1e4}
_FIRST_NUMBER = -10.0
_ARROW = 26  # px of a list that shows its arrow alone
_FLOAT32_MAX = float(np.finfo(np.float32).max)


class MaskPanel(Editor):
    """Editor of the mask's kind with its numbers, and of the mask value.

    Signals
    -------
    painting_changed(bool)
        Cells are to be painted on the mask panel from now on, or no more; what is painted comes to ``paint``.
    """

    painting_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._last_number = _FIRST_NUMBER
        self._last: dict[str, Mask] = {}  # rules that were left, whose numbers come back with their kind
        self._stroke = 0
        self._kind = Choice(self)
        self._kind.setObjectName("mask_kind")
        self._numbers = MaskNumbers(self)
        self._alignment = AlignmentChoice(self)
        self._alignment.setObjectName("mask_alignment")
        self._fill = Choice(self)
        self._fill.setObjectName("mask_fill")
        self._number = NumberField(self, minimum=-_FLOAT32_MAX, maximum=_FLOAT32_MAX, widest="−0000.0")
        self._number.setObjectName("mask_fill/number")
        self._number.setFont(number_font(small=True))
        self._kind.chosen.connect(self._choose_kind)
        self._numbers.mask_asked.connect(self._set_mask)
        self._numbers.token_toggled.connect(self._toggle_token)
        self._numbers.painting_changed.connect(self.painting_changed)
        self._alignment.chosen.connect(self._choose_alignment)
        self._fill.chosen.connect(self._choose_fill)
        self._number.value_entered.connect(lambda value: self._set_fill(value, _gesture_of(self._number)))
        for fields in (self._numbers, self._number):
            fields.refused.connect(self.refused)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE)
        for widget in (self._kind, self._numbers, self._alignment, self._fill, self._number):
            row.addWidget(widget)
        row.addStretch(1)
        self._number.hide()
        self._numbers.hide()
        self._alignment.hide()
        self.retranslate()

    def refresh(self, inputs: Inputs, selection: Selection) -> None:
        before = self._inputs
        super().refresh(inputs, selection)
        if before is not None and _has_same_mask(before, inputs):
            return
        if isinstance(inputs.mask, SlidingWindowMask | SinkMask | PrefixMask):
            self._last[inputs.mask.kind] = inputs.mask
        self._kind.show_choice(inputs.mask.kind)
        self._say_kind()
        self._numbers.show_mask(inputs)
        self._alignment.show_choice(inputs.mask.alignment)
        self._alignment.setToolTip(self._alignment.sentence())
        if self._alignment.isHidden() == alignment_words.is_aligned(inputs):
            self._alignment.setVisible(alignment_words.is_aligned(inputs))
        fill = inputs.mask_fill
        known = {-math.inf: "-inf"} | {value: name for name, value in _LARGE_NEGATIVES.items()}
        which = known.get(fill, "number")
        self._fill.show_choice(which)
        self._say_fill()
        if which == "number":
            self._last_number = fill
            self._number.set_value(fill)
        if (which == "number") == self._number.isHidden():
            self._number.setVisible(which == "number")
        self._fit()

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._numbers.set_theme(theme)

    def paint(self, cells: Sequence[Rectangle], allowed: bool, is_first: bool) -> None:
        """Ask for cells to be hidden or seen; all of a stroke is one step of undo.

        Parameters
        ----------
        cells
            Rectangles, each a half-open range of queries and one of keys.
        allowed
            Whether the cells may be attended from now on.
        is_first
            A stroke begins.
        """
        if is_first:
            self._stroke = new_gesture()
        self.edit_asked.emit(
            lambda inputs: mask_edits.paint_cells(inputs, cells, allowed), f"mask_paint#{self._stroke}"
        )

    def toggle(self, query: int, key: int) -> None:
        """Ask for one cell to be hidden where it is seen, and seen where it is hidden."""
        self.edit_asked.emit(lambda inputs: mask_edits.toggle_cell(inputs, query, key), "")

    def retranslate(self) -> None:
        self._kind.set_choices(
            (
                ("causal", self.tr("future hidden")),
                ("none", self.tr("nothing hidden")),
                ("padding", self.tr("padding")),
                ("window", self.tr("window")),
                ("sinks", self.tr("sinks + window")),
                ("prefix", self.tr("prefix")),
                ("custom", self.tr("own mask")),
            )
        )
        self._kind.set_short(
            {
                "causal": self.tr("future", "in short for: future hidden"),
                "none": self.tr("nothing", "in short for: nothing hidden"),
                "padding": self.tr("padding"),
                "window": self.tr("window"),
                "sinks": self.tr("sinks", "in short for: sinks + window"),
                "prefix": self.tr("prefix"),
                "custom": self.tr("own", "in short for: own mask"),
            }
        )
        self._fill.set_choices(
            (("-inf", "−∞"), ("-1e9", "−1e9"), ("-1e4", "−1e4"), ("number", self.tr("number")))
        )
        self._kind.setAccessibleName(self.tr("Kind of mask"))
        self._say_kind()
        for widget in (self._fill, self._number):
            widget.setAccessibleName(self.tr("Mask value"))
        self._alignment.set_words(alignment_words.short_words(), alignment_words.sentences())
        self._alignment.setAccessibleName(self.tr("Which query stands at which key"))
        self._say_fill()
        self._numbers.retranslate()

    def sizeHint(self) -> QSize:
        """Give the size in which every text is whole, whether or not there is room for it now."""
        hint = super().sizeHint()
        lacking = self._alignment.sizeHint().width() - self._alignment.maximumWidth()
        width = hint.width() + (0 if self._alignment.isHidden() else max(0, lacking))
        if self._number.isHidden():
            width += self._fill.whole_width() - self._fill.sizeHint().width()
        return QSize(width, hint.height())

    def minimumSizeHint(self) -> QSize:
        """Give the size in which the kind of mask can be told, whatever is shown now."""
        parts = [part for part in (self._kind, self._numbers, self._number) if not part.isHidden()]
        widths = [part.minimumSizeHint().width() for part in parts]
        if not self._alignment.isHidden():
            widths.append(self._alignment.minimumSizeHint().width())
        return QSize(sum(widths) + SPACE * len(widths) + _ARROW, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Shorten what says least where there is no room for everything: the kind of mask is told last."""
        self._alignment.show_sign_only(self.width() < self.sizeHint().width())
        least = self.minimumSizeHint().width() - _ARROW + self._fill.whole_width()
        self._fill.show_arrow_only(not self._number.isHidden() or self.width() < least)

    def _say_kind(self) -> None:
        """Say the whole name of the kind too, for a heading without room for it."""
        tip = self.tr("Which cells are hidden")
        self._kind.setToolTip(f"{tip}\n{self._kind.currentText()}")

    def _say_fill(self) -> None:
        """Say the mask value too, for a heading without room for it."""
        tip = self.tr("What the scores of hidden cells become before softmax")
        self._fill.setToolTip(f"{tip}\n{self._fill.currentText()}")

    def _choose_kind(self, kind: str) -> None:
        inputs, gesture = self._inputs, _gesture_of(self._kind)
        if inputs is not None and kind != inputs.mask.kind:
            if kind == CustomMask.kind:
                self.edit_asked.emit(mask_edits.make_custom, gesture)
                self._numbers.paint.setChecked(inputs is not self._inputs)
            else:
                self._set_mask(self._last.get(kind) or _first_of(kind, inputs), gesture)
        self._show_again()

    def _set_mask(self, mask: Mask, gesture: str) -> None:
        """Ask for a mask; which query stands at which key stays as it is."""
        self.edit_asked.emit(
            lambda inputs: edits.set_mask(inputs, mask.with_alignment(inputs.mask.alignment)), gesture
        )
        self._show_again()

    def _toggle_token(self, token: int, hidden: bool) -> None:
        self.edit_asked.emit(lambda inputs: mask_edits.set_padding(inputs, token, hidden), "")
        self._show_again()

    def _choose_alignment(self, alignment: Alignment) -> None:
        gesture = _gesture_of(self._alignment)
        self.edit_asked.emit(lambda inputs: mask_edits.set_alignment(inputs, alignment), gesture)
        self._show_again()

    def _choose_fill(self, which: str) -> None:
        value = {"-inf": -math.inf, **_LARGE_NEGATIVES}.get(which, self._last_number)
        self._set_fill(value, _gesture_of(self._fill))
        if which == "number" and not self._number.isHidden():
            self._number.setFocus(Qt.FocusReason.OtherFocusReason)

    def _set_fill(self, value: float, gesture: str) -> None:
        self.edit_asked.emit(lambda inputs: edits.set_mask_fill(inputs, value), gesture)
        self._show_again()

    def _show_again(self) -> None:
        inputs, self._inputs = self._inputs, None
        if inputs is not None:  # a choice that was not taken goes back
            self.refresh(inputs, self._selection)


def _has_same_mask(before: Inputs, now: Inputs) -> bool:
    """Say whether all that is shown here is the same: most edits are of numbers of q."""
    return (
        before.mask is now.mask
        and before.mask_fill == now.mask_fill
        and before.tokens is now.tokens
        and before.key_tokens is now.key_tokens
    )


def _gesture_of(field: Choice | NumberField) -> str:
    """Give what a change by a field belongs to: all steps by keys while it keeps the focus are one."""
    return f"{field.objectName()}#{field.gesture}" if field.gesture else ""


def _first_of(kind: str, inputs: Inputs) -> Mask:
    """Give a mask of a kind to begin with: numbers that show in this sentence what the kind does."""
    n = inputs.n_key
    width = max(3, n // 4)
    if kind == PaddingMask.kind:
        return PaddingMask(hides_future=inputs.mask.hides_future is True)
    if kind == SlidingWindowMask.kind:
        return SlidingWindowMask(width)
    if kind == SinkMask.kind:
        return SinkMask(1 if n < 20 else 4, width)
    if kind == PrefixMask.kind:
        return PrefixMask(width)
    return CausalMask() if kind == CausalMask.kind else NoMask()
