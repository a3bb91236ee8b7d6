"""The window in Japanese says everything in Japanese, but for symbols, keys and the names of formats."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QTabWidget,
    QWidget,
)
from shiboken6 import isValid

from attnviz.core import edits
from attnviz.core.errors import AttnvizError
from attnviz.core.masks import CustomMask
from attnviz.core.numbers import parse_number
from attnviz.core.request import check_index
from attnviz.core.stages import STAGE_NAMES
from attnviz.gui import qt_texts
from attnviz.gui.language import Language
from attnviz.gui.speech import WORDS, say, say_engine
from attnviz.gui.views.board_state import axis_names
from attnviz.gui.views.hover_card import cell_lines
from attnviz.io.document_json import read_document
from attnviz.text.token_edits import set_text

SYMBOLS = {
    "attnviz", "cos", "CPU", "CSV", "CUDA", "d_k", "d_v", "dk", "dv", "Enter", "English", "exp", "false",
    "It", "JSON", "max", "ms", "NPZ", "numpy", "PNG", "px", "QK", "sin", "softmax", "sum", "true",
    "d_model", "dmodel", "W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V", "W_O", "b_O", "concat",
}  # fmt: skip
KEYS = re.compile(r"(Ctrl|Alt|Shift)\+(Ctrl\+|Shift\+)*\w*|\b(Esc|Home|End|Shift|Tab|Del|PgUp|PgDown|F\d)\b")
TAGS = re.compile(r"<[^>]*>")
TITLE = "Vaswani et al., Attention Is All You Need"
NAMES = re.compile(r"ANDREA-120M|zarr\.json|\.zgroup|\.zarray|GPT-2 small|NVIDIA|libcuda\.so\.1|GPU|PyCUDA")
PATHS = re.compile(r"/[\w./-]+|\.?attnviz\)|\*\.\w+")


def english_in(text: str) -> list[str]:
    """Give the words of a text that are neither Japanese nor a symbol."""
    text = TAGS.sub("", NAMES.sub("", PATHS.sub("", KEYS.sub("", text.replace(TITLE, "")))))
    return [word for word in re.findall(r"[A-Za-z_]{2,}", text) if word not in SYMBOLS]


def texts_of(top: QWidget) -> dict[str, str]:
    """Give all a person may read or hear in a window or dialog, by where it stands."""
    found = {"title": top.windowTitle()}
    for number, widget in enumerate([top, *top.findChildren(QWidget)]):
        place = f"{number} {type(widget).__name__} {widget.objectName()}"
        found[f"{place} tip"] = widget.toolTip()
        found[f"{place} name"] = widget.accessibleName()
        found[f"{place} description"] = widget.accessibleDescription()
        if isinstance(widget, QAbstractButton | QLabel):
            found[f"{place} text"] = widget.text()
        if isinstance(widget, QLineEdit):
            found[f"{place} placeholder"] = widget.placeholderText()
        if isinstance(widget, QMenu):
            found[f"{place} title"] = widget.title()
        if isinstance(widget, QComboBox):
            found[f"{place} items"] = "\n".join(widget.itemText(i) for i in range(widget.count()))
        if isinstance(widget, QTabWidget):
            found[f"{place} tabs"] = "\n".join(widget.tabText(i) for i in range(widget.count()))
        for index, action in enumerate(widget.actions()):
            found[f"{place} action {index}"] = f"{action.text()}\n{action.toolTip()}"
    return found


def painted_texts(window) -> dict[str, str]:
    """Give what views paint and no widget holds as its text."""
    parts, model = window.parts, window.parts.arithmetic.model
    return {
        "titles": "  ".join(parts.stages.panel(stage).title() for stage in STAGE_NAMES),
        "axes": "  ".join(axis_names()),
        "bars": parts.weights.heading(),
        "columns": "  ".join(str(model.headerData(i, Qt.Orientation.Horizontal)) for i in range(5)),
        "terms": parts.arithmetic.terms.text(),
        "hidden cell": str(cell_lines(window.stages, 0, 2)),
    }


def all_texts(window) -> dict[str, str]:
    """Give every text of a window, the times it measured left out."""
    found = {**texts_of(window), **painted_texts(window)}
    return {place: re.sub(r"([\d.]+|–) ms", "0 ms", text) for place, text in found.items()}


@pytest.fixture
def japanese():
    """Japanese spoken, without a window."""
    language = Language()
    language.speak("ja")
    yield
    language.speak("en")


@pytest.fixture
def shown(qtbot):
    """Opens a dialog by an action of a window, and gives its texts when it is closed again."""

    def texts(window, action: str) -> dict[str, str]:
        window.deeds[action].trigger()
        (dialog,) = (child for child in window.findChildren(QDialog) if child.isVisible())
        found = texts_of(dialog)
        dialog.reject()
        qtbot.waitUntil(lambda: not isValid(dialog))
        return found

    return texts


@pytest.mark.parametrize("preset", ["neko", "toy", "english", "linear-map"])
def test_no_english_word_is_left_in_the_window(qtbot, make_window, preset):
    window = make_window(language="ja")
    window.files.load_preset(preset)
    window.document.apply(lambda inputs: edits.set_scale_strength(inputs, 2.0), "")
    if preset == "linear-map":
        window.parts.show_tab(window.parts.vectors)
    if preset == "english":  # a sentence of one Japanese token, so that what is English is the window's
        window.document.apply(lambda inputs: set_text(inputs, "猫 魚 を は が それ"), "")
    qtbot.waitUntil(lambda: window.stages.request.inputs is window.document.inputs)
    left = {place: english_in(text) for place, text in all_texts(window).items() if english_in(text)}
    assert left == {}


def test_a_query_that_sees_nothing_is_told_so_in_japanese(qtbot, make_window):
    window = make_window(language="ja")
    blind = CustomMask(np.zeros((10, 10), bool))
    window.document.apply(lambda inputs: edits.set_mask(inputs, blind), "")
    qtbot.waitUntil(lambda: bool(window.parts.weights.empty_text()))
    assert english_in(window.parts.weights.empty_text()) == []
    assert {place: english_in(text) for place, text in all_texts(window).items() if english_in(text)} == {}


def test_switching_to_english_and_back_restores_every_text(qtbot, make_window):
    window = make_window(language="ja")
    before = all_texts(window)
    for name in ("en", "ja"):
        window.deeds[f"language/{name}"].trigger()
        qtbot.waitUntil(lambda: window.stages.request.inputs is window.document.inputs)
        if name == "en":
            assert all_texts(window)["title"] == before["title"]  # the sentence is the same
            assert window.parts.weights.heading() == "Attention from “それ”"
    after = all_texts(window)
    assert {
        place: (before[place], after.get(place)) for place in before if after.get(place) != before[place]
    } == {}


@pytest.mark.parametrize(
    "action", ["export_png", "export_table", "keys", "about", "open", "save_as", "import_arrays"]
)
def test_dialogs_speak_japanese(make_window, shown, action):
    texts = shown(make_window(language="ja"), action)
    home = Path.home().name
    assert {place: text for place, text in texts.items() if set(english_in(text)) - {home}} == {}


def test_the_question_about_changes_is_asked_in_japanese(qtbot, make_window, shown):
    window = make_window(language="ja")
    window.document.apply(lambda inputs: edits.set_scale_strength(inputs, 2.0), "")
    texts = shown(window, "new")
    assert "「猫が魚を食べた。それは新鮮だった」を保存しますか？" in texts.values()
    assert {place: text for place, text in texts.items() if english_in(text)} == {}


@pytest.mark.usefixtures("qapp", "japanese")
class TestWithoutAWindow:
    def test_the_words_of_an_error_are_japanese_and_a_persons_own_are_left_alone(self):
        with pytest.raises(AttnvizError) as caught:
            check_index("head", 3, 2)
        assert say(caught.value) == "ヘッド 3 はありません。0 から数えて 1 までです。"
        with pytest.raises(AttnvizError) as caught:
            parse_number("head")
        assert say(caught.value).startswith("「head」は数値ではありません。")

    @pytest.mark.parametrize(
        "wrong", [{"text": 3}, {"text": []}, {"tokens": "a"}, {"tokens": None}, {"heads": {}}, {"text": 1e9}]
    )
    def test_what_is_wrong_in_a_file_is_said_in_japanese(self, wrong):
        with pytest.raises(AttnvizError) as caught:
            read_document({"tokens": ["a"], "heads": [], "text": "a", **wrong}, lambda name, kind: None)
        assert english_in(say(caught.value).replace(f"「{next(iter(wrong))}」", "").replace("null", "")) == []

    def test_every_word_of_errors_is_translated(self):
        assert [word for word in WORDS if english_in(QCoreApplication.translate("words", word))] == []

    def test_an_engine_counts_its_threads_in_japanese(self):
        assert say_engine("CPU: numpy, 2 threads") == "CPU: numpy、2スレッド"
        assert say_engine("CPU: numpy, 1 thread") == "CPU: numpy、1スレッド"
        assert say_engine("NVIDIA H200") == "NVIDIA H200"

    def test_qts_own_texts_are_japanese(self):
        own = [
            ("QPlatformTheme", "Save"),
            ("QPlatformTheme", "Cancel"),
            ("QPlatformTheme", "Close"),
            ("QLineEdit", "&Paste"),
            ("QWidgetTextControl", "Select All"),
            ("QFileDialog", "File &name:"),
            *qt_texts.TEXTS,
        ]
        assert [text for context, text in own if QCoreApplication.translate(context, text) == text] == []


def test_an_engine_is_named_as_it_is_in_english():
    assert say_engine("CPU: numpy, 1 thread") == "CPU: numpy, 1 thread"
    assert say_engine("CPU: numpy, 8 threads") == "CPU: numpy, 8 threads"
