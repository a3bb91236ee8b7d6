"""Editing a text that is too long for a line: the dialog, and what is refused of it."""

from __future__ import annotations

from typing import Literal

from PySide6.QtWidgets import QWidget

from attnviz.core.errors import AttnvizError
from attnviz.gui.dialogs import open_dialog
from attnviz.gui.document import Document
from attnviz.gui.editors.token_editor import TokenEditor
from attnviz.gui.sentence_dialog import SentenceDialog


def edit_long_text(
    window: QWidget, document: Document, editor: TokenEditor, which: Literal["query", "key"], text: str
) -> None:
    """Let a person edit one of the sentences in a dialog; what is refused is said there."""
    name = (editor.key_sentence if which == "key" else editor.sentence).accessibleName()
    dialog = SentenceDialog(name, text, window)
    reasons: list[AttnvizError] = []

    def take(text: str, tokens: tuple[str, ...]) -> None:
        refused = document.refused.connect(reasons.append)
        editor.take_text(which, text, tokens)
        document.refused.disconnect(refused)
        if reasons:
            dialog.refuse(reasons.pop())
        else:
            dialog.accept()

    dialog.split_up.connect(take)
    open_dialog(dialog)
