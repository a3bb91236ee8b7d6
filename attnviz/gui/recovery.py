"""What becomes of documents that were not saved when an earlier attnviz ended: shown, or offered, one by one.

Showing one is a step of undo over what the window would show without it, and writes no file.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from attnviz.core.errors import AttnvizError
from attnviz.gui.autosaving import Autosaving
from attnviz.gui.document import Document
from attnviz.gui.recovery_bar import RecoveryBar
from attnviz.io.autosave import Autosave, Kept, set_aside
from attnviz.io.autosave_folder import abandoned, place

if TYPE_CHECKING:
    from attnviz.gui.main_window import MainWindow


class Recovery(QObject):
    """Goes through the autosaves that an earlier attnviz has left.

    Parameters
    ----------
    document
        What they are shown in.
    autosaving
        Takes the autosave over that is shown.
    bar
        Where a person is asked.
    ask_about_changes
        Called with what ends the present document; asks first where something would be lost.
    """

    failed = Signal(object)
    """An AttnvizError: what could not be recovered, and where it lies."""
    shown = Signal()
    """Another document has come into the window."""

    def __init__(
        self,
        document: Document,
        autosaving: Autosaving,
        bar: RecoveryBar,
        ask_about_changes: Callable[[Callable[[], object]], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._document, self._autosaving, self._bar = document, autosaving, bar
        self._ask = ask_about_changes
        self._waiting: list[Autosave] = []
        self._is_asking = False  # about the document that is shown
        bar.kept.connect(self._decided)
        bar.discarded.connect(self._discard)
        bar.opened.connect(self._ask_for_next)
        bar.postponed.connect(self.close)
        document.inputs_changed.connect(self._follow)

    def begin(self, autosaves: list[Autosave], asked_for: Path | None = None) -> None:
        """Show the latest autosave and offer the others.

        Parameters
        ----------
        autosaves
            The latest first; they are released by ``close``.
        asked_for
            The file a person has started attnviz with: then only an autosave of this very file is shown.
        """
        self._waiting = list(autosaves)
        for autosave in autosaves:
            # What a person has done while the file was read is not replaced.
            is_free = asked_for is None or self._document.is_clean
            if is_free and (asked_for is None or _belongs_to(autosave, asked_for)):
                if self._show(autosave):
                    return
                if asked_for is not None:
                    break
        self._offer()

    def close(self) -> None:
        """Leave what is still waiting to the next start."""
        for autosave in self._waiting:
            autosave.release()
        self._waiting.clear()
        self._bar.hide()

    def _show(self, autosave: Autosave) -> bool:
        """Bring a document into the window; False where it cannot be read, or holds nothing unsaved."""
        self._waiting.remove(autosave)
        try:
            kept, when = autosave.read(), autosave.saved_at
        except AttnvizError as error:
            self.failed.emit(set_aside(autosave, error))
            return False
        origin = autosave.note().origin
        in_file = None if origin is None else _read(origin.path)
        base = Kept(self._document.inputs, self._document.selection) if in_file is None else in_file
        if kept.inputs.equals(base.inputs):  # attnviz ended just after it was saved
            autosave.remove()
            return False
        path = origin.path if origin is not None and in_file is not None and origin.is_unchanged else None
        self._is_asking = False
        self._document.replace(base.inputs, base.selection, path=path)
        self._document.apply(lambda inputs: kept.inputs)
        self._document.select(kept.selection)
        self._autosaving.adopt(autosave)
        self.shown.emit()
        self._bar.show_recovered(_title(autosave), when, is_detached=origin is not None and path is None)
        self._is_asking = True
        return True

    def _follow(self) -> None:
        """Take any change, undo too, as an answer."""
        if self._is_asking:
            self._decided()

    def _discard(self) -> None:
        self._is_asking = False
        self._document.undo()
        self._decided()

    def _decided(self) -> None:
        self._is_asking = False
        self._bar.hide()
        self._offer()

    def _offer(self) -> None:
        if self._waiting:
            first = self._waiting[0]
            self._bar.show_offer(_title(first), first.saved_at, len(self._waiting))

    def _ask_for_next(self) -> None:
        self._ask(self._show_next)

    def _show_next(self) -> None:
        if self._waiting and not self._show(self._waiting[0]):
            self._decided()


def _belongs_to(autosave: Autosave, path: Path) -> bool:
    origin = autosave.note().origin
    if origin is None:
        return False
    try:
        return origin.path.samefile(path)
    except (OSError, ValueError):
        return False


def _read(path: Path) -> Kept | None:
    """Give what a file holds, or None where it holds no session any more."""
    from attnviz.io.session import open_session  # only now, for a quick start

    try:
        session = open_session(path)
    except AttnvizError:
        return None
    return Kept(session.inputs, session.selection)


def _title(autosave: Autosave) -> str:
    note = autosave.note()
    return note.title if note.origin is None else note.origin.path.stem


def keep_safe(
    window: MainWindow,
    asked_for: Path | None = None,
    opening: Callable[[Callable[[], object]], object] = lambda then: then(),
) -> Autosaving:
    """Keep what is unsaved in a window from now on, and show it what an earlier attnviz has left.

    Parameters
    ----------
    window
        It shows the first example, or what was asked for.
    asked_for
        The file attnviz was started with, if any.
    opening
        Opens that file, and then, or when it could not, calls what it is given.
    """
    where = place()
    autosaving = Autosaving(window.document, where, window.files.document_name, window)
    autosaving.told.connect(window.status.tell)
    recovery = Recovery(
        window.document, autosaving, window.parts.recovery, window.files.ask_about_changes, window
    )
    # Queued: a document that comes into the window wipes away what was said before.
    recovery.failed.connect(window.refuse, Qt.ConnectionType.QueuedConnection)
    recovery.shown.connect(lambda: window.parts.show_note(""))
    window.discarded.connect(autosaving.discard)
    window.closed.connect(autosaving.close)
    window.closed.connect(recovery.close)
    window.lessons.beginning.connect(autosaving.pause)
    window.lessons.ended.connect(autosaving.resume)
    opening(lambda: recovery.begin(abandoned(where), asked_for))
    return autosaving
