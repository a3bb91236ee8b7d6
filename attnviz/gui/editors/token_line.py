"""The tokens as one line of chips that scrolls sideways and always keeps the selected one in view.

Up to MOST_CHIPS tokens every chip is a small widget named ``token/0``, ``token/1`` … (those of keys
``key_token/0`` …). Beyond, only those in view are, used again for others while the line scrolls;
``chip(index)`` scrolls a token into view first.
What a person does with chips is in token_chips.py.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QFocusEvent, QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QSizePolicy, QWidget

from attnviz.core.line_steps import Splice
from attnviz.gui.editors.slim_scroll_bar import THICKNESS, SlimScrollBar
from attnviz.gui.editors.token_chip import HEIGHT, MOST_WIDTH, PADDING, TokenChip
from attnviz.gui.plain_text import visible
from attnviz.gui.theme import LIGHT, SPACE, Theme

MOST_CHIPS = 200
FIELD_WIDTH = 104
"""Room for the text of a new token, in px."""
_SPARE = 3
_MARGIN = 24
_WIDEST = 16_777_215  # px, Qt's own greatest width
_REMEMBERED = 4096
"""Widths of texts that are no longer there and are remembered all the same."""


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
        self._defaults: NDArray[np.bool_] = np.zeros(0, bool)
        self._selected = 0
        self._known_widths: dict[str, int] = {}
        self._widths: NDArray[np.int64] = np.zeros(0, np.int64)
        self._lefts: NDArray[np.int64] = np.ones(1, np.int64)
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

    def show_tokens(self, tokens: tuple[str, ...], defaults: NDArray[np.bool_], selected: int) -> None:
        """Show tokens, which of them have default vectors (empty: none), and the selected; says nothing."""
        renamed = tokens is not self._tokens and tokens != self._tokens
        moved = selected != self._selected
        marked = defaults is not self._defaults and not np.array_equal(defaults, self._defaults)
        if not renamed and not moved and not marked:
            return
        before = self._tokens
        self._tokens, self._defaults, self._selected = tokens, defaults, selected
        if renamed:
            self._widths = self._measured(before, tokens)
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
        self._lefts = np.concatenate([[1], 1 + np.cumsum(self._widths + SPACE)])
        if self._gap is not None:
            self._lefts[self._gap :] += FIELD_WIDTH + SPACE
        self._fit_bar()
        self.updateGeometry()

    def _measured(self, before: tuple[str, ...], tokens: tuple[str, ...]) -> NDArray[np.int64]:
        """Give the width of each token's chip: of those that are new, and the others' as they were."""
        change = Splice.between(before, tokens)
        if change is None:
            return self._widths
        start, end = change.start, change.start + len(change.before)
        new, known, metrics = set(change.after), self._known_widths, self.fontMetrics()
        unknown = list(new - known.keys())
        few = len(unknown) <= _REMEMBERED
        measured = [_width(token, metrics) for token in unknown] if few else _widths_of_many(unknown, metrics)
        known.update(zip(unknown, measured, strict=True))
        widths = np.fromiter(map(known.__getitem__, change.after), np.int64, len(change.after))
        if len(known) > len(new) + _REMEMBERED:
            self._known_widths = {token: known[token] for token in new}
        return np.concatenate([self._widths[:start], widths, self._widths[end:]])

    def _whole_width(self) -> int:
        """Give the width of the line in px."""
        return int(self._lefts[-1])

    def _fit_bar(self) -> None:
        room = self.viewport().width()
        self._bar.setPageStep(room)
        self._bar.setSingleStep(2 * _MARGIN)
        self._bar.setRange(0, max(0, self._whole_width() - room))

    def _scroll_to(self, index: int) -> None:
        if 0 <= index < len(self._widths):
            self._reveal(int(self._lefts[index]), int(self._widths[index]))

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
        edges = (offset, offset + self.viewport().width())
        first, last = np.searchsorted(self._lefts, edges, side="right").tolist()
        return range(max(0, first - 1 - _SPARE), min(count, last + _SPARE))

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
            is_default = bool(self._defaults.size) and bool(self._defaults[index])
            chip.show_token(
                index,
                self._tokens[index],
                selected=index == self._selected,
                default=is_default,
                ringed=index == self._selected and self.hasFocus(),
                lifted=self._drop is not None and index == self._held,
                note=self.tr("Its vectors are defaults; nobody has edited them yet.") if is_default else "",
            )
            chip.setGeometry(int(self._lefts[index]) - offset, 1, int(self._widths[index]), HEIGHT)
            chip.setVisible(index != self._covered)

    def sizeHint(self) -> QSize:
        return QSize(min(self._whole_width() + 1, _WIDEST), self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(160, self.height())

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self._sync_chips()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._widths.size:
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
        x = float(self._lefts[self._drop]) - SPACE / 2 - self._bar.value()
        painter.drawLine(QPointF(x, 2), QPointF(x, HEIGHT))
        painter.end()


def _widths_of_many(tokens: list[str], metrics: QFontMetrics) -> list[int]:
    """Give the widths of very many chips: each character is measured once; some are a few px less wide."""
    shown = [visible(token)[:MOST_WIDTH] for token in tokens]  # a character is a px wide or more, or nothing
    text = "".join(shown)
    advances = np.zeros(sys.maxunicode + 1, np.int64)
    for character in set(text):
        advances[ord(character)] = metrics.horizontalAdvance(character)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    starts = np.cumsum([0, *map(len, shown)])[:-1]
    widths = np.add.reduceat(advances[codes], starts) + 2 * PADDING
    return list(np.clip(widths, HEIGHT, MOST_WIDTH).tolist())


def _width(token: str, metrics: QFontMetrics) -> int:
    return max(HEIGHT, min(MOST_WIDTH, metrics.horizontalAdvance(visible(token)) + 2 * PADDING))
