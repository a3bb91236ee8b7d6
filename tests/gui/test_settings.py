"""Settings survive whatever stands in the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from attnviz.gui.settings import ENGINES, LANGUAGES, MOST_RECENT, OPTIONS, THEMES, Settings

NONSENSE = ["", "nonsense", "-1", 17, 3.5, True, ["a", "b"], b"\x00\xff", None, {"a": 1}]


@pytest.fixture
def settings(settings_file) -> Settings:
    return Settings(settings_file)


def test_at_first_everything_is_as_the_system_says(settings):
    assert (settings.language, settings.theme, settings.engine) == ("system", "system", "auto")
    assert [settings.option(group) for group in OPTIONS] == [choices[0] for choices in OPTIONS.values()]
    assert settings.recent_files == []
    assert settings.sizes("columns") == []
    assert settings.geometry.isEmpty()
    assert settings.folder == Path.home()


def test_what_was_chosen_is_read_back_by_the_next_run(settings, settings_file, tmp_path):
    settings.language, settings.theme, settings.engine, settings.tab = "ja", "dark", "cpu", "vectors"
    settings.set_option("bars", "by_weight")
    settings.set_sizes("columns", [100, 200, 300])
    settings.folder = tmp_path
    settings_file.sync()
    again = Settings(QSettings(settings_file.fileName(), QSettings.Format.IniFormat))
    assert (again.language, again.theme, again.engine, again.tab) == ("ja", "dark", "cpu", "vectors")
    assert again.option("bars") == "by_weight"
    assert again.sizes("columns") == [100, 200, 300]
    assert again.folder == tmp_path


@pytest.mark.parametrize("value", NONSENSE, ids=repr)
def test_a_value_that_makes_no_sense_counts_as_never_written(settings, settings_file, value):
    keys = ["view/language", "view/theme", "view/engine", "window/tab", "window/geometry", "window/columns"]
    for key in [*keys, "files/recent", "files/folder", *(f"view/{group}" for group in OPTIONS)]:
        settings_file.setValue(key, value)
    assert settings.language in LANGUAGES
    assert settings.theme in THEMES
    assert settings.engine in ENGINES
    for group, choices in OPTIONS.items():
        assert settings.option(group) in choices
    assert isinstance(settings.tab, str)
    assert isinstance(settings.recent_files, list)
    assert all(isinstance(size, int) for size in settings.sizes("columns"))
    assert settings.folder.is_dir()
    assert settings.geometry is not None


@pytest.mark.parametrize("sizes", [["x", "y"], [-1, 5], [0, 0], [10**9, 1], [None]])
def test_sizes_that_no_splitter_can_have_are_forgotten(settings, settings_file, sizes):
    settings_file.setValue("window/rows", sizes)
    assert settings.sizes("rows") == []


def test_the_file_opened_last_comes_first_and_once(settings):
    for name in ("a", "b", "a"):
        settings.add_recent_file(Path("/files") / name)
    assert settings.recent_files == [Path("/files/a"), Path("/files/b")]
    for number in range(MOST_RECENT + 3):
        settings.add_recent_file(Path(f"/files/{number}"))
    assert len(settings.recent_files) == MOST_RECENT
    assert settings.recent_files[0] == Path(f"/files/{MOST_RECENT + 2}")
    settings.forget_recent_files()
    assert settings.recent_files == []


def test_a_folder_that_is_gone_gives_way_to_the_home(settings, tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    settings.folder = folder
    folder.rmdir()
    assert settings.folder == Path.home()
