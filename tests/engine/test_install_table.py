"""The table of docs/cuda-install.md says what attnviz says, and leaves no reason out."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from attnviz.engine import cuda_engine, cuda_errors, fallback, kernel_compilers

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cuda-install.md"


def rows() -> list[str]:
    """Give what the table's rows say attnviz begins with; a row may hold several."""
    table = PAGE.read_text("utf-8").split("| it says | do |")[1].split("\n\n")[0]
    cells = [line.split(" | ")[0].removeprefix("| ") for line in table.splitlines()[2:]]
    return [beginning for cell in cells for beginning in cell.split("; ")]


def reasons() -> list[str]:
    """Give every sentence that says why CUDA is not available, with … for each value."""
    found = []
    for module in (cuda_engine, cuda_errors, fallback, kernel_compilers):
        for node in ast.walk(ast.parse(Path(module.__file__).read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "EngineUnavailable":
                found.append(re.sub(r"\{\w+\}", "…", ast.literal_eval(node.args[0])))
    return found


@pytest.mark.parametrize("row", rows())
def test_every_row_is_the_beginning_of_a_sentence(row):
    assert any(sentence.startswith(row) for sentence in reasons())


@pytest.mark.parametrize("sentence", reasons())
def test_every_sentence_has_its_row(sentence):
    assert any(sentence.startswith(row) for row in rows())
