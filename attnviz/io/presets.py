"""Presets: documents that come with the program, from resources/presets.

A preset is a session's JSON in which any text may be given in each language, as ``{"ja": …, "en": …}``, with
a title, a note and a first language of its own. A head of position codes leaves out q and k.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from attnviz.assets import resource_path
from attnviz.core.inputs import Inputs
from attnviz.core.numbers import shorten
from attnviz.core.position_codes import previous_token_vectors
from attnviz.core.selection import Selection
from attnviz.io.document_json import read_document
from attnviz.io.errors import FileError

DEFAULT = "neko"
_NAMES = (DEFAULT, "toy", "english", "linear-map")
_LANGUAGES = ("ja", "en")


@dataclass(frozen=True)
class Preset:
    """A document that comes with the program.

    Attributes
    ----------
    name
        What the command line calls it.
    title
        What a menu calls it.
    inputs, selection
        The document and what of it is looked at first.
    note
        Words to read beside it, as Markdown with paragraphs, lists and tables; may be empty.
    """

    name: str
    title: str
    inputs: Inputs
    selection: Selection
    note: str


def preset_names() -> tuple[str, ...]:
    """Give the names of all presets, in the order of a menu."""
    return _NAMES


def load_preset(name: str, language: str | None = None) -> Preset:
    """Read a preset.

    Parameters
    ----------
    name
        One of ``preset_names()``.
    language
        ``ja`` or ``en``: the language of its title, note and names; None (or any other): the preset's own.

    Raises
    ------
    FileError
        When there is no such preset; the sentence lists those there are.
    """
    if name not in _NAMES:
        raise FileError(
            "There is no preset “{got}”; {wanted} are there.", got=shorten(name), wanted=", ".join(_NAMES)
        )
    raw = json.loads(resource_path("presets", f"{name}.json").read_text("utf-8"))
    data = _in_language(raw, language if language in _LANGUAGES else raw["language"])
    for head in data["heads"]:
        if head.get("source") == "positions":
            head["q"], head["k"] = (codes.tolist() for codes in previous_token_vectors(len(data["tokens"])))
    inputs, selection = read_document(data, _no_member)
    note = data.get("note", "")
    return Preset(name, data["title"], inputs, selection, "\n".join(note) if isinstance(note, list) else note)


def _in_language(value: Any, language: str) -> Any:
    """Give JSON values with every ``{"ja": …, "en": …}`` replaced by its entry."""
    if isinstance(value, dict):
        if value.keys() == set(_LANGUAGES):
            return value[language]
        return {key: _in_language(item, language) for key, item in value.items()}
    return [_in_language(item, language) for item in value] if isinstance(value, list) else value


def _no_member(name: str, kind: str) -> NDArray[Any]:
    raise FileError("A preset holds its arrays itself, not in “{name}”.", name=shorten(name))
