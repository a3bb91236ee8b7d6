"""What the edits of a lesson do, and whether what a step expects can be seen. Nothing here knows a widget.

The one table from the names that lessons use to the edits of core and text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from attnviz.core import edits
from attnviz.core.errors import AttnvizError, InputError
from attnviz.core.inputs import Inputs
from attnviz.core.request import check_index
from attnviz.core.selection import Selection
from attnviz.core.stages import Stages
from attnviz.io.errors import FileError
from attnviz.io.lesson_json import STAGES, Lesson, Place, Told
from attnviz.io.presets import load_preset


@dataclass(frozen=True, eq=False)
class Moment:
    """A document, what of it is looked at, and the tab in front; an empty name: whichever it was."""

    inputs: Inputs
    selection: Selection
    tab: str = ""


def beginning(lesson: Lesson, language: str) -> Moment:
    """Give what a lesson begins with, names in a language.

    Raises
    ------
    FileError
        When the setup cannot be made of the preset; the place is named.
    """
    preset = load_preset(lesson.preset, language)
    return played(Moment(preset.inputs, preset.selection), lesson.setup, language)


def after_step(lesson: Lesson, start: Moment, step: int, language: str) -> Moment:
    """Give what the steps up to this one make of the beginning.

    Raises
    ------
    FileError
        When one of their edits cannot be made; the place is named.
    """
    told = (edit for at in lesson.steps[: step + 1] for edit in at.edits)
    return played(start, told, language)


def check(lesson: Lesson, language: str) -> None:
    """Play a lesson to its end, so that nobody gets stuck in the middle.

    Raises
    ------
    FileError
        When an edit cannot be made, or a step expects something of what its edits leave not there; the place
        is named.
    """
    moment = beginning(lesson, language)
    for step in lesson.steps:
        moment = played(moment, step.edits, language)
        for told in step.expects:
            try:
                _check_names(moment.inputs, told.arguments)
            except InputError as reason:
                raise _refusal(told, reason) from reason


def played(moment: Moment, told: Iterable[Told], language: str) -> Moment:
    """Make edits one after the other.

    Raises
    ------
    FileError
        When one of them cannot be made; the place is named.
    """
    for edit in told:
        try:
            moment = _MAKERS[edit.name](moment, edit.arguments, language)
        except AttnvizError as reason:
            raise _refusal(edit, reason) from reason
    return moment


def _refusal(told: Told, reason: AttnvizError) -> FileError:
    return FileError("“{place}”: {reason}", place=told.place, reason=reason)


def is_seen(expects: Sequence[Told], stages: Stages, selection: Selection, tab: str) -> bool:
    """Say whether everything that is expected is so on the screen; what names nothing there is not."""
    try:
        return all(_SEERS[told.name](told.arguments, stages, selection, tab) for told in expects)
    except InputError:
        return False


def in_language(inputs: Inputs, preset: str, language: str) -> Inputs:
    """Give a document with the preset's names of heads and dimensions in another language, where it has them.

    A name that a person has written stays.
    """
    old, new = (load_preset(preset, name).inputs for name in ("en" if language == "ja" else "ja", language))
    heads = list(inputs.heads)
    for index, (head, before, after) in enumerate(zip(heads, old.heads, new.heads, strict=False)):
        name = after.name if head.name == before.name else head.name
        qk_names = _renamed(head.qk_names, before.qk_names, after.qk_names)
        v_names = _renamed(head.v_names, before.v_names, after.v_names)
        if (name, qk_names, v_names) != (head.name, head.qk_names, head.v_names):
            heads[index] = replace(head, name=name, qk_names=qk_names, v_names=v_names)
    return replace(inputs, heads=tuple(heads))


def _renamed(names: tuple[str, ...], old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) != len(old):
        return names
    return tuple(
        after if name == before else name for name, before, after in zip(names, old, new, strict=True)
    )


def _found(what: str, names: Sequence[str], place: Place) -> int:
    """Give the index of a head, token or dimension, the first where several have its name."""
    if isinstance(place, int):
        if what == "dimension":
            if place >= len(names):
                raise InputError(
                    "There is no dimension {got}; 0 to {last} are there, counted from 0.",
                    got=place,
                    last=len(names) - 1,
                )
        else:
            check_index(what, place, len(names))
        return place
    for index, name in enumerate(names):
        if place.has(name):
            return index
    raise InputError(
        "There is no {what} called “{got}”; {wanted} are there.",
        what=what,
        got=place.en,
        wanted=", ".join(names[:12]) + ("…" if len(names) > 12 else ""),
    )


def _head_of(inputs: Inputs, told: Any) -> int:
    return _found("head", [head.name for head in inputs.heads], told.get("head", 0))


def _number_at(inputs: Inputs, told: Any) -> tuple[int, str, int, int]:
    """Give head, vector, token and dimension."""
    head, which = _head_of(inputs, told), told["vector"]
    token = _token_of(inputs, which, told)
    return head, which, token, _found("dimension", inputs.heads[head].names_of(which), told["dimension"])


def _token_of(inputs: Inputs, which: str, told: Any) -> int:
    """Give the token whose q, k or v is told of; k and v are of the tokens that are seen."""
    return _found("token", inputs.tokens if which == "q" else inputs.key_labels, told["token"])


def _chosen(inputs: Inputs, told: Any, now: Selection) -> Selection:
    head = _head_of(inputs, told) if "head" in told else now.head
    query = _found("token", inputs.tokens, told["token"]) if "token" in told else now.query
    return Selection(head, query, _found("key", inputs.key_labels, told["key"]) if "key" in told else now.key)


def _check_names(inputs: Inputs, told: Any) -> None:
    """Refuse an expectation of a head, token, query, key or dimension that is not there."""
    head = inputs.heads[_head_of(inputs, told)]
    which = told.get("vector", "v")  # whose dimensions are meant; an output has those of v
    places = {"query": inputs.tokens, "key": inputs.key_labels, "dimension": head.names_of(which)}
    places["token"] = inputs.key_labels if told.get("vector") in ("k", "v") else inputs.tokens
    for what, names in places.items():
        if what in told:
            _found(what, names, told[what])


def _select(moment: Moment, told: Any, language: str) -> Moment:
    return replace(moment, selection=_chosen(moment.inputs, told, moment.selection))


def _set_number(moment: Moment, told: Any, language: str) -> Moment:
    place = _number_at(moment.inputs, told)
    return replace(moment, inputs=edits.set_vector_value(moment.inputs, *place, told["value"]))


def _set_vector(moment: Moment, told: Any, language: str) -> Moment:
    inputs, which = moment.inputs, told["vector"]
    head, token = _head_of(inputs, told), _token_of(inputs, which, told)
    wanted = len(inputs.heads[head].names_of(which))
    if len(told["values"]) != wanted:
        raise InputError(
            "“values” holds {got} numbers; {which} has {wanted} dimensions there.",
            got=len(told["values"]),
            which=which,
            wanted=wanted,
        )
    return replace(moment, inputs=edits.set_vector_block(inputs, head, which, token, 0, [told["values"]]))


def _set_mask(moment: Moment, told: Any, language: str) -> Moment:
    return replace(moment, inputs=edits.set_mask(moment.inputs, told["mask"]))


def _set_mask_value(moment: Moment, told: Any, language: str) -> Moment:
    return replace(moment, inputs=edits.set_mask_fill(moment.inputs, told["value"]))


def _set_scale_strength(moment: Moment, told: Any, language: str) -> Moment:
    return replace(moment, inputs=edits.set_scale_strength(moment.inputs, told["value"]))


def _set_sentence(moment: Moment, told: Any, language: str) -> Moment:
    from attnviz.text.token_edits import set_text  # only now: it reads the lexicon

    inputs = set_text(moment.inputs, told["text"].spoken(language))
    return replace(moment, inputs=inputs, selection=moment.selection.clamped(inputs))


def _open_tab(moment: Moment, told: Any, language: str) -> Moment:
    return replace(moment, tab=told["tab"])


_MAKERS: dict[str, Callable[[Moment, Any, str], Moment]] = {
    "select": _select,
    "set_number": _set_number,
    "set_vector": _set_vector,
    "set_mask": _set_mask,
    "set_mask_value": _set_mask_value,
    "set_scale_strength": _set_scale_strength,
    "set_sentence": _set_sentence,
    "open_tab": _open_tab,
}


def _lies_within(told: Any, value: float) -> bool:
    return bool(told.get("at_least", -math.inf) <= value <= told.get("at_most", math.inf))


def _sees_cell(stage: str) -> Callable[[Any, Stages, Selection, str], bool]:
    def sees(told: Any, stages: Stages, selection: Selection, tab: str) -> bool:
        inputs = stages.request.inputs
        query = _found("query", inputs.tokens, told["query"])
        key = _found("key", inputs.key_labels, told["key"])
        is_in_front = _head_of(inputs, told) == stages.request.region.head
        return is_in_front and _lies_within(told, getattr(stages.cell(query, key), stage))

    return sees


def _sees_output(told: Any, stages: Stages, selection: Selection, tab: str) -> bool:
    inputs, head = stages.request.inputs, stages.request.region.head
    query = _found("query", inputs.tokens, told["query"])
    dim = _found("dimension", inputs.heads[head].names_of("v"), told["dimension"])
    is_in_front = (_head_of(inputs, told), query) == (head, stages.row.query)
    return is_in_front and _lies_within(told, float(stages.row.output[dim]))


def _sees_number(told: Any, stages: Stages, selection: Selection, tab: str) -> bool:
    inputs = stages.request.inputs
    head, which, token, dim = _number_at(inputs, told)
    return _lies_within(told, float(getattr(inputs.heads[head], which)[token, dim]))


def _sees_scale(told: Any, stages: Stages, selection: Selection, tab: str) -> bool:
    return _lies_within(told, stages.request.inputs.scale_strength)


def _sees_selected(told: Any, stages: Stages, selection: Selection, tab: str) -> bool:
    return _chosen(stages.request.inputs, told, selection) == selection


def _sees_tab(told: Any, stages: Stages, selection: Selection, tab: str) -> bool:
    return bool(told["tab"] == tab)


_SEERS: dict[str, Callable[[Any, Stages, Selection, str], bool]] = {
    **{stage: _sees_cell(stage) for stage in STAGES},
    "output": _sees_output,
    "number": _sees_number,
    "scale_strength": _sees_scale,
    "selected": _sees_selected,
    "tab": _sees_tab,
}
