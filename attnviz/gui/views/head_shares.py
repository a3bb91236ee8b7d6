"""What each head adds to the selected token's output: stacked bars for every dimension, their sum marked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QVBoxLayout, QWidget

from attnviz.core.layer_output import contributions
from attnviz.core.numbers import format_fixed
from attnviz.core.selection import Selection
from attnviz.core.stages import Stages
from attnviz.gui.concat_names import output_names
from attnviz.gui.fonts import load_fonts, number_font, small_font, text_font
from attnviz.gui.labels import Labels
from attnviz.gui.number_texts import own_digits
from attnviz.gui.plain_text import tooltip, visible
from attnviz.gui.theme import LIGHT, SPACE, Theme
from attnviz.gui.views.head_colours import fill_share
from attnviz.gui.views.heading import Heading

ROW = 22
_LEGEND = 20
_MOST_NAME, _LEAST_NAME, _LEAST_TRACK = 110.0, 32.0, 32.0  # px
_MOST_TOLD = 24
"""Heads whose shares are told at once; of more, the largest."""


class ShareBars(QAbstractScrollArea):
    """A row for each dimension; only rows in view are drawn."""

    reading_line = 12
    """Where it is read first, in px from its top: all in the tab but the buttons are one row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("head_shares/bars")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self._theme = LIGHT
        self._text, self._small = Labels(text_font()), Labels(small_font())
        self._number = Labels(number_font())
        self.shares: NDArray[np.float32] = np.zeros((0, 0), np.float32)
        """float32 (parts, d_output): the heads, and b_O last where there is one."""
        self.parts: tuple[str, ...] = ()
        """Names of the parts, as they are told."""
        self.names: tuple[str, ...] = ()
        self.n_heads = 0
        self.sum_name = ""
        self.empty_text = ""
        self.current = 0
        self._limits = (0.0, 1.0)
        self._name_width = 0.0

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme
        self.viewport().update()

    def show_shares(
        self, shares: NDArray[np.float32], parts: tuple[str, ...], names: tuple[str, ...], n_heads: int
    ) -> None:
        """Show other numbers."""
        if names != self.names:
            widths = (self._text.width(visible(name)) for name in set(names))
            self._name_width = min(max(widths, default=0.0), _MOST_NAME)
        self.shares, self.parts, self.names, self.n_heads = shares, parts, names, n_heads
        self.current = min(self.current, max(0, len(names) - 1))
        if shares.size:
            low = float(np.minimum(shares, 0).sum(axis=0).min())
            high = float(np.maximum(shares, 0).sum(axis=0).max())
            self._limits = (low, high) if high > low else (0.0, 1.0)
        self._fit()
        self.viewport().update()

    def told(self, dim: int) -> str:
        """Give all there is to say of a dimension, one line for each part and one for their sum."""
        if not self.shares.size:
            return ""
        column = self.shares[:, dim]
        order = list(range(len(column)))
        if len(order) > _MOST_TOLD:
            order = sorted(np.argsort(-np.abs(column), kind="stable")[:_MOST_TOLD].tolist())
        lines = [f"{self.parts[part]}  {own_digits(float(column[part]))}" for part in order]
        if len(order) < len(column):
            lines.append("…")
        total = float(column.sum(dtype=np.float32))
        return "\n".join([visible(self.names[dim]), *lines, f"{self.sum_name}  {own_digits(total)}"])

    def sum_text(self, dim: int) -> str:
        """Give the sum of a dimension as it is written."""
        return format_fixed(float(self.shares[:, dim].sum(dtype=np.float32)), 2) if self.shares.size else ""

    def share_rects(self, dim: int) -> list[QRectF]:
        """Give where the part of each head lies, in px of the viewport; 0 wide where it adds nothing."""
        top = _LEGEND + dim * ROW - self.verticalScrollBar().value()
        left, width = self._track()
        low, high = self._limits
        unit = width / (high - low)
        zero, ends, rects = left - low * unit, [0.0, 0.0], []
        for value in self.shares[:, dim].tolist():
            side = int(value < 0)
            start = ends[side]
            ends[side] += value
            first, last = sorted((zero + start * unit, zero + ends[side] * unit))
            rects.append(QRectF(first, top + 4, last - first, ROW - 8))
        return rects

    def dim_at(self, place: QPoint) -> int:
        """Give the dimension at a place in px of the viewport, −1 for none."""
        if place.y() < _LEGEND or not self.shares.size:
            return -1
        dim = (place.y() - _LEGEND + self.verticalScrollBar().value()) // ROW
        return dim if dim < len(self.names) else -1

    def _columns(self) -> tuple[float, float]:
        """Give how wide names and bars are, in px; where there is little room, names are elided first."""
        room = self.viewport().width() - self._number.width("−0000.00") - 6 * SPACE
        names = min(self._name_width, max(room - _LEAST_TRACK, _LEAST_NAME))
        return names, max(room - names, 16.0)

    def _track(self) -> tuple[float, float]:
        """Give where bars begin, and how wide they are at most, in px of the viewport."""
        names, width = self._columns()
        return SPACE + names + 2 * SPACE, width

    def _fitting(self, name: str, room: float) -> str:
        """Give a name that fits into px: without the head it may begin with, whose colour the bar has."""
        whole = self._text.elided(name, room)
        return whole if whole == name else self._text.elided(name.rpartition(" · ")[2], room)

    def _fit(self) -> None:
        room = self.viewport().height() - _LEGEND
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, len(self.names) * ROW - room))
        bar.setPageStep(max(1, room))
        bar.setSingleStep(ROW)

    def _choose(self, dim: int) -> None:
        """Go to a dimension and tell of it."""
        if not self.names:
            return
        self.current = min(max(dim, 0), len(self.names) - 1)
        bar, top = self.verticalScrollBar(), self.current * ROW
        room = self.viewport().height() - _LEGEND
        bar.setValue(min(max(bar.value(), top + ROW - room), top))
        self.setAccessibleDescription(self.told(self.current))
        self.viewport().update()

    # Qt's overrides

    def sizeHint(self) -> QSize:
        return QSize(260, _LEGEND + 6 * ROW)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, _LEGEND + 2 * ROW)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        page = max(1, self.verticalScrollBar().pageStep() // ROW)
        steps = {
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_PageUp: -page,
            Qt.Key.Key_PageDown: page,
            Qt.Key.Key_Home: -len(self.names),
            Qt.Key.Key_End: len(self.names),
        }
        step = steps.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        self._choose(self.current + step)
        place = QPoint(SPACE, _LEGEND + (self.current + 1) * ROW - self.verticalScrollBar().value())
        QToolTip.showText(
            self.viewport().mapToGlobal(place), tooltip(self.told(self.current)), self.viewport()
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        dim = self.dim_at(event.position().toPoint())
        if dim >= 0:
            self._choose(dim)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            dim = self.dim_at(event.pos())
            text = tooltip(self.told(dim)) if dim >= 0 else ""
            QToolTip.showText(event.globalPos(), text, self.viewport())
            return True
        return super().viewportEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self.viewport())
        width, height = self.viewport().width(), self.viewport().height()
        painter.fillRect(self.viewport().rect(), theme.ground)
        if not self.shares.size:
            painter.setPen(theme.muted)
            painter.setFont(small_font())
            place = self.viewport().rect().adjusted(SPACE, SPACE, -SPACE, -SPACE)
            painter.drawText(place, Qt.TextFlag.TextWordWrap, self.empty_text)
            painter.end()
            return
        names, _ = self._columns()
        left, track = self._track()
        low, high = self._limits
        zero = left - low * track / (high - low)
        first = self.verticalScrollBar().value() // ROW
        last = min(len(self.names), first + (height - _LEGEND) // ROW + 2)
        for dim in range(first, last):
            top = _LEGEND + dim * ROW - self.verticalScrollBar().value()
            middle = top + ROW / 2
            painter.setPen(theme.text)
            self._text.draw(painter, SPACE, middle, self._fitting(visible(self.names[dim]), names))
            for part, rect in enumerate(self.share_rects(dim)):
                if rect.width() > 0:
                    fill_share(painter, rect, part if part < self.n_heads else -1, theme)
            total = float(self.shares[:, dim].sum(dtype=np.float32))
            x = zero + total * track / (high - low)
            painter.fillRect(QRectF(x - 2, top + 1, 4, ROW - 2), theme.ground)
            painter.fillRect(QRectF(x - 1, top + 1, 2, ROW - 2), theme.text)
            painter.setPen(theme.text)
            self._number.draw_right(painter, width - SPACE, middle, self.sum_text(dim))
            if dim == self.current and self.hasFocus():
                painter.setPen(theme.muted)
                painter.drawRect(QRectF(0.5, top + 0.5, width - 1, ROW - 1))
        painter.fillRect(QRectF(zero, _LEGEND, 1, height - _LEGEND), theme.border)
        self._paint_legend(painter, width)
        painter.end()

    def _paint_legend(self, painter: QPainter, width: int) -> None:
        theme = self._theme
        painter.fillRect(QRectF(0, 0, width, _LEGEND), theme.ground)
        x, middle = float(SPACE), _LEGEND / 2
        painter.fillRect(QRectF(x, middle - 5, 2, 10), theme.text)
        painter.setPen(theme.muted)
        self._small.draw(painter, x + 2 * SPACE, middle, self.sum_name)
        x += 2 * SPACE + self._small.width(self.sum_name) + 3 * SPACE
        for part, name in enumerate(self.parts):
            room = min(self._small.width(name), 80.0)
            is_last = part == len(self.parts) - 1
            if x + 14 + room > width - (0 if is_last else 4 * SPACE):
                self._small.draw(painter, x, middle, "…")
                return
            fill_share(painter, QRectF(x, middle - 5, 10, 10), part if part < self.n_heads else -1, theme)
            painter.setPen(theme.muted)
            self._small.draw(painter, x + 14, middle, self._small.elided(name, room))
            x += 14 + room + 3 * SPACE


class HeadShares(QWidget):
    """The output of the selected token as the sum of what the heads add through their rows of W_O."""

    def __init__(self, parent: QWidget | None = None) -> None:
        load_fonts()
        super().__init__(parent)
        self.setObjectName("head_shares")
        self._stages: Stages | None = None
        self._selection = Selection()
        self._heading = Heading()
        self.bars = ShareBars()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._heading)
        layout.addWidget(self.bars, 1)
        self.retranslate()

    def draw(self, stages: Stages, selection: Selection) -> None:
        """Show the shares of the selected token, once the outputs of all heads are there."""
        self._stages, self._selection = stages, selection
        inputs = stages.request.inputs
        token = visible(inputs.tokens[selection.query])
        self._heading.set_text(self.tr("Output of “{token}”: the sum of its heads").format(token=token))
        shares: NDArray[np.float32] = np.zeros((0, 0), np.float32)
        parts = [visible(head.name) for head in inputs.heads]
        if len(stages.head_outputs) == inputs.n_heads:
            rows = [stages.head_outputs[head][selection.query] for head in range(inputs.n_heads)]
            shares = contributions(rows, inputs)
            if inputs.b_o is not None:
                shares = np.vstack([shares, inputs.b_o[None]])
                parts.append("b_O")
        self.bars.show_shares(shares, tuple(parts), output_names(inputs), inputs.n_heads)

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self.bars.set_theme(theme)

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self.bars.setAccessibleName(self.tr("What each head adds to the output of the selected token"))
        self.bars.sum_name = self.tr("sum")
        self.bars.empty_text = self.tr("The outputs of all heads are being computed.")
        if self._stages is not None:
            self.draw(self._stages, self._selection)

    # Qt's overrides

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
