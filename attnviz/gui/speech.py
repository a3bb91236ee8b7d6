"""What the window says about errors, in its own language; error_texts.py lists the English templates."""

from __future__ import annotations

import re

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from attnviz.core.errors import AttnvizError

_OWN_WORDS = ("what", "which", "kind")
"""The placeholders that hold the program's own words; all others hold what a person or a file gave."""

WORDS = (
    QT_TRANSLATE_NOOP("words", "head"),
    QT_TRANSLATE_NOOP("words", "query"),
    QT_TRANSLATE_NOOP("words", "key"),
    QT_TRANSLATE_NOOP("words", "token"),
    QT_TRANSLATE_NOOP("words", "dimension"),
    QT_TRANSLATE_NOOP("words", "queries"),
    QT_TRANSLATE_NOOP("words", "keys"),
    QT_TRANSLATE_NOOP("words", "q and k"),
    QT_TRANSLATE_NOOP("words", "The mask"),
    QT_TRANSLATE_NOOP("words", "a number"),
    QT_TRANSLATE_NOOP("words", "a huge number"),
    QT_TRANSLATE_NOOP("words", "a whole number from 0"),
    QT_TRANSLATE_NOOP("words", "a text"),
    QT_TRANSLATE_NOOP("words", "true or false"),
    QT_TRANSLATE_NOOP("words", "a list"),
    QT_TRANSLATE_NOOP("words", "an object"),
)
"""Words that errors put into their sentences; a symbol such as q says itself."""

_THREADS = re.compile(r"(?P<engine>.+), (?P<count>\d+) threads?")


def say(error: AttnvizError) -> str:
    """Give the error as one sentence in the language of the window."""
    template = QCoreApplication.translate("errors", error.template)
    try:
        return template.format(**{name: _part(name, part) for name, part in error.values.items()})
    except (
        KeyError,
        IndexError,
        ValueError,
    ):  # a translation with a wrong placeholder must not hide the error
        return str(error)


def say_engine(name: str) -> str:
    """Give an engine's name, the number of its threads in the language of the window."""
    found = _THREADS.fullmatch(name)
    if found is None:
        return name
    if found["count"] == "1":
        return QCoreApplication.translate("engines", "{engine}, 1 thread").format(**found.groupdict())
    return QCoreApplication.translate("engines", "{engine}, {count} threads").format(**found.groupdict())


def _part(name: str, part: object) -> object:
    if isinstance(part, AttnvizError):
        return say(part)
    is_word = name in _OWN_WORDS and isinstance(part, str) and part in WORDS
    return QCoreApplication.translate("words", str(part)) if is_word else part
