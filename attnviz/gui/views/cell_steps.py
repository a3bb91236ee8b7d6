"""Which cell a key of the keyboard leads to: pure arithmetic on the selected cell and what is in view."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt

from attnviz.core.stages import Stages
from attnviz.gui.views.map_window import Window

_MOVES = {
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
}
_PAGES = {Qt.Key.Key_PageUp: -1, Qt.Key.Key_PageDown: 1}
_KEPT = 0.9  # of a window that a page goes over


def cell_after(
    key: Qt.Key, modifiers: Qt.KeyboardModifier, cell: tuple[int, int], window: Window, stages: Stages
) -> tuple[int, int] | None:
    """Give the (query, key) that a press of a key leads to; None where the key means something else.

    Arrows go to the next cell; Page Up and Page Down over the queries in view, with Shift over the keys; End
    to the last key that the query may attend to; Ctrl+Home and Ctrl+End to the first and the last cell.
    """
    inputs = stages.request.inputs
    last = inputs.n_query - 1, inputs.n_key - 1
    pressed = modifiers & ~Qt.KeyboardModifier.KeypadModifier
    has_shift = pressed == Qt.KeyboardModifier.ShiftModifier
    query, column = cell
    if pressed == Qt.KeyboardModifier.ControlModifier:
        return {Qt.Key.Key_Home: (0, 0), Qt.Key.Key_End: last}.get(key)
    if pressed and not has_shift:
        return None
    if key in _MOVES:
        query, column = query + _MOVES[key][0], column + _MOVES[key][1]
    elif key in _PAGES:
        length = window.columns if has_shift else window.rows
        step = _PAGES[key] * max(1, int(length * _KEPT))
        query, column = (query, column + step) if has_shift else (query + step, column)
    elif key == Qt.Key.Key_End:
        seen = np.flatnonzero(stages.row.allowed)
        column = int(seen[-1]) if seen.size and stages.row.query == query else last[1]
    else:
        return None
    return min(max(query, 0), last[0]), min(max(column, 0), last[1])
