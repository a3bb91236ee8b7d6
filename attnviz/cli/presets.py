"""``attnviz presets``: which presets there are."""

from __future__ import annotations

from collections.abc import Sequence

from attnviz.cli.arguments import Parser
from attnviz.io.presets import load_preset, preset_names


def run(argv: Sequence[str]) -> str:
    """Give a line per preset: its name and, in its own language, its title."""
    Parser("attnviz presets", "List the presets: name and title.").parse_args(argv)
    width = max(map(len, preset_names()))
    return "".join(f"{name:{width}}  {load_preset(name).title}\n" for name in preset_names())
