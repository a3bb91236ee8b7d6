"""A calm slider: a thin line, a tick at its origin, the stretch between origin and knob, and the knob.

Positions are whole numbers, as QSlider has them; what they mean is for its children. It never takes the wheel
from a scroll area unless it has the focus.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QSlider, QWidget

from attnviz.gui.editors.editor import new_gesture
from attnviz.gui.theme import LIGHT, Theme

_RADIUS = 6.0
_EDGE = 8.0
"""From the widget's edge to the end of the line: the knob and its ring of focus fit in."""


class PaintedSlider(QSlider):
    """A horizontal slider drawn with the theme.

    Signals
    -------
    position_asked(int, str)
        A person moves it to a position; all of one drag, or of one run of keys, carry the same gesture.
    """

    position_asked = Signal(int, str)

    is_accented = False
    """Whether it belongs to what is selected, and so is drawn in the accent colour."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme = LIGHT
        self._is_shown_only = False
        self._grip = 0.0
        self._gesture = f"run{new_gesture()}"
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.valueChanged.connect(self._ask)

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._theme = theme
        self.update()

    def show_position(self, position: int) -> None:
        """Move the knob and say nothing."""
        self._is_shown_only = True
        self.setValue(position)
        self._is_shown_only = False
        self.update()

    def show_range(self, lowest: int, highest: int) -> None:
        """Set the ends and say nothing, even where the knob has to move with them."""
        self._is_shown_only = True
        self.setRange(lowest, highest)
        self._is_shown_only = False

    def knob_position(self) -> float:
        """Give where the knob is drawn, in positions; children may know it better than the whole number."""
        return float(self.value())

    def snapped(self, position: int) -> int:
        """Give the position that a drag to ``position`` means."""
        return position

    def x_of(self, position: float) -> float:
        """Give the x in px at which a position lies."""
        span = max(1, self.maximum() - self.minimum())
        return _EDGE + (position - self.minimum()) / span * (self.width() - 2 * _EDGE)

    def _position_at(self, x: float) -> int:
        span = self.maximum() - self.minimum()
        share = (x - _EDGE) / max(1.0, self.width() - 2 * _EDGE)
        return self.snapped(self.minimum() + round(min(max(share, 0.0), 1.0) * span))

    def _ask(self, position: int) -> None:
        if not self._is_shown_only:
            self.position_asked.emit(position, self._gesture)

    def _step(self, steps: int) -> None:
        self._go(self.value() + steps)

    def _go(self, position: int) -> None:
        position = min(max(position, self.minimum()), self.maximum())
        if position != self.value():
            self.setValue(position)
        elif abs(self.knob_position() - position) > 1e-4:
            self._ask(position)  # the nearest position, yet not where the knob is

    def sizeHint(self) -> QSize:
        return QSize(120, 24)

    def minimumSizeHint(self) -> QSize:
        return QSize(56, 24)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._gesture = f"run{new_gesture()}"
        super().focusInEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        self._gesture = f"drag{new_gesture()}"
        self.setSliderDown(True)
        offset = event.position().x() - self.x_of(self.knob_position())
        self._grip = offset if abs(offset) <= _RADIUS + 1 else 0.0
        if not self._grip and abs(offset) > 0.5:
            self._go(self._position_at(event.position().x()))
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self._go(self._position_at(event.position().x() - self._grip))
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.isSliderDown():
            self.setSliderDown(False)
            self._gesture = f"run{new_gesture()}"
            self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        right = -1 if self.isRightToLeft() else 1
        steps = {
            Qt.Key.Key_Right: right,
            Qt.Key.Key_Left: -right,
            Qt.Key.Key_Up: 1,
            Qt.Key.Key_Down: -1,
            Qt.Key.Key_PageUp: self.pageStep(),
            Qt.Key.Key_PageDown: -self.pageStep(),
        }.get(Qt.Key(event.key()))
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            event.ignore()
        elif steps is not None:
            self._step(steps)
        elif event.key() == Qt.Key.Key_Home:
            self._go(self.minimum())
        elif event.key() == Qt.Key.Key_End:
            self._go(self.maximum())
        else:
            event.ignore()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turn = event.angleDelta().y() or event.angleDelta().x()
        if self.hasFocus() and turn:
            self._step(1 if turn > 0 else -1)
            event.accept()
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = self.height() / 2
        line = theme.border
        stretch = theme.accent if self.is_accented and self.isEnabled() else theme.muted
        origin, knob = self.x_of(self._origin()), self.x_of(self.knob_position())
        painter.setPen(QPen(line, 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(QPointF(_EDGE, middle), QPointF(self.width() - _EDGE, middle))
        painter.setPen(QPen(line, 1))
        painter.drawLine(QPointF(origin, middle - 5), QPointF(origin, middle + 5))
        painter.setPen(QPen(stretch, 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLine(QPointF(origin, middle), QPointF(knob, middle))
        lively = self.underMouse() or self.isSliderDown() or self.hasFocus()
        if self.hasFocus():
            ring = QColor(stretch)
            ring.setAlpha(70)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ring)
            painter.drawEllipse(QPointF(knob, middle), _RADIUS + 2, _RADIUS + 2)
        painter.setPen(QPen(stretch, 1.5))
        painter.setBrush(stretch if lively and self.isEnabled() else theme.surface)
        size = _RADIUS - 0.75
        painter.drawEllipse(QRectF(knob - size, middle - size, 2 * size, 2 * size))
        painter.end()

    def _origin(self) -> float:
        return min(max(0.0, float(self.minimum())), float(self.maximum()))
