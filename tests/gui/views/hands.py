"""Hands over the panels: what a person does with the mouse, as events."""

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent

from attnviz.gui.views.stage_grid import StageGrid


def point_at(grid: StageGrid, position: QPoint) -> None:
    """Point at a place without moving the real pointer, which an X server would tell of later."""
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(position),
        QPointF(grid.viewport().mapToGlobal(position)),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QCoreApplication.sendEvent(grid.viewport(), event)
