"""Where rows of queries lie on the screen, for whatever is drawn beside them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RowSpan:
    """The queries in view and the height they take, in px of the widget that shows them.

    Attributes
    ----------
    header
        Top of the panel's heading.
    top, height
        Of the rows.
    first, rows
        The first query in view, and how many are; both may be fractional.
    """

    header: float
    top: float
    height: float
    first: float
    rows: float

    @property
    def row_height(self) -> float:
        """Height of a row in px, which may be far less than 1."""
        return self.height / self.rows

    def y(self, query: float) -> float:
        """Give the top of a query's row."""
        return self.top + (query - self.first) * self.row_height

    def query_at(self, y: float) -> int | None:
        """Give the query whose row is at a height, None above and below the rows in view."""
        if not self.top <= y < self.top + self.height:
            return None
        return int(self.first + (y - self.top) / self.row_height)
