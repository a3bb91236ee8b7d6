"""Numbers as running text: few digits, a true minus sign, and none that reads as 0 without being it."""

from __future__ import annotations

import functools
import math

from attnviz.core.numbers import format_fixed, format_shortest


@functools.lru_cache(maxsize=8192)  # the same few numbers come again with every frame
def trimmed(value: float, decimals: int = 2) -> str:
    """Give a number with up to ``decimals`` digits after the point, without zeros that say nothing.

    A small number keeps two figures that say something, ``0.0043`` or ``1.2e−7``: it must not read as 0.
    """
    if 0 < abs(value) < 1e-4:
        return f"{value:.1e}".replace("-", "−").replace("e−0", "e−")
    if 0 < abs(value) < 0.1:
        decimals = max(decimals, 1 - math.floor(math.log10(abs(value))))
    text = format_fixed(value, decimals)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def own_digits(value: float) -> str:
    """Give a number with every digit that a float32 has and no more: ``0.013``, ``2``, ``−∞``."""
    return format_shortest(value).replace("-", "−").replace("inf", "∞")


def short_number(value: float) -> str:
    """Give a number with one or two digits after the point: ``1.0``, ``0.25``."""
    text = trimmed(value)
    return text if "." in text or "e" in text else f"{text}.0"


def factor(value: float, text: str) -> str:
    """Give one factor of a product, in parentheses where it is negative."""
    return f"({text})" if value < 0 and text.startswith("−") else text
