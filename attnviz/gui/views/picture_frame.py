"""Where a picture lies in the matrix, and which part of the matrix the screen wants a picture of.

Pure arithmetic on ranges of queries and keys; nothing here draws, asks or knows a number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

from attnviz.core.request import Region
from attnviz.gui.views.map_window import Window

Range = tuple[int, int]

_MARGIN = 8  # parts of the window: so much more is wanted on each side, so that a pan finds it there


@dataclass(frozen=True)
class PictureFrame:
    """The place of a picture in the matrix.

    Attributes
    ----------
    queries, keys
        Half-open ranges that it shows.
    bins
        Queries and keys that one cell of the picture stands for; the last may stand for fewer.
    """

    queries: Range
    keys: Range
    bins: tuple[int, int] = (1, 1)

    @classmethod
    def of(cls, region: Region) -> PictureFrame:
        """Give the place of the pictures of a region."""
        return cls(region.queries, region.keys, region.bins)

    @property
    def is_exact(self) -> bool:
        """Whether every cell of the matrix is a cell of the picture."""
        return self.bins == (1, 1)

    def holds(self, query: int, key: int) -> bool:
        """Say whether a cell of the matrix lies in it."""
        return self.queries[0] <= query < self.queries[1] and self.keys[0] <= key < self.keys[1]

    def place_of(self, query: int, key: int) -> tuple[int, int]:
        """Give (row, column) of the picture's cell that stands for a cell of the matrix."""
        return (query - self.queries[0]) // self.bins[0], (key - self.keys[0]) // self.bins[1]

    def block_of(self, query: int, key: int) -> tuple[Range, Range]:
        """Give the queries and keys that share a cell of the picture with a cell of the matrix."""
        row, column = self.place_of(query, key)
        top, left = self.queries[0] + row * self.bins[0], self.keys[0] + column * self.bins[1]
        return (
            (top, min(top + self.bins[0], self.queries[1])),
            (left, min(left + self.bins[1], self.keys[1])),
        )

    def block_at(
        self, place: QPointF, window: Window, width: float, height: float
    ) -> tuple[Range, Range] | None:
        """Give the queries and keys that the picture's cell at a place stands for; None outside the picture.

        Parameters
        ----------
        place
            In px from the plot's left top corner.
        window, width, height
            As for ``rect``: what is seen there is asked for, not where a cell would lie in proportion.
        """
        rect = self.rect(window, width, height)
        if not rect.contains(place) or rect.isEmpty():
            return None
        n_rows, n_columns = self.queries[1] - self.queries[0], self.keys[1] - self.keys[0]
        row = int((place.y() - rect.top()) / rect.height() * -(-n_rows // self.bins[0]))
        column = int((place.x() - rect.left()) / rect.width() * -(-n_columns // self.bins[1]))
        first = min(row * self.bins[0], n_rows - 1), min(column * self.bins[1], n_columns - 1)
        return self.block_of(self.queries[0] + first[0], self.keys[0] + first[1])

    def shown(self, window: Window) -> tuple[Range, Range]:
        """Give the queries and keys of it that a window shows, whole ones; empty ranges where none."""
        top, bottom = math.floor(window.y), math.ceil(window.y + window.rows - 1e-9)
        left, right = math.floor(window.x), math.ceil(window.x + window.columns - 1e-9)
        rows = max(top, self.queries[0]), min(bottom, self.queries[1])
        columns = max(left, self.keys[0]), min(right, self.keys[1])
        return (rows[0], max(rows)), (columns[0], max(columns))

    def covers(self, window: Window) -> bool:
        """Say whether it shows all that a window does."""
        return (
            self.queries[0] <= window.y + 1e-6
            and self.keys[0] <= window.x + 1e-6
            and self.queries[1] >= window.y + window.rows - 1e-6
            and self.keys[1] >= window.x + window.columns - 1e-6
        )

    def rect(self, window: Window, width: float, height: float) -> QRectF:
        """Give where the picture lies in a plot of a width and height in px, from the plot's left top corner.

        It fills its ranges exactly, though its last row and column may stand for fewer cells than the others:
        drawn in proportion they could lie between two px of the screen and be lost.
        """
        across, down = width / window.columns, height / window.rows
        return QRectF(
            (self.keys[0] - window.x) * across,
            (self.queries[0] - window.y) * down,
            (self.keys[1] - self.keys[0]) * across,
            (self.queries[1] - self.queries[0]) * down,
        )


def wanted_frame(
    window: Window, width: float, height: float, n_query: int, n_key: int
) -> tuple[Range, Range, tuple[int, int]]:
    """Give the queries, the keys and the most cells of a picture that shows a window as it is seen.

    Parameters
    ----------
    window
        What is in view.
    width, height
        Of the plot, in px of the device.

    Notes
    -----
    A cell of the picture is never smaller than a px, so that none is lost. The ranges begin and end on steps
    of an eighth of the window: small pans and a drag between two steps want the picture that is there.
    """
    queries, rows = _wanted(window.y, window.rows, height, n_query)
    keys, columns = _wanted(window.x, window.columns, width, n_key)
    return queries, keys, (rows, columns)


def drawn_frame(
    window: Window, width: float, height: float, n_query: int, n_key: int
) -> tuple[Range, Range, tuple[int, int]]:
    """Give the queries, the keys and the most cells of a picture of a window that nobody pans, as in a file.

    Parameters as of ``wanted_frame``; nothing beyond the window is in it.
    """
    queries, rows = _drawn(window.y, window.rows, height, n_query)
    keys, columns = _drawn(window.x, window.columns, width, n_key)
    return queries, keys, (rows, columns)


def _drawn(first: float, length: float, pixels: float, count: int) -> tuple[Range, int]:
    begin, end = max(0, math.floor(first + 1e-9)), min(count, math.ceil(first + length - 1e-9))
    per_bin = max(1, math.ceil(length / max(pixels, 1.0) - 1e-6))
    return (begin, end), -(-(end - begin) // per_bin)


def _wanted(first: float, length: float, pixels: float, count: int) -> tuple[Range, int]:
    per_bin = max(1, math.ceil(length / max(pixels, 1.0) - 1e-6))
    if length >= count - 1e-6:
        wanted = (0, count)
    else:
        step = per_bin * max(1, math.ceil(length / _MARGIN / per_bin))
        begin = math.floor((first - length / _MARGIN) / step + 1e-9) * step
        end = math.ceil((first + length * (1 + 1 / _MARGIN)) / step - 1e-9) * step
        wanted = (max(begin, 0), min(end, count))
    return wanted, -(-(wanted[1] - wanted[0]) // per_bin)
