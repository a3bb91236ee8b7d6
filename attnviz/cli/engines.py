"""``attnviz engines``: what can compute here, and why the rest cannot."""

from __future__ import annotations

from collections.abc import Sequence

from attnviz.cli.arguments import Parser
from attnviz.engine.select import available_engines


def run(argv: Sequence[str]) -> str:
    """Give a line per engine: its name, and its device or why it cannot be used."""
    Parser("attnviz engines", "List what can compute here.").parse_args(argv)
    engines = available_engines()
    width = max(len(engine.name) for engine in engines)
    told = [engine.device if engine.is_available else f"not available: {engine.reason}" for engine in engines]
    return "".join(f"{engine.name:{width}}  {what}\n" for engine, what in zip(engines, told, strict=True))
