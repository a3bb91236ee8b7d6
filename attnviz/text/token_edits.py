"""Edits of tokens, Inputs -> Inputs: a new sentence, and one token added, removed, moved or renamed.

All of them are core's one rearrangement of tokens; added here is which tokens stay and which vectors a new
word gets. Nothing here knows a widget or undo.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attnviz.core.edits import Vectors, rearrange_tokens
from attnviz.core.errors import InputError
from attnviz.core.inputs import MAX_TOKENS, Head, Inputs
from attnviz.core.request import check_index
from attnviz.text.alignment import origins
from attnviz.text.joining import join
from attnviz.text.lexicon import N_CONCEPTS, load_lexicon
from attnviz.text.splitting import split

MAX_CHARACTERS = 100_000
"""Longest sentence that is split."""


def set_text(inputs: Inputs, text: str) -> Inputs:
    """Give the document with another sentence; tokens that stay keep their vectors and marks.

    The same text changes nothing, even where the tokens were made by hand.

    Raises
    ------
    InputError
        When the text holds no token, or more than 1,048,576, or more than 100,000 characters.
    """
    if text == inputs.text:
        return inputs
    if len(text) > MAX_CHARACTERS:  # a book would be split for minutes, only to be refused
        raise InputError(
            "The sentence has {got} characters; at most {wanted} are possible.",
            got=len(text),
            wanted=MAX_CHARACTERS,
        )
    tokens = split(text)
    if not tokens:
        raise InputError("The sentence is empty; write at least one word.")
    if len(tokens) > MAX_TOKENS:
        raise InputError(
            "There are {got} tokens; at most {wanted} are possible.", got=len(tokens), wanted=MAX_TOKENS
        )
    return rearrange_tokens(inputs, text, tokens, origins(inputs.tokens, tokens), lexicon_vectors)


def insert_token(inputs: Inputs, at: int, token: str) -> Inputs:
    """Add a token before token ``at``, or after the last one where ``at`` is n_tokens.

    Raises
    ------
    InputError
        When there is no such place, the token is empty, or there are 1,048,576 already.
    """
    check_index("token", at, inputs.n_tokens + 1)
    _check_token(token)
    kept: list[int | None] = list(range(inputs.n_tokens))
    kept.insert(at, None)
    return _rearranged(inputs, _inserted(inputs.tokens, at, token), kept)


def remove_token(inputs: Inputs, at: int) -> Inputs:
    """Take a token away; the last one cannot be removed.

    Raises
    ------
    InputError
        When there is no such token, or it is the only one.
    """
    check_index("token", at, inputs.n_tokens)
    if inputs.n_tokens == 1:
        raise InputError("This is the only token; a sentence needs at least one.")
    kept = [index for index in range(inputs.n_tokens) if index != at]
    return _rearranged(inputs, [inputs.tokens[index] for index in kept], kept)


def move_token(inputs: Inputs, at: int, to: int) -> Inputs:
    """Move a token so that it becomes token ``to``; the ones between close up.

    Raises
    ------
    InputError
        When one of the places does not exist.
    """
    check_index("token", at, inputs.n_tokens)
    check_index("token", to, inputs.n_tokens)
    if at == to:
        return inputs
    kept = list(range(inputs.n_tokens))
    kept.insert(to, kept.pop(at))
    return _rearranged(inputs, [inputs.tokens[index] for index in kept], kept)


def rename_token(inputs: Inputs, at: int, token: str) -> Inputs:
    """Give a token another text; where its vectors are still defaults they are looked up anew.

    Raises
    ------
    InputError
        When there is no such token, or the new text is empty.
    """
    check_index("token", at, inputs.n_tokens)
    _check_token(token)
    if token == inputs.tokens[at]:
        return inputs
    tokens = (*inputs.tokens[:at], token, *inputs.tokens[at + 1 :])
    renamed = _rearranged(inputs, tokens, range(inputs.n_tokens))
    heads = (_looked_up(head, at, token) if head.is_default[at] else head for head in renamed.heads)
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


def _looked_up(head: Head, at: int, token: str) -> Head:
    """Put the lexicon's vectors into the concept dimensions of one token, zeros for an unknown word."""
    q, k, v = head.q, head.k, head.v
    found = load_lexicon().find(token)
    if _are_concepts(head.qk_names) and head.source == "vectors":
        q = _with_row(q, at, found.q if found else 0)
        k = _with_row(k, at, found.k if found else 0)
    if _are_concepts(head.v_names):
        v = _with_row(v, at, found.v if found else 0)
    return replace(head, q=q, k=k, v=k if head.v_is_k else v)


def _with_row(array: NDArray[np.float32], at: int, row: NDArray[np.float32] | int) -> NDArray[np.float32]:
    changed = array.copy()
    changed[at] = row
    changed.flags.writeable = False
    return changed


def _rearranged(inputs: Inputs, tokens: Sequence[str], kept: Sequence[int | None]) -> Inputs:
    return rearrange_tokens(inputs, join(tokens), tokens, kept, lexicon_vectors)


def _inserted(tokens: tuple[str, ...], at: int, token: str) -> tuple[str, ...]:
    return (*tokens[:at], token, *tokens[at:])


def _check_token(token: str) -> None:
    if not token:
        raise InputError("A token needs at least one character; a blank is one.")
