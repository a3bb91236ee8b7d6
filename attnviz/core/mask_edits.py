"""Pure edits of the mask, Inputs -> Inputs: painted cells, hidden tokens, the future, the alignment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from attnviz.core.inputs import Inputs
from attnviz.core.masks import Alignment, CustomMask, Mask, Rectangle
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.request import check_index


def paint_cells(inputs: Inputs, cells: Sequence[Rectangle], allowed: bool) -> Inputs:
    """Let the cells of some rectangles be seen or hidden; a mask of any kind becomes a custom one.

    Raises
    ------
    InputError
        When a rectangle is empty or not within the matrix.
    """
    mask = CustomMask.of(inputs.mask, inputs.n_query, inputs.n_key)
    return _with_mask(inputs, mask.painted(cells, allowed))


def make_custom(inputs: Inputs) -> Inputs:
    """Let the mask be a custom one that hides the same cells.

    Raises
    ------
    InputError
        When there are too many cells to hold.
    """
    return _with_mask(inputs, CustomMask.of(inputs.mask, inputs.n_query, inputs.n_key))


def toggle_cell(inputs: Inputs, query: int, key: int) -> Inputs:
    """Hide a cell that may be attended, or let a hidden one be seen; the mask becomes a custom one.

    Raises
    ------
    InputError
        When there is no such cell.
    """
    check_index("query", query, inputs.n_query)
    check_index("key", key, inputs.n_key)
    place = ((query, query + 1), (key, key + 1))
    return paint_cells(inputs, [place], not bool(inputs.allowed(*place)[0, 0]))


def set_padding(inputs: Inputs, token: int, hidden: bool) -> Inputs:
    """Hide a key token from every query, or let it be seen again.

    Another kind of mask becomes one of padding that hides this token alone, and the future where that was
    hidden.

    Raises
    ------
    InputError
        When there is no such token.
    """
    check_index("key", token, inputs.n_key)
    mask = inputs.mask
    if not isinstance(mask, PaddingMask):
        mask = PaddingMask(hides_future=mask.hides_future is True, alignment=mask.alignment)
    return _with_mask(inputs, mask.with_token(token, hidden))


def set_future_hidden(inputs: Inputs, hidden: bool) -> Inputs:
    """Hide every key after its query, or let it be seen; what else is hidden stays where the kind allows."""
    return _with_mask(inputs, inputs.mask.with_future(hidden))


def set_alignment(inputs: Inputs, alignment: Alignment) -> Inputs:
    """Say which query stands at which key; seen only where they differ in number and the mask asks."""
    return _with_mask(inputs, inputs.mask.with_alignment(alignment))


def _with_mask(inputs: Inputs, mask: Mask) -> Inputs:
    return inputs if mask.equals(inputs.mask) else replace(inputs, mask=mask)
