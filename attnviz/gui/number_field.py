"""A field for one number: shows it, takes a typed one when it is finished, refuses what is no number.

It knows neither what the number is for nor a locale: the decimal point is a point everywhere.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QStyle, QStyleOptionFrame, QWidget

from attnviz.core.errors import AttnvizError, InputError
from attnviz.core.numbers import MAX_MAGNITUDE, format_fixed, format_shortest, parse_number
from attnviz.gui.text_field import TextField

_runs = itertools.count(1)


def number_text(value: float) -> str:
    """Give the shortest digits of a float32 as people read them: 1.0, −0.5, 1e+20, −∞; — for none at all."""
    if math.isnan(value):
        return "—"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = format_shortest(value)
    if text.lstrip("-").isdigit() and len(text) < 8:
        text += ".0"
    return text.replace("-", "−")


def fitting_text(value: float) -> str:
    """Give a number as people read it in at most seven characters, rounded where its digits are more."""
    text = number_text(value)
    whole, _, decimals = text.partition(".")
    if not math.isfinite(value) or (len(text) <= 7 and len(decimals) <= 4):
        return text
    if not 1e-3 <= abs(value) < 1e7:
        digits = 1 if value > 0 else 0
        return f"{value:.{digits}e}".replace("-", "−").replace("e+", "e")
    return format_fixed(value, max(0, min(4, 6 - len(whole))))


def whole_text(value: float) -> str:
    """Give a whole number as people read it."""
    return str(round(value)).replace("-", "−")


class NumberField(TextField):
    """A field for one number, as wide as its widest content; digits it has no room for are in its tooltip.

    Parameters
    ----------
    minimum, maximum
        The range a typed number must lie in.
    step
        What the Up and Down keys add and take away; Page Up and Page Down do ten of them.
    whole
        Whether only whole numbers are taken.
    widest
        The widest text there must be room for.

    Signals
    -------
    value_entered(float)
        A number was typed and finished with Enter or by leaving the field, or stepped to.
    refused(InputError)
        What was typed is no such number; the old one is shown again.
    """

    value_entered = Signal(float)
    refused = Signal(object)

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        minimum: float = -MAX_MAGNITUDE,
        maximum: float = MAX_MAGNITUDE,
        step: float = 0.1,
        whole: bool = False,
        widest: str = "−00.0000",
    ) -> None:
        super().__init__(parent)
        self._minimum, self._maximum, self._step = minimum, maximum, step
        self._is_whole = whole
        self._format: Callable[[float], str] = whole_text if whole else fitting_text
        self._widest = widest
        self._value = 0.0
        self._gesture = ""
        self._run = next(_runs)
        self._is_fresh = False
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setInputMethodHints(Qt.InputMethodHint.ImhPreferNumbers | Qt.InputMethodHint.ImhNoPredictiveText)
        self.setSizePolicy(self.sizePolicy().Policy.Fixed, self.sizePolicy().Policy.Fixed)
        self.committed.connect(self._take)
        self.set_value(0.0)

    @property
    def value(self) -> float:
        """The number last told to be shown."""
        return self._value

    @property
    def gesture(self) -> str:
        """What the last number entered belongs to: a name shared by a run of steps by keys, "" when typed."""
        return self._gesture

    def set_value(self, value: float) -> None:
        """Show a number; says nothing, and leaves alone a field in which a person is writing."""
        self._value = value
        self.set_shown(self._format(value))
        whole = number_text(value)
        tip = "" if self._is_whole or whole == self._shown else whole
        if tip != self.toolTip():
            self.setToolTip(tip)

    def _take(self, text: str) -> None:
        if text == self._shown:  # the digits shown may be shorter than the number
            return
        try:
            value = parse_number(text, minimum=self._minimum, maximum=self._maximum)
            if self._is_whole and value != math.floor(value):
                raise InputError("“{text}” is not a whole number; write digits such as 4.", text=text.strip())
        except AttnvizError as error:
            self.restore()
            self.refused.emit(error)
        else:
            self._run = next(_runs)
            self._say(value, "")

    def _say(self, value: float, gesture: str) -> None:
        self._gesture = gesture
        self.restore()  # whoever hears it shows the new number by set_value, or leaves the old one
        self.value_entered.emit(value)
        if self.hasFocus():
            self.selectAll()

    def _step_by(self, steps: int) -> None:
        try:
            now = (
                parse_number(self.text(), minimum=-math.inf, maximum=math.inf)
                if self.is_edited
                else self._value
            )
        except AttnvizError:
            now = self._value
        value = round(now + steps * self._step, 6)
        value = min(max(value, self._minimum), self._maximum)
        if value != self._value and math.isfinite(value):
            self._say(value, f"keys{self._run}")

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        margins = self.textMargins()
        content = QSize(
            metrics.horizontalAdvance(self._widest) + 2 * 2 + 2 + margins.left() + margins.right(),
            max(metrics.height(), 14) + 2 + margins.top() + margins.bottom(),
        )
        size = self.style().sizeFromContents(QStyle.ContentsType.CT_LineEdit, option, content, self)
        return QSize(size.width(), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        away = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
        if event.reason() not in away or not self.is_edited:
            self._run = next(_runs)
            self._is_fresh = event.reason() == Qt.FocusReason.MouseFocusReason
            self.selectAll()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        if self._is_fresh:  # the press that brought the focus has just put the cursor somewhere
            self.selectAll()
        self._is_fresh = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Up: 1,
            Qt.Key.Key_Down: -1,
            Qt.Key.Key_PageUp: 10,
            Qt.Key.Key_PageDown: -10,
        }.get(Qt.Key(event.key()))
        if steps is None or self.is_composing or self.isReadOnly():
            super().keyPressEvent(event)
        else:
            self._step_by(steps)
