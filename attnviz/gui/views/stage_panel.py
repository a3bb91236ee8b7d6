"""One stage on the board: its title, its tokens, its picture and its legend."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QTransform
from PySide6.QtWidgets import QGraphicsItem, QGraphicsRectItem, QStyleOptionGraphicsItem, QWidget

from attnviz.core.numbers import format_fixed
from attnviz.core.stages import Picture, Stages
from attnviz.gui.colormaps import CENTRE, HIDDEN, Colours, diverging_lut, weights_lut
from attnviz.gui.theme import SPACE
from attnviz.gui.views.board_layout import CLOSE, PanelPlace
from attnviz.gui.views.board_state import (
    BoardState,
    axis_names,
    coarse_words,
    fill_text,
    pooling_note,
    title_of,
)
from attnviz.gui.views.cell_layer import CellLayer
from attnviz.gui.views.leaks import SIGN, draw_sign, leak_words
from attnviz.gui.views.picture_frame import PictureFrame
from attnviz.gui.views.picture_item import PictureItem
from attnviz.gui.views.stage_legend import paint_legend, paint_note
from attnviz.gui.views.stage_picture import AllowedCells, StagePicture
from attnviz.gui.views.token_axis import TokenAxis


class StagePanel(QGraphicsItem):
    """Draws one of the four stages; it takes all it shows from the board's state.

    Parameters
    ----------
    stage
        ``scores``, ``scaled``, ``masked`` or ``weights``.
    state
        The board's.
    """

    def __init__(self, stage: str, state: BoardState) -> None:
        super().__init__()
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)
        self.stage, self.state = stage, state
        self.picture = StagePicture(is_diverging=stage != "weights", hides=stage in ("masked", "weights"))
        self.header_used = 0.0  # px at the right of the header that a foreign widget takes
        self._has_corner = True
        empty = QRectF()
        self.place_now = PanelPlace(empty, empty, empty, empty, empty, empty)
        self._bounds = empty.adjusted(-4, -4, 4, 4)  # asked for many times with each painting
        self._clip = QGraphicsRectItem(self)
        self._clip.setFlag(QGraphicsItem.GraphicsItemFlag.ItemClipsChildrenToShape)
        self._clip.setPen(Qt.PenStyle.NoPen)
        self._behind, self._image = PictureItem(), PictureItem()
        for item in (self._behind, self._image):
            item.setParentItem(self._clip)
        self._behind.hide()
        self._overview: Stages | None = None
        self._overview_level = 1.0
        self._is_overview_drawn = False
        self._overview_picture = StagePicture(is_diverging=stage != "weights", hides=True)
        self._rows = TokenAxis(state, self, is_query=True)
        self._columns = TokenAxis(state, self, is_query=False)
        self.cells = CellLayer(state, self)
        self.cells.marks_leaks = stage == "weights"
        self._pooling = (1, 1)
        self._shown: NDArray[np.uint8] | None = None
        self._shown_table: Colours | None = None
        self._said: tuple[object, ...] = ()
        self._m_indices: NDArray[np.uint8] | None = None
        self._m_source: object = None

    @property
    def table(self) -> Colours:
        """The colours of this stage's map."""
        return weights_lut(self.state.theme) if self.stage == "weights" else diverging_lut(self.state.theme)

    @property
    def shows_m(self) -> bool:
        """Whether this is the mask panel and shows M itself."""
        return self.stage == "masked" and self.state.mask_shows_m

    @property
    def is_coarse(self) -> bool:
        """Whether rows of the picture stand for sampled queries."""
        return self.state.stages is not None and self.state.stages.is_coarse

    @property
    def axes(self) -> tuple[TokenAxis, TokenAxis]:
        """The queries' labels and the keys'."""
        return self._rows, self._columns

    def place(self, place: PanelPlace, *, keys_across: bool, has_corner: bool) -> None:
        """Take a new place on the board."""
        self.prepareGeometryChange()
        self.place_now, self._has_corner = place, has_corner
        self._bounds = place.whole.adjusted(-4, -4, 4, 4)
        self._clip.setRect(place.plot)
        self._rows.place(place.rows, is_across=False)
        self._columns.place(place.columns, is_across=keys_across)
        self.cells.place(place.plot)

    def title_width(self) -> float:
        """Give the width of the title in px."""
        return self.state.fonts.title.width(title_of(self.stage, self.state)[0])

    def indices(self) -> NDArray[np.uint8]:
        """Give the indices of what is shown, uint8 (rows, columns) of the picture."""
        if not self.shows_m or self.state.allowed is None:
            return self.picture.indices
        if self._m_source is not self.state.allowed:
            self._m_source = self.state.allowed
            self._m_indices = np.where(self.state.allowed.array, np.uint8(CENTRE), np.uint8(HIDDEN))
        assert self._m_indices is not None
        return self._m_indices

    def pooled(self) -> NDArray[np.uint8]:
        """Give the indices as they are drawn: as many cells made one as fall on one px of the device."""
        width, height = self.cells.cell_size()
        scale, (rows, columns) = self.state.scale, self.state.frame.bins
        down, across = (
            max(1, math.ceil(1 / max(side * scale, 1e-6) - 1e-6)) for side in (height * rows, width * columns)
        )
        self._pooling = (down, across)
        if not self.shows_m:
            return self.picture.pooled(down, across)
        # A block of M is hidden where all of it is, as in the masked scores.
        hidden = self.picture.pooled(down, across) == HIDDEN
        return np.where(hidden, np.uint8(HIDDEN), np.uint8(CENTRE))

    def image_target(self) -> QRectF:
        """Give where the whole pooled picture lies, in px, relative to the plot's left top corner."""
        plot = self.place_now.plot
        return self.state.frame.rect(self.state.window, plot.width(), plot.height())

    def refresh(self, *, everything: bool) -> None:
        """Draw the panel anew from the state.

        Parameters
        ----------
        everything
            False: only rows, legend and title that differ from what is on the screen.
        """
        if self.state.stages is None or self.place_now.plot.isEmpty():
            return
        picture = self.state.stages.picture(self.stage)
        stale = self.cells.show_cells(
            lambda first, last: self._rows_of(picture, first, last),
            self.indices(),
            self.table,
            self._format_m
            if self.shows_m
            else format_cell_percent
            if self.stage == "weights"
            else format_cell,
            shows_hidden=self.shows_m or not self.picture.hides,
        )
        shown, before, table = self.pooled(), self._shown, self.table
        rows = None if before is None or before.shape != shown.shape else (shown != before).any(axis=1)
        if everything or rows is None:
            everything = True
        else:
            down, first = self._pooling[0] * self.state.frame.bins[0], self.state.frame.queries[0]
            pooled_rows = np.flatnonzero(rows).tolist()
            stale = [
                *stale,
                *(first + row * down for row in pooled_rows),
                *(first + row * down + down - 1 for row in pooled_rows),
            ]
        if rows is None or rows.any() or table is not self._shown_table:
            # A copy: the picture's own array is written in place.
            self._shown, self._shown_table = shown.copy(), table
            self._image.show_indices(shown, table)
        said = (
            title_of(self.stage, self.state),
            self.picture.range,
            self.picture.has_range,
            self.note,
            self.is_coarse,
        )
        if everything:
            self._image.setTransform(self._transform(self.image_target(), shown.shape))
            self.refresh_behind()
            for item in (self, self._rows, self._columns, self.cells):
                item.update()
        else:
            if stale:
                self.cells.update_rows(min(stale), max(stale))
            if said != self._said:
                self.update(self._legend_area())
                if said[0] != self._said[0]:
                    self.update(self.place_now.header)
                if said[3:] != self._said[3:]:
                    self.update(self.place_now.note)
        self._said = said

    @property
    def note(self) -> str:
        """What stands below the plot of a long document."""
        return pooling_note(self.stage, self.state)

    def take_overview(self, overview: Stages | None) -> None:
        """Take what is seen behind the picture, in the picture's colours; None: nothing."""
        if overview is not self._overview:
            self._overview, self._overview_level = overview, self.picture.level
            self._is_overview_drawn = False

    def refresh_behind(self) -> None:
        """Show the overview where the picture does not reach."""
        state, plot, overview = self.state, self.place_now.plot, self._overview
        is_shown = overview is not None and not state.frame.covers(state.window) and not plot.isEmpty()
        self._behind.setVisible(is_shown)
        if not is_shown or overview is None:
            return
        if not self._is_overview_drawn:  # only now: while all of the matrix is in view nobody sees it
            self._is_overview_drawn = True
            seen = AllowedCells(np.isfinite(overview.scores.array()))
            self._overview_picture.update(overview.picture(self.stage), seen, level=self._overview_level)
        indices = self._overview_picture.indices
        if self.shows_m:
            indices = np.where(indices == HIDDEN, np.uint8(HIDDEN), np.uint8(CENTRE))
        self._behind.show_indices(indices, self.table)
        target = PictureFrame.of(overview.request.region).rect(state.window, plot.width(), plot.height())
        self._behind.setTransform(self._transform(target, indices.shape))
        self._behind.update()

    def _transform(self, target: QRectF, shape: tuple[int, ...]) -> QTransform:
        """Give how a picture of (rows, columns) comes to lie in a place relative to the plot."""
        place = target.translated(self.place_now.plot.topLeft())
        transform = QTransform.fromTranslate(place.x(), place.y())
        return transform.scale(place.width() / shape[1], place.height() / shape[0])

    def refresh_marks(self) -> None:
        """Draw what is selected and pointed at anew."""
        for item in (self._rows, self._columns, self.cells):
            item.update()

    def _rows_of(self, picture: Picture, first: int, last: int) -> NDArray[np.float32]:
        allowed, stages = self.state.allowed, self.state.stages
        if self.shows_m and allowed is not None and stages is not None:
            return np.where(
                allowed.array[first:last], np.float32(0), np.float32(stages.request.inputs.mask_fill)
            )
        if len(picture.blocks) == 1:
            return picture.blocks[0][first:last]
        return np.stack([picture.row(row) for row in range(first, last)])

    @staticmethod
    def _format_m(value: float, decimals: int) -> str:
        return fill_text(value)

    def _legend_area(self) -> QRectF:
        """Give what the legend may paint on, apart from the plot's outline."""
        legend = self.place_now.legend
        is_below = legend.width() > legend.height()
        return legend.adjusted(-8, 3, 8, 0) if is_below else legend.adjusted(4, -2, 8, 2)

    def _legend_text(self, value: float) -> str:
        return f"{format_fixed(value * 100, 1)}%" if self.stage == "weights" else format_fixed(value, 2)

    # Qt's overrides

    def boundingRect(self) -> QRectF:
        return self._bounds

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        place, state = self.place_now, self.state
        if state.is_exposed(place.header):
            self._paint_header(painter)
        if state.is_exposed(
            QRectF(place.rows.left(), place.columns.top(), place.rows.width(), place.columns.height())
        ):
            self._paint_corner(painter)
        has_legend = not self.shows_m and not place.legend.isEmpty() and state.stages is not None
        if has_legend and state.is_exposed(self._legend_area()):
            self._paint_legend(painter)
        if not place.note.isEmpty() and state.is_exposed(place.note):
            self._paint_note(painter)

    def _paint_header(self, painter: QPainter) -> None:
        header, fonts, theme = self.place_now.header, self.state.fonts, self.state.theme
        if header.isEmpty():
            return
        title, remark = title_of(self.stage, self.state)
        room = header.width() - self.header_used
        middle = header.top() + 12
        painter.setPen(theme.text)
        title = fonts.title.elided(title, room)
        fonts.title.draw(painter, header.left(), middle, title)
        left = fonts.title.width(title) + 2 * SPACE
        sign = SIGN + SPACE + fonts.note.width(leak_words()) if self.cells.leaks is not None else 0.0
        remark_room = room - (sign + 3 * SPACE if sign and left + sign <= room else 0.0)
        if remark and left + fonts.note.width(remark) <= remark_room:
            painter.setPen(theme.muted)
            fonts.note.draw(painter, header.left() + left, middle + 0.5, remark)
            left += fonts.note.width(remark) + 3 * SPACE
        if sign and left + sign <= room:  # it comes before the remark where there is no room for both
            self._paint_leak_words(painter, header.left() + left, middle)

    def _paint_leak_words(self, painter: QPainter, left: float, middle: float) -> None:
        """Say what the sign in some cells means."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        draw_sign(painter, QPointF(left + SIGN, middle - SIGN / 2), SIGN, self.state.theme.text)
        painter.restore()
        painter.setPen(self.state.theme.muted)
        self.state.fonts.note.draw(painter, left + SIGN + SPACE, middle + 0.5, leak_words())

    def _paint_corner(self, painter: QPainter) -> None:
        """Say what rows and columns are, where the two axes meet."""
        rows, columns, fonts = self.place_now.rows, self.place_now.columns, self.state.fonts
        if not self._has_corner or rows.isEmpty() or columns.isEmpty():
            return
        query, key = axis_names()
        painter.setPen(self.state.theme.muted)
        # Where labels are thinned out, the first of each axis reaches half its height over the corner.
        width, height = self.cells.cell_size()
        aside, up = (
            CLOSE if width >= fonts.token.pitch else 2 * CLOSE,
            0 if height >= fonts.token.pitch else CLOSE,
        )
        right, bottom = rows.right() - aside, columns.bottom() - up
        fonts.note.draw_right(painter, right, bottom - 21, key)
        fonts.note.draw_right(painter, right, bottom - 8, query)

    def _paint_note(self, painter: QPainter) -> None:
        place, state = self.place_now, self.state
        badge = coarse_words() if self.is_coarse else ""
        paint_note(painter, place.note, place.plot.left(), self.note, badge, state.fonts.note, state.theme)

    def _paint_legend(self, painter: QPainter) -> None:
        low, high = self.picture.range
        texts = self._legend_text(low), self._legend_text(high)
        legend, number = self.place_now.legend, self.state.fonts.number
        paint_legend(painter, legend, self.picture, self.table, texts, number, self.state.theme)


@functools.lru_cache(maxsize=16384)  # the same numbers come again with every frame
def format_cell(value: float, decimals: int) -> str:
    """Give a score as it stands in a cell."""
    return format_fixed(value, decimals)


@functools.lru_cache(maxsize=16384)
def format_cell_percent(value: float, decimals: int) -> str:
    """Give a weight as it stands in a cell: percent with one decimal or none; the sign is in the title."""
    return format_fixed(value * 100.0, min(decimals, 1))
