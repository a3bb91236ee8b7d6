"""The application: one QApplication, one window, and an orderly end."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyqtgraph as pg
from pyqtgraph.util.garbage_collector import GarbageCollector
from PySide6.QtCore import QEventLoop, QObject, QSocketNotifier, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import Inputs
from attnviz.engine.select import engine_of
from attnviz.gui.appearance import Appearance
from attnviz.gui.document import Document
from attnviz.gui.dropping import Dropping
from attnviz.gui.language import Language
from attnviz.gui.main_window import MainWindow
from attnviz.gui.recovery import keep_safe
from attnviz.gui.settings import Settings
from attnviz.io.lessons import is_lesson
from attnviz.io.presets import DEFAULT, load_preset

if TYPE_CHECKING:
    from attnviz.io.opening import Kind


def run(path: str | None = None, engine: str | None = None) -> int:
    """Open the window, on a session or on the first example, and return when it is closed.

    Parameters
    ----------
    path
        The session, text, lesson, store or file of arrays; None: the first example.
    engine
        ``auto``, ``cuda`` or ``cpu`` for this run; None: the one remembered.

    Returns
    -------
    int
        The exit code of the process: 0.

    Raises
    ------
    AttnvizError
        When there is no display.
    """
    check_display()
    app = create_application()
    settings, language = Settings(), Language()
    language.speak(settings.language)
    kind = None if path is None else _kind_of(path)
    inputs = _inputs_of(path) if path is not None and kind == "store" else None  # nothing is ever saved to it
    window = open_window(settings, language, inputs, engine)
    if path is not None and kind in ("document", "text"):
        # Where it cannot be opened, the window says why over the first example.
        keep_safe(window, Path(path), partial(window.files.open_first, Path(path)))
    else:
        keep_safe(window)
    if path is not None and kind == "lesson":
        window.lessons.begin_file(Path(path))
    elif path is not None and kind == "arrays":
        window.import_file(Path(path))
    gc.freeze()  # what stays until the end is not looked through again and again, in the middle of a drag
    window.later.add(gc.freeze)
    with _garbage_in_this_thread():
        _stay_until_closed(app, window)
    return 0


def _kind_of(path: str) -> Kind:
    from attnviz.io.opening import kind_of  # only now: who opens the first example reads no file

    return kind_of(path)


def _inputs_of(path: str) -> Inputs:
    """Give the document of a Zarr store, whose long arrays stay there."""
    from attnviz.engine.arrays import inputs_from_arrays  # only now, for a quick start
    from attnviz.io.zarr_stores import document_of, store_at
    from attnviz.text.joining import join

    inputs = inputs_from_arrays(**document_of(store_at(path) or Path(path)))
    return replace(inputs, text=join(inputs.tokens), key_text=join(inputs.key_tokens or ()))


def view_inputs(inputs: Inputs) -> None:
    """Open the window on a document and return when it is closed, beside a running application too."""
    engine = engine_of(os.environ)
    check_display()
    app = create_application()
    settings, language = Settings(), Language()
    language.speak(settings.language)
    _stay_until_closed(app, open_window(settings, language, inputs, engine))


def create_application() -> QApplication:
    """Give the QApplication, the one that exists or a new one, set up for attnviz."""
    pg.setConfigOptions(imageAxisOrder="row-major", antialias=False)
    app = QApplication.instance()
    if isinstance(app, QApplication):
        return app
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    app = QApplication(sys.argv[:1])
    app.setApplicationName("attnviz")
    app.setApplicationDisplayName("attnviz")
    return app


def open_window(
    settings: Settings, language: Language, inputs: Inputs | None = None, engine: str | None = None
) -> MainWindow:
    """Show a window, on a document or on the first example; who closes it must keep it until then."""
    appearance = Appearance()
    appearance.choose(settings.theme)
    if inputs is None:
        preset = load_preset(DEFAULT, language.name)
        document = Document(preset.inputs, preset.selection)
        document.replace(preset.inputs, preset.selection, preset=DEFAULT)
    else:
        document = Document(inputs)
    window = MainWindow(document, settings, appearance, language, engine)
    appearance.setParent(window)
    window.show()
    dropping = Dropping(window, lambda: appearance.theme)
    dropping.opened.connect(
        lambda path: (window.lessons.begin_file if is_lesson(path) else window.files.open_file)(path)
    )
    dropping.arrays_dropped.connect(window.import_file)
    dropping.failed.connect(window.refuse)
    return window


def check_display() -> None:
    """Refuse where Qt would end the process because there is no display to open a window on.

    Raises
    ------
    AttnvizError
        On Linux without X11, Wayland or a platform of Qt's asked for by name.
    """
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform == "linux" and not any(os.environ.get(name) for name in names):
        raise AttnvizError(
            "There is no display to open a window on; attnviz render draws a picture without one."
        )


def _stay_until_closed(app: QApplication, window: MainWindow) -> None:
    """Run until the window is closed, and see to it that it is closed whatever happens.

    A window of pyqtgraph that is still open when the interpreter ends crashes the process.
    """
    loop = QEventLoop()
    window.closed.connect(loop.quit)
    app.aboutToQuit.connect(loop.quit)
    try:
        with _interrupts_close(window):
            loop.exec()
    finally:
        window.abandon()
        window.deleteLater()
        app.sendPostedEvents(window, 0)
        app.processEvents()


@contextlib.contextmanager
def _garbage_in_this_thread() -> Iterator[None]:
    """Let Python look for garbage in the window's thread alone.

    By itself it does so in whatever thread happens to ask for memory, and there it would take apart what Qt
    is at in this one.
    """
    collector = GarbageCollector()
    try:
        yield
    finally:
        collector.timer.stop()
        gc.enable()


@contextlib.contextmanager
def _interrupts_close(window: MainWindow) -> Iterator[None]:
    """Let Ctrl+C in the terminal close the window as its own button does, and the second time for good.

    Python's handler only runs once the interpreter does; the byte that arrives on the socket wakes it up.
    """
    try:
        old_handler = signal.getsignal(signal.SIGINT)
        receiver, sender = socket.socketpair()
        sender.setblocking(False)
        old_descriptor = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    except ValueError:  # not in the main thread, where signals are somebody else's
        yield
        return
    presses = []

    def interrupted(number: int, frame: object) -> None:
        presses.append(number)
        window.close() if len(presses) == 1 else window.abandon()

    signal.signal(signal.SIGINT, interrupted)
    notifier = QSocketNotifier(receiver.fileno(), QSocketNotifier.Type.Read, QObject(window))
    notifier.activated.connect(lambda: receiver.recv(64))
    try:
        yield
    finally:
        notifier.setEnabled(False)
        signal.set_wakeup_fd(old_descriptor)
        signal.signal(signal.SIGINT, old_handler)
        receiver.close()
        sender.close()
