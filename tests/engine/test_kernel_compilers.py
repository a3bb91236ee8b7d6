"""Which compiler is asked, and what is said where none gives code; the compilers here are scripts."""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import pytest

from attnviz.engine import kernel_compilers, nvrtc
from attnviz.engine.kernel_compilers import (
    Compiler,
    CompilerRefusal,
    find_compilers,
    refusal_sentence,
    too_new,
)
from attnviz.engine.nvrtc import Nvrtc, NvrtcError, find_nvrtc


class CompileError(Exception):
    """As pycuda.driver's."""

    def __init__(self, stderr: str, text: str = "nvcc compilation of /nowhere/kernel.cu failed") -> None:
        super().__init__(text)
        self.stderr = stderr


def no_run(path, source, architecture):
    raise AssertionError("nobody compiles")


@pytest.fixture
def nvcc(tmp_path, monkeypatch):
    """An nvcc alone on the path, in a toolkit without NVRTC."""
    folder = tmp_path / "toolkit" / "bin"
    folder.mkdir(parents=True)
    file = folder / "nvcc"
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return file


def test_nvcc_comes_before_nvrtc(nvcc, monkeypatch):
    monkeypatch.setattr(
        kernel_compilers, "find_nvrtc", lambda toolkits: [FakeNvrtc((12, 9)), FakeNvrtc((13, 5))]
    )
    found = list(find_compilers(lambda path: "release 13.0, V13.0.88", no_run))
    assert [(c.name, c.major) for c in found] == [("nvcc", 13), ("NVRTC", 12), ("NVRTC", 13)]


def test_what_cannot_be_run_or_loaded_is_not_there(nvcc, monkeypatch):
    def broken(path):
        raise OSError("exec format error")

    monkeypatch.setattr(
        kernel_compilers, "find_nvrtc", lambda toolkits: [FakeNvrtc(None), FakeNvrtc((12, 9))]
    )
    assert [c.name for c in find_compilers(broken, no_run)] == ["NVRTC"]


def test_nvcc_is_found_in_a_toolkit_that_is_not_on_the_path(nvcc, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("CUDA_PATH", str(nvcc.parent.parent))
    monkeypatch.setattr(kernel_compilers, "find_nvrtc", lambda toolkits: [])
    seen = []
    list(find_compilers(lambda path: seen.append(path) or "release 12.9", no_run))
    assert seen == [str(nvcc)]


class FakeNvrtc:
    def __init__(self, version):
        self._version = version

    @property
    def version(self):
        if self._version is None:
            raise NvrtcError("cannot be loaded")
        return self._version


NO_GCC = "gcc: No such file or directory\nnvcc fatal   : Failed to preprocess host compiler properties.\n"


UNKNOWN = "nvcc fatal   : Unsupported gpu architecture 'sm_{}'"
UNDEFINED = "nvcc fatal   : Value 'sm_90' is not defined for option 'gpu-architecture'"
MISTAKE = 'scores.cu(3): error: identifier "x" is undefined'


@pytest.mark.parametrize(
    ("said", "capability", "sentence"),
    [
        (NO_GCC, (9, 0), "nvcc needs a C++ compiler and found none"),
        (UNKNOWN.format(70), (7, 0), "no longer compiles for this GPU (compute capability 7.0)"),
        (UNKNOWN.format(121), (12, 1), "older than this GPU and does not know it (compute capability 12.1)"),
        (UNDEFINED, (9, 0), "is older than this GPU"),
        (MISTAKE, (9, 0), f"could not compile the kernels ({MISTAKE})"),
    ],
)
def test_what_nvcc_refuses_has_its_sentence(nvcc, monkeypatch, said, capability, sentence):
    monkeypatch.setattr(kernel_compilers, "find_nvrtc", lambda toolkits: [])

    def refuse(path, source, architecture):
        raise CompileError(said)

    (compiler,) = find_compilers(lambda path: "release 13.0", refuse)
    with pytest.raises(CompilerRefusal) as refusal:
        compiler.compile("", "sm_90")
    assert sentence in str(refusal_sentence(compiler, str(refusal.value), capability))


def test_a_compiler_newer_than_the_driver_is_told_with_both_versions():
    compiler = Compiler("nvcc", "release 13.0", 13, lambda source, architecture: b"")
    assert "nvcc is of CUDA 13, but the driver knows CUDA up to 12" in str(too_new(compiler, 12))


@pytest.mark.parametrize(
    ("driver", "package"),
    [(11, "nvidia-cuda-nvrtc-cu11"), (12, "nvidia-cuda-nvrtc-cu12"), (13, "'nvidia-cuda-nvrtc==13.*'")],
)
def test_the_package_told_is_one_that_exists(driver, package):
    """From CUDA 13 on the wheels of all versions share one name."""
    compiler = Compiler("nvcc", "release 14.0", 14, lambda source, architecture: b"")
    assert f"pip install {package}." in str(too_new(compiler, driver))


def test_an_nvcc_that_does_not_tell_its_version_is_tried_all_the_same(nvcc, monkeypatch):
    def silent(path):
        warnings.warn("NVCC version could not be determined.", stacklevel=2)
        return "nvcc unknown version"

    monkeypatch.setattr(kernel_compilers, "find_nvrtc", lambda toolkits: [])
    assert [(found.name, found.major) for found in find_compilers(silent, no_run)] == [("nvcc", 0)]


def test_nvrtc_of_wheels_comes_before_that_of_toolkits(tmp_path, monkeypatch):
    for name in ("wheels/nvidia/cuda_nvrtc/lib", "a toolkit/lib64"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "libnvrtc.so.12").write_bytes(b"no library")
    spec = SimpleNamespace(submodule_search_locations=[str(tmp_path / "wheels" / "nvidia")])
    monkeypatch.setattr(nvrtc.importlib.util, "find_spec", lambda name: spec)
    found = [library.path.parent.name for library in find_nvrtc([tmp_path / "a toolkit"])]
    assert found == ["lib", "lib64"]


def test_the_folder_that_a_failed_compilation_leaves_is_removed(nvcc, monkeypatch, tmp_path):
    left = tmp_path / "left"
    left.mkdir()
    (left / "kernel.cu").write_text("")

    def refuse(path, source, architecture):
        raise CompileError("error", f"nvcc compilation of {left}/kernel.cu failed")

    monkeypatch.setattr(kernel_compilers, "find_nvrtc", lambda toolkits: [])
    (compiler,) = find_compilers(lambda path: "release 13.0", refuse)
    with pytest.raises(CompilerRefusal):
        compiler.compile("", "sm_90")
    assert not left.exists()


def test_nvrtc_is_looked_for_in_wheels_and_toolkits_by_its_name(tmp_path):
    for name in ("lib64/libnvrtc.so.12", "lib64/libnvrtc-builtins.so.12.9", "lib64/libnvrtc.so", "bin/nvcc"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"no library")
    found = [library.path for library in find_nvrtc([tmp_path])]
    assert tmp_path / "lib64" / "libnvrtc.so.12" in found
    assert not [path for path in found if path.name in ("libnvrtc-builtins.so.12.9", "libnvrtc.so", "nvcc")]


def test_a_file_that_is_no_library_is_an_error_of_its_own(tmp_path):
    file = tmp_path / "libnvrtc.so.12"
    file.write_bytes(b"no library")
    with pytest.raises(NvrtcError):
        Nvrtc(file).version  # noqa: B018


def test_a_folder_called_nvcc_is_not_taken_for_it(tmp_path, monkeypatch):
    (tmp_path / "nvcc").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(kernel_compilers, "find_nvrtc", lambda toolkits: [])
    seen = []
    list(find_compilers(lambda path: seen.append(path) or "release 13.0", no_run))
    assert str(tmp_path / "nvcc") not in seen  # a toolkit of this machine may have been found instead


def test_a_compiler_is_not_loaded_before_its_turn(nvcc, monkeypatch):
    def loaded_too_early(toolkits):
        raise AssertionError("nvcc comes first")

    monkeypatch.setattr(kernel_compilers, "find_nvrtc", loaded_too_early)
    assert next(find_compilers(lambda path: "release 13.0", no_run)).name == "nvcc"
