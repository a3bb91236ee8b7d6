"""Labels of a long document's axis: round numbers while tokens are too small, then every token by its name.

The selected one is always labelled, with its number and its name. Nothing here knows a picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QPainter, QPen

from attnviz.gui.labels import Labels
from attnviz.gui.theme import Theme
from attnviz.gui.views.board_layout import CLOSE, label_places, tick_places
from attnviz.gui.views.board_state import BoardFonts
from attnviz.gui.views.map_window import Window

_TICK = 3.0  # px
_BESIDE = 6.0  # px between a number and a name


class LongLabel(NamedTuple):
    """One label: its token, where it lies in scene px, what is written, and whether that is set upwards."""

    token: int
    rect: QRectF
    number: str
    name: str
    is_across: bool


def query_labels(
    names: Sequence[str], selected: int, window: Window, rect: QRectF, fonts: BoardFonts
) -> list[LongLabel]:
    """Give the labels of rows, beside the plot."""
    cell, pitch = rect.height() / window.rows, fonts.token.pitch
    are_named = cell >= pitch
    places = label_places if are_named else tick_places
    labels = []
    for index, centre in places(len(names), window.y, cell, rect.height(), pitch, (selected,)):
        font = fonts.token_bold if index == selected else fonts.token
        room = rect.width() - 2 * CLOSE
        number, name = str(index), names[index] if are_named or index == selected else ""
        width = font.width(number) + (_BESIDE + font.width(name) if name else 0.0)
        if width > room and are_named:  # the name says more where each token is seen
            least = font.width(number) + _BESIDE + 3 * pitch
            number, width = (number, room) if least <= room else ("", min(font.width(name), room))
        elif width > room:
            name, width = "", min(font.width(number), room)
        right = rect.right() - CLOSE - (0.0 if are_named else _TICK)
        at = QRectF(right - width, rect.top() + centre - pitch / 2, width, pitch)
        labels.append(LongLabel(index, at, number, name, is_across=False))
    return labels


def key_labels(
    names: Sequence[str], selected: int, window: Window, rect: QRectF, fonts: BoardFonts
) -> list[LongLabel]:
    """Give the labels of columns, above the plot: numbers along it, names upwards."""
    cell, pitch = rect.width() / window.columns, fonts.token.pitch
    labels = []
    if cell >= pitch:
        for index, centre in label_places(len(names), window.x, cell, rect.width(), pitch, (selected,)):
            font = fonts.token_bold if index == selected else fonts.token
            height = min(font.upright_height(names[index]), rect.height() - CLOSE)
            at = QRectF(rect.left() + centre - pitch / 2, rect.bottom() - CLOSE - height, pitch, height)
            labels.append(LongLabel(index, at, "", names[index], is_across=True))
        return labels
    widest = fonts.token_bold.width(str(len(names))) + 2 * CLOSE
    for index, centre in tick_places(len(names), window.x, cell, rect.width(), widest, (selected,)):
        font = fonts.token_bold if index == selected else fonts.token
        width, bottom = font.width(str(index)), rect.bottom() - CLOSE - _TICK
        at = QRectF(rect.left() + centre - width / 2, bottom - pitch, width, pitch)
        labels.append(LongLabel(index, at, str(index), "", is_across=False))
    return labels


def paint_query_label(
    painter: QPainter, label: LongLabel, font: Labels, theme: Theme, plot_left: float, *, is_selected: bool
) -> None:
    """Draw a row's label: its number, and its name nearest to the plot."""
    middle, right = label.rect.center().y(), label.rect.right()
    if label.name:
        room = label.rect.width() - (font.width(label.number) + _BESIDE if label.number else 0.0)
        name = font.elided(label.name, room + 0.5)
        painter.setPen(theme.accent if is_selected else theme.text)
        font.draw_right(painter, right, middle, name)
        right -= font.width(name) + _BESIDE
    elif not is_selected:
        _paint_tick(painter, QLineF(plot_left - 1 - _TICK, middle, plot_left - 1, middle), theme)
    painter.setPen(theme.accent if is_selected else theme.muted)
    font.draw_right(painter, right, middle, font.elided(label.number, label.rect.width() + 0.5))


def paint_key_label(
    painter: QPainter, label: LongLabel, font: Labels, theme: Theme, plot_top: float, room: float
) -> None:
    """Draw a column's label."""
    centre = label.rect.center().x()
    if label.is_across:
        painter.setPen(theme.text)
        font.draw_across(painter, centre, label.rect.bottom(), label.name, room)
        return
    _paint_tick(painter, QLineF(centre, plot_top - 1 - _TICK, centre, plot_top - 1), theme)
    painter.setPen(theme.muted)
    font.draw_centred(painter, centre, label.rect.center().y(), label.number)


def _paint_tick(painter: QPainter, line: QLineF, theme: Theme) -> None:
    painter.setPen(QPen(theme.muted, 1.0))
    painter.drawLine(line)
