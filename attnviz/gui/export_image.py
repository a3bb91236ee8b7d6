"""Pictures of the stages for files and the clipboard: the board of the screen, drawn at any exact size.

Nothing here writes a file; the caller does, atomically. pyqtgraph's ImageExporter is not used, since it does
not keep the size that is asked for.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from PySide6.QtCore import QBuffer, QIODevice, QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QGraphicsScene

from attnviz.core.errors import InputError
from attnviz.core.memory import free_bytes
from attnviz.core.request import Request
from attnviz.core.selection import Selection
from attnviz.core.stages import STAGE_NAMES, Stages
from attnviz.gui.fonts import load_fonts
from attnviz.gui.theme import Theme
from attnviz.gui.views.map_window import Window
from attnviz.gui.views.picture_frame import Range
from attnviz.gui.views.stage_board import StageBoard

_BYTES_OF_CELL = 66
"""Bytes that a cell of the four pictures takes until they are drawn, measured."""
PANELS = ("stages", *STAGE_NAMES)
"""What a picture may show: the four stages, or one of them."""
_STRIP_PX = 8_000_000
"""Px that are painted at once."""

Drawing = Generator[None, None, QImage]
"""A picture that is drawn a piece at a time, each some ms of work; its value is the picture."""


def finished(drawing: Drawing) -> QImage:
    """Draw all that is left of a picture at once."""
    while True:
        try:
            next(drawing)
        except StopIteration as done:
            image: QImage = done.value
            return image


def empty_image(size: tuple[int, int], theme: Theme) -> QImage:
    """Give an opaque image of so many px that holds the ground alone.

    Raises
    ------
    InputError
        When there is no memory for it.
    """
    width, height = size
    image = QImage(width, height, QImage.Format.Format_RGB32)
    if image.isNull():
        raise InputError(
            "There is no memory for a picture of {width} × {height} px.", width=width, height=height
        )
    image.fill(theme.ground)
    return image


def drawing_of(
    stages: Stages,
    selection: Selection,
    *,
    panel: str = "stages",
    size: tuple[int, int],
    scale: float = 1.0,
    theme: Theme,
    mask_shows_m: bool = False,
    weights_to_largest: bool = False,
    window: Window | None = None,
    overview: Stages | None = None,
) -> Drawing:
    """Draw the stages as the screen shows them, a piece at a time.

    Parameters
    ----------
    stages, selection
        What is shown, and what is marked in it.
    panel
        One of PANELS.
    size
        (width, height) of the image in px, exactly.
    scale
        Device px per px: text and lines are drawn as on a screen of that scale. The image carries it.
    theme
        The look.
    mask_shows_m, weights_to_largest
        As chosen in the window.
    window
        The part of the matrix in view; None: all of it.
    overview
        An answer of all of a long document: it stands where the others do not reach, and gives the colours.

    Raises
    ------
    InputError
        When there is no memory for a picture of that size.
    KeyError
        When there is no such panel.

    Notes
    -----
    The picture is opaque, of ``size`` px, with devicePixelRatio ``scale``. Needs a QApplication (the
    offscreen platform will do); call it from the GUI thread.
    """
    if panel not in PANELS:
        raise KeyError(panel)
    load_fonts()
    width, height = size
    image = empty_image(size, theme)
    yield
    scene = QGraphicsScene()
    board = _board(scene, panel, size, scale, theme)
    board.state.mask_shows_m, board.state.weights_to_largest = mask_shows_m, weights_to_largest
    if overview is not None:
        yield from board.drawing(overview, selection)
    yield from board.drawing(stages, selection)
    if window is not None:
        board.set_window(window)
    scene.setSceneRect(QRectF(0, 0, width / scale, height / scale))
    rows = max(1, _STRIP_PX // width)
    for first in range(0, height, rows):
        yield
        strip = QRectF(0, first / scale, width / scale, min(rows, height - first) / scale)
        painter = QPainter(image)
        painter.scale(scale, scale)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        scene.render(painter, strip, strip)
        painter.end()
    image.setDevicePixelRatio(scale)
    return image


def wanted_request(
    stages: Stages,
    selection: Selection,
    *,
    panel: str = "stages",
    size: tuple[int, int],
    scale: float = 1.0,
    theme: Theme,
    window: Window | None = None,
) -> Request | None:
    """Give what is to be computed for a picture to be exact at its own px, whatever those of the screen are.

    Parameters
    ----------
    stages
        An answer of the document, of any part of it; coarse will do.
    others
        As of ``drawing_of``.

    Returns
    -------
    Request
        None where ``stages`` holds all that the picture can show, as of every document that is not long.

    Raises
    ------
    InputError
        When the picture does not fit into the memory that is free.
    """
    if not stages.request.inputs.is_long:
        return None
    load_fonts()
    scene = QGraphicsScene()  # held, or the panels would be gone with it
    board = _board(scene, panel, size, scale, theme)
    next(iter(board.drawing(stages, selection)))  # where all lies is known, and nothing is painted
    if window is not None:
        board.state.window = window
    return request_of(stages, board.frame_to_draw())


def request_of(
    stages: Stages,
    frame: tuple[Range, Range, tuple[int, int]] | None,
    extras: frozenset[str] = frozenset(),
) -> Request | None:
    """Give the request of pictures of queries and keys in at most so many cells; None where they are there.

    Raises
    ------
    InputError
        When they do not fit into the memory that is free; the bytes needed are said.
    """
    if frame is None:
        return None
    queries, keys, (rows, columns) = frame
    old = stages.request
    region = replace(old.region, queries=queries, keys=keys, max_cells=(rows, columns))
    is_there = region == old.region and not (stages.is_coarse or stages.is_partial)
    if is_there and not extras:
        return None
    needed, had = rows * columns * _BYTES_OF_CELL, free_bytes()
    if had is not None and needed > had:
        raise InputError(
            "A picture of {rows} × {columns} cells takes {needed} bytes of memory, and {had} are free; "
            "choose a smaller one.",
            rows=f"{rows:,}",
            columns=f"{columns:,}",
            needed=f"{needed:,}",
            had=f"{had:,}",
        )
    return replace(old, region=region, extras=extras, detail="full")


def _board(
    scene: QGraphicsScene, panel: str, size: tuple[int, int], scale: float, theme: Theme
) -> StageBoard:
    """Lay out a board for a picture; nothing is drawn yet."""
    board = StageBoard(scene, theme)
    board.alone = None if panel == "stages" else panel
    board.resize(size[0] / scale, size[1] / scale, scale)
    return board


def png_bytes(image: QImage) -> bytes:
    """Give the picture as a PNG file's bytes.

    Raises
    ------
    InputError
        When the picture is empty or there is no memory to write it.
    """
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload]  # the stub is wrong
        raise InputError(
            "The picture of {width} × {height} px cannot be written as PNG.",
            width=image.width(),
            height=image.height(),
        )
    return bytes(buffer.data().data())
