"""Arithmetic written out line by line, its numbers leading to the fields where they are edited.

Painted, since laying out 64 terms as rich text takes longer than a frame. What the lines say is the business
of who hands them over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, cast

from PySide6.QtCore import QEvent, QLineF, QPointF, QRect, QRectF, QSize, Qt, Signal
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
_MANY = 40  # words that change, from which on everything is painted again

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


Word = tuple[Run, ...]
"""Runs between which a line is not broken."""
Words = list[Word]
"""A line: words, between which it may be broken."""
Line = tuple[str, Words]
"""What stands before a line, and the line."""


class _Measured(NamedTuple):
    """A word with all that does not depend on its place; distances are in px from its left."""

    word: Word
    plain: str
    width: float
    pieces: list[tuple[float, str, str]]
    """Left, text and index of what is drawn at once."""
    links: list[tuple[float, float, Link]]
    """Left, width and aim of what can be followed."""


class _Placed(NamedTuple):
    """A word in its place, in px of all lines."""

    x: float
    top: float
    measured: _Measured

    @property
    def rect(self) -> QRectF:
        """Where it lies."""
        return QRectF(self.x, self.top, self.measured.width, _LINE)

    def meets(self, parts: list[tuple[int, int, int, int]]) -> bool:
        """Say whether it lies in one of several (left, top, right, bottom), or so near that it reaches in."""
        first, last = self.x - 1, self.x + self.measured.width + 1
        for left, top, right, bottom in parts:
            if left < last and right > first and top < self.top + _LINE and bottom > self.top:
                return True
        return False

    def links(self) -> Iterator[tuple[QRectF, Link]]:
        """Give what of it can be followed, and where it lies."""
        for left, width, link in self.measured.links:
            yield QRectF(self.x + left, self.top, width, _LINE), link


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
        self._placed: list[_Placed] = []
        self._counts: list[int] = []  # of words, line by line
        self._names: list[tuple[float, str]] = []
        self._at = -1  # the link the keyboard is at
        self._pointed: Link | None = None
        self._bold, self._number, self._small = (
            Labels(text_font(bold=True)),
            Labels(number_font()),
            Labels(small_font()),
        )

    def set_lines(self, heading: str, lines: list[Line]) -> None:
        """Write out other lines; what is the same as before is neither measured nor painted again."""
        if heading != self._heading:
            self.viewport().update(0, 0, self.viewport().width(), _LINE + SPACE)
        self._heading, self._lines = heading, lines
        self._lay_out()
        self.setAccessibleDescription(self.text())

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme
        self.viewport().update()

    def text(self) -> str:
        """Give the lines as plain text, one per line."""
        lines, first = [self._heading], 0
        for (_, name), count in zip(self._names, self._counts, strict=True):
            words = self._placed[first : first + count]
            lines.append(f"{name}  " + " ".join([placed.measured.plain for placed in words]))
            first += count
        return "\n".join(lines)

    def copy(self) -> None:
        """Put the lines on the clipboard."""
        QGuiApplication.clipboard().setText(self.text())

    def link_rect(self, which: str, row: int, column: int) -> QRectF:
        """Give where a number that can be followed lies, in px of the viewport; empty where there is none."""
        for rect, link in self._links():
            if link == (which, row, column):
                return rect.translated(0, -self.verticalScrollBar().value())
        return QRectF()

    def retranslate(self) -> None:
        """Take the words of the present language."""

    def _lay_out(self) -> None:
        """Break the lines to the width there is, and have painted what lies elsewhere or is another."""
        right = float(self.viewport().width() - SPACE)
        before, names = self._placed, self._names
        placed: list[_Placed] = []
        self._names, self._counts = [], []
        space, top = self._number.width(" ") + 1, float(_LINE + SPACE)
        stale: list[_Placed] = []
        for name, words in self._lines:
            self._names.append((top + _LINE / 2, name))
            self._counts.append(len(words))
            x = left = float(SPACE + _NAME)
            for word in words:
                old = before[len(placed)] if len(placed) < len(before) else None
                is_known = old is not None and old.measured.word == word
                measured = old.measured if old is not None and is_known else self._measured(word)
                if x > left and x + measured.width > right:
                    x, top = left, top + _LINE
                if old is None or old.measured is not measured or old.x != x or old.top != top:
                    now = _Placed(x, top, measured)
                    stale += [now] if old is None else [old, now]
                    old = now
                placed.append(old)
                x += measured.width + space
            top += _LINE
        stale += before[len(placed) :]
        self._placed = placed
        bar, height = self.verticalScrollBar(), self.viewport().height()
        bar.setRange(0, max(0, int(top + SPACE) - height))
        bar.setPageStep(max(height, 1))
        bar.setSingleStep(_LINE)
        if self._at >= 0:
            self._at = min(self._at, sum(1 for _ in self._links()) - 1)
        if names != self._names or self._at >= 0 or len(stale) > _MANY:
            self.viewport().update()
            return
        spans: dict[float, tuple[float, float]] = {}  # what is to be painted, line by line
        for one in stale:
            first, last = spans.get(one.top, (one.x, one.x))
            spans[one.top] = min(first, one.x), max(last, one.x + one.measured.width)
        for line, (first, last) in spans.items():
            left, width = int(first) - 1, int(last - first) + 4
            self.viewport().update(left, int(line) - bar.value(), width, _LINE)

    def _measured(self, word: Word) -> _Measured:
        """Measure a word; it is drawn in one piece where nothing in it stands low."""
        if len(word) == 1 and word[0].link is None and not word[0].low:  # a number, and often a new one
            text = word[0].text
            return _Measured(word, text, self._number.width(text), [(0.0, text, "")], [])
        widths = [self._number.width(run.text) + self._small.width(run.low) for run in word]
        has_low = any(run.low for run in word)
        pieces, links, left = [], [], 0.0
        for run, width in zip(word, widths, strict=True):
            if has_low:
                pieces.append((left, run.text, run.low))
            if run.link is not None:
                links.append((left, width, run.link))
            left += width
        whole = sum(widths)
        if not has_low:
            pieces = [(0.0, "".join([run.text for run in word]), "")]
        return _Measured(word, "".join([run.plain for run in word]), whole, pieces, links)

    def _links(self) -> Iterator[tuple[QRectF, Link]]:
        """Give all that can be followed, and where it lies in px of all lines."""
        for placed in self._placed:
            yield from placed.links()

    def _link_at(self, position: QPointF) -> Link | None:
        point = position + QPointF(0, self.verticalScrollBar().value())
        return next((link for rect, link in self._links() if rect.contains(point)), None)

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
            self._at = [other for _, other in self._links()].index(link)
            self.viewport().update()
            self.term_chosen.emit(*link)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._point_at(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        links, key = list(self._links()), event.key()
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
        region, offset = event.region(), -self.verticalScrollBar().value()
        painter.fillRect(event.rect(), theme.ground)
        painter.translate(0, offset)
        if event.rect().left() < SPACE + _NAME or event.rect().top() < offset + SPACE + _LINE:
            painter.setPen(theme.text)
            heading = self._bold.elided(self._heading, self.viewport().width() - 2 * SPACE)
            self._bold.draw(painter, SPACE, SPACE + _LINE / 2, heading)
            painter.setPen(theme.muted)
            for middle, name in self._names:
                self._small.draw(painter, SPACE, middle, name)
        painter.setPen(theme.text)
        exposed = [
            (part.left(), part.top() - offset, part.right() + 1, part.bottom() + 1 - offset)
            for part in cast(Iterable[QRect], region)
        ]
        shown = [placed for placed in self._placed if placed.meets(exposed)]
        for placed in shown:
            middle = placed.top + _LINE / 2
            for left, text, low in placed.measured.pieces:
                x = placed.x + left
                self._number.draw(painter, x, middle, text)
                if low:
                    self._small.draw(painter, x + self._number.width(text), middle + _LOWERED, low)
        painter.setPen(QPen(theme.muted, 1.0))
        painter.setOpacity(0.5)
        painter.drawLines(
            [
                QLineF(placed.x + left, bottom, placed.x + left + width, bottom)
                for placed in shown
                for bottom in (placed.top + _LINE - 3,)
                for left, width, _ in placed.measured.links
            ]
        )
        painter.setOpacity(1.0)
        if self.hasFocus() and self._at >= 0:
            links = list(self._links())
            if self._at < len(links):
                painter.setPen(QPen(theme.accent, 1.0))
                painter.drawRect(links[self._at][0].adjusted(-2, 1, 2, -1))
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
