"""The chain from x to the output as a diagram: a box per array, whose sides hint at its shape."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from attnviz.core.shape_chain import ShapeChain
from attnviz.gui.fonts import number_font, small_font
from attnviz.gui.labels import Labels
from attnviz.gui.theme import LIGHT, SPACE, Theme
from attnviz.gui.views.chain_layout import (
    BOLD,
    HEIGHT,
    MUTED,
    READING,
    TEXT,
    ChainLayout,
    arranged,
)
from attnviz.gui.views.shape_words import reading, summary

_LEAST_PART = 2.0  # px; narrower parts of concat would be borders alone


class ChainDiagram(QWidget):
    """Boxes and arrows; the line on top says what is pointed at, or what the layer comes to.

    Signals
    -------
    reached(area)
        An array was reached with the arrow keys; where it stands, in px of the diagram.
    """

    reached = Signal(QRect)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("shapes/chain")
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._theme = LIGHT
        self._labels = {
            TEXT: Labels(number_font(small=True)),
            BOLD: Labels(small_font(bold=True)),
            MUTED: Labels(number_font(small=True)),
        }
        self._chain: ShapeChain | None = None
        self._scaling = ""
        self._layout = ChainLayout()
        self._pointed = ""

    def draw(self, chain: ShapeChain, scaling: str) -> None:
        """Show a chain; ``scaling`` is what scores are divided by."""
        if (chain, scaling) != (self._chain, self._scaling):
            self._chain, self._scaling = chain, scaling
            self.arrange()

    def arrange(self) -> None:
        """Give everything its place, in the words of the present language."""
        if self._chain is None:
            return
        self._layout = arranged(self._chain, self._scaling, self._labels)
        if self._layout.place(self._pointed) is None:
            self._pointed = ""
        words = self._labels[TEXT].width(summary(self._chain)) + 4 * SPACE
        self.setFixedSize(round(max(self._layout.width, words) + 0.5), HEIGHT)
        self._say()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme
        self.update()

    def shown_text(self) -> str:
        """Give the line of words on top."""
        if self._chain is None:
            return ""
        array = self._chain.array(self._pointed)
        return summary(self._chain) if array is None else reading(array, self._scaling)

    def shown_arrays(self) -> list[str]:
        """Give the names of all arrays drawn, in the order of the arrow keys."""
        return [place.name for place in self._layout.places]

    def words(self) -> list[str]:
        """Give every text in the diagram."""
        return [word.text for word in self._layout.words]

    def area(self, name: str) -> QRectF:
        """Give where an array stands with its words, in px."""
        place = self._layout.place(name)
        return QRectF() if place is None else place.area

    def layout_drawn(self) -> ChainLayout:
        """Give where everything stands."""
        return self._layout

    def _point_at(self, name: str) -> None:
        if name != self._pointed:
            self._pointed = name
            self._say()
            self.update()

    def _say(self) -> None:
        """Tell assistive tools what is pointed at, and all of the chain after it."""
        if self._chain is None:
            return
        arrays = (self._chain.array(name) for name in self.shown_arrays())
        each = [reading(array, self._scaling) for array in arrays if array is not None]
        self.setAccessibleDescription("\n".join([self.shown_text(), *each]))

    def _paint_boxes(self, painter: QPainter) -> None:
        theme = self._theme
        assert self._chain is not None
        for place in self._layout.places:
            is_pointed = place.name == self._pointed
            if is_pointed:
                painter.setPen(QPen(theme.border, 1.0))
                painter.setBrush(theme.raised)
                painter.drawRoundedRect(place.area, SPACE, SPACE)
            if place.box is None:
                continue
            painter.setPen(QPen(theme.text if is_pointed else theme.muted, 1.0))
            painter.setBrush(theme.surface)
            painter.drawRect(place.box)
            if place.name == "concat":
                parts = self._layout.concat_parts
                colour = theme.accent if len(parts) > 1 else theme.accent_soft
                part = parts[self._chain.head]
                width = max(part.width(), 1.0)  # one of very many is still to be seen
                painter.fillRect(QRectF(part.x(), part.y() + 0.5, width, part.height() - 1), colour)
                if min(part.width() for part in parts) >= _LEAST_PART:
                    painter.setPen(QPen(theme.muted, 0.5))
                    for part in parts[1:]:
                        painter.drawLine(part.topLeft(), part.bottomLeft())

    def _paint_lines(self, painter: QPainter) -> None:
        painter.setPen(QPen(self._theme.muted, 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for line in (*self._layout.lines, *self._layout.arrows):
            painter.drawPolyline(QPolygonF(line))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.muted)
        for arrow in self._layout.arrows:
            tip = arrow[-1]
            wings = (QPointF(tip.x() - 6, tip.y() + side) for side in (-3, 3))
            painter.drawPolygon(QPolygonF([tip, *wings]))

    # Qt's overrides

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._chain is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_boxes(painter)
        self._paint_lines(painter)
        colours: dict[str, QColor] = {MUTED: self._theme.muted}
        for word in self._layout.words:
            painter.setPen(colours.get(word.look, self._theme.text))
            draw = self._labels[word.look].draw_centred if word.is_centred else self._labels[word.look].draw
            draw(painter, word.x, word.y, word.text)
        painter.setPen(self._theme.text)
        line = self._labels[TEXT].elided(self.shown_text(), self.width() - 3 * SPACE)
        self._labels[TEXT].draw(painter, 2 * SPACE, READING, line)
        if self.hasFocus():
            painter.setPen(QPen(self._theme.border, 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        maps_first = sorted(self._layout.places, key=lambda place: place.box is not None)
        self._point_at(next((place.name for place in maps_first if place.area.contains(at)), ""))

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at("")
        super().leaveEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._point_at("")
        super().focusOutEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        names = self.shown_arrays()
        last = len(names) - 1
        at = names.index(self._pointed) if self._pointed in names else None
        right = 0 if at is None else min(at + 1, last)
        left = last if at is None else max(at - 1, 0)
        to = {
            Qt.Key.Key_Right: right,
            Qt.Key.Key_Left: left,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }.get(Qt.Key(event.key()))
        if to is None or not names:
            super().keyPressEvent(event)
            return
        self._point_at(names[to])
        self.reached.emit(self.area(names[to]).toAlignedRect())
