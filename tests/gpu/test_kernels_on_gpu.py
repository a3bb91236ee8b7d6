"""The kernels alone, at the sizes a GPU is for: against numpy, and against each other bit for bit."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

from attnviz.core import attention
from attnviz.engine import blocks
from tests.engine.documents import EPSILON
from tests.gpu.bare_kernels import open_device
from tests.gpu.sizes import DIMS, N_HEADS, N_LONG, N_TOKENS
from tests.gpu.work import BIN, Work

pytestmark = pytest.mark.gpu

SIZES = [(N_HEADS, N_TOKENS, DIMS), (1, N_LONG, DIMS), (2, N_TOKENS - 1, DIMS - 1), (1, 65, 1)]


@pytest.fixture(params=SIZES, ids=lambda size: "x".join(map(str, size)))
def work(request):
    with open_device() as device:
        yield Work(device, *request.param)


def squares(work):
    """Give what the first three stages and the weights hold, of all heads."""
    n_heads, n, _ = work.size
    return [work.device.get(a, n_heads, n, n) for a in (work.scores, work.scaled, work.masked, work.weights)]


def test_tiled_kernels_are_as_exact_as_float32_can_be(work):
    n_heads, n, dims = work.size
    q, k, v = (work.device.get(a, n_heads, n, dims) for a in (work.q, work.k, work.v))
    scores, scaled, masked, weights = squares(work)
    output = work.device.get(work.output, n_heads, n, dims)
    sees = np.tri(n, dtype=bool)
    for head in range(n_heads):
        right = attention.scores(q[head], k[head])
        bound = float((np.abs(q[head]).astype(np.float64) @ np.abs(k[head]).T).max())
        plain = q[head] @ k[head].T
        assert np.abs(scores[head] - right).max() <= 2 * np.abs(plain - right).max() + 4 * EPSILON * bound
        assert np.array_equal(scaled[head], scores[head] / np.float32(math.sqrt(dims)))
        assert np.array_equal(masked[head], np.where(sees, scaled[head], -np.inf))
        # Each stage against the right answer for what it was given, so that no error hides another.
        mine = attention.weights(masked[head].astype(np.float64))
        assert np.abs(weights[head] - mine).max() <= 16 * EPSILON
        mixed = attention.head_output(weights[head].astype(np.float64), v[head])
        assert np.abs(output[head] - mixed).max() <= 4 * EPSILON * np.abs(v[head]).max()


def test_plain_kernels_give_the_bits_of_the_tiled_ones(work):
    _, n, dims = work.size
    tiled = [square[0] for square in squares(work)]
    output = work.device.get(work.output, n, dims)
    for step in work.plain():
        if step.name.startswith("softmax"):
            weights = work.device.get(work.weights, n, n)
            step.launch()
            # The one pair that adds in different orders; what comes next is given the bits it had before.
            assert np.abs(work.device.get(work.weights, n, n) - weights).max() <= 16 * EPSILON
            work.softmax_rows_of_first_head()
        elif not step.name.startswith("pool"):
            step.launch()
    for mine, theirs in zip([square[0] for square in squares(work)], tiled, strict=True):
        assert np.array_equal(mine, theirs)
    assert np.array_equal(work.device.get(work.output, n, dims), output)


def test_an_edited_row_has_the_bits_of_a_full_pass(work):
    n_heads, n, dims = work.size
    before, output = squares(work), work.device.get(work.output, n_heads, n, dims)
    work.edited_row().launch()
    for mine, theirs in zip(squares(work), before, strict=True):
        assert np.array_equal(mine, theirs)
    assert np.array_equal(work.device.get(work.output, n_heads, n, dims), output)


def test_pooled_pictures_are_those_of_numpy(work):
    _, n, _ = work.size
    scores, _, _, weights = (square[0] for square in squares(work))
    hidden = ~np.tri(n, dtype=bool)
    wanted = {
        "pool_largest": functools.partial(blocks.pool_largest, scores, hidden, (BIN, BIN)),
        "pool_maximum": functools.partial(blocks.pool_maximum, weights, hidden, (BIN, BIN)),
    }
    steps = {step.name.split(",")[0]: step for step in work.plain() if step.name.startswith("pool")}
    assert steps.keys() == wanted.keys()
    side = -(-n // BIN)
    for name, step in steps.items():
        step.launch()
        assert np.array_equal(work.device.get(work.output, side, side), wanted[name]())
