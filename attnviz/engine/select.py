"""Which engine computes, and in plain words why CUDA does not."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from attnviz.core.errors import AttnvizError, InputError
from attnviz.engine.base import Engine, EngineUnavailable
from attnviz.engine.cuda_errors import as_unavailable
from attnviz.engine.fallback import WithFallback, earlier_breakdown
from attnviz.engine.numpy_engine import NumpyEngine

WISHES = ("auto", "cuda", "cpu")
VARIABLE = "ATTNVIZ_ENGINE"
"""The environment variable that says which engine is wished for."""


@dataclass(frozen=True)
class EngineInfo:
    """One engine as ``attnviz engines`` lists it; ``reason`` says why it cannot be used, or is empty."""

    name: str
    device: str
    is_available: bool
    reason: str = ""


def engine_of(environment: Mapping[str, str]) -> str | None:
    """Give the wish that the environment holds, None where it holds none.

    Raises
    ------
    InputError
        When it is none of the three.
    """
    wish = environment.get(VARIABLE) or None
    if wish is not None and wish not in WISHES:
        raise InputError("{which} is “{got}”; auto, cuda or cpu is wanted.", which=VARIABLE, got=wish)
    return wish


def choose_engine(wish: str = "auto") -> tuple[Engine, AttnvizError | None]:
    """Give an engine and the reason why it is not CUDA, None where it is.

    Parameters
    ----------
    wish
        ``auto`` takes CUDA or else the CPU, ``cuda`` and ``cpu`` that one. CUDA comes with the CPU behind it,
        see ``WithFallback``.

    Raises
    ------
    EngineUnavailable
        When ``cuda`` was asked for and cannot be used.
    InputError
        When the wish is none of these.

    Notes
    -----
    Call it in the thread that will use the engine.
    """
    if wish not in WISHES:
        raise InputError("There is no engine “{got}”; auto, cuda or cpu is wanted.", got=wish)
    if wish == "cpu":
        return NumpyEngine(), AttnvizError("The CPU was asked for.")
    try:
        return WithFallback(cuda_engine(), NumpyEngine), None
    except EngineUnavailable as error:
        # Without the traceback, which would keep alive what PyCUDA made, and free it in another thread.
        reason = copy.copy(error)
    if wish == "cuda":
        raise reason
    return NumpyEngine(), reason


def sole_engine(wish: str) -> tuple[Engine, AttnvizError | None]:
    """Give an engine as ``choose_engine`` does, but CUDA that was asked for with nothing behind it.

    For a single answer, where a person wants CUDA's or none: what it cannot compute is an AttnvizError.
    """
    return (cuda_engine(), None) if wish == "cuda" else choose_engine(wish)


def cuda_obstacle() -> EngineUnavailable | None:
    """Give what keeps CUDA away, as far as it can be seen in a moment; None where only trying tells."""
    if (breakdown := earlier_breakdown()) is not None:
        return breakdown
    if find_spec("pycuda") is None:
        return as_unavailable(ModuleNotFoundError("No module named 'pycuda'"))
    return None


def cuda_engine() -> Engine:
    """Give the CUDA engine with nothing behind it.

    Raises
    ------
    EngineUnavailable
        When CUDA cannot be used here.
    """
    if (obstacle := cuda_obstacle()) is not None:
        raise obstacle
    try:
        from attnviz.engine.cuda_engine import CudaEngine

        return CudaEngine()
    except Exception as error:  # whatever it is, the CPU is there, and the reason is said
        raise as_unavailable(error) from error


def available_engines() -> list[EngineInfo]:
    """Try all engines and list them, those that cannot be used here too."""
    infos = []
    for name, make in (("cuda", cuda_engine), ("cpu", NumpyEngine)):
        try:
            engine = make()
        except EngineUnavailable as error:
            infos.append(EngineInfo(name, "", False, str(error)))
            continue
        try:
            infos.append(EngineInfo(name, engine.name, True))
        finally:
            engine.close()
    return infos
