"""What sums up each row, drawn beside the map: a bar per query at the height of its row in the panel.

One measure at a time; above it, where there is room, the means of all measures over the head's rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from attnviz.core.numbers import format_shortest
from attnviz.core.selection import Selection
from attnviz.core.stages import Stages
from attnviz.core.summaries import EFFECTIVE_KEYS, ENTROPY, MEASURES, WINDOW, RowSummaries
from attnviz.gui.fonts import load_fonts, small_font
from attnviz.gui.plain_text import tooltip, visible
from attnviz.gui.theme import LIGHT, SPACE, Theme
from attnviz.gui.views.marginal_painting import CONTROL, MarginalFonts, MarginalPainting, told_row
from attnviz.gui.views.marginal_profile import allowed_keys
from attnviz.gui.views.measure_choice import MeasureChoice, window_field
from attnviz.gui.views.measure_words import (
    NONE,
    measure_name,
    measure_sentence,
    told_value,
    value_text,
)
from attnviz.gui.views.row_span import RowSpan

WIDTH = 136
_AT_ONCE = 20_000
"""Numbers that are written within some hundredths of a second."""


class MarginalPlot(QWidget):
    """The bars, their choice of measure, and the means.

    Signals
    -------
    measure_chosen(measure)
        Another of ``MEASURES`` is to be shown, or ``none``.
    window_chosen(width)
        Another width of the window is wanted.
    refused(InputError)
        What was typed as the width is none.
    query_chosen(query)
        A row was clicked, or reached with the arrow keys.
    """

    measure_chosen = Signal(str)
    window_chosen = Signal(int)
    refused = Signal(object)
    query_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        load_fonts()
        super().__init__(parent)
        self.setObjectName("marginals")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setFixedWidth(WIDTH)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self._theme = LIGHT
        self._fonts = MarginalFonts()
        self._span: Callable[[], RowSpan | None] = lambda: None
        self._placed: tuple[object, ...] = ()
        self._stages: Stages | None = None
        self._selection = Selection()
        self._measure = NONE
        self._hover: int | None = None
        self._most: tuple[object, NDArray[np.float64] | None] | None = None
        self._choice = MeasureChoice("marginals/measure", self)
        self._choice.chosen.connect(self.measure_chosen)
        self._field = window_field("marginals/window", self)
        self._field.value_entered.connect(lambda width: self.window_chosen.emit(round(width)))
        self._field.refused.connect(self.refused)
        self.retranslate()
        self.hide()

    def follow(self, span: Callable[[], RowSpan | None]) -> None:
        """Stand beside rows; ``span`` is asked for their places, in px of a widget that begins as high."""
        self._span = span
        self.rows_moved()

    def rows_moved(self) -> None:
        """Draw the bars where the rows are now."""
        self._place()
        self.update()

    def show_measure(self, measure: str) -> None:
        """Show one of ``MEASURES``, or with ``none`` nothing at all."""
        self._measure = measure
        self._choice.show_choice(measure)
        self.setVisible(measure != NONE)
        self._field.setVisible(measure == "on_window")
        self._say()
        self._place(anew=True)
        self.update()

    def show_window(self, width: int) -> None:
        """Show the width of the window that is wanted."""
        self._field.set_value(width)

    def draw(self, stages: Stages, selection: Selection) -> None:
        """Show a new moment."""
        was_cross, self._stages, self._selection = self._is_cross(), stages, selection
        if self._is_cross() != was_cross:
            self._name_choices()
        if self._hover is not None and self._hover >= stages.request.inputs.n_query:
            self._hover = None
        self._say()
        self._place()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme
        self.update()

    def shown_value(self, query: int) -> str:
        """Give a row's number with its unit, — where it has no weight; nothing while it is not there."""
        told = self._told()
        if told is None or self._measure == NONE:
            return ""
        return told_row(told, self._measure, query)

    def shown_mean(self, measure: str) -> str:
        """Give the mean of a measure over all rows as it is written; nothing while it is not there."""
        told = self._told()
        return "" if told is None else value_text(measure, told.mean(measure))

    def bar_rect(self, query: int) -> QRectF:
        """Give where a row's bar lies, in px; empty where the row is out of view."""
        span, told = self._span(), self._told()
        if span is None or told is None or self._measure == NONE or self._stages is None:
            return QRectF()
        size = (self.width(), self.height())
        inputs = self._stages.request.inputs
        plot = MarginalPainting(self._fonts, self._theme, span, told, self._measure, inputs, size)
        return plot.bar_rect(query)

    def hover_text(self) -> str:
        """Give what is said of the row under the pointer; nothing where there is none."""
        if self._hover is None or self._stages is None:
            return ""
        token = visible(self._stages.request.inputs.tokens[self._hover])
        return f"{token}  {self.shown_value(self._hover)}"

    def empty_text(self) -> str:
        """Give what is said in place of bars that are not there yet; nothing where they are."""
        if self._told() is not None or self._stages is None:
            return ""
        if self._stages.is_coarse:
            return self.tr("The summaries come once every row is computed.")
        return self.tr("The summaries are being computed.")

    def copied_text(self) -> str:
        """Give all measures of all rows as tab-separated text, below a line of what they are."""
        told = self._told()
        if told is None or self._stages is None:
            return ""
        names = [measure_name(measure, is_cross=self._is_cross()) for measure in MEASURES]
        return _table(names, self._stages.request.inputs.tokens, told)

    def long_copy(self) -> Callable[[], str] | None:
        """Give what writes ``copied_text`` of this moment in any thread, where that takes long; else None."""
        told, stages = self._told(), self._stages
        if told is None or stages is None or told.n_query * len(MEASURES) <= _AT_ONCE:
            return None
        names = [measure_name(measure, is_cross=self._is_cross()) for measure in MEASURES]
        return partial(_table, names, stages.request.inputs.tokens, told)

    def copy(self) -> None:
        """Put ``copied_text`` on the clipboard."""
        QGuiApplication.clipboard().setText(self.copied_text())

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self._name_choices()
        self._choice.setAccessibleName(self.tr("What is drawn beside the map"))
        self._field.setAccessibleName(self.tr("Width of the window in tokens"))
        self.setAccessibleName(self.tr("Summaries of the rows"))
        self._say()
        self.update()

    def _name_choices(self) -> None:
        self._choice.name_choices(self.tr("hide"), is_cross=self._is_cross())

    def _is_cross(self) -> bool:
        return self._stages is not None and self._stages.request.inputs.is_cross

    def _told(self) -> RowSummaries | None:
        if self._stages is None:
            return None
        return self._stages.summaries.get(self._stages.request.region.head)

    def _say(self) -> None:
        """Tell assistive tools of the selected row, and in the choice's tooltip what the measure is."""
        told, stages = self._told(), self._stages
        is_cross = self._is_cross()
        width = WINDOW if told is None else told.window
        if self._measure != NONE:
            sentence = measure_sentence(self._measure, width, is_cross=is_cross)
            if self._measure in (ENTROPY, EFFECTIVE_KEYS):
                sentence += "\n" + self.tr("Dotted: all keys that the row may attend to, at equal weight")
            self._choice.setToolTip(tooltip(sentence))
        if told is None or stages is None or self._measure == NONE:
            words = self.empty_text()
        else:
            query = min(self._selection.query, told.n_query - 1)
            token = visible(stages.request.inputs.tokens[query])
            mean = told_value(self._measure, told.mean(self._measure))
            words = self.tr("{measure}: “{token}” {value}; mean of all rows {mean}").format(
                measure=measure_name(self._measure, is_cross=is_cross),
                token=token,
                value=self.shown_value(query),
                mean=mean,
            )
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    def _place(self, *, anew: bool = False) -> None:
        """Put the controls at the height of the panel's heading."""
        span = self._span()
        key = (None if span is None else span.header, self._measure)
        if span is None or (key == self._placed and not anew):
            return
        self._placed = key
        has_field = self._measure == "on_window"
        aside = self._field.sizeHint().width() + SPACE if has_field else 0
        top, right = int(span.header), self.width() - SPACE
        self._choice.setGeometry(SPACE, top, right - SPACE - aside, CONTROL)
        if has_field:
            self._field.setGeometry(right - aside + SPACE, top, aside - SPACE, CONTROL)

    def _most_keys(self, stages: Stages) -> NDArray[np.float64] | None:
        """Count the keys that each row may attend to, once per mask; None where that takes long."""
        inputs = stages.request.inputs
        key = (inputs.mask, inputs.n_query, inputs.n_key)
        if self._most is None or self._most[0] != key:
            self._most = (key, allowed_keys(inputs))
        return self._most[1] if inputs.mask_fill == -math.inf else None

    # Qt's overrides

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 200)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.ground)
        span, told, stages = self._span(), self._told(), self._stages
        if span is None or stages is None or self._measure == NONE:
            return
        self._place()
        if told is None:
            painter.setPen(self._theme.muted)
            painter.setFont(small_font())
            place = QRectF(SPACE, span.top + SPACE, self.width() - 2 * SPACE, span.height)
            painter.drawText(place, int(Qt.TextFlag.TextWordWrap), self.empty_text())
            return
        inputs = stages.request.inputs
        plot = MarginalPainting(
            self._fonts, self._theme, span, told, self._measure, inputs, (self.width(), self.height())
        )
        plot.paint(painter, self._selection.query, self._hover, self._most_keys(stages))
        if self.hasFocus():
            painter.setPen(QPen(self._theme.accent, 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(1.5, span.top - 0.5, self.width() - 3, span.height))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(event.position().y())

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(-1.0)

    def _point_at(self, y: float) -> None:
        span, told = self._span(), self._told()
        query = None if span is None or told is None else span.query_at(y)
        if query is not None and told is not None and query >= told.n_query:
            query = None
        if query != self._hover:
            self._hover = query
            self.setToolTip("" if query is None else tooltip(self.hover_text()))
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._point_at(event.position().y())
        if event.button() == Qt.MouseButton.LeftButton and self._hover is not None:
            self.query_chosen.emit(self._hover)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        told = self._told()
        last = -1 if told is None else told.n_query - 1
        query = self._selection.query
        wanted = {
            Qt.Key.Key_Up: query - 1,
            Qt.Key.Key_Down: query + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }.get(Qt.Key(event.key()))
        if wanted is None:
            super().keyPressEvent(event)
        elif 0 <= wanted <= last and wanted != query:
            self.query_chosen.emit(wanted)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()


def _table(names: Sequence[str], tokens: Sequence[str], told: RowSummaries) -> str:
    """Give all measures of all rows as tab-separated text."""
    columns = [[format_shortest(value) for value in told.of(measure).tolist()] for measure in MEASURES]
    rows = zip((visible(token) for token in tokens), *columns, strict=True)
    return "\n".join("\t".join(cells) for cells in [("", *names), *rows])
