"""Lessons: guided experiments, from resources/lessons or a person's own file; see docs/lessons.md.

A lesson is data over the edits that a person can make too. Here it is read and checked, sentence by sentence;
what its edits do is told where core's and text's edits are both known.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from attnviz.assets import resource_path
from attnviz.core.errors import AttnvizError
from attnviz.core.numbers import shorten
from attnviz.io.errors import FileError, shown
from attnviz.io.json_values import an_object
from attnviz.io.reading import reading

if TYPE_CHECKING:
    from attnviz.io.lesson_json import Lesson

SUFFIX = ".attnviz-lesson.json"
"""How the name of a person's own lesson ends."""
MAX_BYTES = 1 << 20
"""The most bytes a lesson's file may have."""

_NAMES = ("it-looks-at-the-fish", "turn-it-to-the-cat", "scale-strength", "mask-off")


def lesson_names() -> tuple[str, ...]:
    """Give the names of the lessons that come with the program, in the order of a menu."""
    return _NAMES


def load_lesson(name: str) -> Lesson:
    """Read a lesson that comes with the program.

    Raises
    ------
    FileError
        When there is no such lesson; the sentence lists those there are.
    """
    if name not in _NAMES:
        raise FileError(
            "There is no lesson “{got}”; {wanted} are there.", got=shorten(name), wanted=", ".join(_NAMES)
        )
    return _parsed(resource_path("lessons", f"{name}.json").read_bytes())


def is_lesson(path: Path | str) -> bool:
    """Say whether a file is a lesson by its name."""
    return str(path).lower().endswith(SUFFIX)


def open_lesson(path: Path | str) -> Lesson:
    """Read a person's own lesson.

    Raises
    ------
    FileError
        When there is no such file, or it is no lesson, or something in it is wrong; the sentence says what,
        and where in the file.
    """
    with reading(path) as file:
        return _parsed(file.read(MAX_BYTES + 1))


def _parsed(content: bytes) -> Lesson:
    if len(content) > MAX_BYTES:
        raise FileError(
            "It is too large for a lesson: at most {wanted} kB are possible.", wanted=MAX_BYTES >> 10
        )
    try:
        data = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_once, parse_constant=_no_constant)
    except AttnvizError:
        raise
    except json.JSONDecodeError as error:
        raise FileError(
            "It is not valid JSON: something is wrong at line {line}, column {column}.",
            line=error.lineno,
            column=error.colno,
        ) from error
    except (ValueError, RecursionError) as error:  # not UTF-8, thousands of digits, nested without end
        raise FileError("It is not valid JSON.") from error
    from attnviz.io.lesson_json import read_lesson  # only now: every start asks for names of lessons alone

    return read_lesson(an_object(data, "lesson"))


def _once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise FileError("“{key}” stands twice in one object; write it once.", key=shown(key))
        found[key] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise FileError("It holds {got}; finite numbers are wanted.", got=name)
