"""The kernels of cuda/walk.cu, launched with their sizes checked: what long documents are walked with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attnviz.engine.blocks import Rows

if TYPE_CHECKING:
    from attnviz.engine.kernels import Kernels

_TILE = (64, 64)
_TILE_THREADS = (16, 16, 1)


@dataclass(frozen=True)
class SeenOnDevice:
    """What the rows of a walk see, as addresses on the device.

    Attributes
    ----------
    ranges, n_ranges
        int32 (n_ranges, 2, rows).
    hidden_keys
        uint8 (n_key,), 1 = hidden from every row; None: none is.
    allowed
        uint8 (rows, keys of ``allowed_keys``), 1 = may attend; None: ranges and hidden keys decide.
    """

    ranges: int | None
    n_ranges: int
    hidden_keys: int | None
    allowed: int | None = None
    allowed_keys: Rows = (0, 0)


@dataclass(frozen=True)
class WalkedHead:
    """The rows of a walk and their head, as addresses on the device.

    Attributes
    ----------
    q, k
        float32 (n_query, d) and (n_key, d).
    rows
        int32 (n_rows,): the queries.
    divisor
        √d · scale strength.
    """

    q: int
    k: int
    rows: int
    n_rows: int
    n_key: int
    d: int
    divisor: float


@dataclass(frozen=True)
class PooledKeys:
    """Pools of a region's keys on the device, float32 (columns, rows) each.

    Attributes
    ----------
    sums, counts
        None where no mean is wanted.
    keys, bin_keys
        What is pooled.
    """

    high: int
    low: int
    sums: int | None
    counts: int | None
    keys: Rows
    bin_keys: int

    @property
    def columns(self) -> int:
        """Bins."""
        return -(-(self.keys[1] - self.keys[0]) // self.bin_keys)


class WalkKernels:
    """Launches on one stream; made and used in one thread, with the context current."""

    def __init__(self, kernels: Kernels, stream: Any) -> None:
        self._kernels, self._stream = kernels, stream

    def walk_keys(
        self,
        head: WalkedHead,
        seen: SeenOnDevice,
        slices: int,
        n_slices: int,
        keys: Rows,
        *,
        statistics: tuple[int, int] | None = None,
        part_top: int | None = None,
        part_total: int | None = None,
        part_weighted: int | None = None,
        pooled: PooledKeys | None = None,
    ) -> None:
        """Walk the rows along slices of the keys, which lie between the two of ``keys``.

        Parameters
        ----------
        slices
            Address of int32 (n_slices, 2).
        statistics
            Addresses of the rows' top and total, which sums need.
        part_top, part_total, part_weighted
            Addresses of float32 (n_slices, n_rows).
        """
        name = "walk_keys"
        _check_keys(name, keys, head, seen)
        if part_top is None and (part_total is not None or part_weighted is not None):
            raise ValueError(f"{name}: sums without the maximum they are relative to")
        bins: tuple[int | None, ...] = (None, None, None, None)
        sizes = (0, 0, 1)
        if pooled is not None:
            if pooled.bin_keys < 1:
                raise ValueError(f"{name}: a bin of {pooled.bin_keys} keys")
            _check_range(name, pooled.keys, head.n_key)
            if (pooled.sums is None) != (pooled.counts is None) or (pooled.sums and statistics is None):
                raise ValueError(f"{name}: a mean needs sums, counts and the rows' statistics")
            bins = (pooled.high, pooled.low, pooled.sums, pooled.counts)
            sizes = (*pooled.keys, pooled.bin_keys)
        self._kernels.launch(
            name,
            self._stream,
            (n_slices, head.n_rows),
            (1, 64),
            _TILE_THREADS,
            *(head.q, head.k, head.rows, slices),
            *(seen.ranges, seen.hidden_keys, seen.allowed),
            *(statistics or (None, None)),
            *(part_top, part_total, part_weighted),
            *bins,
            *(head.n_rows, head.d, *_seen_sizes(seen)),
            *sizes,
            head.divisor,
        )

    def pool_rows(
        self,
        head: WalkedHead,
        pooled: PooledKeys,
        statistics: tuple[int, int],
        *,
        places: int,
        starts: int,
        n_lines: int,
        picture: tuple[int, int, int, int],
    ) -> None:
        """Pool rows of the walk to a picture's rows.

        Parameters
        ----------
        places, starts
            Addresses of int32 rows of the walk, and int32 (n_lines + 1,) where in them each line begins.
        picture
            Addresses of float32 (n_lines, columns): highs, lows, weights and, where a mean is wanted, counts.
        """
        self._kernels.launch(
            "pool_rows",
            self._stream,
            (pooled.columns, n_lines),
            (32, 8),
            (32, 8, 1),
            *(pooled.high, pooled.low, pooled.sums, pooled.counts),
            *statistics,
            *(places, starts),
            *picture,
            *(head.n_rows, pooled.columns, n_lines, head.divisor),
        )

    def known_cells(
        self,
        head: WalkedHead,
        seen: SeenOnDevice,
        keys: Rows,
        statistics: tuple[int, int],
        *,
        scores: int | None,
        weights: int,
        fill: float,
    ) -> None:
        """Give scores and weights of a range of keys, float32 (n_rows, keys)."""
        name = "known_cells"
        _check_keys(name, keys, head, seen)
        n_keys = keys[1] - keys[0]
        self._kernels.launch(
            name,
            self._stream,
            (n_keys, head.n_rows),
            _TILE,
            _TILE_THREADS,
            *(head.q, head.k, head.rows),
            *(seen.ranges, seen.hidden_keys, seen.allowed),
            *statistics,
            *(scores, weights),
            *(head.n_rows, head.d, *_seen_sizes(seen)),
            *(keys[0], n_keys, head.divisor, fill),
        )

    def mix(self, head: WalkedHead, *, weights: int, v: int, n_keys: int, output: int, d_v: int) -> None:
        """Mix values, ``v`` from the first key on, by weights (n_rows, n_keys) into float32 (n_rows, d_v)."""
        self._kernels.weighted_sum_tiled(
            self._stream,
            weights=weights,
            v=v,
            output=output,
            n_square_rows=head.n_rows,
            n_key_tokens=n_keys,
            d=d_v,
        )


def _seen_sizes(seen: SeenOnDevice) -> tuple[int, int, int]:
    first, last = seen.allowed_keys
    return seen.n_ranges, first, last - first


def _check_keys(name: str, keys: Rows, head: WalkedHead, seen: SeenOnDevice) -> None:
    _check_range(name, keys, head.n_key)
    first, last = seen.allowed_keys
    if seen.allowed is not None and not first <= keys[0] <= keys[1] <= last:
        raise ValueError(f"{name}: keys {keys} of a mask that is there for {seen.allowed_keys}")
    if seen.allowed is None and seen.n_ranges and seen.ranges is None:
        raise ValueError(f"{name}: ranges that are nowhere")


def _check_range(name: str, keys: Rows, n_key: int) -> None:
    if not 0 <= keys[0] <= keys[1] <= n_key:
        raise ValueError(f"{name}: keys {keys}, where there are {n_key}")
