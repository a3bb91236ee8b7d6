"""Choosing an engine, and saying in plain words why it is not CUDA."""

import pytest

from attnviz.core.errors import InputError
from attnviz.engine.base import EngineUnavailable
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.engine.select import available_engines, choose_engine


@pytest.mark.parametrize(("wish", "reason"), [("auto", "later release"), ("cpu", "asked for")])
def test_the_cpu_computes_and_the_reason_is_said(wish, reason):
    engine, why = choose_engine(wish)
    assert isinstance(engine, NumpyEngine)
    assert reason in why
    engine.close()


def test_asking_for_cuda_is_refused_with_the_reason():
    with pytest.raises(EngineUnavailable, match="CUDA engine comes with a later release"):
        choose_engine("cuda")


def test_an_unknown_engine_is_refused():
    with pytest.raises(InputError, match="“tpu”; auto, cuda or cpu"):
        choose_engine("tpu")


def test_all_engines_are_listed_with_what_keeps_them_away():
    cuda, cpu = available_engines()
    assert (cuda.name, cuda.is_available) == ("cuda", False)
    assert cuda.reason
    assert (cpu.name, cpu.is_available, cpu.reason) == ("cpu", True, "")
    assert cpu.device.startswith("CPU: numpy")
