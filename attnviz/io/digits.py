"""Numbers of a whole row as the shortest digits that give each float32 back."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

from attnviz.core.numbers import format_shortest

AT_ONCE = 40_000
"""Numbers that are written within some hundredths of a second."""


def shortest_texts(row: NDArray[np.float32]) -> list[str]:
    """Give what ``format_shortest`` gives for each number of a row, several times as fast."""
    # What a mask hides is one number over and over; formatting is slow, sorting is not. By bits: −0 is not 0.
    bits, places = np.unique(np.ascontiguousarray(row, np.float32).view(np.uint32), return_inverse=True)
    values = bits.view(np.float32)
    texts = [_plain(text, value) for text, value in zip(map(str, values), values, strict=True)]
    return [texts[place] for place in places.tolist()]


def json_texts(row: NDArray[np.float32]) -> list[str]:
    """Give the numbers of a row as JSON values: ``"-inf"`` in quotes, and −0.0, which keeps its sign."""
    return [_JSON.get(text, text) for text in shortest_texts(row)]


def shortest_float(value: np.float32) -> float:
    """Give the float64 that Python prints with the shortest digits of a finite float32."""
    short = float(format_shortest(float(value)))
    # Reading decimal digits by way of float64 rounds twice; should that ever miss, all digits are kept.
    return short if np.float32(short) == value else float(value)


_JSON = {text: json.dumps(text) for text in ("-inf", "inf", "nan")} | {"-0": "-0.0"}


def _plain(text: str, value: np.float32) -> str:
    # numpy turns to scientific notation early (1e+07) and keeps a final .0; neither is shortest.
    if "e" in text:
        return format_shortest(float(value))
    return text[:-2] if text.endswith(".0") else text
