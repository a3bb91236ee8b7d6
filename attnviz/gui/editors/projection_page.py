"""x · W + b = q side by side: the row of x and the column of W that make one number, and its arithmetic."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from attnviz.core.inputs import Inputs
from attnviz.core.selection import Selection
from attnviz.gui.editors.map_lines import MapLines
from attnviz.gui.editors.sheet import has_names, map_sheet, row_of, vector_sheet, x_sheet
from attnviz.gui.editors.slim_scroll_bar import THICKNESS, SlimScrollBar
from attnviz.gui.editors.vector_grid import VectorGrid
from attnviz.gui.editors.vector_header import ROW_HEIGHT
from attnviz.gui.fonts import text_font
from attnviz.gui.splitter import Line
from attnviz.gui.theme import SPACE, Theme

_ON, _OFF = Qt.ScrollBarPolicy.ScrollBarAlwaysOn, Qt.ScrollBarPolicy.ScrollBarAlwaysOff
_LEAST_GRID, _LEAST_LINES = 112, 200  # px


class ProjectionPage(QWidget):
    """How q, k or v of the head shown is derived from x.

    Signals
    -------
    block_asked(str, int, int, ndarray)
        A rectangle of numbers of ``x``, ``w``, ``b`` or ``result`` is to be set from a row and a column on.
    dimension_renamed(int, str), x_renamed(int, str)
        A dimension of the result, or of x, is to have a name.
    row_chosen(int)
        Another row of x and of the result is to be looked at.
    refused(AttnvizError)
        What was typed or pasted cannot be taken.
    """

    block_asked = Signal(str, int, int, object)
    dimension_renamed = Signal(int, str)
    x_renamed = Signal(int, str)
    row_chosen = Signal(int)
    refused = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("projection")
        self._grids = {
            part: VectorGrid(f"projection/{part}", self, is_named=part != "b")
            for part in ("x", "w", "b", "result")
        }
        self._rule = Line(self)  # between the rows of W and the bias
        self._lines = MapLines(self)
        self._lines.setObjectName("projection/terms")
        self._bar = SlimScrollBar(Qt.Orientation.Vertical)
        self._lines.setVerticalScrollBar(self._bar)
        self._lines.setMinimumWidth(_LEAST_LINES)
        self._which = "q"
        self._dims = {"q": 0, "k": 0, "v": 0}
        self._shown: tuple[Inputs, Selection] | None = None
        self._row = -1  # of x and of the result
        self._sizes: tuple[QSize, ...] = ()
        self._pair = -1  # the dimension of x whose two factors are outlined
        self._lay_out()
        for part, grid in self._grids.items():
            self._connect(part, grid)
        self._lines.term_chosen.connect(self._follow)
        self._lines.term_pointed.connect(self._point)
        self._scroll_together("x", "result", "verticalScrollBar")
        self._scroll_together("w", "b", "horizontalScrollBar")

    @property
    def grids(self) -> dict[str, VectorGrid]:
        """The tables, by ``x``, ``w``, ``b`` and ``result``."""
        return self._grids

    @property
    def lines(self) -> MapLines:
        """The arithmetic of the chosen number."""
        return self._lines

    def refresh(self, inputs: Inputs, which: str, selection: Selection) -> None:
        """Show how ``q``, ``k`` or ``v`` of the active head comes about, one that is derived from x."""
        head = selection.head
        if which != self._which:
            self._which = which
            self._point("", -1, -1)
        row = row_of(inputs, which, selection)
        moved = self._shown is None or self._row != row
        self._shown, self._row = (inputs, selection), row
        maps = inputs.heads[head].projection
        assert maps is not None
        dim = self._dims[which] = min(self._dims[which], getattr(inputs.heads[head], which).shape[1] - 1)
        grids, bias = self._grids, getattr(maps, f"b_{which}")
        grids["x"].set_named(has_names(inputs, which))
        grids["x"].show_sheet(x_sheet(inputs, which, selection))
        grids["w"].show_sheet(map_sheet(inputs, head, f"w_{which}", dim))
        if bias is not None:
            grids["b"].show_sheet(map_sheet(inputs, head, f"b_{which}", dim))
        grids["result"].show_sheet(vector_sheet(inputs, which, selection, dim))
        self._lines.write(inputs, head, which, row, dim)
        self._fit(has_bias=bias is not None)
        if moved:
            for part, column in (("x", max(0, grids["x"].currentIndex().column())), ("result", dim)):
                if not grids[part].hasFocus():
                    grids[part].choose_cell(row, column)
            self._reveal_row()
            self._outline()

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        for grid in self._grids.values():
            grid.set_theme(theme)
        self._lines.set_theme(theme)
        self._bar.set_theme(theme)

    def choose_dimension(self, dim: int) -> None:
        """Look at another dimension of the result."""
        if self._shown is None or dim == self._dims[self._which]:
            return
        self._dims[self._which] = dim
        inputs, selection = self._shown
        self.refresh(inputs, self._which, selection)
        for part, row in (("w", 0), ("b", 0), ("result", self._row)):
            grid = self._grids[part]
            if not grid.hasFocus() and grid.isVisible():
                row = grid.currentIndex().row() if part == "w" else row
                grid.scrollTo(grid.vectors.index(row, dim))

    def name_parts(self, texts: dict[str, str], default_note: str, name_tip: str) -> None:
        """Set the tables' accessible names, and what their tooltips say."""
        for part, grid in self._grids.items():
            grid.setAccessibleName(texts[part])
            grid.vectors.set_default_note(default_note)
            if part != "b":
                grid.horizontalHeader().setToolTip(name_tip)

    def _lay_out(self) -> None:
        grids = self._grids
        grids["b"].horizontalHeader().hide()
        grids["b"].name_rows_by_symbols()
        grids["b"].setFixedHeight(ROW_HEIGHT + THICKNESS)
        for part, grid in grids.items():
            grid.setMinimumWidth(_LEAST_GRID)
            grid.setVerticalScrollBarPolicy(_ON)  # as wide in all of them, so that columns stand in line
            if part != "w":
                grid.setHorizontalScrollBarPolicy(_ON)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE)
        row.addLayout(_from_the_top(grids["x"]), 3)
        row.addWidget(self._sign("·"), 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(_from_the_top(grids["w"], self._rule, grids["b"]), 3)
        row.addWidget(self._sign("="), 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(_from_the_top(grids["result"]), 3)
        row.addSpacing(3 * SPACE)
        row.addWidget(self._lines, 4)

    def _sign(self, text: str) -> QLabel:
        label = QLabel(text, self)
        label.setFont(text_font(bold=True))
        label.setFixedSize(4 * SPACE, ROW_HEIGHT)
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        return label

    def _fit(self, *, has_bias: bool) -> None:
        """Give no table more room than its numbers take; the arithmetic has the rest."""
        grids = self._grids
        grids["b"].setVisible(has_bias)
        self._rule.setVisible(has_bias)
        grids["b"].set_heading_width(grids["w"].heading_width())
        grids["w"].setHorizontalScrollBarPolicy(_OFF if has_bias else _ON)
        sizes = tuple(QSize(grid.width_wanted(), grid.height_wanted()) for grid in grids.values())
        if sizes != self._sizes:
            self._sizes = sizes
            for (part, grid), size in zip(grids.items(), sizes, strict=True):
                grid.setMaximumWidth(max(size.width(), _LEAST_GRID))
                if part != "b":
                    grid.setMaximumHeight(max(size.height(), 3 * ROW_HEIGHT))
            grids["b"].setMaximumWidth(grids["w"].maximumWidth())
        spare = THICKNESS if has_bias else 0
        grids["w"].setMaximumHeight(max(sizes[1].height() - spare, ROW_HEIGHT))

    def _connect(self, part: str, grid: VectorGrid) -> None:
        grid.block_asked.connect(lambda row, column, values: self.block_asked.emit(part, row, column, values))
        grid.refused.connect(self.refused)
        grid.cell_entered.connect(lambda row, column: self._enter(part, row, column))
        if part in ("w", "result"):
            grid.dimension_renamed.connect(self.dimension_renamed)
            grid.horizontalHeader().sectionPressed.connect(self.choose_dimension)
        if part == "x":
            grid.dimension_renamed.connect(self.x_renamed)
        if part in ("x", "result"):
            grid.row_chosen.connect(self.row_chosen)

    def _scroll_together(self, one: str, other: str, bar: str) -> None:
        bars = [getattr(self._grids[part], bar)() for part in (one, other)]
        bars[0].valueChanged.connect(bars[1].setValue)
        bars[1].valueChanged.connect(bars[0].setValue)

    def _reveal_row(self) -> None:
        """Bring the selected token's row into view; the result scrolls along."""
        x = self._grids["x"]
        if self._shown is not None:
            x.scrollTo(x.vectors.index(self._row, max(0, x.currentIndex().column())))

    def _enter(self, part: str, row: int, column: int) -> None:
        """Look at what a person went to: a token, a dimension, or the two factors of a product."""
        if part != "x":
            self.choose_dimension(column)
        if part in ("x", "result") and self._shown is not None and row != self._row:
            self.row_chosen.emit(row)
        self._point(part if part in ("x", "w") else "", row, column)

    def _point(self, part: str, row: int, column: int) -> None:
        """Outline the two factors of a product in their tables."""
        self._pair = {"x": column, "w": row}.get(part, -1)
        self._outline()

    def _outline(self) -> None:
        x, w, pair = self._grids["x"], self._grids["w"], self._pair
        if self._shown is None or not 0 <= pair < x.vectors.columnCount():
            x.point_at()
            w.point_at()
        else:
            x.point_at((self._row, pair))
            w.point_at((pair, self._dims[self._which]))

    def _follow(self, part: str, row: int, column: int) -> None:
        self._grids[part].focus_cell(row, column)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._reveal_row()


def _from_the_top(first: QWidget, *others: QWidget) -> QVBoxLayout:
    """Set widgets below each other; what room the first cannot use is below all of them."""
    column = QVBoxLayout()
    column.setSpacing(0)
    column.addWidget(first, 1)
    for widget in others:
        column.addWidget(widget)
    column.addStretch(0)
    return column
