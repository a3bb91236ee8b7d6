"""Hands: what a person does with mouse, wheel, input method and clipboard, as events."""

from PySide6.QtCore import QCoreApplication, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget


def compose(widget: QWidget, preedit: str) -> None:
    """Let an input method hold text that is not committed yet."""
    QCoreApplication.sendEvent(widget, QInputMethodEvent(preedit, []))


def commit(widget: QWidget, text: str) -> None:
    """Let an input method commit text."""
    event = QInputMethodEvent()
    event.setCommitString(text)
    QCoreApplication.sendEvent(widget, event)


def mouse(widget: QWidget, kind: QMouseEvent.Type, x: float, y: float) -> None:
    """Send a mouse event of the left button at a place of a widget."""
    button = Qt.MouseButton.LeftButton
    held = Qt.MouseButton.NoButton if kind == QMouseEvent.Type.MouseButtonRelease else button
    pressed = Qt.MouseButton.NoButton if kind == QMouseEvent.Type.MouseMove else button
    at = QPointF(x, y)
    where = widget.mapToGlobal(at)
    QApplication.sendEvent(
        widget, QMouseEvent(kind, at, where, pressed, held, Qt.KeyboardModifier.NoModifier)
    )


def drag(widget: QWidget, *points: tuple[float, float]) -> None:
    """Press at the first point, move over the others, release at the last."""
    mouse(widget, QMouseEvent.Type.MouseButtonPress, *points[0])
    for point in points[1:]:
        mouse(widget, QMouseEvent.Type.MouseMove, *point)
    mouse(widget, QMouseEvent.Type.MouseButtonRelease, *points[-1])


def wheel(widget: QWidget, turn: int) -> QWheelEvent:
    """Turn the wheel over the middle of a widget."""
    at = QPointF(widget.rect().center())
    event = QWheelEvent(
        at,
        widget.mapToGlobal(at),
        QPoint(),
        QPoint(0, turn),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)
    return event


def clipboard(text: str | None = None) -> str:
    """Put text on the clipboard, or read it."""
    if text is not None:
        QGuiApplication.clipboard().setText(text)
    return QGuiApplication.clipboard().text()
