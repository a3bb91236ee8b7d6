"""One cell's arithmetic written out; every number of q and k leads to the field where it is edited.

Painted, since laying out 64 terms as rich text takes longer than a frame.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from attnviz.core.numbers import format_fixed
from attnviz.core.stages import Stages
from attnviz.core.terms import CellTerms, cell_terms
from attnviz.gui.fonts import number_font, small_font, text_font
from attnviz.gui.plain_text import visible
from attnviz.gui.theme import LIGHT, SPACE, Theme
from attnviz.gui.views.board_state import fill_text, own_digits, trimmed
from attnviz.gui.views.token_text import Labels

_MOST_TERMS = 64  # written out; a sum of more says how many more
_MOST_OUTPUTS = 16
_LINE = 22
_NAME = 56  # px for the name of a stage

Link = tuple[str, int, int]


class Run(NamedTuple):
    """A piece of a line that is not broken; ``link`` is (which, token, dim) where it can be followed."""

    text: str
    link: Link | None = None


Words = list[list[Run]]
"""A line: words, between which it may be broken, of runs, between which it may not."""


class TermLines(QAbstractScrollArea):
    """How one weight comes about, line by line.

    Signals
    -------
    term_chosen(which, token, dim)
        A number was chosen with the mouse, or with the arrow keys and Enter; ``which`` is ``q`` or ``k``.
    """

    term_chosen = Signal(str, int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("arithmetic/terms")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self._theme = LIGHT
        self._shown: tuple[Stages, int] | None = None
        self._heading = ""
        self._lines: list[tuple[str, Words]] = []
        self._words: list[tuple[QRectF, str]] = []
        self._links: list[tuple[QRectF, Link]] = []
        self._names: list[tuple[float, str]] = []
        self._at = -1  # the link the keyboard is at
        self._bold, self._number, self._small = (
            Labels(text_font(bold=True)),
            Labels(number_font()),
            Labels(small_font()),
        )
        self.retranslate()

    def draw(self, stages: Stages, key: int) -> None:
        """Write out the cell of the stages' query at ``key``."""
        self._shown = (stages, key)
        self._write()

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme
        self.viewport().update()

    def text(self) -> str:
        """Give the lines as plain text, one per line."""
        lines = [self._heading]
        for name, words in self._lines:
            lines.append(f"{name}  " + " ".join("".join(run.text for run in word) for word in words))
        return "\n".join(lines)

    def copy(self) -> None:
        """Put the lines on the clipboard."""
        QGuiApplication.clipboard().setText(self.text())

    def link_rect(self, which: str, token: int, dim: int) -> QRectF:
        """Give where a number that can be followed lies, in px of the viewport; empty where there is none."""
        for rect, link in self._links:
            if link == (which, token, dim):
                return rect.translated(0, -self.verticalScrollBar().value())
        return QRectF()

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self.setAccessibleName(self.tr("How the selected weight comes about"))
        self._write()

    def _write(self) -> None:
        if self._shown is None:
            return
        stages, key = self._shown
        terms, tokens = cell_terms(stages, key), stages.request.inputs.tokens
        self._heading = f"{visible(tokens[terms.cell.query])} → {visible(tokens[key])}"
        self._lines = self._written(stages, terms)
        self.setAccessibleDescription(self.text())
        self._lay_out()

    def _written(self, stages: Stages, terms: CellTerms) -> list[tuple[str, Words]]:
        """Give (stage, words) for every line."""
        cell, last = terms.cell, min(len(terms.products), _MOST_TERMS) - 1
        words: Words = []
        for index, product in enumerate(terms.products[: last + 1]):
            word = [
                Run(_factor(product.q, short_number(product.q)), ("q", cell.query, product.dim)),
                Run("×"),
                Run(_factor(product.k, trimmed(product.k)), ("k", cell.key, product.dim)),
            ]
            words.append([*word, Run(" +")] if index < last else word)
        if len(terms.products) > last + 1:
            more = self.tr("({count} more)").format(count=len(terms.products) - last - 1)
            words += [[Run("+ …")], [Run(more)]]
        words.append([Run(f"= {format_fixed(cell.scores, 2)}")])
        by = f"√{terms.d_k}"
        if terms.scale_strength != 1.0:
            by = f"({by} × {own_digits(terms.scale_strength)})"
        lines = [("q·k", words), (self.tr("scale"), [[Run(f"÷ {by} = {format_fixed(cell.scaled, 2)}")]])]
        if not cell.is_allowed:
            fill = fill_text(stages.request.inputs.mask_fill)
            lines.append((self.tr("mask"), [[Run(self.tr("masked (hidden): {fill}").format(fill=fill))]]))
        lines.append(("softmax", self._softmax(terms)))
        lines.append(("Σ", self._output(stages)))
        return lines

    def _output(self, stages: Stages) -> Words:
        """Give the query's output, to which this weight carries its key's v."""
        output = stages.row.output
        numbers = [format_fixed(float(value), 3) for value in output[:_MOST_OUTPUTS]]
        if len(output) > _MOST_OUTPUTS:
            numbers.append("…")
        numbers[0], numbers[-1] = f"[{numbers[0]}", f"{numbers[-1]}]"
        words = [f"{number}," for number in numbers[:-1]] + numbers[-1:]
        return [[Run(self.tr("weight × v ="))], *([Run(word)] for word in words)]

    def _softmax(self, terms: CellTerms) -> Words:
        if not math.isfinite(terms.row_max):
            return [[Run(self.tr("no key may be attended, so the weight is 0"))]]
        masked, top = format_fixed(terms.cell.masked, 2), format_fixed(terms.row_max, 2)
        total, weight = format_fixed(terms.row_sum, 3), format_fixed(terms.cell.weights, 3)
        return [
            [Run(f"exp({masked} − max) / sum = {weight}")],
            [Run(self.tr("(max = {top}, sum = {total})").format(top=top, total=total))],
        ]

    def _lay_out(self) -> None:
        """Break the lines to the width there is."""
        right = float(self.viewport().width() - SPACE)
        self._words, self._links, self._names = [], [], []
        space, top = self._number.width(" ") + 1, float(_LINE + SPACE)
        for name, words in self._lines:
            self._names.append((top + _LINE / 2, name))
            x = left = float(SPACE + _NAME)
            for word in words:
                widths = [self._number.width(run.text) for run in word]
                width = sum(widths)
                if x > left and x + width > right:
                    x, top = left, top + _LINE
                self._words.append((QRectF(x, top, width, _LINE), "".join(run.text for run in word)))
                for run, part in zip(word, widths, strict=True):
                    if run.link is not None:
                        self._links.append((QRectF(x, top, part, _LINE), run.link))
                    x += part
                x += space
            top += _LINE
        bar, height = self.verticalScrollBar(), self.viewport().height()
        bar.setRange(0, max(0, int(top + SPACE) - height))
        bar.setPageStep(max(height, 1))
        bar.setSingleStep(_LINE)
        self._at = min(self._at, len(self._links) - 1)
        self.viewport().update()

    def _link_at(self, position: QPointF) -> Link | None:
        point = position + QPointF(0, self.verticalScrollBar().value())
        return next((link for rect, link in self._links if rect.contains(point)), None)

    # Qt's overrides

    def sizeHint(self) -> QSize:
        return QSize(360, 6 * _LINE)

    def minimumSizeHint(self) -> QSize:
        return QSize(180, 3 * _LINE)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        is_link = self._link_at(event.position()) is not None
        self.viewport().setCursor(
            Qt.CursorShape.PointingHandCursor if is_link else Qt.CursorShape.ArrowCursor
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        link = self._link_at(event.position())
        if link is not None and event.button() == Qt.MouseButton.LeftButton:
            self._at = [other for _, other in self._links].index(link)
            self.viewport().update()
            self.term_chosen.emit(*link)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        links, key = self._links, event.key()
        if links and key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            step = 1 if key == Qt.Key.Key_Right else -1
            self._at = min(max(self._at + step, 0), len(links) - 1)
            bar, rect = self.verticalScrollBar(), links[self._at][0]
            bar.setValue(int(min(max(bar.value(), rect.bottom() - self.viewport().height()), rect.top())))
            self.viewport().update()
        elif self._at >= 0 and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.term_chosen.emit(*links[self._at][1])
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self.viewport())
        painter.fillRect(event.rect(), theme.ground)
        painter.translate(0, -self.verticalScrollBar().value())
        painter.setPen(theme.text)
        heading = self._bold.elided(self._heading, self.viewport().width() - 2 * SPACE)
        self._bold.draw(painter, SPACE, SPACE + _LINE / 2, heading)
        painter.setPen(theme.muted)
        for middle, name in self._names:
            self._small.draw(painter, SPACE, middle, name)
        painter.setPen(theme.text)
        shown = QRectF(event.rect()).translated(0, self.verticalScrollBar().value())
        for rect, text in self._words:
            if rect.intersects(shown):
                self._number.draw(painter, rect.left(), rect.center().y(), text)
        painter.setPen(QPen(theme.muted, 1.0))
        painter.setOpacity(0.5)
        painter.drawLines(
            [
                QLineF(rect.left(), rect.bottom() - 3, rect.right(), rect.bottom() - 3)
                for rect, _ in self._links
                if rect.intersects(shown)
            ]
        )
        painter.setOpacity(1.0)
        links = self._links
        if self.hasFocus() and 0 <= self._at < len(links):
            painter.setPen(QPen(theme.accent, 1.0))
            painter.drawRect(links[self._at][0].adjusted(-2, 1, 2, -1))
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()


def short_number(value: float) -> str:
    """Give a number with one or two digits after the point: ``1.0``, ``0.25``."""
    text = trimmed(value)
    return text if "." in text or "e" in text else f"{text}.0"


def _factor(value: float, text: str) -> str:
    """Give one factor of a product, in parentheses where it is negative."""
    return f"({text})" if value < 0 and text.startswith("−") else text
