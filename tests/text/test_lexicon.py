import json
from pathlib import Path

import numpy as np
import pytest

from attnviz.assets import resource_path
from attnviz.text.lexicon import LANGUAGES, load_lexicon
from attnviz.text.splitting import split_with_lexicon, split_with_sudachi
from tests.published import NEKO_K, NEKO_Q, NEKO_TOKENS


@pytest.fixture(scope="module")
def lexicon():
    return load_lexicon()


def attention(sentence: str, query: int) -> dict[str, float]:
    tokens = split_with_sudachi(sentence)
    entries = [load_lexicon().find(token) for token in tokens]
    scores = np.array([entry.k @ entries[query].q for entry in entries[: query + 1]]) / 2
    weights = np.exp(scores - scores.max())
    return dict(zip(tokens, weights / weights.sum(), strict=False))


@pytest.mark.parametrize("index", range(10))
def test_the_ten_tokens_of_the_example_have_the_published_vectors(lexicon, index):
    entry = lexicon.find(NEKO_TOKENS[index])
    assert entry.q.tolist() == np.float32(NEKO_Q[index]).tolist()
    assert entry.k.tolist() == np.float32(NEKO_K[index]).tolist()
    assert entry.v is entry.k


def test_every_vector_is_four_read_only_numbers_of_a_slider(lexicon):
    for word in lexicon:
        entry = lexicon.find(word)
        for vector in (entry.q, entry.k, entry.v):
            assert vector.shape == (4,)
            assert vector.dtype == np.float32
            assert not vector.flags.writeable
            assert np.abs(vector).max() <= 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_hundreds_of_words_before_they_are_inflected(language):
    data = json.loads(resource_path("lexicon", f"{language}.json").read_text(encoding="utf-8"))
    assert data["language"] == language
    listed = [
        word
        for each in data["classes"]
        for lines in (each.get("words", []), *each.get("stems", {}).values())
        for line in lines
        for word in line.split()
    ]
    assert len(set(listed)) >= 300
    assert set(data["words"]) <= set(listed)
    for each in data["classes"]:
        names = [word for lines in (each.get("words", []),) for line in lines for word in line.split()]
        assert len(names) == len(set(names)), each["name"]


def test_the_concept_dimensions_have_names_in_both_languages(lexicon):
    assert lexicon.dimensions == {
        "ja": ("動物", "食べ物", "動作", "機能語"),
        "en": ("animal", "food", "action", "function word"),
    }


def test_a_lookup_minds_neither_case_nor_blanks_nor_the_kind_of_apostrophe(lexicon):
    assert lexicon.find("The") is lexicon.find("the") is lexicon.find(" THE ") is not None
    assert lexicon.find("don’t") is lexicon.find("don't") is not None


@pytest.mark.parametrize("token", ["", " ", "ぬえ", "xyzzy", "🐱", "<b>", "\ud800", "猫" * 10_000])
def test_an_unknown_token_has_no_entry(lexicon, token):
    assert lexicon.find(token) is None


def test_a_word_of_two_classes_has_the_mean_of_their_vectors(lexicon):
    duck, cooked = lexicon.find("duck"), lexicon.find("cooked")
    assert duck.k.tolist() == [2, 2, 0, 0]
    assert cooked.k.tolist() == [0, 1, 1.5, 0]


def test_english_words_of_the_example_have_the_vectors_of_their_japanese_ones(lexicon):
    pairs = {
        "cat": "猫",
        "fish": "魚",
        "ate": "食べた",
        ".": "。",
        "It": "それ",
        "fresh": "新鮮",
        "was": "だった",
    }
    for english, japanese in pairs.items():
        for which in "qkv":
            assert np.array_equal(
                getattr(lexicon.find(english), which), getattr(lexicon.find(japanese), which)
            )


@pytest.mark.parametrize(
    ("sentence", "query", "seen"),
    [
        ("犬が肉を食べた。それはおいしかった", 6, "肉"),
        ("犬が肉を食べた。それはおいしかった", 8, "肉"),
        ("彼女は公園で猫を見ました", 6, "猫"),
        ("猫は賢い動物です", 2, "猫"),
        ("The cat ate the fish. It was fresh.", 6, "fish"),
        ("The cat ate the fish. It was fresh.", 2, "cat"),
        ("My friend cooked a meal because she was hungry", 6, "friend"),
    ],
)
def test_words_look_at_what_they_mean(sentence, query, seen):
    weights = attention(sentence, query)
    assert max(weights, key=weights.get) == seen


def test_every_japanese_word_is_one_token_for_the_splitter_that_knows_the_lexicon(lexicon):
    assert [word for word in lexicon if len(split_with_lexicon(word)) != 1] == []


def test_the_readme_names_every_field(lexicon):
    readme = Path(resource_path("lexicon", "README.md")).read_text(encoding="utf-8")
    for language in LANGUAGES:
        for field in json.loads(resource_path("lexicon", f"{language}.json").read_text(encoding="utf-8")):
            assert f"`{field}`" in readme
