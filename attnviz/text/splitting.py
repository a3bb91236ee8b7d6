"""Splitting: a text of any language to its tokens, offline.

White space separates tokens and is dropped; every other character is in exactly one token, in order. Grapheme
clusters (emoji families, flags, combining marks) are never cut. Words of other scripts end at white space and
punctuation; Japanese is split by SudachiPy where the extra ``[ja]`` is installed, else by the lexicon.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

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


def split_bit_by_bit(text: str) -> Iterator[tuple[int, list[str]]]:
    """Give the tokens that ``split`` gives, a few at a time, for a text so long that this takes a while.

    Yields
    ------
    position, tokens
        How many characters are done, and the tokens that were found in the last few of them.
    """
    return _pieces(text, _japanese_splitter())


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
    return _split(text, _by_lexicon())


def _japanese_splitter() -> Callable[[str], list[str]]:
    sudachi = load_sudachi()
    if sudachi is None:
        return _by_lexicon()
    lexicon = load_lexicon()
    return lambda run: sudachi.split(run, lexicon)


def _by_lexicon() -> Callable[[str], list[str]]:
    lexicon = load_lexicon()
    return lambda run: split_by_longest_match(run, lexicon, lexicon.longest)


def _split(text: str, split_japanese: Callable[[str], list[str]]) -> tuple[str, ...]:
    return tuple(token for _, tokens in _pieces(text, split_japanese) for token in tokens)


def _pieces(text: str, split_japanese: Callable[[str], list[str]]) -> Iterator[tuple[int, list[str]]]:
    for piece in _PIECE.finditer(text):
        if piece.lastgroup == "japanese":
            yield piece.end(), mended(split_japanese(piece[0]))
        elif piece.lastgroup is not None:
            yield piece.end(), [piece[0]]
