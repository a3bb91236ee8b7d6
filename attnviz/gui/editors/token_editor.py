"""The sentence and its tokens: a line for the whole text, and a chip for each token."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QVBoxLayout, QWidget

from attnviz.core.inputs import Inputs
from attnviz.core.selection import Selection
from attnviz.gui.editors.editor import Editor
from attnviz.gui.editors.sentence_field import SentenceField
from attnviz.gui.editors.token_chips import TokenChips
from attnviz.gui.editors.token_row import TokenRow
from attnviz.gui.theme import SPACE, Theme
from attnviz.text import token_edits


class TokenEditor(Editor):
    """Editor of the sentence and the tokens, in one row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("token_editor")
        self._marks: np.ndarray | None = None
        self._defaults: tuple[bool, ...] = ()
        self._queries = row = TokenRow(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, 0)
        column.setSpacing(0)
        column.addWidget(row)
        row.chosen.connect(self.query_chosen)
        row.text_entered.connect(self._set_text)
        row.rename_asked.connect(self._rename)
        row.insert_asked.connect(self._insert)
        row.remove_asked.connect(self._remove)
        row.move_asked.connect(self._move)
        self.retranslate()

    @property
    def sentence(self) -> SentenceField:
        """The line of the whole text."""
        return self._queries.sentence

    @property
    def chips(self) -> TokenChips:
        """The row of chips."""
        return self._queries.chips

    def refresh(self, inputs: Inputs, selection: Selection) -> None:
        super().refresh(inputs, selection)
        marks = self._default_marks(inputs, selection)
        self._queries.show_tokens(inputs.text, inputs.tokens, marks, selection.query)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._queries.set_theme(theme)

    def retranslate(self) -> None:
        self._queries.name_parts(self.tr("Sentence"), self.tr("Sentence"), self.tr("Tokens"))

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
