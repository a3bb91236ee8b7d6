"""What the device can do at most, measured in the same run: copying memory, and float32 multiply-adds."""

from __future__ import annotations

from statistics import median
from typing import Any

import numpy as np

from tests.gpu.bare_kernels import Device

FMA_SOURCE = r"""
/* 16 sums that do not wait for each other, by 256 threads a block; nothing but multiply-adds. */
extern "C" __global__ void multiply_add(float *out, float by, float plus, int rounds)
{
    float sum[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) sum[i] = threadIdx.x + i;
    for (int round = 0; round < rounds; ++round)
#pragma unroll
        for (int i = 0; i < 16; ++i) sum[i] = fmaf(sum[i], by, plus);
    float total = 0.0f;
#pragma unroll
    for (int i = 0; i < 16; ++i) total += sum[i];
    out[(size_t)blockIdx.x * blockDim.x + threadIdx.x] = total; /* or the compiler leaves it all out */
}
"""
SUMS, THREADS = 16, 256


class Stopwatch:
    """Times launches by the device's own events.

    Parameters
    ----------
    driver, stream
        As in ``Device``.
    spare
        Bytes of the copy that runs before each timed launch. While it runs, the launch and its events are
        queued behind it, so that no time of the host is measured; and it leaves nothing of the launch's own
        data in the device's cache.
    """

    def __init__(self, driver: Any, stream: Any, spare: int) -> None:
        self._driver, self._stream, self._spare = driver, stream, spare
        self._from, self._to = driver.mem_alloc(spare), driver.mem_alloc(spare)
        # Zeros can be faster to copy than true data.
        noise = np.random.default_rng(0).integers(0, 256, spare, np.uint8)
        driver.memcpy_htod(self._from, noise)

    def median_of(self, launch: Any, repeats: int = 15, warm: int = 3) -> float:
        """Give the median time of ``launch()`` in µs; it is called ``warm`` times before."""
        return median(self.times(launch, repeats, warm))

    def times(self, launch: Any, repeats: int, warm: int) -> list[float]:
        """Give the times of ``launch()`` in µs, one by one."""
        driver, stream = self._driver, self._stream
        for _ in range(warm):
            launch()
        stream.synchronize()
        times = []
        for _ in range(repeats):
            start, end = driver.Event(), driver.Event()
            self.copy()
            start.record(stream)
            launch()
            end.record(stream)
            end.synchronize()
            times.append(start.time_till(end) * 1000)
        return times

    def copy(self) -> None:
        """Queue the copy: the device reads and writes ``spare`` bytes each."""
        self._driver.memcpy_dtod_async(self._to, self._from, self._spare, self._stream)

    def close(self) -> None:
        """Free the memory of the copy."""
        self._stream.synchronize()
        self._from.free()
        self._to.free()


def copy_bandwidth(stopwatch: Stopwatch, spare: int, repeats: int) -> float:
    """Give bytes per µs of a device-to-device copy, read and written ones counted."""
    return 2 * spare / stopwatch.median_of(stopwatch.copy, repeats)


def arithmetic_peak(device: Device, stopwatch: Stopwatch, rounds: int, n_blocks: int) -> float:
    """Give float32 operations per µs; a multiply-add counts as two.

    Raises
    ------
    pycuda.driver.CompileError
        Where nvcc cannot compile the loop; a missing nvcc is an OSError.
    """
    from pycuda.compiler import SourceModule

    module = SourceModule(FMA_SOURCE, no_extern_c=True, cache_dir=False)
    kernel = module.get_function("multiply_add").prepare("Pffi")
    out = device.room(n_blocks * THREADS)
    grid, block = (n_blocks, 1), (THREADS, 1, 1)
    time = stopwatch.median_of(
        lambda: kernel.prepared_async_call(grid, block, device.stream, out, 0.9999, 0.5, rounds)
    )
    return 2.0 * SUMS * rounds * THREADS * n_blocks / time
