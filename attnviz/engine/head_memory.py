"""What an engine keeps of each head of a long document between calls, and what a change takes from it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from attnviz.core.block_arrays import as_blocks, by_blocks
from attnviz.core.inputs import Head, Inputs
from attnviz.core.request import Region
from attnviz.core.row_sources import KEPT_BYTES
from attnviz.core.seen_keys import SeenKeys
from attnviz.core.stages import QueryRow, Thumbnail
from attnviz.engine.blocks import FloatArray, IntArray, Problem
from attnviz.engine.changes import Changes
from attnviz.engine.cluster import cluster_of_rows
from attnviz.engine.first_rows import rows_that_stay
from attnviz.engine.head_pass import LARGEST
from attnviz.engine.kept_pictures import EXACT, KeptPictures
from attnviz.engine.key_walk import longest
from attnviz.engine.patched_statistics import Patched, patch

if TYPE_CHECKING:
    from attnviz.engine.device_walks import DeviceWalks

BoolArray = NDArray[np.bool_]

MOST_PICTURES = 4
"""Regions whose pictures are kept, of all heads together: up to 24 MB each at 1,024 × 1,024 cells."""
MOST_CELLS = 4 << 20
"""Cells of pictures that are kept when they are true: more are of a picture for a file, not of a screen."""


class Forgets(Protocol):
    """Something more that is kept of rows, which the memory need not know to let it forget."""

    def forget(self, touched: BoolArray) -> None:
        """Know nothing of some rows any more."""
        ...


class HeadMemory:
    """What is known of one head.

    Attributes
    ----------
    problem
        What it is known of.
    device
        The GPU that its rows are walked on; None: threads of this process walk them.
    top, total
        float32 and float64 (n_query,): statistics of the rows whose ``is_known`` is True.
    is_known
        bool (n_query,).
    pictures
        By region, the one looked at last at the end.
    sums
        What else sums up the rows, where it has been asked for.
    entropy, has_entropy
        float32 and bool (n_query,): bits of the rows that have been asked for them.
    """

    def __init__(self, problem: Problem, device: DeviceWalks | None = None) -> None:
        n_query = len(problem.q)
        self.problem, self.device = problem, device
        self.top, self.total = np.zeros(n_query, np.float32), np.zeros(n_query)
        self.is_known = np.zeros(n_query, bool)
        self._drift = np.zeros(n_query)
        self.pictures: dict[Region, KeptPictures] = {}
        self.entropy = np.zeros(n_query, np.float32)
        self.has_entropy = np.zeros(n_query, bool)
        self.sums: Forgets | None = None
        self.row: QueryRow | None = None
        self.thumbnail: KeptPictures | None = None
        self._shown: tuple[Thumbnail, FloatArray] | None = None
        self._output: FloatArray | None = None
        self._is_mixed = np.zeros(n_query, bool)
        self._is_handed_out = False
        self._longest: float | None = None

    @property
    def longest_key(self) -> float:
        """What no row of k is longer than; ∞ where that would mean to read very much once more."""
        if self._longest is None:
            k = self.problem.k
            is_near = as_blocks(k) is None or (k.nbytes <= KEPT_BYTES and cluster_of_rows(k) is None)
            parts = by_blocks(k, 0, len(k)) if is_near else ()
            self._longest = max((longest(rows) for _, rows in parts), default=math.inf)
        return self._longest

    def copied(self) -> HeadMemory:
        """Give the memory of another head of the same q and k: what is known of rows, and no pictures."""
        copy = HeadMemory(self.problem, self.device)
        copy.top, copy.total, copy._drift = self.top.copy(), self.total.copy(), self._drift.copy()
        copy.is_known, copy._longest = self.is_known.copy(), self._longest
        copy.entropy, copy.has_entropy = self.entropy.copy(), self.has_entropy.copy()
        return copy

    def becomes(self, problem: Problem) -> bool:
        """Forget what is not true of a problem that differs a little; False where nothing can be kept."""
        changes = Changes.between(self.problem, problem)
        if changes is None:
            return False
        followed = self._followed(problem, changes)  # reads keys, which may be lost: nothing is forgotten yet
        self._longest = self._longest_after(problem, changes)
        old, self.problem = self.problem, problem
        if old.v.shape != problem.v.shape:
            self._output = None
        touched = self._touched_weights(changes)
        if touched is not None:
            self.is_known &= ~touched | self._take_in(followed, changes, touched)
            self.has_entropy &= ~touched
            if self.sums is not None:
                self.sums.forget(touched)
            self._shown = None
            for kept in (*self.pictures.values(), *([] if self.thumbnail is None else [self.thumbnail])):
                kept.forget(np.ones_like(touched) if changes.k.size and not kept.is_pooled else touched)
        of_values = self._touched_values(changes)
        for each in (touched, of_values):
            if each is not None:
                self._is_mixed &= ~each
                if self.row is not None and each[self.row.query]:
                    self.row = None
        if changes.k.size:  # hidden scores are shown too
            self.row = None
        return True

    def beginning(self, problem: Problem) -> HeadMemory:
        """Give the memory of a problem of other tokens: the first rows where they stay, and nothing else."""
        memory = HeadMemory(problem, self.device)
        n_rows, n_mixed = rows_that_stay(self.problem, problem)
        if not n_rows:
            return memory
        for mine, its in (
            (self.top, memory.top),
            (self.total, memory.total),
            (self._drift, memory._drift),
            (self.is_known, memory.is_known),
            (self.entropy, memory.entropy),
            (self.has_entropy, memory.has_entropy),
        ):
            its[:n_rows] = mine[:n_rows]
        if self._output is not None and self._is_mixed[:n_mixed].any():
            memory.begin_output()
            rows = np.flatnonzero(self._is_mixed[:n_mixed])
            memory.put_output(rows, self._output[rows])
        shapes = [(len(each.q), each.n_key) for each in (self.problem, problem)]
        for kept in self.pictures.values():
            first = kept.beginning(n_rows, *shapes)
            if first is not None:
                memory.pictures[first.region] = first
        return memory

    def put_statistics(self, rows: IntArray, top: FloatArray, total: FloatArray) -> None:
        """Know the statistics of some rows."""
        self.top[rows], self.total[rows] = top, total
        self.is_known[rows], self._drift[rows] = True, 0.0

    def of_rows(self, rows: IntArray) -> tuple[FloatArray, FloatArray]:
        """Give top and total of some rows that are known, float32 (rows,) each."""
        return self.top[rows], self.total[rows].astype(np.float32)

    def statistics(self, queries: tuple[int, int]) -> tuple[FloatArray, FloatArray]:
        """Give top and total of a half-open range of rows, NaN where they are not known; read-only."""
        place = slice(*queries)
        unknown = ~self.is_known[place]
        both = self.top[place].copy(), self.total[place].astype(np.float32)
        for array in both:
            array[unknown] = np.nan
            array.flags.writeable = False
        return both

    def lacks_output(self) -> BoolArray:
        """Give the rows whose output is not known, bool (n_query,)."""
        return ~self._is_mixed if self._output is not None else np.ones(len(self._is_mixed), bool)

    def begin_output(self) -> None:
        """Make room for the output; one that was handed out is copied, for it may not change any more."""
        if self._output is None:
            self._output = np.zeros((len(self.problem.q), self.problem.v.shape[1]), np.float32)
            self._is_mixed[:] = False
        elif self._is_handed_out:
            self._output = self._output.copy()
        self._is_handed_out = False

    def put_output(self, rows: IntArray, mixed: FloatArray) -> None:
        """Know the output of some rows."""
        assert self._output is not None
        self._output[rows] = mixed
        self._is_mixed[rows] = True

    def output(self) -> FloatArray | None:
        """Give the whole output, float32 (n_query, d_v), read-only; None where a row of it is not known."""
        if self._output is None or not self._is_mixed.all():
            return None
        self._output.flags.writeable = False
        self._is_handed_out = True
        return self._output

    def shown(self, output: FloatArray) -> Thumbnail | None:
        """Give the thumbnail of a head with this output; None where something of it is not known."""
        kept = self.thumbnail
        if kept is None or not (kept.state == EXACT).all() or not self.has_entropy.all():
            return None
        if self._shown is None or self._shown[1] is not output:
            picture, entropy = kept.weights(), self.entropy.copy()
            picture.flags.writeable = entropy.flags.writeable = False
            norm = math.sqrt(np.square(output, dtype=np.float64).sum())
            self._shown = Thumbnail(picture, entropy, norm), output
        return self._shown[0]

    def _followed(self, problem: Problem, changes: Changes) -> Patched | None:
        """Give the statistics of rows where a few keys are others; None where that cannot be said."""
        if changes.is_rescaled or changes.is_remasked or not changes.k.size or not self.is_known.any():
            return None
        return patch(self.problem, problem, changes.k, self.is_known, self.top, self.total, self._drift)

    def _longest_after(self, problem: Problem, changes: Changes) -> float | None:
        """Give a length that no row of the new k exceeds, None where all of them have to be looked at."""
        if not changes.k.size or self._longest is None:
            return self._longest
        if as_blocks(problem.k) is not None or as_blocks(self.problem.k) is not None:
            return None
        went, came = longest(self.problem.k[changes.k]), longest(problem.k[changes.k])
        return None if went >= self._longest else max(came, self._longest)

    def _take_in(self, new: Patched | None, changes: Changes, touched: BoolArray) -> BoolArray:
        """Bring statistics up to a few changed keys; give the rows for which that could be done."""
        if new is None:
            return np.zeros(len(self.is_known), bool)
        is_sure = new.is_sure & touched & self.is_known
        is_sure[changes.q] = False
        for mine, theirs in ((self.top, new.top), (self.total, new.total), (self._drift, new.drift)):
            mine[is_sure] = theirs[is_sure]
        return is_sure

    def _touched_weights(self, changes: Changes) -> BoolArray | None:
        """Give the rows whose weights may be others, bool (n_query,); None: no row's."""
        n_query = len(self.problem.q)
        if changes.is_rescaled or changes.is_remasked:
            return np.ones(n_query, bool)
        if not (changes.q.size or changes.k.size):
            return None
        touched = np.zeros(n_query, bool)
        touched[changes.q] = True
        if changes.k.size:
            touched |= self._sees_any(changes.k)
        return touched

    def _touched_values(self, changes: Changes) -> BoolArray | None:
        if not changes.v.size:
            return None
        if not self.problem.hides_wholly:
            return np.ones(len(self.problem.q), bool)
        return self._sees_any(changes.v)

    def _sees_any(self, keys: IntArray) -> BoolArray:
        n_query = len(self.problem.q)
        rows = np.arange(n_query)
        return SeenKeys.of(self.problem.mask, rows, n_query, self.problem.n_key).sees_any(keys)


class HeadMemories:
    """The memories of all heads that were looked at; ``device`` as in ``HeadMemory``."""

    def __init__(self, device: DeviceWalks | None = None) -> None:
        self._memories: dict[int, HeadMemory] = {}
        self._device = device
        self._looked_at: list[tuple[HeadMemory, Region]] = []
        """Whose pictures are kept, the latest last."""

    def of(self, inputs: Inputs, head: int) -> HeadMemory:
        """Give the memory of a head, true of these inputs.

        It is that of the very same vectors, wherever their head was, or else that of the head in this place.
        No two heads share one: copies of a head may have other values, and are filled at the same time.
        """
        self._follow(inputs)
        problem, known = Problem.of(inputs, head), self._memories
        if head not in known or not _is_of(known[head], inputs.heads[head]):
            twin = next((each for each in known.values() if _is_of(each, inputs.heads[head])), None)
            if twin is not None:
                known[head] = twin.copied()
        if head not in known:
            known[head] = HeadMemory(problem, self._device)
        elif not known[head].becomes(problem):
            known[head] = memory = known[head].beginning(problem)
            self._looked_at += [(memory, region) for region in memory.pictures]
        return known[head]

    def _follow(self, inputs: Inputs) -> None:
        """Let memories be where their heads are now; those of heads that are gone go."""
        heads, known = inputs.heads, self._memories
        now = {
            place: each for place, each in known.items() if place < len(heads) and _is_of(each, heads[place])
        }
        homeless = [(place, each) for place, each in known.items() if place not in now]
        changed = []
        for place, each in homeless:
            home = next((to for to, head in enumerate(heads) if to not in now and _is_of(each, head)), None)
            if home is not None:
                now[home] = each
            elif place < len(heads):
                changed.append((place, each))
        for place, each in changed:
            now.setdefault(place, each)
        self._memories = now

    def pictures(self, memory: HeadMemory, region: Region) -> KeptPictures:
        """Give the pictures of a region of a head, new where there are none; the oldest of others go."""
        region = replace(region, head=0)  # a head that moved takes its pictures along
        kept = memory.pictures.pop(region, None) or KeptPictures(region)
        memory.pictures[region] = kept
        others = [
            (each, place)
            for each, place in self._looked_at
            if (each is not memory or place != region) and each in self._memories.values()
        ]
        self._looked_at = [*others[1 - MOST_PICTURES :], (memory, region)]
        for each, place in others[: 1 - MOST_PICTURES]:
            del each.pictures[place]
        return kept

    def finished(self, memory: HeadMemory, region: Region) -> None:
        """Let pictures go that are true and too large to be kept; a part of such is what goes on later."""
        region = replace(region, head=0)
        kept = memory.pictures[region]
        if kept.shape[0] * kept.shape[1] > MOST_CELLS and bool((kept.state == EXACT).all()):
            del memory.pictures[region]
            self._looked_at = [each for each in self._looked_at if each != (memory, region)]

    def thumbnail(self, memory: HeadMemory) -> KeptPictures:
        """Give the pictures that a head's thumbnail is made of, without rows that were begun and left."""
        if memory.thumbnail is None:
            n_query, n_key = len(memory.problem.q), memory.problem.n_key
            region = Region(0, (0, n_query), (0, n_key), (LARGEST, LARGEST))
            memory.thumbnail = KeptPictures(region)
        memory.thumbnail.drop_begun()
        return memory.thumbnail

    def clear(self) -> None:
        """Forget everything."""
        self._memories.clear()
        self._looked_at.clear()


def _is_of(memory: HeadMemory, head: Head) -> bool:
    """Say whether a memory is of the very q and k of a head."""
    return memory.problem.q is head.q and memory.problem.k is head.k
