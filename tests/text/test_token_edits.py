import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core import inputs as core_inputs
from attnviz.core import memory
from attnviz.core.edits import set_vector_value
from attnviz.core.errors import InputError
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CustomMask
from attnviz.core.position_codes import previous_token_vectors
from attnviz.core.projection_edits import start_projection
from attnviz.text import token_edits
from attnviz.text.joining import join
from attnviz.text.lexicon import load_lexicon
from attnviz.text.splitting import split
from attnviz.text.token_edits import (
    insert_token,
    move_token,
    remove_token,
    rename_token,
    set_text,
    set_tokens,
)

CONCEPTS = load_lexicon().dimensions
NEKO = "猫が魚を食べた"
CAT, FISH, DOG = (load_lexicon().find(word) for word in ("猫", "魚", "犬"))
any_text = st.text(alphabet=st.characters(exclude_categories=()), max_size=12)


def concept_head(n: int, names=CONCEPTS["ja"], seed=0, **fields) -> Head:
    """A head of recognisable numbers with the four concept dimensions."""
    numbers = np.random.default_rng(seed).normal(size=(2, n, 4)).astype(np.float32)
    return Head(
        "意味", numbers[0], numbers[1], numbers[1], v_is_k=True, qk_names=names, v_names=names, **fields
    )


def plain_head(n: int) -> Head:
    numbers = np.random.default_rng(1).normal(size=(3, n, 3)).astype(np.float32)
    return Head("plain", *numbers)


def position_head(n: int) -> Head:
    q, k = previous_token_vectors(n)
    v = np.random.default_rng(2).normal(size=(n, 4)).astype(np.float32)
    return Head("直前", q, k, v, v_names=CONCEPTS["ja"], source="positions")


def document(text: str = NEKO, **fields) -> Inputs:
    tokens = split(text)
    n = len(tokens)
    return Inputs(text, tokens, (concept_head(n, **fields), plain_head(n), position_head(n)))


def rows(inputs: Inputs, head: int, at: int) -> list[list[float]]:
    each = inputs.heads[head]
    return [each.q[at].tolist(), each.k[at].tolist(), each.v[at].tolist()]


def refused(edit, *arguments) -> str:
    with pytest.raises(InputError) as error:
        edit(*arguments)
    return str(error.value)


@given(text=any_text)
def test_setting_the_text_there_is_changes_nothing(text):
    inputs = document("猫 " + text)
    assert set_text(inputs, inputs.text) is inputs


@given(text=any_text)
def test_setting_any_text_gives_its_tokens_or_one_sentence(text):
    if split(text):
        assert set_text(document(), text).tokens == split(text)
    else:
        assert refused(set_text, document(), text) == "The sentence is empty; write at least one word."


@given(words=st.lists(st.sampled_from(["the", "cat", "fish"]), min_size=1, max_size=8))
def test_a_sentence_and_back_keeps_every_token_that_never_left(words):
    inputs = document("the cat and the fish")
    longer = set_text(inputs, "the cat and the fish " + " ".join(words))
    back = set_text(longer, inputs.text)
    assert back.tokens == inputs.tokens
    assert all(rows(back, 0, at) == rows(inputs, 0, at) for at in range(inputs.n_tokens))
    assert back.heads[0].is_default.tolist() == inputs.heads[0].is_default.tolist()


def test_other_spaces_change_the_text_alone():
    inputs = document()
    spaced = set_text(inputs, "猫が 魚を食べた")
    assert (spaced.text, spaced.tokens) == ("猫が 魚を食べた", inputs.tokens)
    assert spaced.heads is inputs.heads


def test_tokens_that_stay_keep_their_vectors_and_marks_and_new_ones_come_from_the_lexicon():
    marks = np.array([True, False, True, False, True])
    inputs = document(is_default=marks)
    changed = set_text(inputs, "犬が魚を食べた")
    assert changed.tokens == ("犬", "が", "魚", "を", "食べた")
    assert [rows(changed, 0, at) for at in range(1, 5)] == [rows(inputs, 0, at) for at in range(1, 5)]
    assert rows(changed, 0, 0) == [DOG.q.tolist(), DOG.k.tolist(), DOG.k.tolist()]
    assert changed.heads[0].is_default.tolist() == marks.tolist()
    assert set_text(document(), "犬が魚を食べた").heads[0].is_default.tolist() == [True] + [False] * 4


def test_each_of_two_equal_tokens_keeps_its_own_vectors():
    inputs = document("the cat and the fish")
    changed = set_text(inputs, "a cat and the fish")
    assert rows(changed, 0, 3) == rows(inputs, 0, 3)
    changed = set_text(inputs, "the fish")
    assert [rows(changed, 0, 0), rows(changed, 0, 1)] == [rows(inputs, 0, 0), rows(inputs, 0, 4)]


def test_words_that_change_places_take_their_vectors_along():
    inputs = document("cat eats fish")
    changed = set_text(inputs, "fish eats cat")
    assert [rows(changed, 0, at) for at in range(3)] == [rows(inputs, 0, at) for at in (2, 1, 0)]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_lexicon_serves_heads_with_the_concepts_in_either_language(language):
    inputs = document(names=CONCEPTS[language])
    assert insert_token(inputs, 0, "cat").heads[0].q[0].tolist() == CAT.q.tolist()


def test_a_new_token_has_zeros_where_the_dimensions_are_not_the_concepts():
    added = insert_token(document(), 1, "犬")
    assert rows(added, 1, 1) == [[0, 0, 0]] * 3
    assert added.heads[1].is_default.tolist() == [False, True, False, False, False, False]


def test_an_unknown_word_has_zeros_everywhere():
    assert rows(insert_token(document(), 0, "ぬえ"), 0, 0) == [[0, 0, 0, 0]] * 3


def test_q_and_k_and_v_may_differ_in_having_the_concepts():
    head = Head("mixed", np.ones((1, 4)), np.ones((1, 4)), np.ones((1, 2)), qk_names=CONCEPTS["ja"])
    added = insert_token(Inputs("x", ("x",), (head,)), 1, "猫")
    assert rows(added, 0, 1) == [CAT.q.tolist(), CAT.k.tolist(), [0, 0]]


def test_a_head_of_position_codes_is_rebuilt_and_its_v_is_looked_up():
    added = insert_token(document(), 0, "犬")
    q, k = previous_token_vectors(6)
    assert np.array_equal(added.heads[2].q, q)
    assert np.array_equal(added.heads[2].k, k)
    assert added.heads[2].v[0].tolist() == DOG.v.tolist()


@pytest.mark.parametrize("text", ["", " ", "\u3000\n"])
def test_a_blank_sentence_is_refused(text):
    assert refused(set_text, document(), text) == "The sentence is empty; write at least one word."


def test_a_book_is_a_sentence_like_any_other_and_says_how_far_it_is():
    told = []
    book = set_text(document(), "The cat ate the fish. It was fresh.\r\n" * 4000, tell=told.append)
    assert book.n_tokens == 40_000
    assert told == sorted(told)
    assert 0 < told[0] <= told[-1] <= 1
    known = load_lexicon().find("cat")
    assert np.array_equal(book.heads[0].q[39_991], known.q)
    assert np.array_equal(book.heads[0].k[11], known.k)
    assert book.heads[0].is_default.all()


def test_as_many_tokens_as_can_be_are_taken_and_one_more_is_refused_with_their_number(monkeypatch):
    for module in (token_edits, core_inputs):
        monkeypatch.setattr(module, "MAX_TOKENS", 2048)
    full = set_text(document(), "cat " * 2048)
    assert full.n_tokens == 2048
    sentence = "There are 2049 tokens; at most 2048 are possible."
    assert refused(set_tokens, full, "", ["cat"] * 2049) == sentence
    assert refused(insert_token, full, 0, "cat") == sentence


@pytest.mark.parametrize(
    "token", [" ", "\t", "👨‍👩‍👧", "e\u0301", "<b>", "x" * 100_000, "\ud800", "two words", "猫"]
)
def test_any_text_is_a_token(token):
    inputs = document()
    assert insert_token(inputs, 5, token).tokens == (*inputs.tokens, token)
    assert rename_token(inputs, 0, token).tokens == (token, *inputs.tokens[1:])


def test_an_empty_token_is_refused():
    for edit in (insert_token, rename_token):
        assert refused(edit, document(), 0, "") == "A token needs at least one character; a blank is one."


def test_the_text_follows_the_tokens():
    inputs = document()
    added, renamed = insert_token(inputs, 2, "赤い"), rename_token(inputs, 0, "犬")
    for changed in (added, renamed, remove_token(inputs, 0), move_token(inputs, 0, 4)):
        assert changed.text == join(changed.tokens)
        assert set_text(changed, changed.text) is changed


@pytest.mark.parametrize("at", range(6))
def test_a_token_is_added_where_it_was_asked_for(at):
    inputs = document()
    added = insert_token(inputs, at, "犬")
    assert added.tokens == (*inputs.tokens[:at], "犬", *inputs.tokens[at:])
    assert remove_token(added, at).equals(inputs)


@pytest.mark.parametrize(("at", "to"), [(0, 4), (4, 0), (1, 2), (3, 1)])
def test_a_token_that_moves_takes_its_vectors_along_and_can_move_back(at, to):
    inputs = document()
    moved = move_token(inputs, at, to)
    assert moved.tokens[to] == inputs.tokens[at]
    assert rows(moved, 0, to) == rows(inputs, 0, at)
    assert move_token(moved, to, at).equals(inputs)
    assert move_token(inputs, at, at) is inputs


def test_a_custom_mask_moves_with_its_tokens():
    allowed = np.zeros((5, 5), bool)
    allowed[0, 3] = True
    inputs = document()
    masked = Inputs(inputs.text, inputs.tokens, inputs.heads, CustomMask(allowed))
    assert np.argwhere(move_token(masked, 3, 1).mask.allowed((0, 5), (0, 5))).tolist() == [[0, 1]]


def test_the_last_token_cannot_be_removed():
    assert (
        refused(remove_token, document("猫"), 0) == "This is the only token; a sentence needs at least one."
    )


@pytest.mark.parametrize(
    ("edit", "arguments"),
    [
        (insert_token, (6, "x")),
        (insert_token, (-1, "x")),
        (remove_token, (5,)),
        (move_token, (0, 5)),
        (move_token, (5, 0)),
        (rename_token, (5, "x")),
    ],
)
def test_a_place_that_is_not_there_is_refused(edit, arguments):
    assert refused(edit, document(), *arguments).startswith("There is no token")


def test_a_renamed_token_keeps_vectors_a_person_gave_it():
    inputs = document()
    renamed = rename_token(inputs, 0, "犬")
    assert renamed.heads[0] is inputs.heads[0]
    assert rename_token(inputs, 0, "猫") is inputs


def test_a_renamed_token_whose_vectors_are_defaults_is_looked_up_anew():
    added = insert_token(document(), 0, "犬")
    renamed = rename_token(added, 0, "魚")
    assert rows(renamed, 0, 0) == [FISH.q.tolist(), FISH.k.tolist(), FISH.k.tolist()]
    assert renamed.heads[0].v is renamed.heads[0].k
    assert renamed.heads[0].is_default[0]
    assert renamed.heads[2].v[0].tolist() == FISH.v.tolist()
    assert np.array_equal(renamed.heads[2].q, added.heads[2].q)
    assert rows(rename_token(renamed, 0, "ぬえ"), 0, 0) == [[0, 0, 0, 0]] * 3


def test_a_renamed_token_is_looked_up_only_in_heads_where_nobody_edited_it():
    added = insert_token(document(), 0, "犬")
    edited = set_vector_value(added, 0, "q", 0, 0, 2.5)
    renamed = rename_token(edited, 0, "魚")
    assert rows(renamed, 0, 0) == rows(edited, 0, 0)
    assert renamed.heads[2].v[0].tolist() == FISH.v.tolist()


@pytest.mark.parametrize("head", range(3))
def test_a_renamed_token_of_a_head_derived_from_x_keeps_what_its_x_gives(head):
    added = insert_token(start_projection(document(), head), 1, "ぬえ")
    assert added.heads[head].is_default[1]
    renamed = rename_token(added, 1, "魚")
    assert rows(renamed, head, 1) == rows(added, head, 1)
    maps = renamed.heads[head].projection
    assert all(
        np.allclose(getattr(renamed.heads[head], name), maps.derived(name, renamed.x)) for name in "qkv"
    )


# Cross attention ------------------------------------------------------------------------------------------


def translated(**fields) -> Inputs:
    """Japanese queries that look at English keys, in a head of concepts, one of codes and one of neither."""
    inputs = document()
    english = document("the cat ate a fish")
    heads = [
        Head(
            mine.name,
            mine.q,
            theirs.k,
            theirs.v,
            mine.v_is_k,
            mine.qk_names,
            mine.v_names,
            mine.source,
            is_default_key=fields.get("is_default_key", np.zeros(0, bool)),
        )
        for mine, theirs in zip(inputs.heads, english.heads, strict=True)
    ]
    return Inputs(NEKO, inputs.tokens, heads, key_tokens=english.tokens, key_text=english.text)


def side(inputs: Inputs, head: int, at: int, which: str) -> list[list[float]]:
    return [getattr(inputs.heads[head], name)[at].tolist() for name in which]


def test_the_keys_get_another_sentence_and_the_queries_stay():
    inputs = translated(is_default_key=np.array([False, True, False, True, False]))
    changed = set_text(inputs, "the dog ate a big fish", which="key")
    assert changed.key_tokens == ("the", "dog", "ate", "a", "big", "fish")
    assert (changed.text, changed.tokens) == (inputs.text, inputs.tokens)
    assert side(changed, 0, 1, "kv") == [DOG.k.tolist(), DOG.v.tolist()]
    assert [side(changed, 0, at, "kv") for at in (0, 2, 3, 5)] == [
        side(inputs, 0, at, "kv") for at in (0, 2, 3, 4)
    ]
    assert changed.heads[0].q is inputs.heads[0].q
    assert changed.heads[0].key_marks.tolist() == [False, True, False, True, True, False]
    assert set_text(changed, changed.key_text, which="key") is changed


def test_the_queries_get_another_sentence_and_the_keys_stay():
    inputs = translated()
    changed = set_text(inputs, "犬が魚を食べた")
    assert side(changed, 0, 0, "q") == [DOG.q.tolist()]
    assert changed.heads[0].k is inputs.heads[0].k
    assert changed.heads[1].v is inputs.heads[1].v
    assert (changed.key_text, changed.key_tokens) == (inputs.key_text, inputs.key_tokens)


def test_key_tokens_are_added_moved_renamed_and_removed():
    inputs = translated()
    added = insert_token(inputs, 5, "dog", which="key")
    assert added.key_tokens == (*inputs.key_tokens, "dog")
    assert added.key_text == join(added.key_tokens)
    assert side(added, 0, 5, "kv") == [DOG.k.tolist(), DOG.v.tolist()]
    assert side(added, 1, 5, "kv") == [[0, 0, 0]] * 2
    moved = move_token(added, 5, 0, which="key")
    assert side(moved, 0, 0, "kv") == side(added, 0, 5, "kv")
    assert move_token(moved, 0, 5, which="key").equals(added)
    renamed = rename_token(added, 5, "fish", which="key")
    assert side(renamed, 0, 5, "kv") == [FISH.k.tolist(), FISH.v.tolist()]
    assert renamed.heads[0].v is renamed.heads[0].k
    assert rename_token(renamed, 5, "xyzzy", which="key").heads[0].k[5].tolist() == [0, 0, 0, 0]
    assert rename_token(inputs, 1, "dog", which="key").heads is not None
    assert rename_token(inputs, 1, "dog", which="key").heads[0].k is inputs.heads[0].k
    assert remove_token(added, 5, which="key").equals(inputs)
    for changed in (added, moved, renamed):
        assert changed.tokens is inputs.tokens
        assert all(new.q is old.q for new, old in zip(changed.heads[:2], inputs.heads, strict=False))


def test_a_renamed_query_token_whose_vectors_are_defaults_looks_up_q_alone():
    added = insert_token(translated(), 0, "犬")
    renamed = rename_token(added, 0, "魚")
    assert side(renamed, 0, 0, "q") == [FISH.q.tolist()]
    assert renamed.heads[0].k is added.heads[0].k
    assert renamed.heads[2].v is added.heads[2].v


@pytest.mark.parametrize(
    ("edit", "arguments"),
    [(insert_token, (6, "x")), (remove_token, (5,)), (move_token, (5, 0)), (rename_token, (5, "x"))],
)
def test_a_place_among_the_keys_that_is_not_there_is_refused(edit, arguments):
    with pytest.raises(InputError, match="There is no token"):
        edit(insert_token(translated(), 0, "犬"), *arguments, which="key")


def test_without_key_tokens_there_is_one_row_of_tokens_whoever_is_meant():
    inputs = document()
    assert set_text(inputs, "犬が走る", which="key").equals(set_text(inputs, "犬が走る"))
    assert insert_token(inputs, 0, "犬", which="key").equals(insert_token(inputs, 0, "犬"))
    alone = remove_token(document("a b"), 0, which="key")
    assert "only token" in refused(lambda i: remove_token(i, 0, which="key"), alone)


def test_a_text_that_was_split_already_is_taken_as_it_was_split():
    taken = set_tokens(document("猫が走った"), "long words", ["long w", "ords"])
    assert (taken.text, taken.tokens) == ("long words", ("long w", "ords"))
    with pytest.raises(InputError, match="The sentence is empty"):
        set_tokens(taken, " ", ())


@pytest.mark.parametrize("which", ["query", "key"])
def test_a_book_that_does_not_fit_memory_is_refused_with_the_bytes_needed_and_had(monkeypatch, which):
    monkeypatch.setattr(memory, "free_bytes", lambda: 1000)
    reason = refused(lambda inputs, text: set_text(inputs, text, which=which), translated(), "cat " * 3000)
    assert "bytes of memory, and 1,000 are free" in reason


def test_a_book_becomes_the_keys_of_a_translation():
    before = translated()
    after = set_text(before, "The cat ate. " * 3000, which="key")
    assert (after.n_query, after.n_key) == (before.n_query, 12_000)
    assert after.tokens is before.tokens
    assert after.heads[0].q is before.heads[0].q
    assert len(after.heads[0].k) == 12_000
