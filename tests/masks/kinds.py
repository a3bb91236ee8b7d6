"""Masks of every kind for tests: strategies, and the rules written down once more, cell by cell."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attnviz.core.masks import CausalMask, CustomMask, Mask, NoMask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import PrefixMask, SinkMask, SlidingWindowMask

KINDS = ("causal", "none", "padding", "window", "sinks", "prefix", "custom")


ALIGNMENTS = st.sampled_from(["first", "last"])


def masks_of(kind: str, n: int, n_key: int | None = None) -> st.SearchStrategy[Mask]:
    """Masks of one kind over n tokens, or n queries and n_key keys; the rules may reach beyond them."""
    shape = (n, n if n_key is None else n_key)
    length = st.integers(1, max(shape) + 2)
    # With as many queries as keys it makes no difference, and stays as it is where nobody asked for another.
    alignment = ALIGNMENTS if n_key is not None else st.just("first")
    return {
        "causal": st.builds(CausalMask, alignment=alignment),
        "none": st.builds(NoMask, alignment=alignment),
        "padding": st.builds(
            PaddingMask,
            st.lists(st.integers(0, shape[1] - 1), max_size=shape[1]).map(tuple),
            st.booleans(),
            alignment=alignment,
        ),
        "window": st.builds(SlidingWindowMask, length, alignment=alignment),
        "sinks": st.builds(SinkMask, st.integers(0, max(shape) + 2), length, alignment=alignment),
        "prefix": st.builds(PrefixMask, length, alignment=alignment),
        "custom": st.builds(CustomMask, hnp.arrays(bool, shape), alignment=alignment),
    }[kind]


def masks(n: int, n_key: int | None = None) -> st.SearchStrategy[Mask]:
    """Masks of any kind over n tokens, or n queries and n_key keys."""
    return st.one_of([masks_of(kind, n, n_key) for kind in KINDS])


def stands_at(mask: Mask, query: int, n_query: int, n_key: int) -> int:
    """Give the key at which a query stands, by what its alignment means."""
    return query if mask.alignment == "first" else (n_key - 1) - ((n_query - 1) - query)


def may_attend(mask: Mask, query: int, key: int, place: int | None = None) -> bool:
    """Say by the definition of its kind whether a query, which stands at ``place``, may attend to a key."""
    if isinstance(mask, CustomMask):
        return bool(mask.array[query, key])
    query = query if place is None else place
    if isinstance(mask, PaddingMask):
        return key not in mask.tokens and (key <= query or not mask.hides_future)
    if isinstance(mask, SlidingWindowMask):
        return query - mask.width + 1 <= key <= query
    if isinstance(mask, SinkMask):
        return key <= query and (key < mask.sinks or key >= query - mask.width + 1)
    if isinstance(mask, PrefixMask):
        return key < mask.length or key <= query
    return key <= query or isinstance(mask, NoMask)


def whole(mask: Mask, n: int, n_key: int | None = None) -> np.ndarray:
    """Resolve a mask over n tokens, or n queries and n_key keys."""
    n_key = n if n_key is None else n_key
    return mask.allowed((0, n), (0, n_key), mask.offset(n, n_key))
