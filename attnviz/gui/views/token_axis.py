"""The tokens along a panel's rows or columns: labels and nothing else; pyqtgraph's own axes cost 7 ms."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from attnviz.gui.labels import Labels
from attnviz.gui.views.board_layout import CLOSE, label_places
from attnviz.gui.views.board_state import BoardState
from attnviz.gui.views.long_labels import (
    LongLabel,
    key_labels,
    paint_key_label,
    paint_query_label,
    query_labels,
)
from attnviz.gui.views.token_names import TokenNames


class TokenAxis(QGraphicsItem):
    """Labels of the queries (at the left) or of the keys (at the top), thinned out where there is no room."""

    def __init__(self, state: BoardState, parent: QGraphicsItem, *, is_query: bool) -> None:
        super().__init__(parent)
        self.state, self.is_query = state, is_query
        self.rect, self.is_across, self._bounds = QRectF(), False, QRectF()

    def place(self, rect: QRectF, *, is_across: bool) -> None:
        """Take a new place; ``is_across``: labels of keys are set across their line."""
        bounds = self._bounds_in(rect)
        if rect != self.rect or is_across != self.is_across or bounds != self._bounds:
            self.prepareGeometryChange()
            self.rect, self.is_across, self._bounds = rect, is_across, bounds
        self.update()

    @property
    def names(self) -> TokenNames:
        """The texts of all labels."""
        return self.state.names[0 if self.is_query else 1]

    def labels(self) -> list[tuple[int, QRectF]]:
        """Give (index, rectangle in scene px) of every label there is room for."""
        state, window, fonts = self.state, self.state.window, self.state.fonts
        if self.rect.isEmpty() or not self.names:
            return []
        if state.is_long:
            return [(label.token, label.rect) for label in self._long_labels()]
        selected = state.selection.query if self.is_query else state.selection.key
        result = []
        if self.is_query:
            cell, height = self.rect.height() / window.rows, fonts.token.pitch
            for index, centre in label_places(
                state.n_query, window.y, cell, self.rect.height(), height, (selected,)
            ):
                width = min(self._labels(index).width(self.names[index]), self.rect.width() - CLOSE)
                rect = QRectF(
                    self.rect.right() - CLOSE - width, self.rect.top() + centre - height / 2, width, height
                )
                result.append((index, rect))
            return result
        cell = self.rect.width() / window.columns
        pitch = fonts.token.pitch if self.is_across else self.widest() + CLOSE
        for index, centre in label_places(state.n_key, window.x, cell, self.rect.width(), pitch, (selected,)):
            labels, name = self._labels(index), self.names[index]
            if self.is_across:
                height = min(labels.upright_height(name), self.rect.height() - CLOSE)
                width = fonts.token.pitch
            else:
                height, width = fonts.token.pitch, min(labels.width(name), cell)
            left, bottom = self.rect.left() + centre - width / 2, self.rect.bottom() - CLOSE
            result.append((index, QRectF(left, bottom - height, width, height)))
        return result

    def widest(self) -> float:
        """Give the width of the widest label of keys that are set along the axis."""
        return max(self.state.fonts.token.width(name) for name in self.names.longest)

    def _bounds_in(self, rect: QRectF) -> QRectF:
        """Give what may be painted: not up to the plot, lest a change of numbers paints labels again."""
        over = self.state.fonts.token.pitch / 2 + 1
        if self.state.is_long:  # numbers along the plot, with ticks that reach it
            wide = self.state.fonts.token_bold.width(str(len(self.names))) / 2 + 1
            across, down = (2.0, over) if self.is_query else (wide, 0.0)
            return rect.adjusted(-across, -down, across, down)
        if self.is_query:
            return rect.adjusted(-2, -over, 1 - CLOSE, over)
        return rect.adjusted(-over, 0, over, 1 - CLOSE)

    def _long_labels(self) -> list[LongLabel]:
        state = self.state
        if self.is_query:
            return query_labels(self.names, state.selection.query, state.window, self.rect, state.fonts)
        return key_labels(self.names, state.selection.key, state.window, self.rect, state.fonts)

    def _labels(self, index: int) -> Labels:
        selected = self.state.selection.query if self.is_query else self.state.selection.key
        return self.state.fonts.token_bold if index == selected else self.state.fonts.token

    def _paint_long(self, painter: QPainter) -> None:
        state, theme = self.state, self.state.theme
        selected = state.selection.query if self.is_query else state.selection.key
        hovered = None if state.hover is None else state.hover[0 if self.is_query else 1]
        for label in self._long_labels():
            if not state.is_exposed(label.rect.adjusted(-5, -5, 5, 5)):
                continue
            if label.token == hovered:
                painter.fillRect(label.rect.adjusted(-2, 0, 2, 0), theme.grid)
            font, is_selected = self._labels(label.token), label.token == selected
            if self.is_query:
                paint_query_label(painter, label, font, theme, self.rect.right(), is_selected=is_selected)
            else:
                paint_key_label(painter, label, font, theme, self.rect.bottom(), self.rect.height() - CLOSE)

    # Qt's overrides

    def boundingRect(self) -> QRectF:
        return self._bounds

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        state, theme = self.state, self.state.theme
        if not self.names:
            return
        hovered = None if state.hover is None else state.hover[0 if self.is_query else 1]
        selected = state.selection.query if self.is_query else state.selection.key
        if state.is_long:
            self._paint_long(painter)
            return
        painter.setPen(theme.text)
        for index, rect in self.labels():
            if not state.is_exposed(rect.adjusted(-2, -2, 2, 2)):
                continue
            labels, name = self._labels(index), self.names[index]
            if index == hovered:
                painter.fillRect(rect.adjusted(-2, 0, 2, 0), theme.grid)
            if index == selected and self.is_query:
                painter.setPen(theme.accent)
            if self.is_query:
                text = labels.elided(name, self.rect.width() - CLOSE)
                labels.draw_right(painter, self.rect.right() - CLOSE, rect.center().y(), text)
            elif self.is_across:
                labels.draw_across(
                    painter, rect.center().x(), rect.bottom(), name, self.rect.height() - CLOSE
                )
            else:
                labels.draw_centred(
                    painter, rect.center().x(), rect.center().y(), labels.elided(name, rect.width())
                )
            if index == selected and self.is_query:
                painter.setPen(theme.text)
