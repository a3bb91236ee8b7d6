"""A long text with one head whose weights have what those of real long texts have: made, not learnt.

It is there to be looked at as a map: a sink at the first token, nearness, chapters, and passages that come
again, which the head copies from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from attnviz.core.arrays import FloatArray, sealed
from attnviz.core.inputs import Head, Inputs

Float64Array = NDArray[np.float64]
IntArray = NDArray[np.int64]

D_K = 64
_SINK, _TOPICS, _CODES = 1, 12, 31  # dimensions; the rest are waves
_WAVES = D_K - _SINK - _TOPICS - _CODES
_SHORTEST, _LONGEST = 16.0, 4000.0  # tokens that the waves are long
_CHAPTER = 2600  # tokens, on average
# What each part adds to a scaled score, at most.
_OF_SINK, _OF_CHAPTER, _OF_COPY, _OF_NEARNESS = 9.5, 2.5, 13.0, 5.0
_FAINT = 0.3  # of the codes outside passages


def synthetic_text(
    words: Sequence[str],
    name: str,
    *,
    n_tokens: int,
    passages: Sequence[tuple[int, int]],
    seed: int,
    tell: Callable[[float], object] = lambda fraction: None,
) -> Inputs:
    """Give a causal document of one head, d_k = d_v = 64.

    Parameters
    ----------
    words
        Tokens are drawn from them; the first is the first token, and no other.
    name
        Of the head.
    passages
        (length, how often) of each passage that comes again; together they leave half of the text to others.
    seed
        The same numbers everywhere: numpy's legacy generator never changes its stream.
    tell
        Called with how far it is, from 0 to 1; what it raises ends the making.

    Notes
    -----
    q and k are made of four parts, so that their product is a sum of four: a constant that only the first key
    answers (the sink); a vector for each chapter; a code of each place in a passage, which k holds of the
    token before, so that a query in a passage finds what came next the time before, as induction heads do;
    and waves, whose product falls with the distance.

    References
    ----------
    Olsson et al., "In-context Learning and Induction Heads" (2022). Xiao et al., "Efficient Streaming
    Language Models with Attention Sinks" (2023).
    """
    random = np.random.RandomState(seed)
    places = _places(n_tokens, passages, random)
    kinds = random.randint(1, len(words), size=places.max() + 1)
    kinds[0] = 0
    codes = random.standard_normal((places.max() + 1, _CODES))
    in_passage = places < sum(length for length, _ in passages) + 1
    code = codes[places] * np.where(in_passage, 1.0, _FAINT)[:, None]
    before = np.concatenate([np.zeros((1, _CODES)), code[:-1]])
    tell(0.3)
    chapters = _chapters(n_tokens, random)
    topics = random.standard_normal((chapters.max() + 1, _TOPICS))[chapters]
    angle = np.arange(n_tokens)[:, None] * (2 * math.pi / np.geomspace(_SHORTEST, _LONGEST, _WAVES // 2))
    waves = np.concatenate([np.cos(angle), np.sin(angle)], axis=1)
    first = np.zeros((n_tokens, _SINK))
    first[0] = 1.0

    def joined(sink: Float64Array, code: Float64Array) -> FloatArray:
        parts = (
            (sink, _OF_SINK, 1),
            (topics, _OF_CHAPTER, _TOPICS),
            (code, _OF_COPY, _CODES),
            (waves, _OF_NEARNESS, _WAVES // 2),
        )
        return sealed(
            np.concatenate(
                [part * math.sqrt(most * math.sqrt(D_K) / square) for part, most, square in parts], axis=1
            )
        )

    tell(0.6)
    v = random.standard_normal((len(words), D_K))[kinds[places]]
    tell(0.8)
    head = Head(name, joined(np.ones((n_tokens, _SINK)), code), joined(first, before), sealed(v))
    return Inputs("", tuple(words[kind] for kind in kinds[places]), (head,))


def _places(n_tokens: int, passages: Sequence[tuple[int, int]], random: np.random.RandomState) -> IntArray:
    """Give what stands where: 0 first, numbers of places in passages, and one of its own for each other.

    The passages come in random order, with as much between them everywhere.
    """
    starts = np.cumsum([1, *(length for length, _ in passages)])
    pieces = [
        np.arange(start, start + length)
        for start, (length, times) in zip(starts, passages, strict=False)
        for _ in range(times)
    ]
    random.shuffle(pieces)
    other = n_tokens - 1 - sum(map(len, pieces))
    cuts = np.linspace(0, other, len(pieces) + 2).astype(int)
    numbers = np.arange(starts[-1], starts[-1] + other)
    order = [np.zeros(1, np.int64)]
    for index in range(len(pieces) + 1):
        order.append(numbers[cuts[index] : cuts[index + 1]])
        if index < len(pieces):
            order.append(pieces[index])
    return np.concatenate(order).astype(np.int64)


def _chapters(n_tokens: int, random: np.random.RandomState) -> IntArray:
    """Give the number of each token's chapter, from 0; chapters have different lengths."""
    n_chapters = max(1, round(n_tokens / _CHAPTER))
    ends = np.sort(random.choice(np.arange(1, n_tokens), n_chapters - 1, replace=False))
    return np.searchsorted(ends, np.arange(n_tokens), side="right").astype(np.int64)
