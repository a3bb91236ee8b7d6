"""Drawing a picture to a file without a display: what ``attnviz render`` does once its arguments are read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

from attnviz.core.inputs import Inputs
from attnviz.core.request import HEAD_OUTPUTS, Region, Request
from attnviz.core.selection import Selection
from attnviz.engine.select import sole_engine
from attnviz.io.atomic import write_bytes
from attnviz.io.picture_session import with_session

_FIRST_CELLS = (32, 32)


class Options(Protocol):
    """What to draw, as the command line has checked it."""

    @property
    def inputs(self) -> Inputs:
        """The document."""
        ...

    @property
    def selection(self) -> Selection:
        """What is looked at and marked."""
        ...

    @property
    def panel(self) -> str:
        """``stages``, one stage, or ``window``."""
        ...

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) of the file in px."""
        ...

    @property
    def scale(self) -> float:
        """Device px per px."""
        ...

    @property
    def language(self) -> str:
        """``ja`` or ``en``."""
        ...

    @property
    def theme(self) -> str:
        """``light`` or ``dark``."""
        ...

    @property
    def output(self) -> Path:
        """The PNG file."""
        ...

    @property
    def engine(self) -> str:
        """``auto``, ``cuda`` or ``cpu``."""
        ...

    @property
    def carries_document(self) -> bool:
        """Whether the file shall hold the document too."""
        ...


def render(options: Options) -> str:
    """Compute, draw and write a PNG file, whole or not at all.

    Returns
    -------
    str
        A sentence about what was asked for and left out, or nothing.

    Raises
    ------
    InputError
        When there is no memory for a picture of that size.
    EngineUnavailable, DeviceFull, DeviceLost
        When CUDA was asked for and cannot be used.
    FileError
        When the file cannot be written; an old one stays as it was.
    """
    if "QT_QPA_PLATFORM" not in os.environ:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    # Only now, since Qt reads the platform from the environment.
    from attnviz.gui.app import create_application
    from attnviz.gui.appearance import Appearance
    from attnviz.gui.export_image import drawing_of, finished, png_bytes, wanted_request
    from attnviz.gui.language import Language
    from attnviz.gui.theme import theme_named
    from attnviz.gui.window_picture import wanted_of_window, window_image

    app = create_application()  # held, or it would be gone before the picture
    language = Language()
    language.speak(options.language)
    appearance = Appearance()
    appearance.choose(options.theme)
    selection = options.selection.clamped(options.inputs)
    theme, size, scale = theme_named(options.theme), options.size, options.scale
    engine, why = sole_engine(options.engine)
    try:
        stages = engine.compute(_first_request(options.inputs, selection))
        assert stages is not None  # nobody stops it
        if options.panel == "window":
            wanted = wanted_of_window(stages, selection, size=size, scale=scale, theme=theme)
        else:
            wanted = wanted_request(
                stages, selection, panel=options.panel, size=size, scale=scale, theme=theme
            )
        if wanted is not None:
            stages = engine.compute(wanted)
    finally:
        engine.close()
    assert stages is not None
    if options.panel == "window":
        named = stages.engine, stages.engine_note or why
        image = window_image(stages, selection, size=size, scale=scale, theme=theme, engine=named)
    else:
        image = finished(
            drawing_of(stages, selection, panel=options.panel, size=size, scale=scale, theme=theme)
        )
    png = png_bytes(image)
    whole = with_session(png, options.inputs, selection) if options.carries_document else png
    write_bytes(options.output, png if whole is None else whole)
    app.processEvents()
    if whole is None:
        return "The document is too large for a picture to carry; the file holds the picture alone."
    return ""


def _first_request(inputs: Inputs, selection: Selection) -> Request:
    """Ask for all of a document, or of a long one for a little that tells what its picture will need."""
    if not inputs.is_long:
        return Request.whole(inputs, selection.head, selection.query, frozenset({HEAD_OUTPUTS}))
    region = Region(selection.head, (0, inputs.n_query), (0, inputs.n_key), _FIRST_CELLS)
    return Request(inputs, selection.query, region, detail="coarse")
