"""A person switches the language and the look: everything follows at once."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QMenu, QTableView, QWidget

from attnviz.core.stages import STAGE_NAMES

UNTRANSLATED = {
    "ANDREA", "GPT", "small", "concat",
    "softmax", "PNG", "CSV", "NPZ", "JSON", "CPU", "CUDA", "English", "attnviz", "numpy", "threads", "mask",
    "Ctrl", "Enter", "Shift", "cos", "exp", "max", "sin", "sum",
}  # fmt: skip
"""Words that stand in a Japanese window too: symbols, formats, names of things."""
_SYMBOL = re.compile(r"<sub>.*?</sub>|<[^>]*>|\b[a-z]_\w+")
"""A sign of mark-up, or a letter with its index, such as d_model or n_tokens."""


TABS = ["arithmetic", "vectors", "heads_to_output", "shapes"]


def words_of(person) -> dict[str, str]:
    """Collect all that is written or spoken in the window, by where it stands."""
    said = {}
    widgets = [widget for widget in person.window.findChildren(QWidget) if widget.isVisible()]
    for number, widget in enumerate(widgets):
        place = f"{number} {type(widget).__name__} {widget.objectName()}"
        if widget.objectName().startswith("status/"):
            continue  # times differ
        if isinstance(widget, QAbstractButton | QLabel):
            said[f"{place} text"] = widget.text()
        if isinstance(widget, QLineEdit):
            said[f"{place} placeholder"] = widget.placeholderText()
        said[f"{place} name"] = widget.accessibleName()
        said[f"{place} description"] = widget.accessibleDescription()
        said[f"{place} tip"] = widget.toolTip()
    said |= {
        f"action {a.objectName()}": a.text() for a in person.window.findChildren(QAction) if a.objectName()
    }
    said |= {f"menu {m.objectName()}": m.title() for m in person.window.findChildren(QMenu) if m.objectName()}
    said |= {f"tab {i}": person.window.parts.tabs.tabText(i) for i in range(person.window.parts.tabs.count())}
    said |= {f"panel {stage}": person.panel(stage).title() for stage in STAGE_NAMES}
    if person.tab() == "arithmetic":
        said["terms"] = person.terms()
    said["bars"] = person.window.parts.weights.heading()
    return said


def looks_of(person) -> list:
    """Take pictures of everything that is painted."""
    parts = person.window.parts
    parts.stages.clearFocus()
    views = (parts.stages.viewport(), parts.weights, parts.output, parts.arithmetic, parts.token_editor)
    return [person.picture(view) for view in views]


def test_a_window_switched_to_japanese_says_what_one_opened_in_japanese_says(sit_down):
    born = sit_down(speaks="ja")
    expected_words, expected_looks = words_of(born), looks_of(born)
    born.window.abandon()
    switched = sit_down(speaks="en")
    english = words_of(switched)
    switched.choose("view", "language", "language/ja")
    switched.settle()
    words = words_of(switched)
    assert words == expected_words
    assert looks_of(switched) == expected_looks
    assert sum(words[place] != english[place] for place in words) > 60


@pytest.mark.parametrize("preset", ["neko", "linear-map"])
@pytest.mark.parametrize("tab", TABS)
def test_no_english_word_is_left_in_a_japanese_window(sit_down, tab, preset):
    person = sit_down(speaks="ja")
    person.choose("presets", f"preset/{preset}")
    person.settle()
    person.open_tab(tab)
    person.settle()
    left = {
        place: text
        for place, text in words_of(person).items()
        if set(re.findall(r"[A-Za-z]{3,}", _SYMBOL.sub("", text))) - UNTRANSLATED
    }
    assert left == {}


@pytest.mark.parametrize(
    ("context", "text", "name"),
    [
        ("HideFuture", "Hide the future", "mask"),
        ("HeadBar", "Add a head", "head/add/button"),
        ("StageGrid", "Weights after softmax", "stage/weights"),
        ("ScaleStrength", "Scale strength", "scale_strength"),
    ],
)
def test_what_a_control_is_called_is_its_translation(sit_down, context, text, name):
    person = sit_down(speaks="ja")
    called = person.control(name).accessibleName()
    assert called == QCoreApplication.translate(context, text)
    assert re.search("[ぁ-んァ-ン一-龥]", called)
    person.choose("view", "language", "language/en")
    person.settle()
    assert person.control(name).accessibleName() == text


def test_an_untouched_example_follows_the_language_and_keeps_its_place(person):
    person.click("token/3")
    person.shortcut("Ctrl+2")
    person.choose("view", "language", "language/ja")
    person.settle()
    assert person.heads() == ["意味", "直前"]
    assert person.head_in_front() == "直前"
    assert person.selected_token() == "を"
    assert not person.window.isWindowModified()
    person.open_tab("vectors")
    assert person.dimensions("v") == ["動物", "食べ物", "動作", "機能語"]


def test_an_edited_example_is_the_person_s_and_stays(person):
    person.enter_number("q/0/1/number", "0.5")
    person.choose("view", "language", "language/ja")
    person.settle()
    assert person.heads() == ["meaning", "previous"]
    assert person.field("q/0/1/number") == "0.5"


def test_refusals_are_said_in_the_language_of_the_window(sit_down):
    person = sit_down(speaks="ja")
    person.enter_number("q/0/1/number", "abc")
    assert re.search("[ぁ-んァ-ン一-龥]", person.refusal())
    assert "abc" in person.refusal()


def test_the_note_of_the_toy_is_read_in_either_language(person):
    person.choose("presets", "preset/toy")
    person.settle()
    assert "by hand" in person.control("note/text", QLabel).text()
    person.choose("view", "language", "language/ja")
    person.settle()
    assert "手計算" in person.control("note/text", QLabel).text()


@pytest.mark.parametrize("tab", TABS)
def test_a_tab_in_front_follows_the_language_as_if_it_had_been_opened_in_it(sit_down, tab):
    born = sit_down(speaks="ja")
    born.open_tab(tab)
    born.settle()
    expected = words_of(born)
    born.window.abandon()
    switched = sit_down(speaks="en")
    switched.open_tab(tab)
    switched.settle()
    english = words_of(switched)
    switched.choose("view", "language", "language/ja")
    switched.settle()
    words = words_of(switched)
    assert words == expected
    assert words != english


@pytest.mark.parametrize("tab", TABS)
def test_the_look_changes_everywhere_at_once(person, tab):
    person.open_tab(tab)
    parts = person.window.parts
    places = (person.window, parts.stages, parts.weights.bars, parts.token_editor, parts.tabs.currentWidget())
    shares = parts.layer.shares.bars  # the tables beside them are maps to their edges
    table = shares if tab == "heads_to_output" else parts.tabs.currentWidget().findChild(QTableView)

    def grounds() -> list[int]:
        pictures = [person.picture(widget) for widget in (*places, table.viewport())]
        return [
            picture.pixelColor(picture.width() - 3, picture.height() - 3).lightness() for picture in pictures
        ]

    assert min(grounds()) > 220
    person.choose("view", "theme", "theme/dark")
    person.settle()
    assert max(grounds()) < 60
    assert person.cells("weights", 6) == ["18.8", "1.5", "65.7", "1.5", "6.1", "2.5", "3.7"]
    person.choose("view", "theme", "theme/light")
    assert min(grounds()) > 220


def test_in_the_dark_more_weight_is_lighter_and_in_the_light_it_is_darker(person):
    light = [person.panel("weights").colour_at(6, key).lightness() for key in (2, 0, 1)]
    assert light == sorted(light)
    person.choose("view", "theme", "theme/dark")
    person.settle()
    dark = [person.panel("weights").colour_at(6, key).lightness() for key in (2, 0, 1)]
    assert dark == sorted(dark, reverse=True)


def test_language_and_look_are_remembered_for_the_next_time(sit_down, tmp_path):
    person = sit_down()
    person.choose("view", "theme", "theme/dark")
    person.choose("view", "language", "language/ja")
    text = (tmp_path / "settings.ini").read_text("utf-8") if person.window.close() else ""
    assert "theme=dark" in text
    assert "language=ja" in text
