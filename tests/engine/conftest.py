"""The engine under test: numpy's, or with ATTNVIZ_TEST_ENGINE=cuda the CUDA engine."""

import os
from collections.abc import Callable, Iterator

import pytest

from attnviz.engine.base import Engine
from attnviz.engine.numpy_engine import NumpyEngine

USES_CUDA = os.environ.get("ATTNVIZ_TEST_ENGINE") == "cuda"


def _engine(n_threads: int) -> Engine:
    if USES_CUDA:
        from attnviz.engine.cuda_engine import CudaEngine

        return CudaEngine()
    return NumpyEngine(n_threads)


@pytest.fixture
def engine() -> Iterator[Engine]:
    """Two threads whatever the machine has, so that sharing the work is tested everywhere."""
    engine = _engine(n_threads=2)
    yield engine
    engine.close()


@pytest.fixture
def lone_engine() -> Iterator[Engine]:
    """One thread does all jobs, so that it is certain how often progress is asked for."""
    engine = _engine(n_threads=1)
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def lasting_engine() -> Iterator[Engine]:
    """One for all tests, as hypothesis wants it; it holds no thread that a test could be blamed for."""
    engine = _engine(n_threads=1)
    yield engine
    engine.close()


@pytest.fixture
def make_engine() -> Iterator[Callable[..., Engine]]:
    """Make CUDA engines of one's own, closed after the test."""
    from attnviz.engine.cuda_engine import CudaEngine

    made = []

    def make(**options) -> CudaEngine:
        made.append(CudaEngine(**options))
        return made[-1]

    yield make
    for engine in made:
        engine.close()


@pytest.fixture
def small_limits(monkeypatch):
    """Make a document of 21 tokens long, and blocks, jobs and what is worth telling as small."""
    for name, value in {
        "attnviz.core.inputs.DENSE_TOKENS": 20,
        "attnviz.core.request.DENSE_TOKENS": 20,
        "attnviz.engine.key_walk.BLOCK_CELLS": 80,
        "attnviz.engine.long_engine.JOB_ROWS": 10,
        "attnviz.engine.kept_pictures.BLOCK_ROWS": 4,
        "attnviz.engine.watch.ASKED_EVERY": 0.0,
        "attnviz.engine.watch.SHOWN_EVERY": 0.0,
    }.items():
        monkeypatch.setattr(name, value)
