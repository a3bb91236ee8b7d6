"""What all editors have in common: the signals they ask with, a theme, and texts that follow the language.

An editor shows the inputs it is handed and asks for changes; it holds no document and changes nothing itself.
"""

from __future__ import annotations

import itertools

from PySide6.QtCore import QEvent, Signal, SignalInstance
from PySide6.QtWidgets import QWidget

from attnviz.core.edits import Edit
from attnviz.core.inputs import Inputs
from attnviz.core.selection import Selection
from attnviz.gui.theme import LIGHT, Theme

_gestures = itertools.count(1)


def new_gesture() -> int:
    """Give a number no other gesture has."""
    return next(_gestures)


class Editor(QWidget):
    """The base of all editors.

    Signals
    -------
    edit_asked(edit, gesture)
        A pure function Inputs -> Inputs is to be applied; edits in a row with the same gesture, unless it is
        "", are one step of undo.
    query_chosen(int), key_chosen(int), head_chosen(int)
        Another token or head is to be looked at.
    refused(AttnvizError)
        What was typed cannot be taken; the old value is shown again.
    """

    edit_asked = Signal(object, str)
    query_chosen = Signal(int)
    key_chosen = Signal(int)
    head_chosen = Signal(int)
    refused = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._inputs: Inputs | None = None
        self._selection = Selection()
        self._theme = LIGHT

    def refresh(self, inputs: Inputs, selection: Selection) -> None:
        """Show these inputs; asks for nothing, keeps the focus and whatever is being written."""
        self._inputs, self._selection = inputs, selection

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._theme = theme
        self.update()

    def retranslate(self) -> None:
        """Say all texts in the language that is now installed."""

    def _ask_and_choose(self, edit: Edit, chosen: SignalInstance, index: int) -> None:
        """Ask for an edit and, where it was taken, by ``chosen`` for what it made to be looked at."""
        before = self._inputs
        self.edit_asked.emit(edit, "")
        if self._inputs is not before:  # taken, and shown by now
            chosen.emit(index)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
