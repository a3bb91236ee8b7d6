"""The tokens as one line of chips that scrolls sideways and always keeps the selected one in view.

Up to MOST_CHIPS tokens every chip is a small widget named ``token/0``, ``token/1`` … (those of keys
``key_token/0`` …). Beyond, only those in view are, used again for others while the line scrolls;
``chip(index)`` scrolls a token into view first.
What a person does with chips is in token_chips.py.
"""

from __future__ import annotations

from bisect import bisect_right

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QFocusEvent, QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QSizePolicy, QWidget

from attnviz.gui.editors.slim_scroll_bar import THICKNESS, SlimScrollBar
from attnviz.gui.editors.token_chip import HEIGHT, MOST_WIDTH, PADDING, TokenChip
from attnviz.gui.plain_text import visible
from attnviz.gui.theme import LIGHT, SPACE, Theme

MOST_CHIPS = 200
FIELD_WIDTH = 104
"""Room for the text of a new token, in px."""
_SPARE = 3
_MARGIN = 24


class TokenLine(QAbstractScrollArea):
    """Shows chips; what is pressed, dragged and named is for its child.

    Parameters
    ----------
    prefix
        What its name and those of its chips begin with: none, or ``key_``.
    is_of_keys
        Whether the selected chip is marked as the selected key, not as the selected query.
    """

    def __init__(self, parent: QWidget | None = None, *, prefix: str = "", is_of_keys: bool = False) -> None:
        super().__init__(parent)
        self.setObjectName(f"{prefix}tokens")
        self.chip_name = f"{prefix}token"
        self.is_of_keys = is_of_keys
        self.theme = LIGHT
        self._tokens: tuple[str, ...] = ()
        self._defaults: tuple[bool, ...] = ()
        self._selected = 0
        self._widths: list[int] = []
        self._lefts: list[int] = [1]
        self._chips: dict[int, TokenChip] = {}
        self._gap: int | None = None  # before this token there is room for a new one
        self._covered: int | None = None  # this chip has a field over it
        self._held: int | None = None  # this chip is under a pressed mouse
        self._drop: int | None = None  # before this token the held one would fall
        self._bar = SlimScrollBar(Qt.Orientation.Horizontal)
        self.setHorizontalScrollBar(self._bar)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.viewport().setAutoFillBackground(False)
        self.setFixedHeight(HEIGHT + 2 + THICKNESS)

    def chip(self, index: int) -> TokenChip:
        """Give the chip of a token, scrolled into view."""
        self._scroll_to(index)
        return self._chips[index]

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self.theme = theme
        self._bar.set_theme(theme)
        for chip in self._chips.values():
            chip.update()

    def show_tokens(self, tokens: tuple[str, ...], defaults: tuple[bool, ...], selected: int) -> None:
        """Show tokens, which of them have default vectors, and the selected one; says nothing."""
        renamed = tokens is not self._tokens and tokens != self._tokens
        moved = selected != self._selected
        if not renamed and not moved and defaults == self._defaults:
            return
        self._tokens, self._defaults, self._selected = tokens, defaults, selected
        if renamed:
            metrics = self.fontMetrics()
            widths = {token: _width(token, metrics) for token in set(tokens)}  # of a long text few differ
            self._widths = [widths[token] for token in tokens]
            self._let_go()
            self._lay_out()
        if renamed or moved:
            self._scroll_to(selected)
        self._sync_chips()
        self.setAccessibleDescription(visible(tokens[selected]))

    def retranslate(self) -> None:
        """Say all texts in the language that is now installed."""
        for chip in self._chips.values():
            chip.index = -1
        self._sync_chips()

    def _new_chip(self) -> TokenChip:
        return TokenChip(self)

    def _let_go(self) -> None:
        """End what a person is in the middle of, for the tokens are others now."""
        self._held = self._drop = None

    def _lay_out(self) -> None:
        left, self._lefts = 1, []
        for index, width in enumerate(self._widths):
            if index == self._gap:
                left += FIELD_WIDTH + SPACE
            self._lefts.append(left)
            left += width + SPACE
        if self._gap == len(self._widths):
            left += FIELD_WIDTH + SPACE
        self._lefts.append(left)
        self._fit_bar()
        self.updateGeometry()

    def _fit_bar(self) -> None:
        room = self.viewport().width()
        self._bar.setPageStep(room)
        self._bar.setSingleStep(2 * _MARGIN)
        self._bar.setRange(0, max(0, self._lefts[-1] - room))

    def _scroll_to(self, index: int) -> None:
        if 0 <= index < len(self._widths):
            self._reveal(self._lefts[index], self._widths[index])

    def _reveal(self, left: int, width: int) -> None:
        now, room = self._bar.value(), self.viewport().width()
        if left - _MARGIN < now:
            self._bar.setValue(left - _MARGIN)
        elif left + width + _MARGIN > now + room:
            self._bar.setValue(left + width + _MARGIN - room)
        self._sync_chips()

    def _in_view(self) -> range:
        count = len(self._tokens)
        if count <= MOST_CHIPS:
            return range(count)
        offset = self._bar.value()
        first = bisect_right(self._lefts, offset) - 1 - _SPARE
        last = bisect_right(self._lefts, offset + self.viewport().width()) + _SPARE
        return range(max(0, first), min(count, last))

    def _sync_chips(self) -> None:
        wanted = self._in_view()
        spare = [self._chips.pop(i) for i in list(self._chips) if i not in wanted and i != self._held]
        for index in wanted:
            if index not in self._chips:
                chip = spare.pop() if spare else self._new_chip()
                chip.index = -1
                self._chips[index] = chip
        for chip in spare:
            chip.hide()
            chip.setParent(None)
            chip.deleteLater()
        offset = self._bar.value()
        for index, chip in self._chips.items():
            is_default = self._defaults[index]
            chip.show_token(
                index,
                self._tokens[index],
                selected=index == self._selected,
                default=is_default,
                ringed=index == self._selected and self.hasFocus(),
                lifted=self._drop is not None and index == self._held,
                note=self.tr("Its vectors are defaults; nobody has edited them yet.") if is_default else "",
            )
            chip.setGeometry(self._lefts[index] - offset, 1, self._widths[index], HEIGHT)
            chip.setVisible(index != self._covered)

    def sizeHint(self) -> QSize:
        return QSize(self._lefts[-1] + 1, self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(160, self.height())

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self._sync_chips()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._widths:
            self._fit_bar()
            self._scroll_to(self._selected)

    def wheelEvent(self, event: QWheelEvent) -> None:
        pixels = event.pixelDelta()
        turn = event.angleDelta()
        by = (pixels.x() or pixels.y()) or (turn.x() or turn.y()) // 2
        self._bar.setValue(self._bar.value() - by)
        event.accept()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._sync_chips()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._sync_chips()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._drop is None:
            return
        painter = QPainter(self.viewport())
        painter.setPen(QPen(self.theme.accent, 2))
        x = self._lefts[self._drop] - SPACE / 2 - self._bar.value()
        painter.drawLine(QPointF(x, 2), QPointF(x, HEIGHT))
        painter.end()


def _width(token: str, metrics: QFontMetrics) -> int:
    return max(HEIGHT, min(MOST_WIDTH, metrics.horizontalAdvance(visible(token)) + 2 * PADDING))
