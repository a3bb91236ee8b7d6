"""The part of the matrix in view: zooming and panning, as pure arithmetic in cells."""

from __future__ import annotations

from dataclasses import dataclass

MIN_VISIBLE = 1.0
"""Cells left along an axis when zoomed in as far as it goes."""


@dataclass(frozen=True)
class Window:
    """The part of the matrix in view, in cells: its left top corner, and how many columns and rows."""

    x: float
    y: float
    columns: float
    rows: float

    @classmethod
    def whole(cls, n_query: int, n_key: int) -> Window:
        """Show every cell."""
        return cls(0.0, 0.0, float(n_key), float(n_query))

    def zoomed(self, factor: float, at: tuple[float, float], n_query: int, n_key: int) -> Window:
        """Give the window ``factor`` times as near, the place ``at`` (key, query) staying where it is."""
        columns = min(max(self.columns / factor, min(MIN_VISIBLE, n_key)), float(n_key))
        rows = min(max(self.rows / factor, min(MIN_VISIBLE, n_query)), float(n_query))
        x = at[0] - (at[0] - self.x) * columns / self.columns
        y = at[1] - (at[1] - self.y) * rows / self.rows
        return Window(x, y, columns, rows).limited(n_query, n_key)

    def moved(self, columns: float, rows: float, n_query: int, n_key: int) -> Window:
        """Give the window moved by so many cells, within the matrix."""
        return Window(self.x + columns, self.y + rows, self.columns, self.rows).limited(n_query, n_key)

    def showing(self, query: int, key: int, n_query: int, n_key: int) -> Window:
        """Give the window moved as little as needed for a cell to be in it."""
        x = min(max(self.x, key + 1 - self.columns), key)
        y = min(max(self.y, query + 1 - self.rows), query)
        return Window(x, y, self.columns, self.rows).limited(n_query, n_key)

    def centred(self, query: float, key: float, n_query: int, n_key: int) -> Window:
        """Give the window moved so that a place lies in its middle, as far as the matrix goes."""
        return Window(key - self.columns / 2, query - self.rows / 2, self.columns, self.rows).limited(
            n_query, n_key
        )

    def limited(self, n_query: int, n_key: int) -> Window:
        """Give the window within the matrix."""
        columns, rows = min(self.columns, float(n_key)), min(self.rows, float(n_query))
        x = min(max(self.x, 0.0), n_key - columns)
        y = min(max(self.y, 0.0), n_query - rows)
        return Window(x, y, columns, rows)

    def is_whole(self, n_query: int, n_key: int) -> bool:
        """Say whether every cell is in it."""
        return self.columns >= n_key and self.rows >= n_query
