"""Arithmetic written out line by line, its numbers leading to the fields where they are edited.

Painted, since laying out 64 terms as rich text takes longer than a frame. What the lines say is the business
of who hands them over.
"""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from attnviz.gui.fonts import number_font, small_font, text_font
from attnviz.gui.labels import Labels
from attnviz.gui.theme import LIGHT, SPACE, Theme

MOST_TERMS = 64
"""Terms of a sum that are written out; a longer one says how many more there are."""
_LINE = 22
_NAME = 56  # px for the name of a line
_LOWERED = 4  # px that an index stands below its letter

Link = tuple[str, int, int]
"""What a number is: which array it is of, its row, its column."""


class Run(NamedTuple):
    """A piece of a line that is not broken: a text, where it leads, and an index that stands low after it."""

    text: str
    link: Link | None = None
    low: str = ""

    @property
    def plain(self) -> str:
        """The piece as plain text, such as ``W_Q``."""
        return f"{self.text}_{self.low}" if self.low else self.text


Words = list[list[Run]]
"""A line: words, between which it may be broken, of runs, between which it may not."""
Line = tuple[str, Words]
"""What stands before a line, and the line."""


class LinkedLines(QAbstractScrollArea):
    """Lines of words, some of which can be followed.

    Signals
    -------
    term_chosen(which, row, column)
        A number was chosen with the mouse, or with the arrow keys and Enter.
    term_pointed(which, row, column)
        The mouse or the arrow keys are at a number; ``which`` is "" where they are at none.
    """

    term_chosen = Signal(str, int, int)
    term_pointed = Signal(str, int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self._theme = LIGHT
        self._heading = ""
        self._lines: list[Line] = []
        self._words: list[tuple[QRectF, str, str]] = []  # of pieces: their place, text and index
        self._links: list[tuple[QRectF, Link]] = []
        self._names: list[tuple[float, str]] = []
        self._at = -1  # the link the keyboard is at
        self._pointed: Link | None = None
        self._bold, self._number, self._small = (
            Labels(text_font(bold=True)),
            Labels(number_font()),
            Labels(small_font()),
        )

    def set_lines(self, heading: str, lines: list[Line]) -> None:
        """Write out other lines."""
        self._heading, self._lines = heading, lines
        self.setAccessibleDescription(self.text())
        self._lay_out()

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme
        self.viewport().update()

    def text(self) -> str:
        """Give the lines as plain text, one per line."""
        lines = [self._heading]
        for name, words in self._lines:
            lines.append(f"{name}  " + " ".join("".join(run.plain for run in word) for word in words))
        return "\n".join(lines)

    def copy(self) -> None:
        """Put the lines on the clipboard."""
        QGuiApplication.clipboard().setText(self.text())

    def link_rect(self, which: str, row: int, column: int) -> QRectF:
        """Give where a number that can be followed lies, in px of the viewport; empty where there is none."""
        for rect, link in self._links:
            if link == (which, row, column):
                return rect.translated(0, -self.verticalScrollBar().value())
        return QRectF()

    def retranslate(self) -> None:
        """Take the words of the present language."""

    def _lay_out(self) -> None:
        """Break the lines to the width there is."""
        right = float(self.viewport().width() - SPACE)
        self._words, self._links, self._names = [], [], []
        space, top = self._number.width(" ") + 1, float(_LINE + SPACE)
        for name, words in self._lines:
            self._names.append((top + _LINE / 2, name))
            x = left = float(SPACE + _NAME)
            for word in words:
                widths = [self._number.width(run.text) + self._small.width(run.low) for run in word]
                width = sum(widths)
                if x > left and x + width > right:
                    x, top = left, top + _LINE
                self._place(word, widths, x, top)
                x += width + space
            top += _LINE
        bar, height = self.verticalScrollBar(), self.viewport().height()
        bar.setRange(0, max(0, int(top + SPACE) - height))
        bar.setPageStep(max(height, 1))
        bar.setSingleStep(_LINE)
        self._at = min(self._at, len(self._links) - 1)
        self.viewport().update()

    def _place(self, word: list[Run], widths: list[float], x: float, top: float) -> None:
        if not any(run.low for run in word):  # drawn in one piece
            self._words.append((QRectF(x, top, sum(widths), _LINE), "".join(run.text for run in word), ""))
        for run, width in zip(word, widths, strict=True):
            rect = QRectF(x, top, width, _LINE)
            if any(other.low for other in word):
                self._words.append((rect, run.text, run.low))
            if run.link is not None:
                self._links.append((rect, run.link))
            x += width

    def _link_at(self, position: QPointF) -> Link | None:
        point = position + QPointF(0, self.verticalScrollBar().value())
        return next((link for rect, link in self._links if rect.contains(point)), None)

    def _point_at(self, link: Link | None) -> None:
        if link != self._pointed:
            self._pointed = link
            self.term_pointed.emit(*(link or ("", -1, -1)))

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
        link = self._link_at(event.position())
        self.viewport().setCursor(
            Qt.CursorShape.ArrowCursor if link is None else Qt.CursorShape.PointingHandCursor
        )
        self._point_at(link)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        link = self._link_at(event.position())
        if link is not None and event.button() == Qt.MouseButton.LeftButton:
            self._at = [other for _, other in self._links].index(link)
            self.viewport().update()
            self.term_chosen.emit(*link)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._point_at(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        links, key = self._links, event.key()
        if links and key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            step = 1 if key == Qt.Key.Key_Right else -1
            self._at = min(max(self._at + step, 0), len(links) - 1)
            bar, rect = self.verticalScrollBar(), links[self._at][0]
            bar.setValue(int(min(max(bar.value(), rect.bottom() - self.viewport().height()), rect.top())))
            self.viewport().update()
            self._point_at(links[self._at][1])
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
        for rect, text, low in self._words:
            if rect.intersects(shown):
                self._number.draw(painter, rect.left(), rect.center().y(), text)
                if low:
                    x = rect.left() + self._number.width(text)
                    self._small.draw(painter, x, rect.center().y() + _LOWERED, low)
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
