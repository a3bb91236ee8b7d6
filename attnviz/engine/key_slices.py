"""How the keys of a walk are cut for a GPU: slices that blocks of threads take side by side, in launches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attnviz.engine.blocks import Rows

SHORTEST, LONGEST = 256, 4096
"""Keys of a slice."""
BLOCKS = 512
"""Blocks of threads that keep a GPU busy; with fewer rows slices are shorter."""
MOST_WORK = 8_000_000_000
"""Multiply-adds of a launch, roughly: some milliseconds, so that a computation can be stopped in between."""
MOST_CELLS = 1 << 24
"""Cells of a mask that is an array which a launch looks at, rows × keys: 16 MB."""
_TILE = 64


def slice_size(spans: Sequence[Rows], n_rows: int) -> int:
    """Give how many keys a slice has at most."""
    n_keys = sum(last - first for first, last in spans)
    size = n_keys * -(-n_rows // _TILE) // BLOCKS
    return min(max(size // _TILE * _TILE, SHORTEST), LONGEST)


def cut_keys(spans: Sequence[Rows], size: int, origin: int = 0, bin_keys: int = 1) -> list[list[Rows]]:
    """Cut sorted ranges of keys into slices, in groups of which no two slices share a bin.

    Parameters
    ----------
    size
        The most keys of a slice.
    origin, bin_keys
        Bins begin at this key, forwards and backwards, and have so many keys.
    """
    height = bin_keys * (size // bin_keys) if bin_keys <= size else bin_keys
    groups: list[list[Rows]] = []
    ends: list[int] = []  # the last bin of each group
    for span in spans:
        for first, last in _pieces(span, size, origin, height):
            bins = (first - origin) // bin_keys, (last - 1 - origin) // bin_keys
            place = next((index for index, end in enumerate(ends) if end < bins[0]), len(groups))
            if place == len(groups):
                groups.append([])
                ends.append(0)
            groups[place].append((first, last))
            ends[place] = bins[1]
    return groups


def launches_of(groups: Sequence[Sequence[Rows]], work_per_key: int, most_keys: int) -> Iterator[list[Rows]]:
    """Cut groups of slices into launches.

    Parameters
    ----------
    work_per_key
        Multiply-adds of a key.
    most_keys
        The most keys from a launch's first one to its last.
    """
    for group in groups:
        launch: list[Rows] = []
        work = 0
        for each in group:
            more = (each[1] - each[0]) * work_per_key
            if launch and (work + more > MOST_WORK or each[1] - launch[0][0] > most_keys):
                yield launch
                launch, work = [], 0
            launch.append(each)
            work += more
        yield launch


def _pieces(span: Rows, size: int, origin: int, height: int) -> Iterator[Rows]:
    """Cut a range where bins begin, and a bin that is too long into pieces too."""
    for start in range(span[0] - (span[0] - origin) % height, span[1], height):
        for first in range(start, start + height, size):
            piece = max(first, span[0]), min(first + size, start + height, span[1])
            if piece[0] < piece[1]:
                yield piece
