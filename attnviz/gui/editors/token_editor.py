"""The sentence and its tokens: a line for the whole text, and a chip for each token."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from attnviz.core.inputs import Inputs
from attnviz.core.selection import Selection
from attnviz.gui.editors.editor import Editor
from attnviz.gui.editors.sentence_field import SentenceField
from attnviz.gui.editors.token_chips import TokenChips
from attnviz.gui.theme import SPACE, Theme
from attnviz.text import token_edits


class TokenEditor(Editor):
    """Editor of the sentence and the tokens, in one row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("token_editor")
        self._marks: np.ndarray | None = None
        self._defaults: tuple[bool, ...] = ()
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._sentence = SentenceField(self)
        self._label.setBuddy(self._sentence)
        self._split = _button(self, "sentence/split", "⏎")
        self._chips = TokenChips(self)
        self._add = _button(self, "tokens/add", "＋")
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, 0)
        row.setSpacing(SPACE)
        for widget, stretch in (
            (self._label, 0),
            (self._sentence, 2),
            (self._split, 0),
            (self._chips, 3),
            (self._add, 0),
        ):
            row.addWidget(widget, stretch, Qt.AlignmentFlag.AlignTop)
            if widget not in (self._chips,):
                widget.setFixedHeight(30)
        row.insertSpacing(3, 2 * SPACE)
        self._sentence.setMinimumWidth(160)
        self._sentence.text_entered.connect(self._set_text)
        self._split.clicked.connect(self._sentence.split)
        self._add.clicked.connect(lambda: self._chips.add_after(self._selection.query))
        self._chips.query_chosen.connect(self.query_chosen)
        self._chips.rename_asked.connect(self._rename)
        self._chips.insert_asked.connect(self._insert)
        self._chips.remove_asked.connect(self._remove)
        self._chips.move_asked.connect(self._move)
        self.retranslate()

    @property
    def sentence(self) -> SentenceField:
        """The line of the whole text."""
        return self._sentence

    @property
    def chips(self) -> TokenChips:
        """The row of chips."""
        return self._chips

    def refresh(self, inputs: Inputs, selection: Selection) -> None:
        super().refresh(inputs, selection)
        self._sentence.show_inputs(inputs)
        self._chips.show_tokens(inputs.tokens, self._default_marks(inputs, selection), selection.query)
        self._chips.setMaximumWidth(self._chips.sizeHint().width())

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._chips.set_theme(theme)

    def retranslate(self) -> None:
        self._label.setText(self.tr("Sentence"))
        self._sentence.setAccessibleName(self.tr("Sentence"))
        self._sentence.setPlaceholderText(self.tr("Write a sentence and press Enter."))
        for button, text in (
            (self._split, self.tr("Split the sentence into tokens")),
            (self._add, self.tr("Add a token after the selected one")),
        ):
            button.setAccessibleName(text)
            button.setToolTip(text)
        self._chips.retranslate()

    def _default_marks(self, inputs: Inputs, selection: Selection) -> tuple[bool, ...]:
        """Give which tokens have defaults in the active head, as its table of vectors says too."""
        marks = inputs.heads[selection.head].is_default
        if marks is not self._marks:
            self._marks, self._defaults = marks, tuple(marks.tolist())
        return self._defaults

    def _set_text(self, text: str) -> None:
        self.edit_asked.emit(lambda inputs: token_edits.set_text(inputs, text), "")

    def _rename(self, index: int, text: str) -> None:
        self.edit_asked.emit(lambda inputs: token_edits.rename_token(inputs, index, text), "")

    def _insert(self, index: int, text: str) -> None:
        self._ask_and_choose(
            lambda inputs: token_edits.insert_token(inputs, index, text), self.query_chosen, index
        )

    def _remove(self, index: int) -> None:
        self.edit_asked.emit(lambda inputs: token_edits.remove_token(inputs, index), "")

    def _move(self, index: int, to: int) -> None:
        self._ask_and_choose(lambda inputs: token_edits.move_token(inputs, index, to), self.query_chosen, to)


def _button(parent: QWidget, name: str, text: str) -> QToolButton:
    button = QToolButton(parent)
    button.setObjectName(name)
    button.setText(text)
    button.setAutoRaise(True)
    button.setFixedWidth(28)
    return button
