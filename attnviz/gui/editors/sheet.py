"""What a table of numbers shows at one moment: an array, the names of its lines, and what is marked in it."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnviz.core.inputs import DENSE_TOKENS, Head, Inputs
from attnviz.core.selection import Selection

SYMBOLS = {"w_q": "W_Q", "w_k": "W_K", "w_v": "W_V", "b_q": "b_Q", "b_k": "b_K", "b_v": "b_V"}
"""How the arrays of a projection are written; what stands after the _ stands low."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """One moment of a table.

    Attributes
    ----------
    symbol
        What the table is: ``q``, ``x``, ``x_K`` (of the keys), ``W_Q``.
    array
        float32 (rows, columns).
    rows, columns
        The names of its lines.
    is_default
        Which rows are still the ones they came with, (rows,), or empty for none.
    row, column
        The line that is marked, −1 for none; where both are, the cell they share.
    """

    symbol: str
    array: NDArray[np.float32]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    is_default: NDArray[np.bool_]
    row: int = -1
    column: int = -1

    def row_name(self, row: int, name: str) -> str:
        """Give what a row is called by its name; of very many each has its number too."""
        return f"{row}  {name}" if len(self.rows) > DENSE_TOKENS else name


_NONE = np.zeros(0, bool)


def is_of_keys(inputs: Inputs, which: str) -> bool:
    """Say whether the rows of ``q``, ``k`` or ``v`` belong to key tokens, which are not the query tokens."""
    return inputs.is_cross and which != "q"


def row_of(inputs: Inputs, which: str, selection: Selection) -> int:
    """Give the selected row of ``q``, ``k`` or ``v``: the query's, or the key's where keys have their own."""
    return selection.key if is_of_keys(inputs, which) else selection.query


def vector_sheet(inputs: Inputs, which: str, selection: Selection, column: int = -1) -> Sheet:
    """Show ``q``, ``k`` or ``v`` of the active head."""
    shown: Head = inputs.heads[selection.head]
    array, of_keys = getattr(shown, which), is_of_keys(inputs, which)
    rows, marks = (inputs.key_labels, shown.key_marks) if of_keys else (inputs.tokens, shown.is_default)
    row = row_of(inputs, which, selection)
    return Sheet(which, array, rows, names_of(shown, which), marks, row, column)


def x_sheet(inputs: Inputs, which: str, selection: Selection) -> Sheet:
    """Show what ``q``, ``k`` or ``v`` is derived from, which the document must have."""
    x = inputs.x_of(which)
    assert x is not None
    of_keys = is_of_keys(inputs, which)
    rows = inputs.key_labels if of_keys else inputs.tokens
    symbol = "x_K" if inputs.x_keys is not None and of_keys else "x"
    return Sheet(symbol, x, rows, x_names_of(inputs, which), _NONE, row_of(inputs, which, selection))


def map_sheet(inputs: Inputs, head: int, name: str, column: int) -> Sheet:
    """Show ``w_q`` … ``b_v`` of a head derived from x; a bias is a table of one row."""
    shown = inputs.heads[head]
    array = getattr(shown.projection, name)
    symbol, columns = SYMBOLS[name], names_of(shown, name[-1])
    if array.ndim == 1:
        return Sheet(symbol, array[None], (symbol,), columns, _NONE, column=column)
    return Sheet(symbol, array, x_names_of(inputs, name[-1]), columns, _NONE, column=column)


def names_of(head: Head, which: str) -> tuple[str, ...]:
    """Give the names of the dimensions of ``q``, ``k`` or ``v``, the same tuple for the same numbers."""
    names, count = (head.v_names, head.d_v) if which == "v" else (head.qk_names, head.d_k)
    return names or numbered(count)


def x_names_of(inputs: Inputs, which: str) -> tuple[str, ...]:
    """Give the names of the dimensions of what ``q``, ``k`` or ``v`` is derived from."""
    x = inputs.x_of(which)
    assert x is not None
    return (inputs.x_names if has_names(inputs, which) else ()) or numbered(x.shape[1])


def has_names(inputs: Inputs, which: str) -> bool:
    """Say whether it is x itself, whose dimensions can have names, and not an x of the keys."""
    return which == "q" or inputs.x_keys is None


@functools.lru_cache(maxsize=64)
def numbered(count: int) -> tuple[str, ...]:
    """Give the numbers from 0 as names."""
    return tuple(str(number) for number in range(count))
