"""Pictures of what the window shows at one moment: of one panel, of all stages, or of the window itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtGui import QImage

from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import Inputs
from attnviz.core.request import Request
from attnviz.core.selection import Selection
from attnviz.core.stages import Stages
from attnviz.gui.export_image import Drawing, drawing_of, finished, wanted_request
from attnviz.gui.lesson_panel import Card
from attnviz.gui.settings import OPTIONS
from attnviz.gui.theme import theme_named
from attnviz.gui.views.map_window import Window
from attnviz.gui.window_picture import wanted_of_window, window_image
from attnviz.io.picture_wish import PictureWish

if TYPE_CHECKING:
    from attnviz.gui.main_window import MainWindow


@dataclass(frozen=True, eq=False)
class PlannedPicture:
    """A picture of what a window shows at one moment; what is done in the window afterwards is not in it.

    Attributes
    ----------
    wish
        What picture it is.
    stages, selection
        What the window shows.
    engine, options, note, tab, lesson
        As for ``window_image``.
    window, overview
        As for ``drawing_of``.
    """

    wish: PictureWish
    stages: Stages
    selection: Selection
    engine: tuple[str, AttnvizError | None]
    options: Mapping[str, str]
    note: str
    tab: str
    window: Window
    overview: Stages | None
    lesson: Card | None

    @property
    def inputs(self) -> Inputs:
        """The document that it shows."""
        return self.stages.request.inputs

    @cached_property
    def request(self) -> Request | None:
        """What is to be computed for it to be exact at its own px; None: it can be drawn at once.

        Raises
        ------
        InputError
            When it does not fit into the memory that is free.
        """
        wish, theme = self.wish, theme_named(self.wish.theme)
        if wish.panel == "window":
            return wanted_of_window(
                self.stages,
                self.selection,
                size=wish.size,
                scale=wish.scale,
                theme=theme,
                options=self.options,
                note=self.note,
                tab=self.tab,
                window=self.window,
                lesson=self.lesson,
            )
        return wanted_request(
            self.stages,
            self.selection,
            panel=wish.panel,
            size=wish.size,
            scale=wish.scale,
            theme=theme,
            window=self.window,
        )

    def drawn(self, answer: Stages | None = None) -> QImage:
        """Draw it with the answer to ``request``; None: with what the window shows, enlarged or shrunk."""
        return finished(self.drawing(answer))

    def drawing(self, answer: Stages | None = None) -> Drawing:
        """Do what ``drawn`` does a piece at a time; a picture of the window is one piece."""
        wish, theme, stages = self.wish, theme_named(self.wish.theme), answer or self.stages
        if wish.panel == "window":
            return window_image(
                stages,
                self.selection,
                size=wish.size,
                scale=wish.scale,
                theme=theme,
                engine=self.engine,
                options=self.options,
                note=self.note,
                tab=self.tab,
                window=self.window,
                overview=self.overview,
                lesson=self.lesson,
            )
        return (
            yield from drawing_of(
                stages,
                self.selection,
                panel=wish.panel,
                size=wish.size,
                scale=wish.scale,
                theme=theme,
                mask_shows_m=self.options["mask_panel"] == "m",
                weights_to_largest=self.options["weights_range"] == "largest",
                window=self.window,
                overview=self.overview,
            )
        )


def plan_picture(window: MainWindow, wish: PictureWish) -> PlannedPicture:
    """Plan a picture of what a window shows now.

    Raises
    ------
    AttnvizError
        When nothing has been computed yet.
    """
    stages, parts = window.stages, window.parts
    if stages is None:
        raise AttnvizError("Nothing has been computed yet; try again in a moment.")
    return PlannedPicture(
        wish,
        stages,
        window.document.selection.clamped(stages.request.inputs),
        window.status.engine,
        {group: window.deeds.choice(group) for group in OPTIONS},
        parts.note.note(),
        parts.tabs.currentWidget().objectName(),
        parts.stages.window_shown(),
        parts.stages.overview_shown(),
        parts.lesson.card(),
    )
