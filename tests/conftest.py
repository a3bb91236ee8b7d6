"""What holds for every test: the same surroundings everywhere, and nothing left behind.

Importing this file imports no Qt, so tests of core, text, engine, io and cli stay free of it; they also run
with ``-p no:pytest-qt`` where Qt cannot be loaded.
"""

import gc
import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

settings.register_profile("dev", deadline=None)
settings.register_profile(
    "ci", deadline=None, derandomize=True, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))

# An X server that is asked for is found by the cookie in the real home, which tests do not see.
if (cookie := Path.home() / ".Xauthority").exists():
    os.environ.setdefault("XAUTHORITY", str(cookie))
# Offscreen unless a platform is asked for: a developer's screen stays free of windows.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Qt reads these once, when its application starts: what a machine has set must not change a picture.
os.environ["LC_ALL"] = "C.UTF-8"
for name in (
    "LANGUAGE", "QT_AUTO_SCREEN_SCALE_FACTOR", "QT_FONT_DPI", "QT_QPA_PLATFORMTHEME", "QT_SCALE_FACTOR",
    "QT_SCREEN_SCALE_FACTORS", "QT_STYLE_OVERRIDE",
):  # fmt: skip
    os.environ.pop(name, None)

HOMES = (
    "HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
    "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
)  # fmt: skip


def pytest_addoption(parser: pytest.Parser) -> None:
    """Know the settings of pytest-qt where it is switched off too, or pytest would refuse them as unknown."""
    for name in ("qt_api", "qt_log_ignore", "qt_log_level_fail", "qt_default_raising"):
        kind: Literal["string", "linelist"] = "linelist" if name == "qt_log_ignore" else "string"
        try:
            parser.addini(name, "a setting of pytest-qt, which is switched off", type=kind)
        except ValueError:  # pytest-qt is there and has it
            return


@pytest.fixture(scope="session", autouse=True)
def _runtime_dir():
    """A private XDG_RUNTIME_DIR: without one Qt warns, and a warning fails a test."""
    with (
        tempfile.TemporaryDirectory(prefix="attnviz-runtime-") as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("XDG_RUNTIME_DIR", folder)
        yield


@pytest.fixture(autouse=True)
def settings_dir(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home for each test, so that no test meets the settings of a user or of another test."""
    home = tmp_path_factory.mktemp("home")
    for name in HOMES:
        monkeypatch.setenv(name, str(home))
    if "PySide6.QtCore" in sys.modules:
        from PySide6.QtCore import QSettings

        # QSettings reads the environment once per process; afterwards it has to be told.
        for settings_format in (QSettings.Format.NativeFormat, QSettings.Format.IniFormat):
            QSettings.setPath(settings_format, QSettings.Scope.UserScope, str(home))
    return home


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder shared/ beside the repository: golden numbers and models that are not part of it."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("there is no folder shared/ beside the repository")
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs a real X server, or the emulated CUDA driver, where there is none."""
    if "CUDAEMU" not in os.environ:
        no_driver = pytest.mark.skip(reason="needs the emulated CUDA driver: run it by .ci/emulated.sh")
        for item in items:
            if item.get_closest_marker("emulated"):
                item.add_marker(no_driver)
    platform = os.environ["QT_QPA_PLATFORM"]
    if platform.split(":")[0] == "xcb":
        return
    skip = pytest.mark.skip(reason=f"needs an X server; QT_QPA_PLATFORM is {platform}")
    for item in items:
        if item.get_closest_marker("xvfb"):
            item.add_marker(skip)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs a real GPU where there is none; with ATTNVIZ_REQUIRE_CUDA=1 fail instead."""
    if not item.get_closest_marker("gpu"):
        return
    from tests.gpu.real_device import is_required, why_not

    if reason := why_not():
        (pytest.fail if is_required() else pytest.skip)(reason)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Take all that modules hold out of what is looked through after each test, and of garbage collection."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _leaves_nothing_behind(request: pytest.FixtureRequest):
    """Fail a test that leaves a window, a thread or a running timer behind."""
    threads = set(threading.enumerate())
    uses_qt = "qapp" in request.fixturenames
    if uses_qt:
        gc.disable()  # it would run in any thread, and take a window apart outside its own
    timers = {id(timer) for timer in _active_timers()} if uses_qt else set()
    yield
    left = []
    if uses_qt:
        _delete_what_is_to_be_deleted()
        left += [f"the window {window!r}" for window in _open_windows()]
        left += [f"the running {thread!r}" for thread in _running_qthreads()]
        left += [f"the active {t!r} of {t.parent()!r}" for t in _active_timers() if id(t) not in timers]
        for window in _open_windows():  # the next test starts clean
            window.close()
            window.deleteLater()
        gc.collect()
        gc.enable()
    left += [f"the running {thread!r}" for thread in _running_threads(threads)]
    if left:
        pytest.fail("the test left behind " + ", ".join(left))


def _delete_what_is_to_be_deleted() -> None:
    from PySide6.QtCore import QCoreApplication, QEvent

    for _ in range(2):  # closing one thing may post the deletion of another
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QCoreApplication.processEvents()


def _open_windows() -> list:
    from PySide6.QtWidgets import QApplication

    return [window for window in QApplication.topLevelWidgets() if window.isVisible()]


def _qt_objects(kind: type) -> list:
    from shiboken6 import isValid

    kinds = {kind}
    waiting = [kind]
    while waiting:
        new = set(type.__subclasses__(waiting.pop())) - kinds
        kinds |= new
        waiting += new
    # By type(), since isinstance() asks the thing itself and a dead weak proxy raises; by a set, for speed.
    return [thing for thing in gc.get_objects() if type(thing) in kinds and isValid(thing)]


def _active_timers() -> list:
    from PySide6.QtCore import QTimer

    return [timer for timer in _qt_objects(QTimer) if timer.isActive()]


def _running_qthreads() -> list:
    from PySide6.QtCore import QCoreApplication, QThread

    main_thread = QCoreApplication.instance().thread()
    return [thread for thread in _qt_objects(QThread) if thread.isRunning() and thread != main_thread]


def _running_threads(before: set[threading.Thread]) -> list[threading.Thread]:
    """Threads of Python that were not there before, after those about to end had two seconds to do so."""
    # A _DummyThread stands for a thread of Qt that once ran Python; it stays listed when that one has ended.
    new = [t for t in threading.enumerate() if t not in before and not isinstance(t, threading._DummyThread)]
    end = time.monotonic() + 2
    for thread in new:
        thread.join(max(0.0, end - time.monotonic()))
    return [thread for thread in new if thread.is_alive()]
