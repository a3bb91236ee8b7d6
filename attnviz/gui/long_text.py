"""Editing a text that is too long for a line: the dialog, what is done beside the window, what is refused."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from attnviz.core.errors import AttnvizError, InputError
from attnviz.core.inputs import Inputs
from attnviz.gui.background import Background
from attnviz.gui.dialogs import open_dialog
from attnviz.gui.document import Document
from attnviz.gui.editors.token_editor import TokenEditor
from attnviz.gui.sentence_dialog import SentenceDialog
from attnviz.gui.text_page import joined
from attnviz.io.reading import Watch, tell

Which = Literal["query", "key"]


def edit_long_text(
    window: QWidget,
    document: Document,
    background: Background,
    editor: TokenEditor,
    which: Which,
    text: str,
) -> None:
    """Let a person edit one of the sentences in a dialog; it becomes the sentence as one step of undo.

    The text is split and its tokens get their vectors beside the window. Until that is done, and where it is
    refused or stopped, the document stays as it is.
    """
    name = (editor.key_sentence if which == "key" else editor.sentence).accessibleName()
    dialog = SentenceDialog(name, text, window)
    _LongText(dialog, document, background, editor, which)
    open_dialog(dialog)


class _LongText(QObject):
    """What becomes of the text of one dialog, with which it ends."""

    def __init__(
        self,
        dialog: SentenceDialog,
        document: Document,
        background: Background,
        editor: TokenEditor,
        which: Which,
    ) -> None:
        super().__init__(dialog)
        self._dialog, self._document, self._background = dialog, document, background
        self._editor, self._which = editor, which
        self._wishes = 0  # answers to an earlier one come too late
        self._stop_work: Callable[[], None] = lambda: None
        dialog.split_asked.connect(self._split)
        dialog.stop_asked.connect(self._stop)

    def _split(self, text: str, is_in_lines: bool) -> None:
        before, which = self._document.inputs, self._which
        self._wishes += 1
        wish = self._wishes

        def work(watch: Watch) -> Inputs | AttnvizError:
            from attnviz.text.token_edits import set_text  # in the thread, where the first text loads much

            whole = joined(text) if is_in_lines else text
            try:
                made = set_text(before, whole, which=which, tell=lambda fraction: tell(watch, fraction))
            except InputError as error:
                return copy.copy(error)  # without the traceback, which would keep alive what was at work
            tell(watch, 1.0)
            return made

        def take(made: Inputs | AttnvizError) -> None:
            if wish != self._wishes:
                return
            if isinstance(made, AttnvizError):
                self._dialog.refuse(made)
            elif self._document.inputs is not before:
                # The document has changed meanwhile: again, for what it is now.
                self._split(text, is_in_lines)
            else:
                self._take(made)

        def when_wanted(do: Callable[..., object]) -> Callable[..., object]:
            return lambda *values: do(*values) if wish == self._wishes else None

        self._stop_work = self._background.do(
            work,
            take,
            when_wanted(self._dialog.stop),
            self.tr("Splitting the text …"),
            when_wanted(self._dialog.show_progress),
        )

    def _take(self, made: Inputs) -> None:
        reasons: list[AttnvizError] = []
        refused = self._document.refused.connect(reasons.append)
        self._editor.take_inputs(made)
        self._document.refused.disconnect(refused)
        if reasons:
            self._dialog.refuse(reasons.pop())
        else:
            self._dialog.accept()

    def _stop(self) -> None:
        self._wishes += 1
        self._stop_work()
