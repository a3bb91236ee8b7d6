"""Why scores are divided by √d_k: measured spreads against the curve, and softmax with and without."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from attnviz.core.numbers import format_percent
from attnviz.core.score_spread import MEASURED_AT, random_spread, softmax_trial
from attnviz.gui.fonts import number_font, small_font
from attnviz.gui.labels import Labels
from attnviz.gui.number_texts import trimmed
from attnviz.gui.theme import LIGHT, SPACE, Theme
from attnviz.gui.views.chain_layout import HEIGHT, READING

_PLOT = QRectF(30, 28, 168, 84)
_X_TICKS = (1, 4, 16, 64, 256, 1024, 4096)
_NOT_WRITTEN = 1024  # there is no room beside 4,096
_Y_TICKS = (1, 2, 4, 8, 16, 32, 64)
_CHARTS = 222.0
"""Where the bar charts begin, in px from the left."""
_BAR = 8.0


class SpreadPlot(QWidget):
    """The spread of q · k against d_k, both on scales of doublings, and two small charts of bars."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("shapes/spread")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._theme = LIGHT
        self._text, self._bold = Labels(number_font(small=True)), Labels(small_font(bold=True))
        self._shown: tuple[int, float, str] | None = None
        self._chart_width = 84.0
        self.retranslate()

    def draw(self, d_k: int, own: float, head: str) -> None:
        """Mark a document's d_k and the spread of the scores of one of its heads."""
        if self._shown != (d_k, own, head):
            self._shown = (d_k, own, head)
            self._say()
            self.update()

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme
        self.update()

    def shown_text(self) -> str:
        """Give the words about this document."""
        if self._shown is None:
            return ""
        d_k, own, head = self._shown
        return self.tr("d_k = {d_k}, √d_k = {root}; scores of head “{head}” spread by {spread}").format(
            d_k=f"{d_k:,}", root=trimmed(math.sqrt(d_k)), head=head, spread=trimmed(own)
        )

    def shown_largest(self) -> tuple[str, str]:
        """Give the largest weight of the ten scores, undivided and divided."""
        trial = softmax_trial(1 if self._shown is None else self._shown[0])
        return format_percent(float(trial.undivided.max())), format_percent(float(trial.divided.max()))

    def point(self, d_k: float, spread: float) -> QPointF:
        """Give where a spread stands in the plot, in px; what lies outside, at its edge."""
        right = math.log2(max(d_k, 1.0)) / 12
        up = math.log2(max(spread, 1e-9)) / 6
        up = min(max(up, 0.0), 1.0)
        return QPointF(_PLOT.left() + right * _PLOT.width(), _PLOT.bottom() - up * _PLOT.height())

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self.setAccessibleName(self.tr("Why scores are divided by √d_k"))
        self._say()
        titles = (self.tr("as they are"), "÷ √d_k", self.tr("largest {percent}").format(percent="100.0%"))
        self._chart_width = max(10 * _BAR, *(self._text.width(title) for title in titles))
        widths = (
            _CHARTS + 2 * self._chart_width + 5 * SPACE,
            _CHARTS + self._bold.width(self._charts_title("4,096")) + 2 * SPACE,
        )
        self.setFixedSize(int(max(widths)) + 1, HEIGHT)
        self.update()

    def _charts_title(self, d_k: str) -> str:
        return self.tr("softmax of ten scores, d_k = {d_k}").format(d_k=d_k)

    def _say(self) -> None:
        if self._shown is None:
            return
        measured = ", ".join(f"{d_k:,} → {random_spread(d_k):.1f}" for d_k in (64, 256, 4096))
        undivided, divided = self.shown_largest()
        self.setAccessibleDescription(
            "\n".join(
                [
                    self.tr("Spread of q · k of random vectors by d_k: {measured}").format(measured=measured),
                    self.shown_text(),
                    self.tr(
                        "The largest of ten weights is {undivided} with scores as they are, {divided} ÷ √d_k."
                    ).format(undivided=undivided, divided=divided),
                ]
            )
        )

    def _paint_plot(self, painter: QPainter, d_k: int, own: float) -> None:
        theme = self._theme
        for tick in _X_TICKS:
            at = self.point(tick, 1)
            painter.setPen(QPen(theme.grid, 1.0))
            painter.drawLine(QPointF(at.x(), _PLOT.top()), QPointF(at.x(), _PLOT.bottom()))
            painter.setPen(theme.muted)
            if tick != _NOT_WRITTEN:
                self._text.draw_centred(painter, at.x(), _PLOT.bottom() + 10, f"{tick:,}")
        self._text.draw(painter, SPACE, _PLOT.bottom() + 10, "d_k")
        for tick in _Y_TICKS:
            at = self.point(1, tick)
            painter.setPen(QPen(theme.grid, 1.0))
            painter.drawLine(QPointF(_PLOT.left(), at.y()), QPointF(_PLOT.right(), at.y()))
            painter.setPen(theme.muted)
            self._text.draw_right(painter, _PLOT.left() - 6, at.y(), str(tick))
        painter.setPen(QPen(theme.muted, 1.25))
        painter.drawLine(self.point(1, 1), self.point(4096, 64))
        here = self.point(d_k, 1).x()
        painter.setPen(QPen(theme.muted, 1.0, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(here, _PLOT.top()), QPointF(here, _PLOT.bottom()))
        painter.setPen(QPen(theme.text, 1.0))
        painter.setBrush(theme.ground)
        for measured in MEASURED_AT:
            painter.drawEllipse(self.point(measured, random_spread(measured)), 2.5, 2.5)
        painter.setPen(QPen(theme.ground, 1.0))
        painter.setBrush(theme.accent)
        painter.drawEllipse(self.point(d_k, own), 4.5, 4.5)

    def _paint_bars(self, painter: QPainter, left: float, title: str, weights: NDArray[np.float64]) -> None:
        theme = self._theme
        painter.setPen(theme.muted)
        self._text.draw(painter, left, _PLOT.top() + 1, title)
        top, bottom = _PLOT.top() + 12, _PLOT.bottom()
        for index, weight in enumerate(weights):
            height = float(weight) * (bottom - top)
            painter.fillRect(QRectF(left + index * _BAR, bottom - height, _BAR - 2, height), theme.bar)
        painter.setPen(QPen(theme.border, 1.0))
        painter.drawLine(QPointF(left, bottom + 0.5), QPointF(left + 10 * _BAR - 2, bottom + 0.5))
        largest = self.tr("largest {percent}").format(percent=format_percent(float(weights.max())))
        painter.setPen(theme.text)
        self._text.draw(painter, left, bottom + 10, largest)

    # Qt's overrides

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._shown is None:
            return
        d_k, own, _ = self._shown
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._theme.text)
        title = self.tr("Why ÷ √d_k: spread of random q · k")
        self._bold.draw(painter, SPACE, READING, self._bold.elided(title, _CHARTS - 3 * SPACE))
        self._bold.draw(painter, _CHARTS, READING, self._charts_title(f"{d_k:,}"))
        self._paint_plot(painter, d_k, own)
        trial = softmax_trial(d_k)
        self._paint_bars(painter, _CHARTS, self.tr("as they are"), trial.undivided)
        self._paint_bars(painter, _CHARTS + self._chart_width + 4 * SPACE, "÷ √d_k", trial.divided)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.accent)
        painter.drawEllipse(QPointF(SPACE + 4.5, HEIGHT - 12), 4.5, 4.5)
        painter.setPen(self._theme.text)
        room = self.width() - 6 * SPACE
        self._text.draw(painter, 4 * SPACE, HEIGHT - 12, self._text.elided(self.shown_text(), room))
        if self.hasFocus():
            painter.setPen(QPen(self._theme.border, 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()
