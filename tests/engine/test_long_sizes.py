"""At the sizes it is for: sampled rows against the definition, and memory that knows no square."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from attnviz.core import edits
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CausalMask, CustomMask, NoMask
from attnviz.core.position_masks import SinkMask, SlidingWindowMask
from attnviz.core.request import HEAD_OUTPUTS, Region, Request
from attnviz.core.stages import STAGE_NAMES
from attnviz.engine.numpy_engine import NumpyEngine
from tests.engine.documents import document
from tests.engine.long_documents import Truth

RULES = [CausalMask(), NoMask(), SlidingWindowMask(100), SinkMask(4, 700)]


@pytest.fixture
def engine():
    engine = NumpyEngine(2)
    yield engine
    engine.close()


def of_rows(inputs, rows):
    """Give a document whose queries are some of another's, with the same keys."""
    head = inputs.heads[0]
    first, last = rows
    offset = inputs.mask.offset(inputs.n_query, inputs.n_key)
    mask = CustomMask(inputs.mask.allowed(rows, (0, inputs.n_key), offset))
    tokens = inputs.tokens[first:last]
    part = Head("", head.q[first:last], head.k, head.v)
    numbers = inputs.mask_fill, inputs.scale_strength
    return Inputs("", tokens, (part,), mask, *numbers, key_tokens=inputs.key_labels)


def assert_rows_true(stages, picture_rows):
    """Hold some rows of the pictures, and the statistics and outputs of their queries, to the definition."""
    region, inputs = stages.request.region, stages.request.inputs
    for row in picture_rows:
        first = region.queries[0] + row * region.bins[0]
        queries = first, min(first + region.bins[0], region.queries[1])
        truth = Truth(of_rows(inputs, queries), 0)
        for stage in STAGE_NAMES:
            got = stages.picture(stage).row(row)
            assert truth.row_fits(stage, got, slice(0, queries[1] - queries[0]), region), (row, stage)
        place = slice(queries[0] - region.queries[0], queries[1] - region.queries[0])
        masked = truth.exact.masked
        assert np.abs(stages.row_max[place] - masked.max(axis=1)).max() <= truth.limits["masked"]
        sums = np.exp(masked - stages.row_max[place, None]).sum(axis=1)
        assert np.allclose(stages.row_sum[place], sums, rtol=1e-5 + 4 * truth.limits["masked"])
        if 0 in stages.head_outputs:
            output = stages.head_outputs[0][slice(*queries)]
            assert np.abs(output - truth.exact.head_output).max() <= truth.limits["head_output"]


@pytest.mark.parametrize("mask", RULES, ids=lambda mask: mask.kind)
@pytest.mark.parametrize("d_k", [64, 24])
def test_sampled_rows_of_5000_tokens_are_exact(engine, mask, d_k):
    inputs = document(5000, d_k, 8, mask=mask, spread=1.5)
    request = Request(inputs, 4000, Region(0, (0, 5000), (0, 5000), (700, 600)), frozenset([HEAD_OUTPUTS]))
    stages = engine.compute(request)
    assert_rows_true(stages, [0, 1, 77, 400, 571, 624])
    inputs = edits.set_vector_value(inputs, 0, "q", 4000, 3, 4.0)
    inputs = edits.set_vector_value(inputs, 0, "k", 3999, 3, 4.0)
    stages = engine.compute(Request(inputs, 4000, request.region))
    assert_rows_true(stages, [0, 499, 500, 624])
    part = Request(inputs, 4000, Region(0, (3990, 4010), (3000, 4000), (50, 2000)))
    assert_rows_true(engine.compute(part), range(0, 20, 3))


def test_nothing_as_large_as_the_square_is_ever_held(engine):
    inputs = document(6000, 16)
    request = Request(inputs, 3000, Region(0, (0, 6000), (0, 6000), (1024, 1024)), frozenset([HEAD_OUTPUTS]))
    tracemalloc.start()
    try:
        stages = engine.compute(request, None, lambda done, partial: True)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert not stages.is_coarse
    assert peak < 48 << 20, peak >> 20  # one square of float32 would be 137 MB


LARGE = """
import resource, sys
import numpy as np
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CausalMask
from attnviz.core.request import Region, Request
from attnviz.core import edits
from attnviz.engine.numpy_engine import NumpyEngine
from tests.engine.test_long_sizes import assert_rows_true
n = int(sys.argv[1])
rng = np.random.default_rng(0)
q, k, v = (rng.standard_normal((n, 64), np.float32) for _ in range(3))
inputs = Inputs("", ("t",) * n, (Head("", q, k, v),), CausalMask())
del q, k, v
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
engine, region = NumpyEngine(2), Region(0, (0, n), (0, n), (1024, 1024))
coarse = engine.compute(Request(inputs, n // 2, region, detail="coarse"))
assert coarse.is_coarse
stages = engine.compute(Request(inputs, n // 2, region), coarse, lambda done, partial: True)
for step in range(20):
    inputs = edits.set_vector_value(inputs, 0, "q", n // 2 + step, 3, 2.5)
    stages = engine.compute(Request(inputs, n // 2 + step, region, detail="coarse"), stages)
    assert not stages.is_coarse
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
assert_rows_true(stages, [0, 300, 512, 1023])
engine.close()
"""


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("n", "most_mb"), [(32768, 120), (131072, 220)])
def test_a_map_of_the_whole_is_exact_and_takes_little_memory(n, most_mb):
    done = subprocess.run([sys.executable, "-c", LARGE, str(n)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < most_mb
