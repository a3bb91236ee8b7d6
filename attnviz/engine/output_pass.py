"""The output of one head whose pictures nobody looks at: its squares are computed in blocks and dropped."""

from __future__ import annotations

from functools import partial

import numpy as np

from attnviz.core.inputs import Inputs
from attnviz.core.stages import Stages
from attnviz.engine import blocks
from attnviz.engine.blocks import FloatArray, Problem, Rows
from attnviz.engine.buffers import Buffers
from attnviz.engine.changes import Changes, earlier_output
from attnviz.engine.layout import blocks_of
from attnviz.engine.team import Job


class OutputPass:
    """Computes one head's output: its jobs may run in any order and in any threads; then it can be had.

    Attributes
    ----------
    work
        Size of what is left to compute in multiply-adds, roughly; 0 where an earlier output stands.
    """

    def __init__(self, inputs: Inputs, head: int, previous: Stages | None, buffers: Buffers) -> None:
        self._problem = problem = Problem.of(inputs, head)
        self._buffers = buffers
        self._jobs: list[Job] = []
        self.work = 0
        known = earlier_output(previous, inputs, head)
        changes = None if known is None else Changes.between(known[1], problem)
        for rows in blocks_of((0, len(problem.q))):
            if changes and changes.keep_weights(problem, rows) and changes.keep_values(problem, rows):
                continue
            self._jobs.append(partial(self._block, rows))
            self.work += (rows[1] - rows[0]) * problem.n_key * (problem.q.shape[1] + problem.v.shape[1])
        shape = (len(problem.q), problem.v.shape[1])
        if known is None or known[0].shape != shape:
            self._output = np.zeros(shape, np.float32)  # blocks that see no value are not mixed anew
        else:
            self._output = known[0].copy() if self._jobs else known[0]

    def take_jobs(self) -> list[Job]:
        """Hand over what is left to compute, the longest jobs first; they hold this pass, not it them."""
        jobs, self._jobs = self._jobs[::-1], []
        return jobs

    def output(self) -> FloatArray:
        """Give float32 (n_query, d_v) once all jobs are done; the earlier one where nothing changed."""
        self._output.flags.writeable = False
        return self._output

    def _block(self, rows: Rows) -> None:
        weights = blocks.weights_of(self._problem, rows, self._buffers.empty)
        np.matmul(weights, self._problem.v[: weights.shape[1]], out=self._output[slice(*rows)])
