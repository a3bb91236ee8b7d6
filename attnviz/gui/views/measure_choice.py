"""A list of measures to choose one from, and the field for the width of the window."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QWidget

from attnviz.core.position_masks import LONGEST
from attnviz.core.summaries import WINDOW
from attnviz.gui.fonts import number_font, small_font
from attnviz.gui.number_field import NumberField
from attnviz.gui.views.measure_words import choices


class MeasureChoice(QComboBox):
    """A list of measures that tells only what a person chose, and leaves the wheel to what lies around it."""

    chosen = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setFont(small_font())
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.activated.connect(lambda index: self.chosen.emit(self.itemData(index)))

    def show_choice(self, measure: str) -> None:
        """Show a choice and say nothing."""
        self.setCurrentIndex(self.findData(measure))

    def name_choices(self, none: str, *, is_cross: bool = False) -> None:
        """Take the words of the present language; ``none`` is the name of no measure."""
        now = self.currentData()
        self.clear()
        for measure, text in choices(none, is_cross=is_cross):
            self.addItem(text, measure)
        if now is not None:
            self.show_choice(now)
        widest = max(self.fontMetrics().horizontalAdvance(self.itemText(i)) for i in range(self.count()))
        self.view().setMinimumWidth(widest + 32)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


def window_field(name: str, parent: QWidget | None = None) -> NumberField:
    """Make a field for the width of the window."""
    field = NumberField(parent, minimum=1, maximum=LONGEST, step=1, whole=True, widest="00000")
    field.setObjectName(name)
    field.setFont(number_font(small=True))
    field.set_value(WINDOW)
    return field
