"""Presets: documents that come with the program, from resources/presets.

A preset is a session's JSON in which any text may be given in each language, as ``{"ja": …, "en": …}``, with
a title, a note and a first language of its own. A head of position codes leaves out q and k. A layer of the
size of a real model says how it is made instead, under ``synthetic``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from attnviz.assets import resource_path
from attnviz.core.inputs import Inputs
from attnviz.core.numbers import shorten
from attnviz.core.position_codes import previous_token_vectors
from attnviz.core.selection import Selection
from attnviz.core.synthetic_layer import synthetic_layer
from attnviz.core.synthetic_text import synthetic_text
from attnviz.io.document_json import read_document
from attnviz.io.errors import FileError
from attnviz.io.reading import Watch, tell

DEFAULT = "neko"
_NAMES = (DEFAULT, "toy", "english", "translation", "linear-map", "andrea", "gpt2-small", "long")
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


def example_in(language: str | None) -> str:
    """Give the name of the preset whose heads a sentence of one's own gets, ``ja`` or any other language."""
    return DEFAULT if language == "ja" else "english"


def load_preset(name: str, language: str | None = None, watch: Watch | None = None) -> Preset:
    """Read a preset.

    Parameters
    ----------
    name
        One of ``preset_names()``.
    language
        ``ja`` or ``en``: the language of its title, note and names; None (or any other): the preset's own.
    watch
        Told how far the making of a preset is that takes long; where it says no, no more is made.

    Raises
    ------
    Stopped
        When ``watch`` has said no.
    FileError
        When there is no such preset; the sentence lists those there are.
    """
    data = _read(name, language)
    if "synthetic" in data:
        inputs, selection = _synthetic(data, watch)
    else:
        for head in data["heads"]:
            if head.get("source") == "positions":
                n_query, n_key = (len(data.get(name, data["tokens"])) for name in ("tokens", "key_tokens"))
                codes = previous_token_vectors(n_query, n_key)
                head["q"], head["k"] = (code.tolist() for code in codes)
        inputs, selection = read_document(data, _no_member)
    note = data.get("note", "")
    return Preset(name, data["title"], inputs, selection, "\n".join(note) if isinstance(note, list) else note)


def takes_long(name: str) -> bool:
    """Say whether a preset is made when it is loaded, which takes up to seconds; errors of load_preset."""
    return "synthetic" in _read(name, None)


def preset_title(name: str, language: str | None = None) -> str:
    """Give what a menu calls a preset, without making its document; parameters and errors of load_preset."""
    title: str = _read(name, language)["title"]
    return title


def _read(name: str, language: str | None) -> dict[str, Any]:
    if name not in _NAMES:
        raise FileError(
            "There is no preset “{got}”; {wanted} are there.", got=shorten(name), wanted=", ".join(_NAMES)
        )
    raw = json.loads(resource_path("presets", f"{name}.json").read_text("utf-8"))
    data: dict[str, Any] = _in_language(raw, language if language in _LANGUAGES else raw["language"])
    return data


def _synthetic(data: dict[str, Any], watch: Watch | None) -> tuple[Inputs, Selection]:
    """Make a layer as its preset says; its words come again and again until there are tokens enough."""
    said = data["synthetic"]

    def told(fraction: float) -> None:
        tell(watch, fraction)

    if "passages" in said:
        passages = [(length, times) for length, times in said["passages"]]
        inputs = synthetic_text(
            said["words"],
            said["name"],
            n_tokens=said["n_tokens"],
            passages=passages,
            seed=said["seed"],
            tell=told,
        )
        return inputs, Selection(**data["selection"])
    words, n_tokens = said["words"], said["n_tokens"]
    inputs = synthetic_layer(
        [words[index % len(words)] for index in range(n_tokens)],
        said["names"],
        d_model=said["d_model"],
        d_k=said["d_k"],
        seed=said["seed"],
        biased=said["biased"],
        tell=told,
    )
    return replace(inputs, mask_fill=data["mask_fill"]), Selection(**data["selection"])


def _in_language(value: Any, language: str) -> Any:
    """Give JSON values with every ``{"ja": …, "en": …}`` replaced by its entry."""
    if isinstance(value, dict):
        if value.keys() == set(_LANGUAGES):
            return value[language]
        return {key: _in_language(item, language) for key, item in value.items()}
    return [_in_language(item, language) for item in value] if isinstance(value, list) else value


def _no_member(name: str, kind: str) -> NDArray[Any]:
    raise FileError("A preset holds its arrays itself, not in “{name}”.", name=shorten(name))
