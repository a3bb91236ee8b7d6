"""Many numbers of one vector as bars: one painted widget, every bar draggable, every bar reached by keys.

Bars stand in lines of a power of two, so that a vector of 64 or 4,096 dimensions fits a narrow column.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from attnviz.gui.editors.editor import new_gesture
from attnviz.gui.editors.value_slider import USUAL_BOUND, bound_for, step_for
from attnviz.gui.theme import LIGHT, Theme

_LINE = 48
_GAP = 8
_LEAST_BAR = 6.0
_FEW = 8  # bars that are painted one by one


class ValueBars(QWidget):
    """The numbers of one vector, one bar each, upwards where positive and downwards where negative.

    Signals
    -------
    value_asked(int, float, str)
        A person moves the bar of a dimension to a number; one drag, or one run of keys, has one gesture.
    current_changed(int)
        Another dimension is pointed at by the mouse or the keys.
    """

    value_asked = Signal(int, float, str)
    current_changed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._values: NDArray[np.float32] = np.zeros(1, np.float32)
        self._bound = USUAL_BOUND
        self._current = 0
        self._hovered = -1
        self._pressed: QPointF | None = None
        self._is_dragging = False
        self._gesture = f"run{new_gesture()}"
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def current(self) -> int:
        """The dimension the keys change."""
        return self._current

    @property
    def pointed(self) -> int:
        """The dimension under the mouse, or the current one."""
        return self._hovered if self._hovered >= 0 else self._current

    @property
    def bound(self) -> float:
        """The end of the range, the same for all bars; the other end is its negative."""
        return self._bound

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._theme = theme
        self.update()

    def set_values(self, values: NDArray[np.float32], *, afresh: bool = False) -> None:
        """Show numbers of shape (d_k,) and say nothing; the range narrows only ``afresh``."""
        bound = bound_for(float(np.abs(values).max()))
        if bound > self._bound or (afresh and not self._is_dragging and bound != self._bound):
            self._bound = bound
            self.update()
        count_changed = len(values) != len(self._values)
        changed = [] if count_changed else np.flatnonzero(values != self._values).tolist()
        self._values = values
        for dim in changed if len(changed) <= _FEW else ():
            self.update(self.bar_rect(dim).toAlignedRect())
        if count_changed:
            self._hovered = -1
            self._current = min(self._current, len(values) - 1)
            self._fit_height()
            self.current_changed.emit(self.pointed)
        if count_changed or len(changed) > _FEW:
            self.update()

    def set_current(self, dim: int) -> None:
        """Point the keys at another dimension."""
        dim = min(max(dim, 0), len(self._values) - 1)
        if dim != self._current:
            self._current = dim
            self._gesture = f"run{new_gesture()}"
            self.current_changed.emit(self.pointed)
            self.update()

    def bar_rect(self, dim: int) -> QRectF:
        """Give the place of a dimension's bar with all the room it may take, in px of this widget."""
        per_line = self._per_line()
        line, place = divmod(dim, per_line)
        width = self.width() / per_line
        return QRectF(place * width, line * (_LINE + _GAP), width, _LINE)

    def _per_line(self) -> int:
        per_line = 8
        while per_line * 2 <= len(self._values) and self.width() / (per_line * 2) >= _LEAST_BAR:
            per_line *= 2
        return per_line

    def _lines(self) -> int:
        return -(-len(self._values) // self._per_line())

    def _fit_height(self) -> None:
        self.setFixedHeight(self._lines() * (_LINE + _GAP) - _GAP)

    def _dim_at(self, at: QPointF) -> int:
        line = int(at.y() // (_LINE + _GAP))
        if not 0 <= at.x() < self.width() or line < 0 or at.y() - line * (_LINE + _GAP) > _LINE:
            return -1
        per_line = self._per_line()
        dim = line * per_line + int(at.x() / self.width() * per_line)
        return dim if dim < len(self._values) else -1

    def _ask_at(self, y: float) -> None:
        rect = self.bar_rect(self._current)
        share = min(max((rect.center().y() - y) / (rect.height() / 2), -1.0), 1.0)
        step = step_for(self._bound)
        self._ask(round(round(share * self._bound / step) * step, 6))

    def _ask(self, value: float) -> None:
        if np.float32(value) != self._values[self._current]:
            self.value_asked.emit(self._current, value, self._gesture)

    def _step(self, steps: int) -> None:
        step = step_for(self._bound)
        here = float(self._values[self._current]) / step
        nearest = round(here)
        if abs(here - nearest) >= 1e-4:
            nearest = int(np.floor(here) if steps > 0 else np.ceil(here))
        limit = round(self._bound / step)
        self._ask(round(min(max(nearest + steps, -limit), limit) * step, 6))

    def sizeHint(self) -> QSize:
        return QSize(200, self._lines() * (_LINE + _GAP) - _GAP)

    def minimumSizeHint(self) -> QSize:
        return QSize(100, _LINE)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_height()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._gesture = f"run{new_gesture()}"
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = -1
        self.current_changed.emit(self.pointed)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        dim = self._dim_at(event.position())
        if event.button() != Qt.MouseButton.LeftButton or dim < 0:
            event.ignore()
            return
        self.set_current(dim)
        self._pressed = event.position()
        self._gesture = f"drag{new_gesture()}"

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if self._pressed is None:
            hovered = self._dim_at(at)
            if hovered != self._hovered:
                self._hovered = hovered
                self.current_changed.emit(self.pointed)
                self.update()
            return
        # A press alone only points; the bar follows once the hand has clearly moved.
        if abs(at.y() - self._pressed.y()) >= min(4, QApplication.startDragDistance()):
            self._is_dragging = True
        if self._is_dragging:
            self._hovered = -1
            self._ask_at(at.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pressed = None
        self._is_dragging = False
        self._gesture = f"run{new_gesture()}"

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        moves = {
            Qt.Key.Key_Left: self._current - 1,
            Qt.Key.Key_Right: self._current + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: len(self._values) - 1,
        }
        page = 10 if step_for(self._bound) <= 0.1 else 5
        steps = {
            Qt.Key.Key_Up: 1,
            Qt.Key.Key_Down: -1,
            Qt.Key.Key_PageUp: page,
            Qt.Key.Key_PageDown: -page,
        }
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            event.ignore()
        elif key in moves:
            self._hovered = -1
            self.set_current(moves[key])
        elif key in steps:
            self._step(steps[key])
        elif key == Qt.Key.Key_Delete:
            self._ask(0.0)
        else:
            event.ignore()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turn = event.angleDelta().y()
        if self.hasFocus() and turn and self._dim_at(event.position()) == self._current:
            self._step(1 if turn > 0 else -1)
            event.accept()
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme
        painter = QPainter(self)
        painter.fillRect(event.rect(), theme.ground)
        per_line = self._per_line()
        width = self.width() / per_line
        gap = 1.0 if width < 12 else 2.0
        first = max(0, event.rect().top() // (_LINE + _GAP))
        last = min(self._lines() - 1, event.rect().bottom() // (_LINE + _GAP))
        left = max(0, int(event.rect().left() / width))
        right = int(event.rect().right() / width) + 1
        for line in range(first, last + 1):
            top = line * (_LINE + _GAP)
            middle = top + _LINE / 2
            row = self._values[line * per_line : (line + 1) * per_line]
            painter.fillRect(QRectF(0, top, width * len(row), _LINE), theme.surface)
            for place in range(left, min(right, len(row))):
                value = row[place]
                dim = line * per_line + place
                if dim == self.pointed:
                    painter.fillRect(QRectF(place * width, top, width, _LINE), theme.accent_soft)
                size = max(1.0, min(abs(float(value)) / self._bound, 1.0) * _LINE / 2)
                y = middle - size if value > 0 else middle
                if value:
                    painter.fillRect(QRectF(place * width + gap / 2, y, width - gap, size), theme.accent)
            painter.setPen(QPen(theme.border, 1))
            painter.drawLine(QPointF(0, middle), QPointF(width * len(row), middle))
        if self.hasFocus():
            painter.setPen(QPen(theme.text, 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.bar_rect(self._current).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()
