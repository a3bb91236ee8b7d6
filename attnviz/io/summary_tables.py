"""What sums up the rows of heads, as CSV lines and as arrays by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core.stages import Stages
from attnviz.core.summaries import MEASURES, RowSummaries
from attnviz.io.atomic import replacing
from attnviz.io.digits import shortest_texts
from attnviz.io.tables import csv_line

SUMMARIES = "summaries"
COLUMNS = ("head", "name", "query", "token", *MEASURES, "window")
"""The header of a CSV file."""


def summary_rows(heads: Sequence[Stages]) -> Iterator[bytes]:
    """Give the lines of a CSV file: a header, then a line per head and query, in this order.

    ``head`` and ``query`` count from 0; ``name`` and ``token`` are the head's and the query's; ``window`` is
    the width that ``on_window`` is of. Numbers are the shortest digits that give the float32 back.

    Parameters
    ----------
    heads
        Answers that hold the summaries of their region's head.

    Raises
    ------
    FileError
        When a token or a name cannot be written as UTF-8.
    """
    yield csv_line(list(COLUMNS))
    for stages in heads:
        head, told = stages.request.region.head, _own(stages)
        inputs = stages.request.inputs
        numbers = np.stack([told.of(measure) for measure in MEASURES], axis=1)
        for query, (token, row) in enumerate(zip(inputs.tokens, numbers, strict=True)):
            place = [str(head), inputs.heads[head].name, str(query), token]
            yield csv_line([*place, *shortest_texts(row), str(told.window)])


def write_summaries_csv(path: Path | str, heads: Sequence[Stages]) -> None:
    """Write ``summary_rows``, whole or not at all; an old file stays as it was where that fails."""
    with replacing(path) as file:
        file.writelines(summary_rows(heads))


def summary_arrays(heads: Sequence[Stages], *, one_head: bool) -> dict[str, NDArray[Any]]:
    """Give each measure by name, float32 (n_heads, n_query), and ``window``, its width.

    Parameters
    ----------
    one_head
        Give those of the first of ``heads`` alone, (n_query,).
    """
    told = [_own(stages) for stages in heads[: 1 if one_head else None]]
    arrays: dict[str, NDArray[Any]] = {}
    for measure in MEASURES:
        rows = [each.of(measure) for each in told]
        arrays[measure] = rows[0] if one_head else np.stack(rows)
    return arrays | {"window": np.array(told[0].window)}


def _own(stages: Stages) -> RowSummaries:
    return stages.summaries[stages.request.region.head]
