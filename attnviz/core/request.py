"""What is asked of an engine: the inputs, the region looked at, the selected query, and extras."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from attnviz.core.errors import InputError
from attnviz.core.inputs import DENSE_TOKENS, Inputs
from attnviz.core.summaries import WINDOW, checked_window

Pooling = Literal["peak", "mean"]
Detail = Literal["full", "coarse"]

HEAD_OUTPUTS = "head_outputs"
"""Extra: the outputs of all heads, not of the region's head alone."""
OUTPUT = "output"
"""Extra: the layer's output, concat · W_O + b_O; brings the outputs of all heads along."""
THUMBNAILS = "thumbnails"
"""Extra: a small picture of every head's weights with what sums it up; brings all outputs along."""
SUMMARIES = "summaries"
"""Extra: what sums up each row of the region's head: how far it spreads, and how much of it lies where.

``THUMBNAILS`` brings those of all heads along."""


@dataclass(frozen=True)
class Region:
    """A block of one head: half-open ranges of queries and keys, and the most cells the screen can show.

    Attributes
    ----------
    head
        Index from 0.
    queries, keys
        (first, last) with first < last; last is not included.
    max_cells
        (rows, columns) beyond which a picture is pooled; None: the most that is held, 2,048 of each.
    pooling
        What a weight of a pooled picture stands for: ``peak``, the largest of its bin, or ``mean``, the mean
        over the allowed cells of its bin. The stages before softmax are always pooled by largest magnitude.
        Documents that are not long know ``peak`` alone.
    """

    head: int
    queries: tuple[int, int]
    keys: tuple[int, int]
    max_cells: tuple[int, int] | None = None
    pooling: Pooling = "peak"

    @property
    def bins(self) -> tuple[int, int]:
        """How many queries and keys one cell of a picture stands for; (1, 1): nothing is pooled."""
        most = (DENSE_TOKENS, DENSE_TOKENS) if self.max_cells is None else self.max_cells
        n_rows, n_columns = self.queries[1] - self.queries[0], self.keys[1] - self.keys[0]
        return -(-n_rows // max(1, most[0])), -(-n_columns // max(1, most[1]))


@dataclass(frozen=True, eq=False)
class Request:
    """All an engine needs to know; immutable, so that it crosses threads without locks.

    Attributes
    ----------
    extras
        What else is wanted: ``HEAD_OUTPUTS``, ``OUTPUT``, ``THUMBNAILS``, ``SUMMARIES``.
    detail
        ``full``: exact pictures, however long that takes. ``coarse``: for a long document an answer at once;
        where exact pictures would take long, their rows stand for sampled queries (``Stages.is_coarse``).
    window
        The width of the window of the summaries, in keys.

    Raises
    ------
    InputError
        When the head, query or region is not in the inputs, or there is no such pooling, detail or window.
    """

    inputs: Inputs
    query: int
    region: Region
    extras: frozenset[str] = frozenset()
    detail: Detail = "full"
    window: int = WINDOW

    @property
    def wants_all_heads(self) -> bool:
        """Say whether the outputs of all heads are asked for, or something made of them."""
        return not self.extras.isdisjoint({HEAD_OUTPUTS, OUTPUT, THUMBNAILS})

    def __post_init__(self) -> None:
        object.__setattr__(self, "window", checked_window(self.window))
        inputs, region = self.inputs, self.region
        for what, got, known in (
            ("pooling", region.pooling, get_args(Pooling)),
            ("detail", self.detail, get_args(Detail)),
        ):
            if got not in known:
                raise InputError(
                    "The {what} is “{got}”; one of {known} is wanted.",
                    what=what,
                    got=got,
                    known=", ".join(known),
                )
        check_index("head", region.head, inputs.n_heads)
        check_index("query", self.query, inputs.n_query)
        for what, (first, last), count in (
            ("queries", region.queries, inputs.n_query),
            ("keys", region.keys, inputs.n_key),
        ):
            if not 0 <= first < last <= count:
                raise InputError(
                    "The region's {what} run from {first} to {last}; a range within 0 to {wanted} is wanted.",
                    what=what,
                    first=first,
                    last=last,
                    wanted=count,
                )

    @classmethod
    def whole(
        cls, inputs: Inputs, head: int = 0, query: int = 0, extras: frozenset[str] = frozenset()
    ) -> Request:
        """Ask for every cell of one head."""
        return cls(inputs, query, Region(head, (0, inputs.n_query), (0, inputs.n_key)), extras)


def check_index(what: str, index: int, count: int) -> None:
    """Raise InputError unless 0 ≤ index < count; ``what`` is ``head``, ``query`` or ``key``."""
    if not 0 <= index < count:
        raise InputError(
            "There is no {what} {got}; 0 to {last} are there, counted from 0.",
            what=what,
            got=index,
            last=count - 1,
        )
