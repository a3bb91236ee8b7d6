"""Builds the emulated CUDA driver and prints the folder that holds it: ``python tests/cudaemu/build.py``.

The folder has ``libcuda.so.1`` (for LD_LIBRARY_PATH) and ``bin/nvcc`` (for PATH). It is kept in the user's
cache and named for all that went into it, so that a second call takes no time. Needs g++, and ``cuda.h`` from
the package nvidia-cuda-runtime or a CUDA toolkit.
"""

import hashlib
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "attnviz"
"""Looked up at import: tests get an empty home each."""
SOURCES = ["fibers.cpp", "launch.cpp", *(f"driver/{path.name}" for path in sorted(HERE.glob("driver/*.cpp")))]
FLAGS = ["-std=c++17", "-O2", "-g", "-fPIC", "-Wall", "-Wextra", "-fvisibility=hidden"]
NOT_SUPPORTED = 801
"""CUDA_ERROR_NOT_SUPPORTED: what entry points answer that PyCUDA links to and that are not emulated."""


def build() -> Path:
    """The folder of the driver, built if need be."""
    if not (needed := needed_by_pycuda()):
        raise FileNotFoundError("PyCUDA is not installed: `make cuda` does it")
    include = find_cuda_header()
    used = [str(include), sys.executable, *needed, *FLAGS]
    return kept("cudaemu", used, lambda folder: _build_into(folder, include, needed))


def copy_without(entry: str, folder: Path) -> None:
    """Copy the driver into a folder, less one entry point, as an old driver lacks it.

    The name is spoiled in the table of names, so the loader does not find it. Importing pycuda.driver fails.
    """
    library = (build() / "libcuda.so.1").read_bytes()
    name = b"\0" + entry.encode() + b"\0"
    if name not in library:
        raise KeyError(entry)
    (folder / "libcuda.so.1").write_bytes(library.replace(name, name.replace(b"cu", b"xx", 1)))


def kept(name: str, used: Sequence[str], make) -> Path:
    """The folder of the cache for what `make(folder)` makes of this directory's files and the texts `used`.

    It is made under another name and then renamed, so that nobody meets half of it.
    """
    digest = hashlib.sha256("\n".join(used).encode())
    for path in sorted(HERE.rglob("*")):
        if path.suffix in (".cpp", ".h") or path.name == "build.py":
            digest.update(path.name.encode() + path.read_bytes())
    folder = CACHE / f"{name}-{digest.hexdigest()[:16]}"
    if not folder.is_dir():
        CACHE.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=f"{name}-", suffix=".unfinished", dir=CACHE))
        try:
            make(unfinished)
            unfinished.rename(folder)
        except OSError:
            if not folder.is_dir():  # otherwise another process was faster
                raise
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def find_cuda_header() -> Path:
    """The folder of a ``cuda.h``. Raises FileNotFoundError where there is none."""
    for folder in _include_folders():
        if (folder / "cuda.h").is_file():
            return folder
    raise FileNotFoundError(
        "no cuda.h: pip install nvidia-cuda-runtime, or name the folder that holds it in CUDA_INC"
    )


def _include_folders() -> Iterator[Path]:
    if named := os.environ.get("CUDA_INC"):
        yield Path(named)
    nvidia = importlib.util.find_spec("nvidia")
    for folder in (nvidia.submodule_search_locations or []) if nvidia else []:
        yield from sorted(Path(folder).glob("cu*/include"), reverse=True)
        yield Path(folder) / "cuda_runtime" / "include"
    if nvcc := shutil.which("nvcc"):
        yield Path(nvcc).resolve().parent.parent / "include"
    yield Path("/usr/local/cuda/include")


def needed_by_pycuda() -> list[str]:
    """The entry points of the driver that PyCUDA's extension links to; none where PyCUDA is not installed."""
    pycuda = importlib.util.find_spec("pycuda")
    folders = (pycuda.submodule_search_locations or []) if pycuda else []
    extensions = [path for folder in folders for path in Path(folder).glob("_driver*.so")]
    return sorted({name for path in extensions for name in _symbols(path, "-D", "--undefined-only")})


def _symbols(path: Path, *options: str) -> list[str]:
    listing = subprocess.run(["nm", *options, str(path)], check=True, text=True, capture_output=True).stdout
    return [name for line in listing.splitlines() if re.match(r"cu[A-Z]", name := line.split()[-1])]


def _build_into(folder: Path, include: Path, needed: Sequence[str]) -> None:
    library = folder / "libcuda.so.1"
    objects = []
    for source in SOURCES:
        objects.append(folder / (Path(source).stem + ".o"))
        command = ["g++", *FLAGS, f"-I{include}", "-c", str(HERE / source), "-o", str(objects[-1])]
        subprocess.run(command, check=True)
    emulated = {name for path in objects for name in _symbols(path, "--defined-only")}
    others = "".join(f"int {name}(void) {{ return {NOT_SUPPORTED}; }}\n"
                     for name in needed if name not in emulated)  # fmt: skip
    objects.append(folder / "not_supported.o")
    command = ["gcc", "-O1", "-fPIC", "-x", "c", "-", "-c", "-o", str(objects[-1])]
    subprocess.run(command, input=others, text=True, check=True)
    command = ["g++", "-shared", "-Wl,-soname,libcuda.so.1", *map(str, objects), "-ldl", "-lpthread"]
    subprocess.run([*command, "-o", str(library)], check=True)
    for path in objects:
        path.unlink()
    nvcc = folder / "bin" / "nvcc"
    nvcc.parent.mkdir()
    # Named in full, so that it also runs where the PATH has nothing else.
    nvcc.write_text(
        f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -SE {shlex.quote(str(HERE / "nvcc.py"))} "$@"\n'
    )
    nvcc.chmod(0o755)


if __name__ == "__main__":
    try:
        sys.stdout.write(f"{build()}\n")
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(str(error))
