"""A person lets queries of one sentence look at keys of another: two rows of tokens, every view, and back."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QLineEdit, QListView, QTableView

from attnviz.core import edits
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CausalMask, NoMask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import PrefixMask, SinkMask, SlidingWindowMask
from attnviz.gui.editors.alignment_choice import AlignmentChoice
from attnviz.gui.editors.choice import Choice
from attnviz.gui.editors.padding_list import PaddingList
from attnviz.gui.linked_lines import LinkedLines
from attnviz.gui.views.chain_diagram import ChainDiagram
from attnviz.io.presets import load_preset
from tests.journeys.window_eyes import KEY
from tests.journeys.window_hands import clipboard

NEKO = ["猫", "が", "魚", "を", "食べた", "。", "それ", "は", "新鮮", "だった"]
ENGLISH = ("The", "cat", "ate", "fresh", "fish")
JAPANESE = ("猫", "が", "新鮮な", "魚", "を", "食べた", "。")


def five_by_seven() -> Inputs:
    """Give five queries and seven keys, of which each query sees those that it has in common with."""
    rng = np.random.default_rng(3)
    q, k, v = (rng.integers(-2, 3, shape).astype(np.float32) for shape in ((5, 4), (7, 4), (7, 3)))
    heads = (Head("one", q, k, v), Head("two", q[::-1], k[::-1], v))
    text, key_text = "The cat ate fresh fish", "猫が新鮮な魚を食べた。"
    return Inputs(text, ENGLISH, heads, mask=NoMask(), key_tokens=JAPANESE, key_text=key_text)


@pytest.fixture
def cross(sit_down):
    """Someone before five queries and seven keys."""
    return sit_down(five_by_seven())


def hatched(person, stage: str = "weights") -> np.ndarray:
    """See which cells are struck out."""
    panel, n_query, n_key = person.panel(stage), len(person.tokens()), len(person.keys())
    return np.array([[panel.is_hatched(query, key) for key in range(n_key)] for query in range(n_query)])


def changed_keys(before: list[list[str]], after: list[list[str]]) -> set[int]:
    """See in which columns numbers are others than before."""
    rows = zip(before, after, strict=True)
    return {key for old, new in rows for key in range(len(old)) if old[key] != new[key]}


def turn_on(person) -> None:
    person.click("cross_attention", QPoint(8, 15))
    person.settle()


def write_keys(person, text: str) -> None:
    person.shortcut("Ctrl+Shift+L")
    person.commit(text)
    person.key(Qt.Key.Key_Return)
    person.settle()


def is_on(person) -> bool:
    """Say whether there is a second row, and that all that says so says the same."""
    shown = person.window.findChild(QLineEdit, "key_sentence").isVisible()
    assert person.control("cross_attention", QCheckBox).isChecked() == shown
    assert person.window.deeds["cross_attention"].isChecked() == shown
    assert person.window.deeds["edit_key_sentence"].isEnabled() == shown
    return shown


def size_said(person) -> str:
    return person.window.findChild(object, "status/times").text()


# --- on and off


@pytest.mark.parametrize("way", ["checkbox", "menu"])
def test_keys_begin_as_the_tokens_and_no_number_changes(person, way):
    before = [person.cells("weights", query) for query in range(10)]
    room = person.window.parts.stages.height()
    assert not is_on(person)
    if way == "checkbox":
        turn_on(person)
    else:
        person.choose("edit", "cross_attention")
        person.settle()
    assert is_on(person)
    assert person.keys() == person.tokens() == NEKO
    assert person.field("key_sentence") == person.field("sentence")
    assert [person.cells("weights", query) for query in range(10)] == before
    assert "10 × 10 tokens" in size_said(person)
    assert person.window.parts.stages.height() < room
    person.shortcut("Ctrl+Z")
    person.settle()
    assert not is_on(person)
    assert not person.window.isWindowModified()
    assert "10 tokens" in size_said(person)
    assert person.window.parts.stages.height() == room


def test_turning_it_off_lets_the_tokens_be_the_keys_again(cross):
    turn_on(cross)  # which turns it off
    assert not is_on(cross)
    assert cross.keys() == list(ENGLISH)
    assert [len(cross.cells("scores", query)) for query in range(5)] == [5] * 5
    cross.shortcut("Ctrl+Z")
    cross.settle()
    assert is_on(cross)
    assert cross.keys() == list(JAPANESE)
    assert not cross.window.isWindowModified()


@pytest.mark.parametrize("speaks", ["en", "ja"])
def test_the_translation_opens_with_both_sentences_and_is_played_with(sit_down, speaks):
    person = sit_down(speaks=speaks)
    person.choose("presets", "preset/translation")
    person.settle()
    assert is_on(person)
    assert (person.tokens(), person.selected_token()) == (["猫", "が", "魚", "を", "食べた"], "食べた")
    assert person.keys() == ["The", "cat", "ate", "the", "fish", "."]
    assert person.largest_bar() == person.selected_key() == "ate"
    assert person.control("note").isVisible()
    person.click("token/2")
    person.settle()
    assert person.largest_bar() == "fish"
    person.enter_number("q/0/1/number", "0")
    person.enter_number("q/0/0/number", "2.5")
    assert person.largest_bar() == "cat"
    person.shortcut("Ctrl+Z")
    person.shortcut("Ctrl+Z")
    write_keys(person, "The cat saw the fish.")
    assert person.keys() == ["The", "cat", "saw", "the", "fish", "."]
    assert person.largest_bar() == "fish"
    person.click("mask", QPoint(8, 8))
    person.settle()
    rows, columns = np.indices((5, 6))
    assert (hatched(person) == (columns > rows)).all()


# --- the row of the keys


def test_a_sentence_of_the_keys_is_split_and_the_queries_stay(person):
    turn_on(person)
    before = person.cells("scores", 0)
    write_keys(person, "魚が犬を")
    assert person.tokens() == NEKO
    assert person.keys() == ["魚", "が", "犬", "を"]
    assert person.field("sentence") == "猫が魚を食べた。それは新鮮だった"
    assert person.cells("scores", 0)[0] == before[2]  # 魚 has kept its k
    assert [len(person.cells("scores", query)) for query in range(10)] == [4] * 10
    assert person.arithmetic(KEY) == person.keys()
    assert len(person.bars()) == 4
    assert "10 × 4 tokens" in size_said(person)
    assert person.window.parts.token_editor.key_chips.chip(2).is_default
    assert not person.window.parts.token_editor.key_chips.chip(0).is_default


def test_keys_are_renamed_added_moved_and_removed_in_place(person):
    turn_on(person)
    person.click("key_token/2")
    person.shortcut("F2")
    assert person.focus().objectName() == "key_tokens/name"
    person.shortcut("Ctrl+A")
    person.commit("鮭")
    person.key(Qt.Key.Key_Return)
    person.settle()
    assert person.keys()[2] == person.arithmetic(KEY)[2] == "鮭"
    person.click("key_tokens/add")
    person.commit("と")
    person.key(Qt.Key.Key_Return)
    person.settle()
    assert person.keys()[2:4] == ["鮭", "と"]
    assert person.selected_key() == "と"
    person.shortcut("Alt+Left")
    person.settle()
    assert person.keys()[2:4] == ["と", "鮭"]
    assert person.selected_key() == "と"
    person.shortcut("Delete")
    person.settle()
    assert person.keys() == [*NEKO[:2], "鮭", *NEKO[3:]]
    assert person.tokens() == NEKO
    for _ in range(5):  # the last of them turned it on
        person.shortcut("Ctrl+Z")
        person.settle()
    assert not is_on(person)
    assert not person.window.isWindowModified()


def test_the_last_key_cannot_be_removed(person):
    turn_on(person)
    write_keys(person, "猫")
    person.click("key_token/0")
    person.shortcut("Delete")
    assert "only" in person.refusal()
    assert person.keys() == ["猫"]


def test_a_chip_of_a_key_chooses_the_column_and_a_column_the_chip(cross):
    cross.click("token/2")
    cross.click("key_token/5")
    cross.settle()
    assert (cross.selected_token(), cross.selected_key()) == ("ate", "食べた")
    assert cross.terms().startswith("ate → 食べた")
    grid, panel = cross.window.parts.stages.viewport(), cross.panel("weights")
    cross.click(grid, panel.label_rect("key", 2).center())
    cross.settle()
    assert (cross.selected_token(), cross.selected_key()) == ("ate", "新鮮な")
    cross.click(grid, panel.cell_rect(4, 6).center())
    cross.settle()
    assert (cross.selected_token(), cross.selected_key()) == ("fish", "。")


# --- every view


def test_every_view_calls_columns_by_keys_and_rows_by_queries(cross):
    cross.click("token/1")
    cross.click("key_token/3")
    cross.settle()
    grid, panel = cross.window.parts.stages.viewport(), cross.panel("scores")
    cross.move(grid, panel.cell_rect(1, 6).center())
    assert cross.window.parts.stages.hover_text().startswith("cat → 。")
    cross.move(grid, panel.cell_rect(4, 0).center())
    assert cross.window.parts.stages.hover_text().startswith("fish → 猫")
    assert cross.window.parts.stages.accessibleDescription().startswith("cat → 魚")
    assert cross.window.parts.weights.heading() == "Attention from “cat”"
    assert cross.window.parts.weights.bars.accessibleDescription().startswith("魚 ")
    assert cross.arithmetic(KEY) == list(JAPANESE)
    assert cross.window.parts.stages.window_shown().is_whole(5, 7)


def test_what_is_copied_has_keys_on_top_and_queries_beside(cross):
    cross.click(cross.window.parts.stages.viewport(), cross.panel("weights").cell_rect(1, 1).center())
    cross.settle()
    cross.shortcut("Ctrl+C")
    cross.settle()
    lines = [line.split("\t") for line in clipboard().splitlines()]
    assert lines[0] == ["", *JAPANESE]
    assert [line[0] for line in lines[1:]] == list(ENGLISH)
    assert {len(line) for line in lines} == {8}
    cross.click("weights_of_query/bars", QPoint(20, 10))
    cross.settle()
    cross.shortcut("Ctrl+C")
    assert [line.split("\t")[0] for line in clipboard().splitlines()] == list(JAPANESE)


def test_vectors_have_rows_of_queries_and_rows_of_keys(cross):
    cross.click("token/1")
    cross.click("key_token/4")
    cross.open_tab("vectors")
    down = Qt.Orientation.Vertical
    for which, names in (("q", ENGLISH), ("k", JAPANESE), ("v", JAPANESE)):
        model = cross.control(f"vectors/{which}", QTableView).model()
        assert [model.headerData(row, down) for row in range(model.rowCount())] == list(names)
    table = cross.control("vectors/k", QTableView)
    cross.click(table.verticalHeader().viewport(), QPoint(10, table.rowViewportPosition(2) + 5))
    cross.settle()
    assert (cross.selected_token(), cross.selected_key()) == ("cat", "新鮮な")
    before = [cross.cells("scores", query) for query in range(5)]
    cross.click_cell("vectors/k", 2, 1)
    cross.type("9")
    cross.key(Qt.Key.Key_Return)
    cross.settle()
    after = [cross.cells("scores", query) for query in range(5)]
    assert changed_keys(before, after) == {2}


def test_queries_and_keys_are_derived_from_an_x_each(cross):
    cross.open_tab("vectors")
    before = [cross.cells("scores", query) for query in range(5)]
    cross.click("source/projection")
    cross.settle()
    assert [cross.cells("scores", query) for query in range(5)] == before
    down = Qt.Orientation.Vertical
    for page, names in (("q", ENGLISH), ("k", JAPANESE), ("v", JAPANESE)):
        cross.click(f"vectors/page/{page}")
        model = cross.control("projection/x", QTableView).model()
        assert [model.headerData(row, down) for row in range(model.rowCount())] == list(names)
    terms = cross.control("projection/terms", LinkedLines)
    assert terms.text().startswith(f"v[{cross.selected_key()}, ")
    assert "x_K (1 × " in terms.text()
    cross.click("vectors/page/k")
    cross.click_cell("projection/x", 6, 0)
    cross.type("5")
    cross.key(Qt.Key.Key_Return)
    cross.settle()
    assert cross.selected_key() == "。"
    after = [cross.cells("scores", query) for query in range(5)]
    assert changed_keys(before, after) == {6}
    cross.open_tab("shapes")
    words = cross.control("shapes/chain", ChainDiagram).words()
    assert {"x", "x_K", "5 × 7", "7 × 4", "n_query × n_key", "n_key × d_k"} <= set(words)


def test_a_dragged_slider_of_a_query_moves_its_row_alone(cross):
    cross.click("token/3")
    cross.settle()
    before = [cross.cells("scores", query) for query in range(5)]
    slider = cross.control("q/0/1")
    middle = slider.height() // 2
    cross.drag(slider, *(QPoint(round(slider.x_of(tenths)), middle) for tenths in (0, 5, 12, 25)))
    cross.settle()
    after = [cross.cells("scores", query) for query in range(5)]
    assert [old == new for old, new in zip(before, after, strict=True)] == [True] * 3 + [False, True]
    cross.shortcut("Ctrl+Z")
    cross.settle()
    assert [cross.cells("scores", query) for query in range(5)] == before
    assert not cross.window.isWindowModified()


def test_ending_cross_attention_says_which_keys_are_lost_and_undo_brings_them_back(cross):
    keys = cross.keys()
    turn_on(cross)  # which turns it off
    assert cross.message() == (
        "The last 2 keys were cut, for there are only 5 tokens; undo brings them back."
    )
    cross.shortcut("Ctrl+Z")
    cross.settle()
    assert cross.keys() == keys


# --- masks


def test_causal_means_something_else_at_each_end(cross):
    assert not cross.window.findChild(AlignmentChoice, "mask_alignment").isVisible()
    cross.pick("mask_kind", "causal")
    cross.settle()
    choice = cross.control("mask_alignment", AlignmentChoice)
    assert choice.sentence() == "Query 0 stands at key 0."
    rows, columns = np.indices((5, 7))
    assert (hatched(cross) == (columns > rows)).all()
    cross.pick("mask_alignment", "last")
    cross.settle()
    assert choice.sentence() == choice.toolTip() == "The last query stands at the last key."
    assert (hatched(cross) == (columns > rows + 2)).all()
    assert (hatched(cross, "masked") == (columns > rows + 2)).all()
    cross.pick("mask_kind", "window")
    cross.settle()
    assert (hatched(cross) == ((columns > rows + 2) | (columns <= rows - 1))).all()
    assert "itself" not in cross.control("mask_width").toolTip()
    for _ in range(3):
        cross.shortcut("Ctrl+Z")
        cross.settle()
    assert not hatched(cross).any()
    assert not cross.window.isWindowModified()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_in_the_smallest_window_a_word_says_the_kind_of_mask(sit_down, language):
    person = sit_down(load_preset("translation", language).inputs, speaks=language, size=(1024, 700))
    window = person.window
    kind = window.findChild(Choice, "mask_kind")
    masks = (CausalMask(), SlidingWindowMask(3), SinkMask(1, 3), PrefixMask(2), PaddingMask())
    for mask in masks:
        window.document.apply(lambda inputs, mask=mask: edits.set_mask(inputs, mask))
        person.settle()
        window.grab()  # lays everything out
        assert kind.isVisible()
        assert kind.shown_text()
        assert "…" not in kind.shown_text()
        assert kind.currentText() in kind.toolTip()


def test_without_keys_of_their_own_nothing_is_aligned(person):
    assert not person.window.findChild(AlignmentChoice, "mask_alignment").isVisible()
    turn_on(person)
    assert person.control("mask_alignment").isVisible()
    person.shortcut("Ctrl+Z")
    person.settle()
    assert not person.window.findChild(AlignmentChoice, "mask_alignment").isVisible()


def test_padding_hides_keys_and_the_brush_paints_five_by_seven(cross):
    cross.pick("mask_kind", "padding")
    cross.settle()
    cross.click("mask_tokens")
    cross.until(lambda: isinstance(QApplication.activePopupWidget(), PaddingList))
    entries = QApplication.activePopupWidget().findChild(QListView)
    rows = range(entries.model().rowCount())
    assert [entries.model().index(row, 0).data().split()[-1] for row in rows] == list(JAPANESE)
    for key in (Qt.Key.Key_End, Qt.Key.Key_Space, Qt.Key.Key_Escape):
        QTest.keyClick(entries, key)
    cross.settle()
    assert hatched(cross).all(axis=0).tolist() == [False] * 6 + [True]
    cross.pick("mask_kind", "custom")
    cross.settle()
    grid, panel = cross.window.parts.stages.viewport(), cross.panel("masked")
    cross.drag(grid, *(panel.cell_rect(4, key).center() for key in range(6)))
    cross.settle()
    assert hatched(cross)[4].all()
    assert hatched(cross)[:4, :6].sum() == 0


# --- files, keys, languages


def test_a_saved_document_comes_back_with_its_keys(cross, tmp_path):
    cross.pick("mask_kind", "causal")
    cross.pick("mask_alignment", "last")
    cross.click("key_token/3")
    cross.settle()
    before = [cross.cells("weights", query) for query in range(5)]
    path = tmp_path / "cross.attnviz"
    cross.shortcut("Ctrl+S")
    cross.choose_file(path)
    turn_on(cross)
    assert not is_on(cross)
    cross.shortcut("Ctrl+Z")
    cross.settle()
    cross.choose("presets", "preset/neko")
    cross.settle()
    assert not is_on(cross)
    cross.shortcut("Ctrl+O")
    cross.choose_file(path)
    cross.settle()
    assert is_on(cross)
    assert (cross.tokens(), cross.keys()) == (list(ENGLISH), list(JAPANESE))
    assert cross.selected_key() == "魚"
    assert cross.field("key_sentence") == "猫が新鮮な魚を食べた。"
    assert [cross.cells("weights", query) for query in range(5)] == before


def test_everything_is_undone_in_the_end(person):
    before = [person.cells("weights", query) for query in range(10)]
    turn_on(person)
    write_keys(person, "犬も猫も魚を見た。")
    person.pick("mask_alignment", "last")
    person.settle()
    person.click("key_token/0")
    person.shortcut("Delete")
    person.settle()
    person.click("mask")
    turn_on(person)
    assert not is_on(person)
    for _ in range(6):
        person.shortcut("Ctrl+Z")
        person.settle()
    assert not person.window.isWindowModified()
    assert [person.cells("weights", query) for query in range(10)] == before
    for _ in range(6):
        person.shortcut("Ctrl+Shift+Z")
        person.settle()
    assert not is_on(person)


def tab_to(person, name: str) -> None:
    for _ in range(60):
        if person.focus().objectName() == name:
            return
        person.key(Qt.Key.Key_Tab)
    raise AssertionError(f"Tab does not reach {name}")


def test_all_of_it_goes_by_keys_alone(person):
    person.shortcut("Ctrl+L")
    tab_to(person, "cross_attention")
    person.key(Qt.Key.Key_Space)
    person.settle()
    assert is_on(person)
    tab_to(person, "key_sentence")
    person.shortcut("Ctrl+A")
    person.type("cats eat fish")
    person.key(Qt.Key.Key_Return)
    person.settle()
    assert person.keys() == ["cats", "eat", "fish"]
    tab_to(person, "key_tokens")
    person.key(Qt.Key.Key_Home)
    person.key(Qt.Key.Key_Right)
    person.settle()
    assert person.selected_key() == "eat"
    person.shortcut("F2")
    person.shortcut("Ctrl+A")
    person.type("like")
    person.key(Qt.Key.Key_Return)
    person.shortcut("Alt+Right")
    person.settle()
    assert person.keys() == ["cats", "fish", "like"]
    tab_to(person, "mask_alignment")
    person.key(Qt.Key.Key_Down)
    person.settle()
    assert person.control("mask_alignment", AlignmentChoice).sentence().startswith("The last query")
    assert not hatched(person)[9].any()


@pytest.mark.parametrize("speaks", ["en", "ja"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_rows_begin_below_each_other_in_a_small_window(sit_down, speaks, theme):
    person = sit_down(five_by_seven(), speaks=speaks, theme=theme, size=(1024, 700))
    editor = person.window.parts.token_editor
    for one, other in ((editor.sentence, editor.key_sentence), (editor.chips, editor.key_chips)):
        left, right = (part.mapTo(person.window, QPoint(0, 0)).x() for part in (one, other))
        assert left == right
        assert one is editor.chips or one.width() == other.width()
    for chips, last in ((editor.chips, 4), (editor.key_chips, 6)):
        chip = chips.chip(last)
        assert chips.viewport().rect().contains(chip.geometry().adjusted(0, 0, -1, -1))
    box = person.control("cross_attention", QCheckBox)
    assert box.width() >= box.sizeHint().width()
    assert box.mapTo(person.window, QPoint(box.width(), 0)).x() <= 1024
    if speaks == "ja":
        assert box.text() == "クロスアテンション"
        assert "5 × 7 トークン" in size_said(person)
