"""The tokens as one line of chips that scrolls sideways and always keeps the selected one in view.

Up to MOST_CHIPS tokens every chip is a small widget named ``token/0``, ``token/1`` … Beyond, only those
in view are, used again for others while the line scrolls; ``chip(index)`` scrolls a token into view first.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, QTimerEvent, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QMenu, QSizePolicy, QWidget

from attnviz.gui.editors.inline_field import InlineField
from attnviz.gui.editors.plain_text import visible
from attnviz.gui.editors.slim_scroll_bar import THICKNESS, SlimScrollBar
from attnviz.gui.editors.token_chip import HEIGHT, MOST_WIDTH, PADDING, TokenChip
from attnviz.gui.theme import LIGHT, SPACE, Theme

MOST_CHIPS = 200
_SPARE = 3
_FIELD_WIDTH = 104


class TokenChips(QAbstractScrollArea):
    """The row of chips.

    Signals
    -------
    query_chosen(int)
        Another token is to be looked at.
    rename_asked(int, str), insert_asked(int, str), remove_asked(int), move_asked(int, int)
        A token is to get a text; a token is to come in before the one of this index; a token is to go; a
        token is to become the one of another index.
    """

    query_chosen = Signal(int)
    rename_asked = Signal(int, str)
    insert_asked = Signal(int, str)
    remove_asked = Signal(int)
    move_asked = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tokens")
        self.theme = LIGHT
        self._tokens: tuple[str, ...] = ()
        self._defaults: tuple[bool, ...] = ()
        self._selected = 0
        self._widths: list[int] = []
        self._lefts: list[int] = [0]
        self._chips: dict[int, TokenChip] = {}
        self._field: InlineField | None = None
        self._field_at = 0
        self._is_inserting = False
        self._pressed: tuple[int, int] | None = None
        self._drop: int | None = None
        self._pointer = 0
        self._scroll_timer = 0
        self._bar = SlimScrollBar(Qt.Orientation.Horizontal)
        self.setHorizontalScrollBar(self._bar)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.viewport().setAutoFillBackground(False)
        self.setFixedHeight(HEIGHT + 2 + THICKNESS)

    def chip(self, index: int) -> TokenChip:
        """Give the chip of a token, scrolled into view."""
        self._scroll_to(index)
        return self._chips[index]

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self.theme = theme
        self._bar.set_theme(theme)
        for chip in self._chips.values():
            chip.update()

    def show_tokens(self, tokens: tuple[str, ...], defaults: tuple[bool, ...], selected: int) -> None:
        """Show tokens, which of them have default vectors, and the selected one; says nothing."""
        renamed = tokens is not self._tokens and tokens != self._tokens
        moved = selected != self._selected
        if not renamed and not moved and defaults == self._defaults:
            return
        self._tokens, self._defaults, self._selected = tokens, defaults, selected
        if renamed:
            if self._field is not None and self._field_at > len(tokens) - (not self._is_inserting):
                self._close_field()
            self._pressed = self._drop = None
            metrics = self.fontMetrics()
            self._widths = [_width(token, metrics) for token in tokens]
            self._lay_out()
        if renamed or moved:
            self._scroll_to(selected)
        self._sync_chips()
        self.setAccessibleDescription(visible(tokens[selected]))

    def rename(self, index: int) -> None:
        """Let the text of a token be written in its place."""
        self._pressed = None
        self._scroll_to(index)
        self._open_field(index, self._tokens[index], inserting=False)

    def add_after(self, index: int) -> None:
        """Let the text of a new token be written after one."""
        self._open_field(index + 1, "", inserting=True)

    def retranslate(self) -> None:
        """Say all texts in the language that is now installed."""
        self.setAccessibleName(self.tr("Tokens"))
        for chip in self._chips.values():
            chip.index = -1
        self._sync_chips()

    # --- chips

    def _lay_out(self) -> None:
        left, self._lefts = 1, []
        for index, width in enumerate(self._widths):
            if self._is_inserting and index == self._field_at:
                left += _FIELD_WIDTH + SPACE
            self._lefts.append(left)
            left += width + SPACE
        if self._is_inserting and self._field_at == len(self._widths):
            left += _FIELD_WIDTH + SPACE
        self._lefts.append(left)
        self._fit_bar()
        self.updateGeometry()

    def _fit_bar(self) -> None:
        room = self.viewport().width()
        self._bar.setPageStep(room)
        self._bar.setSingleStep(48)
        self._bar.setRange(0, max(0, self._lefts[-1] - room))

    def _scroll_to(self, index: int) -> None:
        if not 0 <= index < len(self._widths):
            return
        margin = 24
        left, right = self._lefts[index] - margin, self._lefts[index] + self._widths[index] + margin
        now, room = self._bar.value(), self.viewport().width()
        if left < now:
            self._bar.setValue(left)
        elif right > now + room:
            self._bar.setValue(right - room)
        self._sync_chips()

    def _in_view(self) -> range:
        count = len(self._tokens)
        if count <= MOST_CHIPS:
            return range(count)
        offset = self._bar.value()
        first = bisect_right(self._lefts, offset) - 1 - _SPARE
        last = bisect_right(self._lefts, offset + self.viewport().width()) + _SPARE
        return range(max(0, first), min(count, last))

    def _sync_chips(self) -> None:
        wanted = self._in_view()
        held = self._pressed[0] if self._pressed else -1
        spare = [self._chips.pop(i) for i in list(self._chips) if i not in wanted and i != held]
        for index in wanted:
            if index not in self._chips:
                chip = spare.pop() if spare else TokenChip(self)
                chip.index = -1
                self._chips[index] = chip
        for chip in spare:
            chip.hide()
            chip.setParent(None)
            chip.deleteLater()
        offset = self._bar.value()
        for index, chip in self._chips.items():
            is_default = self._defaults[index]
            chip.show_token(
                index,
                self._tokens[index],
                selected=index == self._selected,
                default=is_default,
                ringed=index == self._selected and self.hasFocus(),
                lifted=self._drop is not None and index == held,
                note=self.tr("Its vectors are defaults; nobody has edited them yet.") if is_default else "",
            )
            chip.setGeometry(self._lefts[index] - offset, 1, self._widths[index], HEIGHT)
            chip.setVisible(self._is_inserting or self._field is None or index != self._field_at)
        self._place_field()

    # --- naming in place

    def _open_field(self, index: int, text: str, *, inserting: bool) -> None:
        self._close_field()
        field = InlineField(text, self.viewport())
        field.setObjectName("tokens/name")
        field.setAccessibleName(self.tr("Text of the token"))
        field.setFont(self.font())
        field.finished.connect(self._take_name)
        field.dropped.connect(self._drop_name)
        self._field, self._field_at, self._is_inserting = field, index, inserting
        self._lay_out()
        left = self._field_left()
        offset = self._bar.value()
        room = self.viewport().width()
        if left + _FIELD_WIDTH + 24 > offset + room:
            self._bar.setValue(left + _FIELD_WIDTH + 24 - room)
        self._sync_chips()
        field.show()
        field.raise_()
        field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _field_left(self) -> int:
        left = self._lefts[min(self._field_at, len(self._lefts) - 1)]
        return left - (_FIELD_WIDTH + SPACE if self._is_inserting else 0)

    def _place_field(self) -> None:
        if self._field is None:
            return
        width = _FIELD_WIDTH if self._is_inserting else max(_FIELD_WIDTH, self._widths[self._field_at])
        self._field.setGeometry(self._field_left() - self._bar.value(), 1, width, HEIGHT)

    def _close_field(self) -> None:
        field, self._field = self._field, None
        if field is None:
            return
        was_inserting, self._is_inserting = self._is_inserting, False
        had_focus = field.hasFocus()
        field.blockSignals(True)
        if had_focus:
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        field.hide()
        field.deleteLater()
        if was_inserting:
            self._lay_out()
        self._sync_chips()

    def _take_name(self, text: str) -> None:
        index, inserting = self._field_at, self._is_inserting
        self._close_field()
        if inserting and text:
            self.insert_asked.emit(index, text)
        elif not inserting and text != self._tokens[index]:
            self.rename_asked.emit(index, text)

    def _drop_name(self) -> None:
        self._close_field()

    # --- mouse, told by the chips

    def chip_pressed(self, index: int, x: int) -> None:
        """A chip was pressed at ``x`` of the viewport."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self._pressed = (index, x + self._bar.value())
        if index != self._selected:
            self.query_chosen.emit(index)

    def chip_moved(self, x: int) -> None:
        """The mouse that pressed a chip is at ``x`` of the viewport."""
        if self._pressed is None:
            return
        self._pointer = x
        along = x + self._bar.value()
        if self._drop is None and abs(along - self._pressed[1]) < QApplication.startDragDistance():
            return
        centres = [left + width / 2 for left, width in zip(self._lefts[:-1], self._widths, strict=True)]
        self._drop = bisect_right(centres, along)
        outside = x < 0 or x > self.viewport().width()
        if outside and not self._scroll_timer:
            self._scroll_timer = self.startTimer(30)
        elif not outside:
            self._stop_scrolling()
        self._sync_chips()
        self.viewport().update()

    def chip_released(self) -> None:
        """The mouse was released."""
        pressed, drop = self._pressed, self._drop
        self._pressed = self._drop = None
        self._stop_scrolling()
        self._sync_chips()
        self.viewport().update()
        if pressed is not None and drop is not None:
            to = drop if drop <= pressed[0] else drop - 1
            if to != pressed[0]:
                self.move_asked.emit(pressed[0], to)

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
        self.chip_moved(self._pointer)

    # --- keys and the rest

    def _select(self, index: int) -> None:
        index = min(max(index, 0), len(self._tokens) - 1)
        if index != self._selected:
            self.query_chosen.emit(index)

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
        if event.key() == Qt.Key.Key_Escape and self._pressed is not None:
            self._drop = None
            self.chip_released()
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
            action.setObjectName(f"tokens/{name}")
            action.setEnabled(is_possible)
        menu.popup(at)

    def sizeHint(self) -> QSize:
        return QSize(self._lefts[-1] + 1, self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(160, self.height())

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self._sync_chips()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._widths:
            self._fit_bar()
            self._scroll_to(self._selected)

    def wheelEvent(self, event: QWheelEvent) -> None:
        pixels = event.pixelDelta()
        turn = event.angleDelta()
        by = (pixels.x() or pixels.y()) or (turn.x() or turn.y()) // 2
        self._bar.setValue(self._bar.value() - by)
        event.accept()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._sync_chips()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._sync_chips()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._drop is None:
            return
        painter = QPainter(self.viewport())
        painter.setPen(QPen(self.theme.accent, 2))
        x = self._lefts[self._drop] - SPACE / 2 - self._bar.value()
        painter.drawLine(QPointF(x, 2), QPointF(x, HEIGHT))
        painter.end()


def _width(token: str, metrics: QFontMetrics) -> int:
    return max(HEIGHT, min(MOST_WIDTH, metrics.horizontalAdvance(visible(token)) + 2 * PADDING))
