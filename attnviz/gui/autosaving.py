"""Keeps what is not saved yet where the next start finds it, while a person works.

A snapshot of a document costs nothing, since documents are never written to; a thread writes it. So a drag is
as smooth as without.
"""

from __future__ import annotations

import contextlib
import copy
import math
import threading
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import Inputs
from attnviz.core.selection import Selection
from attnviz.gui.document import Document
from attnviz.gui.speech import say
from attnviz.io.autosave import Autosave, Note, Origin
from attnviz.io.autosave_folder import create

BEAT_MS = 2000
"""Time in ms from the first edit that is not kept yet until it is handed to the thread.

What a crash can lose is this and the time of one write: under 3 s together up to 20 MB of arrays.
"""
RATE = 10_000_000
"""Bytes per second that are written on average at most, so that a large document wears no disk out.

One of 100 MB is written 2 s after its first change, and from then on every 10 s while it changes.
"""
SELDOM_MS = 5000
"""A person is told, once, where the document is kept less often than this."""
PATIENCE_S = 2.0
"""How long closing waits for a write that is under way."""


class Autosaving(QObject):
    """Keeps one window's document as long as it differs from its file.

    Parameters
    ----------
    document
        What is kept.
    where
        The folder of all autosaves.
    title
        Asked for what the document is called.
    """

    told = Signal(str)
    """Why unsaved changes cannot be kept; said once, since it keeps nobody from working."""

    _done = Signal(object)  # the FileError of a write, or None

    def __init__(self, document: Document, where: Path, title: Callable[[], str], parent: QObject) -> None:
        super().__init__(parent)
        self._document, self._where, self._title = document, where, title
        self._autosave: Autosave | None = None
        self._thread: threading.Thread | None = None
        self._kept: Inputs | None = None  # what was handed to the thread last
        self._origin: Origin | None = None  # the document's file as it was when the changes began
        self._error: AttnvizError | None = None
        self._is_kept_aside = True  # while paused: nothing of the document's is only in memory
        self._written_at = -math.inf  # of the monotonic clock, when the last write began
        self._has_told_how_often = False
        self._has_told = self._is_late = self._is_closed = self._is_unwanted = self._is_paused = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._beat)
        self._done.connect(self._finish, Qt.ConnectionType.QueuedConnection)
        document.inputs_changed.connect(self._follow)
        # Queued: shortening its undo, a document is clean for a moment.
        document.clean_changed.connect(self._tidy, Qt.ConnectionType.QueuedConnection)
        document.clean_changed.connect(self._forget_origin)
        document.path_changed.connect(self._forget_origin)

    @property
    def is_up_to_date(self) -> bool:
        """Whether a crash now would lose nothing."""
        if self._thread is not None:
            return False
        if self._is_paused:
            return self._is_kept_aside and self._error is None
        if self._document.is_clean:
            return self._autosave is None
        return self._kept is self._document.inputs and self._error is None

    @property
    def autosave(self) -> Autosave | None:
        """Where the document is kept, or None where nothing is unsaved yet."""
        return self._autosave

    def adopt(self, autosave: Autosave) -> None:
        """Go on with an autosave whose document is the window's from now on."""
        self._settle(None)
        self._drop()
        self._autosave, self._kept = autosave, self._document.inputs
        self._origin = autosave.note().origin
        self._timer.stop()

    def pause(self) -> None:
        """Keep the document as it is now, and nothing that the window shows from now on until ``resume``.

        For another document that is set over it for a while and is nobody's work.
        """
        if self._is_closed or self._is_paused:
            return
        self._timer.stop()
        self._is_kept_aside = True
        if not self._document.is_clean and self._kept is not self._document.inputs:
            self._settle(PATIENCE_S)
            self._is_kept_aside = self._thread is None
            if self._is_kept_aside:
                self._start()
        self._is_paused = True

    def resume(self) -> None:
        """Go on with the document that the window shows now."""
        if self._is_closed or not self._is_paused:
            return
        self._is_paused = False
        self._tidy()
        if not self._document.is_clean and self._kept is not self._document.inputs:
            self._timer.start()

    def discard(self) -> None:
        """Forget what is unsaved, since a person has said so, and keep nothing from now on."""
        self._is_closed = self._is_unwanted = True
        self._timer.stop()
        if self._settle(PATIENCE_S):
            self._drop()

    def close(self) -> None:
        """Keep nothing from now on; what is unsaved stays for the next start, as it is now."""
        if self._is_closed:
            return
        self._is_closed = True
        self._timer.stop()
        if not self._settle(PATIENCE_S):
            return  # the thread ends by itself; its lock goes with the process
        if self._document.is_clean:
            self._drop()
            return
        if self._kept is not self._document.inputs:
            self._start()
            if not self._settle(PATIENCE_S):
                return
        if self._autosave is not None:
            self._autosave.release()

    def _follow(self, inputs: Inputs) -> None:
        is_idle = self._is_closed or self._is_paused or self._timer.isActive()
        if not (is_idle or self._document.is_clean):
            every = 1000 * _written_bytes(inputs) / RATE  # ms
            since = 1000 * (time.monotonic() - self._written_at)
            self._timer.start(max(BEAT_MS, round(every - since) if since < every else 0))
            self._tell_how_often(every)

    def _tell_how_often(self, every: float) -> None:
        if every > SELDOM_MS and not self._has_told_how_often:
            self._has_told_how_often = True
            self.told.emit(
                self.tr(
                    "This document is large: what is unsaved is kept for recovery every {seconds} s."
                ).format(seconds=round(every / 1000))
            )

    def _beat(self) -> None:
        if self._document.is_clean or self._document.inputs is self._kept:
            return
        self._is_late = self._thread is not None
        if not self._is_late:
            self._start()

    def _start(self) -> None:
        document = self._document
        self._kept, self._written_at = document.inputs, time.monotonic()
        path = None if document.path is None else document.path.absolute()
        self._thread = threading.Thread(
            target=self._write,
            args=(document.inputs, document.selection, self._title(), path),
            name="attnviz-autosave",
            daemon=True,  # a disk that does not answer must not keep the process alive
        )
        self._thread.start()

    def _finish(self, error: AttnvizError | None) -> None:
        """Go on after a write; it is the last one's, or has been waited for already."""
        if self._is_closed or not self._settle(None):
            return
        if error is not None and not self._has_told:
            self._has_told = True
            self.told.emit(
                self.tr("Unsaved changes are not being kept for recovery: {reason}").format(reason=say(error))
            )
        if error is not None:
            self._kept = None  # the next edit tries again
        if self._is_paused:
            return
        if self._document.is_clean:
            self._drop()
        elif error is None and self._is_late:
            self._start()
        self._is_late = False

    def _settle(self, seconds: float | None) -> bool:
        """Wait for the thread, for ever where ``seconds`` is None; False where it is still at it."""
        if self._thread is not None:
            self._thread.join(seconds)
            if self._thread.is_alive():
                return False
            self._thread = None
        return True

    def _tidy(self) -> None:
        if not (self._is_closed or self._is_paused) and self._document.is_clean:
            self._timer.stop()
            if self._thread is None:  # else it is looked at when that one has ended
                self._drop()

    def _forget_origin(self) -> None:
        if not self._is_paused:
            self._origin = None

    def _drop(self) -> None:
        self._kept = None
        if self._autosave is not None:
            self._autosave.remove()
            self._autosave = None

    # What follows runs in the thread.

    def _write(self, inputs: Inputs, selection: Selection, title: str, path: Path | None) -> None:
        self._error = error = self._try_to_write(inputs, selection, title, path)
        if self._is_unwanted and self._autosave is not None:  # closing may have waited in vain
            self._autosave.remove()
        with contextlib.suppress(RuntimeError):  # the window has not waited and is gone
            self._done.emit(error)

    def _try_to_write(
        self, inputs: Inputs, selection: Selection, title: str, path: Path | None
    ) -> AttnvizError | None:
        try:
            if self._autosave is None:
                self._autosave = create(self._where)
            origin = self._origin
            if path is None or origin is None or origin.path != path:
                self._origin = origin = None if path is None else Origin.of(path)
            self._autosave.write(inputs, selection, Note(title, origin))
        except AttnvizError as error:
            return copy.copy(error)  # without the traceback, which would keep alive what belongs here
        except Exception as error:  # whatever it is, the next edit tries again
            reason = str(error).rstrip(".") or type(error).__name__
            return AttnvizError("The document cannot be written: {reason}.", reason=reason)
        return None


def _written_bytes(inputs: Inputs) -> int:
    """Give about how many bytes a document takes in a file: its arrays."""
    arrays = [
        array for head in inputs.heads for array in (head.q, head.k, *([] if head.v_is_k else [head.v]))
    ]
    arrays += [array for array in (inputs.x, inputs.x_keys, inputs.w_o) if array is not None]
    return 4 * sum(math.prod(array.shape) for array in arrays)
