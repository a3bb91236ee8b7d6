"""Which cell of a block a pooled picture shows: found again from q, k and the sums of the rows."""

from __future__ import annotations

import numpy as np

from attnviz.core.inputs import divisor
from attnviz.core.stages import Stages

MOST_CELLS = 1_000_000
"""Cells of a block that are looked through, in some ms; of larger ones nothing is said."""

Range = tuple[int, int]


def peak_of(stages: Stages, stage: str, queries: Range, keys: Range) -> tuple[int, int] | None:
    """Give the (query, key) of a block with the largest weight, or the score furthest from 0.

    Parameters
    ----------
    stage
        ``weights``, or any other of STAGE_NAMES: they all have their furthest value in the same place.
    queries, keys
        Half-open ranges within the region of the stages.

    Returns
    -------
    tuple or None
        None where every cell is hidden, the block is too large, or the stages are coarse: then a picture
        shows sampled queries alone.

    Notes
    -----
    Costs (rows · columns) · d_k. Of equal values the first is given, row by row.
    """
    n_cells = (queries[1] - queries[0]) * (keys[1] - keys[0])
    if n_cells > MOST_CELLS or stages.is_coarse:
        return None
    request = stages.request
    inputs, region = request.inputs, request.region
    head = inputs.heads[region.head]
    values = head.q[slice(*queries)] @ head.k[slice(*keys)].T
    if stage == "weights":
        rows = slice(queries[0] - region.queries[0], queries[1] - region.queries[0])
        top, total = stages.row_max[rows], stages.row_sum[rows]
        sees = total > 0
        beyond = np.where(sees, top + np.log(np.where(sees, total, 1)), np.float32(np.inf))
        values /= np.float32(divisor(head.d_k, inputs.scale_strength))
        values -= beyond[:, None]
    else:
        np.abs(values, out=values)
    values[~inputs.allowed(queries, keys)] = -np.inf
    at = int(np.argmax(values))
    if values.flat[at] == -np.inf:
        return None
    row, column = divmod(at, values.shape[1])
    return queries[0] + row, keys[0] + column
