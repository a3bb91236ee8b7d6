"""Arrays that hold the same of q, k and v side by side, as models store them, and how they are taken apart.

GPT-2 holds W_Q, W_K and W_V as one matrix (d_model, 3 · d_model) and computes x · W; torch's attention holds
them as (3 · d_model, d_model), a row per output, and so do most others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from attnviz.core.errors import InputError
from attnviz.core.import_parts import JOINED, SYMBOLS, Part, table_of
from attnviz.core.projections import BIASES, WEIGHTS

PARTS = 3
"""Arrays side by side: of q, of k, of v."""


def taken_apart(parts: Sequence[Part]) -> list[Part]:
    """Give the parts with each that is joined replaced by its three.

    Raises
    ------
    InputError
        When one has another number of axes, or its columns are not three times as many as something.
    """
    return [single for part in parts for single in _singles(part)]


def is_turned(role: str, shape: Sequence[int], otherwise: bool) -> bool:
    """Say whether a joined array has its rows and columns the other way round.

    Three times as many rows as columns or columns as rows tell it; ``otherwise`` is for all other shapes.
    """
    if role not in JOINED or JOINED[role] == BIASES or len(shape) < 2:
        return otherwise
    rows, columns = shape[-2:]
    if JOINED[role] == WEIGHTS and PARTS * columns == rows:
        return True
    if JOINED[role] == WEIGHTS and PARTS * rows == columns:
        return False
    return otherwise


def _singles(part: Part) -> list[Part]:
    roles = JOINED.get(part.role)
    if roles is None:
        return [part]
    part, column_axis = table_of(part)
    got = part.array.shape[column_axis]
    if got % PARTS:
        raise InputError(
            "“{name}” has {got} columns (axis {axis}), which q, k and v cannot share evenly; three times as "
            "many as each has are wanted.",
            name=part.name,
            got=got,
            axis=column_axis,
        )
    thirds = np.split(part.array, PARTS, axis=column_axis)
    whole = part.name
    return [
        replace(part, name=f"{whole}, {SYMBOLS.get(role, role)}", role=role, array=third)
        for role, third in zip(roles, thirds, strict=True)
    ]
