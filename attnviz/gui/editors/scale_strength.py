"""The scale strength: what scores are divided by besides √d_k, on a logarithmic slider and as a number."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from attnviz.core import edits
from attnviz.core.inputs import MAX_SCALE_STRENGTH, MIN_SCALE_STRENGTH, Inputs
from attnviz.core.selection import Selection
from attnviz.gui.editors.editor import Editor
from attnviz.gui.editors.painted_slider import PaintedSlider
from attnviz.gui.fonts import number_font
from attnviz.gui.number_field import NumberField, number_text
from attnviz.gui.theme import SPACE, Theme

_PER_DECADE = 50
_SNAP = 4


class StrengthSlider(PaintedSlider):
    """A logarithmic slider, 0.01 to 100, whose middle is 1; a double click goes there."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._exact = 1.0
        self.show_range(
            round(math.log10(MIN_SCALE_STRENGTH) * _PER_DECADE),
            round(math.log10(MAX_SCALE_STRENGTH) * _PER_DECADE),
        )
        self.setPageStep(_PER_DECADE // 5)
        self.setAccessibleDescription(number_text(self._exact))

    @staticmethod
    def strength_at(position: int) -> float:
        """Give the strength of a position, to two digits."""
        return float(f"{10.0 ** (position / _PER_DECADE):.2g}")

    def set_exact(self, strength: float) -> None:
        """Show a strength and say nothing."""
        before, self._exact = self._exact, strength
        position = round(self.knob_position())
        if strength != before or position != self.value():
            self.show_position(position)
            self.setAccessibleDescription(number_text(strength))

    def knob_position(self) -> float:
        return math.log10(self._exact) * _PER_DECADE

    def snapped(self, position: int) -> int:
        return 0 if abs(position) <= _SNAP else position

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._go(0)


class ScaleStrength(Editor):
    """Editor of the scale strength."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._slider = StrengthSlider(self)
        self._slider.setObjectName("scale_strength")
        self._slider.setMinimumWidth(80)
        self._slider.setMaximumWidth(160)
        self._sign = QLabel("÷", self)
        self._field = NumberField(
            self, minimum=MIN_SCALE_STRENGTH, maximum=MAX_SCALE_STRENGTH, step=0.1, widest="000.00"
        )
        self._field.setObjectName("scale_strength/number")
        self._field.setFont(number_font())
        self._label.setBuddy(self._field)
        self._slider.position_asked.connect(self._ask_position)
        self._field.value_entered.connect(lambda value: self._ask(value, self._field.gesture))
        self._field.refused.connect(self.refused)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE)
        for widget in (self._label, self._slider, self._sign, self._field):
            row.addWidget(widget)
        self._sign.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        row.setStretch(1, 1)
        self.retranslate()

    def refresh(self, inputs: Inputs, selection: Selection) -> None:
        before = self._inputs
        super().refresh(inputs, selection)
        if before is None or before.scale_strength != inputs.scale_strength:
            self._slider.set_exact(inputs.scale_strength)
            self._field.set_value(inputs.scale_strength)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._slider.set_theme(theme)

    def retranslate(self) -> None:
        self._label.setText(self.tr("Scale strength"))
        self._slider.setAccessibleName(self.tr("Scale strength"))
        self._field.setAccessibleName(self.tr("Scale strength"))
        self._slider.setToolTip(
            self.tr(
                "Scores are divided by √d_k and by this number, 0.01 to 100. A double-click sets it to 1."
            )
        )

    def _ask_position(self, position: int, run: str) -> None:
        self._ask(StrengthSlider.strength_at(position), run)
        if self._inputs is not None:
            self._slider.set_exact(self._inputs.scale_strength)

    def _ask(self, value: float, run: str) -> None:
        gesture = f"scale_strength#{run}" if run else ""
        self.edit_asked.emit(lambda inputs: edits.set_scale_strength(inputs, value), gesture)
