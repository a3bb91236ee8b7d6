"""What a person types leads to a place, or says why not."""

from __future__ import annotations

import numpy as np
import pytest

from attnviz.core.errors import InputError
from attnviz.core.finding import TokenIndex, next_of, numbers_in, place_named, tokens_like

TOKENS = ("The", "cat", "sat", "the", "Cathedral", "12", "猫", "cat")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("12, 7", (12, 7)),
        (" 12 7 ", (12, 7)),
        ("12,7", (12, 7)),
        ("１２、７", (12, 7)),
        ("12", (12,)),
        ("cat", ()),
        ("12, cat", ()),
        ("−3", ()),
        ("1.5", ()),
        ('"12"', ()),
        ("", ()),
        ("1234567890", ()),
    ],
)
def test_numbers_are_told_from_texts(text, numbers):
    assert numbers_in(text) == numbers


def test_one_number_leaves_the_other_axis_where_it_is():
    assert place_named((3,), "query", (1, 2), (10, 20)) == (3, 2)
    assert place_named((3,), "key", (1, 2), (10, 20)) == (1, 3)
    assert place_named((9, 19), "key", (1, 2), (10, 20)) == (9, 19)


@pytest.mark.parametrize(("numbers", "words"), [((10, 0), "no query 10"), ((0, 20), "no key 20; 0 to 19")])
def test_a_place_outside_the_matrix_is_refused_with_what_there_is(numbers, words):
    with pytest.raises(InputError, match=words):
        place_named(numbers, "query", (0, 0), (10, 20))


def test_a_text_finds_the_tokens_that_hold_it_in_order_and_quotes_the_very_token():
    assert tokens_like(TOKENS, "cat").tolist() == [1, 4, 7]
    assert tokens_like(TOKENS, "THE").tolist() == [0, 3, 4]
    assert tokens_like(TOKENS, "猫").tolist() == [6]
    assert tokens_like(TOKENS, '"cat"').tolist() == [1, 7]
    assert tokens_like(TOKENS, "「12」").tolist() == [5]


@pytest.mark.parametrize("text", ["dog", "", '"ca"'])
def test_a_text_that_no_token_holds_is_refused(text):
    with pytest.raises(InputError, match="No token holds"):
        tokens_like(TOKENS, text)


def test_the_next_is_the_nearest_behind_and_starts_again_at_the_end():
    found = np.array([1, 4, 7])
    assert [next_of(found, at) for at in (0, 1, 3, 7, 9)] == [0, 1, 1, 0, 0]
    assert [next_of(found, at, forwards=False) for at in (0, 1, 4, 7, 9)] == [2, 2, 0, 1, 2]


WIDE = ("Ｃａｔ", "ｶﾞｰﾄﾞ", "ガード", "Straße", "カ\u3099", "①", " ", "\u3000", "\ud800")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("cat", [0]),
        ("ＣＡＴ", [0]),
        ("ガ", [1, 2, 4]),
        ("ｶﾞ", [1, 2, 4]),
        ("ガード", [1, 2]),
        ("STRASSE", [3]),
        ("1", [5]),
        (" ", [6, 7]),
        ("\ud800", [8]),
        ('"ガード"', [2]),
        ("", []),
        ("dog", []),
    ],
)
def test_widths_compositions_and_large_letters_are_all_the_same(text, found):
    assert TokenIndex(WIDE).find(text).tolist() == found


def test_every_place_of_a_token_that_comes_again_is_found():
    index = TokenIndex(("a", "b", "ab", "b") * 1000)
    assert index.find("b").tolist() == [place for place in range(4000) if place % 4]
    assert index.find("B").tolist() == index.find("b").tolist()
