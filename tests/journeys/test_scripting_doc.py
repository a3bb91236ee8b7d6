"""docs/scripting.md is true: its example runs, and it lists just the names that the window has."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMessageBox

ROOT = Path(__file__).resolve().parents[2]
OF_QT = re.compile(r"qt_|_layout|Scroll(Left|Right)Button")


@pytest.fixture(scope="module")
def document() -> str:
    return (ROOT / "docs" / "scripting.md").read_text("utf-8")


def listed(document: str) -> set[str]:
    """Collect the names of the tables under ``All names``."""
    first_cells = re.findall(r"^\| (.*?) \|", document.partition("## All names")[2], re.MULTILINE)
    names = {name for cell in first_cells for name in re.findall(r"`([^`]+)`", cell)}
    return {re.sub(r"\{\w+\}", "{}", name) for name in names}


def names_now() -> set[str]:
    """Collect the names of all that there is, numbers written as ``{}``; Qt's own left out."""
    things = {thing for top in QApplication.topLevelWidgets() for thing in (top, *top.findChildren(QObject))}
    in_file_dialogs = {
        thing
        for dialog in things
        if dialog.objectName() == "file_dialog"
        for thing in dialog.findChildren(QObject)
    }
    names = {thing.objectName() for thing in things - in_file_dialogs}
    return {re.sub(r"(?<=/)\d+", "{}", name) for name in names if name and not OF_QT.match(name)}


def test_all_names_listed_are_in_the_window_and_all_in_the_window_are_listed(person, document, tmp_path):
    found = names_now()

    def look_and_leave() -> None:
        found.update(names_now())
        person.key(Qt.Key.Key_Escape)

    for keys in ("F1", "Ctrl+E", "Ctrl+O"):
        person.shortcut(keys)
        look_and_leave()
    person.shortcut("Ctrl+K")
    found.update(names_now())
    for names in (("help", "about"), ("file", "export_table")):
        person.choose(*names)
        look_and_leave()
    arrays = {"q": [[1.0]], "weights": [[1.0]]}  # one to be offered, one to be left out
    (tmp_path / "arrays.json").write_text(json.dumps(arrays), "utf-8")
    person.drop_file(tmp_path / "arrays.json")
    person.until(lambda: person.face() is not person.window)
    look_and_leave()
    QGuiApplication.clipboard().setText("long " * 3000)
    person.shortcut("Ctrl+L")
    person.shortcut("Ctrl+V")
    person.until(lambda: person.face() is not person.window)
    look_and_leave()
    QGuiApplication.clipboard().clear()
    for name in ("token/0", "head/0"):
        person.click(name)
        person.shortcut("F2")
        look_and_leave()
    person.click("cross_attention", QPoint(8, 15))
    person.click("key_token/0")
    person.shortcut("F2")
    look_and_leave()
    person.shortcut("Ctrl+Z")
    person.open_tab("vectors")
    for which in ("q", "k", "v"):
        person.click(person.control(f"vectors/{which}").viewport(), QPoint(10, 10))
        for modifiers in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier):
            person.key(Qt.Key.Key_F2, modifiers)
            look_and_leave()
    person.click("source/projection")
    person.click("bias")
    for part in ("x", "w", "result"):
        person.click(person.control(f"projection/{part}").viewport(), QPoint(10, 10))
        person.key(Qt.Key.Key_F2, Qt.KeyboardModifier.ShiftModifier)
        look_and_leave()
    person.shortcut("Ctrl+Z")
    person.shortcut("Ctrl+Z")
    person.enter_number("d_k", "20")
    person.shortcut("Ctrl+N")
    found.update(names_now())
    person.answer(QMessageBox.StandardButton.Cancel)
    assert sorted(found - listed(document)) == []
    assert sorted(listed(document) - found) == []


def test_the_worked_example_runs_as_it_stands(document, tmp_path):
    examples = re.findall(r"^```python\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)
    assert len(examples) == 1
    (tmp_path / "test_example.py").write_text(examples[0], "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", "test_example.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{examples[0].count('def test_')} passed" in done.stdout


def test_what_it_says_of_reading_can_be_asked(person, document):
    tables = document.partition("## Reading what is shown")[2].partition("## Typing Japanese")[0]
    handle = person.panel("weights")
    for method in re.findall(r"^\| `(\w+)\(", tables, re.MULTILINE):
        assert callable(getattr(handle, method))
    assert handle.label_rect("query", 6).isValid()
    for names, asked in re.findall(r"^\| ((?:`[\w/]+`(?:, )?)+)[^|]*\| ([^|]+) \|", tables, re.MULTILINE):
        for name in re.findall(r"`([\w/]+)`", names):
            thing = person.window.findChild(QObject, name)
            for attribute in re.findall(r"`(\w+)", asked):
                assert hasattr(thing, attribute), (name, attribute)
