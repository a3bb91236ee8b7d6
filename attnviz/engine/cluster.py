"""Dask arrays as rows: block by block with a local scheduler, and computed where they live with a cluster.

dask and distributed are imported here alone, inside functions. attnviz has to be installed on the workers:
what is sent to them are the names of its functions.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from attnviz.core.array_stacks import ArrayStack, is_of, is_read_whole
from attnviz.core.block_arrays import as_blocks
from attnviz.core.errors import AttnvizError, InputError
from attnviz.core.row_sources import LostArrayError, rows_per_block
from attnviz.core.seen_keys import SeenKeys
from attnviz.engine import part_walks
from attnviz.engine.blocks import FloatArray, IntArray, Problem, Rows
from attnviz.engine.part_walks import FoundRows, Wish

SHOWN_ROWS = 64
"""Rows that are fetched from a cluster together, to be shown or edited: 16 kB at 64 dimensions."""
TASK_KEYS = 4096
"""Keys of a task, at least: less would not be worth its telling."""
ASKED_EVERY = 0.1
"""Seconds between two questions whether to go on."""

LOST_AFTER = 5.0
"""Seconds without any worker after which a cluster is given up: one that died may be started again."""

GoOn = Callable[[int], bool]


def stack_of_dask(values: Any, what: str) -> ArrayStack | None:
    """Take an array of dask; None where it is none or is to be read.

    Raises
    ------
    InputError
        When its number of rows is not known.
    """
    if not is_of(values, "dask"):
        return None
    if any(math.isnan(side) for side in values.shape):
        raise InputError(
            "{what} has shape {got}: dask does not know its sides; call its compute_chunk_sizes() first.",
            what=what,
            got=values.shape,
        )
    shape = tuple(int(side) for side in values.shape)
    if is_read_whole(shape):
        return None
    cluster = Cluster.present()

    def rows_of(head: int | None) -> DaskRows:
        if head is None:
            return DaskRows(values, what, cluster)
        return DaskRows(values[head], f"{what}, head {head}", cluster)

    return ArrayStack(shape, np.dtype(values.dtype), what, rows_of)


class DaskRows:
    """Rows of a dask array (rows, dims); see ``RowSource``.

    Parameters
    ----------
    table
        The array, of any chunks.
    name
        What it is called in sentences.
    cluster
        Where it is computed; None: by dask's own scheduler on this machine.
    """

    def __init__(self, table: Any, name: str, cluster: Cluster | None) -> None:
        self.table = table if table.numblocks[1] == 1 else table.rechunk({1: -1})
        self.name, self.shape = name, (int(table.shape[0]), int(table.shape[1]))
        self.cluster = cluster
        chunk = min(max(self.table.chunks[0]), self.shape[0])
        self.block_rows = rows_per_block(self.shape[1], chunk) if cluster is None else SHOWN_ROWS
        self.ends = np.cumsum(self.table.chunks[0])
        self._lock = threading.Lock()
        self._chunks: list[Any] | None = None

    def check(self) -> None:
        """Raise nothing: what dask computes is known only by computing it."""

    def read(self, first: int, last: int) -> NDArray[Any]:
        """Compute a half-open range of rows, (rows, dims)."""
        if self.cluster is not None:
            rows = np.arange(first, last)
            found = self.cluster.result(lambda there: there.send_rows(self, rows), self.name)
            return cast(NDArray[Any], found)
        try:
            return np.asarray(self.table[first:last].compute())
        except Exception as error:  # of whatever its graph does
            raise _uncomputed(self.name, error) from error

    def resized(self, dims: int) -> DaskRows:
        """Give the rows with other dimensions: cut at the end, or with zeros added."""
        import dask.array

        table = self.table[:, :dims]
        if dims > self.shape[1]:
            table = dask.array.pad(self.table, ((0, 0), (0, dims - self.shape[1])))
        return DaskRows(table, self.name, self.cluster)

    def chunks(self, client: Any) -> list[Any]:
        """Give the futures of all chunks; they are computed once and stay on the cluster, or on its disks."""
        with self._lock:
            if self._chunks is None:
                self._chunks = client.compute(list(self.table.to_delayed().ravel()))
            return self._chunks


@dataclass(frozen=True, eq=False)
class Cluster:
    """A client of a distributed scheduler, and what is asked of it. Used from any thread."""

    client: Any

    @classmethod
    def present(cls) -> Cluster | None:
        """Give the cluster that dask would compute with now; None for a scheduler of this process."""
        import dask.base

        scheduler: Any = dask.base
        client = getattr(scheduler.get_scheduler(), "__self__", None)
        return cls(client) if client is not None and is_of(client, "distributed") else None

    def walked(self, wish: Wish, go_on: GoOn) -> FoundRows | None:
        """Let rows be walked where the keys live; what was found travels, and no rows of q, k or v do.

        None where ``go_on`` said no.
        """
        problem = wish.problem
        seen = SeenKeys.of(problem.mask, wish.rows, len(problem.q), problem.n_key)
        spans = seen.spans() if problem.hides_wholly else [(0, problem.n_key)]
        plain = replace(wish, problem=_without_rows(problem))

        def send(cluster: Cluster) -> Any:
            submit = cluster.client.submit
            q = cluster.send_rows(problem.q, wish.rows)
            parts: list[Any] = []
            for keys in _ranges(problem.k):
                if parts and not any(first < keys[1] and keys[0] < last for first, last in spans):
                    continue  # the first is walked in any case: then there is something to join
                places = np.arange(*keys)
                k = cluster.send_rows(problem.k, places)
                v = cluster.send_rows(problem.v, places) if wish.mixes else None
                parts.append(submit(part_walks.walk_part, plain, q, k, v, keys, pure=False))
            return submit(part_walks.join_parts, plain, parts, pure=False)

        return cast("FoundRows | None", self.result(send, _name_of(problem.k), go_on))

    def products(self, q: FloatArray, rows: IntArray, k: FloatArray, keys: Rows) -> FloatArray:
        """Give q[rows] @ k[keys].T, computed where they live, float32 (rows, keys)."""

        def send(cluster: Cluster) -> Any:
            submit, own = cluster.client.submit, cluster.send_rows(q, rows)
            ranges = ((max(first, keys[0]), min(last, keys[1])) for first, last in _ranges(k))
            return [
                submit(part_walks.products_of, own, cluster.send_rows(k, np.arange(*each)), pure=False)
                for each in ranges
                if each[0] < each[1]
            ]

        return np.concatenate(self.result(send, _name_of(k)), axis=1)

    def mixture(self, weights: FloatArray, v: FloatArray) -> FloatArray:
        """Give weights (rows, keys) @ v[:keys], computed where v lives, float32 (rows, d_v)."""
        ranges = ((first, min(last, weights.shape[1])) for first, last in _ranges(v))

        def send(cluster: Cluster) -> Any:
            return [
                cluster.client.submit(
                    part_walks.mixture_of,
                    weights[:, slice(*each)],
                    cluster.send_rows(v, np.arange(*each)),
                    pure=False,
                )
                for each in ranges
                if each[0] < each[1]
            ]

        return cast(FloatArray, np.sum(self.result(send, _name_of(v)), axis=0))

    def send_rows(self, array: Any, places: IntArray) -> Any:
        """Let some rows, sorted, be put together on a worker: those that are held here are sent to it."""
        if isinstance(array, DaskRows):
            parts = list(self._parts(array, places))
            return self.client.submit(part_walks.gather, parts, array.shape[1], pure=False)
        blocks = as_blocks(array)
        if blocks is None:
            return array[places]
        parts = []
        for held, local, own in blocks.pieces_of(places):
            if isinstance(held, DaskRows):
                parts += self._parts(held, local)
            else:
                parts.append((blocks.take(own), slice(None), _name_of(array), int(own[0])))
        return self.client.submit(part_walks.gather, parts, blocks.shape[1], pure=False)

    def result(self, send: Callable[[Cluster], Any], name: str, go_on: GoOn = lambda share: True) -> Any:
        """Send tasks and wait for what they give; None where ``go_on`` said no, and they are cancelled.

        Raises
        ------
        LostArrayError
            When the cluster is gone, lost all its workers, or cannot compute it.
        """
        futures: Any = None
        try:
            futures = send(self)
            waiting = list(futures) if isinstance(futures, list) else [futures]
            alone_since: float | None = None
            while not all(future.done() for future in waiting):
                if not go_on(0):
                    self.client.cancel(waiting)
                    return None
                alone_since = self._wait(waiting, alone_since)
            results = [future.result() for future in waiting]
            return results if isinstance(futures, list) else results[0]
        except AttnvizError:
            raise
        except ImportError as error:
            raise LostArrayError(
                "A worker of the cluster cannot compute “{name}”: attnviz is not installed there ({reason}).",
                name=name,
                reason=error,
            ) from error
        except Exception as error:  # of whatever its graph does, and all the ways to lose a cluster
            raise _uncomputed(name, error) from error

    def _wait(self, waiting: Sequence[Any], alone_since: float | None) -> float | None:
        """Wait a little; give since when there has been no worker, by the clock, None where there is one."""
        import distributed

        library: Any = distributed
        try:
            library.wait(waiting, timeout=ASKED_EVERY)
        except TimeoutError:
            if self.client.nthreads():  # raises where there is no scheduler any more
                return None
            now = time.monotonic()
            alone_since = now if alone_since is None else alone_since
            if now - alone_since > LOST_AFTER:
                self.client.cancel(list(waiting))
                raise RuntimeError("the cluster has no workers any more") from None
            return alone_since
        return None

    def _parts(self, source: DaskRows, places: IntArray) -> Iterator[Any]:
        """Give the arguments of ``gather`` for some rows of a source, sorted, chunk by chunk."""
        chunks = source.chunks(self.client)
        of_chunk = np.searchsorted(source.ends, places, "right")
        for number in np.unique(of_chunk).tolist():
            first = int(source.ends[number]) - int(source.table.chunks[0][number])
            yield chunks[number], places[of_chunk == number] - first, source.name, first


def cluster_of_rows(array: FloatArray) -> Cluster | None:
    """Give the cluster that an array lives on; None where it lives here."""
    blocks = as_blocks(array)
    sources = () if blocks is None else blocks.sources
    return next((source.cluster for source in sources if isinstance(source, DaskRows)), None)


def _ranges(array: FloatArray) -> list[Rows]:
    """Cut an array into half-open ranges of rows, whole chunks of it and no small ones."""
    blocks = as_blocks(array)
    ends = set(range(TASK_KEYS, len(array), TASK_KEYS)) if blocks is None else set[int]()
    if blocks is not None:
        every = np.arange(len(blocks))
        for held, local, places in blocks.pieces_of(every):
            if isinstance(held, DaskRows):
                inside = np.searchsorted(local, held.ends)
                ends |= {int(places[at]) for at in inside if at < len(places)}
    ranges: list[Rows] = []
    first = 0
    for end in [*sorted(ends), len(array)]:
        if end - first >= TASK_KEYS or (end == len(array) and end > first):
            ranges.append((first, end))
            first = end
    return ranges


def _without_rows(problem: Problem) -> Problem:
    """Give a head without its numbers: what tasks are told of its shapes."""
    nothing = np.empty(0, np.intp)

    def shape_of(array: FloatArray) -> Any:
        rows, dims = array.shape
        return part_walks.Excerpt(np.empty((0, dims), np.float32), nothing, (rows, dims))

    return replace(problem, q=shape_of(problem.q), k=shape_of(problem.k), v=shape_of(problem.v))


def _name_of(array: FloatArray) -> str:
    blocks = as_blocks(array)
    sources = () if blocks is None else blocks.sources
    return sources[0].name if sources else "q, k, v"


def _uncomputed(name: str, error: BaseException) -> LostArrayError:
    return LostArrayError(
        "“{name}” could not be computed where it lives ({reason}); the picture shows what it was.",
        name=name,
        reason=str(error).rstrip(".") or type(error).__name__,
    )
