"""The readout of one cell: both tokens and the exact value at all four stages. It is told what to say."""

from __future__ import annotations

import math

from PySide6.QtCore import QCoreApplication, QPoint, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from attnviz.core.numbers import format_percent
from attnviz.core.stages import Stages
from attnviz.gui.fonts import number_font, small_font, text_font
from attnviz.gui.labels import Labels
from attnviz.gui.number_texts import own_digits
from attnviz.gui.plain_text import visible
from attnviz.gui.theme import SPACE, Theme
from attnviz.gui.views.board_state import scale_title

_WIDTH = 232  # px, of the longest values, so that the card keeps its size while the pointer moves
_LINE = 18
_AWAY = 16  # px from the pointer


def cell_lines(
    stages: Stages, query: int, key: int, block: tuple[int, int] = (1, 1), *, is_seen: bool = False
) -> tuple[str, list[tuple[str, str]], str]:
    """Give what is said of a cell: both tokens, (stage, value) for each stage, and a remark or nothing.

    Parameters
    ----------
    block
        How many queries and keys the picture shows as one where the cell lies.
    is_seen
        It is this cell of the block whose value the picture shows.
    """
    inputs, cell = stages.request.inputs, stages.cell(query, key)
    names = visible(inputs.tokens[query]), visible(inputs.key_labels[key])
    if inputs.is_long:
        names = f"{query} {names[0]}", f"{key} {names[1]}"
    heading = f"{names[0]} → {names[1]}"
    hidden = QCoreApplication.translate("HoverCard", "masked (hidden)")
    mask = QCoreApplication.translate("HoverCard", "mask")
    values = [
        ("QKᵀ", _told(cell.scores)),
        (scale_title(stages), _told(cell.scaled)),
        (mask, _told(cell.masked) if cell.is_allowed else hidden),
        ("softmax", _told(cell.weights, own_percent=True)),
    ]
    remark = ""
    if math.isnan(cell.weights) and math.isnan(cell.scores):
        remark = QCoreApplication.translate("HoverCard", "These numbers cannot be read any more.")
    elif math.isnan(cell.weights):  # what it is a share of takes all keys, which lie elsewhere
        remark = QCoreApplication.translate(
            "HoverCard", "The weight takes all keys, which are not read for this; click to compute it."
        )
    elif block != (1, 1):
        words = QCoreApplication.translate(
            "HoverCard", "One of {rows} × {columns} cells that are shown as one here."
        )
        if is_seen:
            words = QCoreApplication.translate(
                "HoverCard", "The cell that is seen here, of {rows} × {columns} that are shown as one."
            )
        remark = words.format(rows=block[0], columns=block[1])
    if not cell.is_allowed and not math.isnan(cell.weights):
        if cell.weights > 0:
            remark = QCoreApplication.translate(
                "HoverCard", "Hidden, yet it gets weight: the mask value is finite."
            )
        else:
            values[3] = ("softmax", hidden)
    return heading, values, remark


def _told(value: float, *, own_percent: bool = False) -> str:
    """Give a number as it is written, a weight with its percentage; a dash where it is not known."""
    if math.isnan(value):
        return "—"
    return f"{own_digits(value)}  {format_percent(value)}" if own_percent else own_digits(value)


def spoken(stages: Stages, query: int, key: int) -> str:
    """Give what is said of a cell as one line, for assistive tools."""
    heading, values, remark = cell_lines(stages, query, key)
    return (
        f"{heading}: "
        + ", ".join(f"{name} {value}" for name, value in values)
        + (f". {remark}" if remark else "")
    )


class HoverCard(QWidget):
    """A card beside the pointer; it lets the mouse through and never takes the focus."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._area = parent
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setObjectName("hover_card")
        self._theme: Theme | None = None
        self._content: tuple[str, list[tuple[str, str]], str] = ("", [], "")
        self._heading = Labels(text_font(bold=True))
        self._small, self._number = Labels(small_font()), Labels(number_font())
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme
        self.update()

    def text(self) -> str:
        """Give all the card says, one line each; nothing while it is hidden."""
        heading, values, remark = self._content
        if self.isHidden():
            return ""
        return "\n".join(
            [heading, *(f"{name} {value}" for name, value in values), *([remark] if remark else [])]
        )

    def show_cell(
        self,
        stages: Stages,
        query: int,
        key: int,
        at: QPoint,
        block: tuple[int, int] = (1, 1),
        *,
        is_seen: bool = False,
    ) -> None:
        """Say what is known of a cell, beside ``at`` and within the parent; the rest is as in cell_lines."""
        self._content = cell_lines(stages, query, key, block, is_seen=is_seen)
        height = 2 * SPACE * 2 + _LINE * (len(self._content[1]) + 1)
        if self._content[2]:
            height += self._remark_height()
        self.resize(_WIDTH, height)
        area = self._area.rect()
        x = at.x() + _AWAY if at.x() + _AWAY + _WIDTH <= area.width() else at.x() - _AWAY - _WIDTH
        y = at.y() + _AWAY if at.y() + _AWAY + height <= area.height() else at.y() - _AWAY - height
        self.move(max(0, min(x, area.width() - _WIDTH)), max(0, min(y, area.height() - height)))
        self.show()
        self.raise_()
        self.update()

    def _remark_height(self) -> int:
        bounds = self._small.metrics.boundingRect(
            QRectF(0, 0, _WIDTH - 6 * SPACE, 200), Qt.TextFlag.TextWordWrap, self._content[2]
        )
        return int(bounds.height()) + SPACE

    # Qt's overrides

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme
        if theme is None:
            return
        heading, values, remark = self._content
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.border, 1.0))
        painter.setBrush(theme.surface)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), SPACE, SPACE)
        left, right = 3.0 * SPACE, self.width() - 3.0 * SPACE
        middle = 2.0 * SPACE + _LINE / 2
        painter.setPen(theme.text)
        self._heading.draw(painter, left, middle, self._heading.elided(heading, right - left))
        for name, value in values:
            middle += _LINE
            painter.setPen(theme.muted)
            self._small.draw(painter, left, middle, name)
            painter.setPen(theme.text)
            self._number.draw_right(painter, right, middle, value)
        if remark:
            painter.setPen(theme.muted)
            painter.setFont(self._small.font)
            place = QRectF(left, middle + _LINE / 2 + 1, right - left, self._remark_height())
            painter.drawText(place, Qt.TextFlag.TextWordWrap, remark)
        painter.end()
