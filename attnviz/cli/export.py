"""``attnviz export``: the numbers of a stage as CSV, NPZ or JSON."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from attnviz.cli.arguments import Parser, UsageError, engine_wish, one_of, whole_number
from attnviz.cli.document import document
from attnviz.core.inputs import Inputs
from attnviz.core.request import check_index
from attnviz.core.stages import Stages
from attnviz.core.summaries import WINDOW, checked_window
from attnviz.engine.select import sole_engine
from attnviz.io.atomic import check_writable
from attnviz.io.export import (
    STAGES,
    check_stage,
    fits_one_table,
    format_of,
    needs_all_heads,
    request_for,
    write_stages,
)
from attnviz.io.summary_tables import SUMMARIES, summary_rows
from attnviz.io.tables import csv_rows, output_rows

STANDARD_OUTPUT = "-"
_EPILOG = """\
A CSV file holds one head (head 0 without --head): a header with an empty first cell and the key
tokens (dimension names for head_output), then a row per query beginning with its token. NPZ and
JSON hold all heads, (n_heads, n_query, n_key), or with --head that one, (n_query, n_key); beside
them "tokens". Where heads differ in d_v, an NPZ file holds head_output_0, head_output_1, ... in
place of head_output. Hidden cells before softmax are -inf (in JSON the text "-inf"). "output" is
that of all heads together, concat times W_O, (n_query, d_model). "mask" is true (in CSV 1) where
a query may attend to a key. "summaries" is a row per head and query: entropy in bits, effective
keys, and how much weight lies on the first key, on the query itself, on the one before it and
within --window tokens; NPZ and JSON hold each as (n_heads, n_query). "all" of all heads holds
what the layer is made of too: the heads' "names", q, k, v, x and the "x_names" of its dimensions, w_q,
w_k, w_v, b_q, b_k, b_v, concat, w_o, b_o, output, residual, those there are."""


@dataclass(frozen=True)
class ExportOptions:
    """What to export; ``output`` None is standard output, ``head`` None all heads (in CSV head 0).

    ``engine`` is ``auto``, ``cuda`` or ``cpu``; ``window`` the width of the window of the summaries.
    """

    inputs: Inputs
    stage: str
    head: int | None
    output: Path | None
    engine: str = "cpu"
    window: int = WINDOW


def parse(argv: Sequence[str]) -> ExportOptions:
    """Give the options that arguments ask for.

    Raises
    ------
    AttnvizError
        When they make no sense; nothing was computed or written.
    """
    parser = Parser("attnviz export", "Write the numbers of a stage to a file.", _EPILOG)
    parser.add_document()
    parser.add_argument(
        "--stage", metavar="STAGE", default="weights", help=f"{', '.join(STAGES)} (default: weights)"
    )
    parser.add_argument("--head", metavar="N", help="index of a head, from 0")
    parser.add_argument(
        "--window", metavar="N", help=f"width of the window of the summaries (default: {WINDOW})"
    )
    parser.add_engine("cpu, whose numbers are the same on every machine")
    parser.add_argument(
        "-o", dest="output", metavar="OUT", help="file to write: .csv, .npz or .json; - is CSV here"
    )
    given = parser.parse_args(argv)
    if given.output is None:
        raise UsageError("Say where to write: -o OUT.csv, OUT.npz, OUT.json or -.")
    stage = one_of("--stage", given.stage, STAGES)
    engine = engine_wish(given.engine, os.environ) or "cpu"
    output = None if given.output == STANDARD_OUTPUT else Path(given.output)
    check_stage(stage, "-.csv" if output is None else given.output)
    head = None if given.head is None else whole_number("--head", given.head)
    window = WINDOW if given.window is None else checked_window(whole_number("--window", given.window))
    if given.window is not None and stage != SUMMARIES:
        raise UsageError("--window is of the summaries alone; add --stage summaries or leave it out.")
    inputs, _ = document(given.file, given.preset)
    if head is not None:
        check_index("head", head, inputs.n_heads)
        if needs_all_heads(stage):
            raise UsageError("The output is of all heads together; leave --head out.")
    if output is not None:
        check_writable(output)
    return ExportOptions(inputs, stage, head, output, engine, window)


def run(options: ExportOptions) -> Iterator[bytes]:
    """Compute, and write the file; give what goes to standard output.

    Raises
    ------
    EngineUnavailable, DeviceFull, DeviceLost
        When CUDA was asked for and cannot be used.
    FileError
        When the file cannot be written; an old one stays as it was.
    """
    is_csv = options.output is None or format_of(options.output) == ".csv"
    one_head = options.head is not None or (is_csv and not fits_one_table(options.stage))
    wanted = [options.head or 0] if one_head else range(options.inputs.n_heads)
    heads = _computed(options, wanted)
    if options.output is None:
        if options.stage == SUMMARIES:
            return summary_rows(heads)
        is_whole = needs_all_heads(options.stage)
        return output_rows(heads) if is_whole else csv_rows(heads[0], options.stage)
    write_stages(options.output, heads, options.stage, one_head=one_head)
    return iter(())


def _computed(options: ExportOptions, heads: Sequence[int]) -> list[Stages]:
    engine, _ = sole_engine(options.engine)
    try:
        answers = [
            engine.compute(request_for(options.stage, options.inputs, head, window=options.window))
            for head in heads
        ]
    finally:
        engine.close()
    return [stages for stages in answers if stages is not None]  # None is for those who cancel
