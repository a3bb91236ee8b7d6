"""The order in which Tab reaches the controls: region by region, and within one as it is read.

Controls come and go with heads, tokens and dimensions; so the order is found when Tab is pressed, not kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

_SAME_ROW = 12
"""Controls whose middles differ by less, in px, stand in one row."""


def tab_stops(window: QWidget, regions: Sequence[QWidget]) -> list[QWidget]:
    """Give the controls that Tab stops at now, in order."""
    return [stop for region in regions for stop in _as_read(window, _stops_in(region))]


def _stops_in(region: QWidget) -> list[QWidget]:
    return [widget for widget in (region, *region.findChildren(QWidget)) if _is_stop(widget)]


def _is_stop(widget: QWidget) -> bool:
    takes_tab = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus.value) and widget.focusProxy() is None
    parent = widget.parentWidget()
    is_inside = isinstance(parent, QAbstractScrollArea) and parent.viewport() is widget
    return takes_tab and widget.isVisible() and widget.isEnabled() and not is_inside


def _as_read(window: QWidget, stops: list[QWidget]) -> list[QWidget]:
    """Sort by rows from the top, and within a row from the left.

    A control stands in the row of its middle, or of its ``reading_line``, px from its top, where it has one.
    """
    places = [(stop.mapTo(window, QPoint(0, 0)), stop) for stop in stops]
    middles = [
        (place.y() + getattr(stop, "reading_line", stop.height() / 2), place.x(), stop)
        for place, stop in places
    ]
    rows: list[list[tuple[float, int, QWidget]]] = []
    for item in sorted(middles, key=lambda item: item[:2]):
        if rows and item[0] - rows[-1][0][0] < _SAME_ROW:
            rows[-1].append(item)
        else:
            rows.append([item])
    return [stop for row in rows for _, _, stop in sorted(row, key=lambda item: item[1])]
