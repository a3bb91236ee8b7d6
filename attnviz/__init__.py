"""attnviz: see and change scaled dot-product attention.

Importing this loads neither Qt nor numpy; each of the functions below loads what it needs when it is called.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import ArrayLike

    from attnviz.core.inputs import Inputs
    from attnviz.core.masks import Alignment
    from attnviz.engine.arrays import Attention

__version__ = "0.1.0"

__all__ = ["Attention", "Inputs", "__version__", "compute", "view"]


def compute(
    q: ArrayLike | Path,
    k: ArrayLike | Path | None = None,
    v: ArrayLike | Path | None = None,
    *,
    key_tokens: Sequence[str] | None = None,
    mask: str | ArrayLike = "causal",
    alignment: Alignment = "first",
    scale_strength: float = 1.0,
    mask_fill: float = -math.inf,
    engine: str = "cpu",
) -> Attention:
    """Give every stage of attention for every head.

    Parameters
    ----------
    q, k, v
        Arrays of shape (n_heads, n_query, d_k), (n_heads, n_key, d_k) and (n_heads, n_key, d_v), or without
        the first axis for a single head. n_key may differ from n_query: that is cross attention. Anything
        ``numpy.asarray`` can read: lists, torch tensors on the CPU. Finite numbers of magnitude up to 1e6,
        taken as float32; at most 1,048,576 tokens. Long memory maps and arrays of zarr and dask are not
        copied but read block by block. A path is that of a Zarr array, or of a store with arrays named q, k
        and v; where q is one, k and v may be left out.
    key_tokens
        One text per key, where these are tokens of their own, as ``view`` shows them; here they are counted
        and no more.
    mask
        ``causal`` (a query sees itself and what came before), ``none``, or a bool array of shape
        (n_query, n_key), True where the query (row) may attend to the key (column).
    alignment
        Where the numbers differ, which query stands at which key for a causal mask: ``first``, query 0 at key
        0; ``last``, the last query at the last key, as in decoding with a cache of keys.
    scale_strength
        0.01 to 100; divides the scores after √d_k, like a temperature.
    mask_fill
        What hidden scores are set to: −∞, or a finite number.
    engine
        ``cpu`` (the same numbers on every machine), ``cuda``, or ``auto``: CUDA where it can be used and the
        CPU where it cannot. CUDA is made ready for each call, which takes longer than a small document does.

    Returns
    -------
    Attention
        ``scores``, ``scaled``, ``masked`` and ``weights`` of shape (n_heads, n_query, n_key), rows are
        queries and columns keys, and ``head_output`` of shape (n_heads, n_query, d_v); float32, read-only.

    Raises
    ------
    attnviz.core.errors.InputError
        A ValueError whose sentence says what does not fit.
    attnviz.core.errors.AttnvizError
        A ValueError too; when ``cuda`` was asked for and cannot be used, and why.

    Examples
    --------
    >>> import attnviz
    >>> k = [[2, 0], [0, 2], [1, 1]]
    >>> toy = attnviz.compute(q=[[2, 0], [0, 2], [0, 2]], k=k, v=k)
    >>> toy.weights[0, 2].round(3).tolist()
    [0.045, 0.768, 0.187]
    """
    from attnviz.engine.arrays import attention_of, inputs_from_arrays
    from attnviz.engine.select import sole_engine

    inputs = inputs_from_arrays(
        **_arrays(q, k, v),
        key_tokens=key_tokens,
        mask=mask,
        alignment=alignment,
        scale_strength=scale_strength,
        mask_fill=mask_fill,
    )
    chosen, _ = sole_engine(engine)
    try:
        return attention_of(inputs, chosen)
    finally:
        chosen.close()


def view(
    q: ArrayLike | Path,
    k: ArrayLike | Path | None = None,
    v: ArrayLike | Path | None = None,
    tokens: Sequence[str] | None = None,
    *,
    key_tokens: Sequence[str] | None = None,
    mask: str | ArrayLike = "causal",
    alignment: Alignment = "first",
    scale_strength: float = 1.0,
    mask_fill: float = -math.inf,
    names: Sequence[str] | None = None,
) -> None:
    """Open the window on these vectors and return when it is closed.

    Parameters
    ----------
    q, k, v, mask, alignment, scale_strength, mask_fill
        As in ``compute``.
    tokens
        One text per query; None: numbers from 0.
    key_tokens
        One text per key; None: the tokens, or numbers from 0 where there are other numbers of keys.
    names
        One name per head; None: numbers from 0.

    Raises
    ------
    attnviz.core.errors.InputError
        A ValueError whose sentence says what does not fit.
    attnviz.core.errors.AttnvizError
        A ValueError too; when there is no display to open a window on.

    Notes
    -----
    Call it from the main thread. What is changed in the window is lost when it is closed, unless it is saved
    there as a session; the arrays given are never written to.
    """
    from dataclasses import replace

    from attnviz.engine.arrays import inputs_from_arrays
    from attnviz.text.joining import join

    inputs = inputs_from_arrays(
        **_arrays(q, k, v),
        tokens=tokens,
        key_tokens=key_tokens,
        names=names,
        mask=mask,
        alignment=alignment,
        scale_strength=scale_strength,
        mask_fill=mask_fill,
    )
    from attnviz.gui.app import view_inputs

    view_inputs(replace(inputs, text=join(inputs.tokens), key_text=join(inputs.key_tokens or ())))


def _arrays(q: ArrayLike | Path, k: ArrayLike | Path | None, v: ArrayLike | Path | None) -> dict[str, Any]:
    """Give q, k and v; a path becomes the array that lies there."""
    import os

    from attnviz.core.errors import InputError

    given: dict[str, Any] = {"q": q, "k": k, "v": v}
    for which, values in tuple(given.items()):
        if values is None and isinstance(q, str | os.PathLike):
            values = q
        if values is None:
            raise InputError("{which} is missing; where q is the path of a store it may be.", which=which)
        is_path = isinstance(values, os.PathLike) or (
            isinstance(values, str) and (".zarr" in values or os.path.lexists(values))
        )
        if is_path:
            from attnviz.io.zarr_stores import array_at

            values = array_at(os.fspath(values), which)
        given[which] = values
    return given


def __getattr__(name: str) -> Any:
    """Load the public classes when they are first asked for (PEP 562)."""
    if name == "Inputs":
        from attnviz.core.inputs import Inputs

        return Inputs
    if name == "Attention":
        from attnviz.engine.arrays import Attention

        return Attention
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
