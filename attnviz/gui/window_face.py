"""All that can be seen of the window: menus, tools, editors, views, status line; no document, no runner.

The window that a person works in and the picture of a window are both this face.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractButton, QLayout, QMainWindow, QWidget

from attnviz.core.inputs import Inputs
from attnviz.core.selection import Selection
from attnviz.core.stages import Stages
from attnviz.gui.actions import Actions
from attnviz.gui.menus import Menus
from attnviz.gui.status_line import StatusLine
from attnviz.gui.tab_order import tab_stops
from attnviz.gui.theme import Theme
from attnviz.gui.views.measure_words import NONE
from attnviz.gui.window_layout import WindowLayout

SIZE = (1360, 860)
"""Width and height in px at first."""
LEAST = (960, 620)
"""The least width and height in px."""


class WindowFace(QMainWindow):
    """The outside of the window.

    Parameters
    ----------
    recent_files, presets, lessons
        Asked for what stands in the menus of these names.

    Signals
    -------
    drawn()
        The views show another moment.
    views_changed()
        Views show something else of an answer than before.
    pooling_chosen(pooling)
        A px of a long document is to stand for the ``peak`` or the ``mean`` of its weights.
    """

    drawn = Signal()
    views_changed = Signal()
    pooling_chosen = Signal(str)

    def __init__(
        self,
        recent_files: Callable[[], list[Path]] = list,
        presets: Callable[[], list[tuple[str, str]]] = list,
        lessons: Callable[[], list[tuple[str, str]]] = list,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("window")
        self.deeds = Actions(self)
        self.menus = Menus(self.deeds, recent_files, presets, lessons, self)
        self.parts = WindowLayout(self.deeds)
        self.status = StatusLine()
        self.setMenuBar(self.menus)
        self.setCentralWidget(self.parts)
        self.setStatusBar(self.status)
        layout = self.layout()
        assert layout is not None
        layout.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self.setMinimumSize(*LEAST)  # not the layout's, which would change with the language
        self.resize(*SIZE)
        self.inputs: Inputs | None = None
        self.selection = Selection()
        self.stages: Stages | None = None
        self._key_drawn = 0
        self._measure = NONE
        self.parts.tab_changed.connect(self._catch_up)
        self.parts.page_made.connect(self._take_page)

    @property
    def is_complete(self) -> bool:
        """Whether all pages and menus have been made: what cannot be seen at first is made a moment later."""
        return self.menus.has_titles and not self.parts.tabs.lacking()

    def refresh(self, inputs: Inputs, selection: Selection) -> None:
        """Show a document in the editors; those in a tab behind follow when it comes to the front."""
        self.inputs, self.selection = inputs, selection
        for editor in self.parts.editors:
            if self.parts.is_shown(editor):
                editor.refresh(inputs, selection)
        self.parts.stages.expect(selection)
        self.status.show_size(inputs, selection)
        self.deeds["toggle_mask"].setChecked(inputs.mask.hides_future is True)
        self.deeds["cross_attention"].setChecked(inputs.is_cross)
        self.deeds["edit_key_sentence"].setEnabled(inputs.is_cross)

    def draw(self, stages: Stages, key: int) -> None:
        """Show an answer in the views, with its own head and query: nothing is of different moments."""
        self.stages = stages
        selection = self._selection_of(stages, key)
        for view in self.parts.views:
            if self.parts.is_shown(view):
                view.draw(stages, selection)
        self.status.set_compute_time(stages.seconds)
        self._key_drawn = key
        self.drawn.emit()

    def selection_drawn(self) -> Selection:
        """Give the cell that the views show, where there are stages."""
        return self.selection if self.stages is None else self._selection_of(self.stages, self._key_drawn)

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self.parts.set_theme(theme)
        self.status.set_theme(theme)

    def show_option(self, group: str, choice: str) -> None:
        """Make one of the choices of the View menu about what the views show."""
        if group == "weights_range":
            self.parts.stages.set_weights_to_largest(choice == "largest")
        elif group == "mask_panel":
            self.parts.stages.set_mask_shows_m(choice == "m")
        elif group == "bars":
            self.by_weight.setChecked(choice == "by_weight")
        elif group == "summary":
            self._measure = choice
            self.parts.marginals.show_measure(choice)
            if "all_heads" not in self.parts.tabs.lacking():
                self.parts.all_heads.show_measure(choice)
            self.views_changed.emit()
        elif group == "pooling":
            self.pooling_chosen.emit(choice)
        self.deeds.show_choice(group, choice)

    @property
    def by_weight(self) -> QAbstractButton:
        """The button that orders the bars by weight."""
        button = self.parts.weights.findChild(QAbstractButton, "weights_by_weight")
        assert isinstance(button, QAbstractButton)
        return button

    def focusNextPrevChild(self, forwards: bool) -> bool:
        """Move on to the next control, or back to the one before."""
        stops = tab_stops(self, self.parts.regions())
        focus = self.focusWidget()
        if not stops:
            return False
        step = 1 if forwards else -1
        at = stops.index(focus) + step if focus in stops else min(0, step)
        reason = Qt.FocusReason.TabFocusReason if forwards else Qt.FocusReason.BacktabFocusReason
        stops[at % len(stops)].setFocus(reason)
        return True

    def _selection_of(self, stages: Stages, key: int) -> Selection:
        request = stages.request
        return Selection(request.region.head, request.query, key).clamped(request.inputs)

    def _take_page(self, page: QWidget) -> None:
        """Let a page that has just been made show what was chosen before."""
        if page.objectName() == "all_heads":
            self.parts.all_heads.show_measure(self._measure)

    def _catch_up(self) -> None:
        """Bring what has just come to the front to the present moment."""
        page = self.parts.tabs.currentWidget()
        for editor in self.parts.editors:
            if (editor is page or page.isAncestorOf(editor)) and self.inputs is not None:
                editor.refresh(self.inputs, self.selection)
        for view in self.parts.views:
            if (view is page or page.isAncestorOf(view)) and self.stages is not None:
                view.draw(self.stages, self._selection_of(self.stages, self.selection.key))
