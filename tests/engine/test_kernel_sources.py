"""The kernels' source as it is compiled, and as it is shown."""

from __future__ import annotations

import re

import pytest

from attnviz.assets import kernel_path
from attnviz.engine.kernel_sources import SOURCES, kernel_names, kernel_source, kernel_text
from attnviz.engine.kernels import FORMATS

LETTERS = {"float": "f", "int": "i"}


def test_every_source_is_part_of_the_whole():
    on_disk = {path.name for path in kernel_path("mask.cu").parent.glob("*.cu")}
    assert on_disk == set(SOURCES)
    for name in SOURCES:
        assert f'#line 1 "{name}"\n' in kernel_source()
        assert kernel_path(name).read_text(encoding="utf-8") in kernel_source()


def test_sources_include_nothing():
    assert "#include" not in kernel_source()


def test_every_kernel_can_be_launched():
    assert set(kernel_names()) == set(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_formats_are_the_parameters_of_the_sources(name):
    """P a pointer, i an int, f a float, in the order of the declaration."""
    declared = re.search(rf"{name}\((.*?)\)\n{{", "\n".join(kernel_text(name).lines), re.DOTALL)
    parameters = [" ".join(part.split()) for part in declared[1].split(",")]
    letters = ["P" if "*" in part else LETTERS[part.split()[0]] for part in parameters]
    assert "".join(letters) == FORMATS[name]


@pytest.mark.parametrize("name", FORMATS)
def test_a_kernel_is_shown_with_the_lines_of_its_file(name):
    shown = kernel_text(name)
    lines = kernel_path(shown.file).read_text(encoding="utf-8").splitlines()
    assert tuple(lines[shown.first_line - 1 :][: len(shown.lines)]) == shown.lines
    assert shown.lines[-1] == "}"
    assert sum("__global__" in line for line in shown.lines) == 1


def test_a_kernel_comes_with_the_comment_above_it():
    assert kernel_text("scores_plain").lines[0].startswith("/* The plain kernel")


def test_a_kernel_that_is_not_there_is_told_so():
    with pytest.raises(KeyError):
        kernel_text("scores")


def test_an_installation_without_a_source_says_which(tmp_path):
    with pytest.raises(FileNotFoundError, match=re.escape("mask.cu")):
        kernel_source(tmp_path)
