"""A picture of the whole window at any exact size, without a window on the screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage, QPainter, QRegion
from PySide6.QtWidgets import QApplication, QGraphicsItem, QWidget

from attnviz.core.errors import AttnvizError
from attnviz.core.request import Request
from attnviz.core.selection import Selection
from attnviz.core.stages import Stages
from attnviz.gui.export_image import empty_image, request_of
from attnviz.gui.lesson_panel import Card
from attnviz.gui.theme import Theme
from attnviz.gui.views.map_window import Window
from attnviz.gui.wanted_extras import WantedExtras
from attnviz.gui.window_face import WindowFace


def window_image(
    stages: Stages,
    selection: Selection,
    *,
    size: tuple[int, int],
    scale: float,
    theme: Theme,
    engine: tuple[str, AttnvizError | None],
    options: Mapping[str, str] | None = None,
    note: str = "",
    tab: str = "",
    window: Window | None = None,
    overview: Stages | None = None,
    lesson: Card | None = None,
) -> QImage:
    """Draw the window as a screen of that scale would show it.

    Parameters
    ----------
    stages, selection
        What it shows; the outputs of all heads where its tab is in front.
    size
        (width, height) of the image in px, exactly. Below the least size of a window it is drawn smaller.
    scale
        Device px per px.
    engine
        Name of the engine, and why no better one is used, if so.
    options
        A choice for each group of the View menu that is to differ from the usual.
    window, overview
        As for ``drawing_of``.
    note, tab
        The note shown, and the object name of the tab in front.
    lesson
        The card of a lesson that is shown.

    Raises
    ------
    InputError
        When there is no memory for a picture of that size.
    """
    image = empty_image(size, theme)
    shown = _showing(
        stages, selection, size, scale, theme, options or {}, note, tab, window, overview, lesson
    )
    with shown as (face, fit):
        face.status.set_engine(*engine)
        for item in face.parts.stages.scene().items():
            # Kept pictures of labels have the screen's scale.
            item.setCacheMode(QGraphicsItem.CacheMode.NoCache)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.scale(scale * fit, scale * fit)
        face.render(
            painter,
            QPoint(),
            QRegion(),
            QWidget.RenderFlag.DrawWindowBackground | QWidget.RenderFlag.DrawChildren,
        )
        painter.end()
    return image


def wanted_of_window(
    stages: Stages,
    selection: Selection,
    *,
    size: tuple[int, int],
    scale: float,
    theme: Theme,
    options: Mapping[str, str] | None = None,
    note: str = "",
    tab: str = "",
    window: Window | None = None,
    lesson: Card | None = None,
) -> Request | None:
    """Give what is to be computed for a picture of the window to be exact at its own px.

    Parameters as of ``window_image``; ``stages`` may be of any part of the document, and coarse.

    Returns
    -------
    Request
        With all that the views in front show; None where ``stages`` holds all of it.

    Raises
    ------
    InputError
        When the picture does not fit into the memory that is free.
    """
    if not stages.request.inputs.is_long:
        return None
    shown = _showing(stages, selection, size, scale, theme, options or {}, note, tab, window, None, lesson)
    with shown as (face, _):
        extras = WantedExtras(face.parts)
        extras.window = stages.request.window
        frame, wanted = face.parts.stages.frame_to_draw(), extras.wanted()
    return request_of(stages, frame, wanted)


@contextmanager
def _showing(
    stages: Stages,
    selection: Selection,
    size: tuple[int, int],
    scale: float,
    theme: Theme,
    options: Mapping[str, str],
    note: str,
    tab: str,
    window: Window | None,
    overview: Stages | None,
    lesson: Card | None,
) -> Iterator[tuple[WindowFace, float]]:
    """Have a window that nobody sees, which shows stages, and by how much it is drawn smaller."""
    face = WindowFace()
    try:
        if lesson is not None:
            face.parts.lesson.show_card(lesson)
            face.parts.show_lesson(True)
        fit = _fill(face, stages, selection, size, scale, theme, options, note, tab, overview)
        if window is not None:
            face.parts.stages.look_at(window)
        yield face, fit
    finally:
        face.close()
        face.deleteLater()


def _fill(
    face: WindowFace,
    stages: Stages,
    selection: Selection,
    size: tuple[int, int],
    scale: float,
    theme: Theme,
    options: Mapping[str, str],
    note: str,
    tab: str,
    overview: Stages | None,
) -> float:
    """Let a window that nobody sees show stages; gives by how much it is drawn smaller."""
    face.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    face.setPalette(theme.palette())
    face.set_theme(theme)
    face.parts.show_note(note)
    for page in face.parts.pages():
        if page.objectName() == tab:
            face.parts.show_tab(page)
    for group, choice in options.items():
        face.show_option(group, choice)
    face.refresh(stages.request.inputs, selection)
    if overview is not None and overview is not stages:
        face.draw(overview, selection.key)
    face.draw(stages, selection.key)
    if "bars" in options:
        face.show_option("bars", options["bars"])  # the usual order is another where there are very many
    wanted = (size[0] / scale, size[1] / scale)
    face.resize(round(wanted[0]), round(wanted[1]))
    face.parts.share_out(face.width(), face.height())
    face.show()
    _settle(face)
    fit = min(1.0, wanted[0] / face.width(), wanted[1] / face.height())
    face.parts.stages.set_picture_scale(scale * fit)
    return fit


def _settle(face: WindowFace) -> None:
    """Let layouts take their final sizes."""
    for _ in range(3):
        QApplication.sendPostedEvents()
