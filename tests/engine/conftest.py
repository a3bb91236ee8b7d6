"""The engine under test, closed after each test."""

from collections.abc import Iterator

import pytest

from attnviz.engine.numpy_engine import NumpyEngine


@pytest.fixture
def engine() -> Iterator[NumpyEngine]:
    """Two threads whatever the machine has, so that sharing the work is tested everywhere."""
    engine = NumpyEngine(n_threads=2)
    yield engine
    engine.close()
