"""Japanese without a dictionary: the longest word of the lexicon, else what hangs together by its script.

One run of Japanese characters goes in, its pieces come out. Other scripts, spaces and punctuation never
get here.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from attnviz.text.scripts import japanese_scripts


def split_by_longest_match(run: str, words: Container[str], longest: int) -> list[str]:
    """Split one run of Japanese characters into pieces that together give the run.

    Parameters
    ----------
    run
        Kanji and kana only.
    words
        The words that are known.
    longest
        Length of the longest of them.

    Notes
    -----
    Of several known words that begin at one place the longest is taken, unless a shorter one and the word
    after it lead further: は + いつも leads further than はい. No word ends inside a stretch of katakana.

    A known word of one character is a weak sign: 人 is no word in 人間, nor と in ほとんど. In kanji, inside
    an unknown stretch of hiragana and at the start of a run it counts only where the run ends or the script
    changes after it, or a known word follows of which that is true or which is longer.
    """
    return list(_Run(run, words, longest).pieces())


class _Run:
    """One run and what is known about its characters."""

    def __init__(self, run: str, words: Container[str], longest: int) -> None:
        self._run = run
        self._words = words
        self._longest = longest
        self._scripts = japanese_scripts(run)
        self._best_ends: dict[int, int] = {}

    def pieces(self) -> list[str]:
        found, start = [], 0
        while start < len(self._run):
            end = self._known_end(start)
            weak = start == 0 or self._scripts[start] == "kanji"
            if end == start or (weak and not self._is_trusted(start, end)):
                end = self._unknown_end(start)
            found.append(self._run[start:end])
            start = end
        return found

    def _known_end(self, start: int) -> int:
        """Where the best known word at ``start`` ends; ``start`` itself where none begins."""
        if start not in self._best_ends:
            self._best_ends[start] = max(self._known_ends(start), key=self._reach, default=start)
        return self._best_ends[start]

    def _known_ends(self, start: int) -> Iterator[int]:
        """Where known words at ``start`` end, the longest first."""
        for end in range(min(start + self._longest, len(self._run)), start, -1):
            if self._run[start:end] in self._words and not self._cuts_katakana(end):
                yield end

    def _reach(self, end: int) -> int:
        """How far one more known word leads from ``end``."""
        return next(self._known_ends(end), end)

    def _cuts_katakana(self, end: int) -> bool:
        return end < len(self._run) and self._scripts[end - 1] == self._scripts[end] == "katakana"

    def _is_trusted(self, start: int, end: int) -> bool:
        following = self._known_end(end)
        return self._stands_out(start, end) or (following > end and self._stands_out(end, following))

    def _stands_out(self, start: int, end: int) -> bool:
        is_long = end - start > 1
        return is_long or end == len(self._run) or self._scripts[start] != self._scripts[end]

    def _unknown_end(self, start: int) -> int:
        """Where an unknown word ends: its script, then for kanji the hiragana of its ending."""
        script = self._scripts[start]
        for at in range(start + 1, len(self._run)):
            if self._scripts[at] != script:
                if (script, self._scripts[at]) != ("kanji", "hiragana"):
                    return at
                script = "hiragana"
            if script != "katakana":
                known = self._known_end(at)
                if known > at and self._is_trusted(at, known):
                    return at
        return len(self._run)
