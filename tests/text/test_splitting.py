from concurrent.futures import ThreadPoolExecutor

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attnviz.core.errors import InputError
from attnviz.text import splitting
from attnviz.text.splitting import LONGEST_WORD, split, split_watched, split_with_lexicon, split_with_sudachi

SPLITTERS = [split_with_sudachi, split_with_lexicon]
NEKO = "猫が魚を食べた。それは新鮮だった"
NEKO_TOKENS = ("猫", "が", "魚", "を", "食べた", "。", "それ", "は", "新鮮", "だった")
CUP = "コーヒーカップ"  # two words for one splitter, one for the other

both = pytest.mark.parametrize("splitter", SPLITTERS, ids=["sudachi", "lexicon"])
everyday = st.text(
    alphabet="猫魚食人間がをはてたいーニャ ab1'’-.,!。、（🐱👩‍👩‍👧🇯🇵\u0301\u3099\n\x00", max_size=30
)
anything = st.text(alphabet=st.characters(exclude_categories=()), max_size=30)


def without_spaces(text: str) -> str:
    return regex.sub(r"[\s\u200b\ufeff]", "", text)


@both
@given(text=everyday | anything)
@example(text="\ud800")
@example(text="\x00")
@example(text="🇯🇵🇺🇸" * 3)
@settings(max_examples=150)
def test_a_split_loses_nothing_but_white_space(splitter, text):
    assert "".join(splitter(text)) == without_spaces(text)


@both
@given(text=everyday)
@settings(max_examples=150)
def test_no_token_begins_or_ends_inside_a_character_as_a_person_sees_it(splitter, text):
    text = without_spaces(text)
    ends = {match.end() for match in regex.finditer(r"\X", text)}
    at = 0
    for token in splitter(text):
        at += len(token)
        assert at in ends


@both
@given(text=anything)
@settings(max_examples=50)
def test_no_token_is_empty(splitter, text):
    assert all(splitter(text))


@both
def test_the_example_has_its_ten_tokens(splitter):
    assert splitter(NEKO) == NEKO_TOKENS


@both
@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The cat ate the fish. It was fresh.", "The cat ate the fish . It was fresh ."),
        ("don't", "don't"),
        ("I don’t know", "I don’t know"),
        ("Is 3.5 kg well-known (yes)?", "Is 3.5 kg well-known ( yes ) ?"),
        ("1,000 cats,dogs", "1,000 cats , dogs"),
        ("user@example.com", "user @ example . com"),
        ("고양이가 생선을", "고양이가 생선을"),
        ("кошка съела", "кошка съела"),
    ],
)
def test_other_scripts_end_words_at_spaces_and_punctuation(splitter, text, tokens):
    assert splitter(text) == tuple(tokens.split())


@both
@pytest.mark.parametrize(
    "tokens",
    [
        "私 は 昨日 友達 と 公園 で 遊ん で いました 。",
        "とても おいしいです ね ！",
        "人間 は ほとんど 水 で でき て いる",
        "彼女 は コーヒー を 飲まない 。",
        "お父さん は 図書館 へ 行った",
        "彼 は ずっと 猫 を 見 て いた 。",
        "お茶 を 飲み ながら 本 を 読む",
        "踊り を 見た",
    ],
)
def test_everyday_japanese_gives_its_words(splitter, tokens):
    assert splitter(tokens.replace(" ", "")) == tuple(tokens.split())


@both
def test_japanese_and_english_part_where_the_script_changes(splitter):
    assert splitter("私はPython 3が好き。OK?") == ("私", "は", "Python", "3", "が", "好き", "。", "OK", "?")


@both
def test_auxiliaries_join_verbs_and_adjectives_but_not_nouns(splitter):
    assert splitter("食べませんでした") == ("食べませんでした",)
    assert splitter("おいしかったです") == ("おいしかったです",)
    assert splitter("学生でした") == ("学生", "でした")


@both
@pytest.mark.parametrize(
    "token", ["👨‍👩‍👧", "🇯🇵", "e\u0301", "か\u3099", "ｶﾞ", "1️⃣", "👍🏽", "\ud800", "\x00", "\x1c"]
)
def test_one_character_as_a_person_sees_it_is_one_token(splitter, token):
    assert splitter(token + " " + token) == (token, token)


@both
@pytest.mark.parametrize("text", ["", " ", "\u3000\t\n\r\n", "\u200b\ufeff"])
def test_a_blank_text_has_no_token(splitter, text):
    assert splitter(text) == ()


@both
@pytest.mark.parametrize("unit", ["猫", "猫が魚を食べた", "a'", "🇯🇵", "\u3099"], ids=ascii)
def test_a_hundred_thousand_characters_without_a_space_are_split(splitter, unit):
    text = unit * (100_000 // len(unit))
    assert "".join(splitter(text)) == text


def test_four_threads_get_the_same_tokens():
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(split, [NEKO] * 200)) == {NEKO_TOKENS}


def test_sudachi_is_used_where_it_is_installed():
    assert split(CUP) == split_with_sudachi(CUP) != split_with_lexicon(CUP)


def test_the_lexicon_is_used_where_sudachi_is_not_installed(monkeypatch):
    monkeypatch.setattr(splitting, "load_sudachi", lambda: None)
    assert split(CUP) == split_with_lexicon(CUP)
    assert split(NEKO) == NEKO_TOKENS
    with pytest.raises(ImportError, match=r"attnviz\[ja\]"):
        split_with_sudachi(NEKO)


@given(text=st.text(min_size=1, max_size=60) | st.sampled_from([NEKO, CUP]))
def test_a_text_that_is_watched_has_the_same_tokens(text):
    if split(text):
        assert split_watched(text) == split(text)
    else:
        with pytest.raises(InputError, match="write at least one word"):
            split_watched(text)


def test_how_far_a_long_text_is_grows_from_0_to_1(monkeypatch):
    monkeypatch.setattr(splitting, "_TELLING", 0.0)
    told = []
    split_watched(NEKO * 100, told.append)
    assert told == sorted(told)
    assert 0 < told[0] < 0.01
    assert told[-1] == 1


def test_whoever_is_told_may_end_the_splitting(monkeypatch):
    monkeypatch.setattr(splitting, "_TELLING", 0.0)
    told = []

    def stop_at_half(fraction: float) -> None:
        told.append(fraction)
        if fraction > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        split_watched(NEKO * 100, stop_at_half)
    assert told[-1] < 0.52


@both
@given(
    pieces=st.lists(everyday, min_size=1, max_size=6), mark=st.sampled_from(["\n", " ", "\r\n", "。", "、"])
)
@settings(max_examples=60)
def test_a_text_has_the_tokens_of_its_sentences(splitter, pieces, mark):
    whole = splitter(mark.join(["", *pieces, ""]))
    parts = [
        token for piece in pieces for token in splitter(mark + piece + mark)[: None if mark.isspace() else -1]
    ]
    assert whole == tuple(parts) + splitter("" if mark.isspace() else mark)


@both
def test_a_run_without_an_end_is_cut_between_words(splitter, monkeypatch):
    text = "猫が魚を食べた" * 3000
    assert splitter(text) == NEKO_TOKENS[:5] * 3000
    monkeypatch.setattr(splitting, "_LONGEST_RUN", 10)
    assert splitter(text) == NEKO_TOKENS[:5] * 3000


def test_what_is_no_word_is_cut_and_nothing_of_it_is_lost():
    tokens = split("x" * 2500 + " " + "y" * LONGEST_WORD)
    assert [len(token) for token in tokens] == [1000, 1000, 500, 1000]
    data = "".join(chr(97 + place % 26) for place in range(5000))
    assert "".join(split(data)) == data


def test_too_many_tokens_are_refused_with_the_place_where_they_end(monkeypatch):
    monkeypatch.setattr(splitting, "MAX_TOKENS", 3)
    assert split_watched("a b c") == ("a", "b", "c")
    with pytest.raises(InputError, match="more than 3 tokens: so many end at character 7 of 9"):
        split_watched("a b c d e")


def test_too_many_characters_are_refused_before_any_is_looked_at(monkeypatch):
    monkeypatch.setattr(splitting, "MAX_CHARACTERS", 1000)
    with pytest.raises(InputError, match="has 1,001 characters; at most 1,000"):
        split_watched("a" * 1001, pytest.fail)


def test_equal_tokens_of_a_long_text_are_one_object():
    tokens = split_watched("cat and dog and cow")
    assert tokens[1] is tokens[3]
