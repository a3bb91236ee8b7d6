"""``attnviz presets``: which presets there are."""

from __future__ import annotations

import os
from collections.abc import Sequence

from attnviz.cli.arguments import Parser, system_language
from attnviz.io.presets import preset_names, preset_title


def run(argv: Sequence[str]) -> str:
    """Give a line per preset: its name and, in the system's language, its title."""
    Parser("attnviz presets", "List the presets: name and title.").parse_args(argv)
    width, language = max(map(len, preset_names())), system_language(os.environ)
    return "".join(f"{name:{width}}  {preset_title(name, language)}\n" for name in preset_names())
