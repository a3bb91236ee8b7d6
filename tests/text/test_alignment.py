import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.text import alignment
from attnviz.text.alignment import origins

words = st.lists(st.sampled_from("abc"), max_size=9)


def common_length(old, new):
    """The textbook recurrence, for comparison."""
    if not old or not new:
        return 0
    if old[0] == new[0]:
        return 1 + common_length(old[1:], new[1:])
    return max(common_length(old[1:], new), common_length(old, new[1:]))


def in_place(found):
    """How many origins stand in rising order, at most."""
    kept = [origin for origin in found if origin is not None]
    best: list[int] = []
    for i, origin in enumerate(kept):
        best.append(1 + max((best[j] for j in range(i) if kept[j] < origin), default=0))
    return max(best, default=0)


@given(old=words, new=words)
def test_an_origin_is_the_same_word_and_is_used_once(old, new):
    found = origins(old, new)
    kept = [origin for origin in found if origin is not None]
    assert len(found) == len(new)
    assert len(set(kept)) == len(kept)
    assert all(old[origin] == new[index] for index, origin in enumerate(found) if origin is not None)


@given(old=words, new=words)
def test_a_longest_common_subsequence_stays_in_place(old, new):
    assert in_place(origins(old, new)) == common_length(old, new)


@given(old=words, new=words)
def test_a_token_is_new_only_where_no_old_one_like_it_is_left(old, new):
    found = origins(old, new)
    for word in "abc":
        kept = sum(origin is not None and old[origin] == word for origin in found)
        assert kept == min(old.count(word), new.count(word))


@given(old=words)
def test_equal_sentences_keep_every_token(old):
    assert origins(old, old) == list(range(len(old)))


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("the cat saw the dog", "the dog", [0, 4]),
        ("the cat", "the the cat", [0, None, 1]),
        ("a a a", "a a", [0, 1]),
        ("cat eats fish", "fish eats cat", [2, 1, 0]),
        ("a b c", "a x c", [0, None, 2]),
    ],
)
def test_duplicates_and_words_that_changed_places(old, new, found):
    assert origins(old.split(), new.split()) == found


def test_two_sentences_of_the_greatest_length_without_a_common_end_are_aligned():
    old = [str(index % 7) for index in range(2048)]
    new = ["x", *old[:2046], "y"]
    assert origins(old, new) == [None, *range(2046), None]


def test_texts_too_long_to_compare_every_token_with_every_other_match_in_order_of_appearance(monkeypatch):
    monkeypatch.setattr(alignment, "MOST_BYTES", 100)
    old, new = list("abcdefghiz"), list("acbxdefhgz")
    assert origins(old, new) == [0, 2, 1, None, 3, 4, 5, 7, 6, 9]
    assert origins(["a", "a", "b"] * 50, ["b", "a", "a"] * 50).count(None) == 0
