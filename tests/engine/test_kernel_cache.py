"""Compiled kernels on disk: found again, never trusted blindly, never in the way."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from attnviz.engine import kernel_cache

KEY = kernel_cache.cache_key("source", "nvcc 13", "sm_90", ())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNVIZ_KERNEL_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


def test_what_was_kept_is_found_again(folder):
    assert kernel_cache.read(KEY) is None
    kernel_cache.write(KEY, b"cubin")
    assert kernel_cache.read(KEY) == b"cubin"
    assert [path.suffix for path in folder.iterdir()] == [".kernels"]


@pytest.mark.parametrize("part", range(4))
def test_anything_that_shapes_the_code_changes_its_name(part):
    parts = ["source", "nvcc 13", "sm_90", ()]
    parts[part] = ("-O1",) if part == 3 else parts[part] + "x"
    assert kernel_cache.cache_key(*parts) != KEY


def test_parts_do_not_run_together():
    assert kernel_cache.cache_key("a", "bc", "d", ()) != kernel_cache.cache_key("ab", "c", "d", ())


@pytest.mark.parametrize(
    "damage", [lambda c: c[:-1], lambda c: b"", lambda c: c[:32], lambda c: c[:-1] + b"x"]
)
def test_a_damaged_file_counts_as_none(folder, damage):
    kernel_cache.write(KEY, b"cubin")
    (file,) = folder.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    assert kernel_cache.read(KEY) is None
    kernel_cache.write(KEY, b"cubin")
    assert kernel_cache.read(KEY) == b"cubin"


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("ATTNVIZ_KERNEL_CACHE", str(tmp_path / "file" / "kept"))
    kernel_cache.write(KEY, b"cubin")
    assert kernel_cache.read(KEY) is None


def test_no_cache_is_kept_where_none_is_wanted(monkeypatch, settings_dir):
    monkeypatch.setenv("ATTNVIZ_KERNEL_CACHE", "")
    kernel_cache.write(KEY, b"cubin")
    assert kernel_cache.read(KEY) is None
    assert not list(settings_dir.rglob("*.kernels"))


def test_the_cache_lies_in_the_users_cache_folder(monkeypatch, settings_dir):
    monkeypatch.delenv("ATTNVIZ_KERNEL_CACHE", raising=False)
    assert kernel_cache.cache_folder() == settings_dir / "attnviz" / "kernels"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert kernel_cache.cache_folder() == settings_dir / ".cache" / "attnviz" / "kernels"


def test_several_writers_leave_one_whole_file(folder):
    contents = [bytes([index]) * 100_000 for index in range(8)]
    with ThreadPoolExecutor(8) as writers:
        list(writers.map(lambda content: kernel_cache.write(KEY, content), contents))
    assert kernel_cache.read(KEY) in contents
    assert len(list(folder.iterdir())) == 1


def test_old_files_are_let_go(folder):
    for index in range(20):
        kernel_cache.write(f"{index:064}", b"cubin")
        os.utime(folder / f"{index:064}.kernels", (index, index))
    kept = sorted(int(path.stem) for path in folder.iterdir())
    assert len(kept) == 16
    assert kept[-1] == 19
