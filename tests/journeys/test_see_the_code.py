"""A person opens the code of what they look at, and it follows what they do in the window."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QContextMenuEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QLabel, QTabBar

from attnviz.assets import kernel_path
from attnviz.core.stage_lines import PARTS
from attnviz.gui.code_pane import CodePane
from tests.engine.documents import document
from tests.journeys.window_hands import PLAIN, clipboard

CTRL = Qt.KeyboardModifier.ControlModifier


class Reader:
    """Someone before the code window."""

    def __init__(self, person) -> None:
        self.person = person
        person.until(lambda: self.find() is not None and self.find().isVisible())

    def find(self) -> QDialog | None:
        return self.person.window.findChild(QDialog, "code")

    def part(self) -> str:
        return PARTS[self.find().findChild(QTabBar, "code/parts").currentIndex()]

    def said(self, name: str) -> str:
        return self.find().findChild(QLabel, f"code/{name}").text()

    def lines(self, name: str) -> list[str]:
        return self.find().findChild(CodePane, f"code/{name}").shown_lines()

    def computing(self) -> str:
        return "\n".join(self.find().findChild(CodePane, "code/kernel").marked_lines())

    def kernels(self) -> list[str]:
        buttons = [self.find().findChild(QAbstractButton, f"code/kernel/{number}") for number in range(3)]
        return [button.text() for button in buttons if button.isVisible()]

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = PLAIN) -> None:
        self.find().activateWindow()
        self.person.until(self.find().isActiveWindow)
        QTest.keyClick(self.find().windowHandle(), key, modifiers)

    def turn_to(self, part: str) -> None:
        tabs = self.find().findChild(QTabBar, "code/parts")
        self.person.click(tabs, tabs.tabRect(PARTS.index(part)).center())


def ground_of(image: QImage) -> int:
    """Give how light most of a picture is, 0 to 255."""
    step = max(1, image.width() // 50)
    places = [(x, y) for x in range(0, image.width(), step) for y in range(0, image.height(), step)]
    return Counter(image.pixelColor(x, y).lightness() for x, y in places).most_common(1)[0][0]


def code_of(person, part: str) -> Reader:
    person.click(f"code_of/{part}")
    return Reader(person)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(
    ("part", "numpy", "cell", "computing"),
    [
        ("scores", "scores = q @ k.T", "1.0×1 + 1.5×3 + 0.0×0 + (−1.0)×0 = 5.50", "fmaf(query_vector[dim]"),
        ("scaled", "scaled = scores / np.float32(np.sqrt(4))", "5.50 ÷ √4 = 2.75", "__fdiv_rn(scores[cell]"),
        ("masked", "np.where(np.tri(10, dtype=bool), scaled, -np.inf)", "2.75", "key <= first_row + row"),
        ("weights", "np.exp(masked - masked.max(", "exp(2.75 − 2.75) ÷ 1.522", "expf(from[key] - top)"),
        ("output", "output = weights @ v", "0.188×3 + 0.015×0 + 0.657×1", "weights[(size_t)row * T + key]"),
    ],
)  # fmt: skip
def test_the_sign_at_a_heading_opens_the_code_beside_its_line_of_numpy(
    sit_down, language, part, numpy, cell, computing
):
    person = sit_down(speaks=language)
    reader = code_of(person, part)
    assert reader.part() == part
    assert numpy in reader.lines("numpy")[0]
    assert cell in reader.said("cell")
    assert computing in reader.computing()
    assert "n_tokens  10\nd_k  4\n1/√d_k  1/√4 = 1/2 = 0.5" in reader.said("numbers")
    is_japanese = re.search("[ぁ-ん]", reader.said("meaning")) is not None
    assert is_japanese == (language == "ja")
    in_numpy = QCoreApplication.translate("CodeDialog", "In numpy")
    assert in_numpy in [label.text() for label in reader.find().findChildren(QLabel)]
    name, first = reader.said("file").split("/")[1], reader.lines("kernel")[0]
    file = name[: name.index(".cu") + 3]
    assert first in kernel_path(file).read_text(encoding="utf-8").splitlines()
    assert person.window.stages.engine.split(",")[0] in reader.said("engine")


def test_pages_are_turned_by_one_click_by_arrows_and_by_keys(person):
    reader = code_of(person, "scores")
    reader.turn_to("weights")
    assert reader.part() == "weights"
    reader.key(Qt.Key.Key_Right)
    assert reader.part() == "output"
    reader.key(Qt.Key.Key_PageDown, CTRL)
    assert reader.part() == "scores"
    reader.key(Qt.Key.Key_PageUp, CTRL)
    assert reader.part() == "output"


def test_it_is_opened_by_keys_read_by_keys_and_closed_by_escape(person):
    person.shortcut("Ctrl+K")
    reader = Reader(person)
    names = set()
    for _ in range(20):
        reader.key(Qt.Key.Key_Tab)
        names.add(QApplication.focusWidget().objectName())
    assert {"code/parts", "code/numpy", "code/kernel", "code/kernel/0", "code/copy", "code/close"} <= names
    reader.key(Qt.Key.Key_Escape)
    person.until(lambda: reader.find() is None)
    person.shortcut("Ctrl+K")
    Reader(person)


def test_a_panels_own_menu_and_the_view_menu_open_it(person):
    grid = person.window.parts.stages.viewport()
    place = person.panel("masked").plot_rect().center()
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(grid, QContextMenuEvent(reason, place, grid.mapToGlobal(place)))
    person.until(QApplication.activePopupWidget)
    menu = QApplication.activePopupWidget()
    person.click(menu, menu.actionGeometry(menu.actions()[-1]).center())
    assert Reader(person).part() == "masked"
    Reader(person).key(Qt.Key.Key_Escape)
    person.until(lambda: person.window.findChild(QDialog, "code") is None)
    person.choose("view", "code")
    Reader(person)


def test_it_follows_edits_the_selection_the_head_and_undo_while_the_window_is_worked_in(person):
    reader = code_of(person, "scores")
    person.enter_number("q/0/1/number", "2.5")
    assert reader.said("cell").startswith("1.0×1 + 2.5×3")
    person.click("token/8")
    person.settle()
    assert reader.said("cell/name").startswith("scores[8, ")
    person.shortcut("Ctrl+Z")
    person.settle()
    person.shortcut("Ctrl+2")
    person.settle()
    reader.turn_to("output")
    d_v = person.window.document.inputs.heads[1].d_v
    assert f"v (10, {d_v}) → output (10, {d_v})" in reader.said("shapes")


def test_it_follows_the_mask_its_value_and_the_scale_strength(person):
    reader = code_of(person, "masked")
    person.pick("mask_kind", "window")
    person.settle()
    assert "np.tri(10, dtype=bool) & ~np.tri(10, k=-" in reader.lines("numpy")[0]
    person.pick("mask_fill", "-1e9")
    person.settle()
    assert reader.lines("numpy")[0].endswith("scaled, -1000000000)")
    person.pick("mask_kind", "none")
    person.settle()
    assert reader.said("formula") == "masked[i, j] = scaled[i, j]"
    person.enter_number("scale_strength/number", "2")
    reader.turn_to("scaled")
    assert reader.lines("numpy") == ["scaled = scores / np.float32(np.sqrt(4) * 2.0)"]


def test_the_line_on_the_screen_gives_the_numbers_on_the_screen(person):
    reader = code_of(person, "scores")
    head = person.window.document.inputs.heads[0]
    names: dict = {"np": np, "q": head.q, "k": head.k, "v": head.v}
    for part in PARTS:
        reader.turn_to(part)
        exec(reader.lines("numpy")[0], names)
    assert [f"{weight:.1%}" for weight in names["weights"][6, :7]] == person.bars()[:7]


def test_the_kernel_for_many_keys_can_be_read_and_says_that_it_does_not_run_here(person):
    reader = code_of(person, "weights")
    assert reader.kernels() == ["softmax_plain", "softmax_rows", "pool_rows"]
    assert "softmax_plain<<<(1, 1, 1), (32, 1)>>>" in reader.said("launch")
    person.click("code/kernel/1")
    assert "joined(mine, other)" in reader.computing()
    assert "It does not run for this document." in reader.said("use")


def test_a_document_of_many_keys_shows_the_kernels_that_run_for_it(sit_down):
    person = sit_down(document(100, 8))
    reader = code_of(person, "scores")
    assert "scores_tiled<<<(2, 2, 1), (16, 16)>>>" in reader.said("launch")
    assert "scores_plain<<<(4, 1, 1), (32, 8)>>>" in reader.said("launch")
    assert "scores_tiled(" in "\n".join(reader.lines("kernel"))
    reader.turn_to("output")
    assert reader.kernels() == ["weighted_sum_plain", "weighted_sum_tiled", "weighted_sum_rows"]


def test_the_code_is_copied_as_text(person):
    reader = code_of(person, "scores")
    person.click("code/copy")
    copied = clipboard().splitlines()
    assert copied[0] == "scores = q @ k.T"
    assert reader.lines("kernel") == copied[3:]


def test_lines_of_the_kernel_are_selected_and_copied_by_keys(person):
    reader = code_of(person, "scores")
    reader.find().findChild(CodePane, "code/kernel").setFocus()
    reader.key(Qt.Key.Key_A, CTRL)
    reader.key(Qt.Key.Key_C, CTRL)
    assert clipboard().splitlines() == reader.lines("kernel")


def test_language_and_theme_are_followed_while_it_is_open(person):
    reader = code_of(person, "scaled")
    pane = reader.find().findChild(CodePane, "code/kernel")
    before = ground_of(person.picture(pane))
    person.choose("view", "theme", "theme/dark")
    person.choose("view", "language", "language/ja")
    person.settle()
    assert ground_of(person.picture(pane)) < before - 100
    assert reader.find().windowTitle() == QCoreApplication.translate("CodeDialog", "The code of each stage")


def test_closing_the_window_closes_it(sit_down):
    person = sit_down()
    reader = code_of(person, "scores")
    dialog = reader.find()
    person.window.abandon()
    assert not dialog.isVisible()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
