"""A person saves, opens again and closes: nothing is lost, and everything that happens is said."""

from __future__ import annotations

import errno
import os

import pytest
from PySide6.QtWidgets import QMessageBox

from attnviz.core.selection import Selection
from attnviz.io.presets import load_preset
from attnviz.io.session import save_session

Button = QMessageBox.StandardButton


def change(person, text: str = "0.5") -> None:
    person.enter_number("q/0/1/number", text)


def saved(person, path):
    """Save what is there to a file of that name."""
    person.shortcut("Ctrl+S")
    person.choose_file(path)
    return path


def test_saving_changing_and_opening_again_brings_the_saved_document_back(person, tmp_path):
    change(person)
    person.shortcut("Ctrl+2")
    person.click("token/3")
    path = saved(person, tmp_path / "mine.attnviz")
    assert str(path) in person.message()
    before = person.bars()
    person.click("mask")
    person.shortcut("Ctrl+1")
    person.settle()
    person.shortcut("Ctrl+O")
    person.choose_file(path)
    person.answer(Button.Discard)
    person.settle()
    assert person.message() == f"Opened {path}."
    assert person.bars() == before
    assert person.head_in_front() == "previous"
    assert person.selected_token() == "を"
    person.click("token/6")
    person.settle()
    assert person.field("q/0/1/number") == "0.5"


def test_the_title_names_the_document_and_marks_changes(person, tmp_path):
    assert person.window.windowTitle() == "猫が魚を食べた。それは新鮮だった[*] — attnviz"
    assert not person.window.isWindowModified()
    change(person)
    assert person.window.isWindowModified()
    saved(person, tmp_path / "mine.attnviz")
    assert person.window.windowTitle() == "mine[*] — attnviz"
    assert not person.window.isWindowModified()
    change(person, "0.7")
    person.shortcut("Ctrl+Z")
    person.settle()
    assert not person.window.isWindowModified()


def test_saving_again_asks_for_no_name_and_saving_as_does(person, tmp_path):
    first = saved(person, tmp_path / "first.attnviz")
    change(person)
    old = first.read_bytes()
    person.shortcut("Ctrl+S")
    assert first.read_bytes() != old
    person.shortcut("Ctrl+Shift+S")
    person.choose_file(tmp_path / "second")
    assert (tmp_path / "second.attnviz").exists()
    assert person.window.windowTitle().startswith("second")


@pytest.mark.parametrize("ending", ["Ctrl+N", "Ctrl+O", "Ctrl+Q", "preset"])
def test_before_changes_are_lost_it_is_asked_and_cancel_keeps_them(person, ending, tmp_path):
    save_session(tmp_path / "other.attnviz", load_preset("toy").inputs, Selection())
    change(person)
    if ending == "preset":
        person.choose("presets", "preset/toy")
    else:
        person.shortcut(ending)
    if ending == "Ctrl+O":
        person.choose_file(tmp_path / "other.attnviz")
    person.answer(Button.Cancel)
    assert person.window.isVisible()
    assert person.field("q/0/1/number") == "0.5"
    assert person.window.isWindowModified()


def test_closing_offers_to_save_and_saves(person, tmp_path):
    change(person)
    person.shortcut("Ctrl+Q")
    person.answer(Button.Save)
    person.choose_file(tmp_path / "last.attnviz")
    person.until(lambda: not person.window.isVisible())
    assert (tmp_path / "last.attnviz").stat().st_size > 0


def test_discarding_closes(person):
    change(person)
    person.window.close()
    person.answer(Button.Discard)
    person.until(lambda: not person.window.isVisible())


def test_an_unchanged_document_closes_without_a_question(person):
    person.shortcut("Ctrl+Q")
    assert not person.window.isVisible()


@pytest.mark.parametrize("content", ["nothing", "text", "cut short"])
def test_a_damaged_file_leaves_the_document_unasked_and_says_why(person, tmp_path, content):
    path = saved(person, tmp_path / "mine.attnviz")
    whole = path.read_bytes()
    broken = tmp_path / "broken.attnviz"
    broken.write_bytes(
        {"nothing": b"", "text": b"dear diary", "cut short": whole[: len(whole) // 2]}[content]
    )
    change(person)
    saved_title = person.window.windowTitle()
    person.shortcut("Ctrl+O")
    person.choose_file(broken)
    person.until(lambda: "broken.attnviz" in person.message())
    assert person.window.findChild(QMessageBox, "unsaved") is None  # nothing would be lost
    assert person.refusal() == person.message()
    assert person.field("q/0/1/number") == "0.5"
    assert person.window.isWindowModified()
    assert person.window.windowTitle() == saved_title


def test_saving_into_a_folder_that_is_gone_says_so(person, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    path = saved(person, folder / "mine.attnviz")
    path.unlink()
    folder.rmdir()
    change(person)
    person.shortcut("Ctrl+S")
    assert "there is no folder" in person.message()
    assert person.window.isWindowModified()


def test_saving_into_a_read_only_folder_keeps_the_old_file(person, tmp_path, monkeypatch):
    path = saved(person, tmp_path / "mine.attnviz")
    old = path.read_bytes()
    change(person)
    open_as_usual = os.open

    def refuse_new_files(name, flags, *arguments, **options):  # also where root could write
        if flags & os.O_CREAT:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return open_as_usual(name, flags, *arguments, **options)

    monkeypatch.setattr(os, "open", refuse_new_files)
    person.shortcut("Ctrl+S")
    assert person.message() == f"“{path}” cannot be written: its folder is read-only."
    assert person.refusal() == person.message()
    assert path.read_bytes() == old
    assert person.window.isWindowModified()


def test_recent_files_are_offered_and_can_be_forgotten(person, tmp_path):
    change(person)
    path = saved(person, tmp_path / "mine.attnviz")
    person.choose("presets", "preset/toy")
    person.settle()
    person.choose_in_menus(["file", "recent"], lambda action: action.text().startswith("mine.attnviz"))
    person.settle()
    assert person.window.windowTitle() == "mine[*] — attnviz"
    assert person.field("q/0/1/number") == "0.5"
    assert path.exists()
    person.choose("file", "recent", "forget_recent")
    recent = person.window.menus.menu("recent")
    recent.aboutToShow.emit()
    assert [action.isEnabled() for action in recent.actions()] == [False]


def test_a_new_document_is_one_word(person):
    person.shortcut("Ctrl+N")
    person.settle()
    assert person.tokens() == ["cat"]
    assert person.bars() == ["100.0%"]
