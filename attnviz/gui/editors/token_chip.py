"""One token as a chip: drawn, not deciding anything; the row of chips tells it what to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QEnterEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from attnviz.gui.plain_text import elided, tooltip, visible
from attnviz.gui.theme import Theme

if TYPE_CHECKING:
    from attnviz.gui.editors.token_line import TokenLine

PADDING = 10
HEIGHT = 28
MOST_WIDTH = 176


class TokenChip(QWidget):
    """A chip of the line.

    Signals
    -------
    pressed(int, int), moved(int), released(), double_clicked(int)
        What the mouse does: with the chip's index, and with x in px of the line.
    """

    pressed = Signal(int, int)
    moved = Signal(int)
    released = Signal()
    double_clicked = Signal(int)

    def __init__(self, line: TokenLine) -> None:
        super().__init__(line.viewport())
        self._line = line
        self.index = -1
        self._token = ""
        self._is_selected = False
        self._is_default = False
        self._is_ringed = False
        self._is_hovered = False
        self._is_lifted = False

    @property
    def token(self) -> str:
        """The whole text of its token."""
        return self._token

    @property
    def is_selected(self) -> bool:
        """Whether it is drawn as the selected one."""
        return self._is_selected

    @property
    def is_default(self) -> bool:
        """Whether it carries the mark of vectors that nobody has edited."""
        return self._is_default

    def show_token(
        self, index: int, token: str, *, selected: bool, default: bool, ringed: bool, lifted: bool, note: str
    ) -> None:
        """Show a token; ``note`` stands below the text in the tooltip."""
        state = (selected, default, ringed, lifted)
        if index != self.index:
            self.setObjectName(f"{self._line.chip_name}/{index}")
        if (index, token) != (self.index, self._token) or default != self._is_default:
            self.setAccessibleName(f"{visible(token)} {note}".strip())
            self.setToolTip(tooltip(f"{token}\n{note}" if note else token))
        elif state == (self._is_selected, self._is_default, self._is_ringed, self._is_lifted):
            return
        self.index, self._token = index, token
        self._is_selected, self._is_default, self._is_ringed, self._is_lifted = state
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._is_hovered = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._is_hovered = False
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.pressed.emit(self.index, self.mapToParent(event.position().toPoint()).x())
        else:
            event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.moved.emit(self.mapToParent(event.position().toPoint()).x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.released.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.double_clicked.emit(self.index)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme: Theme = self._line.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(0.45 if self._is_lifted else 1.0)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        radius = HEIGHT / 2 - 2
        edge = QPen(theme.muted if self._is_hovered else theme.border, 1)
        if self._is_default:
            edge = QPen(theme.muted, 1, Qt.PenStyle.CustomDashLine)
            edge.setDashPattern([3, 3])
        is_filled = self._is_selected and not self._line.is_of_keys
        if self._is_selected and self._line.is_of_keys:
            # Outlined, not filled: the query is what a person works with, the key what it is looked up in.
            painter.setBrush(theme.accent_soft)
            pen = QPen(theme.accent, 2.0 if self._is_ringed else 1.25)
            if self._is_default:
                pen.setDashPattern([3, 3])
            painter.setPen(pen)
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        elif self._is_selected:
            painter.setBrush(theme.accent)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(box, radius, radius)
            if self._is_default or self._is_ringed:
                inner = QPen(theme.on_accent, 1.25)
                if self._is_default:
                    inner.setDashPattern([3, 3])
                painter.setPen(inner)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(box.adjusted(2, 2, -2, -2), radius - 2, radius - 2)
        else:
            painter.setBrush(theme.surface)
            painter.setPen(edge)
            painter.drawRoundedRect(box, radius, radius)
        painter.setPen(theme.on_accent if is_filled else theme.text)
        inside = self.rect().adjusted(PADDING - 2, 0, 2 - PADDING, 0)
        text = elided(self._token, painter.fontMetrics(), inside.width())
        painter.drawText(inside, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, text)
        painter.end()
