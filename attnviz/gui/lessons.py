"""Runs one lesson at a time over the window's document, and ends it with everything as it was before.

A lesson has a document of its own, exchanged for the person's, which waits untouched with its file, its way
back and its mark of changes. Its edits go through ``Document.apply`` as any other's do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from attnviz.core.errors import AttnvizError
from attnviz.gui.dialogs import open_dialog
from attnviz.gui.document import Aside
from attnviz.gui.language import Language
from attnviz.gui.lesson_panel import Card
from attnviz.gui.settings import Settings
from attnviz.gui.views.map_window import Window
from attnviz.io.errors import shown
from attnviz.io.lessons import SUFFIX, lesson_names, load_lesson, open_lesson

if TYPE_CHECKING:
    from attnviz.gui.main_window import MainWindow
    from attnviz.io.lesson_json import Lesson


@dataclass(eq=False)
class _Run:
    """A lesson that is under way; ``step`` is the number of its steps at its end."""

    lesson: Lesson
    aside: Aside  # the person's document
    tab: QWidget
    note: str
    alone: str | None  # the panel that had the whole area
    view: Window  # what of the matrix was in view
    language: str  # in which the person's document was set aside
    step: int = 0
    seen: set[int] = field(default_factory=set)


class Lessons(QObject):
    """What the Lessons menu and the panel of a lesson do."""

    told = Signal(str)
    """A sentence about what was done."""
    failed = Signal(object)
    """An AttnvizError; the document is as before."""
    beginning = Signal()
    """The person's document is about to be set aside."""
    ended = Signal()
    """The window's document is a person's again: the one set aside, or the lesson's where it was kept."""

    def __init__(self, window: MainWindow, settings: Settings, language: Language) -> None:
        super().__init__(window)
        self._window, self._settings, self._language = window, settings, language
        self._document, self._panel = window.document, window.parts.lesson
        self._run: _Run | None = None
        self._is_asking = False  # about the person's document, which the window shows meanwhile
        self._view: Window | None = None  # to be shown again with the person's document
        panel = self._panel
        panel.done.connect(self._do)
        panel.went.connect(self._go)
        panel.kept.connect(self._keep)
        panel.put_back.connect(self.put_back)
        window.files.leaving.connect(self._leave)
        window.drawn.connect(self._follow)
        window.parts.tab_changed.connect(self._look)

    @property
    def is_running(self) -> bool:
        """Whether the window shows a lesson's document."""
        return self._run is not None

    def begin_named(self, name: str) -> None:
        """Begin a lesson that comes with the program."""
        try:
            lesson = load_lesson(name)
        except AttnvizError as error:
            self.failed.emit(error)
            return
        self.begin(lesson)

    def begin_file(self, path: Path) -> None:
        """Begin a person's own lesson; where it is refused, everything stays as it is."""
        try:
            lesson = open_lesson(path)
        except AttnvizError as error:
            self.failed.emit(error)
            return
        self.begin(lesson)

    def ask(self) -> None:
        """Ask for a person's own lesson and begin it."""
        dialog = QFileDialog(self._window, self.tr("Open a lesson"), str(self._settings.folder))
        dialog.setObjectName("file_dialog")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([self.tr("attnviz lessons (*{suffix})").format(suffix=SUFFIX)])
        dialog.fileSelected.connect(lambda name: self.begin_file(Path(name)))
        open_dialog(dialog)

    def begin(self, lesson: Lesson) -> None:
        """Set the person's document aside and begin; another lesson ends first."""
        from attnviz.gui import lesson_play  # here and below: only who begins a lesson needs it

        language = self._language.name
        try:
            start = lesson_play.beginning(lesson, language)
            lesson_play.check(lesson, language)
        except AttnvizError as error:
            self.failed.emit(error)
            return
        self.put_back()
        self.beginning.emit()
        parts, stages = self._window.parts, self._window.parts.stages
        aside = self._document.beside(start.inputs, start.selection)
        tab, note, alone = parts.tabs.currentWidget(), parts.note.note(), stages.panel_alone()
        view, self._view = self._view or stages.window_shown(), None
        self._run = _Run(lesson, aside, tab, note, alone, view, language)
        self._document.exchange(aside)
        stages.show_alone(None)
        stages.reset_zoom()
        parts.show_note("")
        parts.show_lesson(True)
        self._bring_to_front(start.tab)
        self._go_to(0)
        self._panel.take_focus()

    def put_back(self) -> None:
        """End the lesson: everything is as it was before. Nothing where there is none."""
        run, self._run = self._run, None
        if run is None:
            return
        self._view = run.view
        if not self._is_asking:  # else the window shows it already
            self._document.exchange(run.aside)
        self._is_asking = False
        parts = self._window.parts
        parts.show_lesson(False)
        parts.show_note(run.note)
        parts.stages.show_alone(run.alone)
        if run.tab is not None and parts.tabs.indexOf(run.tab) >= 0:
            parts.tabs.setCurrentWidget(run.tab)
        if run.language != self._language.name:
            self._window.files.speak_other_language()
        self.ended.emit()
        self.told.emit(self.tr("The lesson has ended; everything is as it was before."))

    def speak_other_language(self) -> None:
        """Say the lesson in the language that is now the window's, with the names it speaks of."""
        run, language = self._run, self._language.name
        if run is not None:
            from attnviz.gui.lesson_play import in_language

            names = "lesson_language"  # there and back again leaves no step
            self._document.apply(lambda inputs: in_language(inputs, run.lesson.preset, language), names)
            self._show()

    def _do(self) -> None:
        """Make of the document what the steps up to this one make of the beginning, as one step of undo."""
        run = self._run
        if run is None:
            return
        from attnviz.gui.lesson_play import after_step, beginning

        language = self._language.name
        moment = after_step(run.lesson, beginning(run.lesson, language), run.step, language)
        self._document.apply(lambda inputs: moment.inputs)
        self._document.select(moment.selection)
        self._bring_to_front(moment.tab)
        if not run.lesson.steps[run.step].expects:
            run.seen.add(run.step)
        self._look()
        self._show()

    def _go(self, by: int) -> None:
        if self._run is not None:
            self._go_to(self._run.step + by)

    def _go_to(self, step: int) -> None:
        run = self._run
        if run is not None:
            run.step = max(0, min(step, len(run.lesson.steps)))
            self._look()
            self._show()

    def _show(self) -> None:
        run, language = self._run, self._language.name
        if run is None:
            return
        title, count = run.lesson.title.spoken(language), len(run.lesson.steps)
        if run.step == count:
            self._panel.show_card(Card(title, count, count))
            return
        step = run.lesson.steps[run.step]
        task, sight = step.do.spoken(language), step.see.spoken(language)
        self._panel.show_card(
            Card(title, run.step, count, task, sight, bool(step.edits), run.step in run.seen)
        )

    def _follow(self) -> None:
        """Go along with what has just been drawn."""
        stages = self._window.stages
        if self._run is not None:
            self._look()
        elif stages is not None and stages.request.inputs is self._document.inputs:
            view, self._view = self._view, None
            if view is not None:
                self._window.parts.stages.look_at(view)

    def _look(self) -> None:
        """Mark the step as seen where the screen shows what it expects, however that came about."""
        run, window = self._run, self._window
        if run is None or self._is_asking or run.step == len(run.lesson.steps) or run.step in run.seen:
            return
        step, stages = run.lesson.steps[run.step], window.stages
        if not step.expects or stages is None or window.live is None or not window.live.shows_present():
            return
        from attnviz.gui.lesson_play import is_seen

        tab = window.parts.tabs.currentWidget().objectName()
        if is_seen(step.expects, stages, self._document.selection, tab):
            run.seen.add(run.step)
            self._show()

    def _keep(self) -> None:
        """Go on with the lesson's document; what would be lost of the person's is asked about first."""
        run = self._run
        if run is None:
            return
        if run.aside.is_clean:
            self._go_on()
            return
        self._is_asking = True
        self._document.exchange(run.aside)  # the question is about what the window shows
        self._window.files.ask_about_changes(
            lambda: self._return(kept=True), lambda: self._return(kept=False)
        )

    def _return(self, *, kept: bool) -> None:
        """Show the lesson's document again after the question, to stay or to go on with the lesson."""
        self._is_asking = False
        run = self._run
        if run is not None:
            self._document.exchange(run.aside)
            if kept:
                self._go_on()

    def _go_on(self) -> None:
        self._run = None
        self._window.parts.show_lesson(False)
        self.ended.emit()
        if self._document.path is not None and self._document.is_clean:
            words = self.tr("This document is yours now; it lies in {path}.")
            self.told.emit(words.format(path=shown(self._document.path)))
        else:
            self.told.emit(self.tr("This document is yours now; save it to have it in a file."))

    def _leave(self) -> None:
        if not self._is_asking:
            self.put_back()

    def _bring_to_front(self, tab: str) -> None:
        parts = self._window.parts
        for page in parts.pages():
            if page.objectName() == tab:
                parts.show_tab(page)


def lesson_titles(language: Language) -> list[tuple[str, str]]:
    """Give (name, title) of each lesson that comes with the program, in the order of a menu."""
    return [(name, load_lesson(name).title.spoken(language.name)) for name in lesson_names()]
