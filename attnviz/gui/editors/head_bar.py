"""The heads as a row of names: which is active, and adding, copying, naming, ordering and removing them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QWidget,
)
from shiboken6 import isValid

from attnviz.core import edits
from attnviz.core.inputs import Inputs
from attnviz.core.selection import Selection
from attnviz.gui.editors.editor import Editor
from attnviz.gui.editors.head_button import HeadButton
from attnviz.gui.editors.inline_field import InlineField
from attnviz.gui.editors.slim_scroll_bar import THICKNESS, SlimScrollBar
from attnviz.gui.plain_text import visible
from attnviz.gui.theme import SPACE, Theme

_HEIGHT = 28


class HeadBar(Editor):
    """Editor of the list of heads. The actions ``head/add`` … ``head/right`` act on the active head."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("heads")
        self._buttons: list[HeadButton] = []
        self._field: InlineField | None = None
        self._naming = 0
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._inner = QWidget()
        self._row = QHBoxLayout(self._inner)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        self._row.addStretch(1)
        self._bar = SlimScrollBar(Qt.Orientation.Horizontal)
        self._area = _Strip(self._inner, self._row, self._bar, self)
        self._actions = {
            name: self._action(name, act, keys)
            for name, act, keys in (
                ("add", self.add, ""),
                ("copy", self.copy, ""),
                ("rename", lambda: self.rename(self._selection.head), ""),
                ("left", lambda: self.shift(-1), "Ctrl+Shift+Left"),
                ("right", lambda: self.shift(1), "Ctrl+Shift+Right"),
                ("remove", self.remove, ""),
            )
        }
        self._menu = QMenu(self)
        for action in self._actions.values():
            self._menu.addAction(action)
        self._add_button = _button(self, "head/add/button", "＋")
        self._add_button.clicked.connect(self.add)
        self._menu_button = _button(self, "head/menu", "⋯")
        self._menu_button.clicked.connect(self._pop_up_below_button)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE)
        row.addWidget(self._label, 0, Qt.AlignmentFlag.AlignTop)
        row.addSpacing(SPACE)
        row.addWidget(self._area, 1)
        row.addWidget(self._add_button, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._menu_button, 0, Qt.AlignmentFlag.AlignTop)
        row.addStretch(0)
        self._label.setFixedHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.retranslate()

    def action(self, name: str) -> QAction:
        """Give one of the actions: add, copy, rename, left, right, remove."""
        return self._actions[name]

    def refresh(self, inputs: Inputs, selection: Selection) -> None:
        before = self._selection.head if self._buttons else -1
        super().refresh(inputs, selection)
        count_changed = len(self._buttons) != inputs.n_heads
        if count_changed:
            self._set_count(inputs.n_heads)
        renamed = False
        for index, (button, head) in enumerate(zip(self._buttons, inputs.heads, strict=True)):
            renamed |= button.text() != head.name
            button.set_name(head.name)
            is_active = index == selection.head
            if button.isChecked() != is_active:
                button.setChecked(is_active)
                button.setFocusPolicy(Qt.FocusPolicy.StrongFocus if is_active else Qt.FocusPolicy.ClickFocus)
        self._actions["remove"].setEnabled(inputs.n_heads > 1)
        self._actions["left"].setEnabled(selection.head > 0)
        self._actions["right"].setEnabled(selection.head < inputs.n_heads - 1)
        if count_changed or renamed:
            self._name_buttons()
            self._area.fit()
        if count_changed or renamed or before != selection.head:
            self._area.reveal(self._buttons[selection.head])
            if any(button.hasFocus() for button in self._buttons):
                self._buttons[selection.head].setFocus(Qt.FocusReason.OtherFocusReason)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._bar.set_theme(theme)
        for button in self._buttons:
            button.set_theme(theme)

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Heads"))
        self._label.setText(self.tr("head"))
        for name, text in (
            ("add", self.tr("Add a head")),
            ("copy", self.tr("Copy this head")),
            ("rename", self.tr("Rename this head")),
            ("left", self.tr("Move this head left")),
            ("right", self.tr("Move this head right")),
            ("remove", self.tr("Remove this head")),
        ):
            self._actions[name].setText(text)
        for button, text in (
            (self._add_button, self.tr("Add a head")),
            (self._menu_button, self.tr("More for this head")),
        ):
            button.setToolTip(text)
            button.setAccessibleName(text)
        self._name_buttons()

    # --- what is asked

    def add(self) -> None:
        """Ask for a head of zeros after the active one."""
        if self._inputs is not None:
            at = self._selection.head + 1
            name = self._free_name()
            self._ask_and_choose(lambda inputs: edits.add_head(inputs, at, name), self.head_chosen, at)

    def copy(self) -> None:
        """Ask for a copy of the active head beside it."""
        if self._inputs is not None:
            head = self._selection.head
            name = self._name_of_copy(self._inputs.heads[head].name)
            self._ask_and_choose(
                lambda inputs: edits.copy_head(inputs, head, name), self.head_chosen, head + 1
            )

    def _name_of_copy(self, name: str) -> str:
        """Give a name that no head has: “a (copy)”, then “a (copy 2)”, of a copy too."""
        assert self._inputs is not None
        first, more = self.tr("{name} (copy)"), self.tr("{name} (copy {number})")
        for words in (first, more):
            pattern = re.escape(words).replace(r"\{name\}", "(.+)").replace(r"\{number\}", r"\d+")
            if copied := re.fullmatch(pattern, name, re.DOTALL):
                name = copied[1]
                break
        taken = {head.name for head in self._inputs.heads}
        names = (
            (first if number == 1 else more).format(name=name, number=number) for number in itertools.count(1)
        )
        return next(free for free in names if free not in taken)

    def remove(self) -> None:
        """Ask for the active head to go."""
        head = self._selection.head
        self.edit_asked.emit(lambda inputs: edits.remove_head(inputs, head), "")

    def shift(self, by: int) -> None:
        """Ask for the active head to change places with a neighbour."""
        head = self._selection.head
        if self._inputs is not None and 0 <= head + by < self._inputs.n_heads:
            self._move_to(head, head + by)

    def rename(self, head: int) -> None:
        """Let the name of a head be written in its place."""
        self._close_field()
        button = self._buttons[head]
        self._area.reveal(button)
        field = InlineField(button.text(), self._inner)
        field.setObjectName("heads/name")
        field.setAccessibleName(self.tr("Name of the head"))
        place = button.geometry()
        field.setGeometry(place.x(), 0, max(place.width(), 96), _HEIGHT)
        field.finished.connect(self._take_name)
        field.dropped.connect(self._close_field)
        self._field, self._naming = field, head
        self._inner.setMinimumWidth(field.geometry().right() + 1)
        self._area.fit()
        field.begin()

    def _take_name(self, name: str) -> None:
        head = self._naming
        self._close_field()
        if name and self._inputs is not None and name != self._inputs.heads[head].name:
            self.edit_asked.emit(lambda inputs: edits.rename_head(inputs, head, name), "")

    def _close_field(self) -> None:
        field, self._field = self._field, None
        if field is None:
            return
        field.put_away(self._buttons[min(self._naming, len(self._buttons) - 1)])
        self._inner.setMinimumWidth(0)
        self._area.fit()

    def _move_to(self, head: int, to: int) -> None:
        self._ask_and_choose(lambda inputs: edits.move_head(inputs, head, to), self.head_chosen, to)

    def _free_name(self) -> str:
        """Give a number that is no name yet; the word “head” stands before a name wherever one is said."""
        assert self._inputs is not None
        taken = {head.name for head in self._inputs.heads}
        number = self._inputs.n_heads + 1
        while str(number) in taken:
            number += 1
        return str(number)

    # --- buttons

    def _set_count(self, count: int) -> None:
        self._close_field()
        while len(self._buttons) > count:
            button = self._buttons.pop()
            if button.hasFocus():
                self._buttons[-1].setFocus(Qt.FocusReason.OtherFocusReason)
            button.hide()
            button.setParent(None)
            button.deleteLater()
        while len(self._buttons) < count:
            head = len(self._buttons)
            button = HeadButton(head, self._inner)
            button.set_theme(self._theme)
            button.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
            button.pressed.connect(lambda head=head: self._choose(head))
            button.clicked.connect(lambda checked=False, head=head: self._choose(head))
            button.rename_asked.connect(lambda head=head: self.rename(head))
            button.dropped.connect(lambda at, head=head: self._drop(head, at))
            button.installEventFilter(self)
            self._row.insertWidget(head, button)
            button.show()
            self._buttons.append(button)

    def _choose(self, head: int) -> None:
        if head != self._selection.head:
            self.head_chosen.emit(head)

    def _drop(self, head: int, at: QPoint) -> None:
        x = self._inner.mapFromGlobal(at).x()
        to = sum(button.geometry().center().x() < x for i, button in enumerate(self._buttons) if i != head)
        if to != head:
            self._move_to(head, to)

    def _name_buttons(self) -> None:
        for button in self._buttons:
            button.setAccessibleName(self.tr("head {name}").format(name=visible(button.text())))

    def _action(self, name: str, act: Callable[[], None], keys: str) -> QAction:
        action = QAction(self)
        action.setObjectName(f"head/{name}")
        action.triggered.connect(lambda checked=False: act())
        if keys:
            action.setShortcut(QKeySequence(keys))
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self.addAction(action)
        return action

    def _pop_up_below_button(self) -> None:
        self._menu.popup(self._menu_button.mapToGlobal(self._menu_button.rect().bottomLeft()))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        child = self.childAt(event.pos())
        if isinstance(child, HeadButton):
            self._choose(self._buttons.index(child))
        self._menu.popup(event.globalPos())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride) and isinstance(
            event, QKeyEvent
        ):
            act = None if event.modifiers() else self._key_action(Qt.Key(event.key()))
            if act is not None:
                event.accept()
                if event.type() == QEvent.Type.KeyPress:
                    act()
                return True
        return super().eventFilter(watched, event)

    def _key_action(self, key: Qt.Key) -> Callable[[], None] | None:
        head, last = self._selection.head, len(self._buttons) - 1
        return {
            Qt.Key.Key_Left: lambda: self._choose(max(0, head - 1)),
            Qt.Key.Key_Right: lambda: self._choose(min(last, head + 1)),
            Qt.Key.Key_Home: lambda: self._choose(0),
            Qt.Key.Key_End: lambda: self._choose(last),
            Qt.Key.Key_F2: lambda: self.rename(head),
            Qt.Key.Key_Delete: self.remove,
        }.get(key)


class _Strip(QScrollArea):
    """The scrolling line of buttons: as wide as they are, if there is room."""

    def __init__(self, inner: QWidget, row: QHBoxLayout, bar: SlimScrollBar, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBar(bar)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.setWidget(inner)
        inner.setAutoFillBackground(False)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_HEIGHT + THICKNESS)
        self._inner, self._buttons_layout = inner, row
        self._kept: HeadButton | None = None

    def reveal(self, button: HeadButton) -> None:
        """Scroll until a button is in view, and keep it there when the room changes."""
        self._kept = button
        self._buttons_layout.activate()
        self.ensureWidgetVisible(button, 24, 0)

    def _reveal_kept(self) -> None:
        if self._kept is not None and isValid(self._kept):
            self.reveal(self._kept)

    def fit(self) -> None:
        """Be no wider than the buttons."""
        self._buttons_layout.activate()
        self._inner.adjustSize()
        self.setMaximumWidth(max(1, self._inner.width()))
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(min(self._inner.sizeHint().width(), 960), self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self._inner.sizeHint().width(), 140), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._reveal_kept()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.fit()  # buttons have no places before they are shown
        self._reveal_kept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turn = event.angleDelta()
        bar = self.horizontalScrollBar()
        bar.setValue(bar.value() - (turn.x() or turn.y()) // 2)
        event.accept()


def _button(parent: QWidget, name: str, text: str) -> QToolButton:
    button = QToolButton(parent)
    button.setObjectName(name)
    button.setText(text)
    button.setAutoRaise(True)
    button.setFixedSize(_HEIGHT, _HEIGHT)
    return button
