"""Every kind of mask on the engine under test: the laws of hiding, edits, and what leaks."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from attnviz.core import edits
from attnviz.core.masks import CausalMask, CustomMask, NoMask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import PrefixMask, SinkMask, SlidingWindowMask
from attnviz.core.request import HEAD_OUTPUTS, Request
from tests.engine.documents import assert_accurate, assert_same, document

N = 150


def masks(n):
    return {
        "causal": CausalMask(),
        "none": NoMask(),
        "padding": PaddingMask((0, 3, n - 1), True),
        "padding both ways": PaddingMask((1, n // 2), False),
        "window": SlidingWindowMask(5),
        "sinks": SinkMask(2, 4),
        "prefix": PrefixMask(7),
        "custom": CustomMask(np.random.default_rng(0).random((n, n)) < 0.3),
    }


KINDS = list(masks(10))


@pytest.mark.parametrize("n", [12, N])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fill", [-math.inf, -1e4])
def test_every_kind_keeps_the_accuracy_rule_and_hides_what_it_hides(engine, kind, fill, n):
    inputs = document(n, 8, 5, n_heads=2, mask=masks(n)[kind], mask_fill=fill)
    stages = engine.compute(Request.whole(inputs, extras=frozenset([HEAD_OUTPUTS])))
    assert_accurate(stages)
    if fill == -math.inf:
        allowed = inputs.mask.allowed((0, n), (0, n))
        assert not stages.weights.array()[~allowed].any()
        assert not stages.head_outputs[0][~allowed.any(axis=1)].any()
        # What no query sees may be anything.
        unseen = ~allowed.any(axis=0)
        if unseen.any():
            v = inputs.heads[0].v.copy()
            v[unseen] = 1e6
            other = inputs.with_head(0, replace(inputs.heads[0], v=v))
            assert np.array_equal(
                engine.compute(Request.whole(other)).head_outputs[0], stages.head_outputs[0]
            )


@pytest.mark.parametrize("kind", KINDS)
def test_from_any_kind_to_any_other_is_what_a_full_computation_gives(engine, kind):
    inputs = document(N, 8, n_heads=2, mask=masks(N)[kind])
    extras = frozenset([HEAD_OUTPUTS])
    before = engine.compute(Request.whole(inputs, extras=extras))
    for other in masks(N).values():
        request = Request.whole(edits.set_mask(inputs, other), extras=extras)
        assert_same(engine.compute(request, before), engine.compute(request), exactly=True)
    for which in "qkv":
        request = Request.whole(edits.set_vector_value(inputs, 0, which, 20, 1, 2.5), extras=extras)
        assert_same(engine.compute(request, before), engine.compute(request))
