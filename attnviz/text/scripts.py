"""What kind of writing a character is: Japanese, of a word, or neither.

Nothing here knows a word or a rule of any language beyond its script.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate

import regex

SPACE_CLASS = r"[\s\u200b\ufeff]"
"""White space of Unicode and its two characters named zero-width space; a split drops it."""

JAPANESE_CLASS = r"[\p{Han}\p{Hiragana}\p{Katakana}ー゛゜〆ｰﾞﾟ]"
"""Kanji, both kana in either width, and the marks that only ever stand among them."""

WORD_CLASS = r"[\p{L}\p{N}_]"
"""Letters and digits of every script, Japanese ones too."""

CLUSTER = r"(?:\p{RI}{2}[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]*|\X)"
"""One grapheme cluster. Flags come first by themselves: \\X looks back over all flags before, every time."""

_KINDS = (
    ("japanese", regex.compile(JAPANESE_CLASS)),
    ("word", regex.compile(WORD_CLASS)),
    ("space", regex.compile(SPACE_CLASS)),
)
_JAPANESE_SCRIPTS = (
    ("mark", regex.compile(r"[ー゛゜ｰﾞﾟ\p{M}]")),
    ("kanji", regex.compile(r"[\p{Han}〆]")),
    ("hiragana", regex.compile(r"\p{Hiragana}")),
)
_CLUSTER = regex.compile(CLUSTER)


@lru_cache(maxsize=4096)
def kind_of(character: str) -> str:
    """Give ``japanese``, ``word``, ``space`` or ``other`` (punctuation, emoji, controls, lone surrogates)."""
    return next((kind for kind, pattern in _KINDS if pattern.match(character)), "other")


def japanese_scripts(run: str) -> list[str]:
    """Give for each character ``kanji``, ``hiragana`` or ``katakana``; ー goes with the one before."""
    scripts: list[str] = []
    for character in run:
        script = _japanese_script(character)
        scripts.append((scripts[-1] if scripts else "katakana") if script == "mark" else script)
    return scripts


def clusters(text: str) -> list[str]:
    """Give the grapheme clusters of ``text``: what a person sees as one character; nothing is lost."""
    found: list[str] = _CLUSTER.findall(text)
    return found


def mended(pieces: list[str]) -> list[str]:
    """Give ``pieces`` of one text with those joined between which a grapheme cluster was cut."""
    ends = set(accumulate(map(len, clusters("".join(pieces)))))
    whole = [""]
    for piece, end in zip(pieces, accumulate(map(len, pieces)), strict=True):
        whole[-1] += piece
        if end in ends:
            whole.append("")
    return [piece for piece in whole if piece]


@lru_cache(maxsize=4096)
def _japanese_script(character: str) -> str:
    return next((script for script, pattern in _JAPANESE_SCRIPTS if pattern.match(character)), "katakana")
