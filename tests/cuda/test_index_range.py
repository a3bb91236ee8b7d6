"""A square of 65,536 tokens has more cells than 32 bits can count: every kernel reaches its last one.

Memory is not filled with NaN here, so that of 17 GB only the touched pages exist, and of large grids only the
first and the last block run.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from tests.cuda.attention import CAUSAL, NONE
from tests.cuda.plans import launch
from tests.cuda.test_sanitizers import planted
from tests.cudaemu.sanitized import Plan, program

pytestmark = pytest.mark.emulated

N = 65536
LAST = N - 1
FAR = 40000  # FAR · N > 2³¹
DIM = 2
BY = np.float32(math.sqrt(DIM))


@pytest.fixture(autouse=True)
def _only_what_is_touched(monkeypatch):
    for name, value in (("FILL", "0"), ("TOTAL_MEM", str(1 << 40)), ("BLOCKS", "ends")):
        monkeypatch.setenv(f"CUDAEMU_{name}", value)


@pytest.fixture
def vectors() -> np.ndarray:
    """float32 (3, N, DIM): q, k and v."""
    return np.random.default_rng(0).standard_normal((3, N, DIM)).astype(np.float32)


def test_plain_kernels_reach_listed_cells_beyond_32_bits(device, vectors):
    q, k, _ = (device.put(array) for array in vectors)
    rows, keys = np.array([0, FAR, LAST], np.int32), np.array([1, 33000, LAST], np.int32)
    listed = (device.put(rows), device.put(keys), 3, 3, N)
    scores, scaled, masked = (device.room((N, N)) for _ in range(3))
    device.launch("scores_plain", (3, 3), q, k, scores, *listed, DIM)
    device.launch("scale", (3, 3), scores, scaled, *listed, BY)
    device.launch("mask", (3, 3), scaled, masked, None, *listed, 0, CAUSAL, -1.5)
    for row in rows:
        for key in keys:
            score = vectors[0, row].astype(np.float64) @ vectors[1, key]
            assert device.peek(scores, row, key) == pytest.approx(score, rel=1e-5)
            assert device.peek(scaled, row, key) == pytest.approx(score / BY, rel=1e-5)
            wanted = score / BY if key <= row else -1.5
            assert device.peek(masked, row, key) == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("kernel", ["softmax_plain", "softmax_rows"])
def test_softmax_reaches_the_last_row(device, kernel):
    masked, weights = device.room((N, N)), device.room((N, N))
    row_max, row_sum = device.room((N,)), device.room((N,))
    device.poke(masked, 10.0, LAST, LAST)  # all others are 0
    rows = device.put(np.array([LAST], np.int32))
    sizes = (1, N) if kernel == "softmax_plain" else (1, N, N)
    device.launch(kernel, (1,), masked, weights, row_max, row_sum, rows, *sizes)
    total = 1 + (N - 1) * math.exp(-10)  # softmax_plain adds 65,536 numbers one by one: three digits
    assert device.peek(row_max, LAST) == 10
    assert device.peek(row_sum, LAST) == pytest.approx(total, rel=1e-3)
    assert device.peek(weights, LAST, LAST) == pytest.approx(1 / total, rel=1e-3)
    assert device.peek(weights, LAST, 0) == pytest.approx(math.exp(-10) / total, rel=1e-3)


@pytest.mark.parametrize("kernel", ["weighted_sum_plain", "weighted_sum_rows", "weighted_sum_tiled"])
def test_the_weighted_sum_reaches_the_last_row(device, vectors, kernel):
    weights, v, output = device.room((N, N)), device.put(vectors[2]), device.room((N, DIM))
    device.poke(weights, 0.5, LAST, 7)
    device.poke(weights, 0.25, LAST, LAST)
    rows = device.put(np.array([LAST], np.int32))
    if kernel == "weighted_sum_tiled":
        device.launch(kernel, (DIM, N, 1), weights, v, output, N, N, DIM)
    else:
        work = (1, DIM) if kernel == "weighted_sum_rows" else (DIM, 1)
        device.launch(kernel, work, weights, v, output, rows, 1, N, DIM)
    wanted = 0.5 * vectors[2, 7] + 0.25 * vectors[2, LAST]
    assert [device.peek(output, LAST, dim) for dim in range(DIM)] == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("shape", [(1, N), (3, N // 2)])
def test_tiles_reach_the_last_cell_of_the_last_head(device, vectors, shape):
    n_heads, n = shape
    q, k = (np.resize(array, (n_heads, n, DIM)) for array in vectors[:2])
    out = [device.room((n_heads, n, n)) for _ in range(3)]
    device.launch(
        "scores_tiled",
        (n, n, n_heads),
        device.put(q),
        device.put(k),
        *out,
        None,
        n,
        n,
        DIM,
        0,
        NONE,
        BY,
        -1.5,
    )
    score = q[-1, -1].astype(np.float64) @ k[-1, -1]
    got = [device.peek(room, n_heads - 1, n - 1, n - 1) for room in out]
    assert got == pytest.approx([score, score / BY, score / BY], rel=1e-5)


@pytest.mark.parametrize("kernel", ["pool_largest", "pool_maximum"])
def test_pictures_show_the_last_cell(device, kernel):
    values, picture = device.room((N, N)), device.room((N // 64, N // 64))
    device.poke(values, 3.0, LAST, LAST)
    device.launch(kernel, (N // 64, N // 64), values, picture, None, 0, N, 0, N, N, 64, 64, NONE)
    assert device.peek(picture, N // 64 - 1, N // 64 - 1) == 3
    assert device.peek(picture, N // 64 - 1, N // 64 - 2) == 0


def test_walks_reach_the_last_bin_of_the_last_row(device, vectors):
    q, k = (device.put(array) for array in vectors[:2])
    rows = device.put(np.arange(N, dtype=np.int32))
    ranges = device.put(np.array([[0], [N]], np.int32).repeat(N, axis=1))
    seen, (high, low) = (ranges, None, None), (device.room((N, N)) for _ in range(2))
    device.poke(high, -math.inf, LAST, LAST)
    device.poke(low, math.inf, LAST, LAST)
    slices = device.put(np.array([LAST - 63, N], np.int32))
    nothing, sizes = (None,) * 5, (N, DIM, 1, 0, 0)
    device.launch(
        "walk_keys", (1, N), q, k, rows, slices, *seen, *nothing, high, low, None, None, *sizes, 0, N, 1, BY
    )
    score = vectors[0, -1].astype(np.float64) @ vectors[1, -1]
    assert [device.peek(room, LAST, LAST) for room in (high, low)] == pytest.approx([score] * 2, rel=1e-5)

    top, total = device.room((N,)), device.room((N,))
    device.poke(top, score / BY, LAST)
    device.poke(total, 2.0, LAST)
    device.launch("known_cells", (N, N), q, k, rows, *seen, top, total, low, high, *sizes, 0, N, BY, -1.5)
    assert device.peek(low, LAST, LAST) == pytest.approx(score, rel=1e-5)
    assert device.peek(high, LAST, LAST) == pytest.approx(0.5, rel=1e-5)

    device.poke(high, score, LAST, LAST)
    pictures = [device.room((1, N)) for _ in range(4)]
    lists = device.put(np.array([LAST], np.int32)), device.put(np.array([0, 1], np.int32))
    device.launch("pool_rows", (N, 1), high, low, None, None, top, total, *lists, *pictures, N, N, 1, BY)
    assert device.peek(pictures[0], 0, LAST) == pytest.approx(score, rel=1e-5)
    assert device.peek(pictures[2], 0, LAST) == pytest.approx(0.5, rel=1e-5)


# ---- UBSan --------------------------------------------------------------------------------------------

OVERFLOWS = {
    "scores_plain": ("scores.cu", "scores[(size_t)row * T"),
    "scale": ("scale.cu", "(size_t)row * T"),
    "mask": ("mask.cu", "const size_t cell = (size_t)row * T"),
    "softmax_plain": ("softmax.cu", "masked + (size_t)row * T"),
    "softmax_rows": ("softmax.cu", "((size_t)blockIdx.z * R + row) * T"),
    "scores_tiled": ("scores.cu", "head + (size_t)row * T"),
    "weighted_sum_plain": ("weighted_sum.cu", "weights[(size_t)row * T"),
    "weighted_sum_rows": ("weighted_sum.cu", "weights[(size_t)row * T"),
    "weighted_sum_tiled": ("weighted_sum.cu", "(size_t)(tile_row + row) * T"),
    "pool_largest": ("pool.cu", "(size_t)row * T"),
    "pool_maximum": ("pool.cu", "(size_t)row * T"),
    "walk_keys": ("walk.cu", "(size_t)bin * R"),
    "pool_rows": ("walk.cu", "(size_t)column * R"),
    "known_cells": ("walk.cu", "(size_t)row * n_keys"),
}
"""A product of each kernel that passes 2³¹, as it stands in its file."""


def large_plan(folder: Path, kernel: str) -> Plan:
    """A launch of one kernel that reaches the last cell of N x N."""
    plan = Plan(folder)
    for name in ("square", "other", "third"):
        plan.sparse(name, 4 * N * N)
    for name in ("q", "k", "output"):
        plan.sparse(name, 4 * N * DIM)
    for name in ("row_max", "row_sum"):
        plan.sparse(name, 4 * N)
    plan.sparse("picture", 4 * (N // 64) ** 2)
    plan.put("rows", np.array([LAST], np.int32))
    plan.put("every_row", np.arange(N, dtype=np.int32))
    plan.put("ranges", np.array([[0], [N]], np.int32).repeat(N, axis=1))
    plan.put("slices", np.array([LAST - 63, N], np.int32))
    plan.put("starts", np.array([0, 1], np.int32))
    listed = ("rows", "rows", 1, 1, N)
    softmax = ("square", "other", "row_max", "row_sum", "rows", 1)
    pool = ("square", "picture", None, 0, N, 0, N, N, 64, 64, NONE)
    launches = {
        "scores_plain": ((1, 1), "q", "k", "square", *listed, DIM),
        "scale": ((1, 1), "square", "other", *listed, BY),
        "mask": ((1, 1), "square", "other", None, *listed, 0, CAUSAL, -1.5),
        "softmax_plain": ((1,), *softmax, N),
        "softmax_rows": ((1,), *softmax, N, N),
        "scores_tiled": ((N, N), "q", "k", "square", "other", "third", None, N, N, DIM, 0, NONE, BY, -1.5),
        "weighted_sum_plain": ((DIM, 1), "square", "q", "output", "rows", 1, N, DIM),
        "weighted_sum_rows": ((1, DIM), "square", "q", "output", "rows", 1, N, DIM),
        "weighted_sum_tiled": ((DIM, N), "square", "q", "output", N, N, DIM),
        "pool_largest": ((N // 64, N // 64), *pool),
        "pool_maximum": ((N // 64, N // 64), *pool),
        "walk_keys": (
            (1, N), "q", "k", "every_row", "slices", "ranges", *(None,) * 4, "row_max", "row_sum", "picture",
            "square", "other", None, None, N, DIM, 1, 0, 0, 0, N, 1, BY,
        ),
        "pool_rows": (
            (N, 1), "square", "other", None, None, "row_max", "row_sum", "rows", "starts", "q", "k", "output",
            "picture", N, N, 1, BY,
        ),
        "known_cells": (
            (N, N), "q", "k", "every_row", "ranges", None, None, "row_max", "row_sum", "square", "other", N,
            DIM, 1, 0, 0, 0, N, BY, -1.5,
        ),
    }  # fmt: skip
    launch(plan, kernel, *launches[kernel])
    return plan


@pytest.mark.long
@pytest.mark.parametrize("kernel", OVERFLOWS)
def test_no_product_overflows_and_one_that_did_would_be_seen(tmp_path, kernel):
    file, product = OVERFLOWS[kernel]
    clean = planted(file, product, product + " + 0")  # the same numbers
    result = large_plan(tmp_path, kernel).run(program(clean, "undefined", tmp_path), CUDAEMU_BLOCKS="ends")
    assert (result.returncode, result.stderr) == (0, "")
    narrow = planted(
        file, product, product.replace("(size_t)blockIdx.z", "(int)blockIdx.z").replace("(size_t)", "")
    )
    result = large_plan(tmp_path, kernel).run(program(narrow, "undefined", tmp_path), CUDAEMU_BLOCKS="ends")
    assert "signed integer overflow" in result.stderr
    assert f"{file}:" in result.stderr
