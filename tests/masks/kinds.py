"""Masks of every kind for tests: strategies, and the rules written down once more, cell by cell."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attnviz.core.masks import CausalMask, CustomMask, Mask, NoMask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import PrefixMask, SinkMask, SlidingWindowMask

KINDS = ("causal", "none", "padding", "window", "sinks", "prefix", "custom")


def masks_of(kind: str, n: int) -> st.SearchStrategy[Mask]:
    """Masks of one kind over n tokens; the rules may reach beyond them."""
    length = st.integers(1, n + 2)
    return {
        "causal": st.just(CausalMask()),
        "none": st.just(NoMask()),
        "padding": st.builds(
            PaddingMask, st.lists(st.integers(0, n - 1), max_size=n).map(tuple), st.booleans()
        ),
        "window": st.builds(SlidingWindowMask, length),
        "sinks": st.builds(SinkMask, st.integers(0, n + 2), length),
        "prefix": st.builds(PrefixMask, length),
        "custom": st.builds(CustomMask, hnp.arrays(bool, (n, n))),
    }[kind]


def masks(n: int) -> st.SearchStrategy[Mask]:
    """Masks of any kind over n tokens."""
    return st.one_of([masks_of(kind, n) for kind in KINDS])


def may_attend(mask: Mask, query: int, key: int) -> bool:
    """Say by the definition of its kind whether a query may attend to a key."""
    if isinstance(mask, PaddingMask):
        return key not in mask.tokens and (key <= query or not mask.hides_future)
    if isinstance(mask, SlidingWindowMask):
        return query - mask.width + 1 <= key <= query
    if isinstance(mask, SinkMask):
        return key <= query and (key < mask.sinks or key >= query - mask.width + 1)
    if isinstance(mask, PrefixMask):
        return key < mask.length or key <= query
    if isinstance(mask, CustomMask):
        return bool(mask.array[query, key])
    return key <= query or isinstance(mask, NoMask)


def whole(mask: Mask, n: int) -> np.ndarray:
    """Resolve a mask over n tokens."""
    return mask.allowed((0, n), (0, n))
