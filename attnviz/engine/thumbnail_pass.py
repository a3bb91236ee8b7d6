"""Every head's weights at a glance, for every engine: pooled to a small picture, and the entropy of each row.

It runs on the CPU, in blocks of whole bins of rows; of an earlier answer, blocks that are the same are kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

import numpy as np

from attnviz.core.request import Request
from attnviz.core.stages import Stages, Thumbnail
from attnviz.engine import blocks
from attnviz.engine.blocks import FloatArray, Problem, Rows
from attnviz.engine.changes import Changes
from attnviz.engine.layout import BLOCK_ROWS, blocks_of
from attnviz.engine.team import Job

LARGEST = 48
"""The most rows and columns of a picture."""


class ThumbnailPass:
    """Computes the thumbnails of all heads: its jobs may run in any order and in any threads.

    Attributes
    ----------
    work
        Size of what is left to compute in multiply-adds, roughly.
    """

    def __init__(self, request: Request, previous: Stages | None) -> None:
        self._jobs: list[Job] = []
        self._parts: dict[int, tuple[FloatArray, FloatArray]] = {}
        self._earlier: dict[int, Thumbnail] = {}
        self._outputs = {} if previous is None else previous.head_outputs
        self.work = 0
        inputs = request.inputs
        for head in range(inputs.n_heads):
            self._plan(head, Problem.of(inputs, head), previous)

    def take_jobs(self) -> list[Job]:
        """Hand over what is left to compute."""
        jobs, self._jobs = self._jobs, []
        return jobs

    def finished(self, outputs: Mapping[int, FloatArray]) -> dict[int, Thumbnail]:
        """Give all thumbnails once the jobs are done, with the heads' outputs for their norms."""
        made = {}
        for head, (picture, entropy) in self._parts.items():
            earlier, known = self._earlier.get(head), self._outputs.get(head)
            if earlier is not None and known is outputs[head]:
                norm = earlier.output_norm
            else:
                norm = math.sqrt(np.square(outputs[head], dtype=np.float64).sum())
            if earlier is not None and earlier.picture is picture and earlier.output_norm == norm:
                made[head] = earlier
                continue
            picture.flags.writeable = entropy.flags.writeable = False
            made[head] = Thumbnail(picture, entropy, norm)
        return made

    def _plan(self, head: int, problem: Problem, previous: Stages | None) -> None:
        n_query, n_key = len(problem.q), problem.n_key
        bins = (-(-n_query // LARGEST), -(-n_key // LARGEST))
        shape = (-(-n_query // bins[0]), -(-n_key // bins[1]))
        changes = earlier = None
        if previous is not None and head in previous.thumbnails:
            earlier = previous.thumbnails[head]
            changes = Changes.between(Problem.of(previous.request.inputs, head), problem)
        block_rows = bins[0] * max(1, BLOCK_ROWS // bins[0])
        wanted = [
            rows
            for rows in blocks_of((0, n_query), block_rows)
            if changes is None or not changes.keep_weights(problem, rows)
        ]
        if changes is not None and earlier is not None:
            self._earlier[head] = earlier
            picture, entropy = earlier.picture, earlier.row_entropy
            if wanted:
                picture, entropy = picture.copy(), entropy.copy()
        else:
            picture, entropy = np.zeros(shape, np.float32), np.zeros(n_query, np.float32)
        self._parts[head] = picture, entropy
        for rows in wanted:
            self._jobs.append(partial(_block, problem, rows, bins, picture, entropy))
            self.work += (rows[1] - rows[0]) * n_key * problem.q.shape[1]


def _block(problem: Problem, rows: Rows, bins: Rows, picture: FloatArray, entropy: FloatArray) -> None:
    """Compute the weights of a block of rows, and of them what is kept."""
    square = blocks.weights_of(problem, rows, lambda *shape: np.empty(shape, np.float32))
    by_key = np.maximum.reduceat(square, np.arange(0, square.shape[1], bins[1]), axis=1)
    pooled = np.maximum.reduceat(by_key, np.arange(0, len(by_key), bins[0]), axis=0)
    first = rows[0] // bins[0]
    picture[first : first + len(pooled), : pooled.shape[1]] = pooled
    picture[first : first + len(pooled), pooled.shape[1] :] = 0
    logarithms = np.log2(np.maximum(square, np.float32(1e-38)))  # 0 · log 0 is 0
    np.abs(np.einsum("ij,ij->i", square, logarithms), out=entropy[slice(*rows)])
