"""What CUDA refuses, in one sentence each that says what to do.

PyCUDA is not imported: an error is told by the name of its class and by its text, so that every sentence can
be said, and tested, on a machine that has neither PyCUDA nor a GPU.
"""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Callable

from attnviz.core.errors import AttnvizError
from attnviz.engine.base import EngineUnavailable
from attnviz.engine.kernel_cache import cache_folder


class DeviceFull(AttnvizError):  # noqa: N818  (a state of the machine)
    """The GPU has no memory left for this; the engine stays usable for something smaller."""


class DeviceLost(AttnvizError):  # noqa: N818  (a state of the machine)
    """The GPU does not compute any more in this process; the engine can only be closed."""


def as_unavailable(error: BaseException) -> EngineUnavailable:
    """Give the reason why CUDA cannot be used, from what happened while it was being made ready.

    Parameters
    ----------
    error
        Anything that ``import pycuda.driver``, its calls or a compiler raised.
    """
    if isinstance(error, EngineUnavailable):
        return error
    if isinstance(error, DeviceFull | DeviceLost):
        return EngineUnavailable("CUDA could not be made ready: {reason}", reason=copy.copy(error))
    reason = _text_of(error)
    if isinstance(error, ImportError | AttributeError):
        return _cause(_IMPORTS, reason) or EngineUnavailable(
            "PyCUDA is installed but cannot be loaded ({reason}); install it again as docs/cuda-install.md "
            "says.",
            reason=reason,
        )
    if isinstance(error, UnicodeDecodeError) or (_is_of_pycuda(error) and _says_nothing(str(error))):
        # A stub has no texts, and PyCUDA then reads one from wherever a pointer happens to point.
        return _stub(reason)
    return _cause(_CAUSES, reason) or EngineUnavailable(
        "CUDA cannot be used here ({reason}); check with nvidia-smi that the GPU and its driver work.",
        reason=reason,
    )


def as_fault(error: BaseException) -> DeviceFull | DeviceLost:
    """Give what an error in the middle of a computation means for the engine.

    Parameters
    ----------
    error
        Anything a call of PyCUDA raised. An error of an unknown kind counts as the loss of the device: the
        CPU takes over, which is right whatever it was.
    """
    if isinstance(error, DeviceFull | DeviceLost):
        return error
    reason = _text_of(error)
    if "out of memory" in reason.lower() or (_is_of_pycuda(error) and _is_named(error, "MemoryError")):
        return DeviceFull(
            "The GPU has too little free memory for this document; close other programs that use it, or make "
            "the document smaller."
        )
    found = next((make for words, make in _FAULTS if re.search(words, reason, re.IGNORECASE)), None)
    if found is not None:
        return found(reason)
    return DeviceLost(
        "The GPU reported an error ({reason}); start attnviz again to use it once more.", reason=reason
    )


def _cause(
    causes: tuple[tuple[str, Callable[[str], EngineUnavailable]], ...], reason: str
) -> EngineUnavailable | None:
    found = next((make for words, make in causes if re.search(words, reason, re.IGNORECASE)), None)
    return None if found is None else found(reason)


def _stub(_reason: str) -> EngineUnavailable:
    return EngineUnavailable(
        "The CUDA library found is a stub without a driver in it; install the NVIDIA driver and take the "
        "folder “stubs” out of LD_LIBRARY_PATH."
    )


def _no_gpu(_reason: str) -> EngineUnavailable:
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        return EngineUnavailable(
            "The NVIDIA driver sees no GPU; check with nvidia-smi that one is there and switched on."
        )
    if re.match(r"(-\d|$)", visible.split(",")[0].strip()):
        return EngineUnavailable(
            "CUDA_VISIBLE_DEVICES is “{got}”, which hides every GPU; unset it or name one, such as 0.",
            got=visible,
        )
    return EngineUnavailable(
        "CUDA sees no GPU and CUDA_VISIBLE_DEVICES is “{got}”; name one of those that nvidia-smi -L lists.",
        got=visible,
    )


def _numpy(reason: str) -> EngineUnavailable:
    return EngineUnavailable(
        "PyCUDA was built for another version of numpy ({reason}); install it again as docs/cuda-install.md "
        "says.",
        reason=reason,
    )


def _other_gpu(_reason: str) -> EngineUnavailable:
    folder = cache_folder()
    if folder is None:
        return EngineUnavailable(
            "The kernels were compiled for another kind of GPU; install another compiler as "
            "docs/cuda-install.md says, and choose CUDA again."
        )
    return EngineUnavailable(
        "The kernels were compiled for another kind of GPU; delete {folder} and choose CUDA again.",
        folder=folder,
    )


_IMPORTS: tuple[tuple[str, Callable[[str], EngineUnavailable]], ...] = (
    (
        r"No module named 'pycuda'",
        lambda _: EngineUnavailable(
            "PyCUDA is not installed; docs/cuda-install.md says how to install it on a machine with an "
            "NVIDIA GPU."
        ),
    ),
    (
        r"(libcuda\.so|libcuda\.dylib).*cannot open shared object file|nvcuda\.dll",
        lambda _: EngineUnavailable(
            "There is no NVIDIA driver on this machine (libcuda.so.1 is missing); with an NVIDIA GPU, "
            "install its driver."
        ),
    ),
    (
        # Every driver has cuArrayCreate_v2: a PyCUDA that misses it was linked to no driver at all.
        r"undefined symbol: cu(?!ArrayCreate_v2)",
        lambda reason: EngineUnavailable(
            "The NVIDIA driver is too old for this build of PyCUDA ({reason}); build PyCUDA again with make "
            "cuda, which serves drivers from 525 on, or install a newer driver.",
            reason=reason,
        ),
    ),
    (r"multiarray|numpy|_ARRAY_API|ABI version", _numpy),
)
"""What an import says, as a pattern, and what it means; the first that fits counts."""

_CAUSES: tuple[tuple[str, Callable[[str], EngineUnavailable]], ...] = (
    (r"stub library", _stub),
    (r"no CUDA-capable device|invalid device ordinal", _no_gpu),
    (
        r"driver version is insufficient|driver / cuda driver combination|forward compatibility",
        lambda _: EngineUnavailable(
            "The parts of the NVIDIA driver do not fit each other (its library and its kernel module "
            "differ); restart the machine, or install the driver again."
        ),
    ),
    (
        r"system not yet initialized",
        lambda _: EngineUnavailable(
            "The GPUs are not ready yet (the system is not initialised); see that nvidia-fabricmanager runs, "
            "or restart the machine."
        ),
    ),
    (
        r"busy or unavailable",
        lambda _: EngineUnavailable(
            "The GPU is in use by another program alone, or closed to all; end that program or set the "
            "compute mode with nvidia-smi -c 0."
        ),
    ),
    (
        r"out of memory",
        lambda _: EngineUnavailable(
            "The GPU has no memory left; close other programs that use it, and choose CUDA again."
        ),
    ),
    (r"no kernel image is available", _other_gpu),
    (r"ABI version|multiarray|compiled using NumPy", _numpy),
    (
        r"unknown error",
        lambda _: EngineUnavailable(
            "The NVIDIA driver failed for no stated reason (unknown error); restart the machine, or load the "
            "driver anew with sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm."
        ),
    ),
)
"""What CUDA says while it is made ready, as a pattern, and what it means; the first that fits counts."""

_FAULTS: tuple[tuple[str, Callable[[str], DeviceLost]], ...] = (
    (
        r"illegal memory access|misaligned address|invalid address space",
        lambda _: DeviceLost(
            "A computation on the GPU touched memory that is not its own; start attnviz again to use the GPU "
            "once more."
        ),
    ),
    (
        r"launch timed out",
        lambda _: DeviceLost(
            "The driver stopped a computation on the GPU because it took too long, as it does on a GPU that "
            "drives a screen; start attnviz again to use it once more."
        ),
    ),
    (
        r"too many resources requested",
        lambda _: DeviceLost(
            "The GPU has too few registers or too little shared memory for a kernel; choose the CPU for this "
            "document."
        ),
    ),
    (
        r"unspecified launch failure",
        lambda _: DeviceLost(
            "A computation on the GPU was broken off (unspecified launch failure); start attnviz again to "
            "use the GPU once more."
        ),
    ),
    (
        r"context is destroyed|invalid device context",
        lambda _: DeviceLost(
            "The GPU was taken away from attnviz (its context is gone), as by a reset or another program in "
            "this process; start attnviz again to use the GPU once more."
        ),
    ),
    (
        r"ECC error",
        lambda _: DeviceLost(
            "The GPU's memory has an error that cannot be corrected; reset the GPU or restart the machine, "
            "and start attnviz again."
        ),
    ),
)
"""What CUDA says in the middle of a computation, as a pattern, and what it means."""


def _text_of(error: BaseException) -> str:
    """Give an error's text on a line, without a stop, or the name of its class where it has none."""
    return " ".join(str(error).split()).rstrip(".: ") or type(error).__name__


def _says_nothing(text: str) -> bool:
    """Say whether nothing readable stands after PyCUDA's own ``cuInit failed:``."""
    return re.fullmatch(r"cuInit failed:[^A-Za-z]*", text) is not None


def _is_named(error: BaseException, name: str) -> bool:
    return any(kind.__name__ == name for kind in type(error).__mro__)


def _is_of_pycuda(error: BaseException) -> bool:
    return any(kind.__module__.startswith("pycuda") for kind in type(error).__mro__)
