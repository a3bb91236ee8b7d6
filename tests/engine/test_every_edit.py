"""Whatever a person does to a document, an answer from the one before is what a full computation gives."""

from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core import edits
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CustomMask
from attnviz.core.request import HEAD_OUTPUTS, OUTPUT, THUMBNAILS, Request
from tests.core.every_edit import edited, layer_of_every_source
from tests.engine.documents import EPSILON, assert_accurate, assert_same

EXTRAS = (HEAD_OUTPUTS, OUTPUT, THUMBNAILS)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from([4, 7, 70]), st.lists(st.integers(0, 1 << 20), min_size=1, max_size=10))
def test_edits_of_every_kind_at_any_head_and_query(lasting_engine, n, seeds):
    inputs, before = layer_of_every_source(n, 6), None
    for seed in seeds:
        random = Random(seed)
        inputs = edited(inputs, random)
        wanted = frozenset(random.sample(EXTRAS, random.randint(0, 3)))
        head, query = random.randrange(inputs.n_heads), random.randrange(inputs.n_query)
        request = Request.whole(inputs, head, query, wanted)
        now, anew = lasting_engine.compute(request, before), lasting_engine.compute(request)
        assert_accurate(now)
        assert_same(now, anew)
        if anew.output is not None:
            # |output| ≤ Σ |w_o| · max|v| + |b_o|; both are sums of as many terms in some order.
            size = np.abs(anew.output).max() + max(np.abs(head.v).max() for head in inputs.heads)
            most = 1.0 if inputs.w_o is None else np.abs(inputs.w_o).sum(axis=0).max()
            assert np.abs(now.output - anew.output).max() <= 64 * EPSILON * size * max(most, 1.0)
        before = now


def test_an_output_that_sees_nothing_has_the_columns_of_its_own_v(engine):
    """Heads that share q and k, of which one has a wider v; with every key hidden both outputs are zeros."""
    q = np.ones((3, 2), np.float32)
    heads = (Head("narrow", q, q, q[:, :1]), Head("wide", q, q, q))
    inputs = Inputs("", ("a", "b", "c"), heads, mask=CustomMask(np.zeros((3, 3), bool)))
    before = engine.compute(Request.whole(inputs, 1))
    now = engine.compute(Request.whole(edits.rename_head(inputs, 0, "other"), 0), before)
    assert now.head_outputs[0].shape == (3, 1)
    assert not now.head_outputs[0].any()
