"""The selected query's exact row, as all engines give it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attnviz.core.block_arrays import by_blocks
from attnviz.core.request import Request
from attnviz.core.stages import FloatArray, Picture, QueryRow
from attnviz.engine import blocks
from attnviz.engine.blocks import Problem


def query_row(request: Request, stages: tuple[Picture, ...], output: FloatArray | None) -> QueryRow:
    """Give the selected query's row, out of the pictures where they hold it whole.

    Parameters
    ----------
    stages
        The pictures of scores, scaled, masked and weights.
    output
        The head's output, float32 (n_query, d_v), where there is one.
    """
    region, inputs, query = request.region, request.inputs, request.query
    index = query - region.queries[0]
    is_whole = region.bins == (1, 1) and region.keys == (0, inputs.n_key)
    if not is_whole or not 0 <= index < stages[0].shape[0]:
        return single_row(request)
    scores, scaled, masked, weights = (stage.row(index) for stage in stages)
    mixed = output[query] if output is not None else weights @ inputs.heads[region.head].v
    mixed.flags.writeable = False
    return QueryRow(query, scores, scaled, masked, weights, _allowed(request), mixed)


def single_row(request: Request) -> QueryRow:
    """Compute the selected query's row alone."""
    problem, query = Problem.of(request.inputs, request.region.head), request.query
    hidden = problem.hidden((query, query + 1))
    scores = _scores(problem, query)
    scaled, masked, weights = (np.empty_like(scores) for _ in range(3))
    blocks.scale(scores, problem.divisor, scaled)
    blocks.apply_mask(scaled, hidden, problem.fill, masked)
    reach = problem.reach(hidden)
    blocks.softmax(masked, reach, weights)
    output = _mixture(problem, weights[:, :reach])
    for array in (scores, scaled, masked, weights, output):
        array.flags.writeable = False
    return QueryRow(query, scores[0], scaled[0], masked[0], weights[0], _allowed(request), output[0])


def _allowed(request: Request) -> NDArray[np.bool_]:
    allowed: NDArray[np.bool_] = request.inputs.allowed((request.query, request.query + 1))[0]
    allowed.flags.writeable = False
    return allowed


def _scores(problem: Problem, query: int) -> FloatArray:
    """Give the scores of one query, (1, n_key), block by block where the keys lie elsewhere."""
    from attnviz.engine.cluster import cluster_of_rows  # dense documents, held whole, never come here

    cluster = cluster_of_rows(problem.k)
    if cluster is not None:
        return cluster.products(problem.q, np.array([query]), problem.k, (0, problem.n_key))
    q = problem.q[query : query + 1]
    parts = [q @ keys.T for _, keys in by_blocks(problem.k, 0, problem.n_key)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def _mixture(problem: Problem, weights: FloatArray) -> FloatArray:
    """Give weights (1, keys) @ v[:keys], block by block where the values lie elsewhere."""
    from attnviz.engine.cluster import cluster_of_rows

    cluster = cluster_of_rows(problem.v)
    if cluster is not None:
        return cluster.mixture(weights, problem.v)
    output = np.zeros((1, problem.v.shape[1]), np.float32)
    for first, values in by_blocks(problem.v, 0, weights.shape[1]):
        output += weights[:, first : first + len(values)] @ values
    return output
