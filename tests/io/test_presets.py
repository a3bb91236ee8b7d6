import json
from pathlib import Path

import numpy as np
import pytest

from attnviz.core import edits, mask_edits
from attnviz.core.attention import define
from attnviz.core.numbers import format_fixed, format_percent
from attnviz.core.position_codes import previous_token_vectors
from attnviz.core.selection import Selection
from attnviz.core.terms import map_terms
from attnviz.io.errors import FileError
from attnviz.io.presets import load_preset, preset_names
from attnviz.io.session import open_session, save_session
from attnviz.text.token_edits import set_text

FOLDER = Path(__file__).parents[2] / "resources" / "presets"
every = pytest.mark.parametrize("name", preset_names())


def test_every_file_is_a_preset_and_neko_comes_first():
    assert preset_names()[0] == "neko"
    assert sorted(f"{name}.json" for name in preset_names()) == sorted(path.name for path in FOLDER.iterdir())


@every
@pytest.mark.parametrize("language", ["ja", "en"])
def test_every_preset_is_there_in_both_languages_with_the_same_numbers(name, language):
    preset, own = load_preset(name, language), load_preset(name)
    assert preset.name == name
    assert preset.title
    assert preset.inputs.tokens == own.inputs.tokens
    assert preset.selection == own.selection == own.selection.clamped(own.inputs)
    for mine, theirs in zip(preset.inputs.heads, own.inputs.heads, strict=True):
        assert all(np.array_equal(getattr(mine, which), getattr(theirs, which)) for which in "qkv")
        assert not mine.is_default.any()


@every
def test_every_preset_can_be_saved_and_opened(tmp_path, name):
    preset = load_preset(name)
    save_session(tmp_path / "a.attnviz", preset.inputs, preset.selection)
    assert open_session(tmp_path / "a.attnviz").inputs.equals(preset.inputs)


@pytest.mark.parametrize(
    ("name", "language", "heads", "dimension"),
    [
        ("neko", None, ["意味", "直前"], "動物"),
        ("neko", "en", ["meaning", "previous"], "animal"),
        ("english", None, ["meaning", "previous"], "animal"),
        ("english", "ja", ["意味", "直前"], "動物"),
        ("toy", None, ["意味"], "動物"),
        ("toy", "en", ["meaning"], "animal"),
    ],
)
def test_names_are_in_the_language_asked_for_or_the_presets_own(name, language, heads, dimension):
    inputs = load_preset(name, language).inputs
    assert [head.name for head in inputs.heads] == heads
    assert inputs.heads[0].names_of("q")[0] == inputs.heads[-1].names_of("v")[0] == dimension


@pytest.mark.parametrize("name", ["", "nekos", "../session", "neko.json"])
def test_an_unknown_preset_is_refused_with_those_there_are(name):
    with pytest.raises(FileError, match="neko, toy, english"):
        load_preset(name)


def test_neko_is_the_published_demonstration():
    preset = load_preset("neko")
    inputs, weights = preset.inputs, define(preset.inputs, 0).weights
    assert inputs.text == "猫が魚を食べた。それは新鮮だった"
    assert "".join(inputs.tokens) == inputs.text
    assert preset.selection == Selection(0, 6, 2)
    assert (inputs.tokens[6], inputs.tokens[2]) == ("それ", "魚")
    assert [format_percent(weight) for weight in weights[6, :7]] == [
        "18.8%",
        "1.5%",
        "65.7%",
        "1.5%",
        "6.1%",
        "2.5%",
        "3.7%",
    ]
    assert inputs.heads[0].v is inputs.heads[0].k


@pytest.mark.parametrize("name", ["neko", "english"])
def test_the_second_head_looks_one_token_back(name):
    inputs = load_preset(name).inputs
    head, weights = inputs.heads[1], define(inputs, 1).weights
    q, k = previous_token_vectors(inputs.n_tokens)
    assert head.source == "positions"
    assert np.array_equal(head.q, q)
    assert np.array_equal(head.k, k)
    assert np.array_equal(head.v, inputs.heads[0].v)
    assert weights[0, 0] == 1
    assert all(weights[query, query - 1] >= 0.9 for query in range(1, inputs.n_tokens))


def test_english_it_means_the_fish():
    preset = load_preset("english")
    inputs, weights = preset.inputs, define(preset.inputs, 0).weights
    most = [inputs.tokens[key] for key in weights.argmax(axis=1)]
    assert inputs.tokens == ("The", "cat", "ate", "the", "fish", ".", "It", "was", "fresh", ".")
    assert (inputs.tokens[preset.selection.query], inputs.tokens[preset.selection.key]) == ("It", "fish")
    assert weights[6, 4] > 0.6
    assert most == ["The", "cat", "cat", "ate", "fish", "ate", "fish", "fish", "fish", "fish"]


def test_toy_is_the_worked_example():
    preset = load_preset("toy")
    query = define(preset.inputs, 0)
    assert preset.inputs.tokens[preset.selection.query] == "それ"
    assert preset.inputs.mask.kind == "none"
    assert query.scores[2].tolist() == [0, 4, 2]
    assert [format_fixed(value, 2) for value in query.scaled[2]] == ["0.00", "2.83", "1.41"]
    assert [format_fixed(value, 3) for value in query.weights[2]] == ["0.045", "0.768", "0.187"]
    assert [format_fixed(value, 3) for value in query.head_output[2]] == ["0.277", "1.723"]
    assert np.array_equal(preset.inputs.heads[0].q[:2], preset.inputs.heads[0].k[:2])


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_note_replays_the_hand_calculation_beside_the_true_values(language):
    note = load_preset("toy", language).note
    scaled = define(load_preset("toy").inputs, 0).scaled[2]
    true = np.exp(scaled)
    hand = ["16.95", "4.1", "22.05", "0.045", "0.769", "0.186", "[0.276, 1.724]"]
    shown = [*(format_fixed(value, 3) for value in true), format_fixed(true.sum(), 3)]
    for number in [*hand, *shown, "0.768", "0.187", "[0.277, 1.723]"]:
        assert number in note
    # By hand means: from these rounded numbers.
    assert [f"{value:.3f}" for value in np.array([1.0, 16.95, 4.1]) / 22.05] == hand[3:6]
    weights = np.array([0.045, 0.769, 0.186])
    assert (weights @ [[2, 0], [0, 2], [1, 1]]).tolist() == pytest.approx([0.276, 1.724])


def test_the_linear_map_makes_2_4_of_2_1():
    preset = load_preset("linear-map")
    inputs, head = preset.inputs, preset.inputs.heads[0]
    row = preset.selection.query
    assert inputs.tokens[row] == "それ"
    assert inputs.x[row].tolist() == [2, 1]
    assert head.projection.w_q.T.tolist() == [[1, 0], [1, 2]]  # the published map's rows
    assert head.q[row].tolist() == [2, 4]
    assert np.array_equal(head.k, inputs.x)
    assert np.array_equal(head.v, inputs.x)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_note_reads_the_linear_map_term_by_term(language):
    preset = load_preset("linear-map", language)
    for dim, sum_ in enumerate(("2×1 + 1×0 = 2", "2×1 + 1×2 = 4")):
        terms = map_terms(preset.inputs, 0, "q", 2, dim)
        assert " + ".join(f"{x:g}×{w:g}" for x, w in terms.factors) + f" = {terms.result:g}" == sum_
        assert sum_ in preset.note


@pytest.mark.parametrize("language", ["ja", "en"])
def test_words_of_one_language_look_at_their_counterparts_in_the_other(language):
    preset = load_preset("translation", language)
    inputs, weights = preset.inputs, define(preset.inputs, 0).weights
    assert inputs.is_cross
    assert (inputs.n_query, inputs.n_key) == (5, 6)
    assert inputs.mask.kind == "none"
    looked_at = {
        token: inputs.key_tokens[row.argmax()] for token, row in zip(inputs.tokens, weights, strict=True)
    }
    assert {token: looked_at[token] for token in ("猫", "魚", "食べた")} == {
        "猫": "cat",
        "魚": "fish",
        "食べた": "ate",
    }
    for token, row in zip(inputs.tokens, weights, strict=True):
        assert f"| {token} | {' | '.join(format_percent(weight) for weight in row)} |" in preset.note


def test_what_the_note_on_translation_says_to_try_does_what_it_says():
    inputs = load_preset("translation").inputs
    saw = set_text(inputs, "The cat saw the fish.", which="key")
    assert saw.heads[0].q is inputs.heads[0].q
    assert (saw.heads[0].k != inputs.heads[0].k).any()
    moved = edits.set_vector_block(inputs, 0, "q", 2, 0, [[2.5, 0.0]])
    assert [inputs.key_tokens[define(each, 0).weights[2].argmax()] for each in (inputs, moved)] == [
        "fish",
        "cat",
    ]
    seen = mask_edits.set_future_hidden(inputs, True).allowed()
    assert [inputs.key_tokens[row.nonzero()[0][-1]] for row in seen] == ["The", "cat", "ate", "the", "fish"]


@every
def test_every_text_in_two_languages_has_both(name):
    def check(value):
        if isinstance(value, dict):
            assert ("ja" in value) == ("en" in value)
            for item in value.values():
                check(item)
        elif isinstance(value, list):
            for item in value:
                check(item)

    check(json.loads((FOLDER / f"{name}.json").read_text("utf-8")))
