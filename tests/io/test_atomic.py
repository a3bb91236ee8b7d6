import errno
import os
import stat

import pytest

from attnviz.io.atomic import check_writable, replacing, write_bytes
from attnviz.io.errors import FileError


def failing(code):
    def fail(*_args, **_kwargs):
        raise OSError(code, os.strerror(code))

    return fail


def write_and(fail, path):
    with replacing(path) as file:
        file.write(b"ne")
        fail()


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "old.txt"
    path.write_bytes(b"old")
    return path


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


def alone(path):
    return names(path.parent) == [path.name]


def test_a_new_file_holds_what_was_written(tmp_path):
    path = tmp_path / "猫.txt"
    write_bytes(path, b"new")
    assert path.read_bytes() == b"new"
    assert alone(path)


def test_a_new_file_has_the_mode_that_open_would_give(tmp_path):
    write_bytes(tmp_path / "mine", b"")
    (tmp_path / "theirs").write_bytes(b"")
    assert (tmp_path / "mine").stat().st_mode == (tmp_path / "theirs").stat().st_mode


def test_an_existing_file_keeps_its_mode(old):
    old.chmod(0o640)
    write_bytes(old, b"new")
    assert old.read_bytes() == b"new"
    assert stat.S_IMODE(old.stat().st_mode) == 0o640


def test_a_symbolic_link_is_written_through(tmp_path, old):
    link = tmp_path / "link"
    link.symlink_to(old.name)
    write_bytes(link, b"new")
    assert link.is_symlink()
    assert old.read_bytes() == b"new"


def test_a_link_to_nothing_makes_its_target(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("target")
    write_bytes(link, b"new")
    assert (tmp_path / "target").read_bytes() == b"new"


@pytest.mark.parametrize("name", ["fsync", "replace"])
@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EACCES, "permission is denied"),
        (errno.EROFS, "read-only"),
        (errno.EIO, "Input/output error"),
    ],
)
def test_a_failure_leaves_the_old_file_and_nothing_else(old, monkeypatch, name, code, words):
    monkeypatch.setattr(os, name, failing(code))
    with pytest.raises(FileError, match=words) as caught:
        write_bytes(old, b"new")
    assert str(old) in str(caught.value)
    assert old.read_bytes() == b"old"
    assert alone(old)


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS])
def test_a_folder_that_takes_no_file_is_refused(old, monkeypatch, code):
    monkeypatch.setattr(os, "open", failing(code))
    with pytest.raises(FileError, match="cannot be written"):
        write_bytes(old, b"new")
    assert old.read_bytes() == b"old"


def test_a_disk_that_fills_up_while_writing_leaves_the_old_file(old):
    with pytest.raises(FileError, match="the disk is full"):
        write_and(failing(errno.ENOSPC), old)
    assert old.read_bytes() == b"old"
    assert alone(old)


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, FileError("no")])
def test_an_error_of_the_writer_passes_and_leaves_the_old_file(old, error):
    kind = error if isinstance(error, type) else type(error)

    def fail():
        raise error

    with pytest.raises(kind):
        write_and(fail, old)
    assert old.read_bytes() == b"old"
    assert alone(old)


def test_a_folder_that_cannot_be_flushed_does_not_matter(tmp_path, monkeypatch):
    real = os.fsync

    def fsync(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "no")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    write_bytes(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"new"


def bad_paths(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "astray").symlink_to("none/a.txt")
    os.mkfifo(tmp_path / "pipe")
    return {
        "missing folder": (tmp_path / "none" / "a.txt", "there is no folder"),
        "link into a missing folder": (tmp_path / "astray", f"there is no folder “{tmp_path / 'none'}”"),
        "file as folder": (tmp_path / "file" / "a.txt", "is not a folder"),
        "folder": (tmp_path, "it is a folder"),
        "long name": (tmp_path / ("a" * 300), "the name is too long"),
        "NUL": (tmp_path / "a\0b", "null"),
        "loop": (tmp_path / "loop", "cannot be written"),
        "pipe": (tmp_path / "pipe", "a device or a pipe"),
        "device": ("/dev/full", "a device or a pipe"),
    }


@pytest.mark.parametrize(
    "case",
    [
        "missing folder",
        "link into a missing folder",
        "file as folder",
        "folder",
        "long name",
        "NUL",
        "loop",
        "pipe",
        "device",
    ],
)
@pytest.mark.parametrize("write", [lambda path: write_bytes(path, b""), check_writable])
def test_a_path_that_cannot_be_written_is_refused_in_one_sentence(tmp_path, case, write):
    path, words = bad_paths(tmp_path)[case]
    before = names(tmp_path)
    with pytest.raises(FileError, match=words) as caught:
        write(path)
    assert "\n" not in str(caught.value)
    assert names(tmp_path) == before


def test_a_folder_that_is_there_is_not_said_to_be_missing(old, monkeypatch):
    def refuse(*_arguments):
        raise OSError(errno.ENOENT, "No such file or directory")  # what /proc says to a new file

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(FileError, match="cannot be written: No such file") as caught:
        write_bytes(old, b"new")
    assert "there is no folder" not in str(caught.value)


def test_asking_whether_a_file_can_be_written_creates_nothing(tmp_path):
    check_writable(tmp_path / "a")
    assert not names(tmp_path)


@pytest.mark.parametrize("denied", ["folder", "file"])
def test_a_place_without_permission_is_known_early(old, monkeypatch, denied):
    refused = old.parent if denied == "folder" else old
    monkeypatch.setattr(os, "access", lambda path, _mode: str(path) != str(refused))
    with pytest.raises(FileError, match="permission is denied"):
        check_writable(old)
