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
from attnviz.gui.alignment_words import is_aligned, short_words
from attnviz.gui.fonts import number_font, small_font, text_font
from attnviz.gui.labels import Labels
from attnviz.gui.number_texts import own_digits, trimmed
from attnviz.gui.theme import Theme
from attnviz.gui.views.map_window import Window
from attnviz.gui.views.picture_frame import PictureFrame
from attnviz.gui.views.stage_picture import AllowedCells
from attnviz.gui.views.token_names import TokenNames


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
    frame
        Where the pictures lie in the matrix. In a long document that need not be what is in view: a picture
        of another part is shown at its own place until the right one comes.
    overview
        An answer of all of a long document at the same moment, shown behind where the pictures do not reach.
    allowed
        The cells that may be attended, of the pictures' shape. A picture's cell that stands for several may
        be where one of them may.
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
        Hidden cells with a weight above 0, bool of the pictures' shape; None where there are none.
    exposed
        What the painting under way covers, in px of the scene; None: everything. (Qt tells an item only the
        bounds of it, and four panels' changed rows have bounds as large as the board.)
    names
        The labels of the queries and those of the keys.
    """

    theme: Theme
    stages: Stages | None = None
    selection: Selection = field(default_factory=Selection)
    frame: PictureFrame = field(default_factory=lambda: PictureFrame((0, 1), (0, 1)))
    overview: Stages | None = None
    allowed: AllowedCells | None = None
    window: Window = field(default_factory=lambda: Window(0.0, 0.0, 1.0, 1.0))
    hover: tuple[int, int] | None = None
    mask_shows_m: bool = False
    weights_to_largest: bool = False
    scale: float = 1.0
    has_focus: bool = False
    leaks: NDArray[np.bool_] | None = None
    exposed: QRegion | None = None
    names: tuple[TokenNames, TokenNames] = field(default_factory=lambda: (TokenNames(()), TokenNames(())))
    fonts: BoardFonts = field(default_factory=BoardFonts)

    @property
    def n_query(self) -> int:
        """Rows of the matrix."""
        return self.stages.request.inputs.n_query if self.stages is not None else 1

    @property
    def n_key(self) -> int:
        """Columns of the matrix."""
        return self.stages.request.inputs.n_key if self.stages is not None else 1

    @property
    def is_long(self) -> bool:
        """Whether the document is long: pictures are of a part of it, and labels have numbers."""
        return self.stages is not None and self.stages.request.inputs.is_long

    def is_exposed(self, place: QRectF) -> bool:
        """Say whether the painting under way touches a place, in px of the scene."""
        return self.exposed is None or self.exposed.intersects(place.toAlignedRect())

    def take_names(self) -> None:
        """Make the tokens' labels anew."""
        if self.stages is None:
            return
        inputs = self.stages.request.inputs
        queries = TokenNames(inputs.tokens)
        self.names = queries, TokenNames(inputs.key_labels) if inputs.is_cross else queries


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
        if state.stages is not None and is_aligned(state.stages.request.inputs):
            remark = f"{remark} · {short_words()[state.stages.request.inputs.mask.alignment]}"
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


def pooling_note(stage: str, state: BoardState) -> str:
    """Give what a cell of a long document's picture stands for; nothing where it is one of the matrix."""
    if state.stages is None or not state.is_long or state.frame.is_exact:
        return ""
    if stage != "weights":
        words = QCoreApplication.translate("StageBoard", "furthest from 0 of {rows} × {columns} cells")
    elif state.stages.request.region.pooling == "mean":
        words = QCoreApplication.translate("StageBoard", "mean of {rows} × {columns} cells")
    else:
        words = QCoreApplication.translate("StageBoard", "largest of {rows} × {columns} cells")
    return words.format(rows=state.frame.bins[0], columns=state.frame.bins[1])


def coarse_words() -> str:
    """Give what is said of a picture whose rows were sampled."""
    return QCoreApplication.translate("StageBoard", "coarse")


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
