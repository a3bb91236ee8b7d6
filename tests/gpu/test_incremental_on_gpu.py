"""What an edit leaves on the device is, to the last bit, what a full pass gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attnviz.core import edits
from attnviz.core.masks import NoMask
from attnviz.core.request import Request
from tests.engine.documents import assert_same, document, mask_of
from tests.gpu.sizes import DIMS, N_TOKENS

pytestmark = pytest.mark.gpu

MIDDLE = N_TOKENS // 2


def rows_of(which: str, count: int):
    """Give an edit of ``count`` neighbouring vectors."""
    block = np.random.default_rng(count).standard_normal((count, DIMS)).astype(np.float32)
    return lambda inputs: edits.set_vector_block(inputs, 0, which, MIDDLE, 0, block)


EDITS = {
    **{f"{n} rows of {which}": rows_of(which, n) for which in "qkv" for n in (1, 3, N_TOKENS // 3)},
    "scale": lambda inputs: edits.set_scale_strength(inputs, 1.7),
    "no mask": lambda inputs: edits.set_mask(inputs, NoMask()),
    "other mask": lambda inputs: edits.set_mask(inputs, mask_of("holes", N_TOKENS, seed=7)),
    "mask value": lambda inputs: edits.set_mask_fill(inputs, -3.0),
    "q and mask": lambda inputs: edits.set_mask(rows_of("q", 1)(inputs), mask_of("holes", N_TOKENS, seed=7)),
    "q, k and v": lambda inputs: rows_of("v", 2)(rows_of("k", 2)(rows_of("q", 2)(inputs))),
}


@pytest.mark.parametrize("mask", ["causal", "none", "holes"])
@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_an_edit_gives_the_bits_of_a_full_pass(engine, new_engine, mask, edit):
    inputs = document(N_TOKENS, DIMS, mask=mask)
    changed = Request.whole(edit(inputs))
    now = engine.compute(changed, engine.compute(Request.whole(inputs)))
    full = new_engine().compute(changed)  # an engine whose device memory holds nothing yet
    assert_same(now, full, exactly=True)


def test_a_long_session_of_edits_drifts_by_no_bit(engine, new_engine):
    rng = np.random.default_rng(0)
    inputs = document(N_TOKENS, DIMS, mask="holes")
    stages = engine.compute(Request.whole(inputs))
    for step in range(60):
        which, token, dim = "qkv"[step % 3], int(rng.integers(N_TOKENS)), int(rng.integers(DIMS))
        inputs = edits.set_vector_value(inputs, 0, which, token, dim, float(rng.standard_normal()))
        if step % 10 == 9:
            inputs = edits.set_scale_strength(inputs, 1.0 + step / 50)
            inputs = edits.set_mask_fill(inputs, -math.inf if step % 20 == 9 else -5.0)
        stages = engine.compute(Request.whole(inputs), stages)
    assert_same(stages, new_engine().compute(Request.whole(inputs)), exactly=True)
