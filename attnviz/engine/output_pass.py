"""The output of one head whose pictures nobody looks at: its squares are computed in blocks and dropped."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from attnviz.core.inputs import Inputs
from attnviz.core.stages import Stages
from attnviz.engine import blocks
from attnviz.engine.blocks import FloatArray, Problem, Rows
from attnviz.engine.buffers import Buffers
from attnviz.engine.changes import Changes, earlier_output
from attnviz.engine.layout import blocks_of


class OutputPass:
    """Computes one head's output: ``jobs`` may run in any order and in any threads, then ``output`` holds it.

    Attributes
    ----------
    output
        float32 (n_query, d_v); an earlier one itself where nothing changed.
    jobs
        What is left to compute.
    work
        Its size in multiply-adds, roughly.
    """

    output: FloatArray

    def __init__(self, inputs: Inputs, head: int, previous: Stages | None, buffers: Buffers) -> None:
        self._problem = problem = Problem.of(inputs, head)
        self._buffers = buffers
        self.jobs: list[Callable[[], None]] = []
        self.work = 0
        known = earlier_output(previous, inputs, head)
        changes = None if known is None else Changes.between(known[1], problem)
        for rows in blocks_of((0, len(problem.q))):
            if changes and changes.keep_weights(problem, rows) and changes.keep_values(problem, rows):
                continue
            self.jobs.append(partial(self._block, rows))
            self.work += (rows[1] - rows[0]) * problem.n_key * (problem.q.shape[1] + problem.v.shape[1])
        shape = (len(problem.q), problem.v.shape[1])
        if known is None or known[0].shape != shape:
            self.output = np.empty(shape, np.float32)
        else:
            self.output = known[0].copy() if self.jobs else known[0]

    def seal(self) -> FloatArray:
        """Give the output, read-only, once all jobs are done."""
        self.output.flags.writeable = False
        return self.output

    def _block(self, rows: Rows) -> None:
        problem, hidden = self._problem, self._problem.hidden(rows)
        reach = problem.reach(hidden)
        square = self._buffers.empty(rows[1] - rows[0], reach)
        np.matmul(problem.q[slice(*rows)], problem.k[:reach].T, out=square)
        blocks.scale(square, problem.divisor, square)
        blocks.apply_mask(square, hidden, problem.fill, square)
        blocks.softmax(square, reach, square)
        np.matmul(square, problem.v[:reach], out=self.output[slice(*rows)])
