"""What lessons do and expect: each step brings about what it expects, and every number in a text is true."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from attnviz.core.masks import NoMask
from attnviz.core.numbers import format_fixed
from attnviz.core.request import Request
from attnviz.core.stages import Stages
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.gui import lesson_play
from attnviz.gui.lesson_play import Moment, after_step, beginning, is_seen
from attnviz.io import lesson_json
from attnviz.io.errors import FileError
from attnviz.io.lessons import lesson_names, load_lesson, open_lesson
from tests.io.own_lessons import small, written

LANGUAGES = ("ja", "en")
TOKENS = ("猫", "が", "魚", "を", "食べた", "。", "それ", "は", "新鮮", "だった")


@pytest.fixture(scope="module")
def engine():
    engine = NumpyEngine()
    yield engine
    engine.close()


def computed(engine: NumpyEngine, moment: Moment) -> Stages:
    at = moment.selection
    stages = engine.compute(Request.whole(moment.inputs, at.head, at.query))
    assert stages is not None
    return stages


def moments(name: str, language: str) -> list[Moment]:
    """What a lesson begins with, and what each step makes of it."""
    lesson = load_lesson(name)
    start = beginning(lesson, language)
    return [start, *(after_step(lesson, start, step, language) for step in range(len(lesson.steps)))]


@pytest.mark.parametrize("name", lesson_names())
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_every_step_does_brings_about_what_it_expects(engine, name, language):
    lesson = load_lesson(name)
    for step, moment in zip(lesson.steps, moments(name, language)[1:], strict=True):
        assert step.expects
        assert is_seen(step.expects, computed(engine, moment), moment.selection, moment.tab)


@pytest.mark.parametrize("name", lesson_names())
def test_no_step_is_seen_before_anything_was_done(engine, name):
    before, *_ = moments(name, "en")
    step = load_lesson(name).steps[0]
    assert not is_seen(step.expects, computed(engine, before), before.selection, before.tab)


FISH, CAT, IT, FRESH, GA, ATE = "魚", "猫", "それ", "新鮮", "が", "食べた"


class Screen:
    """The numbers of one lesson as the screen writes them, at its beginning (0) and after each step (1 …)."""

    def __init__(self, engine: NumpyEngine, name: str, language: str) -> None:
        self.moments = moments(name, language)
        self._engine = engine

    def _stages(self, at: int, query: str) -> Stages:
        moment = self.moments[at]
        selection = replace(moment.selection, query=moment.inputs.tokens.index(query))
        return computed(self._engine, replace(moment, selection=selection))

    def cell(self, at: int, stage: str, query: str, key: str) -> float:
        tokens = self.moments[at].inputs.tokens
        return getattr(self._stages(at, query).cell(tokens.index(query), tokens.index(key)), stage)

    def percent(self, at: int, query: str, key: str) -> str:
        return format_fixed(100 * self.cell(at, "weights", query, key), 1)

    def two(self, at: int, stage: str, query: str, key: str) -> str:
        return format_fixed(self.cell(at, stage, query, key), 2)

    def output(self, at: int, query: str, dim: int) -> str:
        return format_fixed(float(self._stages(at, query).row.output[dim]), 2)

    def vector(self, at: int, which: str, token: str, dim: int) -> float:
        inputs = self.moments[at].inputs
        return float(getattr(inputs.heads[0], which)[inputs.tokens.index(token), dim])

    def strength(self, at: int) -> float:
        return self.moments[at].inputs.scale_strength

    def order(self, at: int) -> list[str]:
        row = self._stages(at, IT).row
        tokens = self.moments[at].inputs.tokens
        return [tokens[key] for key in row.weights.argsort()[::-1]]


def fish_numbers(screen: Screen) -> list[list[str]]:
    q, k = screen.vector(2, "q", IT, 1), screen.vector(2, "k", FISH, 1)
    fish, cat = (screen.cell(3, "scaled", IT, key) for key in (FISH, CAT))
    ratio = screen.cell(3, "weights", IT, FISH) / screen.cell(3, "weights", IT, CAT)
    row = screen._stages(1, IT).row
    return [
        [
            screen.percent(1, IT, FISH),
            screen.percent(1, IT, CAT),
            format_fixed(100 * float(row.weights.sum()), 0),
        ],
        [screen.two(2, "scores", IT, FISH), f"{q:.1f}", f"{k:.0f}", format_fixed(q * k, 2)],
        [
            str(screen.moments[3].inputs.heads[0].d_k),
            screen.two(3, "scaled", IT, FISH),
            screen.two(3, "scaled", IT, CAT),
            *[format_fixed(fish - cat, 2)] * 2,
            screen.percent(3, IT, FISH),
            screen.percent(3, IT, CAT),
            format_fixed(ratio, 2),
        ],
    ]


def cat_numbers(screen: Screen) -> list[list[str]]:
    animal = [screen.vector(2, "q", IT, 0), *(screen.vector(2, "k", key, 0) for key in (CAT, FISH))]
    return [
        [
            f"{screen.vector(1, 'q', IT, 1):.0f}",
            *(screen.percent(at, IT, key) for key in (FISH, CAT) for at in (0, 1)),
        ],
        [
            f"{animal[0]:.0f}",
            screen.percent(2, IT, CAT),
            *(f"{animal[0]:.1f}" for _ in (CAT, FISH)),
            *(f"{offered:.0f}" for offered in animal[1:] for _ in range(2)),  # told, and multiplied
            *(screen.two(2, "scores", IT, key) for key in (CAT, FISH)),
        ],
        [screen.output(0, IT, 0), screen.output(0, IT, 1), screen.output(3, IT, 0), screen.output(3, IT, 1)],
    ]


def scale_numbers(screen: Screen) -> list[list[str]]:
    quarter = [f"{screen.strength(1):g}"] + [
        screen.percent(at, IT, key) for key in (FISH, GA) for at in (0, 1)
    ]
    sharp = [f"{screen.strength(2):g}", screen.percent(2, IT, FISH), screen.percent(2, IT, CAT)]
    return [quarter, [*sharp, f"{screen.strength(0):g}"], [f"{screen.strength(3):g}"]]


def mask_numbers(screen: Screen) -> list[list[str]]:
    return [
        [screen.percent(1, CAT, CAT)],
        [screen.percent(2, CAT, CAT), screen.percent(2, CAT, FISH)],
        [screen.percent(3, IT, FRESH), screen.percent(0, IT, FISH), screen.percent(3, IT, FISH)],
    ]


TOLD = {
    "it-looks-at-the-fish": fish_numbers,
    "turn-it-to-the-cat": cat_numbers,
    "scale-strength": scale_numbers,
    "mask-off": mask_numbers,
}
IN_WORDS = ("4 分の 1", "4 倍", "1 つのクエリ")
"""What Japanese writes in digits and English in words."""


def numbers_in(text: str) -> list[str]:
    for words in IN_WORDS:
        text = text.replace(words, "")
    return sorted(re.findall(r"[0-9]+(?:\.[0-9]+)?", text))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", lesson_names())
def test_every_number_in_a_text_is_the_one_on_the_screen(engine, name, language):
    screen = Screen(engine, name, language)
    for step, true in zip(load_lesson(name).steps, TOLD[name](screen), strict=True):
        text = step.do.spoken(language) + " " + step.see.spoken(language)
        assert numbers_in(text) == sorted(true)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_texts_say_in_words_is_true(engine, language):
    scale = Screen(engine, "scale-strength", language)
    for at in range(4):
        assert scale.order(at)[:3] == [FISH, CAT, ATE]
        for key in (FISH, CAT, GA):  # QKᵀ stayed the same
            assert scale.cell(at, "scores", IT, key) == scale.cell(0, "scores", IT, key)
    apart = [scale.cell(at, "scaled", IT, FISH) - scale.cell(at, "scaled", IT, CAT) for at in range(3)]
    assert apart[1:] == pytest.approx([apart[0] / 4, apart[0] * 4])
    mask = Screen(engine, "mask-off", language)
    tokens = mask.moments[0].inputs.tokens
    assert not mask._stages(1, CAT).row.allowed[1:].any()
    row = mask._stages(2, CAT).row
    assert row.allowed.all()
    assert [tokens[key] for key in row.weights.argsort()[::-1][:2]] == [CAT, FISH]
    assert mask.cell(3, "scores", IT, FISH) == mask.cell(0, "scores", IT, FISH)
    cat = Screen(engine, "turn-it-to-the-cat", language)
    assert (cat.moments[3].inputs.heads[0].k == cat.moments[0].inputs.heads[0].k).all()


@pytest.mark.parametrize("name", lesson_names())
def test_names_are_called_as_they_stand_in_the_window(name):
    """A text that names a dimension names it as the preset does in the same language."""
    lesson = load_lesson(name)
    assert lesson.title.ja != lesson.title.en
    for step in lesson.steps:
        for both in (step.do, step.see):
            assert re.search("[ぁ-んァ-ン]", both.ja)
            assert not re.search("食べ物|動物", both.en)
            assert set(re.findall("[A-Za-z]{2,}", both.ja)) <= {"softmax", "exp", "QK"}


# --- the language of lessons


def test_every_edit_and_expectation_that_can_be_read_can_be_played():
    assert set(lesson_json.EDITS) == set(lesson_play._MAKERS)
    assert set(lesson_json.EXPECTATIONS) == set(lesson_play._SEERS)


def test_every_kind_of_edit_is_made(tmp_path):
    data = small()
    data["steps"][0]["edits"] = [
        {"edit": "set_sentence", "text": {"ja": "猫が走った", "en": "猫が走った"}},
        {"edit": "select", "head": "previous", "token": 1, "key": "猫"},
        {"edit": "set_number", "vector": "k", "head": "meaning", "token": "猫", "dimension": 3, "value": -7},
        {"edit": "set_vector", "vector": "q", "token": 0, "values": [1, 2, 3, 4]},
        {"edit": "set_mask", "kind": "window", "width": 2},
        {"edit": "set_mask", "kind": "none"},
        {"edit": "set_mask_value", "value": -5},
        {"edit": "set_mask_value", "value": "-inf"},
        {"edit": "open_tab", "tab": "shapes"},
    ]
    lesson = open_lesson(written(tmp_path, data))
    moment = after_step(lesson, beginning(lesson, "en"), 0, "en")
    inputs = moment.inputs
    assert inputs.tokens[:2] == ("猫", "が")
    assert (moment.selection.head, moment.selection.query, moment.selection.key) == (1, 1, 0)
    assert inputs.heads[0].k[0, 3] == -7
    assert inputs.heads[0].q[0].tolist() == [1, 2, 3, 4]
    assert inputs.mask.equals(NoMask())
    assert inputs.mask_fill == float("-inf")
    assert moment.tab == "shapes"


def test_every_kind_of_expectation_is_seen_or_not(engine, tmp_path):
    lesson = open_lesson(written(tmp_path, small()))
    moment = beginning(lesson, "en")
    stages = computed(engine, moment)
    cell = {"query": "それ", "key": "魚"}
    for true, false in (
        ({"what": "scores", **cell, "at_least": 5}, {"what": "scores", **cell, "at_least": 6}),
        ({"what": "scaled", **cell, "at_most": 3}, {"what": "scaled", **cell, "at_most": 2}),
        (
            {"what": "masked", **cell, "at_least": -100},
            {"what": "masked", "query": 0, "key": 5, "at_least": -100},
        ),
        (
            {"what": "weights", **cell, "at_least": 0, "head": 0},
            {"what": "weights", **cell, "at_least": 0, "head": "previous"},
        ),
        (
            {"what": "output", "query": 6, "dimension": "food", "at_least": 2},
            {"what": "output", "query": 0, "dimension": "food", "at_most": 9},
        ),
        (
            {"what": "number", "vector": "q", "token": "それ", "dimension": "food", "at_least": 1.5},
            {"what": "number", "vector": "q", "token": "それ", "dimension": "drink", "at_most": 9},
        ),
        ({"what": "scale_strength", "at_most": 1}, {"what": "scale_strength", "at_least": 1.5}),
        ({"what": "selected", "token": "それ", "key": 2}, {"what": "selected", "token": "それ", "key": 3}),
        ({"what": "tab", "tab": "shapes"}, {"what": "tab", "tab": "vectors"}),
    ):
        for expected, seen in ((true, True), (false, False)):
            data = small()
            data["steps"][0]["expects"] = [expected]
            [step] = open_lesson(written(tmp_path, data)).steps
            assert is_seen(step.expects, stages, moment.selection, "shapes") is seen, expected


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (
            {"edit": "set_number", "vector": "q", "token": "犬", "dimension": 0, "value": 1},
            "“steps[0].edits[0]”: There is no token called “犬”; " + ", ".join(TOKENS) + " are there.",
        ),
        (
            {"edit": "set_number", "vector": "q", "token": 10, "dimension": 0, "value": 1},
            "“steps[0].edits[0]”: There is no token 10; 0 to 9 are there, counted from 0.",
        ),
        (
            {"edit": "set_number", "vector": "v", "token": 0, "dimension": 4, "value": 1},
            "“steps[0].edits[0]”: There is no dimension 4; 0 to 3 are there, counted from 0.",
        ),
        (
            {"edit": "set_vector", "vector": "v", "token": 0, "values": [1]},
            "“steps[0].edits[0]”: “values” holds 1 numbers; v has 4 dimensions there.",
        ),
        (
            {"edit": "select", "head": "meaning "},
            "“steps[0].edits[0]”: There is no head called “meaning ”; meaning, previous are there.",
        ),
        (
            {"edit": "set_mask", "kind": "custom", "allowed": [[True]]},
            None,
        ),
    ],
)
def test_an_edit_that_cannot_be_made_says_its_place(tmp_path, edit, sentence):
    data = small()
    data["steps"][0]["edits"] = [edit]
    lesson = open_lesson(written(tmp_path, data))
    with pytest.raises(FileError) as caught:
        after_step(lesson, beginning(lesson, "en"), 0, "en")
    if sentence is not None:
        assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("expected", "reason"),
    [
        ({"what": "weights", "query": 9, "key": 0, "at_least": 0}, "There is no query 9; 0 to 2 are there,"),
        ({"what": "scores", "query": 0, "key": "魚", "at_least": 0}, "There is no key called “魚”; 猫, が, "),
        ({"what": "output", "query": 0, "dimension": "drink", "at_least": 0}, "There is no dimension called"),
        ({"what": "number", "vector": "k", "token": "犬", "dimension": 0, "at_most": 0}, "There is no token"),
        ({"what": "selected", "head": 2}, "There is no head 2; 0 to 1 are there,"),
    ],
)
def test_an_expectation_of_what_is_not_there_says_its_place(tmp_path, expected, reason):
    data = small()
    data["steps"][0]["edits"] = [{"edit": "set_sentence", "text": "猫が走った"}]
    data["steps"][0]["expects"] = [expected]
    lesson = open_lesson(written(tmp_path, data))
    with pytest.raises(FileError) as caught:
        lesson_play.check(lesson, "en")
    assert str(caught.value).startswith(f"“steps[0].expects[0]”: {reason}")


@pytest.mark.parametrize("name", lesson_names())
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lessons_that_come_with_the_program_can_be_played_to_their_end(name, language):
    lesson_play.check(load_lesson(name), language)
