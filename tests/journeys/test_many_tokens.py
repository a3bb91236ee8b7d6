"""A person works with the tokens of a long text: finds, renames, adds and moves them, and edits the text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QWidget

from attnviz.core.inputs import Head, Inputs
from attnviz.core.key_edits import separate_keys
from attnviz.core.synthetic_text import D_K, synthetic_text
from attnviz.gui.app import create_application, open_window
from attnviz.gui.editors.token_chip import TokenChip
from attnviz.gui.language import Language
from attnviz.gui.sentence_dialog import SentenceDialog
from attnviz.gui.settings import Settings
from attnviz.gui.views.bar_list import BarList
from attnviz.text import token_edits
from attnviz.text.joining import join
from tests.journeys.window_hands import clipboard

N_TOKENS = 6000
WORDS = ("start", *(f"w{index}" for index in range(40)), "東京", "Kyoto", "ﾈｺ")
FAR = 40_000


def long_text(n_tokens: int = N_TOKENS, words: tuple[str, ...] = WORDS) -> Inputs:
    made = synthetic_text(
        words, "copy", n_tokens=n_tokens, passages=[(n_tokens // 14, 3), (n_tokens // 25, 3)], seed=5
    )
    return replace(made, text=join(made.tokens))


def row(inputs: Inputs, query: int) -> np.ndarray:
    """The weights of one query of a causal document, by their definition in float64, (n_key,)."""
    head = inputs.heads[0]
    scores = head.k[: query + 1].astype(np.float64) @ head.q[query].astype(np.float64) / np.sqrt(D_K)
    weights = np.exp(scores - scores.max())
    return np.concatenate([weights / weights.sum(), np.zeros(inputs.n_key - query - 1)])


def places(inputs: Inputs, word: str) -> list[int]:
    return [index for index, token in enumerate(inputs.tokens) if token == word]


def find(person, text: str) -> None:
    """Look for a text and go to the first token that holds it."""
    person.shortcut("Ctrl+F")
    person.commit(text)
    person.key(Qt.Key.Key_Return)
    person.settle()


@pytest.fixture
def reader(sit_down):
    """Someone before a long text."""
    return sit_down(long_text(), engine="cpu")


def test_a_token_is_found_by_its_text_and_the_map_and_the_chips_follow(reader):
    inputs, panel = reader.window.document.inputs, reader.panel("weights")
    reader.window.document.select_cell(0, 0)
    expected = places(inputs, "Kyoto")
    reader.shortcut("Ctrl+F")
    reader.type("kyoto")
    count = reader.window.findChild(QLabel, "tokens/find/count")
    assert count.text() == f"{len(expected)}"
    reader.wheel(reader.window.parts.stages.viewport(), panel.plot_rect().center(), 30)
    reader.settle()
    for number in range(2):
        reader.key(Qt.Key.Key_Return)
        reader.settle()
        assert reader.window.document.selection.query == expected[number]
        assert count.text() == f"{number + 1} / {len(expected)}"
        assert panel.plot_rect().top() < panel.cell_rect(expected[number], 0).center().y()
        assert panel.cell_rect(expected[number], 0).center().y() < panel.plot_rect().bottom()
        chip = reader.control(f"token/{expected[number]}", TokenChip)
        assert chip.is_selected
        line = reader.window.parts.token_editor.chips.viewport()
        assert line.rect().contains(chip.geometry())
    reader.key(Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert reader.window.document.selection.query == expected[0]
    reader.key(Qt.Key.Key_Escape)
    assert reader.control("sentence").isVisible()
    assert reader.focus().objectName() == "tokens"


def test_japanese_is_found_in_whatever_width_it_is_written(reader):
    inputs = reader.window.document.inputs
    reader.window.document.select_cell(0, 0)
    reader.shortcut("Ctrl+F")
    reader.compose("ねこ")
    reader.commit("ネコ")
    reader.key(Qt.Key.Key_Return)
    assert reader.window.document.selection.query == places(inputs, "ﾈｺ")[0]
    reader.shortcut("Ctrl+A")
    reader.commit("とら")
    reader.key(Qt.Key.Key_Return)
    assert "とら" in reader.refusal()


def test_keys_are_found_in_their_own_row_in_cross_attention(sit_down):
    person = sit_down(separate_keys(long_text()), engine="cpu")
    person.window.document.select_cell(7, 0)
    person.control("key_tokens").setFocus()
    find(person, "東京")
    selection = person.window.document.selection
    assert (selection.query, selection.key) == (7, places(person.window.document.inputs, "東京")[0])
    assert person.control(f"key_token/{selection.key}", TokenChip).is_selected


def test_a_token_in_the_midst_of_many_is_renamed_moved_added_and_removed(reader):
    tokens = reader.window.document.inputs.tokens
    reader.window.document.select_cell(0, 0)
    find(reader, "Kyoto")
    at = reader.window.document.selection.query
    reader.key(Qt.Key.Key_Escape)
    reader.key(Qt.Key.Key_F2)
    reader.commit("Nara")
    reader.key(Qt.Key.Key_Return)
    reader.settle()
    assert reader.control(f"token/{at}", TokenChip).token == "Nara"
    reader.key(Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    reader.settle()
    assert reader.window.document.inputs.tokens[at : at + 2] == (tokens[at + 1], "Nara")
    assert reader.selected_token() == "Nara"
    reader.key(Qt.Key.Key_Insert)
    reader.commit("Osaka")
    reader.key(Qt.Key.Key_Return)
    reader.settle()
    assert reader.window.document.inputs.tokens[at + 1 : at + 3] == ("Nara", "Osaka")
    assert reader.window.document.inputs.n_tokens == N_TOKENS + 1
    reader.key(Qt.Key.Key_Delete)
    reader.settle()
    assert reader.window.document.inputs.n_tokens == N_TOKENS
    for _ in range(4):
        reader.shortcut("Ctrl+Z")
    reader.settle()
    assert reader.window.document.inputs.tokens == tokens


def test_the_list_shows_the_largest_weights_and_the_others_as_one_bar(reader):
    inputs = reader.window.document.inputs
    query = N_TOKENS - 200
    reader.window.document.select_cell(query, 3)
    reader.settle()
    weights = row(inputs, query)
    largest = np.argsort(-weights, kind="stable")[:100]
    bars = reader.control("weights_of_query/bars", BarList)
    assert bars.order() == [*largest.tolist(), *({3} - set(largest.tolist()))]
    reader.click("weights_by_weight")
    assert bars.order() == sorted({*largest.tolist(), *range(7)})
    share = 100 * weights[largest].sum()
    assert reader.window.parts.weights.shown_sums() == [
        f"100 largest {share:.1f}%",
        f"{query + 1 - 100:,} others {100 - share:.1f}%",
    ]
    reader.click("weights_by_weight")
    assert bars.order()[:5] == np.argsort(-weights)[:5].tolist()
    bars.verticalScrollBar().setValue(0)
    reader.click(bars.viewport(), bars.row_rect(int(largest[1])).center().toPoint())
    reader.settle()
    assert reader.window.document.selection.key == largest[1]
    assert reader.terms().splitlines()[0].endswith(inputs.tokens[largest[1]])


def test_the_largest_weights_follow_a_number_of_q(reader):
    query = N_TOKENS // 2
    reader.window.document.select_cell(query, 0)
    reader.settle()
    before = reader.window.parts.weights.shown_sums()
    bars = reader.control("q/0")
    middle = bars.height() // 4
    reader.drag(bars, *(QPoint(30, middle + dy) for dy in (0, -12, -24)))
    reader.settle()
    weights = row(reader.window.document.inputs, query)
    share = 100 * np.sort(weights)[::-1][:100].sum()
    assert reader.window.parts.weights.shown_sums()[0] == f"100 largest {share:.1f}%"
    assert reader.window.parts.weights.shown_sums() != before
    reader.shortcut("Ctrl+Z")
    reader.settle()
    assert reader.window.parts.weights.shown_sums() == before


def test_copying_the_weights_takes_those_of_all_keys(reader):
    reader.window.document.select_cell(N_TOKENS - 1, 5)
    reader.settle()
    reader.control("weights_of_query/bars").setFocus()
    reader.shortcut("Ctrl+C")
    reader.until(lambda: reader.message() == "Copied the weights of 6,000 keys.")
    lines = clipboard().splitlines()
    assert len(lines) == N_TOKENS
    assert lines[3].split("\t")[0] == reader.window.document.inputs.tokens[3]
    assert float(lines[3].split("\t")[1]) == reader.window.stages.row.weights[3]


def test_a_long_text_is_edited_in_a_dialog_and_its_tokens_keep_their_vectors(sit_down):
    reader = sit_down(long_text(words=WORDS[:40]), engine="cpu")
    inputs = reader.window.document.inputs
    assert reader.field("sentence").endswith("…  6,000 tokens")
    reader.shortcut("Ctrl+L")
    reader.until(lambda: isinstance(reader.face(), SentenceDialog))
    text = reader.control("sentence_dialog/text", QPlainTextEdit)
    assert text.toPlainText().replace("\n", " ") == inputs.text
    text.moveCursor(text.textCursor().MoveOperation.End)
    reader.click("sentence_dialog/text", QPoint(20, 20))
    reader.key(Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    reader.type(" and more")
    reader.press_button("sentence_dialog/split")
    reader.until(lambda: reader.face() is reader.window)
    reader.settle()
    now = reader.window.document.inputs
    assert now.tokens == (*inputs.tokens, "and", "more")
    assert np.array_equal(now.heads[0].q[:N_TOKENS], inputs.heads[0].q)
    assert reader.field("sentence").endswith("…  6,002 tokens")
    reader.shortcut("Ctrl+Z")
    reader.settle()
    assert reader.window.document.inputs.tokens == inputs.tokens
    assert reader.field("sentence").endswith("…  6,000 tokens")


def test_a_text_that_is_refused_is_still_there_to_be_written_otherwise(reader, monkeypatch):
    monkeypatch.setattr(token_edits, "MAX_TOKENS", 5999)
    reader.shortcut("Ctrl+L")
    reader.until(lambda: isinstance(reader.face(), SentenceDialog))
    text = reader.control("sentence_dialog/text", QPlainTextEdit)
    text.appendPlainText("more")
    reader.press_button("sentence_dialog/split")
    why = reader.control("sentence_dialog/count", QLabel)
    reader.until(lambda: "at most 5999" in why.text())
    assert text.toPlainText().endswith("more")
    assert not text.isReadOnly()
    reader.press_button("sentence_dialog/cancel")
    reader.until(lambda: reader.face() is reader.window)
    assert reader.window.document.inputs.n_tokens == N_TOKENS


def test_a_book_pasted_into_a_short_sentence_is_split_whole(person):
    QGuiApplication.clipboard().setText("a tale of cats. " * 1000)
    person.shortcut("Ctrl+L")
    person.shortcut("Ctrl+V")
    person.until(lambda: person.face() is not person.window)
    person.press_button("sentence_dialog/split")
    person.until(lambda: person.face() is person.window)
    person.settle()
    assert person.window.document.inputs.tokens == ("a", "tale", "of", "cats", ".") * 1000
    person.shortcut("Ctrl+Z")
    person.settle()
    assert person.window.document.inputs.n_tokens == 10
    QGuiApplication.clipboard().clear()


@pytest.fixture
def far_window(qtbot, tmp_path):
    """A window on very many tokens, as soon as it shows something of them."""
    create_application()
    language = Language()
    language.speak("en")
    settings = Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
    vectors = np.random.default_rng(1).standard_normal((FAR, 4), np.float32)
    inputs = Inputs("", tuple(f"w{index}" for index in range(FAR)), (Head("h", vectors, vectors, vectors),))
    window = open_window(settings, language, inputs, "cpu")
    qtbot.waitUntil(lambda: window.stages is not None, timeout=30_000)
    yield window
    window.abandon()
    window.deleteLater()


def test_a_window_of_very_many_tokens_has_hardly_more_parts_than_one_of_ten(far_window, person, qtbot):
    def parts(window) -> int:
        for page in range(window.parts.tabs.count()):
            window.parts.tabs.setCurrentIndex(page)
        return len(window.findChildren(QWidget))

    far_window.document.select_cell(FAR - 1, FAR // 2)
    qtbot.waitUntil(lambda: far_window.stages.request.query == FAR - 1, timeout=30_000)
    assert parts(far_window) < parts(person.window) + 40
    chips = far_window.parts.token_editor.chips
    assert chips.chip(FAR - 1).token == f"w{FAR - 1}"
    assert chips.chip(FAR // 3).index == FAR // 3
    assert len(chips.viewport().findChildren(TokenChip)) < 40
