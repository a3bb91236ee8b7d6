"""Splitting: a text of any language to its tokens, offline.

White space separates tokens and is dropped; every other character is in exactly one token, in order. Grapheme
clusters (emoji families, flags, combining marks) are never cut. Words of other scripts end at white space and
punctuation; Japanese is split by SudachiPy where the extra ``[ja]`` is installed, else by the lexicon.
"""

from __future__ import annotations

from collections.abc import Callable

import regex

from attnviz.text.lexicon import load_lexicon
from attnviz.text.longest_match import split_by_longest_match
from attnviz.text.scripts import CLUSTER, JAPANESE_CLASS, SPACE_CLASS, WORD_CLASS, mended
from attnviz.text.sudachi import load_sudachi

_PART_OF_WORD = rf"(?:(?!{JAPANESE_CLASS})(?={WORD_CLASS})\X)"
_PIECE = regex.compile(
    rf"{SPACE_CLASS}+"
    rf"|(?P<japanese>(?:(?={JAPANESE_CLASS})\X)+)"
    rf"|(?P<word>{_PART_OF_WORD}+(?:(?:['’\-‐]|(?<=\p{{N}})[.,](?=\p{{N}})){_PART_OF_WORD}+)*)"
    rf"|(?P<other>{CLUSTER})"
)


def split(text: str) -> tuple[str, ...]:
    """Give the tokens of ``text`` with the best splitter there is; none for an empty or blank text.

    Examples
    --------
    >>> split("猫が魚を食べた。それは新鮮だった")
    ('猫', 'が', '魚', 'を', '食べた', '。', 'それ', 'は', '新鮮', 'だった')
    >>> split("Don't eat 3.5 kg.")
    ("Don't", 'eat', '3.5', 'kg', '.')

    Notes
    -----
    May be called from any thread. Control characters, NUL and lone surrogates are tokens of their own.
    """
    return split_with_sudachi(text) if load_sudachi() else split_with_lexicon(text)


def split_with_sudachi(text: str) -> tuple[str, ...]:
    """Split as ``split`` does with the extra ``[ja]``.

    Raises
    ------
    ImportError
        When SudachiPy or its small dictionary is not installed.
    """
    sudachi = load_sudachi()
    if sudachi is None:
        raise ImportError("SudachiPy with its small dictionary is not installed; attnviz[ja] brings it")
    lexicon = load_lexicon()
    return _split(text, lambda run: sudachi.split(run, lexicon))


def split_with_lexicon(text: str) -> tuple[str, ...]:
    """Split as ``split`` does without the extra ``[ja]``."""
    lexicon = load_lexicon()
    return _split(text, lambda run: split_by_longest_match(run, lexicon, lexicon.longest))


def _split(text: str, split_japanese: Callable[[str], list[str]]) -> tuple[str, ...]:
    tokens: list[str] = []
    for piece in _PIECE.finditer(text):
        if piece.lastgroup == "japanese":
            tokens += mended(split_japanese(piece[0]))
        elif piece.lastgroup is not None:
            tokens.append(piece[0])
    return tuple(tokens)
