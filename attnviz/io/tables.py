"""One stage of one head as CSV: UTF-8, RFC 4180, rows are queries, columns keys or dimensions."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from attnviz.core.stages import STAGE_NAMES, Stages
from attnviz.io.atomic import replacing
from attnviz.io.digits import shortest_texts
from attnviz.io.errors import FileError
from attnviz.io.layer_arrays import output_of

HEAD_OUTPUT = "head_output"
MATRICES = (*STAGE_NAMES, HEAD_OUTPUT)
"""What can be exported by itself, by the names of the stages."""
MASK = "mask"
"""Which cells may be attended: one bool array for all heads, whatever their kind of mask."""


def matrix(stages: Stages, stage: str) -> NDArray[np.float32]:
    """Give one of ``MATRICES`` of the head that ``stages`` answers for, whole, read-only float32.

    Raises
    ------
    ValueError
        When the stages are of a part of the document, or pooled for the screen.
    """
    inputs, head = stages.request.inputs, stages.request.region.head
    if stage == HEAD_OUTPUT:
        array, columns = stages.head_outputs[head], inputs.heads[head].d_v
    else:
        array, columns = stages.picture(stage).array(), inputs.n_key
    if array.shape != (inputs.n_query, columns):
        raise ValueError(
            f"{stage} has shape {array.shape}; {(inputs.n_query, columns)} is wanted: the whole head"
        )
    return array


def mask_cells(stages: Stages) -> NDArray[np.bool_]:
    """Give which cells may be attended, bool (n_query, n_key), True = may attend."""
    return stages.request.inputs.allowed()


def csv_rows(stages: Stages, stage: str) -> Iterator[bytes]:
    """Give the lines of a CSV file: a header of an empty cell and the key tokens, then a line per query.

    For ``head_output`` the header names the dimensions. A line begins with its query's token. Cells of
    ``mask`` are 1 where the query may attend to the key and 0 where not. Other numbers are the shortest
    digits that give the float32 back, ``-inf`` for −∞. Tokens are written as they are, in quotes where
    RFC 4180 asks.

    Raises
    ------
    FileError
        When a token cannot be written as UTF-8.
    """
    inputs = stages.request.inputs
    head = inputs.heads[stages.request.region.head]
    columns: Sequence[str] = head.names_of("v") if stage == HEAD_OUTPUT else inputs.key_labels
    yield csv_line(["", *columns])
    if stage == MASK:
        for token, cells in zip(inputs.tokens, mask_cells(stages), strict=True):
            yield csv_line([token, *("1" if cell else "0" for cell in cells.tolist())])
        return
    for token, row in zip(inputs.tokens, matrix(stages, stage), strict=True):
        yield csv_line([token, *shortest_texts(row)])


def output_rows(heads: Sequence[Stages]) -> Iterator[bytes]:
    """Give the lines of the layer's output as CSV: a header of dimensions, then a line per query.

    Parameters
    ----------
    heads
        The stages of all heads in order.

    Raises
    ------
    FileError
        When a token cannot be written as UTF-8.
    """
    output = output_of(heads)
    yield csv_line(["", *(str(dim) for dim in range(output.shape[1]))])
    for token, row in zip(heads[0].request.inputs.tokens, output, strict=True):
        yield csv_line([token, *shortest_texts(row)])


def write_output_csv(path: Path | str, heads: Sequence[Stages]) -> None:
    """Write the layer's output as CSV, whole or not at all; errors are those of write_csv."""
    with replacing(path) as file:
        file.writelines(output_rows(heads))


def write_csv(path: Path | str, stages: Stages, stage: str) -> None:
    """Write one stage of one head as CSV, whole or not at all.

    Raises
    ------
    FileError
        When it cannot be written; an old file stays as it was.
    """
    with replacing(path) as file:
        file.writelines(csv_rows(stages, stage))


def csv_line(cells: list[str]) -> bytes:
    """Give one line of a CSV file as RFC 4180 has it.

    Raises
    ------
    FileError
        When a cell cannot be written as UTF-8.
    """
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerow(cells)
    try:
        return text.getvalue().encode("utf-8")
    except UnicodeEncodeError as error:  # half a surrogate pair: no text, so that UTF-8 has no bytes for it
        raise FileError(
            "A token or a name holds half a character (U+{code}), which a CSV file cannot hold.",
            code=f"{ord(error.object[error.start]):04X}",
        ) from error
