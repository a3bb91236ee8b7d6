"""The engine contract, in words; engines themselves are in their own modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from attnviz.core.errors import AttnvizError
from attnviz.core.request import Request
from attnviz.core.stages import Stages

Progress = Callable[[float, Stages | None], bool]
"""Told the fraction done and, if worth showing, partial Stages; its answer False stops the computation."""


class EngineUnavailable(AttnvizError):  # noqa: N818  (a state of the machine, named as the design names it)
    """The engine asked for cannot be used here; the sentence says why."""


class Engine(Protocol):
    """Computes Stages.

    An engine is made, used and closed in one thread.

    Notes
    -----
    Accuracy: for each stage max|engine − ref| ≤ 2·max|plain − ref| + 4·ε·B with ε = 2⁻²³, ref the float64
    definition on the same float32 inputs, plain straightforward float32 numpy, and B = max Σ|q||k| for
    scores, that ÷ (√d_k · strength) for scaled, 1 for weights, max|v| for outputs.

    Long documents (``Inputs.is_long``): nothing of n_query × n_key is held. Pictures are pooled to
    ``Region.max_cells``, outputs come only as extras. With ``detail`` ``coarse`` the answer comes at once,
    its rows sampled where exact ones would take long; with ``full`` partial Stages come as it refines. What
    was learnt before a no is kept, and the same request goes on from there.
    """

    @property
    def name(self) -> str:
        """What the status bar shows, such as ``CPU: numpy, 2 threads`` or the GPU's own name."""
        ...

    def compute(
        self, request: Request, previous: Stages | None = None, progress: Progress | None = None
    ) -> Stages | None:
        """Answer a request.

        Parameters
        ----------
        request
            What is looked at.
        previous
            An earlier answer; blocks of rows that cannot have changed are shared with it, not copied.
        progress
            Told between blocks how far the work is; when it answers False, compute gives None.
        """
        ...

    def close(self) -> None:
        """Free what the engine holds; called once, in the thread that computed."""
        ...
