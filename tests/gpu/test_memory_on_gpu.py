"""A GPU without free memory costs one step on the CPU, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from attnviz.core.request import Request
from attnviz.engine.cuda_errors import DeviceFull
from attnviz.engine.numpy_engine import NumpyEngine
from tests.engine.documents import assert_accurate, document
from tests.gpu.sizes import DIMS, N_TOKENS

pytestmark = pytest.mark.gpu

SMALLEST = 1 << 16


@contextmanager
def all_memory_taken() -> Iterator[int]:
    """Hold all device memory but crumbs, by plain allocations; give how many bytes were taken."""
    import pycuda.driver as driver

    context = driver.Device(0).retain_primary_context()
    context.push()
    taken, size, total = [], driver.mem_get_info()[0], 0
    try:
        while size >= SMALLEST:
            try:
                taken.append(driver.mem_alloc(size))
                total += size
            except driver.MemoryError:
                size //= 2
        yield total
    finally:
        for memory in taken:
            memory.free()
        context.pop()
        context.detach()


def test_a_full_device_says_so_and_the_engine_goes_on(engine):
    small, large = Request.whole(document(10, 4)), Request.whole(document(N_TOKENS, DIMS))
    before = engine.compute(small)
    with all_memory_taken() as total:
        assert total > 1 << 20
        with pytest.raises(DeviceFull):
            engine.compute(large, before)
    assert_accurate(engine.compute(large, before))


def test_with_a_fallback_the_cpu_answers_while_the_device_is_full(engine):
    from attnviz.engine.fallback import WithFallback

    both = WithFallback(engine, lambda: NumpyEngine(n_threads=1))
    try:
        request = Request.whole(document(N_TOKENS, DIMS))
        with all_memory_taken():
            stages = both.compute(request)
        assert_accurate(stages)
        assert stages.engine.startswith("CPU")
        assert stages.engine_note
        again = both.compute(request)
        assert_accurate(again)
        assert again.engine.startswith("CUDA")
    finally:
        both.close()
