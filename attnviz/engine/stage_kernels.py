"""Which kernel computes which stage, which of its lines do it, and with which launch it runs for a document.

Numbers only: nothing here needs CUDA. Grids are (x, y, z), blocks are (x, y), as the kernels' comments say.
"""

from __future__ import annotations

from dataclasses import dataclass

from attnviz.assets import kernel_path
from attnviz.core.stage_lines import OUTPUT
from attnviz.engine.kernel_sources import KernelText, kernel_text
from attnviz.engine.launches import FEW_ROWS, PLAIN_KEYS

FEW_QUERIES = 4
"""With fewer, one query is more than the quarter up to which changed rows alone are computed."""

_CELLS, _TILE_THREADS = (32, 8), (16, 16)

Marks = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class StageKernel:
    """One kernel that computes a stage.

    Attributes
    ----------
    name
        As in the source.
    marks
        The very lines: pairs of texts, the first standing in the first line, the second in the last.
    above
        Where a function above the kernel belongs to it: text in the line that is shown first.
    """

    name: str
    marks: Marks
    above: str = ""

    def text(self) -> KernelText:
        """Give what is shown of the kernel's file; FileNotFoundError where the installation is incomplete."""
        text = kernel_text(self.name)
        if not self.above:
            return text
        lines = kernel_path(text.file).read_text(encoding="utf-8").splitlines()
        start = next(index for index, line in enumerate(lines) if self.above in line)
        end = text.first_line - 1 + len(text.lines)
        return KernelText(text.file, start + 1, tuple(lines[start:end]))


@dataclass(frozen=True)
class Launch:
    """A kernel's launch, and the thread that computes one cell in it.

    Attributes
    ----------
    kernel
        Its name.
    grid
        Blocks along x, y and z.
    block
        Threads of a block along x and y.
    at_block, at_thread
        The block (x, y) and the thread (x, y) within it that compute the cell asked for. With ``shares_row``
        the threads of that block share the cell's row and ``at_thread`` is the one that writes the cell.
    shares_row
        Whether several threads together compute what the cell needs.
    """

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int]
    at_block: tuple[int, int]
    at_thread: tuple[int, int]
    shares_row: bool = False

    @property
    def n_threads(self) -> int:
        """Threads of the whole launch."""
        x, y, z = self.grid
        return x * y * z * self.block[0] * self.block[1]


_TILED_SUM = ("float part[4][4] = {}", "score[i][j] += part[i][j]")

KERNELS: dict[str, tuple[StageKernel, ...]] = {
    "scores": (
        StageKernel("scores_plain", (("float score = 0.0f", "scores[(size_t)row * T + key] = score"),)),
        StageKernel("scores_tiled", (_TILED_SUM,)),
        StageKernel(
            "walk_keys",
            (_TILED_SUM, ("largest = fmaxf(largest, value)", "smallest = fminf(smallest, value)")),
            above="The scores of 64 rows x 64 keys",
        ),
    ),
    "scaled": (
        StageKernel("scale", (("scaled[cell] = __fdiv_rn",) * 2,)),
        StageKernel("scores_tiled", (("by[j] = __fdiv_rn",) * 2,)),
        StageKernel("walk_keys", (("mine = raised(mine, fmaxf",) * 2, ("const float below =",) * 2)),
    ),
    "masked": (
        StageKernel(
            "mask",
            (("if (mask_kind == MASK_CAUSAL)", "return true"), ("masked[cell] = may_attend",) * 2),
            above="The one rule of who sees whom",
        ),
        StageKernel("scores_tiled", (("const bool is_seen", "hidden[j] = is_seen"),)),
        StageKernel(
            "walk_keys",
            (("if (seen.allowed) return", "return true;"), ("&& sees(seen, R, row, key) ?",) * 2),
            above="What the rows of a walk see",
        ),
    ),
    "weights": (
        StageKernel("softmax_plain", (("float top = MINUS_INFINITY", "to[key] = is_empty"),)),
        StageKernel(
            "softmax_rows",
            (
                ("if (value > mine.top)", "mine.total += expf(value - mine.top)"),
                ("mine = joined(mine, other)",) * 2,
                ("to[key] = is_empty",) * 2,
            ),
        ),
        StageKernel("pool_rows", (("const float below =", "weight = fmaxf(weight, __fdiv_rn"),)),
        StageKernel("known_cells", (("weights[cell] =", "__fdiv_rn(expf("),)),
    ),
    OUTPUT: (
        StageKernel("weighted_sum_plain", (("float sum = 0.0f", "output[(size_t)row * D + dim] = sum"),)),
        StageKernel("weighted_sum_tiled", (("float part[2][4] = {}", "sum[i][j] += part[i][j]"),)),
        StageKernel(
            "weighted_sum_rows",
            (("part = fmaf(weights",) * 2, ("sum += parts[tile]",) * 2),
        ),
    ),
}
"""The kernels of each part: the plain one first, then the one of a whole pass over many keys, then others."""


LONG_KERNELS = ("walk_keys", "pool_rows", "known_cells")
"""Those that long documents alone are computed with."""


def long_kernel(part: str, *, is_pooled: bool) -> str:
    """Give the kernel that computes a part of a long document, pooled or cell by cell."""
    if part == OUTPUT:
        return "weighted_sum_tiled"
    if part == "weights":
        return "pool_rows" if is_pooled else "known_cells"
    return "walk_keys"


def whole_pass(part: str, n_tokens: tuple[int, int], cell: tuple[int, int], n_columns: int) -> Launch:
    """Give the launch that computes a part of one head for all queries.

    Parameters
    ----------
    part
        One of ``core.stage_lines.PARTS``.
    n_tokens
        Numbers of queries and of keys.
    cell
        (query, key), or (query, dimension) of the output.
    n_columns
        Columns of what comes out: as many as keys, or d_v of the output.
    """
    plain, large = KERNELS[part][:2]
    (n_query, n_key), (query, column) = n_tokens, cell
    if part == "weights":
        if n_key <= PLAIN_KEYS:
            return Launch(
                plain.name, (_pieces(n_query, 32), 1, 1), (32, 1), (query // 32, 0), (query % 32, 0)
            )
        return Launch(large.name, (n_query, 1, 1), (256, 1), (query, 0), (column % 256, 0), shares_row=True)
    if n_key <= PLAIN_KEYS:
        return _by_cells(plain.name, n_query, n_columns, query, column)
    if part == OUTPUT and n_query <= FEW_ROWS:
        return _by_rows(n_query, n_columns, query, column)
    wide, high = 64, 32 if part == OUTPUT else 64
    return Launch(
        large.name,
        (_pieces(n_columns, wide), _pieces(n_query, high), 1),
        _TILE_THREADS,
        (column // wide, query // high),
        (column % wide // 4, query % high // (high // 16)),
    )


def changed_row(part: str, n_tokens: tuple[int, int], cell: tuple[int, int], n_columns: int) -> Launch:
    """Give the launch that computes a part anew for one query, as an edit of its q leaves it to do.

    Parameters are as in ``whole_pass``; the only row of the launch is the query's. Of fewer than FEW_QUERIES
    one is so large a part that everything is computed anew.
    """
    n_query, n_key = n_tokens
    if n_query < FEW_QUERIES:
        return whole_pass(part, n_tokens, cell, n_columns)
    column = cell[1]
    plain, large = KERNELS[part][:2]
    if part == "weights":
        if n_key <= PLAIN_KEYS:
            return Launch(plain.name, (1, 1, 1), (32, 1), (0, 0), (0, 0))
        return Launch(large.name, (1, 1, 1), (256, 1), (0, 0), (column % 256, 0), shares_row=True)
    if part == OUTPUT and n_key > PLAIN_KEYS:
        return _by_rows(1, n_columns, 0, column)
    return _by_cells(plain.name, 1, n_columns, 0, column)


def _by_rows(n_rows: int, n_columns: int, row: int, column: int) -> Launch:
    """Give the launch of the output's kernel for a few rows, whose threads share a row."""
    name, grid = KERNELS[OUTPUT][2].name, (n_rows, _pieces(n_columns, 32), 1)
    return Launch(name, grid, _CELLS, (row, column // 32), (column % 32, 0), shares_row=True)


def _by_cells(name: str, n_rows: int, n_columns: int, row: int, column: int) -> Launch:
    """Give the launch of a kernel with one thread a cell."""
    wide, high = _CELLS
    grid = (_pieces(n_columns, wide), _pieces(n_rows, high), 1)
    return Launch(name, grid, _CELLS, (column // wide, row // high), (column % wide, row % high))


def _pieces(whole: int, piece: int) -> int:
    return -(-whole // piece)
