"""A person tries every kind of mask: choosing, its numbers, padding, painting, leaks, and the way back."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QListView, QToolButton

from attnviz.core.masks import CustomMask
from attnviz.core.position_masks import PrefixMask, SinkMask, SlidingWindowMask
from attnviz.gui.editors.padding_list import PaddingList

KINDS = ("causal", "none", "padding", "window", "sinks", "prefix", "custom")


@pytest.fixture(params=["en", "ja"])
def person(request, sit_down):
    """Someone before the Japanese example, in either language."""
    return sit_down(speaks=request.param)


def hatched(person, stage="weights") -> np.ndarray:
    """See which cells are struck out, and that no number stands in them."""
    panel, n = person.panel(stage), len(person.tokens())
    cells = np.array([[panel.is_hatched(query, key) for key in range(n)] for query in range(n)])
    for query, key in np.argwhere(cells).tolist():
        assert panel.shown_number(query, key) == ""
    return cells


def sees(person, mask) -> bool:
    """Say whether both panels hide just the cells that a mask hides."""
    n = len(person.tokens())
    wanted = ~mask.allowed((0, n), (0, n))
    return all((hatched(person, stage) == wanted).all() for stage in ("masked", "weights"))


def pick(person, kind: str) -> None:
    person.pick("mask_kind", kind)
    person.settle()


def paint(person, *cells: tuple[int, int]) -> None:
    """Drag over cells of the mask panel."""
    panel, grid = person.panel("masked"), person.window.parts.stages.viewport()
    person.drag(grid, *(panel.cell_rect(query, key).center() for query, key in cells))
    person.settle()


def test_every_kind_is_chosen_from_the_list_and_taken_back(person):
    for kind in KINDS[1:]:
        pick(person, kind)
        assert person.control("mask_kind").currentData() == kind
    for kind in reversed(KINDS[:-1]):
        person.shortcut("Ctrl+Z")
        person.settle()
        assert person.control("mask_kind").currentData() == kind
    assert not person.window.isWindowModified()


def test_a_run_of_arrow_keys_over_the_kinds_is_taken_back_at_once(person):
    person.tab_to("mask_kind")
    for _ in KINDS[1:]:
        person.key(Qt.Key.Key_Down)
    person.settle()
    assert person.control("mask_kind").currentData() == "custom"
    person.shortcut("Ctrl+Z")
    person.settle()
    assert person.control("mask_kind").currentData() == "causal"
    assert not person.window.isWindowModified()


def test_a_window_grows_with_its_width(person):
    pick(person, "window")
    assert sees(person, SlidingWindowMask(3))
    person.enter_number("mask_width", "5")
    assert sees(person, SlidingWindowMask(5))
    assert [text == "—" for text in person.bars()] == [True] * 2 + [False] * 5 + [True] * 3
    person.click("mask_width")
    for _ in range(4):
        person.key(Qt.Key.Key_Down)
    person.settle()
    assert sees(person, SlidingWindowMask(1))
    assert person.bars()[6] == "100.0%"
    person.shortcut("Ctrl+Z")  # all steps by keys at once
    person.settle()
    assert sees(person, SlidingWindowMask(5))


def test_sinks_stay_in_sight(person):
    pick(person, "sinks")
    person.enter_number("mask_sinks", "2")
    person.enter_number("mask_width", "2")
    assert sees(person, SinkMask(2, 2))
    assert [text == "—" for text in person.bars()] == [False] * 2 + [True] * 3 + [False] * 2 + [True] * 3


def test_a_prefix_is_seen_both_ways(person):
    pick(person, "prefix")
    person.enter_number("mask_length", "4")
    assert sees(person, PrefixMask(4))
    assert person.control("mask").checkState() == Qt.CheckState.PartiallyChecked
    person.enter_number("mask_length", "5000")  # beyond the sentence: all of it
    assert not hatched(person).any()


@pytest.mark.parametrize(("field", "kind"), [("mask_width", "window"), ("mask_length", "prefix")])
@pytest.mark.parametrize("text", ["0", "-4", "2.5", "many", "9999999999"])
def test_a_number_that_makes_no_mask_is_refused_beside_its_field(person, field, kind, text):
    pick(person, kind)
    before, kept = hatched(person), person.field(field)
    person.enter_number(field, text)
    assert person.refusal()
    assert person.field(field) == kept
    assert (hatched(person) == before).all()


def test_tokens_are_hidden_as_padding_by_mouse_and_by_keys(person):
    pick(person, "padding")
    person.click("mask_tokens")
    tokens = person.window.findChild(QListView, "mask/padding/tokens")
    person.until(tokens.isVisible)
    for _ in range(2):
        QTest.keyClick(tokens, Qt.Key.Key_Down)
    QTest.keyClick(tokens, Qt.Key.Key_Space)
    person.settle()
    assert person.bars()[2] == "—"
    QTest.keyClick(tokens, Qt.Key.Key_Escape)
    person.until(lambda: not tokens.isVisible())
    assert hatched(person)[:, 2].all()
    assert hatched(person)[0, 1]  # the future stays hidden
    person.click("mask")
    person.settle()
    assert person.control("mask_kind").currentData() == "padding"
    assert np.argwhere(hatched(person)).tolist() == [[query, 2] for query in range(10)]


def test_padding_goes_along_with_its_token(person):
    pick(person, "padding")
    person.click("mask_tokens")
    tokens = person.window.findChild(QListView, "mask/padding/tokens")
    person.until(tokens.isVisible)
    QTest.keyClick(tokens, Qt.Key.Key_Down)
    QTest.keyClick(tokens, Qt.Key.Key_Space)
    QTest.keyClick(tokens, Qt.Key.Key_Escape)
    person.settle()
    person.click("token/0")
    person.key(Qt.Key.Key_Delete)  # 猫 goes, and が is the first now
    person.settle()
    assert hatched(person)[:, 0].all()
    assert person.bars()[0] == "—"
    assert "—" in person.bars()


def test_where_every_key_is_padding_the_screen_says_so(person):
    pick(person, "padding")
    person.click("mask_tokens")
    tokens = person.window.findChild(QListView, "mask/padding/tokens")
    person.until(tokens.isVisible)
    for _ in person.tokens():
        QTest.keyClick(tokens, Qt.Key.Key_Space)
        QTest.keyClick(tokens, Qt.Key.Key_Down)
    QTest.keyClick(tokens, Qt.Key.Key_Escape)
    person.settle()
    assert person.bars() == ["—"] * 10
    assert person.output() == ["0.00"] * 4
    assert person.window.parts.weights.empty_text()


def test_a_stroke_hides_cells_and_the_next_lets_them_be_seen(person):
    pick(person, "none")
    pick(person, "custom")
    assert person.control("mask_paint", QToolButton).isChecked()
    paint(person, (2, 2), (2, 5))  # no cell between is left out
    assert np.argwhere(hatched(person)).tolist() == [[2, 2], [2, 3], [2, 4], [2, 5]]
    paint(person, (2, 3))
    assert np.argwhere(hatched(person)).tolist() == [[2, 2], [2, 4], [2, 5]]
    paint(person, (2, 2), (2, 9), (6, 9))
    assert np.argwhere(hatched(person)).tolist() == []
    person.shortcut("Ctrl+Z")
    person.settle()
    assert np.argwhere(hatched(person)).tolist() == [[2, 2], [2, 4], [2, 5]]
    person.shortcut("Ctrl+Z")
    person.shortcut("Ctrl+Z")
    person.settle()
    assert not hatched(person).any()
    assert person.control("mask_kind").currentData() == "custom"
    assert person.selected_token() == "それ"  # painting chooses nothing


def test_a_mask_is_painted_by_keys_alone(person):
    pick(person, "custom")
    person.window.parts.stages.setFocus()
    person.key(Qt.Key.Key_Space)  # それ → 魚
    person.key(Qt.Key.Key_Up)
    person.key(Qt.Key.Key_Space)
    person.settle()
    wanted = np.tri(10, dtype=bool)
    wanted[6, 2] = wanted[5, 2] = False
    assert sees(person, CustomMask(wanted))
    person.key(Qt.Key.Key_Space)
    person.key(Qt.Key.Key_Space)  # faster than the picture
    person.settle()
    assert sees(person, CustomMask(wanted))


def test_with_the_brush_put_away_a_click_chooses_again(person):
    pick(person, "custom")
    person.click("mask_paint")
    before = hatched(person)
    paint(person, (3, 1))
    assert (hatched(person) == before).all()
    assert person.selected_token() == "を"
    person.window.parts.stages.setFocus()
    person.key(Qt.Key.Key_Space)
    person.settle()
    assert (hatched(person) == before).all()


def test_undo_to_a_rule_puts_the_brush_away(person):
    pick(person, "custom")
    person.shortcut("Ctrl+Z")
    person.settle()
    paint(person, (3, 1))
    assert sees(person, CustomMask(np.tri(10, dtype=bool)))
    assert person.selected_token() == "を"


def test_a_leaking_cell_is_marked_and_the_sign_explained(person):
    pick(person, "window")
    weights = person.panel("weights")
    plain = weights.title()
    person.pick("mask_fill", "-1e4")
    person.settle()
    assert weights.title() == plain
    assert not any(weights.is_leaking(query, key) for query in range(10) for key in range(10))
    person.pick("mask_fill", "number")
    person.enter_number("mask_fill/number", "-2")
    assert weights.title().startswith(plain)
    assert weights.title() != plain
    for query, key in np.ndindex(10, 10):
        assert weights.is_leaking(query, key) == weights.is_hatched(query, key)
        assert not person.panel("masked").is_leaking(query, key)
    corner = weights.cell_rect(0, 5).topRight()
    picture = person.picture(person.window.parts.stages.viewport())
    assert picture.pixelColor(corner.x() - 2, corner.y() + 3).lightness() < 80


@pytest.mark.parametrize("kind", KINDS)
def test_a_document_with_its_mask_comes_back_from_a_file(person, kind, tmp_path):
    pick(person, kind)
    if kind == "custom":
        paint(person, (4, 0), (8, 3))
    before = hatched(person)
    path = tmp_path / "a.attnviz"
    person.shortcut("Ctrl+Shift+S")
    person.choose_file(path)
    person.shortcut("Ctrl+N")
    person.settle()
    person.shortcut("Ctrl+O")
    person.choose_file(path)
    person.settle()
    assert person.control("mask_kind").currentData() == kind
    assert (hatched(person) == before).all()


def test_the_list_of_tokens_closes_when_one_clicks_elsewhere(person):
    pick(person, "padding")
    person.click("mask_tokens")
    popup = person.window.findChild(PaddingList, "mask/padding")
    person.until(popup.isVisible)
    assert QApplication.activePopupWidget() is popup
    assert person.window.screen().availableGeometry().contains(popup.geometry())
    QTest.mouseClick(popup, Qt.MouseButton.LeftButton, pos=popup.rect().bottomRight() * 2)
    person.until(lambda: not popup.isVisible())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("speaks", ["en", "ja"])
def test_the_controls_fit_into_a_small_window(sit_down, kind, speaks):
    person = sit_down(speaks=speaks, size=(1024, 700))
    pick(person, kind)
    person.pick("mask_fill", "number")
    person.settle()
    tools = person.window.parts.mask_panel
    assert tools.isVisible()
    shown = [child for child in tools.findChildren(QToolButton) if child.isVisible()]
    for widget in (person.control("mask_kind"), person.control("mask_fill/number"), *shown):
        corner = widget.mapTo(tools, widget.rect().topLeft())
        assert tools.rect().contains(widget.rect().translated(corner))
