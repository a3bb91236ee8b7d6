"""New, open, save, presets: what becomes of the document, and the question about unsaved changes.

Every dialog is opened and answered later; none blocks. Every action says what it did, or why it could not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import Inputs
from attnviz.core.selection import Selection
from attnviz.gui.background import Background
from attnviz.gui.dialogs import open_dialog
from attnviz.gui.document import Document
from attnviz.gui.language import Language
from attnviz.gui.settings import Settings
from attnviz.io.errors import FileError, shown
from attnviz.io.presets import Preset, example_in, load_preset, preset_title, takes_long
from attnviz.io.reading import Watch, part_of, tell

if TYPE_CHECKING:
    from attnviz.io.opening import Opened

_T = TypeVar("_T")
_SOON_READ = 1 << 18
"""Bytes of a file that is read in some ms."""
_SOON_WRITTEN = 1 << 21
"""Bytes of arrays that are packed and written within a tenth of a second."""
_READING = 0.1
"""The part of the time for a plain text that its reading takes; splitting and vectors take the rest."""
_Button = QMessageBox.StandardButton


class Files(QObject):
    """What the File and Presets menus do to one document."""

    told = Signal(str)
    """A sentence about what was done."""
    failed = Signal(object)
    """An AttnvizError; the document and every file are as before."""
    leaving = Signal()
    """The document may end now; what was only set over it for a while is to go first."""
    note_changed = Signal(str)
    """Words to read beside the document (Markdown), or an empty text."""

    def __init__(
        self,
        window: QWidget,
        document: Document,
        background: Background,
        settings: Settings,
        language: Language,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._document, self._background = document, background
        self._settings = settings
        self._language = language
        self._wishes = 0  # for another document, so far; what is read for an earlier one is not shown

    def new(self) -> None:
        """Begin a document of one token, with heads that know the words of the lexicon."""
        self.ask_about_changes(self._begin)

    def open(self) -> None:
        """Ask for a session or a text and open it; the document ends only once there is another."""
        dialog = self._file_dialog(self.tr("Open"), QFileDialog.AcceptMode.AcceptOpen)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: self.open_file(Path(name)))
        open_dialog(dialog)

    def open_file(self, path: Path) -> None:
        """Open a session or a text; large ones are read beside the window.

        It is read first: only for what can be shown a document or a lesson ends, after asking about changes.
        """
        self._read(path, ends=True)

    def open_first(self, path: Path, then: Callable[[], object]) -> None:
        """Open what attnviz was started with; ``then`` is called once it is shown, or cannot be."""
        self._read(path, then)

    def open_preset(self, name: str) -> None:
        """Show a preset, after asking about unsaved changes; a large one is made beside the window."""
        self.ask_about_changes(lambda: self.load_preset(name))

    def save(self) -> None:
        """Save to the document's file, or ask for one."""
        self._save_and(None, lambda: None)

    def save_as(self) -> None:
        """Ask for a file and save to it."""
        self._ask_where_and(None, lambda: None)

    def load(self, path: Path) -> bool:
        """Open a session, or a picture that carries one, at once; says whether that worked.

        A failure leaves the document as it is. What comes out of a picture has no file of its own yet, so
        that nothing is ever saved over the picture.
        """
        opened = self._opened(path)
        if opened is not None:
            self._show(opened, path)
        return opened is not None

    def load_preset(self, name: str, selection: Selection | None = None, *, asks: bool = True) -> None:
        """Show a preset in the language of the window, at once or as soon as it is made.

        Where something was changed until then, it is asked about, or with ``asks`` False kept.
        """
        language = self._language.name
        self._wishes += 1
        try:
            if takes_long(name):
                self._make_preset(name, selection, asks)
            else:
                self._show_preset(load_preset(name, language), selection)
        except AttnvizError as error:
            self.failed.emit(error)

    def speak_other_language(self) -> None:
        """Show an untouched preset in the language that is now the window's."""
        preset = self._document.preset
        if preset is not None and self._document.is_untouched_preset:
            self.load_preset(preset, self._document.selection, asks=False)

    def ask_about_changes(
        self, then: Callable[[], object], otherwise: Callable[[], object] = lambda: None
    ) -> None:
        """Do something that ends this document: at once where nothing would be lost, else after asking.

        ``otherwise`` is done where a person would rather keep it.
        """
        self.leaving.emit()
        if self._document.is_clean:
            then()
            return
        if self._window.findChild(QMessageBox, "unsaved") is not None:
            otherwise()  # it is being asked already
            return
        question = QMessageBox(
            QMessageBox.Icon.NoIcon,
            self.tr("Unsaved changes"),
            self.tr("Save the changes to “{name}”?").format(name=self.document_name()),
            _Button.Save | _Button.Discard | _Button.Cancel,
            self._window,
        )
        question.setObjectName("unsaved")
        question.setInformativeText(self.tr("Otherwise they are lost."))
        question.setDefaultButton(_Button.Save)
        answers = {_Button.Save.value: lambda: self._save_and(then, otherwise), _Button.Discard.value: then}
        question.finished.connect(lambda button: answers.get(button, otherwise)())
        open_dialog(question)

    def document_name(self) -> str:
        """Give what the document is called: its file's name, or its sentence."""
        path, text = self._document.path, self._document.inputs.text[:256].strip()
        if path is not None:
            return path.stem
        if self._document.title:
            return self._document.title
        return text if len(text) <= 24 else text[:23] + "…"

    def _begin(self) -> None:
        from attnviz.text.token_edits import set_text  # only now: it reads the lexicon

        like = load_preset(example_in(self._language.name), self._language.name).inputs
        self._wishes += 1
        self._document.replace(set_text(like, self.tr("cat")), Selection())
        self.note_changed.emit("")
        self.told.emit(self.tr("This is a new document; write a sentence and press Enter."))

    def _make_preset(self, name: str, selection: Selection | None, asks: bool) -> None:
        language = self._language.name
        words = self.tr("Making “{title}” …").format(title=preset_title(name, language))
        self._beside(
            lambda watch: load_preset(name, language, watch),
            lambda preset: self._show_preset(preset, selection),
            words,
            asks=asks,
        )

    def _show_preset(self, preset: Preset, selection: Selection | None) -> None:
        self._wishes += 1
        self._document.replace(preset.inputs, selection or preset.selection, preset=preset.name)
        self.note_changed.emit(preset.note)

    def _read(self, path: Path, then: Callable[[], object] = lambda: None, *, ends: bool = False) -> None:
        """Open a file; one that takes a while is read beside the window, which can be worked in meanwhile."""
        from attnviz.io.text_files import SUFFIXES as TEXT_SUFFIXES  # only now, for a quick start

        self._wishes += 1
        if path.suffix.lower() in TEXT_SUFFIXES:
            self._read_text(path, then, ends=ends)
            return
        from attnviz.io.opening import open_document  # after that: what reads documents takes long to load

        if not _is_large(path):
            opened = self._opened(path)
            if opened is not None and ends:
                self.ask_about_changes(lambda: self._show(opened, path))
            elif opened is not None:
                self._show(opened, path)
            then()
            return
        words = self.tr("Opening {path} …").format(path=shown(path))
        self._beside(
            lambda watch: open_document(path, watch),
            lambda opened: self._show(opened, path),
            words,
            then,
            ends=ends,
        )

    def _opened(self, path: Path) -> Opened | None:
        """Read a file at once; where it cannot be read that is said, and None given."""
        from attnviz.io.opening import open_document  # only now, for a quick start

        try:
            return open_document(path)
        except AttnvizError as error:
            self.failed.emit(error)
            return None

    def _read_text(self, path: Path, then: Callable[[], object], *, ends: bool) -> None:
        """Make a new document of a plain text beside the window: it may be a book."""
        from attnviz.io.text_files import read_text  # only now, for a quick start

        language = self._language.name
        encodings: list[str] = []

        def work(watch: Watch) -> Inputs:
            from attnviz.text.token_edits import set_text  # in the thread, where the first text loads much

            file = read_text(path, part_of(watch, 0.0, _READING))
            encodings.append(file.encoding)
            like = load_preset(example_in(language), language).inputs
            splitting = part_of(watch, _READING, 1.0)
            made = set_text(like, file.text, tell=lambda fraction: tell(splitting, fraction))
            tell(watch, 1.0)
            return made

        def show(inputs: Inputs) -> None:
            self._wishes += 1
            self._document.replace(inputs, Selection(0, inputs.n_query - 1, 0), title=path.stem)
            self.note_changed.emit("")
            self._remember(path)
            words = self.tr("Opened {path}: {n} tokens, read as {encoding}.")
            if inputs.n_query == 1:
                words = self.tr("Opened {path}: 1 token, read as {encoding}.")
            count = f"{inputs.n_query:,}"
            self.told.emit(words.format(path=shown(path), n=count, encoding=encodings[-1]))

        self._beside(work, show, self.tr("Opening {path} …").format(path=shown(path)), then, ends=ends)

    def _beside(
        self,
        work: Callable[[Watch], _T],
        show: Callable[[_T], object],
        words: str,
        then: Callable[[], object] = lambda: None,
        *,
        asks: bool = True,
        ends: bool = False,
    ) -> None:
        """Get another document beside the window, and show it unless something else is wished for meanwhile.

        ``then`` is called when it is shown or given up; what was changed meanwhile is asked about before,
        or where nothing ``asks`` kept. What ``ends`` the document shown asks about all its changes.
        """
        wish, before = self._wishes, self._document.inputs

        def work_while_wanted(watch: Watch) -> _T:
            return work(lambda fraction: wish == self._wishes and watch(fraction))

        def show_and_go_on(made: _T) -> None:
            show(made)
            then()

        def take(made: _T) -> None:
            is_changed = self._document.inputs is not before
            if wish != self._wishes or (is_changed and not asks):
                then()
            elif not (is_changed or ends):
                show_and_go_on(made)
            else:
                self.ask_about_changes(lambda: show_and_go_on(made), then)

        self.told.emit(words)
        self._background.do(work_while_wanted, take, then, words)

    def _show(self, opened: Opened, path: Path) -> None:
        session, own = opened.session, None if opened.is_picture else path
        self._wishes += 1
        self._document.replace(
            session.inputs, session.selection, path=own, title=path.stem if opened.is_picture else ""
        )
        self.note_changed.emit("")
        self._remember(path)
        self.told.emit(self.tr("Opened {path}.").format(path=shown(path)))

    def _save_and(self, then: Callable[[], object] | None, otherwise: Callable[[], object]) -> None:
        if self._document.path is None:
            self._ask_where_and(then, otherwise)
        else:
            self._write(self._document.path, then, otherwise)

    def _ask_where_and(self, then: Callable[[], object] | None, otherwise: Callable[[], object]) -> None:
        from attnviz.io.session import SUFFIX  # only now, for a quick start

        dialog = self._file_dialog(self.tr("Save as"), QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(SUFFIX[1:])
        path = self._document.path
        name = self._document.title or self.tr("attention")
        dialog.selectFile(path.name if path is not None else name + SUFFIX)
        dialog.fileSelected.connect(lambda name: self._write(Path(name), then, otherwise))
        dialog.rejected.connect(otherwise)
        open_dialog(dialog)

    def _write(self, path: Path, then: Callable[[], object] | None, otherwise: Callable[[], object]) -> None:
        """Save to a file; a large document is written beside the window, which can be worked in meanwhile.

        ``then`` ends the document, so what was changed meanwhile is asked about before.
        """
        from attnviz.io.picture_session import SUFFIX as PICTURE_SUFFIX  # only now, for a quick start
        from attnviz.io.session import save_session

        inputs, selection, number = self._document.inputs, self._document.selection, self._document.number

        def write(watch: Watch | None = None) -> None:
            if path.suffix.lower() == PICTURE_SUFFIX:
                raise FileError(
                    "“{path}” is the name of a picture; save the document as .attnviz, or export a picture.",
                    path=shown(path),
                )
            save_session(path, inputs, selection, watch=watch)

        def done(nothing: object = None) -> None:
            is_shown = number == self._document.number
            if is_shown:
                self._document.mark_saved(path, inputs)
            self._remember(path)
            self.told.emit(self.tr("Saved {path}.").format(path=shown(path)))
            if then is not None and is_shown:
                self.ask_about_changes(then, otherwise)
            elif not is_shown:
                otherwise()

        if _array_bytes(inputs) > _SOON_WRITTEN:
            words = self.tr("Saving {path} …").format(path=shown(path))
            self.told.emit(words)
            self._background.do(write, done, otherwise, words)
            return
        try:
            write()
        except AttnvizError as error:
            self.failed.emit(error)
            otherwise()
        else:
            done()

    def _remember(self, path: Path) -> None:
        self._settings.add_recent_file(path)
        self._settings.folder = path.absolute().parent

    def _file_dialog(self, title: str, mode: QFileDialog.AcceptMode) -> QFileDialog:
        from attnviz.io.picture_session import SUFFIX as PICTURE_SUFFIX  # only now, for a quick start
        from attnviz.io.session import SUFFIX
        from attnviz.io.text_files import SUFFIXES as TEXT_SUFFIXES

        dialog = QFileDialog(self._window, title, str(self._settings.folder))
        dialog.setObjectName("file_dialog")
        dialog.setAcceptMode(mode)
        sessions = self.tr("attnviz sessions (*{suffix})").format(suffix=SUFFIX)
        patterns = " ".join(f"*{suffix}" for suffix in (SUFFIX, PICTURE_SUFFIX, *TEXT_SUFFIXES))
        documents = self.tr("attnviz documents and texts ({patterns})").format(patterns=patterns)
        is_opening = mode == QFileDialog.AcceptMode.AcceptOpen
        dialog.setNameFilters([documents if is_opening else sessions])
        return dialog


def _array_bytes(inputs: Inputs) -> int:
    """Give about how many bytes of arrays a document has; maps and x are never many times more."""
    return 4 * sum(math.prod(array.shape) for head in inputs.heads for array in (head.q, head.k, head.v))


def _is_large(path: Path) -> bool:
    try:
        return path.stat().st_size > _SOON_READ
    except (OSError, ValueError):  # opening it says what is wrong
        return False
