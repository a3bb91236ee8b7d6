"""The real window from 10 to 131,072 tokens, each length in a process of its own, and how edits grow."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.row import Row, exponent

PROGRAM = Path(__file__).with_name("one_length.py")
SIZES = ((10, 1), (128, 1), (1024, 12), (4096, 1), (16384, 1), (131072, 1))
"""(n_tokens, n_heads)."""
ROUNDS, STEPS = 40, 100


def measure(sizes: Sequence[tuple[int, int]] = SIZES, rounds: int = ROUNDS, steps: int = STEPS) -> list[Row]:
    """Give the rows of all lengths; at the longest, edits are undone before memory is looked at."""
    rows: list[Row] = []
    for n_tokens, n_heads in sizes:
        is_longest = n_tokens == max(n for n, _ in sizes)
        asked = [str(number) for number in (n_tokens, n_heads, rounds, steps if is_longest else 0)]
        told = subprocess.run(
            [sys.executable, str(PROGRAM), *asked], stdout=subprocess.PIPE, text=True, check=True
        )
        rows += [Row(*cells) for cells in json.loads(told.stdout)]
    of_edits = [row.median for row in rows if row.what.startswith("window: of that computing")]
    long = [index for index, (n_tokens, _) in enumerate(sizes) if n_tokens > 2048]
    if len(long) > 1:
        grown = exponent([sizes[index][0] for index in long], [of_edits[index] for index in long])
        rows.append(
            Row("growth of an edit's computing, long texts: exponent of n_tokens", grown, aim="≤ 1", unit="×")
        )
    return rows
