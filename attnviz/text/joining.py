"""Joining: a sentence back from its tokens, so that splitting it gives the tokens again.

Only the look of a sentence is known here: which neighbours are written together. No word of any language is.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from attnviz.text.scripts import clusters, kind_of

_CLOSING = frozenset(".,!?;:)]}%’”…»")
_OPENING = frozenset("([{‘“«$#£€")
_QUOTES = frozenset("\"'")
_TIGHT_WIDTHS = ("W", "F")
_SENTENCE_ENDS = frozenset(".!?。！？")
_State = tuple[str, str, frozenset[str]]
"""How a sentence ends so far: the last cluster, the role of its token, straight quotes that are open."""
_BEGINNING: _State = ("", "", frozenset())


def join(tokens: Iterable[str]) -> str:
    """Give the sentence that ``tokens`` make up.

    Notes
    -----
    Japanese is written without spaces, words of other scripts with one between them and none before
    ``. , ! ?``. Straight quotes open and close in turn. Two tokens that would run into one character (🇯
    and 🇵) are kept apart.
    """
    tokens = tuple(tokens)
    ends = [place for place, token in enumerate(tokens, 1) if token in _SENTENCE_ENDS]
    texts, start, state = [], 0, _BEGINNING
    for end in (*ends, len(tokens)):
        text, state = _joined(tokens[start:end], state)
        texts.append(text)
        start = end
    return "".join(texts)


@lru_cache(maxsize=1 << 14)  # of a book that is edited all sentences but one come again
def _joined(tokens: tuple[str, ...], state: _State) -> tuple[str, _State]:
    """Give what tokens add to a sentence, and how it ends then."""
    before, before_role, quotes = state
    texts: list[str] = []
    open_quotes = set(quotes)
    for token in filter(None, tokens):
        head, tail = _ends(token)
        role = _role(token)
        if role == "quote":
            open_quotes ^= {token}
            role = "opening" if token in open_quotes else "closing"
        is_apart = before and _needs_space(before, before_role, head, role)
        texts.append(f" {token}" if is_apart else token)
        before, before_role = tail, role
    return "".join(texts), (before, before_role, frozenset(open_quotes))


def _role(token: str) -> str:
    """Say whether a token leans on the one before (closing), after (opening), on them in turn or on none."""
    if token in _QUOTES:
        return "quote"
    return "closing" if token in _CLOSING else "opening" if token in _OPENING else "plain"


@lru_cache(maxsize=1 << 16)  # of a long text few tokens differ
def _ends(token: str) -> tuple[str, str]:
    """Give the first and the last grapheme cluster of a token."""
    if token.isascii() and token.isprintable():  # as most tokens of a book; each of these stands alone
        return token[0], token[-1]
    return clusters(token[:64])[0], clusters(token[-64:])[-1]


@lru_cache(maxsize=1 << 16)
def _needs_space(before: str, before_role: str, after: str, role: str) -> bool:
    if len(clusters(before + after)) != 2:
        return True
    if _is_written_tightly(before) or _is_written_tightly(after):
        return False
    if role == "closing" or before_role == "opening":
        return False
    is_word = kind_of(before[0]) == "word" or kind_of(after[0]) == "word"
    return is_word or before_role == "closing" or role == "opening"


def _is_written_tightly(cluster: str) -> bool:
    """Say whether no space stands beside this: Japanese and wide punctuation, but not emoji."""
    first = cluster[0]
    kind = kind_of(first)
    if kind == "japanese":
        return True
    return (
        kind == "other"
        and unicodedata.east_asian_width(first) in _TIGHT_WIDTHS
        and unicodedata.category(first)[0] == "P"
    )
