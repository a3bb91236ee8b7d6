"""A line that leads to a place of the matrix: by numbers, or from one token that holds a text to the next."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget
from shiboken6 import isValid

from attnviz.core.errors import InputError
from attnviz.core.finding import IntArray, next_of, numbers_in, place_named, tokens_like
from attnviz.gui.editors.choice import Choice
from attnviz.gui.editors.editor import Editor
from attnviz.gui.fonts import number_font
from attnviz.gui.text_field import TextField
from attnviz.gui.theme import SPACE

_HEIGHT = 26


class GoToField(TextField):
    """Where to go is written here; Shift+Enter goes back.

    Signals
    -------
    back_asked()
        The one before is wanted.
    """

    back_asked = Signal()

    leaving_commits = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and event.modifiers() & Qt.KeyboardModifier.ShiftModifier and not self.is_composing:
            self.back_asked.emit()
            event.accept()
        elif event.key() == Qt.Key.Key_Escape and not self.is_composing:
            event.ignore()  # what is written stays for the next time; the line goes
        else:
            super().keyPressEvent(event)


class GoToBar(Editor):
    """The line; hidden until it is asked for.

    Signals
    -------
    cell_asked(query, key)
        A cell is to be selected and shown.
    """

    cell_asked = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("go_to")
        self._found: tuple[object, str, IntArray] | None = None  # tokens, text, and where it was found
        self._came_from: QWidget | None = None
        self._label = QLabel()
        self._field = GoToField()
        self._field.setObjectName("go_to/place")
        self._field.setFixedHeight(_HEIGHT)
        self._field.setMinimumWidth(96)
        self._field.setMaximumWidth(280)
        self._label.setBuddy(self._field)
        self._which = Choice()
        self._which.setObjectName("go_to/which")
        self._before, self._next = (
            _button(f"go_to/{name}", sign) for name, sign in (("before", "‹"), ("next", "›"))
        )
        self._count = QLabel()
        self._count.setObjectName("go_to/count")
        self._count.setFont(number_font(small=True))
        self._close = _button("go_to/close", "×")
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, 0)
        row.setSpacing(SPACE)
        for widget in (self._label, self._field, self._which, self._before, self._next, self._count):
            row.addWidget(widget)
        row.setStretch(1, 1)
        row.addStretch(1)
        row.addWidget(self._close)
        self._field.committed.connect(lambda text: self._go())
        self._field.back_asked.connect(lambda: self._go(forwards=False))
        self._before.clicked.connect(lambda: self._go(forwards=False))
        self._next.clicked.connect(lambda checked: self._go())
        self._close.clicked.connect(self._put_away)
        self._which.chosen.connect(lambda which: self._forget())
        self._field.textEdited.connect(lambda text: self._forget())
        self.retranslate()
        self._which.show_choice("query")
        self.hide()

    def ask(self) -> None:
        """Show the line, ready to be written in."""
        if self.isHidden():
            self._came_from = self.window().focusWidget()
        self.show()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._field.selectAll()

    def retranslate(self) -> None:
        self._label.setText(self.tr("Go to"))
        self._field.setPlaceholderText(self.tr("query, key or a token's text"))
        self._field.setAccessibleName(self.tr("Where to go: query, key or a token's text"))
        self._which.set_choices((("query", self.tr("query")), ("key", self.tr("key"))))
        self._which.setAccessibleName(self.tr("Look for queries or for keys"))
        self._which.setToolTip(self.tr("Whether a text, or one number, is of a query or of a key"))
        for button, text in (
            (self._before, self.tr("The one before (Shift+Enter)")),
            (self._next, self.tr("The next one (Enter)")),
            (self._close, self.tr("Put this line away (Esc)")),
        ):
            button.setAccessibleName(text)
            button.setToolTip(text)

    def _put_away(self) -> None:
        """Hide the line; the keyboard goes back to where it was."""
        came_from, self._came_from = self._came_from, None
        if came_from is not None and isValid(came_from) and came_from.isVisible():
            came_from.setFocus(Qt.FocusReason.OtherFocusReason)
        self.hide()

    def _forget(self) -> None:
        self._found = None
        self._count.clear()

    def _go(self, *, forwards: bool = True) -> None:
        inputs, text, which = self._inputs, self._field.text(), self._which.currentData()
        if inputs is None or self._field.is_composing:
            return
        at = self._selection.query, self._selection.key
        numbers = numbers_in(text)
        try:
            if numbers:
                self.cell_asked.emit(*place_named(numbers, which, at, (inputs.n_query, inputs.n_key)))
                return
            tokens = inputs.tokens if which == "query" else inputs.key_labels
            if self._found is None or self._found[0] is not tokens or self._found[1] != text:
                self._found = (tokens, text, tokens_like(tokens, text))
        except InputError as error:
            self._forget()
            self.refused.emit(error)
            return
        found = self._found[2]
        place = next_of(found, at[0 if which == "query" else 1], forwards=forwards)
        self._count.setText(f"{place + 1} / {len(found)}")
        index = int(found[place])
        self.cell_asked.emit(*((index, at[1]) if which == "query" else (at[0], index)))

    # Qt's overrides

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._put_away()
            event.accept()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        widest = f"{10**7} / {10**7}"
        self._count.setFixedWidth(self._count.fontMetrics().horizontalAdvance(widest))


def _button(name: str, sign: str) -> QToolButton:
    button = QToolButton()
    button.setObjectName(name)
    button.setText(sign)
    button.setAutoRaise(True)
    button.setFixedSize(_HEIGHT, _HEIGHT)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button
