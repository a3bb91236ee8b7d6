"""The numbers of a kind of mask: a width, sinks and a width, the length of a prefix, hidden tokens, a brush.

Which of them are shown follows the kind; each is as wide as its widest content.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from attnviz.core.inputs import Inputs
from attnviz.core.masks import Mask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import LONGEST, PrefixMask, SinkMask, SlidingWindowMask
from attnviz.gui.editors.padding_list import PaddingList
from attnviz.gui.fonts import number_font, small_font
from attnviz.gui.number_field import NumberField
from attnviz.gui.theme import LIGHT, Theme


class MaskNumbers(QWidget):
    """Shows the numbers of the mask and tells which mask a person asks for.

    Signals
    -------
    mask_asked(Mask, gesture)
        Another mask of the same kind is wanted.
    token_toggled(token, hidden)
        A token is to be hidden by padding, or seen again.
    painting_changed(bool)
        Cells are to be painted on the mask panel from now on, or no more.
    refused(InputError)
        What was typed cannot be taken.
    """

    mask_asked = Signal(object, str)
    token_toggled = Signal(int, bool)
    painting_changed = Signal(bool)
    refused = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._mask: Mask | None = None
        self._inputs: Inputs | None = None
        self._is_cross = False
        self.sinks = self._field("mask_sinks", 0, self._with_sinks)
        self.plus = QLabel("+", self)
        self.plus.setFont(small_font())
        self.width_field = self._field("mask_width", 1, self._with_width)
        self.length = self._field("mask_length", 1, PrefixMask)
        self.tokens = _button(self, "mask_tokens")
        self.tokens.clicked.connect(self._open_list)
        self.paint = _button(self, "mask_paint")
        self.paint.setCheckable(True)
        self.paint.toggled.connect(self._paint_or_not)
        self._list = PaddingList(self)
        self._list.toggled.connect(self.token_toggled)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        for widget in (self.sinks, self.plus, self.width_field, self.length, self.tokens, self.paint):
            row.addWidget(widget)
            widget.hide()
        self.retranslate()

    def show_mask(self, inputs: Inputs) -> None:
        """Show the numbers of the document's mask."""
        mask = inputs.mask
        self._inputs, self._mask = inputs, mask
        if inputs.is_cross != self._is_cross:
            self._is_cross = inputs.is_cross
            self._say_numbers()
        shown: dict[QWidget, bool] = {
            self.sinks: isinstance(mask, SinkMask),
            self.plus: isinstance(mask, SinkMask),
            self.width_field: isinstance(mask, SinkMask | SlidingWindowMask),
            self.length: isinstance(mask, PrefixMask),
            self.tokens: isinstance(mask, PaddingMask),
            self.paint: mask.kind == "custom",
        }
        for widget, is_shown in shown.items():
            if widget.isHidden() == is_shown:
                widget.setVisible(is_shown)
        self.setVisible(any(shown.values()))
        if isinstance(mask, SinkMask):
            _show(self.sinks, mask.sinks)
        if isinstance(mask, SinkMask | SlidingWindowMask):
            _show(self.width_field, mask.width)
        if isinstance(mask, PrefixMask):
            _show(self.length, mask.length)
        if isinstance(mask, PaddingMask):
            self._say_count(mask)
            if self._list.isVisible():
                self._list.show_tokens(inputs.key_labels, mask.tokens)
        elif self._list.isVisible():
            self._list.hide()
        if mask.kind != "custom":
            self.paint.setChecked(False)

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of another theme whether the brush is in hand."""
        self._theme = theme
        palette = theme.palette()
        if self.paint.isChecked():
            palette.setColor(QPalette.ColorRole.Button, theme.accent_soft)
            palette.setColor(QPalette.ColorRole.ButtonText, theme.text)
        self.paint.setPalette(palette)

    def retranslate(self) -> None:
        """Say all texts in the language that is now installed."""
        self._say_numbers()
        self.paint.setText(self.tr("Paint"))
        self.paint.setAccessibleName(self.tr("Paint cells on the mask panel"))
        self.paint.setToolTip(
            self.tr("Drag over the mask panel to hide cells or show them; Space changes the selected one.")
        )
        self._list.say(self.tr("Hidden tokens"))
        self.tokens.setFixedWidth(self.tokens.fontMetrics().horizontalAdvance(self._count_text(888)) + 12)
        if isinstance(self._mask, PaddingMask):
            self._say_count(self._mask)

    def _say_numbers(self) -> None:
        """Say what each number counts; where keys are tokens of their own, no query is one of them."""
        of_tokens: tuple[tuple[QWidget, str], ...] = (
            (self.sinks, self.tr("Sink tokens: the first ones, which every later token sees")),
            (self.width_field, self.tr("Width of the window: how many tokens up to itself a query sees")),
            (self.length, self.tr("Length of the prefix: the first tokens, which all see")),
            (self.tokens, self.tr("Choose the tokens that nobody may attend to")),
        )
        of_keys: tuple[tuple[QWidget, str], ...] = (
            (self.sinks, self.tr("Sinks: the first keys, which every query that stands after them sees")),
            (
                self.width_field,
                self.tr("Width of the window: how many keys up to the one it stands at a query sees"),
            ),
            (self.length, self.tr("Length of the prefix: the first keys, which all queries see")),
            (self.tokens, self.tr("Choose the keys that no query may attend to")),
        )
        for widget, text in of_keys if self._is_cross else of_tokens:
            widget.setAccessibleName(text)
            widget.setToolTip(text)

    def _paint_or_not(self, is_on: bool) -> None:
        self.set_theme(self._theme)
        self.painting_changed.emit(is_on)

    def _field(self, name: str, least: int, mask_of: Callable[[int], Mask]) -> NumberField:
        field = NumberField(self, minimum=least, maximum=LONGEST, step=1, whole=True, widest="0000")
        field.setObjectName(name)
        field.setFont(number_font(small=True))
        field.value_entered.connect(
            lambda value: self.mask_asked.emit(
                mask_of(int(value)), f"{name}#{field.gesture}" if field.gesture else ""
            )
        )
        field.refused.connect(self.refused)
        return field

    def _with_sinks(self, value: int) -> Mask:
        return SinkMask(value, round(self.width_field.value))

    def _with_width(self, value: int) -> Mask:
        if isinstance(self._mask, SinkMask):
            return SinkMask(self._mask.sinks, value)
        return SlidingWindowMask(value)

    def _count_text(self, count: int) -> str:
        return self.tr("tokens: {count}").format(count=count)

    def _say_count(self, mask: PaddingMask) -> None:
        self.tokens.setText(self._count_text(len(mask.tokens)))

    def _open_list(self) -> None:
        if self._inputs is not None and isinstance(self._mask, PaddingMask):
            self._list.show_tokens(self._inputs.key_labels, self._mask.tokens)
            self._list.pop_up(self.tokens)


def _show(field: NumberField, value: int) -> None:
    field.set_value(value)
    field.setToolTip(field.accessibleName())  # a field's own tooltip is for digits it has no room for


def _button(parent: QWidget, name: str) -> QToolButton:
    button = QToolButton(parent)
    button.setObjectName(name)
    button.setFont(small_font())
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button
