"""What undo keeps where heads come, go or change places: those that came or went, and an order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attnviz.core.inputs import Head

Places = tuple[int | Head, ...]
"""For each head its place on the other side of the step, or itself where it is not there."""


@dataclass(frozen=True, eq=False)
class MovedHeads:
    """Where each head comes from, both ways."""

    before: Places
    after: Places

    @classmethod
    def between(cls, before: Sequence[Head], after: Sequence[Head]) -> MovedHeads | None:
        """Find who came, went and moved; None where every head, changed or not, is in its place."""
        new = _placed(after, before)
        stays = all(isinstance(now, Head) or now == place for place, now in enumerate(new))
        if len(before) == len(after) and stays:
            return None
        return cls(_placed(before, after), new)

    @property
    def heads(self) -> list[Head]:
        """The heads that are kept."""
        return [head for head in (*self.before, *self.after) if isinstance(head, Head)]

    def applied(self, now: Sequence[Head], *, forward: bool) -> tuple[Head, ...]:
        """Give the heads after the step (``forward``) or before it."""
        wanted = self.after if forward else self.before
        return tuple(now[place] if isinstance(place, int) else place for place in wanted)


def _placed(heads: Sequence[Head], others: Sequence[Head]) -> Places:
    known = {id(head): place for place, head in enumerate(others)}
    # A head may be there more than once; its own place comes first.
    known_there = dict(enumerate(others))
    return tuple(
        place if known_there.get(place) is head else known.get(id(head), head)
        for place, head in enumerate(heads)
    )
