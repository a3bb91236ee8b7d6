"""Products of blocks are numpy's products, whatever pieces they are cut into."""

from __future__ import annotations

import numpy as np
import pytest

from attnviz.engine import products
from attnviz.engine.alignment import LINE, aligned, aligned_empty
from attnviz.engine.products import product, row_sums, rows_to_columns


@pytest.fixture(params=[True, False], ids=["in pieces", "at once"])
def kernels(request, monkeypatch):
    """Have BLAS say that it has kernels for small matrices, or that it has none."""
    monkeypatch.setattr(products, "_has_small_kernels", lambda: request.param)
    return request.param


SIZES = [(1, 1, 1), (128, 64, 1024), (127, 64, 1024), (3, 64, 1024), (128, 300, 64), (129, 6, 2048)]


@pytest.mark.parametrize(("rows", "depth", "columns"), [*SIZES, (128, 2000, 64), (40, 500, 2000)])
def test_a_product_is_that_of_numpy(kernels, rows, depth, columns):
    rng = np.random.default_rng(0)
    left = rng.standard_normal((rows, depth + 3)).astype(np.float32)[:, 1 : depth + 1]
    right = aligned(rng.standard_normal((depth, columns + 5)).astype(np.float32))[:, :columns]
    whole = np.full((rows, columns + 2), np.float32(7))
    product(left, right, whole[:, :columns])
    wanted = left.astype(np.float64) @ right
    assert np.abs(whole[:, :columns] - wanted).max() <= 2e-6 * (np.abs(left) @ np.abs(right)).max()
    assert (whole[:, columns:] == 7).all()


def test_pieces_are_as_many_rows_as_the_small_kernels_take(kernels):
    assert products._piece(64 * 1024) == (8 if kernels else 0)
    assert products._piece(64 * 2048) == (4 if kernels else 0)
    assert products._piece(64 * 100) == (16 if kernels else 0)
    assert products._piece(512 * 2048) == 0


def test_the_same_rows_have_the_same_bits_in_any_block():
    rng = np.random.default_rng(1)
    left = rng.standard_normal((256, 64)).astype(np.float32)
    right = rows_to_columns(rng.standard_normal((1024, 64)).astype(np.float32))
    first, second = (np.empty((128, 1024), np.float32) for _ in range(2))
    product(left[:128], right, first)
    product(left.copy()[:128], right.copy(), second)
    assert (first == second).all()


@pytest.mark.parametrize("columns", [1, 300, 512, 513, 1000, 2048])
@pytest.mark.parametrize("every", [1, 16, 64])
def test_row_sums_round_away_as_little_as_sums_of_numpy(kernels, columns, every):
    """A sum of 1 and many numbers that each vanish beside it, in whichever of the sums side by side."""
    rows = np.zeros((200, columns + 3), np.float32)[:, :columns]
    rows[:, ::every] = 5e-8
    rows[np.arange(200), np.arange(200) % columns] = 1
    sums, wanted = row_sums(rows), rows.sum(axis=1, dtype=np.float64)
    assert sums.dtype == np.float32
    plain = np.abs(rows.sum(axis=1) - wanted).max()
    assert np.abs(sums - wanted).max() <= 2 * plain + 4 * np.finfo(np.float32).eps
    assert (row_sums(np.ascontiguousarray(rows)) == sums).all()


def test_no_columns_sum_to_0(kernels):
    assert row_sums(np.empty((70_000, 0), np.float32)[:5]).tolist() == [0] * 5


def test_keys_side_by_side_are_the_keys():
    for shape in ((1, 1), (5, 3), (128, 64), (300, 7)):
        rows = np.arange(shape[0] * shape[1], dtype=np.float32).reshape(shape)
        columns = rows_to_columns(rows)
        assert (columns == rows.T).all()
        assert columns.flags.c_contiguous


def test_aligned_memory_begins_a_line_of_the_cache():
    for count in (1, 17, 4096, 100_001):
        assert aligned_empty(count, 3).ctypes.data % LINE == 0
    odd = aligned_empty(10_000)[1:9_001].reshape(90, 100)
    odd[...] = 3
    assert aligned(odd).ctypes.data % LINE == 0
    assert (aligned(odd) == 3).all()
    even = aligned_empty(90, 100)
    assert aligned(even) is even
