"""The headings of a table of numbers: tokens or names of dimensions, the line that is looked at marked."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QHeaderView, QWidget

from attnviz.gui.editors.vector_model import DEFAULT_ROLE, SELECTED_ROLE
from attnviz.gui.plain_text import elided
from attnviz.gui.symbols import draw_symbol
from attnviz.gui.theme import LIGHT, Theme

ROW_HEIGHT = 24


class VectorHeader(QHeaderView):
    """A heading drawn with the theme."""

    def __init__(self, orientation: Qt.Orientation, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        self._theme = LIGHT
        self.holds_symbols = False  # rather than names that people gave
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setMinimumSectionSize(ROW_HEIGHT)

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._theme = theme
        self.viewport().update()

    def sizeHint(self) -> QSize:
        is_fixed = self.minimumWidth() == self.maximumWidth()  # else Qt measures a thousand headings
        return QSize(self.minimumWidth() if is_fixed else super().sizeHint().width(), ROW_HEIGHT)

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:
        theme, model = self._theme, self.model()
        painter.save()
        painter.fillRect(rect, theme.ground)
        is_row = self.orientation() == Qt.Orientation.Vertical
        text = model.headerData(logicalIndex, self.orientation()) or ""
        colour = theme.muted
        inside = rect.adjusted(8, 0, -8, 0) if is_row else rect.adjusted(2, 0, -6, 0)
        if model.headerData(logicalIndex, self.orientation(), SELECTED_ROLE):
            painter.fillRect(rect, theme.accent_soft)
            stroke = QSize(3, rect.height()) if is_row else QSize(rect.width(), 3)
            painter.fillRect(QRect(rect.topLeft(), stroke), theme.accent)
            colour = theme.text
        if is_row and model.headerData(logicalIndex, self.orientation(), DEFAULT_ROLE):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.muted, 1))
            centre = QPointF(rect.right() - 8, rect.center().y() + 0.5)
            painter.drawEllipse(QRectF(centre.x() - 2.5, centre.y() - 2.5, 5, 5))
            inside.setRight(inside.right() - 8)
        painter.setPen(colour)
        if self.holds_symbols:
            draw_symbol(painter, inside.left(), inside.center().y() + 5, self.font(), text)
            painter.restore()
            return
        alignment = Qt.AlignmentFlag.AlignLeft if is_row else Qt.AlignmentFlag.AlignRight
        painter.drawText(
            inside,
            alignment | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine,
            elided(text, painter.fontMetrics(), inside.width()),
        )
        painter.setPen(QPen(theme.grid, 1))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        painter.restore()
