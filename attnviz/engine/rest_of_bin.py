"""What all queries of a bin but one bring to a picture, kept while that one is edited.

A drag changes one query many times. Its row of the picture stands for hundreds of queries of a long
text, of which the others bring what they brought before.
"""

from __future__ import annotations

from functools import partial, reduce
from threading import Lock

import numpy as np

from attnviz.engine.bin_pool import BinPool, PooledRows
from attnviz.engine.blocks import IntArray
from attnviz.engine.cluster import cluster_of_rows
from attnviz.engine.head_memory import HeadMemory
from attnviz.engine.kept_pictures import NOTHING, KeptPictures, RestOfBin
from attnviz.engine.key_walk import KeyWalk
from attnviz.engine.long_rows import cost_of_samples, key_bins
from attnviz.engine.team import Team
from attnviz.engine.watch import Watch

_LEAST_ROWS = 32  # of a part that a thread takes


def bring_back(
    memory: HeadMemory, kept: KeptPictures, query: int, team: Team, watch: Watch, lock: Lock, most_work: float
) -> bool:
    """Let the picture's row that a query is in be exact again, where that costs little; False if stopped.

    Where what the others bring is known, the query is pooled alone. Else it is found out, but only where the
    statistics of all of them are known and it takes at most so many multiply-adds.
    """
    first, last = kept.region.queries
    is_here = kept.bins[0] > 1 and first <= query < last
    if not is_here or memory.device is not None or cluster_of_rows(memory.problem.k) is not None:
        return True
    row = (query - first) // kept.bins[0]
    if kept.state[row] != NOTHING or not memory.is_known[query]:
        return True
    rest = kept.rest
    if rest is None or (rest.row, rest.query) != (row, query):
        others = np.arange(*kept.queries_of(row))
        others = others[others != query]
        if not others.size or not memory.is_known[others].all():
            return True
        work = cost_of_samples(memory, kept, others)
        if work > most_work:
            return True
        parts = np.array_split(others, min(max(1, len(others) // _LEAST_ROWS), 2 * team.n_threads))
        found: list[PooledRows] = []
        jobs = [partial(_pool, memory, kept, part, watch, found) for part in parts]
        if not team.run(jobs, lambda done: watch.go_on(), work) or watch.is_stopped:
            return False
        rest = RestOfBin(row, query, reduce(PooledRows.merged, found))
    alone: list[PooledRows] = []
    _pool(memory, kept, np.array([query]), watch, alone)
    if not alone:
        return False
    with lock:
        kept.put_with_rest(rest, alone[0])
    return True


def _pool(
    memory: HeadMemory, kept: KeptPictures, queries: IntArray, watch: Watch, found: list[PooledRows]
) -> None:
    """Pool queries of one row of the picture, whose statistics are known, unless the watch says no."""
    top, total = memory.of_rows(queries)
    pool = BinPool(memory.problem, kept.region, len(queries), (top, total))
    walk = KeyWalk(memory.problem, queries, memory.longest_key, watch.go_on, key_bins(kept))
    if walk.look(kept.region.keys, [pool]):
        found.append(pool.finished(np.arange(len(queries)), np.zeros(1, np.intp), top, total, None))
