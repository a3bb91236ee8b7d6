"""Splitting: a text of any language to its tokens, offline.

White space separates tokens and is dropped; every other character is in exactly one token, in order. Grapheme
clusters (emoji families, flags, combining marks) are never cut. Words of other scripts end at white space and
punctuation; Japanese is split by SudachiPy where the extra ``[ja]`` is installed, else by the lexicon.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import regex

from attnviz.core.errors import InputError
from attnviz.core.inputs import MAX_TOKENS
from attnviz.text.lexicon import load_lexicon
from attnviz.text.longest_match import split_by_longest_match
from attnviz.text.scripts import CLUSTER, JAPANESE_CLASS, SPACE_CLASS, WORD_CLASS, mended
from attnviz.text.sudachi import load_sudachi, place_to_cut

MAX_CHARACTERS = 1 << 24
"""Longest text that is split; one with MAX_TOKENS tokens has some 2 to 7 million."""
LONGEST_WORD = 1000
"""Characters after which a word is cut: what is longer is no word, but data without a space."""
_LONGEST_RUN = 2000
"""Characters of Japanese that are split at once; of a sentence as people write it there are fewer."""
_LONGEST_SPACE = 4096
_TELLING = 0.02
"""Seconds between two words of how far the splitting is."""

_PART_OF_WORD = rf"(?:(?!{JAPANESE_CLASS})(?={WORD_CLASS})\X){{1,{LONGEST_WORD}}}"
_PIECE = regex.compile(
    rf"(?P<space>{SPACE_CLASS}{{1,{_LONGEST_SPACE}}})"
    rf"|(?P<japanese>(?:(?={JAPANESE_CLASS})\X){{1,{_LONGEST_RUN}}})"
    rf"|(?P<word>{_PART_OF_WORD}(?:(?:['’\-‐]|(?<=\p{{N}})[.,](?=\p{{N}})){_PART_OF_WORD}){{0,20}})"
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


def split_watched(text: str, tell: Callable[[float], object] = lambda fraction: None) -> tuple[str, ...]:
    """Give the tokens that ``split`` gives of a text that may be a book, and say meanwhile how far it is.

    Parameters
    ----------
    tell
        Called some fifty times a second with the part of the text that is done, from 0 to 1. Whatever it
        raises ends the splitting.

    Raises
    ------
    InputError
        When there is no token, or more than 1,048,576, or more than 16,777,216 characters.
    """
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            "The text has {got} characters; at most {wanted} are possible. Shorten it, or divide it into "
            "several texts.",
            got=f"{len(text):,}",
            wanted=f"{MAX_CHARACTERS:,}",
        )
    tokens: list[str] = []
    seen: dict[str, str] = {}  # of a book few tokens differ: each text is held once
    told = time.monotonic()
    for place, found in _pieces(text, _japanese_splitter()):
        tokens += [seen.setdefault(token, token) for token in found]
        if len(tokens) > MAX_TOKENS:
            raise InputError(
                "The text has more than {wanted} tokens: so many end at character {place} of {got}. Shorten "
                "it, or divide it into several texts.",
                wanted=f"{MAX_TOKENS:,}",
                place=f"{place:,}",
                got=f"{len(text):,}",
            )
        now = time.monotonic()
        if now - told > _TELLING:
            told = now
            tell(place / len(text))
    if not tokens:
        raise InputError("The sentence is empty; write at least one word.")
    return tuple(tokens)


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
    """Give how many characters are done and the tokens found in the last few of them, again and again.

    No step takes long: a run of Japanese without an end, as a hostile file may hold it, is cut where a
    particle or the script ends, so that the words around the cut stay what they are.
    """
    start = 0
    while start < len(text):
        for piece in _PIECE.finditer(text, start):
            start = piece.end()
            if piece.lastgroup == "japanese":
                run = piece[0]
                if len(run) >= _LONGEST_RUN and start < len(text):
                    run = run[: place_to_cut(run, len(run))]
                    start = piece.start() + len(run)
                yield start, mended(split_japanese(run))
                if start < piece.end():
                    break
            elif piece.lastgroup == "space":
                if piece.end() - piece.start() == _LONGEST_SPACE:
                    yield start, []
            else:
                yield start, [piece[0]]
