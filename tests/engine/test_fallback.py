"""The answer comes all the same: from the CPU where CUDA has no memory or breaks down, and it says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attnviz.core.request import HEAD_OUTPUTS, Request
from attnviz.engine import fallback
from attnviz.engine.cuda_errors import DeviceFull, DeviceLost
from attnviz.engine.fallback import WithFallback, earlier_breakdown
from attnviz.engine.numpy_engine import NumpyEngine
from tests.engine.documents import document

FULL = DeviceFull("The GPU is full.")
LOST = DeviceLost("The GPU is lost.")


class FakeCuda:
    """Computes as numpy does, under another name, until it is given an error."""

    name = "CUDA: a fake"

    def __init__(self) -> None:
        self._numpy = NumpyEngine(1)
        self.error: Exception | None = None
        self.previous = []
        self.is_closed = False

    def compute(self, request, previous=None, progress=None):
        self.previous.append(previous)
        if self.error is not None:
            raise self.error
        return replace(self._numpy.compute(request, previous, progress), engine=self.name)

    def close(self):
        self.is_closed = True
        self._numpy.close()
        if isinstance(self.error, DeviceLost):
            raise RuntimeError("cuCtxPopCurrent failed")


@pytest.fixture(autouse=True)
def _no_breakdown(monkeypatch):
    monkeypatch.setattr(fallback, "_breakdowns", [])


@pytest.fixture
def cuda():
    return FakeCuda()


@pytest.fixture
def engine(cuda):
    engine = WithFallback(cuda, lambda: NumpyEngine(1))
    yield engine
    engine.close()


REQUEST = Request.whole(document(5), 0, 3)


def test_cuda_computes_and_its_answers_pass_through_untouched(engine, cuda):
    assert engine.name == cuda.name
    stages = engine.compute(REQUEST)
    assert (stages.engine, stages.engine_note) == (cuda.name, None)
    again = engine.compute(REQUEST, stages)
    assert cuda.previous == [None, stages]
    assert again.weights.blocks[0] is stages.weights.blocks[0]


def test_a_full_device_leaves_one_answer_to_the_cpu(engine, cuda):
    first = engine.compute(REQUEST)
    cuda.error = FULL
    stages = engine.compute(REQUEST, first)
    assert stages.engine.startswith("CPU: numpy")
    assert str(stages.engine_note) == "The GPU is full."
    assert stages.weights.array() == pytest.approx(first.weights.array())
    cuda.error = None
    after = engine.compute(REQUEST, stages)
    assert (after.engine, after.engine_note) == (cuda.name, None)
    assert not cuda.is_closed
    assert earlier_breakdown() is None


def test_a_lost_device_is_closed_and_the_cpu_computes_from_then_on(engine, cuda):
    cuda.error = LOST
    for _ in range(2):
        stages = engine.compute(REQUEST)
        assert stages.engine == engine.name
        assert engine.name.startswith("CPU: numpy")
        assert str(stages.engine_note) == "The GPU is lost."
    assert cuda.is_closed
    assert len(cuda.previous) == 1


def test_a_lost_device_stays_off_for_the_process(engine, cuda):
    assert earlier_breakdown() is None
    cuda.error = LOST
    engine.compute(REQUEST)
    assert str(earlier_breakdown()) == "CUDA is off until attnviz is started again: The GPU is lost."


def test_an_answer_shares_nothing_with_one_of_another_engine(engine, cuda):
    first = engine.compute(REQUEST)
    cuda.error = FULL
    second = engine.compute(REQUEST, first)
    third = engine.compute(REQUEST, second)
    assert second.weights.blocks[0] is not first.weights.blocks[0]
    assert third.weights.blocks[0] is second.weights.blocks[0]
    cuda.error = None
    engine.compute(REQUEST, third)
    assert cuda.previous[-1] is None


def test_the_note_holds_on_to_nothing_that_was_at_work(engine, cuda):
    cuda.error = LOST
    note = engine.compute(REQUEST).engine_note
    assert (note.__traceback__, note.__context__, note.__cause__) == (None, None, None)


def test_partial_answers_carry_the_note_too(monkeypatch, cuda):
    monkeypatch.setattr("attnviz.engine.numpy_engine._PARTIAL_WORK", 1)
    engine = WithFallback(cuda, lambda: NumpyEngine(1))
    cuda.error = FULL
    partial = []
    request = replace(Request.whole(document(5, n_heads=2)), extras=frozenset({HEAD_OUTPUTS}))
    engine.compute(request, None, lambda fraction, stages: partial.append(stages) or True)
    engine.close()
    notes = [stages.engine_note for stages in partial if stages is not None]
    assert [str(note) for note in notes] == ["The GPU is full."]


def test_a_computation_that_was_stopped_gives_nothing(engine, cuda):
    cuda.error = FULL
    assert engine.compute(REQUEST, None, lambda fraction, stages: False) is None


def test_an_error_that_is_none_of_the_device_is_not_hidden(engine, cuda):
    cuda.error = ZeroDivisionError()
    with pytest.raises(ZeroDivisionError):
        engine.compute(REQUEST)


def test_closing_closes_both(cuda):
    cuda.error = FULL
    made = []

    class Cpu(NumpyEngine):
        def close(self):
            made.append("closed")
            super().close()

    engine = WithFallback(cuda, lambda: Cpu(1))
    engine.compute(REQUEST)
    engine.close()
    assert (made, cuda.is_closed) == (["closed"], True)


def test_long_documents_are_computed_by_both_engines_too(engine, cuda, small_limits):
    request = Request.whole(document(30))
    assert engine.compute(request).engine == cuda.name
    cuda.error = FULL
    stages = engine.compute(request)
    assert stages.engine.startswith("CPU")
    assert str(stages.engine_note) == "The GPU is full."
    cuda.error = None
    assert engine.compute(request, stages).engine == cuda.name
