"""Pictures of what the window shows now: of one panel, of all stages, or of the window itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QImage

from attnviz.core.errors import AttnvizError
from attnviz.gui.export_image import render_image
from attnviz.gui.settings import OPTIONS
from attnviz.gui.theme import theme_named
from attnviz.gui.window_picture import window_image
from attnviz.io.picture_wish import PictureWish

if TYPE_CHECKING:
    from attnviz.gui.main_window import MainWindow


def picture_of(window: MainWindow, wish: PictureWish) -> QImage:
    """Draw a picture of what a window shows now.

    Raises
    ------
    AttnvizError
        When nothing has been computed yet.
    """
    stages, parts, selection = window.stages, window.parts, window.document.selection
    if stages is None:
        raise AttnvizError("Nothing has been computed yet; try again in a moment.")
    theme = theme_named(wish.theme)
    if wish.panel == "window":
        page = parts.tabs.currentWidget()
        return window_image(
            stages,
            selection,
            size=wish.size,
            scale=wish.scale,
            theme=theme,
            engine=window.status.engine,
            options={group: window.deeds.choice(group) for group in OPTIONS},
            note=parts.note.note(),
            tab=page.objectName(),
            window=parts.stages.window_shown(),
            overview=parts.stages.overview_shown(),
            lesson=parts.lesson.card(),
        )
    return render_image(
        stages,
        selection.clamped(stages.request.inputs),
        panel=wish.panel,
        size=wish.size,
        scale=wish.scale,
        theme=theme,
        mask_shows_m=window.deeds.choice("mask_panel") == "m",
        weights_to_largest=window.deeds.choice("weights_range") == "largest",
        window=parts.stages.window_shown(),
        overview=parts.stages.overview_shown(),
    )
