"""Compilers that turn the kernels' source into code for one GPU, and what they refuse.

Which of them is asked, and in which order, is said in ``kernels``.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from attnviz.engine.base import EngineUnavailable
from attnviz.engine.nvrtc import Nvrtc, NvrtcError, find_nvrtc

Compile = Callable[[str, str], bytes]
"""Turns source and an architecture such as ``sm_90`` into a cubin; raises ``CompilerRefusal``."""

_OLDEST_OF_13 = (7, 5)
_FIRST_UNNAMED = 13


class CompilerRefusal(Exception):  # noqa: N818  (what a compiler says)
    """What a compiler said when it gave no code."""


@dataclass(frozen=True)
class Compiler:
    """One compiler.

    Attributes
    ----------
    name
        ``nvcc`` or ``NVRTC``.
    version
        All it says of its version: what it compiled is kept under that.
    major
        Of the CUDA it belongs to; 0 where it does not say.
    compile
        Compiles.
    """

    name: str
    version: str
    major: int
    compile: Compile


def find_compilers(
    nvcc_version: Callable[[str], str], run_nvcc: Callable[[str, str, str], bytes]
) -> Iterator[Compiler]:
    """Give the compilers of this machine, the one to be asked first first; none is loaded before its turn.

    Parameters
    ----------
    nvcc_version
        Gives what an nvcc, a path, says of its version; raises OSError where it cannot be run.
    run_nvcc
        Compiles with an nvcc: its path, source and architecture; raises an error that holds its words.
    """
    path = _find_nvcc()
    if path is not None:
        version = ""
        with (
            contextlib.suppress(OSError),
            warnings.catch_warnings(),
        ):  # a file that is called nvcc and is none
            warnings.simplefilter("ignore")  # that it does not say its version: it may compile all the same
            version = nvcc_version(path)
        if version:
            release = re.search(r"release (\d+)", version)
            yield Compiler("nvcc", version, int(release[1]) if release else 0, _nvcc(path, run_nvcc))
    toolkits = [] if path is None else [Path(path).resolve().parent.parent]
    for library in find_nvrtc(toolkits):
        try:
            version_of = library.version
        except NvrtcError:  # one that cannot be loaded is not there
            continue
        yield Compiler("NVRTC", f"NVRTC {version_of[0]}.{version_of[1]}", version_of[0], _nvrtc(library))


def no_compiler() -> EngineUnavailable:
    """Give the sentence for a machine without any compiler."""
    return EngineUnavailable(
        "There is no compiler for the CUDA kernels (neither nvcc nor NVRTC); install NVRTC with pip install "
        "nvidia-cuda-nvrtc-cu12, or a CUDA toolkit."
    )


def too_new(compiler: Compiler, driver_major: int) -> EngineUnavailable:
    """Give the sentence for a compiler whose code the driver cannot load."""
    # Up to CUDA 12 the wheels have the version in their name, later ones share a name.
    named, shared = f"nvidia-cuda-nvrtc-cu{driver_major}", f"'nvidia-cuda-nvrtc=={driver_major}.*'"
    return EngineUnavailable(
        "{what} is of CUDA {got}, but the driver knows CUDA up to {wanted}; update the driver, or install a "
        "compiler of its version with pip install {package}.",
        what=compiler.name,
        got=compiler.major,
        wanted=driver_major,
        package=named if driver_major < _FIRST_UNNAMED else shared,
    )


def refusal_sentence(compiler: Compiler, said: str, capability: tuple[int, int]) -> EngineUnavailable:
    """Give the sentence for what a compiler said.

    Parameters
    ----------
    capability
        The GPU's compute capability, (major, minor).
    """
    of_gpu = f"{capability[0]}.{capability[1]}"
    if re.search(r"host compiler|(gcc|g\+\+|cl\.exe|cc1plus).*(No such file|not found|cannot find)", said):
        return EngineUnavailable(
            "nvcc needs a C++ compiler and found none; install g++, or NVRTC, which needs none, with pip "
            "install nvidia-cuda-nvrtc-cu12."
        )
    if re.search(r"Unsupported gpu architecture|is not defined for option|--gpu-architecture", said):
        if capability < _OLDEST_OF_13:
            return EngineUnavailable(
                "{what} no longer compiles for this GPU (compute capability {got}); install one of CUDA 12 "
                "with pip install nvidia-cuda-nvrtc-cu12.",
                what=compiler.name,
                got=of_gpu,
            )
        return EngineUnavailable(
            "{what} is older than this GPU and does not know it (compute capability {got}); install a newer "
            "CUDA toolkit, or NVRTC with pip install nvidia-cuda-nvrtc.",
            what=compiler.name,
            got=of_gpu,
        )
    return EngineUnavailable(
        "{what} could not compile the kernels ({reason}); install another version of it, or NVRTC with pip "
        "install nvidia-cuda-nvrtc-cu12.",
        what=compiler.name,
        reason=said,
    )


def _nvcc(path: str, run: Callable[[str, str, str], bytes]) -> Compile:
    def compile_it(source: str, architecture: str) -> bytes:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of what nvcc says although it compiled
                return run(path, source, architecture)
        except Exception as error:
            _remove_remains(error)
            raise CompilerRefusal(_first_complaint(error)) from error

    return compile_it


def _nvrtc(library: Nvrtc) -> Compile:
    def compile_it(source: str, architecture: str) -> bytes:
        try:
            return library.compile(source, architecture)
        except NvrtcError as error:
            raise CompilerRefusal(str(error)) from error

    return compile_it


def _find_nvcc() -> str | None:
    """Find nvcc on the path, or where toolkits are usually installed."""
    found = shutil.which("nvcc")
    if found is not None:
        return found
    roots = [os.environ.get("CUDA_PATH"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"]
    return next((nvcc for root in roots if root and (nvcc := shutil.which("nvcc", path=f"{root}/bin"))), None)


def _first_complaint(error: Exception) -> str:
    """Give the line of nvcc's words that says most."""
    said = str(getattr(error, "stderr", "") or error)
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"fatal|error|No such file", line)]
    # Without a host compiler nvcc says two things, of which the second is the plainer.
    return " ".join((telling or lines or [type(error).__name__])[:2])[:300]


def _remove_remains(error: Exception) -> None:
    """Remove the folder in which PyCUDA leaves the source of what did not compile."""
    left = re.search(r"compilation of (\S+)[/\\]kernel\.cu failed", str(error))
    if left:
        shutil.rmtree(left[1], ignore_errors=True)
