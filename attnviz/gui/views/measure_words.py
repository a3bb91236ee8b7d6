"""What the measures of a row are called, and how their numbers are written."""

from __future__ import annotations

import math

from PySide6.QtCore import QCoreApplication

from attnviz.core.numbers import format_fixed, format_percent
from attnviz.core.summaries import EFFECTIVE_KEYS, ENTROPY, MEASURES

NONE = "none"
"""The choice of no measure beside the map."""


def measure_name(measure: str, *, is_cross: bool = False) -> str:
    """Give a measure's name, one or two words; in cross attention no key is the query itself."""
    if is_cross and measure == "on_itself":
        return QCoreApplication.translate("Summaries", "same place")
    if is_cross and measure == "on_previous":
        return QCoreApplication.translate("Summaries", "place before")
    return {
        ENTROPY: QCoreApplication.translate("Summaries", "entropy"),
        EFFECTIVE_KEYS: QCoreApplication.translate("Summaries", "effective keys"),
        "on_first": QCoreApplication.translate("Summaries", "on first"),
        "on_itself": QCoreApplication.translate("Summaries", "on itself"),
        "on_previous": QCoreApplication.translate("Summaries", "on previous"),
        "on_window": QCoreApplication.translate("Summaries", "window"),
    }[measure]


def measure_sentence(measure: str, window: int, *, is_cross: bool = False) -> str:
    """Say what a measure is of a row."""
    if measure == ENTROPY:
        return QCoreApplication.translate(
            "Summaries", "−Σ w · log₂ w of a row, in bits: 0 where all weight is on one key"
        )
    if measure == EFFECTIVE_KEYS:
        return QCoreApplication.translate(
            "Summaries", "2 to the power of the entropy: so many keys of equal weight would be as spread"
        )
    if measure == "on_first":
        return QCoreApplication.translate("Summaries", "The weight on the first key, where a sink is")
    if measure == "on_window":
        return QCoreApplication.translate(
            "Summaries", "The weight on the keys nearer than {width} tokens to the query, itself included"
        ).format(width=window)
    if is_cross:
        if measure == "on_itself":
            return QCoreApplication.translate(
                "Summaries", "The weight on the key at the query's own place, as the mask aligns them"
            )
        return QCoreApplication.translate(
            "Summaries", "The weight on the key before the query's own place, as the mask aligns them"
        )
    if measure == "on_itself":
        return QCoreApplication.translate("Summaries", "The weight of a token on itself")
    return QCoreApplication.translate("Summaries", "The weight of a token on the one before it")


def value_text(measure: str, value: float) -> str:
    """Give a measure's number as it is written beside a row: bits, keys, or percent."""
    if measure == ENTROPY:
        return format_fixed(value, 2)
    if measure == EFFECTIVE_KEYS:
        return format_fixed(value, 1) if value < 1000 else f"{value:,.0f}"
    return format_percent(value)


def told_value(measure: str, value: float) -> str:
    """Give a measure's number with its unit, for reading out."""
    text = value_text(measure, value)
    if measure == ENTROPY:
        return QCoreApplication.translate("Summaries", "{number} bits").format(number=text)
    if measure == EFFECTIVE_KEYS:
        return QCoreApplication.translate("Summaries", "{number} keys").format(number=text)
    return text


def ends(measure: str, n_key: int) -> tuple[str, str]:
    """Give what stands at both ends of the scale of a measure; they depend on no value."""
    if measure == ENTROPY:
        return "0", format_fixed(math.log2(max(n_key, 2)), 1)
    if measure == EFFECTIVE_KEYS:
        return "1", f"{max(n_key, 2):,}"
    return "0", "100%"


def choices(none: str | None = None, *, is_cross: bool = False) -> list[tuple[str, str]]:
    """Give (measure, name) of all measures, after ``none`` where there is a name for no measure."""
    named = [(measure, measure_name(measure, is_cross=is_cross)) for measure in MEASURES]
    return named if none is None else [(NONE, none), *named]
