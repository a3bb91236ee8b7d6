"""Rows of a long document that are walked on a cluster or a GPU, and kept as those walked here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

import numpy as np

from attnviz.engine.blocks import IntArray
from attnviz.engine.head_memory import HeadMemory
from attnviz.engine.kept_pictures import KeptPictures
from attnviz.engine.part_walks import FoundRows, PooledRegion, Wish

GoOn = Callable[[int], bool]


class Elsewhere(Protocol):
    """Walks rows in another place than the threads of this process."""

    def walked(self, wish: Wish, go_on: GoOn) -> FoundRows | None:
        """Walk rows over all keys they see; None where ``go_on`` said no."""
        ...


@dataclass(frozen=True, eq=False)
class FarPicture:
    """A pooled picture, and which of some rows belong to it."""

    kept: KeptPictures
    places: IntArray
    rows: IntArray
    """Rows of the picture, one for each place."""

    @property
    def starts(self) -> IntArray:
        """Where in the places each row of the picture begins."""
        return np.flatnonzero(np.diff(self.rows, prepend=-1))


def walk_there(
    elsewhere: Elsewhere,
    memory: HeadMemory,
    rows: IntArray,
    pictures: Sequence[FarPicture],
    go_on: GoOn,
    lock: Lock,
    *,
    mixes: bool,
    sums: bool,
    are_samples: bool = False,
) -> bool:
    """Let rows be walked elsewhere and keep what was found; False where ``go_on`` said no.

    Parameters
    ----------
    are_samples
        Each row stands for a row of a picture; else rows are among all that belong to it.
    """
    pools = tuple(PooledRegion(each.kept.region, each.places, each.starts) for each in pictures)
    found = elsewhere.walked(Wish(memory.problem, rows, pools, mixes, sums), go_on)
    if found is None:
        return False
    with lock:
        memory.put_statistics(rows, found.top, found.total)
        if found.mixed is not None:
            memory.put_output(rows, found.mixed)
        if found.bits is not None:
            memory.entropy[rows], memory.has_entropy[rows] = found.bits, True
        for each, pooled in zip(pictures, found.pooled, strict=True):
            own = each.rows[each.starts]
            if are_samples:
                each.kept.put_sampled(own, pooled.scores(), pooled.shares())
            else:
                each.kept.put_rows(own, np.diff(each.starts, append=len(each.places)), pooled)
    return True
