"""What a lesson holds, and how it is read from JSON values: every key, type and limit is checked.

The tables ``EDITS`` and ``EXPECTATIONS`` are the whole language of lessons. Nothing here knows a file, or
what an edit does.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import MAX_SCALE_STRENGTH, MIN_SCALE_STRENGTH
from attnviz.core.masks import Mask
from attnviz.core.numbers import MAX_MAGNITUDE
from attnviz.io.errors import FileError, shown
from attnviz.io.json_values import a_count, a_list, a_number, a_text, an_object, need
from attnviz.io.mask_json import read_mask
from attnviz.io.presets import preset_names

FORMAT = "attnviz-lesson"
VERSION = 1

MAX_STEPS = 50
MAX_EDITS = 100
"""The most edits of one step, and of the setup."""
MAX_EXPECTED = 20
"""The most things that one step expects."""
MAX_CHARACTERS = 1000
"""The longest text of a step."""
MAX_TITLE = 100
MAX_NUMBERS = 4096
"""The most numbers of one vector."""

TABS = ("arithmetic", "vectors", "heads_to_output", "all_heads", "shapes")
STAGES = ("scores", "scaled", "masked", "weights")

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LANGUAGES = ("ja", "en")

Read = Callable[[Any, str], Any]
"""Gives a checked value; the second argument is its place in the file."""


@dataclass(frozen=True)
class Bilingual:
    """A text in both languages."""

    ja: str
    en: str

    def spoken(self, language: str) -> str:
        """Give it in ``ja``, or in English."""
        return self.ja if language == "ja" else self.en

    def has(self, text: str) -> bool:
        """Say whether a text is this one, in either language."""
        return text in (self.ja, self.en)


Place = int | Bilingual
"""A head, token or dimension: its index from 0, or its name."""


@dataclass(frozen=True)
class Told:
    """One edit or expectation: which, its checked arguments, and where it stands in the file."""

    name: str
    arguments: Mapping[str, Any]
    place: str


@dataclass(frozen=True)
class LessonStep:
    """What to do, what to see of it, the edits that do it, and what must hold to have been seen."""

    do: Bilingual
    see: Bilingual
    edits: tuple[Told, ...]
    expects: tuple[Told, ...]


@dataclass(frozen=True)
class Lesson:
    """A guided experiment.

    Attributes
    ----------
    name
        Small letters, digits and hyphens.
    preset
        The preset it begins on.
    setup
        Edits of the preset before the first step.
    """

    name: str
    title: Bilingual
    preset: str
    setup: tuple[Told, ...]
    steps: tuple[LessonStep, ...]


def read_lesson(data: dict[str, Any]) -> Lesson:
    """Give the lesson that JSON values stand for.

    Raises
    ------
    FileError
        When something is missing, not known, of the wrong type or beyond a limit; the place is named.
    """
    if data.get("format") != FORMAT:
        raise FileError("It is not a lesson: its “format” is not “{wanted}”.", wanted=FORMAT)
    if type(version := data.get("version")) is not int or version != VERSION:
        raise FileError("Its “version” is not {wanted}, the one that this attnviz reads.", wanted=VERSION)
    _only(data, ("format", "version", "id", "title", "preset", "setup", "steps"), "")
    name = a_text(need(data, "id"), "id")
    if len(name) > MAX_TITLE or not _ID.fullmatch(name):
        raise FileError(
            "“id” is “{got}”; small letters, digits and hyphens are wanted, as in my-lesson.", got=shown(name)
        )
    steps = _limited(need(data, "steps"), "steps", 1, MAX_STEPS)
    return Lesson(
        name,
        _bilingual(need(data, "title"), "title", MAX_TITLE),
        _one_of(*preset_names())(need(data, "preset"), "preset"),
        _told(data.get("setup", []), "setup", MAX_EDITS, EDITS),
        tuple(_step(step, f"steps[{index}]") for index, step in enumerate(steps)),
    )


def _step(value: Any, at: str) -> LessonStep:
    data = an_object(value, at)
    _only(data, ("do", "see", "edits", "expects"), f"{at}.")
    return LessonStep(
        _bilingual(need(data, "do", f"{at}."), f"{at}.do", MAX_CHARACTERS),
        _bilingual(need(data, "see", f"{at}."), f"{at}.see", MAX_CHARACTERS),
        _told(need(data, "edits", f"{at}."), f"{at}.edits", MAX_EDITS, EDITS),
        _told(data.get("expects", []), f"{at}.expects", MAX_EXPECTED, EXPECTATIONS),
    )


@dataclass(frozen=True)
class _Kind:
    """What one kind of edit or expectation is told: arguments that must be there, others that may."""

    needed: Mapping[str, Read]
    free: Mapping[str, Read]


def _told(value: Any, place: str, most: int, kinds: Mapping[str, _Kind]) -> tuple[Told, ...]:
    return tuple(
        _one_told(an_object(item, f"{place}[{index}]"), f"{place}[{index}]", kinds)
        for index, item in enumerate(_limited(value, place, 0, most))
    )


def _one_told(data: dict[str, Any], at: str, kinds: Mapping[str, _Kind]) -> Told:
    word = "edit" if kinds is EDITS else "what"
    name = _one_of(*kinds)(need(data, word, f"{at}."), f"{at}.{word}")
    kind = kinds[name]
    rest = {key: value for key, value in data.items() if key != word}
    if name == "set_mask":  # its numbers are those of its kind
        return Told(name, {"mask": _mask(rest, at)}, at)
    _only(data, (word, *kind.needed, *kind.free), f"{at}.")
    arguments = {key: read(need(rest, key, f"{at}."), f"{at}.{key}") for key, read in kind.needed.items()}
    arguments |= {key: read(rest[key], f"{at}.{key}") for key, read in kind.free.items() if key in rest}
    _check_something_is_told(kind, arguments, at)
    return Told(name, arguments, at)


def _check_something_is_told(kind: _Kind, arguments: Mapping[str, Any], at: str) -> None:
    """Refuse what could say nothing, or never be so."""
    for keys in (_bounds, _chosen):
        if keys.keys() <= kind.free.keys() and not keys.keys() & arguments.keys():
            raise FileError("“{place}” needs one of {wanted}.", place=at, wanted=", ".join(keys))
    least, most = arguments.get("at_least", -math.inf), arguments.get("at_most", math.inf)
    if least > most:
        raise FileError(
            "“{place}” can never be so: “at_least” is {least}, “at_most” is {most}.",
            place=at,
            least=f"{least:g}",
            most=f"{most:g}",
        )


def _only(data: dict[str, Any], known: tuple[str, ...], at: str) -> None:
    for key in data:
        if key not in known:
            raise FileError(
                "“{place}” is not known there; {wanted} are.",
                place=f"{at}{shown(key)}",
                wanted=", ".join(known),
            )


def _limited(value: Any, place: str, least: int, most: int) -> list[Any]:
    items = a_list(value, place)
    if not least <= len(items) <= most:
        raise FileError(
            "“{place}” has {got} entries; {least} to {most} are possible.",
            place=place,
            got=len(items),
            least=least,
            most=most,
        )
    return items


def _bilingual(value: Any, place: str, most: int) -> Bilingual:
    """Read a text, or one in each language as ``{"ja": …, "en": …}``."""
    if isinstance(value, dict):
        _only(value, _LANGUAGES, f"{place}.")
        both = Bilingual(*(a_text(need(value, key, f"{place}."), f"{place}.{key}") for key in _LANGUAGES))
    else:
        both = Bilingual(*[a_text(value, place)] * 2)
    for text in (both.ja, both.en):
        if not text.strip():
            raise FileError("“{place}” is empty; write at least one word.", place=place)
        if len(text) > most:
            raise FileError(
                "“{place}” has {got} characters; at most {wanted} are possible.",
                place=place,
                got=len(text),
                wanted=most,
            )
    return both


def _a_place(value: Any, place: str) -> Place:
    is_name = isinstance(value, str | dict)
    return _bilingual(value, place, MAX_TITLE) if is_name else a_count(value, place)


def _a_sentence(value: Any, place: str) -> Bilingual:
    return _bilingual(value, place, MAX_CHARACTERS)


def _one_of(*wanted: str) -> Read:
    def read(value: Any, place: str) -> str:
        text = a_text(value, place)
        if text not in wanted:
            raise FileError(
                "“{place}” is “{got}”; {wanted} are possible.",
                place=place,
                got=shown(text),
                wanted=", ".join(wanted),
            )
        return text

    return read


def _between(least: float, most: float) -> Read:
    def read(value: Any, place: str) -> float:
        number = a_number(value, place)
        if not least <= number <= most:
            raise FileError(
                "“{place}” is {got}; a number from {least} to {most} is wanted.",
                place=place,
                got=f"{number:g}",
                least=f"{least:g}",
                most=f"{most:g}",
            )
        return number

    return read


_a_value = _between(-MAX_MAGNITUDE, MAX_MAGNITUDE)
_a_bound = _between(-1e12, 1e12)


def _mask_value(value: Any, place: str) -> float:
    return -math.inf if value == "-inf" else _a_bound(value, place)


def _numbers(value: Any, place: str) -> tuple[float, ...]:
    return tuple(_a_value(number, place) for number in _limited(value, place, 1, MAX_NUMBERS))


def _mask(data: dict[str, Any], at: str) -> Mask:
    try:
        return read_mask(data, _no_member)
    except AttnvizError as reason:
        raise FileError("“{place}”: {reason}", place=at, reason=reason) from reason


def _no_member(name: str, kind: str) -> NoReturn:
    raise FileError("A lesson holds its masks itself, not in “{name}”.", name=shown(name))


_vector = _one_of("q", "k", "v")
_of_number: dict[str, Read] = {"vector": _vector, "token": _a_place, "dimension": _a_place}
_cell: dict[str, Read] = {"query": _a_place, "key": _a_place}
_head: dict[str, Read] = {"head": _a_place}
_bounds: dict[str, Read] = {"at_least": _a_bound, "at_most": _a_bound}
_chosen: dict[str, Read] = {"head": _a_place, "token": _a_place, "key": _a_place}

EDITS: Mapping[str, _Kind] = {
    "select": _Kind({}, _chosen),
    "set_number": _Kind({**_of_number, "value": _a_value}, _head),
    "set_vector": _Kind({"vector": _vector, "token": _a_place, "values": _numbers}, _head),
    "set_mask": _Kind({}, {}),
    "set_mask_value": _Kind({"value": _mask_value}, {}),
    "set_scale_strength": _Kind({"value": _between(MIN_SCALE_STRENGTH, MAX_SCALE_STRENGTH)}, {}),
    "set_sentence": _Kind({"text": _a_sentence}, {}),
    "open_tab": _Kind({"tab": _one_of(*TABS)}, {}),
}
"""The edits of lessons by name, with what they are told."""

EXPECTATIONS: Mapping[str, _Kind] = {
    **{stage: _Kind(_cell, {**_head, **_bounds}) for stage in STAGES},
    "output": _Kind({"query": _a_place, "dimension": _a_place}, {**_head, **_bounds}),
    "number": _Kind(_of_number, {**_head, **_bounds}),
    "scale_strength": _Kind({}, _bounds),
    "selected": _Kind({}, _chosen),
    "tab": _Kind({"tab": _one_of(*TABS)}, {}),
}
"""What a step can expect, by name, with what it is told."""
