"""Errors a person reads: one sentence as a template with values.

Every raise names a literal English template. The window translates the template and fills the values in;
everybody else reads ``str(error)``.
"""

from __future__ import annotations

_LONGEST = 300


class AttnvizError(ValueError):
    """Something a person did or gave that cannot be taken, in one sentence.

    Parameters
    ----------
    template
        English sentence with ``{name}`` placeholders: what was wrong, what was got, what is wanted.
    **values
        What stands in the placeholders. Texts, and what other libraries say, are put on one line, printable
        and not endless: they may come from a file.
    """

    def __init__(self, template: str, **values: object) -> None:
        values = {name: _fit(value) for name, value in values.items()}
        super().__init__(template.format(**values))
        self.template = template
        self.values = values

    def __copy__(self) -> AttnvizError:
        """Give the same sentence without the traceback, which keeps alive what was at work.

        By ``__reduce__`` alone a copy would have it where another library has taught pickle tracebacks, as
        tblib does once dask's distributed is there.
        """
        return _rebuild(type(self), self.template, self.values)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.template, self.values))


class InputError(AttnvizError):
    """A value that a document cannot hold, or an edit that cannot be made; the document stays as it was."""


def one_line(text: str, length: int) -> str:
    """Give ``text`` on one line, printable, cut to ``length`` characters with an ellipsis."""
    clean = "".join(c if c.isprintable() else " " for c in text[: length + 1])
    return clean if len(text) <= length else clean[: length - 1] + "…"


def _fit(value: object) -> object:
    if isinstance(value, AttnvizError) or not isinstance(value, str | BaseException):
        return value
    return one_line(str(value), _LONGEST)


def _rebuild(kind: type[AttnvizError], template: str, values: dict[str, object]) -> AttnvizError:
    return kind(template, **values)
