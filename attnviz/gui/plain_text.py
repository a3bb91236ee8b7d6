"""Any text as plain text: blanks and control characters made visible, tooltips never taken for markup.

Editors and views show a token with the same signs, and make room for the widest. Nothing here knows a widget.
"""

from __future__ import annotations

import functools
import unicodedata
from collections import deque
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics

_LONGEST = 400
"""Characters looked at; nothing on screen is wider."""

_MEASURED = 4096
"""Different texts that are measured for the widest; of more, the longest."""

_JOINERS = "\u200c\u200d\ufe0e\ufe0f"
_TAGS = range(0xE0020, 0xE0080)  # flags of regions are written with them


def visible(text: str) -> str:
    """Give ``text`` in one line with blanks at its edges, line ends and control characters visible.

    ``␣`` stands for a blank, ``↵`` for a line end, ``∅`` for no character at all; a very long text is cut.
    """
    text = text[:_LONGEST]
    return text if text.isalnum() else _visible(text)  # letters and figures alone, as most tokens are


@functools.lru_cache(maxsize=8192)  # the same tokens come again with every frame
def _visible(text: str) -> str:
    if not text:
        return "∅"
    core = text.strip(" \u3000\u00a0")
    lead = len(text) - len(text.lstrip(" \u3000\u00a0")) if core else len(text)
    tail = len(text) - lead - len(core)
    return "␣" * lead + "".join(map(_visible_character, core)) + "␣" * tail


def _visible_character(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return {"\t": "⇥", "\n": "↵", "\r": "↵"}.get(character, chr(0x2400 + code))
    if code == 0x7F:
        return "␡"
    category = unicodedata.category(character)
    if category == "Zs" or character == " ":
        return character if character in " \u3000" else "␣"
    if category in ("Cc", "Cs", "Zl", "Zp") or (
        category == "Cf" and character not in _JOINERS and code not in _TAGS
    ):
        return f"\\u{code:04x}"
    return character


_widest: deque[tuple[tuple[str, ...], tuple[str, ...]]] = deque(maxlen=2)
"""Texts that were asked for last, and what was found: every table of a document asks for its tokens."""


def candidates_for_widest(texts: Sequence[str]) -> tuple[str, ...]:
    """Give the labels that may be the widest: all different ones, or of very many the longest."""
    for known, found in _widest:
        if known is texts:
            return found
    several = set(texts)
    if len(several) > _MEASURED:
        several = set(sorted(several, key=len)[-(_MEASURED // 16) :])
    found = tuple(visible(text) for text in several)
    if isinstance(texts, tuple):  # which stays as it is
        _widest.append((texts, found))
    return found


def elided(text: str, metrics: QFontMetrics, width: int) -> str:
    """Give ``text``, made visible, cut to ``width`` pixels with an ellipsis."""
    return metrics.elidedText(visible(text), Qt.TextElideMode.ElideRight, width)


def tooltip(text: str) -> str:
    """Give the markup that shows ``text`` as it is, at most a few thousand characters of it."""
    shown = text if len(text) <= 2000 else text[:2000] + "…"
    # Not html.escape, whose table of names takes longer to load than a window has for all its text.
    for sign, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        shown = shown.replace(sign, name)
    return f'<p style="white-space: pre-wrap">{shown}</p>'
