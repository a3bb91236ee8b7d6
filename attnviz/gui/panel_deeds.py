"""What is done with one panel of the stages: copied, exported, its code seen; and which one is meant."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QMenu

from attnviz.core.stages import STAGE_NAMES
from attnviz.gui import clipboard
from attnviz.gui.theme import Theme

if TYPE_CHECKING:
    from attnviz.gui.main_window import MainWindow


class PanelDeeds(QObject):
    """Knows which panel was clicked last, and does what its menu and Ctrl+C ask for.

    Parameters
    ----------
    window
        Whose panels they are.
    theme
        Asked for the look of what is copied.
    """

    picture_asked = Signal(str)
    """A panel, by its stage, is to be exported as a picture."""
    code_asked = Signal(str)
    """The code that computes a panel is to be seen."""

    def __init__(self, window: MainWindow, theme: Callable[[], Theme]) -> None:
        super().__init__(window)
        self._window, self._theme = window, theme
        self._clicked = "weights"
        window.parts.stages.viewport().installEventFilter(self)

    def meant(self) -> str:
        """Give the stage of the panel that has the whole area, or of the one clicked last."""
        return self._window.parts.stages.panel_alone() or self._clicked

    def copy(self) -> None:
        """Copy what has the focus, in its own way where it has one."""
        window, parts = self._window, self._window.parts
        focus, stages = window.focusWidget(), window.stages
        own, later = getattr(focus, "copy", None), getattr(focus, "long_copy", None)
        write = later() if callable(later) else None
        if write is not None:
            window.status.tell(self.tr("Copying …"))
            note = getattr(focus, "note_on_copy", str)()  # said of what is left out
            told = partial(window.status.tell, note or self.tr("Copied the numbers as a table."))
            clipboard.copy_later(write, window.runner, told)
        elif callable(own):
            own()
        elif stages is None or focus is None:
            return
        elif parts.weights.isAncestorOf(focus):
            words = self.tr("Copied the weights of {n} keys.").format(n=f"{len(stages.row.weights):,}")
            clipboard.copy_weights(stages, window.runner, partial(window.status.tell, words))
        elif parts.output.isAncestorOf(focus):
            clipboard.copy_output(stages)
        else:
            self.copy_panel(self.meant())

    def copy_panel(self, stage: str) -> None:
        """Copy a panel as a picture and as a table."""
        window, stages = self._window, self._window.stages
        if stages is None:
            return
        from attnviz.io.picture_wish import PictureWish  # only now: most people never copy a panel

        size = window.parts.stages.panel(stage).size() * 2
        wish = PictureWish(stage, (size.width(), size.height()), 2.0, self._theme().name)
        words = self.tr("Copied the panel as a picture and as a table.")
        rows, columns = stages.request.region.bins
        if (rows, columns) != (1, 1):
            words = self.tr(
                "Copied the panel as a picture and as a table, one number for {rows} × {columns} cells; "
                "zoom in for single cells."
            ).format(rows=rows, columns=columns)
        told = partial(window.status.tell, words)
        clipboard.copy_panel(stages, stage, window.picture(wish), window.runner, told)

    def open_menu(self, at: QPoint) -> None:
        """Open the menu of the panel at a place of the screen; none where there is no panel."""
        grid = self._window.parts.stages.viewport()
        place = grid.mapFromGlobal(at)
        stage = self._panel_at(place) if grid.rect().contains(place) else None
        if stage is None:
            return
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("Copy this panel"), lambda: self.copy_panel(stage))
        menu.addAction(self.tr("Export this panel as PNG…"), lambda: self.picture_asked.emit(stage))
        menu.addAction(self._window.deeds["whole_matrix"])
        menu.addAction(self.tr("Show the code of this panel"), lambda: self.code_asked.emit(stage))
        menu.popup(at)

    def _panel_at(self, place: QPoint) -> str | None:
        """Give the stage whose panel is at a place in px of the grid's viewport."""
        panels = {stage: self._window.parts.stages.panel(stage) for stage in STAGE_NAMES}
        at = (
            stage for stage, panel in panels.items() if panel.isVisible() and panel.geometry().contains(place)
        )
        return next(at, None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonPress:
            self._clicked = self._panel_at(event.position().toPoint()) or self._clicked
        return False
