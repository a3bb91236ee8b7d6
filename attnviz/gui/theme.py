"""The colours and measures of the window, light and dark. Maps of numbers to colours are in colormaps.py.

Every colour on the screen that is not a map's comes from here. Nothing here draws.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QColor, QPalette

SPACE = 4
"""The step of all spacing, in px."""
TEXT_PX = 13
"""Height of text in px."""
SMALL_PX = 11
"""Height of labels and of numbers in cells, in px."""
CODE_PX = 12
"""Height of a program's lines, whose letters are larger than those of text of the same height, in px."""


@dataclass(frozen=True, eq=False)
class Theme:
    """One look.

    Attributes
    ----------
    name
        ``light`` or ``dark``.
    ground
        The window itself; weight 0 has this colour.
    surface
        Fields and tables.
    raised
        Buttons, headers, what lies above the ground.
    border, grid
        Outlines of controls; the fainter lines within tables.
    text, muted
        What is read first, and what steps back.
    accent, accent_soft, on_accent
        What is selected: lines and text, backgrounds, and text upon ``accent``. Used for nothing else.
    bar
        Bars of weights and outputs; the deep end of the map of weights, made calm.
    hatch
        The strokes over hidden cells.
    danger
        Text that says why something was refused.
    keyword, literal
        Words of a programming language, and numbers and texts in it; comments are ``muted``.
    """

    name: str
    ground: QColor
    surface: QColor
    raised: QColor
    border: QColor
    grid: QColor
    text: QColor
    muted: QColor
    accent: QColor
    accent_soft: QColor
    on_accent: QColor
    bar: QColor
    hatch: QColor
    danger: QColor
    keyword: QColor
    literal: QColor

    @property
    def is_dark(self) -> bool:
        """Say whether this is the dark look."""
        return self.name == "dark"

    def palette(self) -> QPalette:
        """Give the palette that makes Qt's own widgets follow this look."""
        role = QPalette.ColorRole
        palette = QPalette()
        for which, colour in (
            (role.Window, self.ground),
            (role.WindowText, self.text),
            (role.Base, self.surface),
            (role.AlternateBase, self.raised),
            (role.Text, self.text),
            (role.PlaceholderText, self.muted),
            (role.Button, self.raised),
            (role.ButtonText, self.text),
            (role.BrightText, self.danger),
            (role.Light, self.surface),
            (role.Midlight, self.grid),
            (role.Mid, self.border),
            (role.Dark, self.muted),
            (role.Shadow, self.border),
            (role.Highlight, self.accent),
            (role.HighlightedText, self.on_accent),
            (role.Accent, self.accent),
            (role.Link, self.accent),
            (role.LinkVisited, self.accent),
            (role.ToolTipBase, self.raised),
            (role.ToolTipText, self.text),
        ):
            palette.setColor(which, colour)
        for which in (role.WindowText, role.Text, role.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, which, self.muted)
        palette.setColor(QPalette.ColorGroup.Disabled, role.Highlight, self.border)
        return palette


LIGHT = Theme(
    name="light",
    ground=QColor("#fbfbfa"),
    surface=QColor("#ffffff"),
    raised=QColor("#f1f1ef"),
    border=QColor("#cfd0cd"),
    grid=QColor("#e6e6e3"),
    text=QColor("#1d1f22"),
    muted=QColor("#5f646b"),
    accent=QColor("#c2185b"),
    accent_soft=QColor("#fbe4ed"),
    on_accent=QColor("#ffffff"),
    bar=QColor("#3f7fd0"),
    hatch=QColor("#c3c6ca"),
    danger=QColor("#a8330a"),
    keyword=QColor("#2a5c9e"),
    literal=QColor("#7b5312"),
)
DARK = Theme(
    name="dark",
    ground=QColor("#1b1c1f"),
    surface=QColor("#232529"),
    raised=QColor("#2c2f34"),
    border=QColor("#464a51"),
    grid=QColor("#33363b"),
    text=QColor("#e7e8ea"),
    muted=QColor("#a1a6ae"),
    accent=QColor("#ff7aa8"),
    accent_soft=QColor("#4a2535"),
    on_accent=QColor("#2a0a17"),
    bar=QColor("#3b86e0"),
    hatch=QColor("#4d5158"),
    danger=QColor("#ff9a76"),
    keyword=QColor("#86b3ea"),
    literal=QColor("#d8b57c"),
)


def theme_named(name: str) -> Theme:
    """Give the look called ``light`` or ``dark``.

    Raises
    ------
    KeyError
        For any other name.
    """
    return {"light": LIGHT, "dark": DARK}[name]
