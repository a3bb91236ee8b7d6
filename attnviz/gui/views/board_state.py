"""What the board of stages shows at one moment, shared by its panels: stages, selection, look and words.

Nothing here draws, and nothing here is decided by a panel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QRectF
from PySide6.QtGui import QRegion

from attnviz.core.selection import Selection
from attnviz.core.stages import Stages
from attnviz.gui.fonts import number_font, small_font, text_font
from attnviz.gui.labels import Labels
from attnviz.gui.number_texts import own_digits, trimmed
from attnviz.gui.plain_text import visible
from attnviz.gui.theme import Theme
from attnviz.gui.views.stage_picture import AllowedCells

MIN_VISIBLE = 3.0  # cells left when zoomed in as far as it goes


@dataclass(frozen=True)
class Window:
    """The part of the matrix in view, in cells: its left top corner, and how many columns and rows."""

    x: float
    y: float
    columns: float
    rows: float

    @classmethod
    def whole(cls, n_query: int, n_key: int) -> Window:
        """Show every cell."""
        return cls(0.0, 0.0, float(n_key), float(n_query))

    def zoomed(self, factor: float, at: tuple[float, float], n_query: int, n_key: int) -> Window:
        """Give the window ``factor`` times as near, the place ``at`` (key, query) staying where it is."""
        most = max(n_query, n_key) / min(MIN_VISIBLE, n_query, n_key)
        now = n_key / self.columns
        factor = min(max(now * factor, 1.0), max(most, 1.0)) / now
        x = at[0] - (at[0] - self.x) / factor
        y = at[1] - (at[1] - self.y) / factor
        return Window(x, y, self.columns / factor, self.rows / factor).limited(n_query, n_key)

    def moved(self, columns: float, rows: float, n_query: int, n_key: int) -> Window:
        """Give the window moved by so many cells, within the matrix."""
        return Window(self.x + columns, self.y + rows, self.columns, self.rows).limited(n_query, n_key)

    def showing(self, query: int, key: int, n_query: int, n_key: int) -> Window:
        """Give the window moved as little as needed for a cell to be in it."""
        x = min(max(self.x, key + 1 - self.columns), key)
        y = min(max(self.y, query + 1 - self.rows), query)
        return Window(x, y, self.columns, self.rows).limited(n_query, n_key)

    def limited(self, n_query: int, n_key: int) -> Window:
        """Give the window within the matrix."""
        columns, rows = min(self.columns, float(n_key)), min(self.rows, float(n_query))
        x = min(max(self.x, 0.0), n_key - columns)
        y = min(max(self.y, 0.0), n_query - rows)
        return Window(x, y, columns, rows)

    def is_whole(self, n_query: int, n_key: int) -> bool:
        """Say whether every cell is in it."""
        return self.columns >= n_key and self.rows >= n_query


class BoardFonts:
    """The labels of the board, one per font."""

    def __init__(self) -> None:
        self.token, self.token_bold = Labels(small_font()), Labels(small_font(bold=True))
        self.title, self.note = Labels(text_font(bold=True)), Labels(small_font())
        number = number_font(small=True)
        number.setLetterSpacing(number.SpacingType.PercentageSpacing, 95)  # five figures fit a cell of 32 px
        self.number, self.large_number = Labels(number), Labels(number_font())


@dataclass
class BoardState:
    """One moment of the board.

    Attributes
    ----------
    theme
        The look.
    stages, selection
        What is shown; None before the first draw.
    allowed
        The cells that may be attended.
    window
        What part of the matrix is in view.
    hover
        (query, key) under the pointer.
    mask_shows_m, weights_to_largest
        The mask panel shows M itself; the map of weights ends at the largest one rather than at 1.
    scale
        Device px per px.
    has_focus
        The board has the keyboard.
    leaks
        Hidden cells with a weight above 0, bool (n_query, n_key); None where there are none.
    exposed
        What the painting under way covers, in px of the scene; None: everything. (Qt tells an item only the
        bounds of it, and four panels' changed rows have bounds as large as the board.)
    names
        The labels of the queries and those of the keys.
    """

    theme: Theme
    stages: Stages | None = None
    selection: Selection = field(default_factory=Selection)
    allowed: AllowedCells | None = None
    window: Window = Window(0.0, 0.0, 1.0, 1.0)
    hover: tuple[int, int] | None = None
    mask_shows_m: bool = False
    weights_to_largest: bool = False
    scale: float = 1.0
    has_focus: bool = False
    leaks: NDArray[np.bool_] | None = None
    exposed: QRegion | None = None
    names: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    fonts: BoardFonts = field(default_factory=BoardFonts)

    @property
    def n_query(self) -> int:
        """Rows of every picture."""
        return self.stages.scores.shape[0] if self.stages is not None else 1

    @property
    def n_key(self) -> int:
        """Columns of every picture."""
        return self.stages.scores.shape[1] if self.stages is not None else 1

    def is_exposed(self, place: QRectF) -> bool:
        """Say whether the painting under way touches a place, in px of the scene."""
        return self.exposed is None or self.exposed.intersects(place.toAlignedRect())

    def take_names(self) -> None:
        """Make the tokens' labels anew."""
        if self.stages is None:
            return
        inputs = self.stages.request.inputs
        queries = tuple(visible(token) for token in inputs.tokens)
        keys = tuple(visible(token) for token in inputs.key_labels) if inputs.is_cross else queries
        self.names = queries, keys


def title_of(stage: str, state: BoardState) -> tuple[str, str]:
    """Give a panel's title, and a quiet remark beside it, with the document's own numbers."""
    if stage == "scores":
        return "QKᵀ", ""
    if stage == "scaled":
        return scale_title(state.stages), scale_remark(state.stages)
    if stage == "masked":
        fill = fill_text(state.stages.request.inputs.mask_fill) if state.stages is not None else "−∞"
        remark = QCoreApplication.translate("StageBoard", "hidden: {fill}").format(fill=fill)
        hides = state.allowed is not None and not state.allowed.all
        title = "M" if state.mask_shows_m else QCoreApplication.translate("StageBoard", "mask")
        return title, remark if hides else ""
    return "softmax", QCoreApplication.translate("StageBoard", "% of each row")


def scale_title(stages: Stages | None) -> str:
    """Give what scores are divided by, in symbols."""
    strength = stages.request.inputs.scale_strength if stages is not None else 1.0
    return "÷√dₖ" if strength == 1.0 else QCoreApplication.translate("StageBoard", "÷(√dₖ × strength)")


def scale_remark(stages: Stages | None) -> str:
    """Give what scores are divided by, in numbers, such as ``√4 = 2``."""
    if stages is None:
        return ""
    d_k, strength = (
        stages.request.inputs.heads[stages.request.region.head].d_k,
        stages.request.inputs.scale_strength,
    )
    root, total = math.sqrt(d_k), math.sqrt(d_k) * strength
    if strength == 1.0:
        return f"√{d_k} = {trimmed(root)}"
    return f"√{d_k} × {own_digits(strength)} = {trimmed(total, 2 if total >= 1 else 4)}"


def fill_text(fill: float) -> str:
    """Give the mask value as a person writes it: ``−∞``, ``−1e9``, ``−5``, ``−0.001``."""
    if abs(fill) < 1e5 or math.isinf(fill):
        return own_digits(fill)
    short = np.format_float_scientific(np.float32(fill), trim="-", exp_digits=1)
    return short.replace("e+", "e").replace("-", "−")


def axis_names() -> tuple[str, str]:
    """Give what the rows and the columns are."""
    return QCoreApplication.translate("StageBoard", "query ↓"), QCoreApplication.translate(
        "StageBoard", "key →"
    )
