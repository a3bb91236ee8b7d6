"""A CudaEngine for tests on a GPU."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session")
def kernel_cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Compile the kernels once for all tests here; each test has a home, and so a cache, of its own."""
    return str(tmp_path_factory.mktemp("kernels"))


@pytest.fixture(autouse=True)
def _one_compilation(kernel_cache: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTNVIZ_KERNEL_CACHE", kernel_cache)


@pytest.fixture
def new_engine() -> Iterator:
    """Give a function that makes engines; all are closed after the test."""
    from attnviz.engine.cuda_engine import CudaEngine

    engines = []

    def make() -> CudaEngine:
        engines.append(CudaEngine())
        return engines[-1]

    yield make
    while engines:
        engines.pop().close()


@pytest.fixture
def engine(new_engine):
    return new_engine()
