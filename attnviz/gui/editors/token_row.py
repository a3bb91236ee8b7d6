"""One row of tokens: a line for the whole text, a chip for each token, and the buttons that belong to them.

The window has one for the tokens and, in cross attention, a second for the keys. A row shows what it is told
and says what a person asks for; which tokens they are is known to the editor that holds it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from attnviz.gui.editors.sentence_field import SentenceField
from attnviz.gui.editors.token_chips import TokenChips
from attnviz.gui.editors.token_finder import TokenFinder
from attnviz.gui.theme import SPACE, Theme

HEIGHT = 30
"""Height of the controls in a row, in px."""
_BUTTON = 28  # px
_ANY = 16_777_215  # px, Qt's own greatest width


class TokenRow(QWidget):
    """A sentence and its tokens.

    Parameters
    ----------
    prefix
        What the names of its controls begin with: none, or ``key_``.
    is_of_keys
        Whether its chosen token is the selected key, which is marked less than the selected query.

    Signals
    -------
    chosen(int)
        Another token is to be looked at.
    found(int)
        Another token is to be looked at and its place to be shown, since it was looked for.
    refused(InputError)
        No token is as the one that was looked for.
    text_entered(str), editing_asked(str)
        The text is to become the sentence; it is too long for a line and is to be edited elsewhere.
    rename_asked(int, str), insert_asked(int, str), remove_asked(int), move_asked(int, int)
        What is to be done with tokens, see ``TokenChips``.
    """

    chosen = Signal(int)
    found = Signal(int)
    refused = Signal(object)
    text_entered = Signal(str)
    editing_asked = Signal(object)  # an object: Qt has no lone surrogates
    rename_asked = Signal(int, str)
    insert_asked = Signal(int, str)
    remove_asked = Signal(int)
    move_asked = Signal(int, int)

    def __init__(self, parent: QWidget | None = None, *, prefix: str = "", is_of_keys: bool = False) -> None:
        super().__init__(parent)
        self.label = QLabel(self)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence = SentenceField(self)
        self.sentence.setObjectName(f"{prefix}sentence")
        self.label.setBuddy(self.sentence)
        self._split = _button(self, f"{prefix}sentence/split", "⏎")
        self.finder = TokenFinder(f"{prefix}tokens/find", self)
        self.chips = TokenChips(self, prefix=prefix, is_of_keys=is_of_keys)
        self._add = _button(self, f"{prefix}tokens/add", "＋")
        self._selected = 0
        self._title = ""
        self._end: QWidget | None = None
        self._line = row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE)
        parts: tuple[tuple[QWidget, int], ...] = (
            (self.label, 0),
            (self.sentence, 2),
            (self._split, 0),
            (self.finder, 2),
            (self.chips, 3),
            (self._add, 0),
        )
        for widget, stretch in parts:
            row.addWidget(widget, stretch, Qt.AlignmentFlag.AlignTop)
            if widget is not self.chips:
                widget.setFixedHeight(HEIGHT)
        row.insertSpacing(4, 2 * SPACE)
        row.addStretch(0)
        self.sentence.setMinimumWidth(160)
        self.sentence.text_entered.connect(self.text_entered)
        self.sentence.editing_asked.connect(self.editing_asked)
        self._split.clicked.connect(self.sentence.split)
        self.finder.found.connect(self.found)
        self.finder.refused.connect(self.refused)
        self.finder.left.connect(self._stop_finding)
        self._add.clicked.connect(lambda: self.chips.add_after(self._selected))
        for name in ("chosen", "rename_asked", "insert_asked", "remove_asked", "move_asked"):
            getattr(self.chips, name).connect(getattr(self, name))

    def show_tokens(
        self, text: str, tokens: tuple[str, ...], defaults: NDArray[np.bool_], chosen: int
    ) -> None:
        """Show a sentence, its tokens, which of them have default vectors, and the chosen one."""
        self._selected = chosen
        self.sentence.show_sentence(text, tokens)
        self.chips.show_tokens(tokens, defaults, chosen)
        self.finder.show_tokens(tokens, chosen)
        width = self.chips.sizeHint().width()
        if width != self.chips.maximumWidth():  # else the row would be laid out anew with every edit
            self.chips.setMaximumWidth(width)

    def edit_sentence(self) -> None:
        """Let the whole text be edited."""
        if not self.finder.isHidden():
            self._stop_finding()
        self.sentence.begin()

    def find_token(self) -> None:
        """Let a token be found by its text: the field for that takes the place of the sentence."""
        for part in (self.sentence, self._split):
            part.hide()
        self.finder.ask()
        self._show_title()

    def _stop_finding(self) -> None:
        """Show the sentence again; the keyboard goes to the chips, where the token is that was found."""
        self.chips.setFocus(Qt.FocusReason.OtherFocusReason)
        self.finder.hide()
        self._show_title()
        for part in (self.sentence, self._split):
            part.show()

    def _show_title(self) -> None:
        self.label.setText(self._title if self.finder.isHidden() else self.tr("Find"))

    def title_width(self) -> int:
        """Give the width in px that the words before the sentence want."""
        return self.label.sizeHint().width()

    def sentence_room(self, width: int, title_width: int) -> int:
        """Give the width in px that the sentence has beside all chips, or as many as there is room for.

        Parameters
        ----------
        width, title_width
            The whole row's, and that of the words before the sentence, in px.
        """
        fixed = title_width + 2 * _BUTTON + 8 * SPACE
        if self._end is not None:
            fixed += self._end.sizeHint().width() + 2 * SPACE
        room = width - fixed
        return max(self.sentence.minimumWidth(), room - self.chips.sizeHint().width(), 2 * room // 5)

    def set_widths(self, title: int | None, sentence: int | None) -> None:
        """Give the title and the sentence a width in px; None: their own, and all there is."""
        self.label.setMinimumWidth(title or 0)
        self.sentence.setMaximumWidth(sentence or _ANY)
        self.finder.setMaximumWidth(sentence + _BUTTON + SPACE if sentence else _ANY)

    def put_at_the_end(self, widget: QWidget) -> None:
        """Give a control the right end of the row."""
        widget.setFixedHeight(HEIGHT)
        self._line.addSpacing(SPACE)
        self._line.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)
        self._end = widget

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self.chips.set_theme(theme)

    def name_parts(self, title: str, sentence: str, tokens: str) -> None:
        """Take the words that tell it from another row.

        Parameters
        ----------
        title
            What stands before the sentence.
        sentence, tokens
            Accessible names of the field and of the chips.
        """
        self._title = title
        self._show_title()
        self.sentence.setAccessibleName(sentence)
        self.sentence.retranslate()
        for button, text in (
            (self._split, self.tr("Split the sentence into tokens")),
            (self._add, self.tr("Add a token after the selected one")),
        ):
            button.setAccessibleName(text)
            button.setToolTip(text)
        self.finder.retranslate()
        self.chips.retranslate()
        self.chips.setAccessibleName(tokens)


def _button(parent: QWidget, name: str, text: str) -> QToolButton:
    button = QToolButton(parent)
    button.setObjectName(name)
    button.setText(text)
    button.setAutoRaise(True)
    button.setFixedWidth(_BUTTON)
    return button
