"""In which order threads and blocks run is left to the GPU: no order may change a bit."""

from __future__ import annotations

import pytest

from tests.cuda.attention import STAGES, case, plain, tiled
from tests.cuda.test_kernels import same_bits

pytestmark = pytest.mark.emulated

ORDERS = ("reverse", "seed:1", "seed:2", "seed:3")


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("n", [10, 65, 200])
@pytest.mark.parametrize("mask", ["causal", "holes"])
@pytest.mark.parametrize("way", [plain, tiled])
def test_no_order_of_threads_changes_a_bit(device, monkeypatch, way, mask, n, order):
    one = case(n, 33, 5, mask=mask)
    usual = way(device, one)
    monkeypatch.setenv("CUDAEMU_ORDER", order)
    other = way(device, one)
    assert all(same_bits(usual[stage], other[stage]) for stage in STAGES)


@pytest.mark.parametrize("order", ORDERS)
def test_no_order_changes_what_kernels_of_few_rows_give(device, monkeypatch, order):
    one = case(200, 5, 40)
    weights, v = device.put(tiled(device, one)["weights"]), device.put(one.v)
    outputs = [device.room((1, 200, 40)) for _ in range(2)]
    device.launch("weighted_sum_rows", (200, 40), weights, v, outputs[0], None, 200, 200, 40)
    monkeypatch.setenv("CUDAEMU_ORDER", order)
    device.launch("weighted_sum_rows", (200, 40), weights, v, outputs[1], None, 200, 200, 40)
    assert same_bits(device.fetch(outputs[0]), device.fetch(outputs[1]))
