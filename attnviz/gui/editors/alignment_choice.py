"""Which query stands at which key: a short choice for a heading, whose list says it in whole sentences."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QStyle, QStyleOptionComboBox, QStylePainter, QWidget

from attnviz.gui.editors.choice import Choice

_ARROW, _LEAST = 26, 42  # px
_ANY = 16_777_215  # px, Qt's own greatest width
_SIGNS = {"first": "↖", "last": "↘"}


class AlignmentChoice(Choice):
    """Shows the corner at which queries and keys meet, with a word or two where there is room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._short: dict[str, str] = {}

    def set_words(self, short: dict[str, str], sentences: dict[str, str]) -> None:
        """Take a word or two for each alignment, shown in the box, and the sentence that the list shows."""
        self._short = short
        self.set_choices(tuple((name, f"{sign}  {sentences[name]}") for name, sign in _SIGNS.items()))
        self.updateGeometry()

    def sentence(self) -> str:
        """Give what the alignment shown says."""
        return self.currentText()[1:].strip()

    def show_sign_only(self, is_sign: bool) -> None:
        """Take the room of the sign alone, so that what stands beside it has more."""
        width = _LEAST if is_sign else _ANY
        if width != self.maximumWidth():
            self.setMaximumWidth(width)
            self.update()

    def shown_text(self) -> str:
        """Give what stands in the box."""
        name = str(self.currentData())
        return _SIGNS[name] if self.maximumWidth() < _ANY else f"{_SIGNS[name]} {self._short[name]}"

    def sizeHint(self) -> QSize:
        texts = (f"{sign} {self._short.get(name, '')}" for name, sign in _SIGNS.items())
        widest = max(self.fontMetrics().horizontalAdvance(text) for text in texts)
        return QSize(widest + _ARROW + 4, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST, super().minimumSizeHint().height())

    def paintEvent(self, event: object) -> None:
        """Draw the box with its short text."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        option.currentText = self.shown_text()
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
