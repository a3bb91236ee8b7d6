"""Japanese with SudachiPy, where the extra ``[ja]`` is installed.

One run of Japanese characters goes in, its pieces come out. Nothing else in the program imports sudachipy.
"""

from __future__ import annotations

import threading
from collections.abc import Container, Iterator
from functools import lru_cache

import regex

Morpheme = tuple[str, str]
"""What is written, and its part of speech."""

MAX_BYTES = 12_000
"""Bytes of UTF-8 given to SudachiPy at once; it refuses more than 49,149."""

_LOADING = threading.Lock()
_INFLECTED = ("動詞", "形容詞", "助動詞")
_AUXILIARY = "助動詞"
_NOMINAL = ("名詞", "代名詞", "接頭辞", "接尾辞", "形状詞")
_MAX_PARTS = 4
_NEW_WORD = r"(?=[\p{Han}\p{Katakana}])"
_SENTENCE_PART = regex.compile(rf".*[をはがに]{_NEW_WORD}|.*\p{{Hiragana}}{_NEW_WORD}", regex.DOTALL)


class SudachiSplitter:
    """SudachiPy with its small dictionary, made once; may be called from any thread.

    Raises
    ------
    ImportError
        When SudachiPy or its small dictionary is not installed.
    """

    def __init__(self) -> None:
        from sudachipy import Dictionary, SplitMode

        try:
            dictionary = Dictionary(dict="small")
            make = getattr(dictionary, "tokenizer", None) or dictionary.create  # create: SudachiPy before 0.7
            self._tokenizer = make(mode=SplitMode.C)
        except Exception as fault:  # it raises kinds of its own, which differ from version to version
            raise ImportError(f"SudachiPy's small dictionary cannot be used: {fault}") from fault
        self._lock = threading.Lock()

    def split(self, run: str, words: Container[str]) -> list[str]:
        """Split one run of Japanese characters into pieces that together give the run.

        Parameters
        ----------
        run
            Kanji and kana only.
        words
            Words that are known to be one where they are made of nouns, prefixes and suffixes.

        Notes
        -----
        Mode C, with each 助動詞 joined to a 動詞, 形容詞 or 助動詞 right before it: 食べ + た is 食べた, and
        新鮮 + だっ + た is 新鮮 and だった. The small dictionary lacks everyday compounds, so the words known
        elsewhere mend them: 図書 + 館, お + 茶.
        """
        pieces: list[str] = []
        for chunk in _chunks(run):
            pieces += _joined(self._morphemes(chunk), words)
        return pieces

    def _morphemes(self, chunk: str) -> list[Morpheme]:
        with self._lock:  # the tokenizer refuses to be entered twice
            return [(each.surface(), each.part_of_speech()[0]) for each in self._tokenizer.tokenize(chunk)]


def load_sudachi() -> SudachiSplitter | None:
    """Give the one splitter, or None without the extra ``[ja]``; may be called from any thread."""
    with _LOADING:
        return _loaded()


@lru_cache(maxsize=1)
def _loaded() -> SudachiSplitter | None:
    try:
        return SudachiSplitter()
    except ImportError:
        return None


def _joined(morphemes: list[Morpheme], words: Container[str]) -> list[str]:
    pieces: list[str] = []
    start = 0
    while start < len(morphemes):
        end = _compound_end(morphemes, start, words)
        while end < len(morphemes) and _leans_on(morphemes[end], morphemes[end - 1]):
            end += 1
        pieces.append("".join(surface for surface, _ in morphemes[start:end]))
        start = end
    return pieces


def _leans_on(morpheme: Morpheme, before: Morpheme) -> bool:
    return morpheme[1] == _AUXILIARY and before[1] in _INFLECTED


def _compound_end(morphemes: list[Morpheme], start: int, words: Container[str]) -> int:
    """Where the longest known word made of nouns, prefixes and suffixes ends, else the first morpheme."""
    end = start
    while end < min(len(morphemes), start + _MAX_PARTS) and morphemes[end][1] in _NOMINAL:
        end += 1
    for stop in range(end, start + 1, -1):
        if "".join(surface for surface, _ in morphemes[start:stop]) in words:
            return stop
    return start + 1


def place_to_cut(run: str, most: int, start: int = 0) -> int:
    """Give where a run of Japanese may be cut that is too long: after a particle or a change of script.

    Parameters
    ----------
    run
        Kanji and kana only.
    most
        Characters from ``start`` that the part may have; it has as many where there is no such place.
    """
    part = _SENTENCE_PART.match(run, start, start + most)
    return part.end() if part else start + most


def _chunks(run: str) -> Iterator[str]:
    """Cut a run into parts SudachiPy can take."""
    size, start = MAX_BYTES // 4, 0  # no character takes more than four bytes
    while len(run) - start > size:
        end = place_to_cut(run, size, start)
        yield run[start:end]
        start = end
    yield run[start:]
