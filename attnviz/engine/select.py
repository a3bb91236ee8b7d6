"""Which engine computes, and in plain words why CUDA does not."""

from __future__ import annotations

from dataclasses import dataclass

from attnviz.core.errors import InputError
from attnviz.engine.base import Engine, EngineUnavailable
from attnviz.engine.numpy_engine import NumpyEngine

WISHES = ("auto", "cuda", "cpu")

_NO_CUDA = "This version of attnviz computes on the CPU; the CUDA engine comes with a later release."
_CPU_CHOSEN = "The CPU was asked for."


@dataclass(frozen=True)
class EngineInfo:
    """One engine as ``attnviz engines`` lists it; ``reason`` says why it cannot be used, or is empty."""

    name: str
    device: str
    is_available: bool
    reason: str = ""


def choose_engine(wish: str = "auto") -> tuple[Engine, str]:
    """Give an engine and the reason why it is not CUDA, empty where it is.

    Parameters
    ----------
    wish
        ``auto`` takes the fastest there is, ``cuda`` and ``cpu`` that one.

    Raises
    ------
    EngineUnavailable
        When ``cuda`` was asked for and cannot be used.
    InputError
        When the wish is none of these.
    """
    if wish not in WISHES:
        raise InputError("There is no engine “{got}”; auto, cuda or cpu is wanted.", got=wish)
    if wish == "cuda":
        raise EngineUnavailable(_NO_CUDA)
    return NumpyEngine(), _NO_CUDA if wish == "auto" else _CPU_CHOSEN


def available_engines() -> list[EngineInfo]:
    """List all engines, those that cannot be used here too."""
    return [EngineInfo("cuda", "", False, _NO_CUDA), EngineInfo("cpu", NumpyEngine().name, True)]
