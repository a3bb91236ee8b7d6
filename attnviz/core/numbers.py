"""Numbers as people read and write them.

Rounding for the screen, shortest digits for files, parsing at the edge.
Nothing here knows a unit, a language or a widget.
"""

from __future__ import annotations

import math
import re

import numpy as np

from attnviz.core.errors import InputError, one_line

MAX_MAGNITUDE = 1e6
"""The largest magnitude a vector's number may have."""

_EPSILON = 2.0**-23
_TIE_ULPS = 8  # float32 sums of a few terms end this near to the decimal they stand for
_MAX_TIE = 0.01  # … but no digit is ever rounded up from below .49
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+", re.ASCII)


def round_half_away(value: float, decimals: int) -> float:
    """Round half away from zero, as a person does: −0.125 to two decimals is −0.13.

    Parameters
    ----------
    value
        A float32 result (or a float64 one); may be infinite or NaN, which come back unchanged.
    decimals
        Digits kept after the point, 0 to 12.

    Notes
    -----
    A float32 sum that should end in a tie can miss it by a few units in its last place (0.3 + 0.45 − 1 gives
    −0.24999997 in one order of adding and −0.25 in another). A value within 8 units of float32's precision of
    a tie counts as the tie, so that the digit shown does not depend on the order of adding.
    """
    if not math.isfinite(value):
        return value
    power = 10.0**decimals
    size = abs(value) * power
    if size >= 2.0**52:
        return value
    below = math.floor(size)
    tolerance = _TIE_ULPS * _EPSILON * size
    up = size - below >= 0.5 - min(tolerance, _MAX_TIE)
    return math.copysign((below + up) / power, value)


def format_fixed(value: float, decimals: int) -> str:
    """Give ``value`` with exactly ``decimals`` digits after the point, with a true minus sign and no −0.

    Infinite values read ``∞`` and ``−∞``. Values of 10⁷ or more read in scientific notation.
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) >= 1e7:
        return f"{value:.{decimals}e}".replace("-", "−").replace("e+", "e")
    rounded = round_half_away(value, decimals)
    text = f"{abs(rounded):.{decimals}f}"
    return f"−{text}" if rounded < 0 else text


def format_percent(weight: float) -> str:
    """Give a weight of 0 to 1 as a percentage with one decimal, such as ``65.7%``."""
    return f"{format_fixed(float(weight) * 100.0, 1)}%"


def format_shortest(value: float) -> str:
    """Give the shortest digits that read back as the same float32; ``-inf``, ``inf``, ``nan`` as such."""
    single = np.float32(value)
    if not np.isfinite(single):
        return str(float(single))
    size = abs(float(single))
    if size != 0.0 and (size >= 1e16 or size < 1e-4):
        return np.format_float_scientific(single, unique=True, trim="-", exp_digits=1)
    return np.format_float_positional(single, unique=True, trim="-")


def parse_number(text: str, *, minimum: float = -MAX_MAGNITUDE, maximum: float = MAX_MAGNITUDE) -> float:
    """Read a number a person typed or pasted.

    Parameters
    ----------
    text
        Digits with an optional sign (``-``, ``+`` or ``−``), decimal point and exponent; blanks around it are
        dropped. Full-width digits, sign and point, as Japanese input methods write them, are taken too.
    minimum, maximum
        The range the number must lie in, both included.

    Raises
    ------
    InputError
        When the text is empty, is no number (nan, inf, ``1_000``, a decimal comma), or lies outside the
        range.
    """
    shown = text.strip()
    plain = shown.translate(_FULL_WIDTH)
    if not plain:
        raise InputError("The field is empty; write a number such as 0.75.")
    if _DECIMAL_COMMA.fullmatch(plain):
        raise InputError(
            "“{text}” has a decimal comma; write it with a point: {wanted}.",
            text=shorten(shown),
            wanted=plain.replace(",", "."),
        )
    if not _NUMBER.fullmatch(plain):
        raise InputError("“{text}” is not a number; write digits such as 0.75 or -2.", text=shorten(shown))
    value = float(plain)
    if not minimum <= value <= maximum:
        raise InputError(
            "{text} is out of range; write a number from {minimum} to {maximum}.",
            text=shorten(shown),
            minimum=f"{minimum:.15g}",
            maximum=f"{maximum:.15g}",
        )
    return value


def shorten(text: str, length: int = 40) -> str:
    """Give ``text`` cut to ``length`` characters with an ellipsis, for quoting in a sentence."""
    return one_line(text, length)


_FULL_WIDTH = {0xFF10 + digit: ord("0") + digit for digit in range(10)} | {
    ord("−"): "-",
    ord("－"): "-",
    ord("＋"): "+",
    ord("．"): ".",
    ord("，"): ",",
}
