"""PyCUDA over the emulated driver; the context lives as long as one file of tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from attnviz.engine.kernel_sources import kernel_source
from tests.cuda.device import Device


@pytest.fixture(scope="session")
def driver() -> Any:
    """The module pycuda.driver, initialized, and surely not on a real GPU."""
    import pycuda.driver

    pycuda.driver.init()
    assert "emulator" in pycuda.driver.Device(0).name()
    return pycuda.driver


@pytest.fixture(scope="session")
def image(driver: Any) -> bytes:
    """All kernels, compiled for the emulated device."""
    return compiled(kernel_source())


def compiled(source: str) -> bytes:
    """Kernels compiled by the stand-in nvcc, through PyCUDA."""
    from pycuda.compiler import compile

    return bytes(compile(source, no_extern_c=True, cache_dir=False, arch="sm_86"))


@pytest.fixture(scope="module")
def _context(driver: Any) -> Iterator[Any]:
    context = driver.Device(0).retain_primary_context()
    yield context
    context.detach()


@pytest.fixture
def device(driver: Any, image: bytes, _context: Any) -> Iterator[Device]:
    """The kernels, loaded; their context is current in this thread during the test."""
    _context.push()
    yield Device(driver, image)
    driver.Context.pop()
