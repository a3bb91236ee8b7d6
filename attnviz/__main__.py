"""The command line: ``attnviz`` and ``python -m attnviz``. The only place that prints and gives exit codes.

Exit code 0, or 2 with one sentence on standard error. Every command is imported when it is asked for; Qt only
for the window and for ``render``.
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from attnviz import __version__
from attnviz.cli.arguments import Told
from attnviz.core.errors import AttnvizError

_BAD_INPUT = 2
_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the arguments ask for.

    Parameters
    ----------
    argv
        Arguments without the program's name; None: those of the process.

    Returns
    -------
    int
        0, 2 for bad input, 130 when interrupted from the keyboard.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # UTF-8 whatever the locale says
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        try:
            code = _run(list(sys.argv[1:] if argv is None else argv))
        except Told as told:  # --help and --version
            _write([str(told).encode()])
            code = 0
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader has had enough, as in `attnviz export -o - | head`
        _forget(sys.stdout)
        return 0
    except AttnvizError as error:
        return _refuse(str(error))
    except MemoryError:
        return _refuse("There is not enough memory for this.")
    except KeyboardInterrupt:
        return _INTERRUPTED


def _run(argv: list[str]) -> int:
    match argv[:1]:
        case ["presets"]:
            from attnviz.cli import presets

            _write([presets.run(argv[1:]).encode()])
        case ["engines"]:
            from attnviz.cli import engines

            _write([engines.run(argv[1:]).encode()])
        case ["export"]:
            from attnviz.cli import export

            _write(export.run(export.parse(argv[1:])))
        case ["render"]:
            from attnviz.cli import render

            options = render.parse(argv[1:])
            with _qt():
                from attnviz.gui.render_command import render as draw
            if note := draw(options):
                _say(note)
        case _:
            from attnviz.cli import window

            path, engine = window.parse(argv, __version__)
            gc.disable()  # what is loaded stays: looking for garbage in it takes a tenth of the start
            try:
                with _qt():
                    from attnviz.gui.app import run
                return run(path, engine)  # it looks for garbage again as soon as its window is there
            finally:
                gc.enable()
    return 0


@contextlib.contextmanager
def _qt() -> Iterator[None]:
    """Turn a system library that Qt lacks into a sentence."""
    try:
        yield
    except ImportError as error:
        if error.name and error.name.startswith("attnviz"):
            raise
        raise AttnvizError(
            "Qt cannot be loaded ({reason}); `make run` installs what it needs.", reason=error
        ) from error


def _write(parts: Iterable[bytes]) -> None:
    """Write bytes to standard output."""
    if sys.stdout is None:
        raise AttnvizError("There is no standard output to write to.")
    try:
        for part in parts:
            sys.stdout.buffer.write(part)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _forget(sys.stdout)
        raise AttnvizError(
            "Standard output cannot be written: {reason}.", reason=error.strerror or error
        ) from error


def _forget(stream: TextIO) -> None:
    """Keep the interpreter from flushing, when it ends, to a stream that takes nothing."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _refuse(sentence: str) -> int:
    _say(sentence)
    return _BAD_INPUT


def _say(sentence: str) -> None:
    try:
        print(sentence, file=sys.stderr)
    except OSError:  # full or gone: nobody can be told
        _forget(sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
