"""What is loaded and made by the time a window can be seen, and what waits for that or until it is wanted."""

import os
import subprocess
import sys

import pytest

SEEN = """
import contextlib, gc, sys, threading
from attnviz import __main__ as command
qt_loads = command._qt

@contextlib.contextmanager
def qt_loads_and_window_tells():
    looked_for_garbage = gc.isenabled()
    with qt_loads():
        yield
    from PySide6.QtCore import QEvent, QTimer
    from attnviz.gui import app

    class Seen(app.MainWindow):
        # Tells what is loaded when all of the window has been painted with an answer, and closes it.
        def event(self, event):
            done = super().event(event)
            if event.type() == QEvent.Type.UpdateRequest and self.stages is not None and not self.told:
                self.told = True
                print(*sorted(sys.modules))
                print(*self.parts.tabs.lacking())
                QTimer.singleShot(0, self.leave)
            return done

        def leave(self):
            self.litterer = None
            self.look = QTimer(self, interval=20)
            self.look.timeout.connect(self.leave_cleaned)
            self.look.start()

        def leave_cleaned(self):
            is_frozen = gc.get_count()[0] < 700  # what is there by then is never looked through
            if self.litterer is None and self.is_complete and is_frozen:
                self.litterer = threading.Thread(target=litter)
                self.litterer.start()
            if len(taken) > RINGS - 700:  # a few may be left for the next look
                self.look.stop()
                self.litterer.join()
                print(looked_for_garbage, *set(taken))
                self.abandon()

    class Ring:
        # Garbage that only a look for it finds.
        def __init__(self):
            self.itself = self

        def __del__(self):
            taken.append(threading.current_thread().name)

    def litter():
        for _ in range(RINGS):
            Ring()

    Seen.told = False
    app.MainWindow = Seen

RINGS, taken = 5000, []
command._qt = qt_loads_and_window_tells
sys.exit(command.main([]))
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
def started(tmp_path_factory) -> list[list[str]]:
    """What a process tells that is started as a person does, when its window can be seen.

    The modules loaded; the pages yet to be made; whether garbage is looked for while loading, and the threads
    in which that of another thread is taken away afterwards.
    """
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
        [sys.executable, "-c", SEEN],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        timeout=120,
    )
    return [line.split() for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def without() -> set[str]:
    """What is loaded by the packages that every window needs."""
    code = "import sys, PySide6.QtWidgets, numpy, pyqtgraph; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_a_window_can_be_seen_before_anything_is_loaded_that_it_does_not_show(started, without):
    modules = set(started[0])
    assert "attnviz.gui.views.stage_grid" in modules
    assert sorted(modules.intersection(WAITING) - without) == []


def test_pages_behind_the_one_in_front_are_not_made_before_the_window_can_be_seen(started):
    assert started[1] == ["vectors", "heads_to_output", "all_heads", "shapes"]


def test_garbage_of_any_thread_is_taken_away_in_the_thread_of_the_window_once_that_is_there(started):
    assert started[2] == ["False", "MainThread"]
