"""A list of choices for a heading: small, quiet, and told apart from what the program chose."""

from __future__ import annotations

import itertools

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter, QWidget

from attnviz.gui.fonts import small_font

_LEAST, _ARROW = 48, 26  # px
_AROUND = 2  # px beside a text that is whole
_runs = itertools.count(1)


class Choice(QComboBox):
    """A list of choices that tells only what a person chose, and leaves the wheel to what lies around it."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_arrow = False
        self._short: dict[str, str] = {}
        self._run = next(_runs)
        self._is_stepping = False
        self.setFont(small_font())
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)  # in another language too
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.activated.connect(lambda index: self.chosen.emit(self.itemData(index)))

    @property
    def gesture(self) -> str:
        """What the choice being told belongs to: a name shared by steps with keys, "" from the list."""
        return f"keys{self._run}" if self._is_stepping else ""

    def set_choices(self, choices: tuple[tuple[str, str], ...]) -> None:
        """Offer choices, each an id and its text; the id shown stays."""
        if tuple((self.itemData(i), self.itemText(i)) for i in range(self.count())) == choices:
            return
        now = self.currentData()
        self.clear()
        for identity, text in choices:
            self.addItem(text, identity)
        self.show_choice(now)
        texts = (self.fontMetrics().horizontalAdvance(text) for _, text in choices)
        self.view().setMinimumWidth(max(texts, default=0) + 32)  # the list, where the box itself is narrow

    def show_choice(self, identity: str) -> None:
        """Show a choice and say nothing."""
        index = self.findData(identity)
        if index != self.currentIndex():
            self.setCurrentIndex(index)
            if self._short:
                self.updateGeometry()  # the least width is that of the word now shown

    def set_short(self, short: dict[str, str]) -> None:
        """Take a word for each choice, which is shown where there is no room for its text."""
        self._short = short
        self.updateGeometry()

    def shown_text(self) -> str:
        """Give what stands in the box: the whole text, else the short one, else the beginning of that."""
        if self._is_arrow:
            return ""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        room = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        text, width = self.currentText(), room.width() - 2
        if self.fontMetrics().horizontalAdvance(text) > width:
            text = self._short.get(str(self.currentData()), text)
        return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, width)

    def whole_width(self) -> int:
        """Give the width in px in which every text is whole."""
        return super().sizeHint().width()

    def show_arrow_only(self, is_arrow: bool) -> None:
        """Take the room of the arrow alone, where a field beside it says what is chosen."""
        if is_arrow != self._is_arrow:
            self._is_arrow = is_arrow
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        size = super().sizeHint()
        return QSize(_ARROW, size.height()) if self._is_arrow else size

    def minimumSizeHint(self) -> QSize:
        least = _LEAST
        if self._short:
            text = self._short.get(str(self.currentData()), self.currentText())
            least = self.fontMetrics().horizontalAdvance(text) + _ARROW + _AROUND
        return QSize(_ARROW if self._is_arrow else least, super().minimumSizeHint().height())

    def paintEvent(self, event: object) -> None:
        """Draw the box; its text is shorter where it is narrow."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        if not self._is_arrow:
            option.currentText = self.shown_text()
            painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._is_stepping = True
        try:
            super().keyPressEvent(event)
        finally:
            self._is_stepping = False

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() not in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason):
            self._run = next(_runs)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
