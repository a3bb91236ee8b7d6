"""Every sentence an error may say is known to the translators; running this file renews their list."""

from __future__ import annotations

import ast
from pathlib import Path

from attnviz.core.errors import AttnvizError, InputError
from attnviz.gui.speech import say

PACKAGE = Path(__file__).resolve().parents[2] / "attnviz"
LIST = PACKAGE / "gui" / "error_texts.py"
SPOKEN_IN_ENGLISH = ("cli", "__main__.py")
"""What the command line says; the window never does."""
KINDS = {
    "AttnvizError",
    "DeviceFull",
    "DeviceLost",
    "EngineUnavailable",
    "FileError",
    "InputError",
    "LostArrayError",
}
HEADER = '''"""The English sentences of all errors, for translators; made by tests/gui/test_error_texts.py."""

# ruff: noqa: E501
# fmt: off

from PySide6.QtCore import QT_TRANSLATE_NOOP

TEMPLATES = (
'''


def raised_templates() -> set[str]:
    """Give every first argument of an error made anywhere in the package."""
    found: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        if path.relative_to(PACKAGE).parts[0] not in SPOKEN_IN_ENGLISH:
            found |= templates_in(ast.parse(path.read_text("utf-8")), path)
    return found


def templates_in(tree: ast.Module, path: Path) -> set[str]:
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KINDS:
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                found.add(first.value)
            elif isinstance(first, ast.Name) and isinstance(constants.get(first.id), str):
                found.add(constants[first.id])
            else:
                raise AssertionError(f"{path}:{node.lineno}: the template is no literal")
    return found


def list_text(templates: set[str]) -> str:
    lines = [f'    QT_TRANSLATE_NOOP("errors", {quoted(template)}),' for template in sorted(templates)]
    return HEADER + "".join(f"{line}\n" for line in lines) + ")\n"


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def test_the_list_of_error_sentences_is_complete_and_nothing_in_it_is_stale():
    expected = list_text(raised_templates())
    assert LIST.read_text("utf-8") == expected, (
        f"run python {Path(__file__).name} to bring the list up to date"
    )


def test_an_error_is_said_with_its_values_and_those_of_the_error_within():
    reason = InputError(
        "There is no {what} {got}; 0 to {last} are there, counted from 0.", what="head", got=3, last=1
    )
    error = AttnvizError("“{path}” cannot be opened: {reason}", path="a.attnviz", reason=reason)
    assert say(error) == str(error)
    assert say(error).endswith("There is no head 3; 0 to 1 are there, counted from 0.")


def test_a_translation_with_a_wrong_placeholder_does_not_hide_the_error(monkeypatch):
    monkeypatch.setattr("attnviz.gui.speech.QCoreApplication.translate", lambda context, text: "{nothing}")
    assert say(AttnvizError("There are {got} tokens.", got=3)) == "There are 3 tokens."


if __name__ == "__main__":
    LIST.write_text(list_text(raised_templates()), "utf-8")
