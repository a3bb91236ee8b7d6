"""``attnviz render``: what picture to draw. Drawing needs Qt and is the window's business."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from attnviz.cli.arguments import (
    Parser,
    UsageError,
    engine_wish,
    one_of,
    system_language,
    whole_number,
)
from attnviz.cli.document import document
from attnviz.core.errors import InputError
from attnviz.core.inputs import Inputs
from attnviz.core.numbers import parse_number, shorten
from attnviz.core.request import check_index
from attnviz.core.selection import Selection
from attnviz.io.atomic import check_writable
from attnviz.io.picture_wish import MAX_SCALE, MAX_SIDE, MIN_SCALE, PANELS, usual_size

LANGUAGES = ("ja", "en")
THEMES = ("light", "dark")

_SIZE = re.compile(r"(\d{1,9})[xX×](\d{1,9})", re.ASCII)


@dataclass(frozen=True)
class RenderOptions:
    """What to draw.

    Attributes
    ----------
    inputs, selection
        The document; head and query of the selection are those of --head and --query.
    panel
        One of ``PANELS``.
    size
        Width and height of the file in pixels.
    scale
        1 to 4: lines and text as on a screen of that scale.
    language
        ``ja`` or ``en``.
    theme
        ``light`` or ``dark``.
    output
        The PNG file to write.
    engine
        ``auto``, ``cuda`` or ``cpu``.
    carries_document
        Whether the file holds the document too, so that it opens as one.
    """

    inputs: Inputs
    selection: Selection
    panel: str
    size: tuple[int, int]
    scale: float
    language: str
    theme: str
    output: Path
    engine: str = "cpu"
    carries_document: bool = True


def parse(argv: Sequence[str]) -> RenderOptions:
    """Give the options that arguments ask for.

    Raises
    ------
    AttnvizError
        When they make no sense; nothing was drawn or written.
    """
    parser = Parser("attnviz render", "Draw the stages, one panel or the window to a PNG file.")
    parser.add_document()
    parser.add_argument(
        "--panel", metavar="PANEL", default="stages", help=f"{', '.join(PANELS)} (default: stages)"
    )
    parser.add_argument("--head", metavar="N", help="index of the head to show, from 0")
    parser.add_argument("--query", metavar="N", help="index of the selected query, from 0")
    parser.add_argument("--size", metavar="WxH", help="size of the file in pixels, 1 to 16384 a side")
    parser.add_argument(
        "--scale", metavar="F", default="1", help="text and lines as on a screen of that scale, 1 to 4"
    )
    parser.add_argument("--lang", metavar="LANG", help="ja or en (default: the system's)")
    parser.add_argument("--theme", metavar="THEME", default="light", help="light or dark (default: light)")
    parser.add_argument(
        "--no-document",
        action="store_true",
        help="leave the document out of the PNG, which otherwise opens in attnviz again",
    )
    parser.add_engine("cpu, whose picture is the same on every machine")
    parser.add_argument("-o", dest="output", metavar="OUT.png", help="file to write")
    given = parser.parse_args(argv)
    if given.output is None:
        raise UsageError("Say where to write: -o OUT.png.")
    output = Path(given.output)
    if not output.name.lower().endswith(".png"):
        raise UsageError("“{got}” does not end in .png; a picture is written as PNG.", got=given.output)
    panel = one_of("--panel", given.panel, PANELS)
    theme = one_of("--theme", given.theme, THEMES)
    language = system_language(os.environ) if given.lang is None else one_of("--lang", given.lang, LANGUAGES)
    engine = engine_wish(given.engine, os.environ) or "cpu"
    scale = _scale(given.scale)
    size = usual_size(panel, scale) if given.size is None else _size(given.size)
    chosen = {
        what: whole_number(f"--{what}", text)
        for what, text in (("head", given.head), ("query", given.query))
        if text is not None
    }
    inputs, selection = document(given.file, given.preset, language)
    for what, count in (("head", inputs.n_heads), ("query", inputs.n_tokens)):
        check_index(what, chosen.get(what, 0), count)
    check_writable(output)
    shown = replace(selection, **chosen)
    return RenderOptions(
        inputs, shown, panel, size, scale, language, theme, output, engine, not given.no_document
    )


def _scale(text: str) -> float:
    try:
        return parse_number(text, minimum=MIN_SCALE, maximum=MAX_SCALE)
    except InputError as reason:
        raise UsageError("--scale makes no sense: {reason}", reason=reason) from reason


def _size(text: str) -> tuple[int, int]:
    found = _SIZE.fullmatch(text)
    size = (int(found[1]), int(found[2])) if found else (0, 0)
    if not all(1 <= side <= MAX_SIDE for side in size):
        raise UsageError(
            "--size “{got}” makes no sense; 1 to {most} pixels a side are wanted, as in 1200x1000.",
            got=shorten(text),
            most=MAX_SIDE,
        )
    return size
