"""Exporting stages to a file whose suffix says the format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attnviz.core.errors import InputError
from attnviz.core.inputs import DENSE_TOKENS, Inputs
from attnviz.core.numbers import shorten
from attnviz.core.request import HEAD_OUTPUTS, Region, Request
from attnviz.core.request import SUMMARIES as SUMMED
from attnviz.core.stages import Stages
from attnviz.core.summaries import WINDOW
from attnviz.io.arrays import write_json, write_npz
from attnviz.io.errors import FileError, shown
from attnviz.io.layer_arrays import LAYER, OUTPUT
from attnviz.io.summary_tables import SUMMARIES, write_summaries_csv
from attnviz.io.tables import HEAD_OUTPUT, MASK, MATRICES, write_csv, write_output_csv

ALL = "all"
STAGES = (*MATRICES, OUTPUT, MASK, SUMMARIES, ALL)
SUFFIXES = (".csv", ".npz", ".json")
_BYTES = {MASK: 1, ALL: 16}
"""Bytes of a cell in memory where they are not 4: true or false, and the four stages together."""


def format_of(path: Path | str) -> str:
    """Give the one of ``SUFFIXES`` that a file's name ends in or is, else nothing."""
    name = Path(path).name.lower()
    return next((suffix for suffix in SUFFIXES if name.endswith(suffix)), "")


def check_stage(stage: str, path: Path | str) -> None:
    """Say early that a stage cannot be exported to a file of that name; the disk is not looked at.

    Raises
    ------
    InputError
        When there is no such stage or format, or the format cannot hold all stages.
    """
    suffix = format_of(path)
    if stage not in STAGES:
        raise InputError(
            "There is no stage “{got}”; {wanted} are there.", got=shorten(stage), wanted=", ".join(STAGES)
        )
    if not suffix:
        raise InputError(
            "“{got}” does not end in .csv, .npz or .json, which says the format to write.", got=shown(path)
        )
    if stage == ALL and suffix == ".csv":
        raise InputError("A CSV file holds one stage; choose one, or .npz or .json for all.")


def needs_all_heads(stage: str) -> bool:
    """Say whether a stage is of all heads together, so that none can be chosen."""
    return stage == OUTPUT


def fits_one_table(stage: str) -> bool:
    """Say whether a CSV file can hold a stage of all heads."""
    return stage in (OUTPUT, SUMMARIES)


def request_for(stage: str, inputs: Inputs, head: int, query: int = 0, window: int = WINDOW) -> Request:
    """Ask for what ``write_stages`` writes of one head.

    Parameters
    ----------
    window
        The width of the window of the summaries.

    Raises
    ------
    InputError
        When the document is long, and the stage a table of all its queries and keys.
    """
    if inputs.is_long and stage not in (HEAD_OUTPUT, OUTPUT, SUMMARIES):
        values = {
            "stage": stage,
            "n_query": inputs.n_query,
            "n_key": inputs.n_key,
            "needed": f"{_BYTES.get(stage, 4) * inputs.n_query * inputs.n_key:,}",
            "most": f"{DENSE_TOKENS:,}",
        }
        if stage == MASK:
            raise InputError(
                "{stage} of {n_query} × {n_key} tokens would take {needed} bytes; up to {most} "
                "tokens have such tables. Export head_output, output or summaries.",
                **values,
            )
        raise InputError(
            "{stage} of {n_query} × {n_key} tokens would take {needed} bytes for each head; up to {most} "
            "tokens have such tables. Export head_output, output or summaries.",
            **values,
        )
    if inputs.is_long and stage != SUMMARIES:
        return Request(inputs, query, Region(head, (0, 1), (0, 1)), frozenset([HEAD_OUTPUTS]))
    if stage != SUMMARIES:
        return Request.whole(inputs, head, query)
    # The summaries are of all rows whatever the region is; no picture is wanted.
    return Request(inputs, query, Region(head, (0, 1), (0, 1)), frozenset([SUMMED]), window=window)


def write_stages(path: Path | str, heads: Sequence[Stages], stage: str, *, one_head: bool) -> None:
    """Write one stage or all of them, in the format that the suffix of ``path`` says, whole or not at all.

    Parameters
    ----------
    heads
        The stages of each head in order, each the answer to ``request_for``; at least one.
    stage
        One of ``STAGES``.
    one_head
        Write the first of ``heads`` alone, as a CSV file does unless ``fits_one_table``. Then nothing of the
        whole layer is written with ``all``.

    Raises
    ------
    InputError
        When there is no such stage or format, or the format cannot hold all stages, or one head is wanted of
        what is of all of them.
    FileError
        When the file cannot be written; an old one stays as it was.
    """
    path = Path(path)
    check_stage(stage, path)
    if needs_all_heads(stage) and one_head:
        raise InputError("The output is of all heads together; leave the head out.")
    names = (*MATRICES, MASK) if stage == ALL else (stage,)
    if stage == ALL and not one_head:
        names = (*names, LAYER)
    try:
        if stage == OUTPUT and format_of(path) == ".csv":
            write_output_csv(path, heads)
        elif stage == SUMMARIES and format_of(path) == ".csv":
            write_summaries_csv(path, heads[:1] if one_head else heads)
        elif format_of(path) == ".csv":
            write_csv(path, heads[0], stage)
        elif format_of(path) == ".npz":
            write_npz(path, heads, names, one_head=one_head)
        else:
            write_json(path, heads, names, one_head=one_head)
    except MemoryError as error:
        raise FileError(
            "“{path}” cannot be written: there is not enough memory for it.", path=shown(path)
        ) from error
