"""What assistive tools are told of the selected cell: its tokens and its values at all four stages."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from attnviz.gui.views.board_state import BoardState
from attnviz.gui.views.hover_card import spoken


class CellSpeech:
    """Speaks in the name of a widget.

    Parameters
    ----------
    widget
        What has the focus while a person goes from cell to cell; the words become its description.
    state
        Knows the stages and the selection.
    """

    def __init__(self, widget: QWidget, state: BoardState) -> None:
        self._widget, self._state = widget, state

    def tell(self) -> None:
        """Describe the cell that is selected now, and where the focus is there, say it aloud."""
        stages, widget = self._state.stages, self._widget
        if stages is None:
            return
        selection = self._state.selection.clamped(stages.request.inputs)
        words = spoken(stages, selection.query, selection.key)
        if words == widget.accessibleDescription():
            return
        widget.setAccessibleDescription(words)
        if widget.hasFocus():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, words))
