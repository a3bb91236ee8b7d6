"""What is loaded and made by the time a window can be seen, and what waits for that or until it is wanted."""

import os
import subprocess
import sys

import pytest

SEEN = """
import sys
from PySide6.QtCore import QEvent, QSettings, QTimer
from attnviz.gui import app

class Seen(app.MainWindow):
    # Tells what is loaded when all of the window has been painted with an answer, and closes it.
    def event(self, event):
        done = super().event(event)
        if event.type() == QEvent.Type.UpdateRequest and self.stages is not None and not self.told:
            self.told = True
            print(*sorted(sys.modules))
            print(*self.parts.tabs.lacking())
            QTimer.singleShot(0, self.abandon)
        return done

Seen.told = False
app.MainWindow = Seen
sys.exit(app.run(engine="cpu"))
"""
WAITING = (
    # of this package
    "attnviz.core.stage_lines", "attnviz.engine.cluster", "attnviz.engine.cuda_engine",
    "attnviz.engine.long_engine", "attnviz.gui.code_dialog", "attnviz.gui.code_words",
    "attnviz.gui.editors.vector_table", "attnviz.gui.exporting", "attnviz.gui.heads_page",
    "attnviz.gui.help_dialogs", "attnviz.gui.import_dialog", "attnviz.gui.importing",
    "attnviz.gui.layer_page", "attnviz.gui.lesson_play", "attnviz.gui.picture_dialog",
    "attnviz.gui.sentence_dialog", "attnviz.gui.shown_picture", "attnviz.gui.table_dialog",
    "attnviz.gui.views.shape_view", "attnviz.gui.window_picture", "attnviz.io.array_files",
    "attnviz.io.lesson_json", "attnviz.io.opening", "attnviz.io.picture_session", "attnviz.io.picture_wish",
    "attnviz.io.session", "attnviz.io.zarr_stores", "attnviz.text.splitting", "attnviz.text.sudachi",
    # of others, and of the standard library what takes milliseconds
    "asyncio", "concurrent.futures", "csv", "dask", "email", "hashlib", "html", "http", "numpy.ma", "pycuda",
    "regex", "scipy", "secrets", "sudachipy", "threadpoolctl", "unittest", "zarr",
)  # fmt: skip


@pytest.fixture(scope="module")
def loaded(tmp_path_factory) -> tuple[set[str], list[str]]:
    """What is loaded when a window on the first example can be seen, and which pages are yet to be made."""
    home = tmp_path_factory.mktemp("home")
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
        "XDG_DATA_HOME": str(home),
        "COVERAGE_PROCESS_START": "",  # it would load more than the program does
        "COVERAGE_PROCESS_CONFIG": "",
    }
    done = subprocess.run(
        [sys.executable, "-c", SEEN], capture_output=True, text=True, check=True, env=environment
    )
    modules, pages = done.stdout.splitlines()
    return set(modules.split()), pages.split()


@pytest.fixture(scope="module")
def without() -> set[str]:
    """What is loaded by the packages that every window needs."""
    code = "import sys, PySide6.QtWidgets, numpy, pyqtgraph; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_a_window_can_be_seen_before_anything_is_loaded_that_it_does_not_show(loaded, without):
    modules, _ = loaded
    assert "attnviz.gui.views.stage_grid" in modules
    assert sorted(modules.intersection(WAITING) - without) == []


def test_pages_behind_the_one_in_front_are_not_made_before_the_window_can_be_seen(loaded):
    assert loaded[1] == ["vectors", "heads_to_output", "all_heads", "shapes"]
