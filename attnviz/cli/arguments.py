"""What the subcommands share: a parser whose errors are sentences, checked values."""

from __future__ import annotations

import argparse
import locale
import re
from collections.abc import Mapping, Sequence
from typing import NoReturn

from attnviz.core.errors import AttnvizError
from attnviz.core.numbers import shorten
from attnviz.engine.select import VARIABLE, WISHES, engine_of
from attnviz.io.presets import DEFAULT

_WHOLE = re.compile(r"[+-]?\d{1,9}", re.ASCII)


class UsageError(AttnvizError):
    """Arguments that make no sense, in one sentence."""


class Told(Exception):  # noqa: N818  (an answer, not an error)
    """A text that was asked for, such as help, in place of doing anything."""


class Parser(argparse.ArgumentParser):
    """An argument parser that raises UsageError or Told, prints nothing and takes no abbreviated options."""

    def __init__(self, program: str, description: str, epilog: str | None = None) -> None:
        super().__init__(
            prog=program,
            description=description,
            epilog=epilog,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    def add_document(self) -> None:
        """Add the two ways to name a document."""
        self.add_argument(
            "file",
            metavar="FILE",
            nargs="?",
            help="session to work on (.attnviz), PNG that carries one, or plain text (.txt, .md)",
        )
        self.add_argument(
            "--preset", metavar="NAME", help=f"preset to work on (default, without FILE: {DEFAULT})"
        )

    def add_engine(self, default: str) -> None:
        """Add the choice of an engine; ``default`` says what happens without it."""
        self.add_argument(
            "--engine", metavar="ENGINE", help=f"auto, cuda or cpu, as in {VARIABLE} (default: {default})"
        )

    def error(self, message: str) -> NoReturn:
        """Raise UsageError in place of printing the usage and exiting."""
        raise UsageError(
            "{problem}; see {program} --help.",
            problem=shorten(message[:1].upper() + message[1:], 300),
            program=self.prog,
        )

    def _print_message(self, message: str, file: object = None) -> NoReturn:
        """Hand on help and version; argparse itself would be silent about an output that is full."""
        raise Told(message)


def whole_number(option: str, text: str) -> int:
    """Give an option's text as an integer.

    Raises
    ------
    UsageError
        When it is none, or has more than nine digits.
    """
    if not _WHOLE.fullmatch(text):
        raise UsageError(
            "{option} {got} makes no sense; a whole number is wanted.",
            option=option,
            got=f"“{shorten(text)}”",
        )
    return int(text)


def one_of(option: str, text: str, choices: Sequence[str]) -> str:
    """Give an option's text if it is one of the choices.

    Raises
    ------
    UsageError
        When it is not; the sentence lists them.
    """
    if text not in choices:
        raise UsageError(
            "{option} “{got}” is not there; choose one of {choices}.",
            option=option,
            got=shorten(text),
            choices=", ".join(choices),
        )
    return text


def engine_wish(option: str | None, environment: Mapping[str, str]) -> str | None:
    """Give the engine asked for: by --engine, else by the environment, else None.

    Raises
    ------
    AttnvizError
        When what counts is none of the three.
    """
    return engine_of(environment) if option is None else one_of("--engine", option, WISHES)


def system_language(environment: Mapping[str, str]) -> str:
    """Give ``ja`` or ``en``: what the environment, or else the system's locale, asks for."""
    asked = next(
        (environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), None
    )
    return "ja" if (asked or locale.getlocale()[0] or "").lower().startswith("ja") else "en"
