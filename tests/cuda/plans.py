"""Plans for the sanitizers: every kernel over one case, as the engine launches it."""

from __future__ import annotations

import numpy as np

from tests.cuda.attention import STAGES, Array, Case
from tests.cuda.shapes import BLOCKS, FORMATS, grid_of
from tests.cuda.walks import Walk, walk
from tests.cudaemu.sanitized import Plan


def every_kernel(plan: Plan, case: Case) -> None:
    """All stages by the plain kernels and by those for many tokens, listed rows and keys, both pictures.

    The plain kernels compute head 0 alone. Results are named by stage, with "tiled_" before those of the
    kernels for many tokens. What one kernel needs of another is launched before it.
    """
    (n_heads, n_rows, n_keys), d_k, d_v = case.sizes, case.q.shape[2], case.v.shape[2]
    for name in ("q", "k", "v"):
        plan.put(name, getattr(case, name))
    allowed = None
    if case.allowed is not None:
        allowed = "allowed"
        plan.put(allowed, case.allowed.astype(np.uint8))
    for way in ("", "tiled_"):
        for stage in STAGES:
            heads = n_heads if way else 1
            shape = (heads, n_rows, n_keys) if stage in STAGES[:4] else (heads, n_rows)
            plan.room(way + stage, (heads, n_rows, d_v) if stage == "output" else shape)
    plan.put("rows", np.array(sorted({0, n_rows // 2, n_rows - 1}), np.int32))
    plan.put("keys", np.array(sorted({0, n_keys // 3, n_keys - 1}), np.int32))
    some_rows, some_keys = len({0, n_rows // 2, n_rows - 1}), len({0, n_keys // 3, n_keys - 1})

    for rows, keys, lines, columns in ((None, None, n_rows, n_keys), ("rows", "keys", some_rows, some_keys)):
        work, sizes = (columns, lines), (rows, keys, lines, columns, n_keys)
        launch(plan, "scores_plain", work, "q", "k", "scores", *sizes, d_k)
        launch(plan, "scale", work, "scores", "scaled", *sizes, case.divisor)
        launch(plan, "mask", work, "scaled", "masked", allowed, *sizes, case.first_row, case.kind, case.fill)
        top = ("row_max", "row_sum", rows, lines)
        launch(plan, "softmax_plain", (lines,), "masked", "weights", *top, n_keys)
        launch(plan, "weighted_sum_plain", (d_v, lines), "weights", "v", "output", rows, lines, n_keys, d_v)
        launch(plan, "softmax_rows", (lines,), "masked", "weights", *top, n_rows, n_keys)
        launch(plan, "weighted_sum_rows", (lines, d_v), "weights", "v", "output", rows, lines, n_keys, d_v)

    stages = ("tiled_scores", "tiled_scaled", "tiled_masked")
    rule = (case.first_row, case.kind, case.divisor, case.fill)
    launch(
        plan,
        "scores_tiled",
        (n_keys, n_rows, n_heads),
        "q",
        "k",
        *stages,
        allowed,
        n_rows,
        n_keys,
        d_k,
        *rule,
    )
    launch(
        plan, "softmax_rows", (n_rows, 1, n_heads), "tiled_masked", "tiled_weights", "tiled_row_max",
        "tiled_row_sum", None, n_rows, n_rows, n_keys,
    )  # fmt: skip
    launch(
        plan,
        "weighted_sum_tiled",
        (d_v, n_rows, n_heads),
        "tiled_weights",
        "v",
        "tiled_output",
        n_rows,
        n_keys,
        d_v,
    )

    picture = (-(-n_rows // 3), -(-n_keys // 2))
    for kernel, values in (("pool_largest", "scaled"), ("pool_maximum", "weights")):
        plan.room(kernel, picture)
        range_and_bins = (case.first_row, n_keys, 0, n_keys, n_rows, 3, 2)
        launch(plan, kernel, picture[::-1], values, kernel, allowed, *range_and_bins, case.kind)
    walk_kernels(plan, walk(case, np.arange(n_rows)[:: 2 if n_rows > 40 else 1], *range(130, n_keys, 130)))


def walk_kernels(plan: Plan, one: Walk) -> None:
    """The kernels of long documents over one walk: sums and pools, pools with means, a picture, and cells.

    The bins of 13 keys are those of a region that leaves a key out at each end, where there are so many.
    """
    (n_rows, d_k), case, names = one.sizes, one.case, ("walk_ranges", "walk_hidden", "walk_allowed")
    n_key, n_slices = case.sizes[2], len(one.slices)
    *arrays, sizes = one.seen()
    seen = [None if array is None else name for name, array in zip(names, arrays, strict=True)]
    for name, array in zip(names, arrays, strict=True):
        if array is not None:
            plan.put(name, array)
    plan.put("walk_rows", one.rows)
    plan.put("walk_slices", one.slices)
    keys = (0, n_key - 1) if n_key > 2 else (0, n_key)
    columns = -(-(keys[1] - keys[0]) // 13)
    pools, known = ("walk_high", "walk_low", "walk_sums", "walk_counts"), ("walk_top", "walk_total")
    for name, number in zip(pools, (-np.inf, np.inf, 0, 0), strict=True):
        plan.put(name, np.full((columns, n_rows), number, np.float32))
    for name, number in zip(known, (1.5, 2.0), strict=True):
        plan.put(name, np.full(n_rows, number, np.float32))
    parts = ("walk_tops", "walk_totals", "walk_weighted")
    for name in parts:
        plan.room(name, (n_slices, n_rows))
    vectors = ("q", "k", "walk_rows", "walk_slices", *seen)
    rest = (n_rows, d_k, *sizes, *keys, 13, case.divisor)
    work, nothing = (n_slices, n_rows), (None, None)
    launch(plan, "walk_keys", work, *vectors, *nothing, *parts, *pools[:2], *nothing, *rest)
    launch(plan, "walk_keys", work, *vectors, *known, *(None,) * 3, *pools, *rest)

    starts = np.append(np.arange(0, n_rows, 3), n_rows)
    plan.put("walk_places", np.arange(n_rows, dtype=np.int32))
    plan.put("walk_starts", starts.astype(np.int32))
    pictures = ("walk_highs", "walk_lows", "walk_weights", "walk_seen")
    for name in pictures:
        plan.room(name, (len(starts) - 1, columns))
    work, lists = (columns, len(starts) - 1), ("walk_places", "walk_starts")
    for sums in ((None, None), pools[2:]):
        rest = (n_rows, columns, len(starts) - 1, case.divisor)
        launch(plan, "pool_rows", work, *pools[:2], *sums, *known, *lists, *pictures, *rest)

    for name in ("walk_cells", "walk_cell_weights"):
        plan.room(name, (n_rows, n_key))
    rest = (n_rows, d_k, *sizes, 0, n_key, case.divisor, case.fill)
    vectors = ("q", "k", "walk_rows", *seen)
    launch(plan, "known_cells", (n_key, n_rows), *vectors, *known, "walk_cells", "walk_cell_weights", *rest)


def launch(plan: Plan, kernel: str, work: tuple[int, ...], *arguments) -> None:
    """Launch a kernel over `work` = (x, y, heads) of its own units."""
    kinds = FORMATS[kernel]
    assert len(arguments) == len(kinds)
    values = [float(value) if kind == "f" else value for kind, value in zip(kinds, arguments, strict=True)]
    plan.launch(kernel, grid_of(kernel, work, BLOCKS[kernel]), BLOCKS[kernel], *values)


def results(plan: Plan, way: str) -> dict[str, Array]:
    """The stages by the plain kernels ("") or those for many tokens ("tiled_"), after the plan was run."""
    return {stage: plan.result(way + stage) for stage in STAGES}
