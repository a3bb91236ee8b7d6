"""NVRTC, NVIDIA's compiler as a library: it needs neither a toolkit nor a C++ compiler, and no PyCUDA.

It comes with the wheels nvidia-cuda-nvrtc (CUDA 13) and nvidia-cuda-nvrtc-cu12, or with a toolkit.
"""

from __future__ import annotations

import ctypes
import importlib.util
import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

_LIBRARY = re.compile(r"libnvrtc\.so\.\d+|nvrtc64_\d+_0\.dll")
_INVALID_OPTION = 5


class NvrtcError(Exception):
    """What NVRTC said, in its own words."""


class Nvrtc:
    """One libnvrtc.

    Parameters
    ----------
    path
        The library; it is loaded when it is first used.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def version(self) -> tuple[int, int]:
        """(major, minor), such as (12, 9).

        Raises
        ------
        NvrtcError
            When the library cannot be loaded.
        """
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
        return major.value, minor.value

    def compile(self, source: str, architecture: str, options: Sequence[str] = ()) -> bytes:
        """Compile to a cubin.

        Parameters
        ----------
        source
            CUDA C++ without includes.
        architecture
            Such as ``sm_90``.

        Raises
        ------
        NvrtcError
            With the first line of the log that names an error.
        """
        program = ctypes.c_void_p()
        self._call("nvrtcCreateProgram", ctypes.byref(program), source.encode(), b"attnviz.cu", 0, None, None)
        try:
            told = [f"--gpu-architecture={architecture}".encode(), *(option.encode() for option in options)]
            code = self._library.nvrtcCompileProgram(program, len(told), (ctypes.c_char_p * len(told))(*told))
            if code:
                raise NvrtcError(_first_error(self._text(program, "ProgramLog")) or self._said(code))
            return self._text(program, "CUBIN")
        finally:
            self._library.nvrtcDestroyProgram(ctypes.byref(program))

    @cached_property
    def _library(self) -> ctypes.CDLL:
        try:
            library = ctypes.CDLL(str(self.path))
            library.nvrtcGetErrorString.restype = ctypes.c_char_p
            library.nvrtcGetCUBIN  # noqa: B018  (one that is too old has none)
        except (OSError, AttributeError) as error:
            raise NvrtcError(str(error)) from error
        return library

    def _call(self, function: str, *arguments: object) -> None:
        code = getattr(self._library, function)(*arguments)
        if code:
            raise NvrtcError(self._said(code))

    def _said(self, code: int) -> str:
        if code == _INVALID_OPTION:
            return "invalid value for --gpu-architecture"
        text: bytes = self._library.nvrtcGetErrorString(code)
        return text.decode(errors="replace")

    def _text(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        self._call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        self._call(f"nvrtcGet{what}", program, text)
        return text.raw


def find_nvrtc(toolkits: Iterable[Path] = ()) -> list[Nvrtc]:
    """Find the libraries there are: those of wheels, then those of toolkits; no library is loaded for it.

    Parameters
    ----------
    toolkits
        Root folders of CUDA toolkits.
    """
    spec = importlib.util.find_spec("nvidia")  # what the wheels share; it is no package of its own
    wheels = [] if spec is None else [Path(place) for place in spec.submodule_search_locations or ()]
    folders = sorted(
        folder for wheel in wheels for pattern in ("*/lib", "*/bin") for folder in wheel.glob(pattern)
    )
    for toolkit in toolkits:
        folders += [toolkit / "lib64", toolkit / "bin"]
    found = {
        path.resolve(): path
        for folder in folders
        if folder.is_dir()
        for path in sorted(folder.iterdir())
        if _LIBRARY.fullmatch(path.name)
    }
    return [Nvrtc(path) for path in found.values()]


def _first_error(log: bytes) -> str:
    lines = log.rstrip(b"\0").decode(errors="replace").splitlines()
    return next((line.strip() for line in lines if "error" in line), "")
