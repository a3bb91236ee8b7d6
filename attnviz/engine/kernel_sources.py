"""The text of the CUDA kernels: all of it, as it is compiled, or one kernel, as it is shown to a person.

Nothing here compiles; ``kernels`` does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from attnviz.assets import kernel_path

SOURCES = ("mask.cu", "scale.cu", "scores.cu", "softmax.cu", "weighted_sum.cu", "pool.cu", "walk.cu")
"""The files of one translation unit in their order: what a file defines, those behind it may use."""


@dataclass(frozen=True)
class KernelText:
    """A kernel as it stands in its file.

    Attributes
    ----------
    file
        Name of the file under ``cuda/``, such as ``softmax.cu``.
    first_line
        Number of the first of ``lines`` in that file, counted from 1.
    lines
        The comment right above the kernel, its declaration, and its body to the closing brace; without ends
        of lines.
    """

    file: str
    first_line: int
    lines: tuple[str, ...]


def kernel_source(folder: Path | None = None) -> str:
    """Give the whole source as one translation unit; compilers name the files and lines of their own.

    Parameters
    ----------
    folder
        Where the files lie; None: those that attnviz came with.

    Raises
    ------
    FileNotFoundError
        When one is missing, which means that the installation is incomplete.
    """
    return "".join(f'#line 1 "{name}"\n{_text(name, folder)}' for name in SOURCES)


def kernel_names(folder: Path | None = None) -> tuple[str, ...]:
    """Give the names of all kernels in the order of the source."""
    return tuple(re.findall(_declaration(r"(\w+)"), kernel_source(folder), re.MULTILINE))


def kernel_text(name: str, folder: Path | None = None) -> KernelText:
    """Give one kernel with the comment right above it.

    Raises
    ------
    KeyError
        When no file has a kernel of that name.
    FileNotFoundError
        When a file is missing, which means that the installation is incomplete.
    """
    for file in SOURCES:
        text = _text(file, folder)
        found = re.search(_declaration(re.escape(name)), text, re.MULTILINE)
        if found is not None:
            lines = text.splitlines()
            declared = text.count("\n", 0, found.start())
            first = _start_of_comment(lines, declared)
            end = lines.index("}", declared) + 1
            return KernelText(file, first + 1, tuple(lines[first:end]))
    raise KeyError(name)


def _declaration(name: str) -> str:
    return rf'^extern "C" __global__ void\s+(?:__launch_bounds__\([^)]*\)\s+)?{name}\('


def _start_of_comment(lines: list[str], declared: int) -> int:
    """Give the index of the line where the comment that ends right above ``declared`` starts."""
    if declared == 0 or not lines[declared - 1].endswith("*/"):
        return declared
    return next(i for i in range(declared - 1, -1, -1) if lines[i].lstrip().startswith("/*"))


def _text(name: str, folder: Path | None) -> str:
    path = kernel_path(name) if folder is None else folder / name
    text = path.read_text(encoding="utf-8")
    return text if text.endswith("\n") else text + "\n"
