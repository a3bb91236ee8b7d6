"""A splitter whose handle is one quiet line, in the colours of the palette."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget

HANDLE = 5
"""Thickness in px that the mouse can take hold of."""


class Splitter(QSplitter):
    """Parts side by side (or one above the other), none of which can be pushed out of sight."""

    def __init__(self, orientation: Qt.Orientation, name: str, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        self.setObjectName(name)
        self.setHandleWidth(HANDLE)
        self.setChildrenCollapsible(False)

    def createHandle(self) -> QSplitterHandle:
        return _Handle(self.orientation(), self)


class _Handle(QSplitterHandle):
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.Midlight))
        middle = self.rect().center()
        if self.orientation() == Qt.Orientation.Horizontal:
            painter.drawLine(middle.x(), 0, middle.x(), self.height())
        else:
            painter.drawLine(0, middle.y(), self.width(), middle.y())
        painter.end()


class Line(QWidget):
    """A horizontal line between two rows, 1 px high."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(1)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.palette().color(QPalette.ColorRole.Midlight))
        painter.end()
