"""The lexicon: q, k and v of a few hundred everyday words in the four concept dimensions.

All words and numbers are data in resources/lexicon; its README says how they are written down. This module
only reads them. It must not hold a word itself.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.assets import resource_path

LANGUAGES = ("ja", "en")
N_CONCEPTS = 4


@dataclass(frozen=True, eq=False)
class Entry:
    """The vectors of one word.

    Attributes
    ----------
    q, k, v
        float32 (4,), read-only, one number per concept dimension; words of one class share their arrays.
    """

    q: NDArray[np.float32]
    k: NDArray[np.float32]
    v: NDArray[np.float32]


class Lexicon:
    """Words and their vectors.

    Parameters
    ----------
    entries
        Vectors by word, the word as ``normalized`` gives it.
    dimensions
        The names of the four concept dimensions, by language.
    """

    def __init__(self, entries: Mapping[str, Entry], dimensions: Mapping[str, tuple[str, ...]]) -> None:
        self._entries = dict(entries)
        self.dimensions = dict(dimensions)
        self.longest = max(map(len, self._entries))

    def find(self, token: str) -> Entry | None:
        """Give the vectors of a token, or None if it is not known; case and blanks around do not matter."""
        return self._entries.get(normalized(token))

    def __contains__(self, word: object) -> bool:
        return word in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)


def normalized(token: str) -> str:
    """Give a token as the lexicon writes it: lower case, straight apostrophe, no blanks around."""
    folded = token.strip().casefold()
    return folded.replace("’", "'") if len(folded) > 1 else folded


@lru_cache(maxsize=1)
def load_lexicon() -> Lexicon:
    """Give the lexicon of all languages, read once.

    Raises
    ------
    FileNotFoundError
        If the installation is incomplete.
    """
    entries: dict[str, Entry] = {}
    dimensions = {}
    for language in LANGUAGES:
        data = json.loads(resource_path("lexicon", f"{language}.json").read_text(encoding="utf-8"))
        dimensions[language] = tuple(data["dimensions"])
        entries |= _entries(data)
    return Lexicon(entries, dimensions)


def _entries(data: Mapping[str, Any]) -> dict[str, Entry]:
    classes = [_entry(each) for each in data["classes"]]
    members: defaultdict[str, list[int]] = defaultdict(list)
    for index, each in enumerate(data["classes"]):
        for word in dict.fromkeys(_words(each, data["endings"])):
            members[normalized(word)].append(index)
    mixed = {of: _mean([classes[index] for index in of]) for of in set(map(tuple, members.values()))}
    own = {normalized(word): _entry(vectors) for word, vectors in data["words"].items()}
    return {word: mixed[tuple(of)] for word, of in members.items()} | own


def _words(word_class: Mapping[str, Any], endings: Mapping[str, str]) -> Iterator[str]:
    yield from _split(word_class.get("words", ()))
    for pattern, stems in word_class.get("stems", {}).items():
        for stem in _split(stems):
            yield from (form.replace("~", stem) for form in endings[pattern].split())


def _split(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield from line.split()


def _entry(vectors: Mapping[str, Any]) -> Entry:
    q, k = _vector(vectors["q"]), _vector(vectors["k"])
    return Entry(q, k, _vector(vectors["v"]) if "v" in vectors else k)


def _mean(entries: list[Entry]) -> Entry:
    if len(entries) == 1:
        return entries[0]
    q, k, v = (_vector(np.mean([getattr(each, which) for each in entries], axis=0)) for which in "qkv")
    return Entry(q, k, k if all(each.v is each.k for each in entries) else v)


def _vector(values: Any) -> NDArray[np.float32]:
    vector = np.array(values, np.float32)
    vector.flags.writeable = False
    return vector
