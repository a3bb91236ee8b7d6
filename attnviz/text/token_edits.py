"""Edits of tokens, Inputs -> Inputs: a new sentence, and one token added, removed, moved or renamed.

All of them are core's rearrangement of tokens; added here is which tokens stay and which vectors a new word
gets. In cross attention ``which`` says whose tokens are meant, those of the queries or those of the keys;
else there is one row of tokens and it says nothing. Nothing here knows a widget or undo.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from attnviz.core.arrays import with_rows
from attnviz.core.edits import rearrange_tokens
from attnviz.core.errors import InputError
from attnviz.core.inputs import MAX_TOKENS, Head, Inputs
from attnviz.core.key_edits import rearrange_keys
from attnviz.core.request import check_index
from attnviz.core.token_rows import Kept, Vectors
from attnviz.text.alignment import origins
from attnviz.text.lexicon import N_CONCEPTS, load_lexicon

Which = Literal["query", "key"]
_SPLITTING = 0.8
"""The part of the time for a long text that its splitting takes; vectors take the rest."""


def set_text(
    inputs: Inputs,
    text: str,
    *,
    which: Which = "query",
    tell: Callable[[float], object] = lambda fraction: None,
) -> Inputs:
    """Give the document with another sentence; tokens that stay keep their vectors and marks.

    The same text changes nothing, even where the tokens were made by hand.

    Parameters
    ----------
    tell
        Called some fifty times a second with how far it is, from 0 to 1: a text may be a book. What it raises
        ends the work.

    Raises
    ------
    InputError
        When the text holds no token, or more than 1,048,576, or more than 16,777,216 characters.
    """
    own_text = inputs.key_text if _is_of_keys(inputs, which) else inputs.text
    if text == own_text:
        return inputs
    from attnviz.text.splitting import split_watched  # with the first text, see ``joined``

    tokens = split_watched(text, lambda fraction: tell(_SPLITTING * fraction))
    tell(_SPLITTING)
    return set_tokens(inputs, text, tokens, which=which)


def set_tokens(inputs: Inputs, text: str, tokens: Sequence[str], *, which: Which = "query") -> Inputs:
    """Give the document with another sentence that was split already; as ``set_text``, but of any length.

    Raises
    ------
    InputError
        When there is no token, or more than 1,048,576.
    """
    if text == (inputs.key_text if _is_of_keys(inputs, which) else inputs.text):
        return inputs
    if not tokens:
        raise InputError("The sentence is empty; write at least one word.")
    if len(tokens) > MAX_TOKENS:
        raise InputError(
            "There are {got} tokens; at most {wanted} are possible.", got=len(tokens), wanted=MAX_TOKENS
        )
    kept = origins(_tokens(inputs, which), tokens)
    return _rearranged(inputs, which, tokens, kept, text)


def insert_token(inputs: Inputs, at: int, token: str, *, which: Which = "query") -> Inputs:
    """Add a token before token ``at``, or after the last one where ``at`` is n_tokens.

    Raises
    ------
    InputError
        When there is no such place, the token is empty, or there are 1,048,576 already.
    """
    tokens = _tokens(inputs, which)
    check_index("token", at, len(tokens) + 1)
    _check_token(token)
    there = np.arange(len(tokens))
    places = np.concatenate([there[:at], [-1], there[at:]])
    return _rearranged(inputs, which, (*tokens[:at], token, *tokens[at:]), places)


def remove_token(inputs: Inputs, at: int, *, which: Which = "query") -> Inputs:
    """Take a token away; the last one cannot be removed.

    Raises
    ------
    InputError
        When there is no such token, or it is the only one.
    """
    tokens = _tokens(inputs, which)
    check_index("token", at, len(tokens))
    if len(tokens) == 1:
        raise InputError("This is the only token; a sentence needs at least one.")
    there = np.arange(len(tokens))
    return _rearranged(
        inputs, which, tokens[:at] + tokens[at + 1 :], np.concatenate([there[:at], there[at + 1 :]])
    )


def move_token(inputs: Inputs, at: int, to: int, *, which: Which = "query") -> Inputs:
    """Move a token so that it becomes token ``to``; the ones between close up.

    Raises
    ------
    InputError
        When one of the places does not exist.
    """
    tokens = _tokens(inputs, which)
    check_index("token", at, len(tokens))
    check_index("token", to, len(tokens))
    if at == to:
        return inputs
    there, others = np.arange(len(tokens)), tokens[:at] + tokens[at + 1 :]
    stays = np.concatenate([there[:at], there[at + 1 :]])
    places = np.concatenate([stays[:to], [at], stays[to:]])
    return _rearranged(inputs, which, (*others[:to], tokens[at], *others[to:]), places)


def rename_token(inputs: Inputs, at: int, token: str, *, which: Which = "query") -> Inputs:
    """Give a token another text; where its vectors are still defaults they are looked up anew.

    Raises
    ------
    InputError
        When there is no such token, or the new text is empty.
    """
    old = _tokens(inputs, which)
    check_index("token", at, len(old))
    _check_token(token)
    if token == old[at]:
        return inputs
    tokens = (*old[:at], token, *old[at + 1 :])
    renamed = _rearranged(inputs, which, tokens, np.arange(len(old)))
    of_keys = _is_of_keys(inputs, which)
    vectors = "kv" if of_keys else "q" if inputs.is_cross else "qkv"
    heads = []
    for head in renamed.heads:
        is_default = (head.key_marks if of_keys else head.is_default)[at]
        heads.append(_looked_up(head, vectors, at, token) if is_default else head)
    return replace(renamed, heads=tuple(heads))


def lexicon_vectors(head: Head, token: str) -> Vectors | None:
    """Give q (d_k,), k (d_k,) and v (d_v,) of a token from the lexicon, for ``core.edits.rearrange_tokens``.

    Zeros stand where the head's dimensions are not the four concepts; None where the token is not known.
    """
    entry = load_lexicon().find(token)
    if entry is None:
        return None
    q = k = np.zeros(head.d_k, np.float32)
    v = np.zeros(head.d_v, np.float32)
    if _are_concepts(head.qk_names):
        q, k = entry.q, entry.k
    if _are_concepts(head.v_names):
        v = entry.v
    return q, k, v


def _are_concepts(names: tuple[str, ...]) -> bool:
    return len(names) == N_CONCEPTS and names in load_lexicon().dimensions.values()


def _looked_up(head: Head, which: str, at: int, token: str) -> Head:
    """Put the lexicon's vectors into the concept dimensions of one token, zeros for an unknown word."""
    if head.source == "projection":
        return head  # x says what its vectors are, and x has not changed
    found = load_lexicon().find(token)
    changes: dict[str, Any] = {}
    for name in which:
        names = head.v_names if name == "v" else head.qk_names
        if _are_concepts(names) and (name == "v" or head.source == "vectors"):
            changes[name] = _with_row(getattr(head, name), at, getattr(found, name) if found else 0)
    if head.v_is_k and "v" in which:
        changes["v"] = changes.get("k", head.k)
    return replace(head, **changes)


def _with_row(array: NDArray[np.float32], at: int, row: NDArray[np.float32] | int) -> NDArray[np.float32]:
    return with_rows(array, np.array([at]), np.full((1, array.shape[1]), row, np.float32))


def _is_of_keys(inputs: Inputs, which: Which) -> bool:
    return inputs.is_cross and which == "key"


def _tokens(inputs: Inputs, which: Which) -> tuple[str, ...]:
    return inputs.key_labels if _is_of_keys(inputs, which) else inputs.tokens


def _rearranged(
    inputs: Inputs,
    which: Which,
    tokens: Sequence[str],
    kept: Kept,
    text: str | None = None,
) -> Inputs:
    """Give the document with other tokens of one side; None: the text is that of the tokens joined."""
    rearrange = rearrange_keys if _is_of_keys(inputs, which) else rearrange_tokens
    return rearrange(inputs, joined(tokens) if text is None else text, tokens, kept, lexicon_vectors)


def joined(tokens: Iterable[str]) -> str:
    """Give the sentence that tokens make up, see ``attnviz.text.joining.join``.

    Notes
    -----
    Rooms that know the scripts of the world are loaded with the first text that is split or joined: regex and
    its tables of Unicode would make every start slower by a fiftieth.
    """
    from attnviz.text.joining import join

    return join(tokens)


def _check_token(token: str) -> None:
    if not token:
        raise InputError("A token needs at least one character; a blank is one.")
