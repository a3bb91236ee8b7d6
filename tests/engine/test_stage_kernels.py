"""What is told of kernels and launches is what the CUDA engine does. No CUDA here: launches are recorded."""

from __future__ import annotations

import numpy as np
import pytest

from attnviz.assets import kernel_path
from attnviz.core import edits
from attnviz.core.stage_lines import OUTPUT, PARTS
from attnviz.engine import launches
from attnviz.engine.blocks import Problem
from attnviz.engine.kernels import Kernels
from attnviz.engine.launch_plan import LaunchPlan
from attnviz.engine.launches import Launches
from attnviz.engine.mask_on_device import MaskArgument
from attnviz.engine.squares import Square
from attnviz.engine.stage_kernels import KERNELS, PLAIN_KEYS, Launch, changed_row, whole_pass
from attnviz.engine.vectors_on_device import Place
from tests.engine.documents import document

SIZES = tuple((n, n) for n in (1, 2, 3, 4, 7, 10, 32, 33, 63, 64, 65, 66, 100, 130, 257))
OTHER_SIZES = ((1, 65), (3, 200), (4, 65), (32, 66), (33, 66), (65, 3), (66, 64), (130, 70))
each_size = pytest.mark.parametrize(("n_query", "n_key"), SIZES + OTHER_SIZES)
D_V = (1, 4, 33, 70)


class Recorder:
    """Stands for the driver, its module and its functions, and notes what is launched."""

    def __init__(self, name: str = "") -> None:
        self._name = name
        self.launched: list[tuple[str, tuple, tuple]] = []

    def module_from_buffer(self, cubin: bytes) -> Recorder:
        return self

    def get_function(self, name: str) -> Recorder:
        function = Recorder(name)
        function.launched = self.launched
        return function

    def prepare(self, types: str) -> None:
        pass

    def prepared_async_call(self, grid, block, stream, *arguments) -> None:
        self.launched.append((self._name, grid, block))


def launched(plan: LaunchPlan, n_tokens: tuple[int, int], d_v: int) -> list[tuple[str, tuple, tuple]]:
    recorder = Recorder()
    square = Square((0, n_tokens[0]), n_tokens[1], 4, d_v, *range(4096, 4096 * 8, 4096))
    ours = Launches(recorder, Kernels(recorder, b""), None, None)
    ours.run(plan, square, Place(1, 2, 3), MaskArgument(1), np.float32(2), np.float32(-np.inf))
    return recorder.launched


def told(launch: Launch) -> tuple[str, tuple, tuple]:
    return launch.kernel, launch.grid, (*launch.block, 1)


def columns(part: str, n_key: int, d_v: int) -> int:
    return d_v if part == OUTPUT else n_key


@pytest.mark.parametrize("d_v", D_V)
@each_size
def test_a_whole_pass_is_launched_as_told(n_query, n_key, d_v):
    n_tokens = (n_query, n_key)
    expected = dict.fromkeys(
        told(whole_pass(part, n_tokens, (0, 0), columns(part, n_key, d_v))) for part in PARTS
    )
    assert launched(LaunchPlan.full(*n_tokens), n_tokens, d_v) == list(expected)


@pytest.mark.parametrize("d_v", D_V)
@each_size
def test_an_edit_of_one_query_is_launched_as_told(n_query, n_key, d_v):
    n_tokens = (n_query, n_key)
    before = document(n_query, 4, d_v, n_key=n_key)
    after = edits.set_vector_value(before, 0, "q", n_query - 1, 0, 7.5)
    plan = LaunchPlan.between(Problem.of(before, 0), Problem.of(after, 0), (0, n_query))
    cell = (n_query - 1, 0)
    expected = dict.fromkeys(
        told(changed_row(part, n_tokens, cell, columns(part, n_key, d_v))) for part in PARTS
    )
    assert launched(plan, n_tokens, d_v) == list(expected)


def test_the_limit_of_the_plain_kernels_is_the_engines():
    assert PLAIN_KEYS == launches.PLAIN_KEYS


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("n_tokens", [(10, 10), (100, 100), (7, 70), (70, 7)])
def test_every_cell_has_a_thread_of_the_launch_and_no_two_have_the_same(part, n_tokens):
    across = columns(part, n_tokens[1], 70)
    owners: dict[tuple, tuple[int, int]] = {}
    for query in range(n_tokens[0]):
        for column in range(across):
            launch = whole_pass(part, n_tokens, (query, column), across)
            assert all(0 <= at < size for at, size in zip(launch.at_block, launch.grid[:2], strict=True))
            assert all(0 <= at < size for at, size in zip(launch.at_thread, launch.block, strict=True))
            owner = (launch.at_block, launch.at_thread)
            # A thread of a tile computes neighbours, one of softmax its row or every 256th cell of it.
            first = owners.setdefault(owner, (query, column))
            if part == "weights":
                assert first[0] == query
            elif launch.block == (16, 16):
                assert query - first[0] < 4
                assert column - first[1] < 4
            else:
                assert first == (query, column)


def test_the_lines_shown_are_those_of_the_file_under_their_numbers():
    for kernel in [kernel for kernels in KERNELS.values() for kernel in kernels]:
        text = kernel.text()
        lines = kernel_path(text.file).read_text(encoding="utf-8").splitlines()
        assert list(text.lines) == lines[text.first_line - 1 : text.first_line - 1 + len(text.lines)]
        assert any(f"{kernel.name}(" in line for line in text.lines)


@pytest.mark.parametrize("part", PARTS)
def test_the_marked_lines_stand_in_the_kernel(part):
    for kernel in KERNELS[part]:
        lines = kernel.text().lines
        for start, end in kernel.marks:
            first = next(at for at, line in enumerate(lines) if start in line)
            assert any(end in line for line in lines[first:])
