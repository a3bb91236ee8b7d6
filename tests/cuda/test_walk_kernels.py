"""The kernels of long documents on the emulated driver, against those of squares and against float64."""

from __future__ import annotations

import numpy as np
import pytest

from tests.cuda.attention import Case, case, plain
from tests.cuda.walks import Walk, joined, statistics, walk

pytestmark = pytest.mark.emulated

MASKS = ("none", "causal", "holes")
ROWS = (0, 3, 4, 70, 75, 76, 149)


class OnDevice:
    """A walk's arrays on the device."""

    def __init__(self, device, one: Walk) -> None:
        self._device, self._walk = device, one
        *seen, self._sizes = one.seen()
        self.q, self.k = device.put(one.case.q), device.put(one.case.k)
        self.rows, self.slices = device.put(one.rows), device.put(one.slices)
        self.seen = [None if array is None else device.put(array) for array in seen]
        parts = (len(one.slices), len(one.rows))
        self.parts = [device.room(parts) for _ in range(3)]

    def pools(self, columns: int, mean: bool = False):
        """Pools in which nothing has been seen yet."""
        shape = columns, len(self._walk.rows)
        contents = (-np.inf, np.inf, 0, 0) if mean else (-np.inf, np.inf)
        pools = [self._device.put(np.full(shape, number, np.float32)) for number in contents]
        return pools if mean else [*pools, None, None]

    def walk_keys(self, pools, keys, bin_keys, known=(None, None), parts=None, slices=None) -> None:
        one, n_slices = self._walk, len(self._walk.slices)
        self._device.launch(
            "walk_keys", (n_slices, len(one.rows)), self.q, self.k, self.rows, slices or self.slices,
            *self.seen, *known, *(self.parts if parts is None else parts), *pools, *one.sizes, *self._sizes,
            *keys, bin_keys, one.case.divisor,
        )  # fmt: skip

    def known_cells(self, known, keys, scores, weights) -> None:
        one, n_keys = self._walk, keys[1] - keys[0]
        self._device.launch(
            "known_cells", (n_keys, len(one.rows)), self.q, self.k, self.rows, *self.seen, *known, scores,
            weights, *one.sizes, *self._sizes, keys[0], n_keys, one.case.divisor, one.case.fill,
        )  # fmt: skip


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("dims", [1, 33])
@pytest.mark.parametrize("cuts", [(), (64, 65, 128)])
def test_a_walk_gives_the_sums_of_whole_rows(device, mask, dims, cuts):
    one = walk(case(150, dims, mask=mask), ROWS, *cuts)
    rooms = OnDevice(device, one)
    rooms.walk_keys((None,) * 4, (0, 0), 1)
    scaled = plain(device, one.case)["scaled"][0, one.rows]
    tops, totals, weighted = (device.fetch(part) for part in rooms.parts)
    for index, (first, last) in enumerate(one.slices):
        seen = np.where(one.visible(), scaled, -np.inf)[:, first:last]
        assert (tops[index] == seen.max(axis=1)).all()
    wanted = statistics(scaled, one.visible())
    got = joined(tops, totals, weighted)
    assert (got[0] == wanted[0]).all()
    assert np.allclose(got[1], wanted[1], rtol=1e-6, atol=0)
    assert np.allclose(got[2], wanted[2], rtol=1e-5, atol=1e-6)


def test_sums_of_large_scores_overflow_nothing(device):
    large = case(70, 4, mask="causal")
    one = walk(Case(large.q * np.float32(1e6), large.k, large.v, large.kind), np.arange(70), 30)
    rooms = OnDevice(device, one)
    rooms.walk_keys((None,) * 4, (0, 0), 1)
    top, total, weighted = joined(*(device.fetch(part) for part in rooms.parts))
    assert np.isfinite(top).all()
    assert (total >= 1).all()
    assert (weighted <= 0).all()
    assert np.isfinite(weighted).all()


def test_a_row_that_sees_nothing_has_no_sum(device):
    one = walk(case(150, mask="holes"), ROWS)
    rooms = OnDevice(device, one)
    rooms.walk_keys((None,) * 4, (0, 0), 1)
    tops, totals, weighted = (device.fetch(part)[0] for part in rooms.parts)
    assert not one.visible()[4].any()
    assert (tops[4], totals[4], weighted[4]) == (-np.inf, 0, 0)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("bin_keys", [1, 7, 64, 100])
def test_keys_are_pooled_to_the_largest_and_smallest_that_is_seen(device, mask, bin_keys):
    keys = (11, 140)
    cut = 11 + bin_keys * -(-60 // bin_keys)  # no bin lies in two slices
    one = walk(case(150, 5, mask=mask), ROWS, cut)
    rooms, columns = OnDevice(device, one), -(-(keys[1] - keys[0]) // bin_keys)
    pools = rooms.pools(columns)
    rooms.walk_keys(pools, keys, bin_keys, parts=(None,) * 3)
    scores = plain(device, one.case)["scores"][0, one.rows]
    starts = np.arange(0, keys[1] - keys[0], bin_keys)
    for room, how, empty in ((pools[0], np.maximum, -np.inf), (pools[1], np.minimum, np.inf)):
        shown = np.where(one.visible(), scores, np.float32(empty))[:, slice(*keys)]
        assert (device.fetch(room) == how.reduceat(shown, starts, axis=1).T).all()


def test_a_bin_goes_on_from_one_launch_to_the_next(device):
    whole = case(150, 5)
    once, twice = (OnDevice(device, walk(whole, ROWS, *cuts)) for cuts in ((), (70,)))
    pools, others = once.pools(2), twice.pools(2)
    once.walk_keys(pools, (0, 150), 100)
    for slices in ([[0, 70], [0, 0]], [[70, 150], [0, 0]]):  # bin 0 is in both
        twice.walk_keys(others, (0, 150), 100, slices=device.put(np.array(slices, np.int32)))
    assert all((device.fetch(a) == device.fetch(b)).all() for a, b in zip(pools[:2], others[:2], strict=True))


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("bin_keys", [1, 7, 100])
def test_means_are_weights_added_up_and_how_many(device, mask, bin_keys):
    one = walk(case(150, 5, mask=mask), ROWS)
    rooms, keys = OnDevice(device, one), (11, 140)
    scaled = plain(device, one.case)["scaled"][0, one.rows].astype(np.float64)
    top, total, _ = statistics(scaled, one.visible())
    known = [device.put(each.astype(np.float32)) for each in (top, total)]
    pools = rooms.pools(-(-(keys[1] - keys[0]) // bin_keys), mean=True)
    rooms.walk_keys(pools, keys, bin_keys, known)
    weights = weights_of(scaled, one.visible(), top, total)[:, slice(*keys)]
    starts = np.arange(0, keys[1] - keys[0], bin_keys)
    assert np.allclose(device.fetch(pools[2]), np.add.reduceat(weights, starts, axis=1).T, atol=1e-6)
    seen = one.visible()[:, slice(*keys)].astype(int)
    assert (device.fetch(pools[3]) == np.add.reduceat(seen, starts, axis=1).T).all()


def test_a_hidden_key_is_seen_by_no_row(device):
    one = walk(case(150, 5, mask="none"), ROWS)
    rooms, flags = OnDevice(device, one), np.zeros(150, np.uint8)
    flags[[0, 77]] = 1
    rooms.seen[1] = device.put(flags)
    pools = rooms.pools(150)
    rooms.walk_keys(pools, (0, 150), 1)
    assert np.isneginf(device.fetch(pools[0])[[0, 77]]).all()
    assert np.isneginf(device.fetch(pools[0])).sum() == 2 * len(ROWS)


@pytest.mark.parametrize("mean", [False, True])
def test_rows_are_pooled_to_rows_of_the_picture(device, mean):
    rng, (columns, n_rows) = np.random.default_rng(0), (45, 20)
    high, low, sums, counts = rng.standard_normal((4, columns, n_rows)).astype(np.float32)
    top, total = rng.standard_normal(n_rows).astype(np.float32) + 3, np.full(n_rows, 5, np.float32)
    high[:, 4], top[4], total[4] = -np.inf, -np.inf, 0  # sees nothing
    places, starts = np.array([0, 2, 3, 4, 9, 19], np.int32), np.array([0, 1, 3, 4], np.int32)
    put, shape = device.put, (4, columns)
    pictures = [device.room(shape) for _ in range(4)]
    device.launch(
        "pool_rows", (columns, 4), put(high), put(low), *((put(sums), put(counts)) if mean else (None, None)),
        put(top), put(total), put(places), put(np.append(starts, len(places)).astype(np.int32)), *pictures,
        n_rows, columns, 4, 2.0,
    )  # fmt: skip
    highs, lows, weights = (device.fetch(picture) for picture in pictures[:3])

    def pooled(how, values):
        return how.reduceat(values[:, places], starts, axis=1).T

    assert (highs == pooled(np.maximum, high)).all()
    assert (lows == pooled(np.minimum, low)).all()
    if mean:
        assert np.allclose(weights, pooled(np.add, sums), atol=1e-6)
        assert np.allclose(device.fetch(pictures[3]), pooled(np.add, counts), atol=1e-6)
    else:
        each = weights_of(high.T / 2.0, np.ones((n_rows, columns), bool), top, total).T
        assert np.allclose(weights, pooled(np.maximum, each), atol=1e-6)


@pytest.mark.parametrize("mask", [*MASKS, "finite"])
@pytest.mark.parametrize("keys", [(0, 150), (11, 76)])
def test_cells_of_known_rows_are_those_of_the_square(device, mask, keys):
    one = walk(case(150, 33, mask=mask), ROWS)
    rooms, square = OnDevice(device, one), plain(device, one.case)
    known = [device.put(square[name][0, one.rows]) for name in ("row_max", "row_sum")]
    scores, weights = (device.room((len(ROWS), keys[1] - keys[0])) for _ in range(2))
    rooms.known_cells(known, keys, scores, weights)
    assert (device.fetch(scores) == square["scores"][0, one.rows][:, slice(*keys)]).all()
    wanted = square["weights"][0, one.rows][:, slice(*keys)]
    assert np.allclose(device.fetch(weights), wanted, rtol=1e-6, atol=0)
    alone = device.room(weights.shape)
    rooms.known_cells(known, keys, None, alone)
    assert (device.fetch(alone) == device.fetch(weights)).all()


def weights_of(scaled, visible, top, total):
    """The definition of a weight from what is known of its row."""
    below = np.where(visible, scaled - np.where(np.isfinite(top), top, 0.0)[:, None], -np.inf)
    return np.exp(np.minimum(below, 0.0)) / np.where(total > 0, total, 1.0)[:, None]
