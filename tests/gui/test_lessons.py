"""A lesson is set over the person's document and taken away again: nothing of the document is touched."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton, QLabel, QMessageBox

from attnviz.core import edits
from attnviz.core.inputs import Inputs
from attnviz.core.selection import Selection
from attnviz.gui.autosaving import Autosaving
from attnviz.gui.document import Document
from attnviz.gui.lesson_panel import Card, LessonPanel
from attnviz.gui.theme import LIGHT
from attnviz.io.lesson_json import TABS
from attnviz.io.picture_wish import PictureWish
from attnviz.io.session import save_session

FISH = "it-looks-at-the-fish"


def set_q(value: float):
    return lambda inputs: edits.set_vector_value(inputs, 0, "q", 1, 0, value)


def strength(value: float):
    return lambda inputs: edits.set_scale_strength(inputs, value)


def button(window, name: str) -> QAbstractButton:
    found = window.findChild(QAbstractButton, f"lesson/{name}")
    assert found is not None
    return found


def state(document: Document) -> tuple:
    return (
        document.inputs,
        document.selection,
        document.path,
        document.preset,
        document.is_clean,
        document.undo_steps,
        document.can_undo,
        document.can_redo,
    )


class TestExchange:
    @pytest.fixture
    def document(self, qapp, small_inputs) -> Document:
        document = Document(small_inputs)
        document.replace(small_inputs, Selection(1, 2, 3), path=Path("mine.attnviz"))
        document.apply(set_q(5))
        document.apply(set_q(6))
        document.undo()
        return document

    def test_exchanging_twice_brings_everything_back(self, document):
        before = state(document)
        aside = document.beside(document.inputs, Selection(0, 0, 0))
        document.exchange(aside)
        assert (document.path, document.preset, document.undo_steps) == (None, None, 0)
        assert document.is_clean
        assert not document.can_undo
        document.apply(strength(3))
        document.apply(strength(4))
        document.select_query(3)
        document.undo()
        document.exchange(aside)
        assert state(document) == before
        document.redo()
        assert document.inputs.heads[0].q[1, 0] == 6
        document.undo()
        document.undo()
        assert document.is_clean

    def test_what_is_exchanged_keeps_a_way_back_of_its_own(self, document):
        mine = document.inputs
        aside = document.beside(mine, Selection())
        document.exchange(aside)
        document.apply(strength(3))
        document.exchange(aside)
        document.exchange(aside)
        assert document.inputs.scale_strength == 3
        document.undo()
        assert document.inputs.equals(mine)
        document.undo()  # and no further
        assert document.inputs.equals(mine)

    def test_everybody_hears_of_an_exchange(self, document):
        heard = []
        document.inputs_changed.connect(lambda inputs: heard.append(("inputs", inputs.scale_strength)))
        document.selection_changed.connect(lambda selection: heard.append(("selection", selection.query)))
        document.clean_changed.connect(lambda clean: heard.append(("clean", clean)))
        document.path_changed.connect(lambda path: heard.append(("path", path)))
        document.can_undo_changed.connect(lambda can: heard.append(("undo", can)))
        document.can_redo_changed.connect(lambda can: heard.append(("redo", can)))
        aside = document.beside(strength(7)(document.inputs), Selection())
        document.exchange(aside)
        assert heard == [
            ("undo", False),
            ("redo", False),
            ("path", None),
            ("clean", True),
            ("inputs", 7),
            ("selection", 0),
        ]
        heard.clear()
        document.apply(strength(8))
        assert ("clean", False) in heard
        assert heard.count(("clean", False)) == 1

    def test_a_gesture_does_not_go_on_across_an_exchange(self, document):
        aside = document.beside(document.inputs, Selection())
        document.apply(set_q(7), "drag")
        steps = document.undo_steps
        document.exchange(aside)
        document.exchange(aside)
        document.apply(set_q(8), "drag")
        assert document.undo_steps == steps + 1


class TestAutosave:
    @pytest.fixture
    def kept(self, qapp, qtbot, tmp_path, small_inputs):
        document = Document(small_inputs)
        autosaving = Autosaving(document, tmp_path / "autosave", lambda: "mine", document)
        yield document, autosaving
        autosaving.close()

    def test_what_was_not_kept_yet_is_kept_before_a_lesson(self, qtbot, kept):
        document, autosaving = kept
        document.apply(set_q(5))
        mine = document.inputs
        autosaving.pause()
        aside = document.beside(document.inputs, Selection())
        document.exchange(aside)
        document.apply(strength(50))
        qtbot.waitUntil(lambda: autosaving.is_up_to_date)
        assert autosaving.autosave.read().inputs.equals(mine)
        document.exchange(aside)
        autosaving.resume()
        assert autosaving.is_up_to_date
        assert autosaving.autosave.read().inputs.equals(mine)

    def test_a_lesson_over_an_unchanged_document_leaves_nothing(self, qtbot, kept):
        document, autosaving = kept
        autosaving.pause()
        aside = document.beside(document.inputs, Selection())
        document.exchange(aside)
        document.apply(strength(50))
        assert autosaving.is_up_to_date
        document.exchange(aside)
        autosaving.resume()
        assert autosaving.is_up_to_date
        assert autosaving.autosave is None

    def test_what_a_lesson_leaves_to_the_person_is_kept_from_then_on(self, qtbot, kept):
        document, autosaving = kept
        autosaving.pause()
        document.exchange(document.beside(document.inputs, Selection()))
        document.apply(strength(50))
        autosaving.resume()
        assert not autosaving.is_up_to_date
        qtbot.waitUntil(lambda: autosaving.is_up_to_date)
        assert autosaving.autosave.read().inputs.scale_strength == 50


class TestPanel:
    def step(self, panel: LessonPanel, **changes) -> None:
        panel.show_card(replace(Card("T", 0, 2, "do it", "see it", can_do=True), **changes))

    @pytest.fixture
    def panel(self, qapp, qtbot) -> LessonPanel:
        panel = LessonPanel()
        qtbot.addWidget(panel)
        self.step(panel)
        panel.resize(420, 196)
        panel.show()
        return panel

    def test_its_words_are_spoken_too(self, panel):
        assert panel.accessibleName() == "Lesson: T"
        task, sight = (panel.findChild(QLabel, f"lesson/{name}") for name in ("task", "sight"))
        assert task.accessibleName() == "What to do: do it"
        assert sight.accessibleName() == "What to see: see it"
        self.step(panel, is_seen=True)
        assert sight.accessibleName() == "Seen: see it"
        assert button(panel, "do").accessibleDescription() == "do it"

    def test_words_of_a_lesson_are_never_markup(self, panel):
        self.step(panel, task="<b>bold</b> & more")
        assert panel.findChild(QLabel, "lesson/task").text() == "<b>bold</b> & more"

    def test_seeing_moves_nothing(self, panel):
        places = {name: button(panel, name).geometry() for name in ("back", "do", "next", "end")}
        sight = panel.findChild(QLabel, "lesson/sight").geometry()
        self.step(panel, is_seen=True)
        assert {name: button(panel, name).geometry() for name in places} == places
        assert panel.findChild(QLabel, "lesson/sight").geometry() == sight

    def test_a_step_that_cannot_be_done_for_one_says_so_by_its_button(self, panel):
        self.step(panel, can_do=False)
        assert not button(panel, "do").isEnabled()

    def test_the_first_step_has_no_way_back_and_the_last_one_finishes(self, panel):
        assert not button(panel, "back").isEnabled()
        assert button(panel, "next").text() == "Next"
        self.step(panel, at=1)
        assert button(panel, "back").isEnabled()
        assert button(panel, "next").text() == "Finish"

    def test_the_end_asks_what_becomes_of_it(self, panel):
        self.step(panel, at=2)
        shown = {
            name for name in ("do", "next", "put_back", "keep", "back") if button(panel, name).isVisible()
        }
        assert shown == {"put_back", "keep", "back"}

    def test_long_words_scroll_and_are_whole(self, panel, qtbot):
        self.step(panel, task="word " * 200, sight="あ" * 1000)
        qtbot.waitUntil(lambda: panel._scroll_bar.maximum() > 0)
        assert panel.height() == 196


class TestWindow:
    def test_a_lesson_leaves_an_edited_document_as_it_was(self, make_window, small_inputs, tmp_path, qtbot):
        window = make_window(small_inputs)
        document = window.document
        path = tmp_path / "mine.attnviz"
        save_session(path, small_inputs, Selection())
        window.files.load(path)
        document.apply(set_q(5))
        document.apply(set_q(6))
        document.undo()
        document.select(Selection(1, 2, 3))
        window.parts.show_tab(window.parts.shapes)
        before, title = state(document), window.windowTitle()
        window.lessons.begin_named(FISH)
        assert document.inputs.tokens[6] == "それ"
        assert window.windowTitle() != title
        button(window, "do").click()
        button(window, "next").click()
        button(window, "do").click()
        assert window.parts.tabs.currentWidget() is window.parts.arithmetic
        window.lessons.put_back()
        assert state(document) == before
        assert window.windowTitle() == title
        assert window.isWindowModified()
        assert window.parts.tabs.currentWidget() is window.parts.shapes
        assert window.parts.lesson.isHidden()
        qtbot.waitUntil(window.live.is_up_to_date)

    def test_a_lesson_can_open_every_tab_there_is(self, make_window):
        assert [page.objectName() for page in make_window().parts.pages()] == list(TABS)

    def test_the_rows_have_their_heights_again(self, make_window):
        window = make_window()
        window.resize(1024, 700)
        window.parts.share_out(1024, 700)
        before = window.parts._rows.sizes()
        window.lessons.begin_named(FISH)
        window.parts.layout().activate()
        window.lessons.put_back()
        assert window.parts._rows.sizes() == before

    def test_a_note_is_there_again(self, make_window):
        window = make_window()
        window.files.load_preset("toy")
        note, page = window.parts.note.note(), window.parts.tabs.currentWidget()
        assert note
        window.lessons.begin_named(FISH)
        assert not window.parts.note.note()
        window.lessons.put_back()
        assert window.parts.note.note() == note
        assert window.parts.tabs.currentWidget() is page

    def test_a_lesson_can_begin_over_another(self, make_window):
        window = make_window()
        before = state(window.document)
        for name in (FISH, "mask-off"):
            window.lessons.begin_named(name)
            button(window, "do").click()
        window.lessons.put_back()
        assert state(window.document) == before

    def test_do_it_for_me_is_one_step_of_undo_and_takes_back_what_was_tried(self, make_window):
        window = make_window()
        window.lessons.begin_named("turn-it-to-the-cat")
        document = window.document
        document.apply(strength(9))
        button(window, "do").click()
        assert document.undo_steps == 2
        assert document.inputs.scale_strength == 1
        assert document.inputs.heads[0].q[6, 1] == 0
        document.undo()
        assert document.inputs.scale_strength == 9

    def test_another_language_and_the_first_again_leave_no_step(self, make_window):
        window = make_window()
        window.lessons.begin_named("scale-strength")
        for name in ("ja", "en"):
            window.deeds[f"language/{name}"].trigger()
        assert window.document.undo_steps == 0
        assert window.document.is_clean

    def test_back_and_next_leave_the_document_alone(self, make_window):
        window = make_window()
        window.lessons.begin_named("scale-strength")
        button(window, "do").click()
        before = state(window.document)
        for name in ("next", "next", "next", "back", "back"):
            button(window, name).click()
        assert state(window.document) == before

    def test_what_is_kept_over_unsaved_changes_asks_about_them_first(self, make_window, small_inputs, qtbot):
        window = make_window(small_inputs)
        document = window.document
        document.apply(set_q(5))
        mine = document.inputs
        window.lessons.begin_named("scale-strength")
        button(window, "do").click()
        button(window, "end").click()
        button(window, "keep").click()
        question = window.findChild(QMessageBox, "unsaved")
        assert "abcd" in question.text()
        assert document.inputs is mine  # the question is about what is seen
        question.button(QMessageBox.StandardButton.Cancel).click()
        assert window.lessons.is_running
        assert document.inputs.scale_strength == 4
        qtbot.waitUntil(lambda: window.findChild(QMessageBox, "unsaved") is None)
        button(window, "keep").click()
        question = window.findChild(QMessageBox, "unsaved")
        question.button(QMessageBox.StandardButton.Discard).click()
        assert not window.lessons.is_running
        assert document.inputs.scale_strength == 4
        assert document.path is None
        assert not document.is_clean
        document.undo()
        document.undo()
        assert document.inputs.scale_strength == 1
        assert not document.can_undo
        qtbot.waitUntil(window.live.is_up_to_date)

    def test_what_was_saved_during_a_lesson_and_is_kept_is_told_with_its_file(self, make_window, tmp_path):
        window, path = make_window(), tmp_path / "mine.attnviz"
        for is_saved in (False, True):
            window.lessons.begin_named("scale-strength")
            button(window, "do").click()
            if is_saved:
                window.document.mark_saved(path)
                window.deeds["save"].trigger()
                assert path.exists()
            button(window, "end").click()
            button(window, "keep").click()
            if not is_saved:
                assert "save it" in window.status.currentMessage()
                window.document.replace(window.document.inputs)
        assert "save it" not in window.status.currentMessage()
        assert str(path) in window.status.currentMessage()

    def test_closing_in_the_middle_of_the_question_keeps_the_persons_document(
        self, make_window, small_inputs
    ):
        window = make_window(small_inputs)
        window.document.apply(set_q(5))
        mine = window.document.inputs
        window.lessons.begin_named("scale-strength")
        button(window, "end").click()
        button(window, "keep").click()
        window.abandon()
        assert window.document.inputs is mine

    def test_a_lesson_on_another_preset_runs(self, make_window, tmp_path):
        lesson = tmp_path / "toy.attnviz-lesson.json"
        lesson.write_text(
            '{"format": "attnviz-lesson", "version": 1, "id": "toy", "title": "<b>T</b>", "preset": "toy",'
            ' "steps": [{"do": "Sharpen.", "see": "Sharper.",'
            ' "edits": [{"edit": "set_scale_strength", "value": 0.5}]}]}',
            "utf-8",
        )
        window = make_window()
        window.lessons.begin_file(lesson)
        inputs: Inputs = window.document.inputs
        assert inputs.n_tokens == 3
        button(window, "do").click()
        assert window.document.inputs.scale_strength == 0.5
        assert (
            window.findChild(QLabel, "lesson/mark").text() == "✓"
        )  # nothing is expected but that it is done

    def test_a_picture_of_the_window_shows_the_lesson(self, make_window, qtbot):
        window = make_window()
        wish = PictureWish("window", (1360, 860), 1.0, "light")
        without = window.picture(wish)
        window.lessons.begin_named("mask-off")
        qtbot.waitUntil(window.live.is_up_to_date)
        ground = window.picture(wish).pixelColor(8, 820)
        assert ground == LIGHT.raised != without.pixelColor(8, 820)
