"""The plain ways of the benchmarks give the definition, and their table says what was found."""

from __future__ import annotations

import numpy as np
import pytest

from tests.benchmarks import plain
from tests.benchmarks.bound import LayerBound, map_bound
from tests.benchmarks.report import BEGIN, END, with_table
from tests.benchmarks.row import Row, Times, exponent


@pytest.fixture
def vectors() -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    return [rng.standard_normal((1, 512, 16), np.float32) for _ in range(3)]


@pytest.mark.parametrize("pixels", [512, 128, 32])
def test_the_plain_map_of_any_length_holds_the_largest_weight_of_each_bin(vectors, pixels):
    q, k, _ = (array[0] for array in vectors)
    weights = plain.causal_attention(*vectors)[3][0]
    side = 512 // pixels
    wanted = weights.reshape(pixels, side, pixels, side).max(axis=(1, 3))
    np.testing.assert_allclose(plain.causal_map(q, k, pixels, 2, height=64), wanted, rtol=1e-4, atol=1e-9)


def test_the_bound_of_a_map_says_how_much_of_the_whole_its_sample_is(vectors):
    q, k, _ = (array[0] for array in vectors)
    long_q, long_k = np.tile(q, (8, 1)), np.tile(k, (8, 1))
    assert map_bound(long_q, long_k, 2) == 1.0
    assert map_bound(long_q, long_k, 2, every=8) == pytest.approx(36 / 5)


def test_the_bound_of_a_layer_gives_an_output_of_exponentials(vectors):
    bound = LayerBound(*vectors, threads=2)
    bound.go()
    bound.go()
    assert np.isfinite(bound._output).all()
    assert np.abs(bound._output).max() > 0


def test_a_way_is_timed_only_where_it_counts():
    times = Times()
    assert times.take(lambda: 5, counts=False) == 5
    assert not times.wall
    times.take(lambda: sum(range(100_000)))
    assert times.wall[0] > 0
    assert times.cpu[0] > 0
    assert times.row("a").median == times.wall[0]


def test_growth_is_the_exponent_of_size():
    assert exponent([10, 100, 1000], [3.0, 300.0, 30_000.0]) == pytest.approx(2)


def test_the_table_replaces_what_stood_between_the_marks():
    text = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    rows = [Row.of("a", [1.0, 3.0], 2.5, "≥ 3"), Row("b", 41.5, unit="MB")]
    told = with_table(text, "a machine", rows)
    assert told == (
        f"before\n{BEGIN}\na machine:\n\n| what | median | p95 | CPU | ratio | aim |\n"
        f"| --- | --- | --- | --- | --- | --- |\n| a | 2.00 | 2.90 |  | 2.50 | ≥ 3 |\n"
        f"| b | 41.50 MB |  |  |  |  |\n"
        f"{END}\nafter\n"
    )
    assert with_table(told, "a machine", rows) == told
    with pytest.raises(ValueError, match="no place"):
        with_table("without marks", "a machine", rows)
