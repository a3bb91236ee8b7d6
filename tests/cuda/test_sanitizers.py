"""Every kernel under AddressSanitizer, UBSan and ThreadSanitizer, each shown to see a planted fault.

The emulated driver runs a block's threads one after another, so a missing barrier may leave the numbers
right; ThreadSanitizer sees it all the same. Faults are planted in the text of the kernels as they are.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from attnviz.engine.kernel_sources import kernel_source
from tests.cuda.attention import Case, assert_accurate, case
from tests.cuda.plans import every_kernel, launch, results
from tests.cudaemu.sanitized import SANITIZERS, Plan, program

pytestmark = pytest.mark.emulated


def long_rows() -> Case:
    """A few rows of many keys: more than weighted_sum_rows sums between two barriers."""
    whole = case(577, 35, 67, mask="holes")
    rows = slice(280, 313)
    return replace(whole, q=whole.q[:, rows], allowed=whole.allowed[rows], first_row=280)


CASES = {
    "1": case(1, 3),
    "10": case(10, 5, 3, mask="holes"),
    "33 of 2 heads": case(33, 7, 2, mask="causal", n_heads=2),
    "64": case(64, 33, 65, mask="none"),
    "65": case(65, 4, 40, mask="finite"),
    "130": case(130, 65, 5, mask="causal"),
    "long rows": long_rows(),
}

ADDRESS = (
    ("scale.cu", "column >= n_keys", "column > n_keys"),
    ("mask.cu", "line >= n_rows", "line > n_rows"),
    ("scores.cu", "if (column >= n_keys", "if (column > n_keys"),
    ("scores.cu", "query < R ?", "query <= R ?"),
    ("scores.cu", "key < T ?", "key <= T ?"),
    ("scores.cu", "if (row >= R", "if (row > R"),
    ("scores.cu", "j < 4 && key + j < T; ++j", "j < 4; ++j"),
    ("softmax.cu", "if (line >= n_rows)", "if (line > n_rows)"),
    ("softmax.cu", "tops[warp] =", "tops[warp + 32] ="),
    ("softmax.cu", "key < T; key += blockDim.x)\n        to", "key <= T; key += blockDim.x)\n        to"),
    ("weighted_sum.cu", "dim >= D", "dim > D"),
    ("weighted_sum.cu", "start + KEYS, T);\n        float part", "start + KEYS, T + 1);\n        float part"),
    ("weighted_sum.cu", "threadIdx.y == 0 && dim < D)", "threadIdx.y == 0 && dim <= D)"),
    ("weighted_sum.cu", "tile_row + row < R && first", "tile_row + row <= R && first"),
    ("weighted_sum.cu", "first + key < T && tile_dim + dim < D", "first + key < T + 1 && tile_dim + dim < D"),
    ("weighted_sum.cu", "if (row < R && dim < D)", "if (row <= R && dim < D)"),
    ("pool.cu", "column >= columns", "column > columns"),
    ("pool.cu", "first_key + n_keys);", "first_key + n_keys + 1);"),
    ("walk.cu", "is_dim && row < R ?", "is_dim && row <= R ?"),
    ("walk.cu", "key < last_key ?", "key <= last_key ?"),
    ("walk.cu", "row < R && key < end && sees", "row <= R && key < end && sees"),
    (
        "walk.cu",
        "if (row >= R) continue;\n            const int start",
        "if (row > R) continue;\n const int start",
    ),
    ("walk.cu", "quarter > 0 || row >= R", "quarter > 0 || row > R"),
    ("walk.cu", "column >= columns", "column > columns"),
    ("walk.cu", "if (key >= end) continue;", "if (key > end) continue;"),
)
"""Faults for AddressSanitizer: the file, what stands there, and what is put in its place."""

UNDEFINED = (
    ("softmax.cu", "tops[warp] =", "tops[warp + 32] =", "out of bounds"),
    ("scores.cu", "q_tile[dim][row] =", "q_tile[dim + 32][row] =", "out of bounds"),
    ("scores.cu", "&q_tile[dim][threadIdx.y * 4]", "&q_tile[dim][threadIdx.y * 4 + 1]", "misaligned address"),
    (
        "weighted_sum.cu",
        "&v_tile[key][threadIdx.x * 4]",
        "&v_tile[key][threadIdx.x * 4 + 1]",
        "misaligned address",
    ),
    ("walk.cu", "[threadIdx.y * 4]) =\n", "[threadIdx.y * 4 + 1]) =\n", "misaligned address"),
    ("walk.cu", "tops[quarter][line] =", "tops[quarter + 4][line] =", "out of bounds"),
)
"""Faults for UBSan, and what it has to say of each."""


def source_of(*files: str) -> str:
    """The text of some of the kernels' files, joined as the engine joins all of them."""
    parts = kernel_source().split("#line 1 ")[1:]
    return "".join(f"#line 1 {part}" for part in parts if part.split('"')[1] in files)


def planted(file: str, old: str, new: str, among: str | None = None) -> str:
    """The kernels with a fault put into one file; the text has to be there."""
    parts = (among or kernel_source()).split("#line 1 ")[1:]
    wrong = [part.replace(old, new) if part.startswith(f'"{file}"') else part for part in parts]
    assert wrong != parts, f"{old} is not in {file}"
    return "".join(f"#line 1 {part}" for part in wrong)


def barriers() -> list[tuple[str, int]]:
    """Each barrier of the kernels: its file, and which one of that file's it is."""
    return [
        (file, i)
        for file in ("scores.cu", "softmax.cu", "weighted_sum.cu", "walk.cu")
        for i in range(source_of(file).count("__syncthreads();"))
    ]


def without_barrier(file: str, index: int) -> str:
    """The kernels without one barrier of a file."""
    text = source_of(file)
    pieces = text.split("__syncthreads();")
    before, after = pieces[: index + 1], pieces[index + 1 :]
    return kernel_source().replace(text, "__syncthreads();".join(before) + "__syncthreads();".join(after))


def softmax_plan(folder: Path, one: Case) -> Plan:
    """Softmax of random numbers by both kernels, a quick plan."""
    plan, n = Plan(folder), one.sizes[1]
    plan.put("masked", one.q @ one.k.transpose(0, 2, 1))
    plan.room("weights", (n, n))
    for name in ("row_max", "row_sum"):
        plan.room(name, (n,))
    launch(plan, "softmax_plain", (n,), "masked", "weights", "row_max", "row_sum", None, n, n)
    launch(plan, "softmax_rows", (n,), "masked", "weights", "row_max", "row_sum", None, n, n, n)
    return plan


QUICK = {
    "address": ("tops[warp] =", "tops[warp + 32] =", "global-buffer-overflow"),
    "undefined": ("tops[warp] =", "tops[warp + 32] =", "out of bounds"),
    "thread": ("__syncthreads();", "", "data race"),
}


@pytest.mark.parametrize("sanitizer", QUICK)
def test_softmax_is_sound_and_a_fault_in_it_is_seen(tmp_path, sanitizer):
    old, new, report = QUICK[sanitizer]
    clean = source_of("softmax.cu")
    plan = softmax_plan(tmp_path, case(40))
    result = plan.run(program(clean, sanitizer, tmp_path))
    assert (result.returncode, result.stderr) == (0, "")
    assert plan.result("weights").sum(axis=1) == pytest.approx(1)
    result = plan.run(program(planted("softmax.cu", old, new, clean), sanitizer, tmp_path))
    assert result.returncode != 0
    assert report in result.stderr
    assert "softmax.cu:" in result.stderr


@pytest.fixture(scope="module")
def sound(tmp_path_factory) -> dict[str, Path]:
    """All kernels under each sanitizer."""
    return {
        sanitizer: program(kernel_source(), sanitizer, tmp_path_factory.mktemp(sanitizer))
        for sanitizer in SANITIZERS
    }


@pytest.mark.long
@pytest.mark.parametrize("order", ["forward", "reverse", "seed:1"])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("sanitizer", SANITIZERS)
def test_every_kernel_is_sound(tmp_path, sound, sanitizer, name, order):
    plan, one = Plan(tmp_path), CASES[name]
    every_kernel(plan, one)
    result = plan.run(sound[sanitizer], CUDAEMU_ORDER=order)
    assert (result.returncode, result.stderr) == (0, "")
    assert_accurate(results(plan, ""), one.head(0))
    assert_accurate(results(plan, "tiled_"), one)


@pytest.mark.long
@pytest.mark.parametrize(("file", "old", "new"), ADDRESS)
def test_addresses_out_of_bounds_are_seen(tmp_path, file, old, new):
    assert_seen(tmp_path, planted(file, old, new), "address", "AddressSanitizer", file)


@pytest.mark.long
@pytest.mark.parametrize(("file", "old", "new", "report"), UNDEFINED)
def test_undefined_behaviour_is_seen(tmp_path, file, old, new, report):
    assert_seen(tmp_path, planted(file, old, new), "undefined", report, file)


@pytest.mark.long
@pytest.mark.parametrize(("file", "index"), barriers())
def test_a_missing_barrier_is_seen(tmp_path, file, index):
    assert_seen(tmp_path, without_barrier(file, index), "thread", "data race", file)


def assert_seen(folder: Path, source: str, sanitizer: str, report: str, file: str) -> None:
    """Run all kernels, and find the fault reported with the name of its file."""
    plan = Plan(folder)
    every_kernel(plan, CASES["long rows"])
    result = plan.run(program(source, sanitizer, folder))
    assert result.returncode != 0
    assert report in result.stderr
    assert f"{file}:" in result.stderr
