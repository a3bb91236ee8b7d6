"""What a person does with the chips: choose, name, add, remove and move tokens, by mouse and by keys."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEvent, Qt, QTimerEvent, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from attnviz.gui.editors.inline_field import InlineField
from attnviz.gui.editors.token_chip import HEIGHT, TokenChip
from attnviz.gui.editors.token_line import FIELD_WIDTH, TokenLine
from attnviz.gui.theme import SPACE


class TokenChips(TokenLine):
    """The row of chips.

    Signals
    -------
    chosen(int)
        Another token is to be looked at.
    rename_asked(int, str), insert_asked(int, str), remove_asked(int), move_asked(int, int)
        A token is to get a text; a token is to come in before the one of this index; a token is to go; a
        token is to become the one of another index.
    """

    chosen = Signal(int)
    rename_asked = Signal(int, str)
    insert_asked = Signal(int, str)
    remove_asked = Signal(int)
    move_asked = Signal(int, int)

    def __init__(self, parent: QWidget | None = None, *, prefix: str = "", is_of_keys: bool = False) -> None:
        super().__init__(parent, prefix=prefix, is_of_keys=is_of_keys)
        self._field: InlineField | None = None
        self._pressed_at = 0
        self._pointer = 0
        self._scroll_timer = 0

    def rename(self, index: int) -> None:
        """Let the text of a token be written in its place."""
        self._held = None
        self._scroll_to(index)
        self._close_field()
        self._covered = index
        self._open_field(self._tokens[index])

    def add_after(self, index: int) -> None:
        """Let the text of a new token be written after one."""
        self._close_field()
        self._gap = index + 1
        self._open_field("")

    # --- naming in place

    def _open_field(self, text: str) -> None:
        field = InlineField(text, self.viewport())
        field.setObjectName(f"{self.objectName()}/name")
        field.setAccessibleName(self.tr("Text of the token"))
        field.setFont(self.font())
        field.finished.connect(self._take_name)
        field.dropped.connect(self._close_field)
        self._field = field
        self._lay_out()
        self._reveal(*self._field_place())
        field.begin()

    def _field_place(self) -> tuple[int, int]:
        """Give where the field begins along the line, and its width."""
        if self._covered is not None:
            return int(self._lefts[self._covered]), max(FIELD_WIDTH, int(self._widths[self._covered]))
        return int(self._lefts[self._gap or 0]) - FIELD_WIDTH - SPACE, FIELD_WIDTH

    def _sync_chips(self) -> None:
        super()._sync_chips()
        if self._field is not None:
            left, width = self._field_place()
            self._field.setGeometry(left - self._bar.value(), 1, width, HEIGHT)

    def _close_field(self) -> None:
        field, self._field = self._field, None
        if field is None:
            return
        self._covered = self._gap = None
        field.put_away(self)
        self._lay_out()
        self._sync_chips()

    def _take_name(self, text: str) -> None:
        covered, gap = self._covered, self._gap
        self._close_field()
        if covered is not None and text != self._tokens[covered]:
            self.rename_asked.emit(covered, text)
        elif gap is not None and text:
            self.insert_asked.emit(gap, text)

    def _let_go(self) -> None:
        super()._let_go()
        self._stop_scrolling()
        if self._field is None:
            return
        place = self._gap if self._covered is None else self._covered + 1
        if not self._field.is_composing or place is None or place > len(self._tokens):
            self._close_field()

    # --- mouse, told by the chips with x in px of the viewport

    def _new_chip(self) -> TokenChip:
        chip = super()._new_chip()
        chip.pressed.connect(self._press)
        chip.moved.connect(self._move)
        chip.released.connect(self._release)
        chip.double_clicked.connect(self.rename)
        return chip

    def _press(self, index: int, x: int) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self._held, self._pressed_at = index, x + self._bar.value()
        if index != self._selected:
            self.chosen.emit(index)

    def _move(self, x: int) -> None:
        if self._held is None:
            return
        self._pointer = x
        along = x + self._bar.value()
        if self._drop is None and abs(along - self._pressed_at) < QApplication.startDragDistance():
            return
        centres = self._lefts[:-1] + self._widths / 2
        self._drop = int(np.searchsorted(centres, along, side="right"))
        outside = x < 0 or x > self.viewport().width()
        if outside and not self._scroll_timer:
            self._scroll_timer = self.startTimer(30)
        elif not outside:
            self._stop_scrolling()
        self._sync_chips()
        self.viewport().update()

    def _release(self) -> None:
        held, drop = self._held, self._drop
        self._held = self._drop = None
        self._stop_scrolling()
        self._sync_chips()
        self.viewport().update()
        if held is not None and drop is not None:
            to = drop if drop <= held else drop - 1
            if to != held:
                self.move_asked.emit(held, to)

    def _stop_scrolling(self) -> None:
        if self._scroll_timer:
            self.killTimer(self._scroll_timer)
            self._scroll_timer = 0

    def timerEvent(self, event: QTimerEvent) -> None:
        if event.timerId() != self._scroll_timer:
            super().timerEvent(event)
            return
        beyond = self._pointer if self._pointer < 0 else self._pointer - self.viewport().width()
        self._bar.setValue(self._bar.value() + max(-40, min(40, beyond)))
        self._move(self._pointer)

    # --- keys and the rest

    def _select(self, index: int) -> None:
        index = min(max(index, 0), len(self._tokens) - 1)
        if index != self._selected:
            self.chosen.emit(index)

    def _shift(self, by: int) -> None:
        to = self._selected + by
        if 0 <= to < len(self._tokens):
            self.move_asked.emit(self._selected, to)

    def _action_of(self, event: QKeyEvent) -> Callable[[], None] | None:
        key = Qt.Key(event.key())
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if not self._tokens:
            return None
        if modifiers == Qt.KeyboardModifier.AltModifier:
            return {
                Qt.Key.Key_Left: lambda: self._shift(-1),
                Qt.Key.Key_Right: lambda: self._shift(1),
            }.get(key)
        if event.text() == "+":
            return lambda: self.add_after(self._selected)
        if modifiers:
            return None
        return {
            Qt.Key.Key_Left: lambda: self._select(self._selected - 1),
            Qt.Key.Key_Right: lambda: self._select(self._selected + 1),
            Qt.Key.Key_Home: lambda: self._select(0),
            Qt.Key.Key_End: lambda: self._select(len(self._tokens) - 1),
            Qt.Key.Key_F2: lambda: self.rename(self._selected),
            Qt.Key.Key_Return: lambda: self.rename(self._selected),
            Qt.Key.Key_Enter: lambda: self.rename(self._selected),
            Qt.Key.Key_Insert: lambda: self.add_after(self._selected),
            Qt.Key.Key_Delete: lambda: self.remove_asked.emit(self._selected),
            Qt.Key.Key_Backspace: lambda: self.remove_asked.emit(self._selected),
        }.get(key)

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self.hasFocus()
            and self._action_of(event) is not None
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._held is not None:
            self._drop = None
            self._release()
            return
        action = self._action_of(event)
        if action is None:
            event.ignore()
        else:
            action()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            child = self.viewport().childAt(self.viewport().mapFromGlobal(event.globalPos()))
            if not isinstance(child, TokenChip):
                return
            self._select(child.index)
            index, at = child.index, event.globalPos()
        else:
            index = self._selected
            chip = self.chip(index)
            at = chip.mapToGlobal(chip.rect().bottomLeft())
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        last = len(self._tokens) - 1
        for name, text, is_possible, act in (
            ("rename", self.tr("Rename"), True, lambda: self.rename(index)),
            ("add", self.tr("Add a token after it"), True, lambda: self.add_after(index)),
            ("left", self.tr("Move left"), index > 0, lambda: self.move_asked.emit(index, index - 1)),
            ("right", self.tr("Move right"), index < last, lambda: self.move_asked.emit(index, index + 1)),
            ("remove", self.tr("Remove"), last > 0, lambda: self.remove_asked.emit(index)),
        ):
            action = menu.addAction(text, act)
            action.setObjectName(f"{self.objectName()}/{name}")
            action.setEnabled(is_possible)
        menu.popup(at)
