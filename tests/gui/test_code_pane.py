"""Lines of code are shown as they stand in their file: under their numbers, in colours that can be read."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from attnviz.engine.stage_kernels import KERNELS
from attnviz.gui.app import create_application
from attnviz.gui.code_dialog import marked_lines
from attnviz.gui.code_pane import CodePane
from attnviz.gui.fonts import load_fonts
from attnviz.gui.theme import DARK, LIGHT

KERNEL = [
    "/* A comment",
    " * of two lines, with 2 numbers and a float. */",
    "__global__ void f(int n) { // const",
    "#pragma unroll 8",
    "    if (n > 0x1fu) return 1.5e-3f + n2;",
    "}",
]


@pytest.fixture
def make_pane(qtbot):
    create_application()
    load_fonts()

    def made(language: str = "cuda", **options) -> CodePane:
        pane = CodePane(language, has_numbers=True, **options)
        qtbot.addWidget(pane)
        pane.resize(500, 200)
        return pane

    return made


def coloured(pane: CodePane, colour: QColor) -> list[str]:
    """Give the pieces of the text that are painted in a colour."""
    pieces, block = [], pane.document().firstBlock()
    while block.isValid():
        pieces += [
            block.text()[form.start : form.start + form.length]
            for form in block.layout().formats()
            if form.format.foreground().color() == colour
        ]
        block = block.next()
    return pieces


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_comments_words_and_numbers_of_a_kernel_have_their_colours(make_pane, theme):
    pane = make_pane()
    pane.show_lines(KERNEL)
    pane.set_theme(theme)
    assert coloured(pane, theme.muted) == [*KERNEL[:2], "// const"]
    assert coloured(pane, theme.literal) == ["8", "0x1fu", "1.5e-3f"]
    assert coloured(pane, theme.keyword) == ["__global__", "void", "int", "#pragma", "if", "return"]


def test_a_line_of_numpy_has_pythons_colours(make_pane):
    pane = make_pane("python")
    pane.show_lines(["a = np.tri(10, dtype=bool) # 3 if"])
    assert coloured(pane, LIGHT.muted) == ["# 3 if"]
    assert coloured(pane, LIGHT.literal) == ["10"]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("what", ["text", "muted", "keyword", "literal"])
def test_every_colour_of_code_can_be_read_on_marked_lines_too(theme, what):
    for ground in (theme.surface, theme.raised):
        light, dark = sorted((_luminance(getattr(theme, what)), _luminance(ground)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_lines_keep_the_numbers_of_their_file_and_marks_are_told(make_pane):
    pane = make_pane()
    pane.show_lines(KERNEL, first=40, marked=[(42, 42), (44, 45)])
    assert pane.first_number() == 40
    assert pane.marked_lines() == [KERNEL[2], *KERNEL[4:6]]


def test_the_marked_lines_are_in_view_and_scrolling_is_left_alone(make_pane, qtbot):
    pane = make_pane()
    pane.show()
    qtbot.waitExposed(pane)
    lines = [f"line {number}" for number in range(1, 201)]
    pane.show_lines(lines, marked=[(120, 122)])
    first = pane.firstVisibleBlock().blockNumber() + 1
    assert first <= 120 < 122 <= first + pane.viewport().height() // pane.fontMetrics().lineSpacing()
    pane.verticalScrollBar().setValue(10)
    pane.show_lines(lines, marked=[(120, 122)])
    assert pane.verticalScrollBar().value() == 10


def test_nothing_can_be_typed_into_it(make_pane, qtbot):
    pane = make_pane()
    pane.show_lines(KERNEL)
    qtbot.keyClick(pane, Qt.Key.Key_X)
    assert pane.shown_lines() == KERNEL


def test_every_mark_of_every_kernel_is_a_run_of_its_own_lines():
    for kernel in [kernel for kernels in KERNELS.values() for kernel in kernels]:
        text = kernel.text()
        marks = marked_lines(kernel, text)
        assert len(marks) == len(kernel.marks)
        assert marks == sorted(marks)
        assert all(
            text.first_line <= first <= last < text.first_line + len(text.lines) for first, last in marks
        )


def _luminance(colour: QColor) -> float:
    parts = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.getRgbF()[:3]
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
