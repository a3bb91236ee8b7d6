"""NVIDIA's own compilers take every kernel for every kind of GPU, without a word."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess

import pytest

from attnviz.engine.kernel_sources import kernel_names, kernel_source
from attnviz.engine.nvrtc import NvrtcError, find_nvrtc

QUICK = ("75", "90", "120")
ALL = ("75", "80", "86", "87", "88", "89", "90", "100", "103", "110", "120", "121")
architectures = pytest.mark.parametrize(
    "architecture", [pytest.param(a, marks=() if a in QUICK else pytest.mark.long) for a in ALL]
)
_MOST_SHARED = 48 << 10


@pytest.fixture(scope="module")
def nvcc() -> str:
    path = shutil.which("nvcc")
    if path is None:
        pytest.skip("there is no nvcc on the PATH")
    if "emulator" in subprocess.run([path, "--version"], capture_output=True, text=True).stdout:
        pytest.skip("the nvcc on the PATH is the stand-in of the emulated driver")
    return path


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    file = tmp_path_factory.mktemp("source") / "kernels.cu"
    file.write_text(kernel_source(), encoding="utf-8")
    return file


def knows(nvcc, architecture):
    known = subprocess.run([nvcc, "--list-gpu-arch"], capture_output=True, text=True).stdout
    return f"compute_{architecture}" in known.split()


@architectures
def test_nvcc_compiles_every_kernel_without_a_warning(nvcc, source, tmp_path, architecture):
    if not knows(nvcc, architecture):
        pytest.skip(f"this nvcc does not know sm_{architecture}")
    command = [nvcc, "-cubin", f"-arch=sm_{architecture}", "-Werror", "all-warnings", "-Xptxas", "-v"]
    done = subprocess.run(
        [*command, "-o", tmp_path / "kernels.cubin", source], capture_output=True, text=True, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    assert_whole((tmp_path / "kernels.cubin").read_bytes())
    # What the compiler reports of each kernel: nothing has to be kept in slow memory, and tiles find room.
    spilled = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores", done.stderr)
    assert len(spilled) >= len(kernel_names())
    assert set(spilled) == {("0", "0")}
    shared = [int(size) for size in re.findall(r"(\d+) bytes smem", done.stderr)]
    assert max(shared) <= _MOST_SHARED


@architectures
def test_nvrtc_compiles_every_kernel(architecture):
    libraries = find_nvrtc()
    if not libraries:
        pytest.skip("no NVRTC is installed")
    done = 0
    for library in libraries:
        with contextlib.suppress(UnknownGpuError):
            assert_whole(compiled(library, architecture))
            done += 1
    if not done:
        pytest.skip(f"no NVRTC here knows sm_{architecture}")


def test_nvrtc_says_where_a_mistake_is():
    libraries = find_nvrtc()
    if not libraries:
        pytest.skip("no NVRTC is installed")
    with pytest.raises(NvrtcError, match=r"scores\.cu\(\d+\): error"):
        libraries[0].compile(
            kernel_source().replace("float score = 0.0f;", "float score = nothing;"), "sm_90"
        )


class UnknownGpuError(Exception):
    """The library is older than this GPU, or too new for it."""


def compiled(library, architecture):
    try:
        return library.compile(kernel_source(), f"sm_{architecture}")
    except NvrtcError as refusal:
        if "invalid value for --gpu-architecture" in str(refusal):
            raise UnknownGpuError from refusal
        raise


def assert_whole(cubin: bytes) -> None:
    """It is an ELF file that has every kernel."""
    assert cubin.startswith(b"\x7fELF")
    for name in kernel_names():
        assert f".text.{name}\0".encode() in cubin
