"""Choosing an engine, and saying in plain words why it is not CUDA."""

import subprocess
import sys
from types import ModuleType

import pytest

from attnviz.core.errors import AttnvizError, InputError
from attnviz.engine import fallback, select
from attnviz.engine.base import EngineUnavailable
from attnviz.engine.cuda_errors import DeviceLost
from attnviz.engine.fallback import WithFallback
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.engine.select import available_engines, choose_engine, cuda_obstacle


class FakeCuda:
    name = "CUDA: a fake"
    error: Exception | None = None
    closed = 0

    def __init__(self):
        if self.error is not None:
            raise self.error

    def compute(self, request, previous=None, progress=None):
        raise NotImplementedError

    def close(self):
        FakeCuda.closed += 1


@pytest.fixture
def pycuda(monkeypatch):
    """A machine on which PyCUDA is installed and a fake engine comes of it."""
    module = ModuleType("attnviz.engine.cuda_engine")
    module.CudaEngine = FakeCuda
    monkeypatch.setitem(sys.modules, "attnviz.engine.cuda_engine", module)
    monkeypatch.setattr(select, "find_spec", lambda name: name)
    monkeypatch.setattr(FakeCuda, "error", None)
    monkeypatch.setattr(FakeCuda, "closed", 0)
    monkeypatch.setattr(fallback, "_breakdowns", [])
    return monkeypatch


@pytest.fixture
def no_pycuda(monkeypatch):
    """A machine without PyCUDA."""
    monkeypatch.setattr(select, "find_spec", lambda name: None)
    monkeypatch.setattr(fallback, "_breakdowns", [])


@pytest.mark.parametrize(("wish", "reason"), [("auto", "PyCUDA is not installed"), ("cpu", "asked for")])
def test_the_cpu_computes_and_the_reason_is_said(no_pycuda, wish, reason):
    engine, why = choose_engine(wish)
    assert isinstance(engine, NumpyEngine)
    assert isinstance(why, AttnvizError)
    assert reason in str(why)
    engine.close()


def test_asking_for_cuda_is_refused_with_the_reason(no_pycuda):
    with pytest.raises(EngineUnavailable, match="PyCUDA is not installed") as refusal:
        choose_engine("cuda")
    assert refusal.value.__cause__ is refusal.value.__context__ is None


def test_an_unknown_engine_is_refused():
    with pytest.raises(InputError, match="“tpu”; auto, cuda or cpu"):
        choose_engine("tpu")


@pytest.mark.parametrize("wish", ["auto", "cuda"])
def test_cuda_is_taken_where_it_can_be_used(pycuda, wish):
    engine, why = choose_engine(wish)
    assert isinstance(engine, WithFallback)
    assert (engine.name, why) == ("CUDA: a fake", None)
    engine.close()
    assert FakeCuda.closed == 1


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (EngineUnavailable("There is no compiler."), "There is no compiler."),
        (ImportError("libcuda.so.1: cannot open shared object file"), "There is no NVIDIA driver"),
        (DeviceLost("It broke."), "CUDA could not be made ready: It broke."),
        (ZeroDivisionError("division by zero"), "(division by zero)"),
    ],
)
def test_whatever_keeps_cuda_away_the_cpu_computes(pycuda, error, words):
    pycuda.setattr(FakeCuda, "error", error)
    engine, why = choose_engine("auto")
    assert isinstance(engine, NumpyEngine)
    assert words in str(why)
    assert why.__traceback__ is None
    engine.close()
    with pytest.raises(EngineUnavailable) as refusal:
        choose_engine("cuda")
    assert str(refusal.value) == str(why)
    assert refusal.value.__context__ is None


def test_after_a_breakdown_cuda_is_refused_until_the_next_start(pycuda):
    pycuda.setattr(fallback, "_breakdowns", [DeviceLost("It broke.")])
    engine, why = choose_engine("auto")
    assert str(why) == "CUDA is off until attnviz is started again: It broke."
    assert str(cuda_obstacle()) == str(why)
    engine.close()


def test_without_pycuda_the_obstacle_is_seen_without_trying(no_pycuda):
    assert "PyCUDA is not installed" in str(cuda_obstacle())


def test_with_pycuda_only_trying_tells(pycuda):
    assert cuda_obstacle() is None


def test_all_engines_are_listed_with_what_keeps_them_away(no_pycuda):
    cuda, cpu = available_engines()
    assert (cuda.name, cuda.is_available) == ("cuda", False)
    assert "PyCUDA is not installed" in cuda.reason
    assert (cpu.name, cpu.is_available, cpu.reason) == ("cpu", True, "")
    assert cpu.device.startswith("CPU: numpy")


def test_cuda_is_listed_only_when_it_was_really_made_and_is_closed_again(pycuda):
    cuda, _ = available_engines()
    assert (cuda.device, cuda.is_available, cuda.reason) == ("CUDA: a fake", True, "")
    assert FakeCuda.closed == 1
    pycuda.setattr(FakeCuda, "error", EngineUnavailable("There is no compiler."))
    cuda, cpu = available_engines()
    assert (cuda.is_available, cuda.reason) == (False, "There is no compiler.")
    assert cpu.is_available


def test_looking_for_an_obstacle_imports_nothing():
    script = """
import sys
from attnviz.engine.select import choose_engine, cuda_obstacle

cuda_obstacle()
choose_engine("cpu")[0].close()
sys.exit(any(name.startswith("pycuda") for name in sys.modules))
"""
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=60).returncode == 0
