"""The kernels at one size: how to launch each, and the fewest bytes and operations that it takes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.gpu.bare_kernels import Device

FLOAT = 4
CAUSAL = 1
BIN = 16


@dataclass(frozen=True)
class Step:
    """One kernel, or several in a row.

    Attributes
    ----------
    name
        What the table says.
    launch
        Queues it on the device's stream.
    bytes, operations
        Each input read once and each output written once; a multiply-add counts as two.
    """

    name: str
    launch: Callable[[], None]
    bytes: int
    operations: int


class Work:
    """Attention of H heads of T tokens and D dimensions, causal, resident on the device.

    All squares are computed once when this is made, so that every kernel is timed on true data.
    """

    def __init__(self, device: Device, n_heads: int, n_tokens: int, dims: int) -> None:
        self.device, self.size = device, (n_heads, n_tokens, dims)
        rng = np.random.default_rng(n_tokens)
        shape = (n_heads, n_tokens, dims)
        self.q, self.k, self.v = (device.put(rng.standard_normal(shape, np.float32)) for _ in range(3))
        square = (n_heads, n_tokens, n_tokens)
        self.scores, self.scaled, self.masked, self.weights = (device.room(*square) for _ in range(4))
        self.output = device.room(*shape)
        self.row_max, self.row_sum = device.room(n_heads, n_tokens), device.room(n_heads, n_tokens)
        self.middle = device.put(np.array([n_tokens // 2], np.int32))
        self.by = float(np.float32(math.sqrt(dims)))
        self.all_stages().launch()

    @property
    def cells(self) -> int:
        """Cells of all squares of one stage."""
        n_heads, n_tokens, _ = self.size
        return n_heads * n_tokens * n_tokens

    def all_stages(self) -> Step:
        """All four stages and the outputs, as a full pass launches them; bytes are those written alone."""
        steps = [*self.tiled()]

        def launch() -> None:
            for step in steps:
                step.launch()

        written = FLOAT * (4 * self.cells + math.prod(self.size))
        operations = 4 * self.cells * self.size[2]
        return Step("all stages and outputs", launch, written, operations)

    def tiled(self) -> Iterator[Step]:
        """The kernels for many tokens, all heads in one launch."""
        n_heads, n, d = self.size
        kernels, stream = self.device.kernels, self.device.stream
        vectors, cells = FLOAT * math.prod(self.size), self.cells
        square: dict[str, Any] = {"n_square_rows": n, "n_key_tokens": n, "n_heads": n_heads}
        yield Step(
            "scores_tiled",
            lambda: kernels.scores_tiled(
                stream, q=self.q, k=self.k, scores=self.scores, scaled=self.scaled, masked=self.masked,
                allowed=None, d=d, first_row=0, mask_kind=CAUSAL, divisor=self.by, fill=-math.inf, **square,
            ),
            2 * vectors + 3 * FLOAT * cells,
            2 * cells * d,
        )  # fmt: skip
        yield Step(
            "softmax_rows",
            lambda: kernels.softmax_rows(
                stream, masked=self.masked, weights=self.weights, row_max=self.row_max, row_sum=self.row_sum,
                n_rows=n, **square,
            ),
            2 * FLOAT * cells,
            4 * cells,
        )  # fmt: skip
        yield Step(
            "weighted_sum_tiled",
            lambda: kernels.weighted_sum_tiled(
                stream, weights=self.weights, v=self.v, output=self.output, d=d, **square
            ),
            FLOAT * cells + 2 * vectors,
            2 * cells * d,
        )

    def plain(self) -> Iterator[Step]:
        """The kernels for few tokens, at this size for comparison; of one head, since they know no heads."""
        _, n, d = self.size
        own, cells = FLOAT * n * d, n * n
        yield from self._of_rows(None, n, "scores_plain", "softmax_plain", "weighted_sum_plain", own)
        kernels, stream = self.device.kernels, self.device.stream
        bins: dict[str, Any] = {
            "allowed": None, "first_row": 0, "n_key_tokens": n, "first_key": 0, "n_keys": n, "n_rows": n,
            "bin_rows": BIN, "bin_keys": BIN, "mask_kind": CAUSAL, "picture": self.output,
        }  # fmt: skip
        if (-(-n // BIN)) ** 2 <= n * d:  # the picture fits where an output was
            for name, values in (("pool_largest", self.scores), ("pool_maximum", self.weights)):
                kernel = getattr(kernels, name)
                launch = functools.partial(kernel, stream, values=values, **bins)
                # What the causal mask hides is not read.
                yield Step(f"{name}, bins of {BIN} × {BIN}", launch, FLOAT * cells // 2, cells // 2)

    def softmax_rows_of_first_head(self) -> None:
        """Compute the first head's weights by the kernel for long rows."""
        n = self.size[1]
        self.device.kernels.softmax_rows(
            self.device.stream, masked=self.masked, weights=self.weights, row_max=self.row_max,
            row_sum=self.row_sum, n_rows=n, n_square_rows=n, n_key_tokens=n,
        )  # fmt: skip

    def edited_row(self) -> Step:
        """One query changed: its row at all stages and its output, as an edit launches them."""
        _, n, d = self.size
        names = ("scores_plain", "softmax_rows", "weighted_sum_rows")
        steps = [*self._of_rows(self.middle, 1, *names, FLOAT * d)]

        def launch() -> None:
            for step in steps:
                step.launch()

        size, work = sum(step.bytes for step in steps), sum(step.operations for step in steps)
        return Step(f"one row of q edited, T = {n}", launch, size, work)

    def _of_rows(
        self, rows: int | None, n_rows: int, scores: str, softmax: str, weighted_sum: str, own: int
    ) -> Iterator[Step]:
        """The stages of some rows of the first head; ``own`` is the bytes of their vectors."""
        _, n, d = self.size
        kernels, stream = self.device.kernels, self.device.stream
        cells, others = n_rows * n, FLOAT * n * d
        where: dict[str, Any] = {"rows": rows, "n_rows": n_rows, "n_key_tokens": n}
        every: dict[str, Any] = {**where, "keys": None, "n_keys": n}
        whole = {"n_square_rows": n} if softmax == "softmax_rows" else {}
        of_stage: dict[str, tuple[dict[str, Any], int, int]] = {
            scores: (
                {"q": self.q, "k": self.k, "scores": self.scores, "d": d, **every},
                own + others + FLOAT * cells,
                2 * cells * d,
            ),
            "scale": (
                {"scores": self.scores, "scaled": self.scaled, "divisor": self.by, **every},
                2 * FLOAT * cells,
                cells,
            ),
            "mask": (
                {"scaled": self.scaled, "masked": self.masked, "allowed": None, "first_row": 0,
                 "mask_kind": CAUSAL, "fill": -math.inf, **every},
                2 * FLOAT * cells,
                0,
            ),
            softmax: (
                {"masked": self.masked, "weights": self.weights, "row_max": self.row_max,
                 "row_sum": self.row_sum, **where, **whole},
                2 * FLOAT * cells,
                4 * cells,
            ),
            weighted_sum: (
                {"weights": self.weights, "v": self.v, "output": self.output, "d": d, **where},
                own + others + FLOAT * cells,
                2 * cells * d,
            ),
        }  # fmt: skip
        for name, (arguments, size, operations) in of_stage.items():
            kernel = getattr(kernels, name)
            yield Step(name, functools.partial(kernel, stream, **arguments), size, operations)
