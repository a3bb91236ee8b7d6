"""``attnviz [FILE]``: what to open the window on, refused before Qt is loaded where it cannot be."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from attnviz.cli.arguments import Parser, UsageError, engine_wish
from attnviz.io.errors import shown

COMMANDS = {
    "presets": "list the presets",
    "engines": "list what can compute here",
    "render": "draw a picture (PNG)",
    "export": "write the numbers of a stage (CSV, NPZ, JSON)",
}
_EPILOG = "\n".join(
    [
        "commands (each has its own --help):",
        *(f"  attnviz {name:9}{what}" for name, what in COMMANDS.items()),
        "",
        "A file that is named like a command is opened as ./NAME.",
    ]
)


def parse(argv: Sequence[str], version: str) -> tuple[str | None, str | None]:
    """Give the path of what is to be opened, and the engine asked for; None where none is given.

    Raises
    ------
    AttnvizError
        When the file cannot be opened, there is no such engine, or no display to open a window on.
    """
    parser = Parser("attnviz", "See and change scaled dot-product attention.", _EPILOG)
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="session (.attnviz), PNG that carries one, text (.txt, .md), lesson, Zarr store, or file of "
        "arrays to import",
    )
    parser.add_argument("--version", action="version", version=f"attnviz {version}")
    parser.add_engine("what the window remembers")
    given = parser.parse_args(argv)
    file: str | None = given.file
    engine = engine_wish(given.engine, os.environ)
    if file is not None:
        if not Path(file).suffix and not os.path.lexists(file):
            raise UsageError(
                "There is no command and no file “{got}”; commands are {wanted}.",
                got=shown(file),
                wanted=", ".join(COMMANDS),
            )
        _check(file)
    check_display(os.environ, sys.platform)
    return file, engine


def _check(file: str) -> None:
    """Refuse what certainly cannot be opened; a session is read beside the window, once."""
    from attnviz.io.lessons import open_lesson  # all of these only for a file: most starts name none
    from attnviz.io.opening import check_beginning, kind_of
    from attnviz.io.zarr_stores import document_of

    {"lesson": open_lesson, "store": document_of}.get(kind_of(file), check_beginning)(file)


def check_display(environment: Mapping[str, str], platform: str) -> None:
    """Refuse to open a window where there is certainly no display, which would end the process.

    Raises
    ------
    UsageError
        On Linux without X11, Wayland or a platform of Qt's asked for by name.
    """
    named = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if platform == "linux" and not any(environment.get(name) for name in named):
        raise UsageError(
            "There is no display to open a window on; attnviz render draws a picture without one."
        )
