import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.text import joining
from attnviz.text.joining import join
from attnviz.text.splitting import split, split_with_lexicon, split_with_sudachi

SENTENCES = [
    "猫が魚を食べた。それは新鮮だった",
    "The cat ate the fish. It was fresh.",
    "I don't know; it's 3.5 kg!",
    'He said "yes" (twice), then left: why?',
    "私はPythonが好き。「OK」と言った",
    "猫、犬、鳥！",
    "I love 🐱🐶.",
    "It's [my] 'food'.",
]

simple = st.text(alphabet="ab1 .,!?:;()[]\"'-–/%$#@“”‘’…🐱👩‍👩‍👧🇯🇵한é\u0301", max_size=20)


@given(text=simple)
def test_splitting_a_joined_sentence_gives_the_tokens_again(text):
    tokens = split(text)
    assert split(join(tokens)) == tokens


@given(tokens=st.lists(st.text(alphabet=st.characters(exclude_categories=()), max_size=5), max_size=6))
def test_any_tokens_can_be_joined_and_nothing_is_lost(tokens):
    assert join(tokens).replace(" ", "") == "".join(tokens).replace(" ", "")


@pytest.mark.parametrize("splitter", [split_with_sudachi, split_with_lexicon])
@pytest.mark.parametrize("sentence", SENTENCES)
def test_an_ordinary_sentence_comes_back_as_it_was(splitter, sentence):
    assert join(splitter(sentence)) == sentence


@pytest.mark.parametrize(
    ("tokens", "sentence"),
    [
        ([], ""),
        (["", "a", "", "b"], "a b"),
        (["a", "-", "b"], "a - b"),
        (["猫", "cat", "犬"], "猫cat犬"),
        (["fish", "🐱"], "fish 🐱"),
        (["🐱", "🐶"], "🐱🐶"),
        (["🇯", "🇵"], "🇯 🇵"),
        (["e", "\u0301"], "e \u0301"),
        (["한국", "어"], "한국 어"),
    ],
)
def test_neighbours_are_written_together_where_a_writer_would(tokens, sentence):
    assert join(tokens) == sentence


def test_two_thousand_tokens_of_great_length_are_joined_without_a_look_at_every_character():
    assert len(join(["x" * 1000] * 2048)) == 2048 * 1001 - 1


several = st.lists(
    st.sampled_from(["a", "7", "猫", "ー", ",", "(", '"', "'", "é", "🇯", "", "b.", "ｱ"]), max_size=9
)


@given(tokens=several, edits=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 9), several), max_size=4))
def test_a_text_that_is_joined_after_another_is_that_of_its_tokens(tokens, edits):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joining, "_PART", 3)
        now = tokens * 4
        for start, gone, come in [(0, 0, []), *edits]:
            now = [*now[:start], *come, *now[start + gone :]]
            patch.setattr(joining, "_MANY", 10**6)
            whole = join(now)
            patch.setattr(joining, "_MANY", 0)
            assert join(now) == whole


def test_of_a_long_text_only_what_changed_is_joined_again(monkeypatch):
    tokens = [f"t{index}" for index in range(5000)]
    join(tokens)
    joined, real = [], joining._joined
    monkeypatch.setattr(joining, "_joined", lambda part, state: joined.append(len(part)) or real(part, state))
    assert join([*tokens[:1000], "new", *tokens[1000:]]).split() == [*tokens[:1000], "new", *tokens[1000:]]
    assert sum(joined) < 200


@given(before=st.sampled_from("aZ9ぁゖァヺ一鿿"), after=st.sampled_from("aZ9ぁゖァヺ一鿿"))
def test_what_is_known_of_most_tokens_is_what_their_characters_say(before, after):
    assert joining._script(before)
    assert joining._script(after)
    is_apart = joining._needs_space(before, "plain", after, "plain")
    assert join([before, after]) == (f"{before} {after}" if is_apart else before + after)
