"""The vectors of the active head: q, k and v side by side, or how each of them is derived from x."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QApplication, QHBoxLayout, QStackedLayout, QVBoxLayout, QWidget

from attnviz.core import edits, key_edits, projection_edits
from attnviz.core.inputs import Inputs
from attnviz.core.selection import Selection
from attnviz.gui.editors.editor import Editor
from attnviz.gui.editors.projection_page import ProjectionPage
from attnviz.gui.editors.sheet import SYMBOLS, is_of_keys, vector_sheet
from attnviz.gui.editors.vector_grid import VectorGrid
from attnviz.gui.editors.vector_tools import ALL, VectorTools
from attnviz.gui.theme import SPACE, Theme


class VectorTable(Editor):
    """Editor of all vectors of the active head, and of what they are derived from."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("vectors")
        self._tools = VectorTools(self)
        self._table = QWidget(self)
        self._grids = {which: VectorGrid(f"vectors/{which}", self._table) for which in ("q", "k", "v")}
        self._projection: ProjectionPage | None = None  # made when it is first shown
        self._page = "q"  # of a derived head
        self._is_turning = False
        side_by_side = QHBoxLayout(self._table)
        side_by_side.setContentsMargins(0, 0, 0, 0)
        side_by_side.setSpacing(3 * SPACE)
        for grid in self._grids.values():
            side_by_side.addWidget(grid, 1)
            self._connect(grid)
        self._pages = QStackedLayout()
        self._pages.addWidget(self._table)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, 0)
        column.setSpacing(SPACE)
        column.addWidget(self._tools)
        column.addLayout(self._pages, 1)
        tools = self._tools
        tools.source_chosen.connect(self._set_source)
        tools.page_chosen.connect(self.show_page)
        tools.link_chosen.connect(self._link)
        tools.bias_chosen.connect(self._set_bias)
        tools.size_asked.connect(self._resize)
        tools.refused.connect(self.refused)
        self.retranslate()

    @property
    def grids(self) -> dict[str, VectorGrid]:
        """The three tables of vectors, by ``q``, ``k`` and ``v``."""
        return self._grids

    @property
    def projection(self) -> ProjectionPage | None:
        """The page of a derived head's maps, None until one was shown."""
        return self._projection

    def focus_cell(self, which: str, token: int, dim: int) -> None:
        """Bring a cell of ``q``, ``k`` or ``v`` into view and give it the keyboard.

        In a head derived from x that is the number on the page where it is derived.
        """
        if self._inputs is not None and self._inputs.heads[self._selection.head].projection is not None:
            self.show_page(which)
        page = self._projection_in_front()
        (self._grids[which] if page is None else page.grids["result"]).focus_cell(token, dim)

    def show_page(self, page: str) -> None:
        """Show how ``q``, ``k`` or ``v`` of a derived head comes about, or all three (``all``)."""
        self._page = page
        if self._projection is not None:
            self._name_projection(self._projection)
        if self._inputs is not None:
            self.refresh(self._inputs, self._selection)

    def refresh(self, inputs: Inputs, selection: Selection) -> None:
        super().refresh(inputs, selection)
        head = inputs.heads[selection.head]
        page = ALL if head.projection is None else self._page
        self._tools.show_head(inputs, head, page)
        if page == ALL:
            for which, grid in self._grids.items():
                grid.show_sheet(vector_sheet(inputs, which, selection))
        else:
            self._made_projection().refresh(inputs, page, selection)
        self._turn_to(page)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._tools.set_theme(theme)
        for grid in self._grids.values():
            grid.set_theme(theme)
        if self._projection is not None:
            self._projection.set_theme(theme)

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Vectors"))
        self._tools.retranslate()
        note = self.tr("The vectors of this token are defaults; nobody has edited them yet.")
        tip = self.tr("Double-click a dimension's name to change it.")
        for which, grid in self._grids.items():
            grid.setAccessibleName(self._rows_text(which))
            grid.vectors.set_default_note(note)
            grid.horizontalHeader().setToolTip(tip)
        if self._projection is not None:
            self._name_projection(self._projection)

    def _rows_text(self, which: str) -> str:
        return self.tr("{which}, one row per token").format(which=which)

    def _name_projection(self, page: ProjectionPage) -> None:
        which = self._page if self._page != ALL else "q"
        texts = {
            "x": self._rows_text("x"),
            "w": self.tr("{which}, one row per dimension of x").format(which=SYMBOLS[f"w_{which}"]),
            "b": self.tr("{which}, added to every row").format(which=SYMBOLS[f"b_{which}"]),
            "result": self._rows_text(which),
        }
        note = self.tr("The vectors of this token are defaults; nobody has edited them yet.")
        page.name_parts(texts, note, self.tr("Double-click a dimension's name to change it."))

    def _made_projection(self) -> ProjectionPage:
        page = self._projection
        if page is None:
            page = self._projection = ProjectionPage(self)
            page.set_theme(self._theme)
            page.block_asked.connect(self._set_part)
            page.dimension_renamed.connect(lambda dim, name: self._rename(self._page, dim, name))
            page.x_renamed.connect(self._rename_x)
            page.row_chosen.connect(lambda row: self._choose_row(self._page, row))
            page.refused.connect(self.refused)
            self._pages.addWidget(page)
            self._name_projection(page)
        return page

    def _projection_in_front(self) -> ProjectionPage | None:
        page = self._projection
        return page if page is not None and self._pages.currentWidget() is page else None

    def _turn_to(self, page: str) -> None:
        """Bring a page to the front; the cell that has the keyboard keeps it, whatever page it is on now."""
        before, after = self._projection_in_front(), self._table if page == ALL else self._projection
        if after is None or after is self._pages.currentWidget():
            return
        focus = QApplication.focusWidget()
        shown = self._pages.currentWidget()
        had_focus = focus is not None and shown is not None and shown.isAncestorOf(focus)
        old = self._grids if before is None else {self._page: before.grids["result"]}
        at = next(((which, grid) for which, grid in old.items() if grid.isAncestorOf(focus or self)), None)
        place = None if at is None else (at[1].currentIndex().row(), at[1].currentIndex().column())
        self._is_turning = True
        self._pages.setCurrentWidget(after)
        self._is_turning = False
        if had_focus:
            which = at[0] if at is not None and page == ALL else "q"
            heir = self._grids[which] if before is not None else self._made_projection().grids["result"]
            row = self._selection.key if self._is_of_keys(which) else self._selection.query
            heir.focus_cell(*(place or (row, 0)))

    def _connect(self, grid: VectorGrid) -> None:
        which = grid.vectors.which
        grid.block_asked.connect(partial(self._set_block, which))
        grid.dimension_renamed.connect(lambda dim, name: self._rename(which, dim, name))
        grid.row_chosen.connect(partial(self._choose_row, which))
        grid.refused.connect(self.refused)
        grid.verticalScrollBar().valueChanged.connect(partial(self._scroll_along, which))

    def _scroll_along(self, which: str, value: int) -> None:
        """Keep rows of the same tokens side by side."""
        for name, grid in self._grids.items():
            if name != which and self._is_of_keys(name) == self._is_of_keys(which):
                grid.verticalScrollBar().setValue(value)

    def _choose_row(self, which: str, row: int) -> None:
        """Ask for the token of a row of ``q``, ``k`` or ``v`` to be looked at."""
        (self.key_chosen if self._is_of_keys(which) else self.query_chosen).emit(row)

    def _is_of_keys(self, which: str) -> bool:
        """Say whether the rows of ``q``, ``k`` or ``v`` belong to key tokens of their own."""
        return self._inputs is not None and which != ALL and is_of_keys(self._inputs, which)

    def _set_block(self, which: str, token: int, dim: int, values: NDArray[np.float64]) -> None:
        head = self._selection.head
        if not self._is_turning:
            self.edit_asked.emit(
                lambda inputs: edits.set_vector_block(inputs, head, which, token, dim, values), ""
            )

    def _set_part(self, part: str, row: int, column: int, values: NDArray[np.float64]) -> None:
        """Ask for numbers of x, of a map, of its bias, or of what comes of them."""
        head, which = self._selection.head, self._page
        if part == "result":
            self._set_block(which, row, column, values)
        elif part == "x":
            of_keys = self._is_of_keys(which)
            set_block = key_edits.set_x_keys_block if of_keys else projection_edits.set_x_block
            self.edit_asked.emit(lambda inputs: set_block(inputs, row, column, values), "")
        else:
            name = f"{part}_{which}"
            self.edit_asked.emit(
                lambda inputs: projection_edits.set_projection_block(inputs, head, name, row, column, values),
                "",
            )

    def _rename(self, which: str, dim: int, name: str) -> None:
        head = self._selection.head
        self.edit_asked.emit(lambda inputs: edits.rename_dimension(inputs, head, which, dim, name), "")

    def _rename_x(self, dim: int, name: str) -> None:
        self.edit_asked.emit(lambda inputs: projection_edits.rename_x_dimension(inputs, dim, name), "")

    def _set_source(self, source: str) -> None:
        head = self._selection.head
        change = (
            projection_edits.start_projection if source == "projection" else projection_edits.stop_projection
        )
        self._ask(lambda inputs: change(inputs, head))

    def _set_bias(self, is_there: bool) -> None:
        head, name = self._selection.head, f"b_{self._page}"
        change = projection_edits.add_bias if is_there else projection_edits.drop_bias
        self._ask(lambda inputs: change(inputs, head, name))

    def _link(self, v_is_k: bool) -> None:
        head = self._selection.head
        self._ask(lambda inputs: edits.set_v_is_k(inputs, head, v_is_k))

    def _ask(self, edit: edits.Edit) -> None:
        """Ask for what a click has already marked; the document decides, and its answer is shown."""
        self.edit_asked.emit(edit, "")
        if self._inputs is not None:
            self.refresh(self._inputs, self._selection)

    def _resize(self, name: str, size: int, run: str) -> None:
        head, of_keys = self._selection.head, self._is_of_keys(self._page)

        def resize(inputs: Inputs) -> Inputs:
            if name == "d_model":
                return (key_edits.resize_x_keys if of_keys else projection_edits.resize_x)(inputs, size)
            old = inputs.heads[head]
            d_k, d_v = (size, old.d_v) if name == "d_k" else (old.d_k, size)
            if old.v_is_k:
                d_k = d_v = size
            return edits.resize_head(inputs, head, d_k, d_v)

        self.edit_asked.emit(resize, f"{name}/{head}#{run}" if run else "")
