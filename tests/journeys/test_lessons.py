"""A person follows lessons, by the button, by hand and by keyboard; then everything is as it was before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget

from attnviz.gui.autosaving import Autosaving
from attnviz.gui.recovery import keep_safe
from attnviz.io.autosave_folder import abandoned, place
from attnviz.io.lessons import SUFFIX, lesson_names

Button = QMessageBox.StandardButton
ROOT = Path(__file__).resolve().parents[2]


def begin(person, name: str) -> None:
    person.choose("lessons", f"lesson/{name}")
    person.settle()
    assert person.control("lesson").isVisible()


def press(person, name: str) -> None:
    person.click(f"lesson/{name}")
    person.settle()


def words(person, name: str) -> str:
    return person.control(f"lesson/{name}", QLabel).text()


def is_seen(person) -> bool:
    return words(person, "mark") == "✓"


def is_over(person) -> bool:
    return person.window.parts.lesson.isHidden()


def drag_slider(person, name: str, *tenths: int) -> None:
    slider = person.control(name)
    places = [QPoint(round(slider.x_of(at)), slider.height() // 2) for at in tenths]
    person.drag(slider, *places)
    person.settle()


def test_the_fish_lesson_leads_from_the_weights_to_the_arithmetic(person):
    begin(person, "it-looks-at-the-fish")
    assert person.selected_token() == "猫"
    assert words(person, "place") == "step 1 of 3"
    assert not is_seen(person)
    press(person, "do")
    assert is_seen(person)
    assert person.selected_token() == "それ"
    assert {"65.7%", "18.8%"} <= set(person.bars())
    assert "65.7%" in words(person, "sight")
    press(person, "next")
    person.open_tab("shapes")
    press(person, "do")
    assert person.tab() == "arithmetic"
    assert "5.50" in person.terms()
    assert is_seen(person)
    press(person, "next")
    press(person, "do")
    assert "1.50" in person.terms()
    press(person, "next")
    press(person, "put_back")
    assert is_over(person)


def test_the_cat_lesson_turns_the_attention(person):
    begin(person, "turn-it-to-the-cat")
    press(person, "do")
    assert person.field("q/0/1/number") == "0.0"
    assert person.bars()[:3:2] == ["48.8%", "18.0%"]
    press(person, "next")
    press(person, "do")
    assert person.largest_bar() == "猫"
    press(person, "next")
    press(person, "do")
    assert person.tab() == "vectors"
    assert person.output()[:2] == ["2.81", "0.15"]
    assert is_seen(person)


def test_the_scale_lesson_flattens_and_sharpens(person):
    begin(person, "scale-strength")
    seen = []
    for _ in range(3):
        press(person, "do")
        seen.append((person.field("scale_strength/number"), person.bars()[2]))
        assert is_seen(person)
        press(person, "next")
    assert seen == [("4.0", "25.0%"), ("0.25", "99.3%"), ("1.0", "65.7%")]


def test_the_mask_lesson_lets_the_future_be_seen(person):
    begin(person, "mask-off")
    press(person, "do")
    assert person.bars()[:2] == ["100.0%", "—"]
    press(person, "next")
    press(person, "do")
    assert person.bars()[2] == "11.5%"
    assert not person.panel("weights").is_hatched(0, 9)
    press(person, "next")
    press(person, "do")
    assert person.bars()[8] == "11.1%"
    assert is_seen(person)


def test_what_is_done_by_hand_is_seen_as_well(person):
    begin(person, "turn-it-to-the-cat")
    drag_slider(person, "q/0/1", 15, 10)
    assert not is_seen(person)
    drag_slider(person, "q/0/1", 10, 0)
    assert is_seen(person)
    press(person, "next")
    assert not is_seen(person)
    drag_slider(person, "q/0/0", 10, 30)
    assert is_seen(person)
    press(person, "next")
    person.open_tab("vectors")
    assert is_seen(person)


def test_the_mask_lesson_by_hand(person):
    begin(person, "mask-off")
    person.click("token/0")
    person.settle()
    assert is_seen(person)
    press(person, "next")
    person.click("mask")
    person.settle()
    assert is_seen(person)
    press(person, "next")
    person.click("token/6")
    person.settle()
    assert is_seen(person)


def test_a_cell_chosen_by_hand_is_seen(person):
    begin(person, "it-looks-at-the-fish")
    press(person, "next")
    panel = person.panel("weights")
    person.click(panel.parentWidget(), panel.cell_rect(6, 2).center())
    person.settle()
    assert is_seen(person)
    press(person, "next")
    person.click(panel.parentWidget(), panel.cell_rect(6, 0).center())
    person.settle()
    assert is_seen(person)


def test_by_keyboard_alone_space_leads_through_a_lesson(person):
    begin(person, "scale-strength")
    for name in ("do", "next") * 3:
        assert person.focus().objectName() == f"lesson/{name}"
        person.key(Qt.Key.Key_Space)
        person.settle()
    assert person.focus().objectName() == "lesson/put_back"
    person.key(Qt.Key.Key_Tab)
    assert person.focus().objectName() == "lesson/keep"
    person.key(Qt.Key.Key_Backtab)
    person.key(Qt.Key.Key_Space)
    person.settle()
    assert is_over(person)


def test_everything_is_put_back_as_it_was(person, tmp_path):
    person.enter_number("q/0/1/number", "0.5")
    person.shortcut("Ctrl+S")
    person.choose_file(tmp_path / "mine.attnviz")
    person.enter_number("q/0/1/number", "0.7")
    person.enter_number("q/0/1/number", "0.9")
    person.shortcut("Ctrl+Z")
    person.shortcut("Ctrl+2")
    person.click("token/3")
    person.open_tab("vectors")
    person.settle()
    before = (person.window.windowTitle(), person.bars(), person.vectors("q"), person.tab())
    begin(person, "turn-it-to-the-cat")
    press(person, "do")
    press(person, "next")
    press(person, "do")
    person.write_sentence("cat")
    press(person, "end")
    press(person, "put_back")
    assert (person.window.windowTitle(), person.bars(), person.vectors("q"), person.tab()) == before
    assert person.head_in_front() == "previous"
    assert person.selected_token() == "を"
    assert person.window.isWindowModified()
    person.click("token/6")
    person.shortcut("Ctrl+Shift+Z")
    person.settle()
    assert person.field("q/0/1/number") == "0.9"
    for _ in range(2):
        person.shortcut("Ctrl+Z")
    person.settle()
    assert person.field("q/0/1/number") == "0.5"
    assert not person.window.isWindowModified()


def test_one_panel_alone_and_a_part_in_view_are_there_again(sit_down):
    person = sit_down()
    stages = person.window.parts.stages
    person.double_click(stages.viewport(), person.panel("weights").plot_rect().center())
    stages.zoom(2.0)
    person.settle()
    before, alone = stages.window_shown(), stages.panel_alone()
    assert alone == "weights"
    begin(person, "mask-off")
    assert stages.panel_alone() is None
    assert stages.window_shown().rows == 10
    press(person, "end")
    press(person, "put_back")
    assert stages.panel_alone() == alone
    assert stages.window_shown() == before


def test_a_lesson_of_ones_own_can_be_dropped_on_the_window(person, tmp_path):
    assert person.drop_file(written(tmp_path)) == f"Drop to open “mine{SUFFIX}”"
    person.settle()
    assert person.control("lesson").accessibleName() == "Lesson: Mine"


def test_what_was_changed_can_be_kept_and_saved(person, tmp_path):
    begin(person, "turn-it-to-the-cat")
    press(person, "do")
    press(person, "end")
    press(person, "keep")
    assert is_over(person)
    assert person.field("q/0/1/number") == "0.0"
    assert person.window.isWindowModified()
    person.shortcut("Ctrl+Z")
    person.settle()
    assert person.field("q/0/1/number") == "1.5"
    person.shortcut("Ctrl+Shift+Z")
    person.shortcut("Ctrl+S")
    person.choose_file(tmp_path / "kept.attnviz")
    assert person.window.windowTitle() == "kept[*] — attnviz"


def test_keeping_asks_to_save_what_the_lesson_had_covered(person, tmp_path):
    person.enter_number("q/0/1/number", "0.5")
    begin(person, "scale-strength")
    press(person, "do")
    press(person, "end")
    person.click("lesson/keep")
    person.answer(Button.Save)
    person.choose_file(tmp_path / "mine.attnviz")
    person.settle()
    assert is_over(person)
    assert person.field("scale_strength/number") == "4.0"
    assert person.window.windowTitle().startswith("猫が魚を食べた")
    person.window.files.load(tmp_path / "mine.attnviz")
    person.settle()
    assert person.field("q/0/1/number") == "0.5"
    assert person.field("scale_strength/number") == "1.0"


def test_giving_up_the_file_s_name_goes_on_with_the_lesson(person):
    person.enter_number("q/0/1/number", "0.5")
    begin(person, "scale-strength")
    press(person, "do")
    press(person, "end")
    person.click("lesson/keep")
    person.answer(Button.Save)
    person.key(Qt.Key.Key_Escape)
    person.settle()
    assert not is_over(person)
    assert person.field("scale_strength/number") == "4.0"
    press(person, "put_back")
    assert person.field("q/0/1/number") == "0.5"


@pytest.mark.parametrize("way", ["Ctrl+N", "Ctrl+Q", "preset"])
def test_what_ends_a_document_ends_the_lesson_first_and_asks_about_the_persons_own(person, way):
    person.enter_number("q/0/1/number", "0.5")
    begin(person, "scale-strength")
    press(person, "do")
    if way == "preset":
        person.choose("presets", "preset/toy")
    else:
        person.shortcut(way)
    person.answer(Button.Cancel)
    person.settle()
    assert is_over(person)
    assert person.field("q/0/1/number") == "0.5"
    assert person.field("scale_strength/number") == "1.0"
    assert person.window.isWindowModified()


def test_over_an_unchanged_document_nothing_is_asked(person):
    begin(person, "scale-strength")
    press(person, "do")
    person.shortcut("Ctrl+N")
    person.settle()
    assert is_over(person)
    assert person.tokens() == ["cat"]


def test_a_lesson_speaks_the_language_of_the_window_at_any_moment(person):
    begin(person, "turn-it-to-the-cat")
    drag_slider(person, "q/0/1", 15, 0)
    assert "food" in words(person, "task")
    person.choose("view", "language", "language/ja")
    person.settle()
    assert "「食べ物」" in words(person, "task")
    assert words(person, "place") == "ステップ 1 / 3"
    assert person.heads() == ["意味", "直前"]
    assert is_seen(person)
    assert person.field("q/0/1/number") == "0.0"  # what was done by hand stays
    press(person, "next")
    press(person, "do")
    assert person.bars()[0] == "92.0%"
    person.open_tab("vectors")
    assert person.dimensions("q")[:2] == ["動物", "食べ物"]
    press(person, "end")
    press(person, "put_back")
    assert person.heads() == ["意味", "直前"]  # the example that nobody has touched
    assert not person.window.isWindowModified()


def written(tmp_path: Path, **changes) -> Path:
    step = {"do": "Hide nothing.", "see": "All is seen.", "edits": [{"edit": "set_mask", "kind": "none"}]}
    lesson = {"format": "attnviz-lesson", "version": 1, "id": "mine", "title": "Mine", "preset": "english"}
    path = tmp_path / f"mine{SUFFIX}"
    path.write_text(json.dumps({**lesson, "steps": [step], **changes}), "utf-8")
    return path


def test_a_lesson_of_ones_own_is_opened_from_the_menu(person, tmp_path):
    path = written(tmp_path)
    person.choose("lessons", "open_lesson")
    person.choose_file(path)
    person.settle()
    assert words(person, "task") == "Hide nothing."
    press(person, "do")
    assert is_seen(person)
    assert not person.panel("weights").is_hatched(0, 1)
    press(person, "next")
    press(person, "put_back")
    assert "猫" in person.tokens()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"steps": []}, "“steps” has 0 entries"),
        (
            {"steps": [{"do": "a", "see": "b", "edits": [{"edit": "select", "token": "dragon"}]}]},
            "“steps[0].edits[0]”: There is no token called “dragon”",
        ),
    ],
)
def test_a_broken_lesson_is_refused_and_everything_stays(person, tmp_path, changes, reason):
    person.enter_number("q/0/1/number", "0.5")
    path = written(tmp_path, **changes)
    person.choose("lessons", "open_lesson")
    person.choose_file(path)
    assert reason in person.message()
    assert person.refusal() == person.message()
    assert is_over(person)
    assert person.field("q/0/1/number") == "0.5"
    assert person.window.isWindowModified()


def test_a_broken_lesson_leaves_the_one_that_runs(person, tmp_path):
    begin(person, "scale-strength")
    press(person, "do")
    person.window.lessons.begin_file(written(tmp_path, steps=[]))
    assert not is_over(person)
    assert person.field("scale_strength/number") == "4.0"


def test_a_crash_in_the_middle_of_a_lesson_loses_nothing(person, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    autosaving: Autosaving = keep_safe(person.window)
    person.enter_number("q/0/1/number", "0.5")
    mine = person.window.document.inputs
    begin(person, "scale-strength")
    press(person, "do")
    person.until(lambda: autosaving.is_up_to_date)
    kept = autosaving.autosave.read()
    assert kept.inputs.equals(mine)
    assert abandoned(place()) == []  # it is this process's still
    press(person, "end")
    press(person, "put_back")
    assert autosaving.is_up_to_date
    assert autosaving.autosave.read().inputs.equals(mine)
    autosaving.discard()


@pytest.mark.parametrize("speaks", ["ja", "en"])
@pytest.mark.parametrize("name", lesson_names())
def test_all_words_can_be_read_in_the_smallest_window(sit_down, name, speaks):
    person = sit_down(speaks=speaks, size=(1024, 700))
    begin(person, name)
    for _ in range(3):
        press(person, "do")
        assert person.window.parts.lesson._scroll_bar.maximum() == 0
        task, sight = (person.control(f"lesson/{part}", QLabel) for part in ("task", "sight"))
        assert task.height() >= task.heightForWidth(task.width())
        assert sight.height() >= sight.heightForWidth(sight.width())
        press(person, "next")


def test_the_lesson_covers_no_control(person):
    begin(person, "mask-off")
    lesson = person.control("lesson")
    card = lesson.rect().translated(lesson.mapTo(person.window, QPoint()))
    for name in ("tabs", "stages", "query_sliders", "weights_of_query"):
        other: QWidget = person.control(name)
        assert not card.intersects(other.rect().translated(other.mapTo(person.window, QPoint()))), name


def test_a_broken_lesson_named_on_the_command_line_is_refused_before_the_window_opens(tmp_path):
    path = written(tmp_path, steps=[])
    done = subprocess.run(
        [sys.executable, "-m", "attnviz", str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 2
    assert "“steps” has 0 entries; 1 to 50 are possible." in done.stderr
