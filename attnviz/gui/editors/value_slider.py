"""A slider for one number of a vector: −3 to 3 in tenths, wider where the number lies outside."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from attnviz.gui.editors.painted_slider import PaintedSlider
from attnviz.gui.number_field import number_text

USUAL_BOUND = 3.0
_NICE: Sequence[float] = (1.0, 2.0, 5.0, 10.0)


def bound_for(value: float) -> float:
    """Give the end of the range, the same on both sides of 0, in which ``value`` has its place.

    3 for all that fits into it; otherwise the next of 5, 10, 20, 50 … with a little room beyond the value.
    """
    size = abs(value)
    if size <= USUAL_BOUND:
        return USUAL_BOUND
    power = 10.0 ** math.floor(math.log10(size))
    return next(bound for factor in _NICE if (bound := factor * power) >= size and bound > USUAL_BOUND)


def step_for(bound: float) -> float:
    """Give the step of a range: a tenth up to 10, and about a hundredth of the range beyond."""
    return 0.1 if bound <= 50 else 10.0 ** (math.floor(math.log10(bound)) - 2)


class ValueSlider(PaintedSlider):
    """A slider for one number, which it keeps exactly even where no position stands for it.

    Signals
    -------
    value_asked(float, str)
        A person moves it to a number; all of one drag, or of one run of keys, carry the same gesture.
    """

    value_asked = Signal(float, str)

    is_accented = True

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._exact = 0.0
        self._bound = 0.0
        self._step_size = 0.1
        self.position_asked.connect(self._ask_value)
        self._set_bound(USUAL_BOUND)

    @property
    def exact_value(self) -> float:
        """The number last told to be shown."""
        return self._exact

    @property
    def bound(self) -> float:
        """The end of the range; the other end is its negative."""
        return self._bound

    def set_exact(self, value: float, *, afresh: bool = False) -> None:
        """Show a number and say nothing.

        The range widens when it must. It narrows only ``afresh``, when the number belongs to another token,
        so that it stays as it is under a hand.
        """
        bound = bound_for(value)
        if bound > self._bound or (afresh and bound != self._bound and not self.isSliderDown()):
            self._set_bound(bound)
        if value != self._exact or self.value() != round(value / self._step_size):
            self._exact = value
            self.show_position(round(value / self._step_size))
            self.setAccessibleDescription(number_text(value))

    def knob_position(self) -> float:
        return self._exact / self._step_size

    def _set_bound(self, bound: float) -> None:
        self._bound, self._step_size = bound, step_for(bound)
        steps = round(bound / self._step_size)
        self.show_range(-steps, steps)
        self.setPageStep(max(1, round(1.0 / self._step_size)) if self._step_size <= 1 else 10)
        ends = number_text(bound).removesuffix(".0")
        self.setToolTip(f"−{ends} … {ends}")
        self.update()

    def _ask_value(self, position: int, gesture: str) -> None:
        self.value_asked.emit(round(position * self._step_size, 6), gesture)
        # The knob follows the document; where nobody took the number, it goes back.
        self.show_position(round(self._exact / self._step_size))

    def _step(self, steps: int) -> None:
        here = self._exact / self._step_size
        nearest = round(here)
        if abs(here - nearest) < 1e-4:
            self._go(nearest + steps)
        else:  # from a number between two positions to the next one, not past it
            self._go((math.floor(here) if steps > 0 else math.ceil(here)) + steps)
