"""The row of a picture that a query under edit is in, exact again for little: only what changed is pooled."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Lock

import numpy as np

from attnviz.engine.bin_pool import BinPool
from attnviz.engine.cluster import cluster_of_rows
from attnviz.engine.edited_row import Part
from attnviz.engine.head_memory import HeadMemory
from attnviz.engine.kept_pictures import EXACT, KeptPictures
from attnviz.engine.key_walk import KeyWalk
from attnviz.engine.long_rows import cost_of_samples, key_bins, show_row
from attnviz.engine.team import Team
from attnviz.engine.watch import Watch

GoOn = Callable[[int], bool]

_FIRST = np.zeros(1, np.intp)  # all queries of a part belong to one row of the picture


def bring_back(
    memory: HeadMemory,
    kept: KeptPictures,
    team: Team,
    make_watch: Callable[[int], Watch],
    lock: Lock,
    most_work: float,
) -> bool:
    """Let the row that is edited be exact again, where that takes at most so many multiply-adds.

    Parameters
    ----------
    make_watch
        Gives what watches over so many multiply-adds.

    Returns
    -------
    bool
        False where it was stopped. What was found until then is kept, for the next time.
    """
    edited = kept.edited
    is_elsewhere = memory.device is not None or cluster_of_rows(memory.problem.k) is not None
    if edited is None or kept.state[edited.row] == EXACT or is_elsewhere:
        return True
    lacking = edited.lacking()
    if lacking:  # else it was stopped before it could be put
        if not all(len(part.queries) == 1 or memory.is_known[part.queries].all() for part in lacking):
            return True  # all of a picture is walked elsewhere
        work = cost_of_samples(memory, kept, np.sort(np.concatenate([part.queries for part in lacking])))
        if work > most_work:
            return True
        watch = make_watch(work)
        jobs = [partial(_find, memory, kept, part, watch.go_on, lock) for part in lacking]
        if not team.run(jobs, lambda done: watch.go_on(), work) or watch.is_stopped:
            return False
    with lock:
        kept.put_edited(edited)
    return True


def _find(memory: HeadMemory, kept: KeptPictures, part: Part, go_on: GoOn, lock: Lock) -> None:
    """Find what a part brings; where ``go_on`` says no, what was seen until then is kept."""
    problem, region, queries = memory.problem, kept.region, part.queries
    walk = KeyWalk(problem, queries, memory.longest_key, go_on, key_bins(kept))
    if not memory.is_known[queries].all():
        walked = walk.walk([])
        if walked is None:
            return
        with lock:
            memory.put_statistics(queries, walked.top, walked.total)
    top, total = memory.of_rows(queries)
    pool = part.pool
    if pool is None:
        pool, part.reached = BinPool(problem, region, len(queries), (top, total)), region.keys[0]
    if not show_row(memory, kept, queries, pool):
        part.pool, part.reached = pool, walk.look_until((part.reached, region.keys[1]), [pool])
        if part.reached < region.keys[1]:
            return
    part.pool, part.pooled = None, pool.finished(np.arange(len(queries)), _FIRST, top, total, None)
