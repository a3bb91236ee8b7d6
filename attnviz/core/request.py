"""What is asked of an engine: the inputs, the region looked at, the selected query, and extras."""

from __future__ import annotations

from dataclasses import dataclass

from attnviz.core.errors import InputError
from attnviz.core.inputs import Inputs

HEAD_OUTPUTS = "head_outputs"
"""Extra: the outputs of all heads, not of the region's head alone."""
OUTPUT = "output"
"""Extra: the layer's output, concat · W_O + b_O; brings the outputs of all heads along."""
THUMBNAILS = "thumbnails"
"""Extra: a small picture of every head's weights with what sums it up; brings all outputs along."""


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
        (rows, columns) beyond which a picture is pooled; None: never pooled.
    """

    head: int
    queries: tuple[int, int]
    keys: tuple[int, int]
    max_cells: tuple[int, int] | None = None

    @property
    def bins(self) -> tuple[int, int]:
        """How many queries and keys one cell of a picture stands for; (1, 1): nothing is pooled."""
        if self.max_cells is None:
            return 1, 1
        n_rows, n_columns = self.queries[1] - self.queries[0], self.keys[1] - self.keys[0]
        return -(-n_rows // max(1, self.max_cells[0])), -(-n_columns // max(1, self.max_cells[1]))


@dataclass(frozen=True, eq=False)
class Request:
    """All an engine needs to know; immutable, so that it crosses threads without locks.

    Raises
    ------
    InputError
        When the head, query or region is not in the inputs.
    """

    inputs: Inputs
    query: int
    region: Region
    extras: frozenset[str] = frozenset()

    @property
    def wants_all_heads(self) -> bool:
        """Say whether the outputs of all heads are asked for, or something made of them."""
        return not self.extras.isdisjoint({HEAD_OUTPUTS, OUTPUT, THUMBNAILS})

    def __post_init__(self) -> None:
        inputs, region = self.inputs, self.region
        check_index("head", region.head, inputs.n_heads)
        check_index("query", self.query, inputs.n_tokens)
        for what, (first, last) in (("queries", region.queries), ("keys", region.keys)):
            if not 0 <= first < last <= inputs.n_tokens:
                raise InputError(
                    "The region's {what} run from {first} to {last}; a range within 0 to {wanted} is wanted.",
                    what=what,
                    first=first,
                    last=last,
                    wanted=inputs.n_tokens,
                )

    @classmethod
    def whole(
        cls, inputs: Inputs, head: int = 0, query: int = 0, extras: frozenset[str] = frozenset()
    ) -> Request:
        """Ask for every cell of one head."""
        everything = (0, inputs.n_tokens)
        return cls(inputs, query, Region(head, everything, everything), extras)


def check_index(what: str, index: int, count: int) -> None:
    """Raise InputError unless 0 ≤ index < count; ``what`` is ``head``, ``query`` or ``key``."""
    if not 0 <= index < count:
        raise InputError(
            "There is no {what} {got}; 0 to {last} are there, counted from 0.",
            what=what,
            got=index,
            last=count - 1,
        )
