"""The program's own fonts: loaded once from resources/fonts, in two sizes, with figures of equal width.

They travel with the program, so that Japanese and signs such as ᵀ and √ look the same on a machine without
any font.
"""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontDatabase

from attnviz.assets import resource_path
from attnviz.gui.theme import CODE_PX, SMALL_PX, TEXT_PX

FAMILIES = ["M PLUS 1p", "attnviz symbols", "Noto Emoji"]
"""First for all text, then for the signs the first lacks, then for emoji, which tokens may hold."""
CODE_FAMILIES = ["JetBrains Mono", *FAMILIES]
"""For lines of a program, every sign of which has one width."""

_loaded: list[int] = []


def load_fonts() -> None:
    """Make the bundled fonts known to Qt; needs a QGuiApplication, and does nothing the second time."""
    known = set(QFontDatabase.families()) if _loaded else set()
    if _loaded and known.issuperset(CODE_FAMILIES):
        return
    _loaded.clear()
    for path in sorted(resource_path("fonts").rglob("*.ttf")):
        number = QFontDatabase.addApplicationFont(str(path))
        if number < 0:
            raise OSError(f"The font {path} cannot be read; the installation is damaged.")
        _loaded.append(number)


def text_font(*, bold: bool = False) -> QFont:
    """Give the font of running text, TEXT_PX high."""
    return _font(TEXT_PX, bold)


def small_font(*, bold: bool = False) -> QFont:
    """Give the font of labels, SMALL_PX high."""
    return _font(SMALL_PX, bold)


def number_font(*, small: bool = False, bold: bool = False) -> QFont:
    """Give a font whose figures all have one width, so that numbers do not jitter."""
    font = _font(SMALL_PX if small else TEXT_PX, bold)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def code_font() -> QFont:
    """Give the font of a program's lines, CODE_PX high; ``->`` and ``!=`` stay the two signs they are."""
    font = _font(CODE_PX, False, CODE_FAMILIES)
    for joined in ("calt", "liga"):
        font.setFeature(QFont.Tag(joined), 0)
    return font


def _font(pixels: int, bold: bool, families: list[str] = FAMILIES) -> QFont:
    font = QFont(families)
    font.setPixelSize(pixels)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    if bold:
        font.setWeight(QFont.Weight.Bold)
    return font
