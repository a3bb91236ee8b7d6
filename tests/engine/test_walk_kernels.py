"""What of a launch over long rows is refused, and how keys are cut for it; PyCUDA here is a stand-in."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.engine import key_slices
from attnviz.engine.kernels import Kernels
from attnviz.engine.key_slices import cut_keys, launches_of, slice_size
from attnviz.engine.walk_kernels import PooledKeys, SeenOnDevice, WalkedHead, WalkKernels
from tests.engine.test_kernels import STREAM, Driver

HEAD = WalkedHead(q=1, k=2, rows=3, n_rows=65, n_key=300, d=5, divisor=2.0)
SEEN = SeenOnDevice(ranges=4, n_ranges=1, hidden_keys=None)
POOLED = PooledKeys(high=5, low=6, sums=None, counts=None, keys=(10, 300), bin_keys=7)


@pytest.fixture
def driver():
    return Driver()


@pytest.fixture
def walks(driver):
    return WalkKernels(Kernels(driver, b"code"), STREAM)


def test_a_walk_is_a_block_for_each_slice_and_64_rows(driver, walks):
    walks.walk_keys(HEAD, SEEN, 9, 3, (0, 300), part_top=7, pooled=POOLED)
    walks.pool_rows(HEAD, POOLED, (7, 8), places=1, starts=2, n_lines=9, picture=(1, 2, 3, 4))
    walks.known_cells(HEAD, SEEN, (100, 230), (7, 8), scores=None, weights=9, fill=0.0)
    assert [launch[:3] for launch in driver.launched] == [
        ("walk_keys", (3, 2, 1), (16, 16, 1)),
        ("pool_rows", (2, 2, 1), (32, 8, 1)),  # of 42 x 9 cells
        ("known_cells", (3, 2, 1), (16, 16, 1)),
    ]
    sums = (65, 5, 1, 0, 0, 10, 300, 7, 2.0)
    assert driver.launched[0][3] == (1, 2, 3, 9, 4, 0, 0, 0, 0, 7, 0, 0, 5, 6, 0, 0, *sums)


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"keys": (0, 301)}, r"keys \(0, 301\), where there are 300"),
        ({"keys": (20, 10)}, r"keys \(20, 10\)"),
        ({"part_top": None, "part_total": 1}, "without the maximum"),
        ({"pooled": replace(POOLED, bin_keys=0)}, "a bin of 0 keys"),
        ({"pooled": replace(POOLED, keys=(10, 301))}, r"keys \(10, 301\)"),
        ({"pooled": replace(POOLED, sums=1, counts=2)}, "a mean needs"),
        ({"pooled": replace(POOLED, sums=1), "statistics": (1, 2)}, "a mean needs"),
        ({"seen": SeenOnDevice(None, 0, None, 8, (0, 299))}, "a mask that is there for"),
        ({"seen": SeenOnDevice(None, 1, None)}, "ranges that are nowhere"),
        ({"n_slices": -1}, "a size is negative"),
    ],
)
def test_what_would_touch_memory_that_is_not_there_is_refused(driver, walks, changed, complaint):
    arguments = {"seen": SEEN, "slices": 9, "n_slices": 3, "keys": (0, 300), "part_top": 7, **changed}
    with pytest.raises(ValueError, match=f"walk_keys: .*{complaint}"):
        walks.walk_keys(HEAD, **arguments)
    assert driver.launched == []


@given(st.data())
def test_slices_cover_each_key_once_and_none_of_a_group_shares_a_bin(data):
    draw = data.draw
    edges = sorted(draw(st.sets(st.integers(0, 400), min_size=2, max_size=6)))
    spans = list(zip(edges[::2], edges[1::2], strict=False))
    size, bin_keys = draw(st.integers(1, 90)), draw(st.integers(1, 300))
    origin = draw(st.integers(0, 100))
    groups = cut_keys(spans, size, origin, bin_keys)
    slices = [each for group in groups for each in group]
    keys = [key for first, last in slices for key in range(first, last)]
    assert sorted(keys) == [key for first, last in spans for key in range(first, last)]
    assert all(0 < last - first <= size for first, last in slices)
    for group in groups:
        bins = [{(key - origin) // bin_keys for key in range(first, last)} for first, last in group]
        assert sum(map(len, bins)) == len(set().union(*bins))


def test_launches_are_as_large_as_they_may_be_and_no_larger(monkeypatch):
    monkeypatch.setattr(key_slices, "MOST_WORK", 1000)
    slices = [(start, start + 10) for start in range(0, 100, 10)]
    assert [len(launch) for launch in launches_of([slices], 30, 10**6)] == [3, 3, 3, 1]
    assert [len(launch) for launch in launches_of([slices], 1, 40)] == [4, 4, 2]
    assert [len(launch) for launch in launches_of([slices], 10**6, 10**6)] == [1] * 10
    assert [len(launch) for launch in launches_of([slices[:4], slices[4:]], 1, 10**6)] == [4, 6]


@pytest.mark.parametrize(("n_rows", "wanted"), [(1, 256), (512, 2048), (4096, 4096)])
def test_few_rows_are_cut_into_more_slices(n_rows, wanted):
    assert slice_size([(0, 131_072)], n_rows) == wanted
