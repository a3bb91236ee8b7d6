"""Stages of one head or of all heads as NPZ or JSON, by the names that stages have."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core.inputs import Inputs
from attnviz.core.stages import Stages
from attnviz.io.atomic import replacing
from attnviz.io.digits import json_texts
from attnviz.io.errors import FileError, shown
from attnviz.io.layer_arrays import LAYER, OUTPUT, layer_arrays, output_of
from attnviz.io.summary_tables import SUMMARIES, summary_arrays
from attnviz.io.tables import HEAD_OUTPUT, MASK, mask_cells, matrix

MAX_TOKEN_BYTES = 256 << 20  # numpy gives every text the room of the longest


def write_npz(path: Path | str, heads: Sequence[Stages], names: Sequence[str], *, one_head: bool) -> None:
    """Write arrays by name, and ``tokens``, as an NPZ file, whole or not at all.

    In cross attention ``tokens`` are those of the queries, and ``key_tokens`` are written too; with ``layer``
    the heads' ``names``, and ``x_names`` where x's dimensions have any.

    Parameters
    ----------
    heads
        The stages of each head in order, of one document.
    names
        Some of ``tables.MATRICES``; ``mask``, which is bool (n_query, n_key) for one head and for all;
        ``output``; ``layer``, which stands for all of ``layer_arrays``; these two want all heads;
        ``summaries``, which stands for all of ``summary_arrays``.
    one_head
        Write the first of ``heads`` alone, (n_query, n_key), and not (n_heads, n_query, n_key).

    Raises
    ------
    FileError
        When it cannot be written; an old file stays as it was.

    Notes
    -----
    Where heads differ in d_v there is no (n_heads, n_query, d_v): their outputs are ``head_output_0``,
    ``head_output_1``, … instead, (n_query, d_v) each.
    """
    arrays: dict[str, NDArray[Any]] = {}
    for name, tokens in _texts(heads[0].request.inputs, names).items():
        if max(map(len, tokens)) * len(tokens) * 4 > MAX_TOKEN_BYTES:
            raise FileError(
                "“{path}” cannot be written: a token of {got} characters is too long for NPZ; "
                "JSON can hold it.",
                path=shown(path),
                got=max(map(len, tokens)),
            )
        arrays[name] = np.array(tokens, np.str_)
    for name in names:
        if name == MASK:
            arrays[name] = mask_cells(heads[0])
            continue
        if name in (OUTPUT, LAYER):
            arrays |= {OUTPUT: output_of(heads)} if name == OUTPUT else layer_arrays(heads)
            continue
        if name == SUMMARIES:
            arrays |= summary_arrays(heads, one_head=one_head)
            continue
        matrices = [matrix(stages, name) for stages in heads]
        if one_head:
            arrays[name] = matrices[0]
        elif name == HEAD_OUTPUT and len({each.shape for each in matrices}) > 1:
            arrays |= {f"{name}_{head}": each for head, each in enumerate(matrices)}
        else:
            arrays[name] = np.stack(matrices)
    with replacing(path) as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]  # numpy's hints take the names for its own option


def write_json(path: Path | str, heads: Sequence[Stages], names: Sequence[str], *, one_head: bool) -> None:
    """Write nested lists by name, and ``tokens``, as JSON, whole or not at all; −∞ is the text ``"-inf"``.

    Parameters and errors are those of ``write_npz``; heads that differ in d_v are no difficulty here.
    """
    with replacing(path) as file:
        file.writelines(part.encode("utf-8") for part in _json_parts(heads, names, one_head))


def _texts(inputs: Inputs, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Give the tokens, the key tokens where they are others, and with the layer names of heads and of x."""
    texts = {"tokens": inputs.tokens}
    if inputs.key_tokens is not None:
        texts["key_tokens"] = inputs.key_tokens
    if LAYER in names:
        texts["names"] = tuple(head.name for head in inputs.heads)
        if inputs.x_names:
            texts["x_names"] = inputs.x_names
    return texts


def _json_parts(heads: Sequence[Stages], names: Sequence[str], one_head: bool) -> Iterator[str]:
    # Part by part: one text of all heads of a long document would need gigabytes.
    for name, tokens in _texts(heads[0].request.inputs, names).items():
        said = json.dumps(tokens, ensure_ascii=False)
        yield ("{" if name == "tokens" else ",") + f'\n"{name}": '
        yield "".join(f"\\u{ord(c):04x}" if 0xD800 <= ord(c) < 0xE000 else c for c in said)
    for name in names:
        if name in (OUTPUT, LAYER, SUMMARIES):
            if name == SUMMARIES:
                arrays = summary_arrays(heads, one_head=one_head)
            else:
                arrays = {OUTPUT: output_of(heads)} if name == OUTPUT else layer_arrays(heads)
            for own_name, array in arrays.items():
                yield f',\n"{own_name}": '
                yield from _array_parts(array)
            continue
        yield f',\n"{name}": '
        if name == MASK:
            yield from _row_parts(json.dumps(row.tolist())[1:-1] for row in mask_cells(heads[0]))
            continue
        if one_head:
            yield from _matrix_parts(matrix(heads[0], name))
            continue
        for head, stages in enumerate(heads):
            yield ",\n" if head else "[\n"
            yield from _matrix_parts(matrix(stages, name))
        yield "\n]"
    yield "\n}\n"


def _array_parts(array: NDArray[Any]) -> Iterator[str]:
    """Give an array of up to three axes; one of none is a whole number."""
    if array.ndim == 0:
        yield str(int(array))
    elif array.ndim == 1:
        yield f"[{', '.join(json_texts(array))}]"
    elif array.ndim == 2:
        yield from _matrix_parts(array)
    else:
        for index, part in enumerate(array):
            yield ",\n" if index else "[\n"
            yield from _matrix_parts(part)
        yield "\n]"


def _matrix_parts(array: NDArray[np.float32]) -> Iterator[str]:
    yield from _row_parts(", ".join(json_texts(row)) for row in array)


def _row_parts(rows: Iterable[str]) -> Iterator[str]:
    for index, row in enumerate(rows):
        yield (",\n [" if index else "[\n [") + row + "]"
    yield "\n]"
