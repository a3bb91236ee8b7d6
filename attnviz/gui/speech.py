"""What the window says about errors, in its own language; error_texts.py lists the English templates."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from attnviz.core.errors import AttnvizError


def say(error: AttnvizError) -> str:
    """Give the error as one sentence in the language of the window."""
    template = QCoreApplication.translate("errors", error.template)
    values = {
        name: say(part) if isinstance(part, AttnvizError) else part for name, part in error.values.items()
    }
    try:
        return template.format(**values)
    except (
        KeyError,
        IndexError,
        ValueError,
    ):  # a translation with a wrong placeholder must not hide the error
        return str(error)


def say_reason(template: str) -> str:
    """Give a reason that comes as a plain English sentence in the language of the window."""
    return QCoreApplication.translate("errors", template) if template else ""
