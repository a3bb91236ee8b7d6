"""A person reads the linear map term by term, derives heads from x, and leaves x again."""

from __future__ import annotations

import time

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QTableView

from attnviz.core.inputs import Head, Inputs
from attnviz.core.projection_edits import derived_head
from attnviz.core.projections import Projection
from attnviz.gui.linked_lines import LinkedLines
from tests.journeys.window_hands import clipboard


def linear_map(person):
    person.choose("presets", "preset/linear-map")
    person.settle()
    person.open_tab("vectors")
    return person


def numbers(person, name: str) -> list[list[str]]:
    model = person.control(name, QTableView).model()
    return [
        [model.index(row, column).data() for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def sum_shown(person) -> str:
    return person.control("projection/terms", LinkedLines).text()


def drag_slider(person, name: str) -> None:
    slider = person.control(name)
    places = [QPoint(round(slider.x_of(tenths)), slider.height() // 2) for tenths in (20, 12, 6, 0)]
    person.drag(slider, *places)
    person.settle()


@pytest.mark.parametrize(
    ("speaks", "theme", "size"), [("en", "light", (1360, 860)), ("ja", "dark", (1024, 700))]
)
def test_the_linear_map_is_opened_and_read_term_by_term(sit_down, speaks, theme, size):
    person = linear_map(sit_down(speaks=speaks, theme=theme, size=size))
    assert numbers(person, "projection/x")[2] == ["2.0", "1.0"]
    assert numbers(person, "projection/w") == [["1.0", "1.0"], ["0.0", "2.0"]]
    assert numbers(person, "projection/result")[2] == ["2.0", "4.0"]
    assert "2×1 + 1×0 = 2" in sum_shown(person)
    person.click_cell("projection/result", 2, 1)
    person.settle()
    assert "2×1 + 1×2 = 4" in sum_shown(person)
    assert "x (1 × 2) · W_Q (2 × 2) → q (1 × 2)" in sum_shown(person)
    soft = person.window._appearance.theme.accent_soft
    for name, row, column in (("x", 2, 0), ("x", 2, 1), ("w", 0, 1), ("w", 1, 1)):
        table = person.control(f"projection/{name}", QTableView)
        table.scrollTo(table.model().index(row, column))
        rect = table.visualRect(table.model().index(row, column))
        picture = person.picture(table.viewport())
        assert picture.pixelColor(rect.left() + 3, rect.center().y()) == soft, (name, row, column)
    person.settle()


def test_a_number_of_the_sum_is_followed_to_its_cell_and_changed_live(person):
    linear_map(person)
    before = person.bars()
    terms = person.control("projection/terms", LinkedLines)
    person.click(terms.viewport(), terms.link_rect("w", 0, 0).center().toPoint())
    assert person.focus().objectName() == "projection/w"
    person.type("3")
    person.key(Qt.Key.Key_Return)
    person.settle()
    assert "2×3 + 1×0 = 6" in sum_shown(person)
    assert person.field("q/0/0/number") == "6.0"
    assert person.bars() != before
    person.shortcut("Ctrl+Z")
    person.settle()
    assert person.bars() == before
    person.shortcut("Ctrl+Shift+Z")
    person.settle()
    assert numbers(person, "projection/result")[2] == ["6.0", "4.0"]


def test_an_edit_of_x_moves_q_k_and_v(person):
    linear_map(person)
    person.enter_cell("projection/x", 2, 1, "-1")
    assert numbers(person, "projection/result")[2] == ["2.0", "0.0"]
    person.click("vectors/page/all")
    assert [person.vectors(which)[2] for which in "qkv"] == [["2.0", "0.0"], ["2.0", "−1.0"], ["2.0", "−1.0"]]


def test_a_block_is_pasted_into_a_map_as_one_step(person):
    linear_map(person)
    QGuiApplication.clipboard().setText("0\t1\n1\t0")
    person.click_cell("projection/w", 0, 0)
    person.shortcut("Ctrl+V")
    person.settle()
    assert numbers(person, "projection/result")[2] == ["1.0", "2.0"]
    person.shortcut("Ctrl+A")
    person.shortcut("Ctrl+C")
    assert [line.split("\t") for line in clipboard().strip().splitlines()] == [["0", "1"], ["1", "0"]]
    assert person.window.document.undo_steps == 1
    QGuiApplication.clipboard().setText("1\t2\t3")
    person.click_cell("projection/w", 0, 0)
    person.shortcut("Ctrl+V")
    assert "W_Q" in person.refusal()
    assert numbers(person, "projection/w") == [["0.0", "1.0"], ["1.0", "0.0"]]


@pytest.mark.parametrize("speaks", ["en", "ja"])
def test_dragging_a_slider_turns_the_head_to_vectors_says_so_and_is_one_step(sit_down, speaks):
    person = linear_map(sit_down(speaks=speaks))
    assert "x · W" in person.control("q/0/heading").text()
    said = []
    person.window.status.messageChanged.connect(lambda text: text and said.append(text))
    drag_slider(person, "q/0/0")
    assert len(set(said)) == 1
    assert "x · W" in person.message()
    assert person.control("source/vectors").isChecked()
    q = person.vectors("q")[2]
    assert q[0] == person.field("q/0/0/number") != "2.0"
    assert q[1] == "4.0"
    assert person.window.document.undo_steps == 1
    person.shortcut("Ctrl+Z")
    person.settle()
    assert person.control("source/projection").isChecked()
    assert numbers(person, "projection/result")[2] == ["2.0", "4.0"]
    assert person.message() == ""


def test_an_edit_of_the_derived_q_turns_the_head_to_vectors_too(person):
    linear_map(person)
    person.enter_cell("projection/result", 0, 0, "7")
    assert "vectors now" in person.message()
    assert person.vectors("q")[0] == ["7.0", "2.0"]
    assert person.focus().objectName() == "vectors/q"
    person.enter_cell("vectors/q", 0, 0, "8")
    assert person.message() == ""


def test_a_head_of_the_japanese_example_is_derived_from_x_and_nothing_on_the_screen_moves(person):
    person.open_tab("vectors")
    before = person.bars(), person.output()
    person.click("source/projection")
    person.settle()
    assert "no number has changed" in person.message()
    assert (person.bars(), person.output()) == before
    assert person.field("d_model") == "8"  # q beside k, which is v
    person.click("bias")
    person.enter_cell("projection/b", 0, 0, "1")
    assert person.field("q/0/0/number") == "2.0"
    person.enter_number("d_model", "9")
    assert [len(row) for row in numbers(person, "projection/x")] == [9] * 10
    for _ in range(4):
        person.shortcut("Ctrl+Z")
    person.settle()
    assert person.control("source/vectors").isChecked()
    assert person.control("v_is_k").isChecked()
    for _ in range(4):
        person.shortcut("Ctrl+Shift+Z")
    person.settle()
    assert person.field("d_model") == "9"


def test_a_second_head_comes_as_near_to_its_vectors_as_x_allows_and_is_told_how_near(person):
    person.open_tab("vectors")
    person.click("source/projection")
    person.click("head/1")
    person.click("source/projection")
    person.settle()
    assert "numbers moved by up to" in person.message()
    assert "previous" in person.message()


def test_what_a_head_can_do_it_can_when_it_is_derived(person):
    linear_map(person)
    person.click("head/menu")
    person.choose_in_popup("head/copy")
    person.settle()
    assert person.control("source/projection").isChecked()
    person.enter_cell("projection/w", 0, 0, "5")
    assert numbers(person, "projection/result")[2] == ["10.0", "4.0"]
    person.click("head/0")
    person.settle()
    assert numbers(person, "projection/result")[2] == ["2.0", "4.0"]
    person.enter_number("d_k", "3")
    assert numbers(person, "projection/w") == [["1.0", "1.0", "0.0"], ["0.0", "2.0", "0.0"]]
    person.click("vectors/page/all")
    assert not person.control("v_is_k").isEnabled()


def test_a_token_that_is_added_has_a_row_of_x_to_fill(person):
    linear_map(person)
    person.click("tokens/add")
    person.type("a")
    person.key(Qt.Key.Key_Return)
    person.settle()
    assert numbers(person, "projection/x")[3] == ["0.0", "0.0"]
    person.enter_cell("projection/x", 3, 0, "1")
    assert numbers(person, "projection/result")[3] == ["1.0", "1.0"]


def test_all_of_it_goes_by_keys_alone(person):
    person.shortcut("Ctrl+L")
    to(person, "qt_tabwidget_tabbar")
    person.key(Qt.Key.Key_Right)
    to(person, "source/vectors")
    person.key(Qt.Key.Key_Right)
    person.settle()
    assert person.control("source/projection").isChecked()
    names = []
    while not names or names[-1] != "projection/terms":
        person.key(Qt.Key.Key_Tab)
        names.append(person.focus().objectName())
        assert person.focus().accessibleName()
    assert names == [
        "vectors/page/q", "d_model", "d_k", "bias",
        "projection/x", "projection/w", "projection/result", "projection/terms",
    ]  # fmt: skip
    person.key(Qt.Key.Key_Right)
    person.key(Qt.Key.Key_Right)
    person.key(Qt.Key.Key_Return)
    assert person.focus().objectName() == "projection/w"
    person.type("2")
    person.key(Qt.Key.Key_Return)
    person.settle()
    assert person.field("q/0/0/number") == "2.0"
    to(person, "vectors/page/q", Qt.Key.Key_Backtab)
    person.key(Qt.Key.Key_Right)
    assert person.focus().objectName() == "vectors/page/k"
    assert "W_K" in sum_shown(person)
    to(person, "source/projection", Qt.Key.Key_Backtab)
    person.key(Qt.Key.Key_Left)
    person.settle()
    assert person.control("vectors/q").isVisible()


def to(person, name: str, key: Qt.Key = Qt.Key.Key_Tab) -> None:
    """Press Tab until a control has the keyboard."""
    for _ in range(100):
        if person.focus().objectName() == name:
            return
        person.key(key)
    raise AssertionError(f"Tab does not reach {name}")


def test_at_768_by_64_an_edit_of_a_map_reaches_the_screen_at_once(sit_down):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((128, 768)).astype(np.float32)
    blank = Head("h", np.zeros((128, 64)), np.zeros((128, 64)), np.zeros((128, 64)))
    heads = tuple(
        derived_head(blank, x, Projection(*(rng.standard_normal((768, 64)) / 28 for _ in range(3))))
        for _ in range(12)
    )
    person = sit_down(Inputs("", tuple(f"t{index}" for index in range(128)), heads, x=x))
    person.open_tab("vectors")
    person.click_cell("projection/w", 700, 60)
    assert person.control("projection/w").hasFocus()
    times = []
    for digit in "1234":
        person.type(digit)
        start = time.perf_counter()
        person.key(Qt.Key.Key_Return)
        person.settle()
        person.window.grab()
        times.append(time.perf_counter() - start)
    assert numbers_at(person, "projection/w", 700, 60) == "4.0"
    assert min(times) < 1.0  # some tens of ms on a machine that does nothing else


def numbers_at(person, name: str, row: int, column: int) -> str:
    model = person.control(name, QTableView).model()
    return str(model.index(row, column).data())


def test_dimensions_of_x_are_named_and_w_says_the_names_too(person):
    linear_map(person)
    header = person.control("projection/x", QTableView).horizontalHeader()
    place = QPoint(header.sectionViewportPosition(1) + header.sectionSize(1) // 2, header.height() // 2)
    person.double_click(header.viewport(), place)
    person.until(lambda: person.focus().objectName() == "projection/x/name")
    person.shortcut("Ctrl+A")
    person.type("prey")
    person.key(Qt.Key.Key_Return)
    person.settle()
    for name, orientation in (("x", Qt.Orientation.Horizontal), ("w", Qt.Orientation.Vertical)):
        assert person.control(f"projection/{name}", QTableView).model().headerData(1, orientation) == "prey"
    person.shortcut("Ctrl+Z")
    person.settle()
    assert person.window.document.inputs.x_names == ()
