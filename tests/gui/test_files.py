"""Files and presets: nothing is lost, nothing is half written, and every action says what it did."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox, QProgressBar, QToolButton, QWidget

from attnviz.core import edits
from attnviz.core.selection import Selection
from attnviz.gui import files
from attnviz.io.reading import Stopped, tell
from attnviz.io.session import open_session, save_session

Button = QMessageBox.StandardButton


def change(window) -> None:
    window.document.apply(lambda inputs: edits.set_scale_strength(inputs, 2.0))


def question(window) -> QMessageBox | None:
    asked = [box for box in window.findChildren(QMessageBox, "unsaved") if box.isVisible()]
    return asked[0] if asked else None


def answer(window, button) -> None:
    question(window).button(button).click()


def choose_file(window, path: Path) -> None:
    """Choose a file in the dialog that is open."""
    dialog = next(dialog for dialog in window.findChildren(QFileDialog) if dialog.isVisible())
    dialog.selectFile(str(path))
    dialog.accept()


def test_saving_asks_for_a_file_once_and_says_where_it_wrote(window, tmp_path):
    change(window)
    window.deeds["save"].trigger()
    path = tmp_path / "mine.attnviz"
    choose_file(window, path)
    assert window.document.is_clean
    assert str(path) in window.status.currentMessage()
    assert window.windowTitle().startswith("mine")
    assert open_session(path).inputs.equals(window.document.inputs)
    window.document.apply(lambda inputs: edits.set_scale_strength(inputs, 3.0))
    window.deeds["save"].trigger()
    assert open_session(path).inputs.scale_strength == 3.0


def test_a_person_who_opens_nothing_keeps_the_lesson_that_runs(window):
    window.lessons.begin_named("mask-off")
    window.deeds["open"].trigger()
    next(dialog for dialog in window.findChildren(QFileDialog) if dialog.isVisible()).reject()
    assert window.lessons.is_running


def test_opening_a_session_shows_it_and_remembers_it(window, tmp_path, small_inputs):
    path = tmp_path / "small.attnviz"
    save_session(path, small_inputs, Selection(1, 2, 0))
    window.deeds["open"].trigger()
    choose_file(window, path)
    assert window.document.inputs.equals(small_inputs)
    assert window.document.selection == Selection(1, 2, 0)
    assert window.document.path == path
    recent = window.menus.menu("recent")
    recent.aboutToShow.emit()
    assert recent.actions()[0].text().startswith("small.attnviz")
    window.menus.preset_chosen.emit("toy")
    recent.aboutToShow.emit()
    recent.actions()[0].trigger()
    assert window.document.path == path
    window.deeds["forget_recent"].trigger()
    recent.aboutToShow.emit()
    assert not recent.actions()[0].isEnabled()


@pytest.mark.parametrize("content", [None, b"", b"no session", b"PK\x05\x06" + bytes(18)])
def test_a_file_that_cannot_be_opened_leaves_the_document_and_says_why(window, tmp_path, content):
    path = tmp_path / "broken.attnviz"
    if content is not None:
        path.write_bytes(content)
    before = window.document.inputs
    window.files.open_file(path)
    assert window.document.inputs is before
    assert window.document.preset == "neko"
    assert "broken.attnviz" in window.status.currentMessage()


def test_a_save_that_fails_leaves_the_old_file_and_the_document_unsaved(window, tmp_path, monkeypatch):
    path = tmp_path / "mine.attnviz"
    change(window)
    window.deeds["save"].trigger()
    choose_file(window, path)
    old = path.read_bytes()

    def full_disk(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    window.document.apply(lambda inputs: edits.set_scale_strength(inputs, 3.0))
    window.deeds["save"].trigger()
    assert path.read_bytes() == old
    assert not window.document.is_clean
    assert "the disk is full" in window.status.currentMessage()
    assert list(tmp_path.glob(".attnviz-*")) == []


def test_a_save_into_a_missing_folder_says_so(window, tmp_path):
    change(window)
    window.document.mark_saved(tmp_path / "gone" / "mine.attnviz")
    window.document.apply(lambda inputs: edits.set_scale_strength(inputs, 3.0))
    window.deeds["save"].trigger()
    assert "there is no folder" in window.status.currentMessage()
    assert not window.document.is_clean


def endings(window, tmp_path, small_inputs):
    path = tmp_path / "other.attnviz"
    save_session(path, small_inputs, Selection())
    return {
        "new": window.deeds["new"].trigger,
        "recent": lambda: window.menus.recent_file_chosen.emit(path),
        "preset": lambda: window.menus.preset_chosen.emit("toy"),
        "close": window.close,
    }


@pytest.mark.parametrize("ending", ["new", "recent", "preset", "close"])
def test_whatever_ends_an_edited_document_asks_first_and_cancel_keeps_it(
    window, tmp_path, small_inputs, ending
):
    change(window)
    edited = window.document.inputs
    endings(window, tmp_path, small_inputs)[ending]()
    assert question(window) is not None
    answer(window, Button.Cancel)
    assert window.document.inputs is edited
    assert window.isVisible()


@pytest.mark.parametrize("ending", ["new", "recent", "preset", "close"])
def test_discarding_goes_on(window, tmp_path, small_inputs, ending):
    change(window)
    edited = window.document.inputs
    endings(window, tmp_path, small_inputs)[ending]()
    answer(window, Button.Discard)
    assert window.document.inputs is not edited or not window.isVisible()


def test_saving_before_closing_saves_and_closes(window, tmp_path):
    change(window)
    window.close()
    answer(window, Button.Save)
    assert window.isVisible()
    path = tmp_path / "last.attnviz"
    choose_file(window, path)
    assert not window.isVisible()
    assert open_session(path).inputs.scale_strength == 2.0


def test_a_save_that_fails_does_not_close(window, tmp_path):
    window.document.mark_saved(tmp_path / "gone" / "mine.attnviz")
    change(window)
    window.close()
    answer(window, Button.Save)
    assert window.isVisible()
    assert not window.document.is_clean


def test_the_question_is_asked_once_at_a_time(window):
    change(window)
    window.close()
    window.close()
    assert len(window.findChildren(QMessageBox, "unsaved")) == 1
    answer(window, Button.Cancel)


@pytest.mark.parametrize("undo", [False, True])
def test_an_unchanged_document_is_closed_without_a_question(window, undo):
    if undo:
        change(window)
        window.document.undo()
    window.close()
    assert question(window) is None
    assert not window.isVisible()


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_new_document_is_one_word_that_the_lexicon_knows(make_window, language):
    window = make_window(language=language)
    window.deeds["new"].trigger()
    assert window.document.inputs.n_tokens == 1
    assert window.document.is_clean
    assert window.document.path is None
    assert window.document.preset is None
    assert window.document.inputs.heads[0].q.any()


@pytest.mark.parametrize(
    "name", ["neko", "toy", "english", "translation", "linear-map", "andrea", "gpt2-small", "long"]
)
def test_every_preset_is_in_the_menu_and_opens(qtbot, window, name):
    actions = {action.objectName(): action for action in window.menus.menu("presets").actions()}
    actions[f"action/preset/{name}"].trigger()
    qtbot.waitUntil(lambda: not window.background.is_busy)
    assert window.document.preset == name
    assert window.document.is_clean


# --- presets that take long are made beside the window


@pytest.fixture
def slow_preset(monkeypatch):
    """Making begins, and goes on when it is let."""
    gate, make = threading.Event(), files.load_preset

    def wait_and_make(name, language=None, watch=None):
        while watch is not None and not gate.wait(0.01):
            tell(watch, 0.25)
        return make(name, language, watch)

    monkeypatch.setattr(files, "load_preset", wait_and_make)
    yield gate
    gate.set()


def is_visible(window, name: str) -> bool:
    return window.findChild(QWidget, name).isVisible()


def test_a_preset_that_takes_long_is_made_beside_the_window(qtbot, window, slow_preset):
    window.files.open_preset("andrea")
    assert window.document.preset == "neko"
    assert window.status.currentMessage().startswith("Making “")
    window.document.select_query(3)  # it can be worked in
    bar = window.findChild(QProgressBar, "status/progress")
    qtbot.waitUntil(lambda: bar.isVisible() and bar.value() == 250)
    assert bar.accessibleName().startswith("Progress: Making “")
    slow_preset.set()
    qtbot.waitUntil(lambda: not window.background.is_busy)
    assert window.document.preset == "andrea"
    assert bar.accessibleName() == "Progress of the computation"


def test_making_a_preset_can_be_cancelled(qtbot, window, slow_preset):
    before = window.document.inputs
    window.files.open_preset("andrea")
    qtbot.waitUntil(lambda: is_visible(window, "status/cancel"))
    window.findChild(QToolButton, "status/cancel").click()
    qtbot.waitUntil(lambda: not window.background.is_busy)
    assert window.document.inputs is before
    assert window.status.currentMessage() == "Cancelled."


def test_what_is_changed_while_a_preset_is_made_is_asked_about(qtbot, window, slow_preset):
    window.files.open_preset("andrea")
    change(window)
    edited = window.document.inputs
    slow_preset.set()
    qtbot.waitUntil(lambda: question(window) is not None)
    answer(window, Button.Cancel)
    assert window.document.inputs is edited


def test_what_is_changed_while_a_preset_is_said_in_another_language_is_kept(qtbot, window, slow_preset):
    slow_preset.set()
    window.files.open_preset("andrea")
    qtbot.waitUntil(lambda: window.document.preset == "andrea")
    slow_preset.clear()
    window.deeds["language/ja"].trigger()
    change(window)
    edited = window.document.inputs
    slow_preset.set()
    qtbot.waitUntil(lambda: not window.background.is_busy)
    assert question(window) is None
    assert window.document.inputs is edited


# --- large documents are written beside the window


@pytest.fixture
def large(monkeypatch):
    """Let every document count as large."""
    monkeypatch.setattr(files, "_SOON_WRITTEN", 0)


def test_a_large_document_is_saved_beside_the_window(qtbot, window, large, tmp_path):
    change(window)
    window.deeds["save"].trigger()
    path = tmp_path / "large.attnviz"
    choose_file(window, path)
    assert window.background.is_busy
    assert window.status.currentMessage().startswith("Saving ")
    qtbot.waitUntil(lambda: not window.background.is_busy)
    assert window.document.is_clean
    assert window.document.path == path
    assert window.status.currentMessage().startswith("Saved ")
    assert open_session(path).inputs.equals(window.document.inputs)


def test_what_changes_while_a_large_document_is_saved_is_still_unsaved(qtbot, window, large, tmp_path):
    change(window)
    saved = window.document.inputs
    window.deeds["save"].trigger()
    path = tmp_path / "large.attnviz"
    choose_file(window, path)
    window.document.apply(lambda inputs: edits.set_scale_strength(inputs, 3.0))
    qtbot.waitUntil(lambda: not window.background.is_busy)
    assert open_session(path).inputs.equals(saved)
    assert window.document.path == path
    assert not window.document.is_clean


def test_another_document_is_not_taken_for_the_large_one_that_was_saved(qtbot, window, large, tmp_path):
    change(window)
    window.deeds["save"].trigger()
    path = tmp_path / "large.attnviz"
    choose_file(window, path)
    window.files.load_preset("toy")
    qtbot.waitUntil(lambda: not window.background.is_busy)
    assert path.exists()
    assert window.document.path is None
    assert window.document.preset == "toy"


def test_a_large_document_is_saved_before_closing(qtbot, window, large, tmp_path):
    change(window)
    window.close()
    answer(window, Button.Save)
    path = tmp_path / "last.attnviz"
    choose_file(window, path)
    qtbot.waitUntil(lambda: not window.isVisible())
    assert open_session(path).inputs.scale_strength == 2.0


def test_a_large_document_that_cannot_be_saved_says_why_and_stays_open(qtbot, window, large, tmp_path):
    window.document.mark_saved(tmp_path / "gone" / "mine.attnviz")
    change(window)
    window.close()
    answer(window, Button.Save)
    qtbot.waitUntil(lambda: not window.background.is_busy)
    assert "there is no folder" in window.status.currentMessage()
    assert window.isVisible()
    assert not window.document.is_clean


def test_what_changes_while_it_is_saved_before_closing_is_asked_about_too(qtbot, window, large, tmp_path):
    change(window)
    window.close()
    answer(window, Button.Save)
    choose_file(window, tmp_path / "last.attnviz")
    window.document.apply(lambda inputs: edits.set_scale_strength(inputs, 3.0))
    qtbot.waitUntil(lambda: question(window) is not None)
    assert window.isVisible()
    answer(window, Button.Save)
    qtbot.waitUntil(lambda: not window.isVisible())
    assert open_session(tmp_path / "last.attnviz").inputs.scale_strength == 3.0


def test_the_document_of_a_lesson_is_not_taken_for_the_one_that_was_saved(qtbot, window, large, tmp_path):
    change(window)
    window.deeds["save"].trigger()
    choose_file(window, tmp_path / "mine.attnviz")
    window.lessons.begin_named("mask-off")
    qtbot.waitUntil(lambda: not window.background.is_busy)
    assert (tmp_path / "mine.attnviz").exists()
    assert window.document.path is None
    window.lessons.put_back()
    assert window.document.inputs.scale_strength == 2.0


def test_saving_that_is_stopped_goes_on_with_nothing(qtbot, window, large, tmp_path, monkeypatch):
    def stopped(*arguments, **options):
        raise Stopped

    monkeypatch.setattr("attnviz.io.session.save_session", stopped)
    went_on = []
    change(window)
    window.files.ask_about_changes(lambda: went_on.append("then"), lambda: went_on.append("otherwise"))
    answer(window, Button.Save)
    choose_file(window, tmp_path / "mine.attnviz")
    qtbot.waitUntil(lambda: bool(went_on))
    assert went_on == ["otherwise"]
    assert not window.document.is_clean


class TestDuringALesson:
    @pytest.fixture
    def lesson(self, window):
        window.lessons.begin_named("mask-off")
        return window.lessons

    @pytest.mark.parametrize("size", [20, 300_000], ids=["read at once", "read beside the window"])
    def test_a_damaged_file_leaves_the_lesson_running(self, qtbot, window, lesson, tmp_path, size):
        path = tmp_path / "broken.attnviz"
        path.write_bytes(b"PK\x05\x06" + bytes(size))
        before = window.document.inputs
        window.files.open_file(path)
        qtbot.waitUntil(lambda: not window.background.is_busy)
        assert "broken.attnviz" in window.status.currentMessage()
        assert lesson.is_running
        assert window.document.inputs is before

    @pytest.mark.parametrize("is_large", [False, True], ids=["read at once", "read beside the window"])
    def test_a_good_file_ends_it_and_is_shown(
        self, qtbot, window, lesson, small_inputs, tmp_path, monkeypatch, is_large
    ):
        path = tmp_path / "good.attnviz"
        save_session(path, small_inputs, Selection())
        monkeypatch.setattr(files, "_is_large", lambda path: is_large)
        window.files.open_file(path)
        qtbot.waitUntil(lambda: window.document.inputs.equals(small_inputs))
        assert not lesson.is_running
        assert window.document.path == path

    @pytest.mark.parametrize("is_large", [False, True], ids=["read at once", "read beside the window"])
    def test_a_good_file_asks_about_what_was_changed_before_the_lesson(
        self, qtbot, window, small_inputs, tmp_path, monkeypatch, is_large
    ):
        change(window)
        edited = window.document.inputs
        window.lessons.begin_named("mask-off")
        path = tmp_path / "good.attnviz"
        save_session(path, small_inputs, Selection())
        monkeypatch.setattr(files, "_is_large", lambda path: is_large)
        window.files.open_file(path)
        qtbot.waitUntil(lambda: question(window) is not None)
        assert window.document.inputs is edited
        answer(window, Button.Cancel)
        assert window.document.inputs is edited


@pytest.mark.parametrize(("text", "count"), [("cat", "1 token"), ("cat fish", "2 tokens")])
def test_opening_a_text_says_how_many_tokens_it_has(qtbot, window, tmp_path, text, count):
    path = tmp_path / "book.txt"
    path.write_text(text, "utf-8")
    told = []
    window.files.told.connect(told.append)
    window.files.open_file(path)
    qtbot.waitUntil(lambda: not window.background.is_busy and len(told) == 2)
    assert told[-1] == f"Opened {path}: {count}, read as UTF-8."


def test_a_damaged_text_is_refused_and_the_document_stays(qtbot, window, tmp_path):
    path = tmp_path / "book.txt"
    path.write_bytes("猫が魚を食べた。".encode() * 9 + b"\xe7\x8c")
    before, refused = window.document.inputs, []
    window.background.failed.connect(refused.append)
    window.files.open_file(path)
    qtbot.waitUntil(lambda: bool(refused))
    assert "UTF-8 up to byte 216" in str(refused[0])
    assert window.document.inputs is before
