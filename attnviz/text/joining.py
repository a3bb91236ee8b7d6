"""Joining: a sentence back from its tokens, so that splitting it gives the tokens again.

Only the look of a sentence is known here: which neighbours are written together. No word of any language is.
"""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from attnviz.core.line_steps import Splice
from attnviz.text.scripts import clusters, kind_of

_CLOSING = frozenset(".,!?;:)]}%’”…»")
_OPENING = frozenset("([{‘“«$#£€")
_QUOTES = frozenset("\"'")
_TIGHT_WIDTHS = ("W", "F")
_WORD = re.compile(r"[0-9A-Za-z]+")
_JAPANESE = re.compile(r"[ぁ-ゖァ-ヺ一-鿿]+")
"""Most tokens: how two such are written together is known without a look at their characters."""
_PART = 64
"""Tokens that are joined at a time."""
_MANY = 2048
"""Tokens from which the next joining goes by the last."""
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
    if len(tokens) < _MANY:
        return _joined(tokens, _BEGINNING)[0]
    _last[0] = parts = _parts_after(_last[0], tokens)  # another thread may put its own there
    return "".join(parts.texts)


class _Parts(NamedTuple):
    """A text joined part by part: where the tokens of each end, what it is, and how the text ends then."""

    tokens: tuple[str, ...]
    ends: list[int]
    texts: list[str]
    states: list[_State]


_last = [_Parts((), [], [], [])]
"""Of the long text that was joined last."""


def _parts_after(known: _Parts, tokens: tuple[str, ...]) -> _Parts:
    """Join tokens of which many were joined before: parts around what changed are as they were."""
    change = Splice.between(known.tokens, tokens)
    assert change is not None  # of tuples it always is
    more = len(tokens) - len(known.tokens)
    n_kept = bisect.bisect_right(known.ends, change.start)
    ends, texts, states = known.ends[:n_kept], known.texts[:n_kept], known.states[:n_kept]
    state, at = states[-1] if states else _BEGINNING, ends[-1] if ends else 0
    follows = bisect.bisect_left(known.ends, change.start + len(change.before))
    last = change.start + len(change.after)
    while at < len(tokens):
        end = min(at + _PART, len(tokens))
        if end >= last and follows < len(known.ends):  # as far as a part that was there before
            end, follows = known.ends[follows] + more, follows + 1
        text, state = _joined(tokens[at:end], state)
        ends.append(end)
        texts.append(text)
        states.append(state)
        at = end
        is_there = at >= last and follows > 0 and known.ends[follows - 1] + more == at
        if is_there and known.states[follows - 1] == state:
            ends += [each + more for each in known.ends[follows:]]
            texts += known.texts[follows:]
            states += known.states[follows:]
            break
    return _Parts(tokens, ends, texts, states)


def _joined(tokens: tuple[str, ...], state: _State) -> tuple[str, _State]:
    """Give what tokens add to a sentence, and how it ends then."""
    before, before_role, quotes = state
    texts: list[str] = []
    open_quotes = set(quotes)
    script = _script(before) if before_role == "plain" else ""
    for token in filter(None, tokens):
        before_script, script = script, _script(token)
        if script and before_script:
            is_apart, before = script == before_script == "word", token[-1]
            texts.append(f" {token}" if is_apart else token)
            continue
        head, tail = _ends(token)
        role = _role(token)
        if role == "quote":
            open_quotes ^= {token}
            role = "opening" if token in open_quotes else "closing"
        is_spaced = before and _needs_space(before, before_role, head, role)
        texts.append(f" {token}" if is_spaced else token)
        before, before_role = tail, role
    return "".join(texts), (before, before_role, frozenset(open_quotes))


@lru_cache(maxsize=1 << 16)
def _script(token: str) -> str:
    """Give ``word`` or ``japanese`` where a token is of letters and figures of that kind alone, else none."""
    if _WORD.fullmatch(token):
        return "word"
    return "japanese" if _JAPANESE.fullmatch(token) else ""


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
