"""Each kernel on the emulated driver, against float64 and against the other kernels of its stage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attnviz.engine import blocks
from tests.cuda.attention import (
    ARRAY,
    CAUSAL,
    NONE,
    STAGES,
    Case,
    Rooms,
    assert_accurate,
    case,
    plain,
    run_plain,
    tiled,
)

pytestmark = pytest.mark.emulated

N_TOKENS = (1, 2, 10, 31, 32, 33, 64, 65, 128, 200)
DIMS = ((4, 4), (5, 3), (64, 33))
MASKS = ("none", "causal", "holes", "finite")
PATTERN = np.float32(1234.5)  # what no kernel computes here


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("dims", DIMS)
@pytest.mark.parametrize("n", N_TOKENS)
@pytest.mark.parametrize("way", [plain, tiled])
def test_every_stage_keeps_the_accuracy_rule(device, way, n, dims, mask):
    small = case(n, *dims, mask=mask)
    assert_accurate(way(device, small), small)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("dims", DIMS)
@pytest.mark.parametrize("n", N_TOKENS)
def test_every_kernel_of_a_stage_gives_the_same_bits(device, n, dims, mask):
    one = case(n, *dims, mask=mask)
    by_plain, by_tiles = plain(device, one), tiled(device, one)
    for stage in ("scores", "scaled", "masked"):
        assert same_bits(by_plain[stage], by_tiles[stage])
    weights, v = device.put(by_plain["weights"]), device.put(one.v)
    d_v = one.v.shape[2]
    outputs = [device.room((1, n, d_v)) for _ in range(3)]
    device.launch("weighted_sum_plain", (d_v, n), weights, v, outputs[0], None, n, n, d_v)
    device.launch("weighted_sum_rows", (n, d_v), weights, v, outputs[1], None, n, n, d_v)
    device.launch("weighted_sum_tiled", (d_v, n, 1), weights, v, outputs[2], n, n, d_v)
    first, *others = (device.fetch(output) for output in outputs)
    assert all(same_bits(first, other) for other in others)


@pytest.mark.parametrize("block", [(1, 1), (7, 3), (16, 4), (64, 1), (32, 32)])
def test_the_block_size_of_plain_kernels_changes_no_bit(device, block):
    one = case(33, 5, 3, mask="holes")
    usual, other = plain(device, one), plain(device, one, block)
    assert all(same_bits(usual[stage], other[stage]) for stage in STAGES)


@pytest.mark.parametrize("n_threads", [32, 64, 128, 256])
def test_softmax_rows_is_accurate_with_any_number_of_whole_warps(device, n_threads):
    one = case(200, mask="holes")
    stages, rooms = tiled(device, one), Rooms(device, one)
    masked = device.put(stages["masked"])
    device.launch(
        "softmax_rows", (200,), masked, rooms.weights, rooms.row_max, rooms.row_sum, None, 200, 200, 200,
        block=(n_threads, 1),
    )  # fmt: skip
    for name in ("weights", "row_max", "row_sum"):
        stages[name] = device.fetch(getattr(rooms, name))
    assert_accurate(stages, one)


@pytest.mark.parametrize("kernel", ["softmax_plain", "softmax_rows"])
@pytest.mark.parametrize("mask", MASKS)
def test_softmax_in_place_gives_the_same_bits(device, kernel, mask):
    one = case(65, mask=mask)
    apart, rooms = tiled(device, one), Rooms(device, one)
    sizes = (65, 65) if kernel == "softmax_plain" else (65, 65, 65)
    masked = device.put(apart["masked"])
    device.launch(kernel, (65,), masked, rooms.weights, rooms.row_max, rooms.row_sum, None, *sizes)
    device.launch(kernel, (65,), masked, masked, rooms.row_max, rooms.row_sum, None, *sizes)
    assert same_bits(device.fetch(masked), device.fetch(rooms.weights))


@pytest.mark.parametrize("way", [plain, tiled])
def test_a_row_that_sees_nothing_has_no_weights_and_no_output(device, way):
    one = case(40, mask="holes")
    stages = way(device, one)
    assert not one.visible()[20].any()
    assert np.isneginf(stages["row_max"][0, 20])
    for stage in ("weights", "row_sum", "output"):
        assert (stages[stage][0, 20] == 0).all()


@pytest.mark.parametrize("way", [plain, tiled])
@pytest.mark.parametrize("size", [1e4, 1e18])
def test_large_scores_overflow_nothing(device, way, size):
    one = case(70, 4, mask="causal")
    stages = way(device, replace(one, q=one.q * np.float32(size)))
    assert np.allclose(stages["weights"][0].sum(axis=1), 1, atol=1e-6)
    assert np.isfinite(stages["output"]).all()


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("n", [10, 65, 130])
def test_listed_rows_are_the_bits_of_a_whole_pass_and_others_stay(device, n, mask):
    one = case(n, 33, 5, mask=mask)
    whole, rooms = plain(device, one), filled(Rooms(device, one))
    rows = np.array([n - 1, 0, n // 2, n // 3], np.int32)
    run_plain(rooms, device.put(rows), None, len(rows), n)
    others = np.setdiff1d(np.arange(n), rows)
    for stage, got in rooms.fetch().items():
        assert same_bits(got[0, rows], whole[stage][0, rows]), stage
        assert (got[0, others] == PATTERN).all(), stage


@pytest.mark.parametrize("kernel", ["softmax_rows", "weighted_sum_rows"])
def test_kernels_of_long_rows_take_a_list_too(device, kernel):
    n, one = 130, case(130, 5, 40)
    whole, rooms = tiled(device, one), filled(Rooms(device, one))
    rows = np.array([129, 0, 70], np.int32)
    listed, masked, weights = device.put(rows), device.put(whole["masked"]), device.put(whole["weights"])
    if kernel == "softmax_rows":
        stages = ("weights", "row_max", "row_sum")
        out = [getattr(rooms, stage) for stage in stages]
        device.launch(kernel, (3,), masked, *out, listed, 3, n, n)
    else:
        stages, out = ("output",), [rooms.output]
        device.launch(kernel, (3, 40), weights, rooms.v, rooms.output, listed, 3, n, 40)
    for stage, room in zip(stages, out, strict=True):
        got = device.fetch(room)
        assert same_bits(got[0, rows], whole[stage][0, rows])
        assert (np.delete(got[0], rows, axis=0) == PATTERN).all()


@pytest.mark.parametrize("mask", MASKS)
def test_listed_keys_are_the_bits_of_a_whole_pass_and_others_stay(device, mask):
    n, one = 70, case(70, 33, mask=mask)
    whole, rooms = plain(device, one), filled(Rooms(device, one))
    rows, keys = np.array([3, 69, 35], np.int32), np.array([69, 2, 40, 0], np.int32)
    on_device = [device.put(listed) for listed in (rows, keys)]
    sizes, launch = (3, 4, n), device.launch
    launch("scores_plain", (4, 3), rooms.q, rooms.k, rooms.scores, *on_device, *sizes, 33)
    launch("scale", (4, 3), rooms.scores, rooms.scaled, *on_device, *sizes, one.divisor)
    launch(
        "mask", (4, 3), rooms.scaled, rooms.masked, rooms.allowed, *on_device, *sizes, 0, one.kind, one.fill
    )
    wanted = np.zeros((n, n), bool)
    wanted[np.ix_(rows, keys)] = True
    for stage in ("scores", "scaled", "masked"):
        got = device.fetch(getattr(rooms, stage))[0]
        assert same_bits(got[wanted], whole[stage][0][wanted])
        assert (got[~wanted] == PATTERN).all()


@pytest.mark.parametrize("n_heads", [2, 3])
@pytest.mark.parametrize("n", [10, 65, 131])
@pytest.mark.parametrize("mask", MASKS)
def test_heads_stacked_are_the_bits_of_each_alone(device, n_heads, n, mask):
    many = case(n, 7, 66, mask=mask, n_heads=n_heads)
    together = tiled(device, many)
    assert_accurate(together, many)
    for head in range(n_heads):
        alone = tiled(device, many.head(head))
        assert all(same_bits(together[stage][head], alone[stage][0]) for stage in STAGES)


@pytest.mark.parametrize("way", [plain, tiled])
@pytest.mark.parametrize("mask", MASKS)
def test_rows_from_the_middle_are_the_bits_of_those_rows(device, way, mask):
    one = case(130, 5, mask=mask)
    some = slice(57, 99)
    allowed = None if one.allowed is None else one.allowed[some]
    part = Case(one.q[:, some], one.k, one.v, one.kind, allowed, one.fill, first_row=57)
    whole, piece = way(device, one), way(device, part)
    assert all(same_bits(piece[stage], whole[stage][:, some]) for stage in STAGES)


@pytest.mark.parametrize("left_out", [("scores",), ("scaled",), ("scores", "scaled")])
@pytest.mark.parametrize("n", [33, 64])
def test_scores_tiled_leaves_out_what_nobody_looks_at(device, n, left_out):
    one = case(n)
    whole, rooms = tiled(device, one), Rooms(device, one)
    out = [None if stage in left_out else getattr(rooms, stage) for stage in ("scores", "scaled", "masked")]
    device.launch(
        "scores_tiled", (n, n), rooms.q, rooms.k, *out, None, n, n, 4, 0, CAUSAL, one.divisor, one.fill
    )
    assert same_bits(device.fetch(rooms.masked), whole["masked"])


@pytest.mark.parametrize("kernel", ["pool_largest", "pool_maximum"])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("bins", [(1, 1), (3, 2), (7, 50), (200, 200)])
def test_pictures_are_those_of_the_cpu(device, kernel, mask, bins):
    one = case(150, mask=mask)
    first_row, n_rows, first_key, n_keys = 20, 100, 11, 97
    rows, keys = slice(first_row, first_row + n_rows), slice(first_key, first_key + n_keys)
    values = tiled(device, one)["scaled" if kernel == "pool_largest" else "weights"][0, rows]
    shape = (-(-n_rows // bins[0]), -(-n_keys // bins[1]))
    picture, square = device.room(shape), device.put(values)
    allowed = None if one.allowed is None else device.put(one.allowed[rows].astype(np.uint8))
    device.launch(
        kernel,
        shape[::-1],
        square,
        picture,
        allowed,
        first_row,
        150,
        first_key,
        n_keys,
        n_rows,
        *bins,
        one.kind,
    )
    wanted = getattr(blocks, kernel)(values[:, keys], ~one.visible()[rows, keys], bins)
    assert same_bits(device.fetch(picture), wanted)


def test_of_two_equal_magnitudes_the_positive_one_is_shown(device):
    values = np.array([[-2, 2, 1, -3], [0, 1, 2, 3]], np.float32)
    square, picture = device.put(values), device.room((1, 2))
    device.launch("pool_largest", (2, 1), square, picture, None, 0, 4, 0, 4, 2, 2, 2, NONE)
    assert device.fetch(picture).tolist() == [[2, 3]]


def test_a_bin_that_is_hidden_wholly_has_its_own_value(device):
    allowed = device.put(np.array([[1, 1, 0, 0]], np.uint8))
    square = device.put(np.array([[-1, -2, 5, 6]], np.float32))
    for kernel, hidden in (("pool_largest", -np.inf), ("pool_maximum", 0)):
        picture = device.room((1, 2))
        device.launch(kernel, (2, 1), square, picture, allowed, 0, 4, 0, 4, 1, 1, 2, ARRAY)
        assert device.fetch(picture)[0, 1] == hidden


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays are the same to the last bit, the sign of zero too."""
    return a.shape == b.shape and np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()


def filled(rooms: Rooms) -> Rooms:
    """Room for stages in which every number is PATTERN."""
    for stage in STAGES:
        room = getattr(rooms, stage)
        setattr(rooms, stage, rooms.device.put(np.full(room.shape, PATTERN)))
    return rooms
