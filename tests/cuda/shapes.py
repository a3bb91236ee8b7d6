"""How each kernel is launched: the parameters it takes, its block, and the cells that one block computes.

This says once more what the comments in cuda/ say; the engine's own launches are not asked, as they are under
test themselves.
"""

FORMATS = {
    "scores_plain": "PPPPPiiii",
    "scale": "PPPPiiif",
    "mask": "PPPPPiiiiif",
    "softmax_plain": "PPPPPii",
    "softmax_rows": "PPPPPiii",
    "weighted_sum_plain": "PPPPiii",
    "weighted_sum_rows": "PPPPiii",
    "scores_tiled": "PPPPPPiiiiiff",
    "weighted_sum_tiled": "PPPiii",
    "pool_largest": "PPPiiiiiiii",
    "pool_maximum": "PPPiiiiiiii",
    "walk_keys": "PPPPPPPPPPPPPPPPiiiiiiiif",
    "pool_rows": "PPPPPPPPPPPPiiif",
    "known_cells": "PPPPPPPPPPiiiiiiiff",
}
"""The parameters of each kernel in PyCUDA's letters."""

BLOCKS = {
    "scores_plain": (32, 8),
    "scale": (32, 8),
    "mask": (32, 8),
    "softmax_plain": (32, 1),
    "softmax_rows": (256, 1),
    "weighted_sum_plain": (32, 8),
    "weighted_sum_rows": (32, 8),
    "scores_tiled": (16, 16),
    "weighted_sum_tiled": (16, 16),
    "pool_largest": (32, 8),
    "pool_maximum": (32, 8),
    "walk_keys": (16, 16),
    "pool_rows": (32, 8),
    "known_cells": (16, 16),
}
"""Threads along x and y."""

CELLS = {
    "softmax_rows": (1, 1),
    "weighted_sum_rows": (1, 32),
    "scores_tiled": (64, 64),
    "weighted_sum_tiled": (64, 32),
    "walk_keys": (1, 64),
    "known_cells": (64, 64),
}
"""Units of work along x and y that one block does; one for each thread where a kernel is not listed."""


def grid_of(kernel: str, work: tuple[int, ...], block: tuple[int, int]) -> tuple[int, int, int]:
    """The grid that covers `work` = (x, y, heads); what is not given is 1."""
    x, y, heads = (*work, 1, 1)[:3]
    wide, high = CELLS.get(kernel, block)
    return -(-x // wide), -(-y // high), heads
