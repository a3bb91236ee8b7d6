"""Which compiler's code is taken, and what of a launch is refused; PyCUDA here is a stand-in."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from attnviz.engine import kernels
from attnviz.engine.base import EngineUnavailable
from attnviz.engine.kernel_compilers import Compiler, CompilerRefusal
from attnviz.engine.kernels import FORMATS, Kernels, compile_kernels

STREAM = object()


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine with a driver of CUDA 13, an empty cache, and the compilers that a test gives."""
    driver, compiler = ModuleType("pycuda.driver"), ModuleType("pycuda.compiler")
    driver.get_driver_version = lambda: 13000
    compiler.get_nvcc_version = compiler.compile = None
    package = ModuleType("pycuda")
    package.compiler, package.driver = compiler, driver
    for module in (package, driver, compiler):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setenv("ATTNVIZ_KERNEL_CACHE", str(tmp_path / "kept"))

    def has(*compilers: Scripted) -> None:
        monkeypatch.setattr(kernels, "find_compilers", lambda *_: iter([c.entry() for c in compilers]))

    return has


class Scripted:
    """A compiler that gives what it is told to, and counts how often it is asked."""

    def __init__(self, name: str, answer: bytes | str, major: int = 13) -> None:
        self.name, self.answer, self.major, self.asked = name, answer, major, []

    def entry(self) -> Compiler:
        return Compiler(self.name, f"{self.name} {self.major}", self.major, self._compile)

    def _compile(self, source: str, architecture: str) -> bytes:
        self.asked.append(architecture)
        if isinstance(self.answer, str):
            raise CompilerRefusal(self.answer)
        return self.answer


def test_what_was_compiled_once_is_not_compiled_again(machine):
    nvcc = Scripted("nvcc", b"code")
    machine(nvcc)
    assert compile_kernels(9, 0) == compile_kernels(9, 0) == b"code"
    assert nvcc.asked == ["sm_90"]
    assert compile_kernels(7, 5) == b"code"
    assert nvcc.asked == ["sm_90", "sm_75"]


def test_code_of_another_version_of_the_compiler_is_not_taken(machine):
    machine(Scripted("nvcc", b"old", major=12))
    assert compile_kernels(9, 0) == b"old"
    machine(Scripted("nvcc", b"new", major=13))
    assert compile_kernels(9, 0) == b"new"


@pytest.mark.parametrize(
    "said",
    [
        "gcc: No such file or directory",
        "nvcc fatal : Failed to preprocess host compiler properties.",
        "error: #error -- unsupported GNU version!",
        "nvcc fatal : Value 'sm_90' is not defined for option 'gpu-architecture'",
    ],
)
def test_nvrtc_steps_in_where_nvcc_refuses(machine, said):
    nvcc, nvrtc = Scripted("nvcc", said), Scripted("NVRTC", b"code")
    machine(nvcc, nvrtc)
    assert compile_kernels(9, 0) == b"code"
    assert (nvcc.asked, nvrtc.asked) == (["sm_90"], ["sm_90"])


def test_a_compiler_newer_than_the_driver_is_passed_over(machine):
    newer, fitting = Scripted("nvcc", b"not to be loaded", major=14), Scripted("NVRTC", b"code", major=12)
    machine(newer, fitting)
    assert compile_kernels(9, 0) == b"code"
    assert newer.asked == []


def test_where_all_refuse_the_first_one_is_told_of(machine):
    machine(Scripted("nvcc", "gcc: No such file or directory"), Scripted("NVRTC", b"", major=14))
    with pytest.raises(EngineUnavailable, match=r"nvcc needs a C\+\+ compiler and found none"):
        compile_kernels(9, 0)


def test_a_machine_without_a_compiler_is_told_what_to_install(machine):
    machine()
    with pytest.raises(EngineUnavailable, match=r"neither nvcc nor NVRTC.*nvidia-cuda-nvrtc"):
        compile_kernels(9, 0)


class Driver:
    """Stands for pycuda.driver, its module and its functions; notes what is launched."""

    def __init__(self) -> None:
        self.launched: list[tuple] = []

    def module_from_buffer(self, cubin: bytes) -> Driver:
        return self

    def get_function(self, name: str) -> Function:
        return Function(name, self.launched)


class Function:
    def __init__(self, name: str, launched: list) -> None:
        self._name, self._launched = name, launched

    def prepare(self, letters: str) -> None:
        assert letters == FORMATS[self._name]

    def prepared_async_call(self, grid, block, stream, *arguments):
        assert stream is STREAM
        assert len(arguments) == len(FORMATS[self._name])
        self._launched.append((self._name, grid, block, arguments))


@pytest.fixture
def driver():
    return Driver()


@pytest.fixture
def loaded(driver):
    return Kernels(driver, b"code")


PLAIN = {"q": 1, "k": 2, "scores": 3, "n_rows": 9, "n_keys": 33, "n_key_tokens": 40, "d": 5}
MASK = {
    "scaled": 1, "masked": 2, "allowed": None, "n_rows": 1, "n_keys": 4, "n_key_tokens": 4, "first_row": 0,
    "mask_kind": 1, "fill": -float("inf"),
}  # fmt: skip
TILED = {
    "q": 1, "k": 2, "scores": None, "scaled": None, "masked": 3, "allowed": None, "n_square_rows": 65,
    "n_key_tokens": 129, "d": 5, "first_row": 0, "mask_kind": 1, "divisor": 2.0, "fill": 0.0,
}  # fmt: skip
SOFTMAX = {
    "masked": 1, "weights": 1, "row_max": 2, "row_sum": 3, "n_rows": 7, "n_square_rows": 9,
    "n_key_tokens": 99,
}  # fmt: skip
POOL = {
    "values": 1, "picture": 2, "allowed": None, "first_row": 0, "n_key_tokens": 100, "first_key": 10,
    "n_keys": 90, "n_rows": 50, "bin_rows": 3, "bin_keys": 2, "mask_kind": 1,
}  # fmt: skip


def test_the_grid_covers_the_last_cells(driver, loaded):
    loaded.scores_plain(STREAM, **PLAIN)
    loaded.scores_tiled(STREAM, **TILED, n_heads=3)
    loaded.softmax_rows(STREAM, **SOFTMAX, n_heads=2)
    loaded.pool_largest(STREAM, **POOL)
    assert [launch[:3] for launch in driver.launched] == [
        ("scores_plain", (2, 2, 1), (32, 8, 1)),
        ("scores_tiled", (3, 2, 3), (16, 16, 1)),
        ("softmax_rows", (7, 1, 2), (256, 1, 1)),
        ("pool_largest", (2, 3, 1), (32, 8, 1)),  # of 45 x 17 bins
    ]


def test_no_array_is_a_null_pointer(driver, loaded):
    loaded.scores_plain(STREAM, **PLAIN)
    assert driver.launched[0][3] == (1, 2, 3, 0, 0, 9, 33, 40, 5)


@pytest.mark.parametrize("nothing", ["n_rows", "n_keys"])
def test_a_launch_of_nothing_is_no_launch(driver, loaded, nothing):
    loaded.scores_plain(STREAM, **{**PLAIN, nothing: 0})
    assert driver.launched == []


@pytest.mark.parametrize(
    ("kernel", "arguments", "complaint"),
    [
        ("scores_plain", {**PLAIN, "n_rows": -1}, "a size is negative"),
        ("scores_plain", {**PLAIN, "d": 2**31}, "2147483648 is no int32"),
        ("scores_plain", {**PLAIN, "n_rows": 8 * 65535 + 1}, "a grid of"),
        ("scores_plain", {**PLAIN, "n_keys": 41}, "41 keys, where there are 40"),
        ("softmax_rows", {**SOFTMAX, "n_rows": 10}, "10 rows, where there are 9"),
        ("softmax_rows", {**SOFTMAX, "n_heads": 65536}, "a grid of"),
        ("pool_maximum", {**POOL, "first_key": 11}, "101 keys, where there are 100"),
        ("pool_maximum", {**POOL, "bin_rows": 0}, "a bin of 0 × 2 cells"),
        ("pool_maximum", {**POOL, "mask_kind": 2}, "without the array"),
        ("scores_tiled", {**TILED, "mask_kind": 2}, "without the array"),
        ("mask", {**MASK, "mask_kind": 2}, "without the array"),
    ],
)
def test_what_would_touch_memory_that_is_not_there_is_refused(driver, loaded, kernel, arguments, complaint):
    with pytest.raises(ValueError, match=f"{kernel}: .*{complaint}"):
        getattr(loaded, kernel)(STREAM, **arguments)
    assert driver.launched == []
