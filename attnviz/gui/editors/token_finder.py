"""A field that finds tokens by their text, and leads from one to the next."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from attnviz.core.errors import InputError
from attnviz.core.finding import IntArray, index_of, next_of, tokens_like
from attnviz.gui.fonts import number_font
from attnviz.gui.text_field import TextField
from attnviz.gui.theme import SPACE

_SIDE = 24  # px, of a button


class _Field(TextField):
    """What is looked for is written here."""

    step_asked = Signal(bool)
    left = Signal()

    leaving_commits = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.is_composing:
            super().keyPressEvent(event)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.step_asked.emit(not event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            event.accept()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            event.accept()
        else:
            super().keyPressEvent(event)


class TokenFinder(QWidget):
    """The field, how many tokens hold its text, and buttons to the one before and the next.

    Parameters
    ----------
    name
        The object's name, such as ``tokens/find``; those of its parts begin with it.

    Signals
    -------
    found(int)
        A token is to be looked at.
    left()
        A person has had enough.
    refused(InputError)
        No token holds the text.
    """

    found = Signal(int)
    left = Signal()
    refused = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._tokens: tuple[str, ...] = ()
        self._chosen = 0
        self._places: IntArray = np.empty(0, np.int64)
        self._looked_for: tuple[object, str] = (None, "")  # the tokens and the text that the places are of
        self.field = _Field(self)
        self.field.setObjectName(f"{name}/text")
        self.field.setMinimumWidth(64)
        self._count = QLabel(self)
        self._count.setObjectName(f"{name}/count")
        self._count.setFont(number_font(small=True))
        self._count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._before, self._next, self._close = (
            self._button(f"{name}/{part}", sign)
            for part, sign in (("before", "‹"), ("next", "›"), ("close", "×"))
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE)
        row.addWidget(self.field, 1)
        for widget in (self._count, self._before, self._next, self._close):
            row.addWidget(widget)
        self.field.textChanged.connect(lambda text: self._look())
        self.field.step_asked.connect(lambda forwards: self._step(forwards=forwards))
        self.field.left.connect(self.left)
        self._before.clicked.connect(lambda: self._step(forwards=False))
        self._next.clicked.connect(lambda: self._step(forwards=True))
        self._close.clicked.connect(self.left)
        self.hide()

    def show_tokens(self, tokens: tuple[str, ...], chosen: int) -> None:
        """Take the tokens that are looked through, and the one that is looked at; says nothing."""
        if tokens is not self._tokens and len(tokens) != len(self._tokens):
            self._fit(len(tokens))
        self._tokens, self._chosen = tokens, chosen
        if not self.isHidden():
            self._look()

    def ask(self) -> None:
        """Show the field, ready to be written in; what was looked for last is still there."""
        self.show()
        self._look()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def retranslate(self) -> None:
        """Say all texts in the language that is now installed."""
        self.field.setPlaceholderText(self.tr("Find a token"))
        self.field.setAccessibleName(self.tr("Find tokens that hold this text"))
        for button, text in (
            (self._before, self.tr("The one before (Shift+Enter)")),
            (self._next, self.tr("The next one (Enter)")),
            (self._close, self.tr("Leave the search (Esc)")),
        ):
            button.setAccessibleName(text)
            button.setToolTip(text)
        self._say()

    def _look(self) -> None:
        """Find where the text is, unless that is known, and say how often."""
        looked_for = (self._tokens, self.field.text())
        if looked_for[0] is not self._looked_for[0] or looked_for[1] != self._looked_for[1]:
            self._looked_for = looked_for
            tokens, text = looked_for
            self._places = index_of(tokens).find(text) if text else np.empty(0, np.int64)
        self._say()

    def _say(self) -> None:
        """Say how many tokens hold the text and, at one of them, which of those it is."""
        places = self._places
        if not self.field.text():
            self._count.clear()
            self._count.setAccessibleName("")
            return
        at = int(np.searchsorted(places, self._chosen))
        is_there = at < len(places) and int(places[at]) == self._chosen
        count = f"{len(places):,}"
        self._count.setText(f"{at + 1:,} / {count}" if is_there else count)
        words = (
            self.tr("{place} of {count} found").format(place=f"{at + 1:,}", count=count)
            if is_there
            else self.tr("{count} found").format(count=count)
        )
        self._count.setAccessibleName(words)
        self._count.setToolTip(words)

    def _step(self, *, forwards: bool) -> None:
        """Lead to the next token that holds the text, or to the one before; round at the ends."""
        text = self.field.text()
        if not text or not self._tokens:
            return
        self._look()
        try:
            places = self._places if self._places.size else tokens_like(self._tokens, text)
        except InputError as error:
            self.refused.emit(error)
            return
        self.found.emit(int(places[next_of(places, self._chosen, forwards=forwards)]))

    def _fit(self, n_tokens: int) -> None:
        widest = f"{n_tokens:,} / {n_tokens:,}"
        self._count.setFixedWidth(self._count.fontMetrics().horizontalAdvance(widest) + SPACE)

    def _button(self, name: str, sign: str) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName(name)
        button.setText(sign)
        button.setAutoRaise(True)
        button.setFixedWidth(_SIDE)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button
