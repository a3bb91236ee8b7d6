"""One head of arrays from elsewhere: of vectors, or of maps from x, new or in place of an old one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attnviz.core.arrays import FloatArray
from attnviz.core.edits import plain
from attnviz.core.errors import InputError
from attnviz.core.head import Head
from attnviz.core.import_parts import VECTORS, Piece, misfit
from attnviz.core.projection_edits import derived_head
from attnviz.core.projections import BIASES, WEIGHTS, Projection, agreed


def made_head(
    pieces: dict[str, Piece], base: Head | str, place: int, x: FloatArray | None, x_keys: FloatArray | None
) -> Head:
    """Give one head of arrays, each of its role.

    Parameters
    ----------
    pieces
        What is given, by role.
    base
        The head that is changed, or the name of a new one.
    place
        The head's index, for sentences.
    x, x_keys
        What maps are applied to; ``x_keys`` None: x.

    Raises
    ------
    InputError
        When something is missing or does not fit; the sentence names the array, the axis and both sizes.
    """
    old = base if isinstance(base, Head) else None
    if any(name in pieces for name in (*WEIGHTS, *BIASES)):
        return _with_maps(pieces, base, place, x, x_keys)
    if not pieces and old is not None:
        if old.projection is not None and x is not None:
            return derived_head(old, x, old.projection, x_keys)
        return old
    arrays = {which: pieces[which].array for which in VECTORS if which in pieces}
    if old is None:
        for which in "qk":
            if which not in arrays:
                raise InputError(
                    "{which} of head {head} is missing; a new head needs q and k, or W_Q, W_K and W_V.",
                    which=which,
                    head=place,
                )
    q = arrays["q"] if old is None else arrays.get("q", old.q)
    k = arrays["k"] if old is None else arrays.get("k", old.k)
    v_is_k = "v" not in arrays if old is None else old.v_is_k and "v" not in arrays
    v = arrays.get("v", k if v_is_k or old is None else old.v)
    _check_d_k(pieces, q, k)
    name = base if isinstance(base, str) else base.name
    if old is None:
        return Head(name, q, k, v, v_is_k)
    return replace(
        plain(old),
        q=q,
        k=k,
        v=v,
        v_is_k=v_is_k,
        qk_names=old.qk_names if q.shape[1] == old.d_k else (),
        v_names=old.v_names if v.shape[1] == old.d_v else (),
        is_default=np.zeros(0, bool),
        is_default_key=np.zeros(0, bool),
    )


def _check_d_k(pieces: dict[str, Piece], q: FloatArray, k: FloatArray) -> None:
    for which, other, wanted in (("k", "q", q.shape[1]), ("q", "k", k.shape[1])):
        if which in pieces and (wrong := misfit(pieces[which], 1, wanted)):
            raise InputError(
                "“{name}” has {got} columns (axis {axis}), but {other} has {wanted} dimensions; q and k "
                "need the same d_k.",
                other=other,
                **wrong,
            )


def _with_maps(
    pieces: dict[str, Piece], base: Head | str, place: int, x: FloatArray | None, x_keys: FloatArray | None
) -> Head:
    old = base.projection if isinstance(base, Head) else None
    if x is None:
        raise InputError("W_Q, W_K and W_V make q, k and v of x, but there is no x; import one with them.")
    depths = {"w_q": x.shape[1], **dict.fromkeys(("w_k", "w_v"), (x if x_keys is None else x_keys).shape[1])}
    tables: list[FloatArray] = []
    for name in WEIGHTS:
        if name not in pieces and old is None:
            raise InputError(
                "{which} of head {head} is missing; W_Q, W_K and W_V are needed together.",
                which=f"W_{name[-1].upper()}",
                head=place,
            )
        if name in pieces and (wrong := misfit(pieces[name], 0, depths[name])):
            raise InputError(
                "“{name}” has {got} rows (axis {axis}), but x has {wanted} columns; both need the same "
                "d_model.",
                **wrong,
            )
        tables.append(pieces[name].array if name in pieces else getattr(old, name))
    biases: list[FloatArray | None] = []
    for name, table in zip(BIASES, tables, strict=True):
        bias = pieces[name].array if name in pieces else getattr(old, name, None)
        if name in pieces:
            if wrong := misfit(pieces[name], 1, table.shape[1]):
                raise InputError(
                    "“{name}” has {got} numbers (axis {axis}), but its matrix has {wanted} columns; "
                    "one per column is wanted.",
                    **wrong,
                )
        elif bias is not None and len(bias) != table.shape[1]:
            bias = None
        biases.append(bias)
    maps = Projection(*tables, *biases)
    if isinstance(base, str):
        q = maps.derived("q", x)
        k, v = (maps.derived(which, x if x_keys is None else x_keys) for which in "kv")
        head = Head(base, q, k, v, source="projection", projection=maps)
    else:
        head = derived_head(base, x, maps, x_keys)
    return _with_given_vectors(head, pieces, place)


def _with_given_vectors(head: Head, pieces: dict[str, Piece], place: int) -> Head:
    """Give a derived head with the very q, k and v that came with its maps, which rounding tells apart."""
    vectors = {which: getattr(head, which) for which in VECTORS}
    for which, derived in vectors.items():
        if which not in pieces:
            continue
        if wrong := misfit(pieces[which], 1, derived.shape[1]):
            raise InputError(
                "“{name}” has {got} columns (axis {axis}), but x · W gives {wanted}; leave it out, or the "
                "matrices.",
                **wrong,
            )
        found = agreed(pieces[which].array, derived)
        if found is None:
            raise InputError(
                "“{name}” is not x · W of head {head}; leave it out, or the matrices.",
                name=pieces[which].part.name,
                head=place,
            )
        vectors[which] = found
    return replace(head, q=vectors["q"], k=vectors["k"], v=vectors["v"])
