"""The grid of stages in the window: the board in a pyqtgraph view, with mouse, keys, hover and speech.

It shows Stages and a Selection, and tells what was chosen; it never changes either.
"""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QGraphicsView, QWidget

from attnviz.core.selection import Selection
from attnviz.core.stages import Stages
from attnviz.gui.fonts import load_fonts
from attnviz.gui.theme import LIGHT, Theme
from attnviz.gui.views.cell_pointer import CellPointer
from attnviz.gui.views.cell_speech import CellSpeech
from attnviz.gui.views.cell_steps import cell_after
from attnviz.gui.views.header_tools import HeaderTools
from attnviz.gui.views.map_drag import MapDrag
from attnviz.gui.views.map_view import ZOOM_STEP, MapView
from attnviz.gui.views.map_window import Window
from attnviz.gui.views.mask_brush import MaskBrush
from attnviz.gui.views.panel_handle import PanelHandle
from attnviz.gui.views.picture_frame import Range
from attnviz.gui.views.row_span import RowSpan
from attnviz.gui.views.stage_board import StageBoard


class StageGrid(pg.GraphicsView):
    """The four stage panels, linked.

    Signals
    -------
    cell_chosen(query, key)
        A cell was clicked, or reached with the arrow keys.
    query_chosen(query)
        A row's label was clicked.
    mask_painted(cells, allowed, is_first)
        Rectangles of cells are to be seen or hidden, as a MaskBrush tells it.
    mask_toggled(query, key)
        A cell is to be hidden where it is seen, and seen where it is hidden.
    code_asked(stage)
        The code that computes a stage is to be seen.
    rows_moved()
        Rows of queries lie elsewhere than before: see ``row_span``.
    region_wanted(queries, keys, max_cells)
        Of a long document another picture is wanted: half-open ranges, and the most (rows, columns).
    """

    cell_chosen = Signal(int, int)
    query_chosen = Signal(int)
    mask_painted = Signal(object, bool, bool)
    mask_toggled = Signal(int, int)
    code_asked = Signal(str)
    rows_moved = Signal()
    region_wanted = Signal(object, object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        load_fonts()
        super().__init__(parent, background=LIGHT.ground)
        self.setObjectName("stages")
        self.setCacheMode(pg.GraphicsView.CacheModeFlag.CacheNone)  # the ground is one colour
        self.setMinimumSize(240, 200)
        self._board = StageBoard(self.scene(), LIGHT, is_live=True)
        self._handles = {stage: PanelHandle(self, panel) for stage, panel in self._board.panels.items()}
        self._brush = MaskBrush(self._board, self.viewport(), self.mask_painted.emit)
        self._tools = HeaderTools(self._board, self.viewport(), self.code_asked.emit)
        self._map = MapView(self._board, self.viewport(), self.region_wanted.emit)
        self._pointer = CellPointer(self._board, self.viewport())
        self._pointer.card.set_theme(LIGHT)
        self._speech = CellSpeech(self, self._board.state)
        self._drag = MapDrag(self._board, self._map, self.viewport())
        self._rows_shown: RowSpan | None = None
        self._asked: tuple[int, int] | None = None  # chosen here, not yet drawn
        self.retranslate()

    def draw(self, stages: Stages, selection: Selection) -> None:
        """Show a new moment."""
        before = self._board.state.selection
        arranged = self._board.arrangement
        if self._asked == (selection.query, selection.key):
            self._asked = None
        self._board.draw(stages, selection)
        if (before.query, before.key) != (selection.query, selection.key):
            self._bring_into_view(selection)
        if self._board.arrangement != arranged:
            self._place_widgets()
        self._map.follow()
        self._pointer.follow()
        self._speech.tell()

    def expect(self, selection: Selection) -> None:
        """Know which cell is selected before the answer that shows it: keys go on from there."""
        drawn = self._board.state.selection
        cell = selection.query, selection.key
        self._asked = None if cell == (drawn.query, drawn.key) else cell

    def draw_overview(self, overview: Stages) -> None:
        """Show an answer of all of a long document in the overview, and behind pictures of parts of it."""
        stages = self._board.state.stages
        if stages is not None and overview.request.inputs is stages.request.inputs:
            self._board.draw_overview(overview)
            self._map.follow()

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self.setBackground(theme.ground)
        self._board.set_theme(theme)
        self._pointer.card.set_theme(theme)
        self._tools.set_theme(theme)
        self._map.overview.set_theme(theme)
        self.viewport().update()

    def set_mask_shows_m(self, shows_m: bool) -> None:
        """Let the mask panel show M itself, 0 and the mask value, instead of the masked scores."""
        self._board.set_options(mask_shows_m=shows_m)

    def set_weights_to_largest(self, to_largest: bool) -> None:
        """Let the map of weights end at the largest weight instead of at 1."""
        self._board.set_options(weights_to_largest=to_largest)
        self._map.follow()

    def set_painting(self, is_on: bool) -> None:
        """Let a drag over the mask panel, and Space, tell of painted cells; else they choose and pan."""
        self._brush.set_on(is_on)

    def set_panel_tools(self, stage: str, widget: QWidget) -> None:
        """Place a widget at the right of a panel's header; it becomes the grid's child.

        Parameters
        ----------
        stage
            One of STAGE_NAMES.
        widget
            At most 24 px high; it gets its sizeHint's width, or what the header leaves.
        """
        self._tools.add(stage, widget)
        widget.installEventFilter(self)
        self._place_widgets()

    def panel(self, stage: str) -> PanelHandle:
        """Give a panel's handle, the widget named ``stage/`` and the stage."""
        return self._handles[stage]

    def panel_alone(self) -> str | None:
        """Give the stage that has the whole area, or None while all four are shown."""
        return self._board.alone

    def show_alone(self, stage: str | None) -> None:
        """Give one panel the whole area, or with None all four their places."""
        self._board.show_alone(stage)
        self._place_widgets()
        self._map.follow()

    def row_span(self) -> RowSpan | None:
        """Give where the queries lie in the panel alone or in that of the weights, in px of the viewport."""
        panel = self._board.panels[self._board.alone or "weights"]
        place, window = panel.place_now, self._board.state.window
        if place.plot.isEmpty() or self._board.state.stages is None:
            return None
        header = place.header.top() if not place.header.isEmpty() else place.whole.top()
        return RowSpan(header, place.plot.top(), place.plot.height(), window.y, window.rows)

    def window_shown(self) -> Window:
        """Give the part of the matrix in view."""
        return self._board.state.window

    def set_picture_scale(self, scale: float) -> None:
        """Be drawn as a picture of so many device px per px, whatever the screen has."""
        size = self.viewport().size()
        self._board.resize(size.width(), size.height(), scale)

    def frame_to_draw(self) -> tuple[Range, Range, tuple[int, int]] | None:
        """Give the queries, keys and most cells of a long document that are seen at these px, else None."""
        return self._board.frame_to_draw()

    def overview_shown(self) -> Stages | None:
        """Give the answer that the overview shows of a long document, where there is one."""
        return self._board.state.overview

    def look_at(self, window: Window) -> None:
        """Show another part of the matrix."""
        self._map.look_at(window.limited(*self._shape()))

    def reset_zoom(self) -> None:
        """Show the whole matrix."""
        self._map.look_at(Window.whole(*self._shape()))

    def show_cell(self, query: int, key: int) -> None:
        """Bring a cell into the middle, as large as it can be read."""
        self._map.show_cell(query, key)

    def zoom(self, factor: float, at: tuple[float, float] | None = None) -> None:
        """Zoom all panels in or out around a place (key, query) in cells; None: the selected cell."""
        selection = self._board.state.selection
        at = at if at is not None else (selection.key + 0.5, selection.query + 0.5)
        self._map.zoom(factor, at)

    def hover_text(self) -> str:
        """Give what the readout beside the pointer says; nothing while the pointer is outside the matrix."""
        return self._pointer.card.text()

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self.setAccessibleName(self.tr("The four stages of attention"))
        self._handles["scores"].setAccessibleName(self.tr("Scores, the products of queries and keys"))
        self._handles["scaled"].setAccessibleName(self.tr("Scaled scores"))
        self._handles["masked"].setAccessibleName(self.tr("Masked scores"))
        self._handles["weights"].setAccessibleName(self.tr("Weights after softmax"))
        self._tools.retranslate()
        self._board.retranslate()
        self._speech.tell()

    def _shape(self) -> tuple[int, int]:
        return self._board.state.n_query, self._board.state.n_key

    def _tell_rows(self) -> None:
        span = self.row_span()
        if span != self._rows_shown:
            self._rows_shown = span
            self.rows_moved.emit()

    def _bring_into_view(self, selection: Selection) -> None:
        window = self._board.state.window
        if not window.is_whole(*self._shape()):
            self._map.look_at(window.showing(selection.query, selection.key, *self._shape()))

    def _place_widgets(self) -> None:
        """Put handles over their panels and tools into their headers."""
        visible = self._board.visible_panels()
        for stage, panel in self._board.panels.items():
            is_shown = panel in visible
            self._handles[stage].setGeometry(panel.place_now.whole.toAlignedRect())
            self._handles[stage].setVisible(is_shown)
        self._tools.place()

    def _choose_at(self, position: QPointF) -> None:
        panel = self._board.panel_at(position)
        if panel is None or self._board.state.stages is None:
            return
        cell = self._pointer.choice_at(panel, position)
        if cell is not None:
            self._choose(*cell)
        elif (label := self._pointer.label_at(panel, position)) is not None:
            if label[0] == "query":
                self.query_chosen.emit(label[1])
            else:
                self._choose(self._board.state.selection.query, label[1])

    def _choose(self, query: int, key: int) -> None:
        self._asked = (query, key)
        self.cell_chosen.emit(query, key)

    # Qt's overrides

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._brush.is_over(event.position()):
            self._brush.press(event.position())
        elif event.button() == Qt.MouseButton.LeftButton:
            self._drag.press(event.position())
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        self._brush.move(position)
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._drag.move(position)
        # The card would lie over what is painted.
        self._pointer.point(None if self._brush.is_down else position)
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._brush.release()
        if event.button() == Qt.MouseButton.LeftButton and self._drag.release(event.position()):
            self._choose_at(event.position())
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        panel = self._board.panel_at(event.position())
        if self._brush.is_over(event.position()):
            self.mousePressEvent(event)  # two quick strokes
        elif event.button() == Qt.MouseButton.LeftButton and panel is not None:
            self._drag.forget()
            self.show_alone(None if self._board.alone else panel.stage)
            self._pointer.point(event.position())
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        panel = self._board.panel_at(event.position())
        steps = event.angleDelta().y() / 120
        if panel is None or steps == 0 or panel.place_now.plot.isEmpty():
            event.ignore()
            return
        self._map.turn(steps, event.position(), panel.place_now.plot)
        self._pointer.point(event.position())
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, state = Qt.Key(event.key()), self._board.state
        plain = not event.modifiers() & ~(
            Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier
        )
        at = self._asked or (state.selection.query, state.selection.key)
        to = None
        if state.stages is not None:
            to = cell_after(key, event.modifiers(), at, state.window, state.stages)
        if to is not None:
            if to != at:
                self._choose(*to)
        elif plain and key == Qt.Key.Key_Space and self._brush.is_on and state.stages is not None:
            self.mask_toggled.emit(*(self._asked or (state.selection.query, state.selection.key)))
        elif plain and key in (Qt.Key.Key_Home, Qt.Key.Key_0):
            self.reset_zoom()
        elif plain and key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self.zoom(1 / ZOOM_STEP if key == Qt.Key.Key_Minus else ZOOM_STEP)
        elif plain and key == Qt.Key.Key_Escape and self._board.alone is not None:
            self.show_alone(None)
        else:
            event.ignore()
            return
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self._pointer.point(None)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._board.state.has_focus = True
        self._board.refresh_marks()
        self._speech.tell()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._board.state.has_focus = False
        self._board.refresh_marks()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if hasattr(self, "_board"):  # pyqtgraph resizes in its own constructor
            size = self.viewport().size()
            self._board.resize(size.width(), size.height(), self.devicePixelRatioF())
            self._place_widgets()
            self._map.follow()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self._pointer.point(None)
        if not isinstance(event, QPaintEvent):
            return super().viewportEvent(event)
        self._board.state.exposed = event.region()
        try:
            return super().viewportEvent(event)
        finally:
            self._board.state.exposed = None
            self._tell_rows()  # whatever moved them has led to this painting

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest and watched in self._tools:
            self._place_widgets()
        return super().eventFilter(watched, event)

    def close(self) -> bool:
        # pyqtgraph's own close() deletes the panels while events for them are still to come.
        return QGraphicsView.close(self)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange and hasattr(self, "_board"):
            self.retranslate()
            self._place_widgets()

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() == QEvent.Type.DevicePixelRatioChange and hasattr(self, "_board"):
            self.resizeEvent(None)
        return handled
