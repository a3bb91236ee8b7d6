"""Lessons are read whole or refused in one sentence with the place."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from attnviz.io.errors import FileError
from attnviz.io.lesson_json import EDITS, EXPECTATIONS, MAX_CHARACTERS, MAX_EDITS, MAX_STEPS, Bilingual
from attnviz.io.lessons import MAX_BYTES, SUFFIX, is_lesson, lesson_names, load_lesson, open_lesson
from tests.io.own_lessons import small, written


def refusal(tmp_path, data: Any) -> str:
    path = written(tmp_path, data)
    with pytest.raises(FileError) as caught:
        open_lesson(path)
    sentence = str(caught.value)
    assert sentence.startswith(f"“{path}” cannot be opened: ")
    assert "\n" not in sentence
    return sentence


def test_every_lesson_that_comes_with_the_program_is_called_as_its_file():
    assert [load_lesson(name).name for name in lesson_names()] == list(lesson_names())


def test_a_lesson_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(FileError, match=r"There is no lesson “maskoff”; it-looks-at-the-fish, .*mask-off"):
        load_lesson("maskoff")


def test_a_lesson_of_a_person_is_read(tmp_path):
    lesson = open_lesson(written(tmp_path, small()))
    assert (lesson.name, lesson.title, lesson.setup) == ("mine", Bilingual("Mine", "Mine"), ())
    [step] = lesson.steps
    assert step.do.spoken("ja") == "強さを 2 に。"
    assert step.edits[0].arguments == {"value": 2}
    assert dict(step.expects[0].arguments) == {"query": Bilingual("それ", "それ"), "key": 2, "at_most": 0.5}


def test_a_byte_order_mark_as_some_editors_write_it_is_no_mistake(tmp_path):
    assert open_lesson(written(tmp_path, "\ufeff" + json.dumps(small()))).name == "mine"


def broken(change) -> dict[str, Any]:
    data = small()
    change(data)
    return data


def step_with(**keys):
    return broken(lambda data: data["steps"][0].update(keys))


@pytest.mark.parametrize(
    ("data", "end"),
    [
        ("", "It is not valid JSON: something is wrong at line 1, column 1."),
        ('{"a": 1,\n "b" 2}', "It is not valid JSON: something is wrong at line 2, column 6."),
        ('{"a": 1, "a": 2}', "“a” stands twice in one object; write it once."),
        ('{"a": NaN}', "It holds NaN; finite numbers are wanted."),
        ("[" * 100_000, "It is not valid JSON."),
        ([], "“lesson” holds a list; an object is wanted."),
        ({}, "It is not a lesson: its “format” is not “attnviz-lesson”."),
        (
            {"format": "attnviz-lesson", "version": 2},
            "Its “version” is not 1, the one that this attnviz reads.",
        ),
        (
            {"format": "attnviz-lesson", "version": True},
            "Its “version” is not 1, the one that this attnviz reads.",
        ),
        (
            broken(lambda data: data.update(step=[])),
            "“step” is not known there; format, version, id, title, preset, setup, steps are.",
        ),
        (broken(lambda data: data.pop("id")), "“id” is missing."),
        (
            broken(lambda data: data.update(id="../x")),
            "“id” is “../x”; small letters, digits and hyphens are wanted, as in my-lesson.",
        ),
        (broken(lambda data: data.update(title={"ja": "題"})), "“title.en” is missing."),
        (broken(lambda data: data.update(title=" ")), "“title” is empty; write at least one word."),
        (broken(lambda data: data.update(preset="dog")), "linear-map"),
        (
            broken(lambda data: data.update(steps=[])),
            f"“steps” has 0 entries; 1 to {MAX_STEPS} are possible.",
        ),
        (
            broken(lambda data: data.update(steps=data["steps"] * (MAX_STEPS + 1))),
            f"“steps” has {MAX_STEPS + 1} entries; 1 to {MAX_STEPS} are possible.",
        ),
        (broken(lambda data: data.update(steps=["do"])), "“steps[0]” holds a text; an object is wanted."),
        (step_with(expect=[]), "“steps[0].expect” is not known there; do, see, edits, expects are."),
        (step_with(do=3), "“steps[0].do” holds 3; a text is wanted."),
        (
            step_with(see="あ" * (MAX_CHARACTERS + 1)),
            f"“steps[0].see” has {MAX_CHARACTERS + 1} characters; at most {MAX_CHARACTERS} are possible.",
        ),
        (
            step_with(edits=[{"edit": "open_tab", "tab": "shapes"}] * (MAX_EDITS + 1)),
            f"“steps[0].edits” has {MAX_EDITS + 1} entries; 0 to {MAX_EDITS} are possible.",
        ),
        (step_with(edits=[{}]), "“steps[0].edits[0].edit” is missing."),
        (
            step_with(edits=[{"edit": "os.system"}]),
            "“steps[0].edits[0].edit” is “os.system”; select, set_number, set_vector, set_mask, ",
        ),
        (
            step_with(edits=[{"edit": "open_tab", "tab": "note"}]),
            "“steps[0].edits[0].tab” is “note”; arithmetic, vectors, ",
        ),
        (
            step_with(edits=[{"edit": "set_scale_strength", "value": 0}]),
            "“steps[0].edits[0].value” is 0; a number from 0.01 to 100 is wanted.",
        ),
        (
            step_with(edits=[{"edit": "set_scale_strength", "value": True}]),
            "“steps[0].edits[0].value” holds true; a number is wanted.",
        ),
        (
            step_with(
                edits=[{"edit": "set_number", "vector": "q", "token": 0, "dimension": 0, "value": 1e7}]
            ),
            "“steps[0].edits[0].value” is 1e+07; a number from -1e+06 to 1e+06 is wanted.",
        ),
        (
            step_with(edits=[{"edit": "set_number", "vector": "w", "token": 0, "dimension": 0, "value": 1}]),
            "“steps[0].edits[0].vector” is “w”; q, k, v are possible.",
        ),
        (
            step_with(edits=[{"edit": "set_number", "vector": "q", "token": -1, "dimension": 0, "value": 1}]),
            "“steps[0].edits[0].token” holds -1; a whole number from 0 is wanted.",
        ),
        (
            step_with(edits=[{"edit": "select", "token": True}]),
            "“steps[0].edits[0].token” holds true; a whole number from 0 is wanted.",
        ),
        (
            step_with(edits=[{"edit": "select"}]),
            "“steps[0].edits[0]” needs one of head, token, key.",
        ),
        (step_with(edits=[{"edit": "set_mask", "kind": "window"}]), "“mask.width” is missing."),
        (
            step_with(edits=[{"edit": "set_mask", "kind": "custom", "allowed": {"npy": "m.npy"}}]),
            "“steps[0].edits[0]”: A lesson holds its masks itself, not in “m.npy”.",
        ),
        (
            step_with(expects=[{"what": "happiness"}]),
            "“steps[0].expects[0].what” is “happiness”; scores, scaled, masked, weights, output, number, ",
        ),
        (
            step_with(expects=[{"what": "weights", "query": 0, "key": 0, "at_least": "half"}]),
            "“steps[0].expects[0].at_least” holds a text; a number is wanted.",
        ),
        (
            step_with(expects=[{"what": "scale_strength"}]),
            "“steps[0].expects[0]” needs one of at_least, at_most.",
        ),
        (
            step_with(expects=[{"what": "selected"}]),
            "“steps[0].expects[0]” needs one of head, token, key.",
        ),
        (
            step_with(expects=[{"what": "weights", "query": 0, "key": 0, "at_least": 1, "at_most": 0.5}]),
            "“steps[0].expects[0]” can never be so: “at_least” is 1, “at_most” is 0.5.",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, data, end):
    assert refusal(tmp_path, data).endswith(end) or end in refusal(tmp_path, data)


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    path = written(tmp_path, " " * (MAX_BYTES + 1))
    with pytest.raises(FileError, match="too large for a lesson: at most 1024 kB"):
        open_lesson(path)


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(FileError, match="There is no file"):
        open_lesson(tmp_path / f"gone{SUFFIX}")
    with pytest.raises(FileError, match="It is a folder"):
        open_lesson(tmp_path)


def test_a_lesson_is_known_by_its_name():
    assert is_lesson(f"/home/x/My{SUFFIX.upper()}")
    assert not is_lesson("x.attnviz")
    assert not is_lesson("lesson.json")


def test_the_example_of_the_docs_is_a_lesson(tmp_path):
    text = (Path(__file__).resolve().parents[2] / "docs" / "lessons.md").read_text("utf-8")
    [example] = re.findall(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert open_lesson(written(tmp_path, example)).name == "the-first-word"


def test_the_docs_name_every_edit_and_every_expectation():
    text = (Path(__file__).resolve().parents[2] / "docs" / "lessons.md").read_text("utf-8")
    for name in (*EDITS, *EXPECTATIONS):
        assert f"`{name}`" in text
