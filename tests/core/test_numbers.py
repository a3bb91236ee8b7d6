"""Numbers as people read and write them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core.errors import InputError
from attnviz.core.numbers import (
    format_fixed,
    format_percent,
    format_shortest,
    parse_number,
    round_half_away,
    shorten,
)


@pytest.mark.parametrize(
    ("value", "decimals", "shown"),
    [
        (-0.125, 2, "−0.13"),
        (0.125, 2, "0.13"),
        (0.375, 2, "0.38"),
        (2.5, 0, "3"),
        (-0.12499999, 2, "−0.13"),  # the float32 sum 0.3 + 0.45 − 1, halved, in one order of adding
        (0.12499, 2, "0.12"),
        (-0.001, 2, "0.00"),
        (0.0, 2, "0.00"),
        (1e6, 2, "1000000.00"),
        (10000.00293, 2, "10000.00"),
        (1e12, 2, "1.00e12"),
        (-3e-9, 3, "0.000"),
        (math.inf, 2, "∞"),
        (-math.inf, 2, "−∞"),
        (math.nan, 2, "NaN"),
    ],
)
def test_fixed_numbers_round_half_away_from_zero(value: float, decimals: int, shown: str) -> None:
    assert format_fixed(value, decimals) == shown


def test_a_weight_reads_as_a_percentage_with_one_decimal() -> None:
    assert [format_percent(weight) for weight in (0.65686, 1.0, 0.0, 0.00049)] == [
        "65.7%",
        "100.0%",
        "0.0%",
        "0.0%",
    ]


@given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_rounding_moves_a_number_by_at_most_half_a_unit(value: float, decimals: int) -> None:
    unit = 10.0**-decimals
    assert abs(round_half_away(value, decimals) - value) <= unit * 0.511
    assert round_half_away(-value, decimals) == -round_half_away(value, decimals)


@given(st.floats(width=32))
def test_the_shortest_digits_read_back_as_the_same_float32(value: float) -> None:
    again = np.float32(format_shortest(value))
    assert again == np.float32(value) or (math.isnan(value) and np.isnan(again))


@pytest.mark.parametrize(
    ("value", "digits"),
    [
        (0.1, "0.1"),
        (1.0, "1"),
        (-math.inf, "-inf"),
        (1e-7, "1e-7"),
        (16777216.0, "16777216"),
        (1e20, "1e+20"),
    ],
)
def test_the_shortest_digits_are_plain(value: float, digits: str) -> None:
    assert format_shortest(value) == digits


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.75", 0.75),
        (" -2 ", -2),
        ("−2", -2),
        ("1e3", 1000),
        (".5", 0.5),
        ("5.", 5),
        ("＋１．５", 1.5),
        ("-1E6", -1e6),
    ],
)
def test_what_people_write_is_read(text: str, value: float) -> None:
    assert parse_number(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "nan",
        "inf",
        "-Infinity",
        "1e400",
        "1_000",
        "0x10",
        "1 2",
        "abc",
        "٣",
        "1e",
        "--1",
        "1e7",
        "−∞",
        "½",
    ],
)
def test_what_is_no_number_in_range_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(InputError) as refusal:
        parse_number(text)
    assert str(refusal.value).endswith(".")
    assert "\n" not in str(refusal.value)


def test_a_decimal_comma_is_refused_with_the_number_as_it_should_be() -> None:
    with pytest.raises(InputError, match=r"0\.75"):
        parse_number("0,75")


@given(st.text(), st.integers(2, 30))
def test_a_quoted_text_is_printable_and_short(text: str, length: int) -> None:
    quoted = shorten(text, length)
    assert len(quoted) <= length
    assert quoted.isprintable()
