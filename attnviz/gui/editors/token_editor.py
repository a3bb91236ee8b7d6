"""The tokens: a row of the sentence and its chips and, in cross attention, a second row of the keys'."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from attnviz.core import key_edits
from attnviz.core.inputs import Inputs
from attnviz.core.selection import Selection
from attnviz.gui.editors.editor import Editor
from attnviz.gui.editors.sentence_field import SentenceField
from attnviz.gui.editors.token_chips import TokenChips
from attnviz.gui.editors.token_row import TokenRow
from attnviz.gui.fonts import small_font
from attnviz.gui.theme import SPACE, Theme
from attnviz.text import token_edits


class TokenEditor(Editor):
    """Editor of the sentence and the tokens, and of those of the keys where they have their own.

    Signals
    -------
    cell_asked(query, key)
        A token was found: its cell is to be selected and shown.
    text_asked(which, text)
        A text too long for a line is to be edited; what comes of it goes to ``take_inputs``. ``which`` is
        ``query`` or ``key``.
    """

    cell_asked = Signal(int, int)
    text_asked = Signal(str, object)  # an object: Qt has no lone surrogates

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("token_editor")
        self._is_cross = False
        self._queries = TokenRow(self)
        self._keys = TokenRow(self, prefix="key_", is_of_keys=True)
        self._cross = QCheckBox(self)
        self._cross.setObjectName("cross_attention")
        self._cross.setFont(small_font())
        self._cross.clicked.connect(self.toggle_cross)
        self._queries.put_at_the_end(self._cross)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, 0)
        column.setSpacing(0)
        column.addWidget(self._queries)
        column.addWidget(self._keys)
        self._connect(self._queries, self.query_chosen)
        self._connect(self._keys, self.key_chosen, which="key")
        self._queries.found.connect(lambda query: self.cell_asked.emit(query, self._selection.key))
        self._keys.found.connect(lambda key: self.cell_asked.emit(self._selection.query, key))
        self._queries.editing_asked.connect(lambda text: self.text_asked.emit("query", text))
        self._keys.editing_asked.connect(lambda text: self.text_asked.emit("key", text))
        for row in (self._queries, self._keys):
            row.refused.connect(self.refused)
        self._keys.hide()
        self.retranslate()

    @property
    def sentence(self) -> SentenceField:
        """The line of the whole text."""
        return self._queries.sentence

    @property
    def chips(self) -> TokenChips:
        """The row of chips."""
        return self._queries.chips

    @property
    def key_sentence(self) -> SentenceField:
        """The line of the keys' whole text."""
        return self._keys.sentence

    @property
    def key_chips(self) -> TokenChips:
        """The row of the keys' chips."""
        return self._keys.chips

    def edit_sentence(self, which: str = "query") -> None:
        """Let the sentence be edited, or that of the keys."""
        (self._keys if which == "key" else self._queries).edit_sentence()

    def take_inputs(self, made: Inputs) -> None:
        """Ask for the document to become what was made of it elsewhere, with another sentence."""
        self.edit_asked.emit(lambda inputs: made, "")

    def find_token(self) -> None:
        """Let a token be found by its text, in the row of the keys where the keyboard is there."""
        focus = self.window().focusWidget()
        is_in_keys = self._is_cross and focus is not None and self._keys.isAncestorOf(focus)
        (self._keys if is_in_keys else self._queries).find_token()

    def refresh(self, inputs: Inputs, selection: Selection) -> None:
        super().refresh(inputs, selection)
        head = inputs.heads[selection.head]
        self._queries.show_tokens(inputs.text, inputs.tokens, head.is_default, selection.query)
        if inputs.is_cross:
            marks = head.is_default_key
            self._keys.show_tokens(inputs.key_text, inputs.key_labels, marks, selection.key)
        self._cross.setChecked(inputs.is_cross)
        if inputs.is_cross != self._is_cross:
            self._is_cross = inputs.is_cross
            self._keys.setVisible(self._is_cross)
            self._say_rows()
        self._align()

    def toggle_cross(self) -> None:
        """Ask for the keys to have tokens of their own, or to be the tokens again."""
        if self._inputs is None:
            return
        change = key_edits.join_keys if self._inputs.is_cross else key_edits.separate_keys
        self.edit_asked.emit(change, "")
        self.refresh(self._inputs, self._selection)  # the click has changed the mark; the document decides

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        for row in (self._queries, self._keys):
            row.set_theme(theme)

    def retranslate(self) -> None:
        self._cross.setText(self.tr("Cross attention"))
        self._cross.setAccessibleName(self.tr("Cross attention"))
        self._cross.setToolTip(
            self.tr("The keys get a sentence of their own: queries of one text look at keys of another.")
        )
        self._say_rows()
        self._align()

    def _say_rows(self) -> None:
        """Name the rows: there is one, or one of the queries and one of the keys."""
        if not self._is_cross:
            self._queries.name_parts(self.tr("Sentence"), self.tr("Sentence"), self.tr("Tokens"))
            return
        self._queries.name_parts(
            self.tr("Queries"), self.tr("Sentence of the queries"), self.tr("Tokens of the queries")
        )
        self._keys.name_parts(self.tr("Keys"), self.tr("Sentence of the keys"), self.tr("Tokens of the keys"))

    def _align(self) -> None:
        """Let the parts of both rows begin below each other; one row alone fills the window as it can."""
        rows = (self._queries, self._keys)
        if not self._is_cross:
            self._queries.set_widths(None, None)
            return
        title = max(row.title_width() for row in rows)
        width = self.contentsRect().width() - 4 * SPACE
        sentence = min(row.sentence_room(width, title) for row in rows)
        for row in rows:
            row.set_widths(title, sentence)

    def _connect(self, row: TokenRow, chosen: SignalInstance, **of: str) -> None:
        """Let a row ask for its edits; ``of`` says to them whose tokens they are."""

        def ask(change: Callable[..., Inputs], *values: object) -> None:
            self.edit_asked.emit(lambda inputs: change(inputs, *values, **of), "")

        def ask_and_choose(change: Callable[..., Inputs], at: int, *values: object) -> None:
            self._ask_and_choose(lambda inputs: change(inputs, *values, **of), chosen, at)

        row.chosen.connect(chosen)
        row.text_entered.connect(lambda text: ask(token_edits.set_text, text))
        row.rename_asked.connect(lambda at, text: ask(token_edits.rename_token, at, text))
        row.remove_asked.connect(lambda at: ask(token_edits.remove_token, at))
        row.insert_asked.connect(lambda at, text: ask_and_choose(token_edits.insert_token, at, at, text))
        row.move_asked.connect(lambda at, to: ask_and_choose(token_edits.move_token, to, at, to))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._align()
