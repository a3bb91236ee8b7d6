"""What is unsaved is kept while a person works, and recovered by the next window; sessions can be dropped."""

from __future__ import annotations

import errno
import os

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QMessageBox, QToolButton

from attnviz.core import edits
from attnviz.core.selection import Selection
from attnviz.gui import autosaving
from attnviz.gui.recovery import keep_safe
from attnviz.io.autosave import Note, Origin
from attnviz.io.autosave_folder import abandoned, create, place
from attnviz.io.presets import load_preset
from attnviz.io.session import open_session, save_session

Button = QMessageBox.StandardButton


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(autosaving, "BEAT_MS", 20)


def change(window, strength: float = 2.0) -> None:
    window.document.apply(lambda inputs: edits.set_scale_strength(inputs, strength))


def kept(qtbot, window, keeper):
    """Wait until what is unsaved is kept, and give where."""
    qtbot.waitUntil(lambda: keeper.is_up_to_date)
    return keeper.autosave


def leave(inputs, note: Note | None = None):
    """Leave an autosave as a process that is gone does."""
    autosave = create(place())
    autosave.write(inputs, Selection(), note or Note("left"))
    autosave.release()
    return autosave


def press(window, name: str) -> None:
    button = window.parts.recovery.findChild(QToolButton, f"recovery/{name}")
    assert button.isVisible()
    button.click()


def strengths(*values: float) -> list:
    inputs = load_preset("toy").inputs
    return [edits.set_scale_strength(inputs, value) for value in values]


def test_an_edit_is_kept_and_saving_ends_that(qtbot, window, tmp_path):
    keeper = keep_safe(window)
    assert keeper.autosave is None
    change(window)
    autosave = kept(qtbot, window, keeper)
    assert autosave.read().inputs.equals(window.document.inputs)
    save_session(tmp_path / "a.attnviz", window.document.inputs, Selection())
    window.document.mark_saved(tmp_path / "a.attnviz")
    qtbot.waitUntil(lambda: keeper.autosave is None)
    assert list(place().iterdir()) == []
    change(window, 3.0)
    assert kept(qtbot, window, keeper).note().origin == Origin.of(tmp_path / "a.attnviz")


def test_edits_go_on_being_kept_while_undo_is_shortened(qtbot, window):
    window.document._undo_bytes = 1  # the document is clean for a moment with each edit
    keeper = keep_safe(window)
    for strength in (2.0, 3.0, 4.0):
        change(window, strength)
        folder = kept(qtbot, window, keeper).folder
    assert keeper.autosave.folder == folder
    assert keeper.autosave.read().inputs.scale_strength == 4.0


def test_undoing_everything_ends_it_and_redo_begins_it_again(qtbot, window):
    keeper = keep_safe(window)
    change(window)
    kept(qtbot, window, keeper)
    window.document.undo()
    qtbot.waitUntil(lambda: keeper.autosave is None)
    window.document.redo()
    assert kept(qtbot, window, keeper).read().inputs.scale_strength == 2.0


def test_closing_a_document_that_was_discarded_leaves_nothing(qtbot, window):
    keeper = keep_safe(window)
    change(window)
    kept(qtbot, window, keeper)
    window.close()
    window.findChild(QMessageBox, "unsaved").button(Button.Discard).click()
    assert not window.isVisible()
    assert abandoned(place()) == []


def test_a_window_that_is_torn_down_keeps_even_the_last_edit(qtbot, window):
    keep_safe(window)
    change(window, 5.0)
    window.abandon()
    (found,) = abandoned(place())
    assert found.read().inputs.scale_strength == 5.0
    found.release()


def test_a_disk_that_takes_nothing_is_told_once(qtbot, window, monkeypatch):
    keeper = keep_safe(window)
    told = []
    keeper.told.connect(told.append)

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    for strength in (2.0, 3.0):
        with qtbot.waitSignal(keeper._done):
            change(window, strength)
        QApplication.processEvents()
    assert len(told) == 1
    assert "disk is full" in told[0]
    monkeypatch.undo()
    monkeypatch.setattr(autosaving, "BEAT_MS", 20)
    change(window, 4.0)
    assert kept(qtbot, window, keeper).read().inputs.scale_strength == 4.0


def test_a_recovered_document_is_one_undo_step_over_its_file(make_window, tmp_path):
    (saved, unsaved) = strengths(1.0, 7.0)
    path = tmp_path / "mine.attnviz"
    save_session(path, saved, Selection())
    before = path.read_bytes()
    leave(unsaved, Note("x", Origin.of(path)))
    window = make_window()
    keep_safe(window)
    assert window.document.inputs.equals(unsaved)
    assert window.document.path == path
    assert not window.document.is_clean
    assert "“mine”" in window.parts.recovery.sentence()
    press(window, "discard")
    assert window.document.inputs.equals(saved)
    assert window.document.is_clean
    assert not window.parts.recovery.isVisible()
    window.document.redo()
    assert window.document.inputs.equals(unsaved)
    assert path.read_bytes() == before


def test_a_file_that_has_changed_since_is_not_saved_over(make_window, tmp_path):
    (saved, unsaved, newer) = strengths(1.0, 7.0, 2.25)
    path = tmp_path / "mine.attnviz"
    save_session(path, saved, Selection())
    leave(unsaved, Note("x", Origin.of(path)))
    save_session(path, newer, Selection())
    window = make_window()
    keep_safe(window)
    assert window.document.inputs.equals(unsaved)
    assert window.document.path is None
    assert "saving asks where to" in window.parts.recovery.sentence()


def test_nothing_is_recovered_where_it_was_saved_at_the_last_moment(make_window, tmp_path):
    (saved,) = strengths(3.0)
    path = tmp_path / "mine.attnviz"
    save_session(path, saved, Selection())
    leave(saved, Note("x", Origin.of(path)))
    window = make_window()
    keep_safe(window)
    assert window.document.is_clean
    assert not window.parts.recovery.isVisible()
    assert list(place().iterdir()) == []


def test_a_recovered_document_stays_kept_until_it_is_saved(qtbot, make_window):
    (unsaved,) = strengths(7.0)
    folder = leave(unsaved).folder
    window = make_window()
    keeper = keep_safe(window)
    press(window, "keep")
    assert keeper.autosave.folder == folder
    change(window, 8.0)
    assert kept(qtbot, window, keeper).folder == folder
    assert keeper.autosave.read().inputs.scale_strength == 8.0


def test_several_are_offered_one_after_the_other(make_window):
    for age, inputs in enumerate(strengths(4.0, 5.0, 6.0)):
        autosave = leave(inputs, Note(f"number {age}"))
        os.utime(autosave.session, (1e9 - age, 1e9 - age))
    window = make_window()
    keep_safe(window)
    assert window.document.inputs.scale_strength == 4.0
    press(window, "discard")
    assert "2 more unsaved documents; the latest is “number 1”" in window.parts.recovery.sentence()
    press(window, "open")
    assert window.document.inputs.scale_strength == 5.0
    change(window, 5.5)  # to work on is to keep
    assert "one more" in window.parts.recovery.sentence()
    press(window, "open")
    window.findChild(QMessageBox, "unsaved").button(Button.Cancel).click()
    assert window.document.inputs.scale_strength == 5.5
    press(window, "later")
    assert not window.parts.recovery.isVisible()
    window.abandon()
    found = abandoned(place())
    assert sorted(autosave.read().inputs.scale_strength for autosave in found) == [5.5, 6.0]
    for autosave in found:
        autosave.release()


def test_a_damaged_autosave_is_set_aside_with_a_sentence_and_the_next_is_shown(qtbot, make_window):
    (good, damaged) = strengths(4.0, 5.0)
    os.utime(leave(good).session, (1e9, 1e9))
    leave(damaged).session.write_bytes(b"PK\x03\x04 no more")
    window = make_window()
    keep_safe(window)
    qtbot.waitUntil(lambda: "was set aside as" in window.status.currentMessage())
    assert window.document.inputs.equals(good)
    assert [path.read_bytes() for path in place().glob("damaged-*")] == [b"PK\x03\x04 no more"]


def test_a_window_opened_on_a_file_shows_that_file_and_offers_the_rest(make_window, tmp_path):
    (other, mine) = strengths(4.0, 5.0)
    leave(other)
    path = tmp_path / "mine.attnviz"
    save_session(path, mine, Selection())
    window = make_window()
    window.files.load(path)
    keep_safe(window, path)
    assert window.document.inputs.equals(mine)
    assert window.document.is_clean
    assert "one more" in window.parts.recovery.sentence()


def test_two_windows_do_not_take_each_others_autosave(qtbot, make_window):
    first, second = make_window(), make_window()
    keepers = [keep_safe(first)]
    change(first, 2.0)
    kept(qtbot, first, keepers[0])
    keepers.append(keep_safe(second))
    assert second.document.is_clean
    change(second, 3.0)
    kept(qtbot, second, keepers[1])
    assert keepers[0].autosave.folder != keepers[1].autosave.folder
    assert keepers[0].autosave.read().inputs.scale_strength == 2.0


def urls(*names) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(name)) if "://" not in str(name) else QUrl(name) for name in names])
    return data


def drag(window, data: QMimeData) -> QDragEnterEvent:
    # Over a field for text, which would take the name of the file as text.
    place = window.parts.token_editor.sentence.mapTo(window, QPoint(5, 5))
    ways = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    event = QDragEnterEvent(place, ways, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(window.windowHandle(), event)
    return event


def drop(window, data: QMimeData) -> None:
    place = QPointF(window.parts.token_editor.sentence.mapTo(window, QPoint(5, 5)))
    ways = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    event = QDropEvent(place, ways, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(window.windowHandle(), event)


def hint(window):
    return next(child for child in window.children() if child.objectName() == "drop_hint")


def test_a_session_dropped_anywhere_opens_and_is_announced_while_it_is_dragged(window, tmp_path):
    (mine,) = strengths(5.0)
    path = tmp_path / "mine.attnviz"
    save_session(path, mine, Selection())
    data = urls(path)
    assert drag(window, data).isAccepted()
    assert hint(window).isVisible()
    assert hint(window).size() == window.size()
    assert hint(window).sentence() == "Drop to open “mine.attnviz”"
    drop(window, data)
    assert not hint(window).isVisible()
    assert window.document.path == path
    assert "attnviz" not in window.parts.token_editor.sentence.text()


def test_a_drag_that_leaves_takes_the_hint_away(window):
    data = urls("/tmp/a.attnviz")
    drag(window, data)
    QApplication.sendEvent(window.windowHandle(), QDragLeaveEvent())
    assert not hint(window).isVisible()


def test_a_dropped_session_asks_about_unsaved_changes_as_open_does(window, tmp_path):
    (mine,) = strengths(5.0)
    path = tmp_path / "mine.attnviz"
    save_session(path, mine, Selection())
    change(window, 2.0)
    drop(window, urls(path))
    window.findChild(QMessageBox, "unsaved").button(Button.Cancel).click()
    assert window.document.inputs.scale_strength == 2.0
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    drop(window, urls(path))
    window.findChild(QMessageBox, "unsaved").button(Button.Discard).click()
    assert window.document.inputs.equals(mine)


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (("/tmp/a.attnviz", "/tmp/b.attnviz"), "2 files were dropped"),
        (("/tmp/photo.jpg",), "“photo.jpg” cannot be opened here"),
        (("https://example.org/a.attnviz",), "not a file on this machine"),
        (("/nowhere/a.attnviz",), "There is no file"),
    ],
)
def test_anything_else_dropped_is_one_sentence(window, names, sentence):
    before = window.document.inputs
    data = urls(*names)
    drag(window, data)
    drop(window, data)
    assert sentence in window.status.currentMessage()
    assert window.document.inputs is before


def test_text_that_is_dragged_goes_to_the_controls(window):
    data = QMimeData()
    data.setText("cat")
    drag(window, data)
    assert not hint(window).isVisible()
    QApplication.sendEvent(window.windowHandle(), QDragLeaveEvent())


def test_what_was_kept_opens_like_any_session(qtbot, window):
    keeper = keep_safe(window)
    change(window, 6.0)
    autosave = kept(qtbot, window, keeper)
    assert open_session(autosave.session).inputs.scale_strength == 6.0


def test_a_large_document_is_kept_at_once_and_then_no_more_often_than_its_bytes_allow(
    qtbot, window, monkeypatch
):
    told = []
    keeper = keep_safe(window)
    keeper.told.connect(told.append)
    heads = window.document.inputs.heads
    n_bytes = sum(head.q.nbytes + head.k.nbytes + (0 if head.v_is_k else head.v.nbytes) for head in heads)
    monkeypatch.setattr(autosaving, "RATE", n_bytes / 60)  # once a minute
    change(window, 2.0)
    first = kept(qtbot, window, keeper)
    assert open_session(first.session).inputs.scale_strength == 2.0
    change(window, 3.0)
    assert 50_000 < keeper._timer.interval() <= 60_000
    assert not keeper.is_up_to_date
    change(window, 4.0)
    assert told == ["This document is large: what is unsaved is kept for recovery every 60 s."]
    keeper.close()  # whatever is not kept yet is kept now
    assert open_session(first.session).inputs.scale_strength == 4.0
