"""Errors a person reads: one sentence as a template with values.

Every raise names a literal English template. The window translates the template and fills the values in;
everybody else reads ``str(error)``.
"""

from __future__ import annotations


class AttnvizError(ValueError):
    """Something a person did or gave that cannot be taken, in one sentence.

    Parameters
    ----------
    template
        English sentence with ``{name}`` placeholders: what was wrong, what was got, what is wanted.
    **values
        What stands in the placeholders.
    """

    def __init__(self, template: str, **values: object) -> None:
        super().__init__(template.format(**values))
        self.template = template
        self.values = values

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.template, self.values))


class InputError(AttnvizError):
    """A value that a document cannot hold, or an edit that cannot be made; the document stays as it was."""


def _rebuild(kind: type[AttnvizError], template: str, values: dict[str, object]) -> AttnvizError:
    return kind(template, **values)
