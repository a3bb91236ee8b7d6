"""A large document opens beside the window, which can be worked in meanwhile, and can stop it."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QProgressBar, QWidget

from attnviz.core.inputs import Head, Inputs
from attnviz.core.selection import Selection
from attnviz.io import opening
from attnviz.io.reading import Stopped
from attnviz.io.session import save_session

Button = QMessageBox.StandardButton


def large() -> Inputs:
    """Numbers that do not pack well: some 500 kB in a file."""
    random = np.random.default_rng(0)
    q, k, v = random.normal(size=(3, 300, 150)).astype(np.float32)
    return Inputs("t", tuple(f"t{index}" for index in range(300)), (Head("large", q, k, v),))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "large.attnviz"
    save_session(path, large(), Selection())
    return path


@pytest.fixture
def slow(monkeypatch):
    """Reading begins, and goes on when it is let."""
    gate, read = threading.Event(), opening.open_document

    def wait_and_read(path, watch=None):
        while not gate.wait(0.01):
            if watch is not None and not watch(0.25):
                raise Stopped
        return read(path, watch)

    monkeypatch.setattr(opening, "open_document", wait_and_read)
    yield gate
    gate.set()


def shows(person, name: str) -> bool:
    return person.window.findChild(QWidget, name).isVisible()


def test_the_window_is_worked_in_while_a_large_document_is_read(person, path, slow):
    person.drop_file(path)
    assert person.message() == f"Opening {path} …"
    person.click("token/3")
    person.until(person.window.live.is_up_to_date)
    assert person.selected_token() == "を"
    person.until(lambda: shows(person, "status/progress"))
    person.until(lambda: person.control("status/progress", QProgressBar).value() == 250)
    slow.set()
    person.settle()
    assert person.message() == f"Opened {path}."
    assert person.window.document.inputs.equals(large())
    assert not shows(person, "status/progress")


def test_opening_can_be_cancelled_and_leaves_what_there_was(person, path, slow):
    bars = person.bars()
    person.drop_file(path)
    person.until(lambda: shows(person, "status/cancel"))
    person.click("status/cancel")
    person.settle()
    assert person.message() == "Cancelled."
    assert person.bars() == bars
    assert not shows(person, "status/cancel")


def test_what_was_changed_while_a_document_was_read_is_asked_about(person, path, slow):
    person.drop_file(path)
    person.click("scale_strength/number")
    person.shortcut("Ctrl+A")
    person.type("2")
    person.key(Qt.Key.Key_Return)
    slow.set()
    person.answer(Button.Cancel)
    assert person.field("scale_strength/number") == "2.0"
    person.drop_file(path)
    person.answer(Button.Discard)
    person.settle()
    assert person.tokens()[0] == "t0"


def test_another_wish_is_not_overtaken_by_what_is_still_read(person, path, slow):
    person.drop_file(path)
    person.choose("presets", "preset/toy")
    slow.set()
    person.settle()
    assert person.tokens()[0] != "t0"


def test_a_large_file_that_is_damaged_is_refused_and_the_document_stays(person, path):
    before = person.bars()
    path.write_bytes(path.read_bytes()[:-300_000])
    person.drop_file(path)
    person.settle()
    assert person.message() == f"“{path}” cannot be opened: It is damaged or cut short."
    assert person.bars() == before


def test_a_window_closes_while_a_document_is_read(person, path, slow):
    person.drop_file(path)
    person.window.close()
    assert not person.window.isVisible()
