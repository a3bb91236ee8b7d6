"""Outputs of heads whose pictures nobody looks at: their squares are scratch on the device and never fetched.

Neighbouring heads of one shape that are computed whole go through one launch of each kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from attnviz.core.inputs import Inputs
from attnviz.core.stages import Stages
from attnviz.engine.blocks import FloatArray, Problem, Rows
from attnviz.engine.changes import Changes, earlier_output
from attnviz.engine.device_memory import DeviceMemory
from attnviz.engine.launches import PLAIN_KEYS
from attnviz.engine.layout import BLOCK_ROWS, blocks_of
from attnviz.engine.mask_on_device import MaskArgument
from attnviz.engine.staging import Downloads
from attnviz.engine.vectors_on_device import Place

if TYPE_CHECKING:
    from attnviz.engine.kernels import Kernels


@dataclass(frozen=True)
class Portion:
    """A half-open range of queries of ``n_heads`` neighbouring heads of one shape, computed at once."""

    head: int
    n_heads: int
    rows: Rows


class HeadOutputs:
    """The outputs of some heads, of which only what an earlier answer lacks is computed.

    Attributes
    ----------
    work
        Multiply-adds to do, roughly.
    """

    def __init__(self, inputs: Inputs, heads: list[int], previous: Stages | None) -> None:
        self._inputs = inputs
        self._outputs: dict[int, FloatArray] = {}
        self._lacking: dict[int, Rows] = {}
        self.work = 0
        for head in heads:
            self._plan(head, previous)

    def _plan(self, head: int, previous: Stages | None) -> None:
        problem = Problem.of(self._inputs, head)
        shape = (len(problem.q), problem.v.shape[1])
        known = earlier_output(previous, self._inputs, head)
        changes = None if known is None else Changes.between(known[1], problem)
        if known is None or changes is None or known[0].shape != shape:
            self._outputs[head] = np.empty(shape, np.float32)
            lacking = [(0, len(problem.q))]
        else:
            lacking = [
                rows
                for rows in blocks_of((0, len(problem.q)))
                if not (changes.keep_weights(problem, rows) and changes.keep_values(problem, rows))
            ]
            self._outputs[head] = known[0].copy() if lacking else known[0]
        if lacking:
            self._lacking[head] = rows = (lacking[0][0], lacking[-1][1])
            self.work += (rows[1] - rows[0]) * problem.n_key * (problem.q.shape[1] + problem.v.shape[1])

    def portions(self, most_cells: int) -> list[Portion]:
        """Cut what is lacking into portions of so many cells of squares at most, or of one block of rows."""
        return list(self._portions(most_cells))

    def _portions(self, most_cells: int) -> Iterator[Portion]:
        n_query, n_key = self._inputs.n_query, self._inputs.n_key
        at_once = most_cells // (n_query * n_key)
        heads = sorted(self._lacking)
        while heads:
            head, rows = heads[0], self._lacking[heads[0]]
            if at_once == 0 or rows != (0, n_query):
                height = max(BLOCK_ROWS, most_cells // n_key // BLOCK_ROWS * BLOCK_ROWS)
                yield from (Portion(head, 1, part) for part in blocks_of(rows, height))
                heads.pop(0)
                continue
            count = 1
            while count < min(at_once, len(heads)) and self._belongs(heads[count], head, count):
                count += 1
            yield Portion(head, count, rows)
            del heads[:count]

    def _belongs(self, head: int, first: int, count: int) -> bool:
        """Say whether a head lies right behind ``count`` others of its shape and is lacking as they are."""
        mine, theirs = self._inputs.heads[head], self._inputs.heads[first]
        same_shape = (mine.d_k, mine.d_v) == (theirs.d_k, theirs.d_v)
        return head == first + count and same_shape and self._lacking[head] == self._lacking[first]

    def arrays(self, portion: Portion) -> list[FloatArray]:
        """Give the arrays that take a portion's output, one for each head, of shape (rows, d_v)."""
        heads = range(portion.head, portion.head + portion.n_heads)
        return [self._outputs[head][slice(*portion.rows)] for head in heads]

    def known(self) -> dict[int, FloatArray]:
        """Give the outputs that an earlier answer knew."""
        return {head: output for head, output in self._outputs.items() if head not in self._lacking}

    def finished(self) -> dict[int, FloatArray]:
        """Give all outputs, read-only, once all portions have landed."""
        for output in self._outputs.values():
            output.flags.writeable = False
        return dict(self._outputs)


class OutputKernels:
    """Scratch for the squares of portions, and the launches that fill it."""

    def __init__(self, driver: Any, kernels: Kernels, stream: Any) -> None:
        self._kernels, self._stream = kernels, stream
        self._square, self._statistics, self._output = (DeviceMemory(driver) for _ in range(3))

    @property
    def held_bytes(self) -> int:
        """Device memory of the squares."""
        return self._square.size

    def run(
        self,
        portion: Portion,
        problem: Problem,
        place: Place,
        mask: MaskArgument,
        downloads: Downloads,
        arrays: list[FloatArray],
    ) -> None:
        """Compute a portion and ask for its output.

        Parameters
        ----------
        problem
            That of the portion's first head.
        place
            Vectors of its first head; those of the others lie behind.
        mask
            For the portion's rows.
        """
        n_rows, n_keys, n_heads = portion.rows[1] - portion.rows[0], problem.n_key, portion.n_heads
        d_k, d_v = problem.q.shape[1], problem.v.shape[1]
        self._square.grow(4 * n_heads * n_rows * n_keys)
        self._statistics.grow(8 * n_heads * n_rows)
        self._output.grow(4 * n_heads * n_rows * d_v)
        square, row_max, output = (m.address for m in (self._square, self._statistics, self._output))
        self._kernels.scores_tiled(
            self._stream,
            q=place.q + 4 * portion.rows[0] * d_k,
            k=place.k,
            scores=None,
            scaled=None,
            masked=square,
            allowed=mask.allowed,
            n_square_rows=n_rows,
            n_key_tokens=n_keys,
            d=d_k,
            first_row=portion.rows[0] + mask.offset,
            mask_kind=mask.kind,
            divisor=float(problem.divisor),
            fill=float(problem.fill),
            n_heads=n_heads,
        )
        statistics = {"row_max": row_max, "row_sum": row_max + 4 * n_heads * n_rows}
        if n_keys <= PLAIN_KEYS:  # the rows of all heads lie one behind the other
            self._kernels.softmax_plain(
                self._stream,
                masked=square,
                weights=square,
                **statistics,
                rows=None,
                n_rows=n_heads * n_rows,
                n_key_tokens=n_keys,
            )
        else:
            self._kernels.softmax_rows(
                self._stream,
                masked=square,
                weights=square,
                **statistics,
                rows=None,
                n_rows=n_rows,
                n_square_rows=n_rows,
                n_key_tokens=n_keys,
                n_heads=n_heads,
            )
        self._kernels.weighted_sum_tiled(
            self._stream,
            weights=square,
            v=place.v,
            output=output,
            n_square_rows=n_rows,
            n_key_tokens=n_keys,
            d=d_v,
            n_heads=n_heads,
        )
        for index, array in enumerate(arrays):
            downloads.copy(array, output + 4 * index * n_rows * d_v)

    def free(self) -> None:
        """Give all memory back."""
        for memory in (self._square, self._statistics, self._output):
            memory.free()
