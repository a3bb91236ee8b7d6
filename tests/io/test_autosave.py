"""Autosaves: kept by a window, found when its process is gone, never taken from one that lives."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from attnviz.core.selection import Selection
from attnviz.io import autosave_folder
from attnviz.io.autosave import Note, Origin, set_aside
from attnviz.io.autosave_folder import abandoned, create, place
from attnviz.io.errors import FileError
from attnviz.io.presets import load_preset

KEEPS_AND_DIES = """
import os, sys
from pathlib import Path
from attnviz.io.autosave import Note
from attnviz.io.autosave_folder import create
from attnviz.io.presets import load_preset

preset = load_preset("toy")
autosave = create(Path(sys.argv[1]))
autosave.write(preset.inputs, preset.selection, Note("toy"))
(autosave.folder / ".attnviz-123.tmp").write_bytes(b"cut off")
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def where(tmp_path) -> Path:
    return tmp_path / "state" / "autosave"


@pytest.fixture
def inputs():
    return load_preset("toy").inputs


def left(where: Path, inputs, note: Note | None = None) -> Path:
    """Leave an autosave as a process that is gone does."""
    autosave = create(where)
    autosave.write(inputs, Selection(0, 1, 0), note or Note("toy"))
    autosave.release()
    return autosave.folder


@pytest.mark.skipif(sys.platform == "win32", reason="a process ends in another way there")
def test_what_a_killed_process_kept_is_found_and_its_cut_off_write_deleted(where, inputs):
    done = subprocess.run([sys.executable, "-c", KEEPS_AND_DIES, str(where)], timeout=60)
    assert done.returncode == -9
    (found,) = abandoned(where)
    assert found.read().inputs.equals(inputs)
    assert found.note() == Note("toy")
    assert sorted(path.name for path in found.folder.iterdir()) == ["lock", "session.attnviz"]
    found.release()


def test_an_autosave_comes_back_with_its_selection_and_its_file(where, inputs, tmp_path):
    file = tmp_path / "half \udc80.attnviz"  # a name that is not UTF-8
    origin = Origin(file, (12, 34))
    left(where, inputs, Note("猫", origin))
    (found,) = abandoned(where)
    assert found.read().selection == Selection(0, 1, 0)
    assert found.note() == Note("猫", origin)
    found.release()


def test_nobody_takes_the_autosave_of_a_window_that_is_open(where, inputs):
    mine = create(where)
    mine.write(inputs, Selection(), Note())
    assert abandoned(where) == []
    assert mine.session.exists()
    mine.release()
    (found,) = abandoned(where)
    assert abandoned(where) == []  # nor one that another start has taken already
    found.release()


def test_a_reused_process_number_does_not_hide_an_autosave(where, inputs):
    folder = left(where, inputs)
    folder.rename(folder.with_name(f"{os.getpid()}-aaaaaa"))
    (found,) = abandoned(where)
    found.release()


def test_a_removed_autosave_leaves_nothing(where, inputs):
    autosave = create(where)
    autosave.write(inputs, Selection(), Note())
    autosave.remove()
    autosave.remove()
    assert list(where.iterdir()) == []
    assert abandoned(where) == []


def test_the_latest_comes_first_and_the_oldest_beyond_the_limits_go(where, inputs, monkeypatch):
    folders = [left(where, inputs) for _ in range(5)]
    for age, folder in enumerate(folders):
        os.utime(folder / "session.attnviz", (1e9 - age, 1e9 - age))
    monkeypatch.setattr(autosave_folder, "MOST_KEPT", 3)
    found = abandoned(where)
    assert [autosave.folder for autosave in found] == folders[:3]
    assert not folders[4].exists()
    for autosave in found:
        autosave.release()
    monkeypatch.setattr(autosave_folder, "MOST_BYTES", 1)
    (only,) = abandoned(where)
    assert only.folder == folders[0]
    only.release()


def test_what_a_start_cut_off_has_left_is_cleaned_away_and_other_things_stay(where):
    where.mkdir(parents=True)
    (where / "1-empty").mkdir()
    (where / "2-locked").mkdir()
    (where / "2-locked" / "lock").touch()
    (where / "3-foreign").mkdir()
    (where / "3-foreign" / "photo.jpg").touch()
    assert abandoned(where) == []
    assert [path.name for path in where.iterdir()] == ["3-foreign"]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut", b"\0" * 5000])
def test_a_damaged_autosave_is_set_aside_whole(where, inputs, content):
    folder = left(where, inputs)
    (folder / "session.attnviz").write_bytes(content)
    (found,) = abandoned(where)
    with pytest.raises(FileError) as refusal:
        found.read()
    error = set_aside(found, refusal.value)
    (aside,) = where.iterdir()
    assert aside.read_bytes() == content
    assert str(aside) in str(error)
    assert abandoned(where) == []


@pytest.mark.parametrize(
    "note", [b"", b"[1]", b'{"title": 3, "path": "relative"}', b"[" * 90_000, b'{"path": 3}']
)
def test_a_note_that_makes_no_sense_says_nothing(where, inputs, note):
    folder = left(where, inputs)
    (folder / "lock").write_bytes(note)
    (found,) = abandoned(where)
    assert found.note() == Note()
    assert found.read().inputs.equals(inputs)
    found.release()


def test_a_file_that_has_changed_is_known_to_have(tmp_path):
    file = tmp_path / "a.attnviz"
    assert not Origin.of(file).is_unchanged
    file.write_bytes(b"one")
    origin = Origin.of(file)
    assert origin.is_unchanged
    file.write_bytes(b"longer")
    assert not origin.is_unchanged


def test_a_failed_write_keeps_the_document_before(where, inputs, monkeypatch):
    autosave = create(where)
    autosave.write(inputs, Selection(), Note())

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="the disk is full"):
        autosave.write(replace(inputs, scale_strength=9.0), Selection(), Note())
    assert autosave.read().inputs.equals(inputs)
    autosave.remove()


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path):
    (tmp_path / "state").touch()
    with pytest.raises(FileError, match="cannot be written"):
        create(tmp_path / "state" / "autosave")
    assert abandoned(tmp_path / "state" / "autosave") == []


def test_where_nothing_can_be_locked_nothing_is_kept(where, monkeypatch):
    monkeypatch.setattr(autosave_folder, "try_lock", lambda descriptor: False)
    with pytest.raises(FileError, match="cannot be locked"):
        create(where)
    assert list(where.iterdir()) == []


def test_other_users_cannot_look_into_it(where):
    autosave = create(where)
    if sys.platform != "win32":
        assert where.stat().st_mode & 0o077 == 0
    autosave.remove()


@pytest.mark.skipif(sys.platform != "linux", reason="where Linux keeps the state of programs")
def test_it_lies_where_the_system_keeps_the_state_of_programs(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", "/var/state")
    assert place() == Path("/var/state/attnviz/autosave")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert place() == tmp_path / ".local" / "state" / "attnviz" / "autosave"
