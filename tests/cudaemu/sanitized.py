"""Kernels under a sanitizer: a program for some kernels' text, and plans of launches to run with it.

Only the kernels are watched; what runs them (fibers, launch, plan_runner) is compiled without.
"""

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tests.cudaemu.build import HERE, kept
from tests.cudaemu.nvcc import host_source

SANITIZERS = {
    # Shared memory lies in sections of its own, which AddressSanitizer watches when told to.
    "address": ["-fsanitize=address", "-fsanitize-sections=cudaemu_shared_*"],
    "undefined": ["-fsanitize=undefined", "-fno-sanitize-recover=all"],
    "thread": ["-fsanitize=thread"],
}
RUNTIME = {"address": ["-DCUDAEMU_ASAN"], "undefined": [], "thread": ["-DCUDAEMU_TSAN"]}
COMMON = [
    "-std=c++17",
    "-O1",
    "-g",
    "-w",
    "-fno-omit-frame-pointer",
    "-U_FORTIFY_SOURCE",
    "-ffp-contract=off",
]
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0",
    "TSAN_OPTIONS": "history_size=4:halt_on_error=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


def program(source: str, sanitizer: str, folder: Path) -> Path:
    """Build into a folder what runs plans over these kernels under "address", "undefined" or "thread"."""
    kernels, run = folder / "kernels.o", folder / "run"
    _compile("-", kernels, *SANITIZERS[sanitizer], text=host_source(source))
    runtime = kept(f"sanitized-{sanitizer}", [sanitizer, *COMMON], lambda to: _build_runtime(to, sanitizer))
    objects = [str(path) for path in sorted(runtime.glob("*.o"))]
    command = ["g++", *objects, str(kernels), f"-fsanitize={sanitizer}", "-o", str(run)]
    subprocess.run(command, check=True)
    return run


def _build_runtime(folder: Path, sanitizer: str) -> None:
    for name in ("fibers", "launch", "plan_runner"):
        _compile(str(HERE / f"{name}.cpp"), folder / f"{name}.o", *RUNTIME[sanitizer])


def _compile(source: str, to: Path, *flags: str, text: str | None = None) -> None:
    command = ["g++", *COMMON, *flags, "-x", "c++", "-c", source, "-o", str(to)]
    subprocess.run(command, input=text, text=True, check=True)


@dataclass
class Plan:
    """Buffers and launches, in the order in which they are to happen. Files lie in `folder`."""

    folder: Path
    lines: list[str] = field(default_factory=list)
    shapes: dict[str, tuple[np.dtype, tuple[int, ...]]] = field(default_factory=dict)

    def put(self, name: str, array: np.ndarray) -> None:
        """A buffer that holds this array."""
        array = np.ascontiguousarray(array)
        array.tofile(self.folder / f"{name}.in")
        self.room(name, array.shape, array.dtype)
        self.lines.append(f"read {name} {self.folder}/{name}.in")

    def room(self, name: str, shape: tuple[int, ...], dtype: np.dtype | type = np.float32) -> None:
        """A buffer whose floats are NaN."""
        self.shapes[name] = (np.dtype(dtype), shape)
        self.lines.append(f"buffer {name} {np.prod(shape, dtype=int) * np.dtype(dtype).itemsize}")

    def sparse(self, name: str, n_bytes: int) -> None:
        """A buffer of zeros of which only touched pages exist."""
        self.lines.append(f"sparse {name} {n_bytes}")

    def launch(self, kernel: str, grid: tuple[int, ...], block: tuple[int, ...], *arguments) -> None:
        """A launch. A string names a buffer, None is NULL, an int and a float are themselves."""
        three = [",".join(map(str, (*size, 1, 1)[:3])) for size in (grid, block)]
        self.lines.append(" ".join(["launch", kernel, *three, *map(_argument, arguments)]))

    def run(self, program: Path, **settings: str) -> subprocess.CompletedProcess[str]:
        """What the program said under these CUDAEMU_ settings. Afterwards `result` gives the buffers."""
        writes = [f"write {name} {self.folder}/{name}.out" for name in self.shapes]
        text = "\n".join([*self.lines, *writes]) + "\n"
        surroundings = {"PATH": "/usr/bin:/bin", **OPTIONS, **settings}
        return subprocess.run([str(program)], input=text, text=True, capture_output=True, env=surroundings)

    def result(self, name: str) -> np.ndarray:
        """What a buffer holds after the run."""
        dtype, shape = self.shapes[name]
        return np.fromfile(self.folder / f"{name}.out", dtype).reshape(shape)


def _argument(value: object) -> str:
    if value is None or isinstance(value, str):
        return f"p:{value or 'NULL'}"
    return f"i:{int(value)}" if isinstance(value, int | np.integer) else f"f:{float(value)!r}"
