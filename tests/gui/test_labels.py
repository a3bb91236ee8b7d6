import random

import pytest
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QTextLayout

from attnviz.gui.fonts import load_fonts, number_font, small_font, text_font
from attnviz.gui.labels import Labels, is_upright


@pytest.mark.parametrize(
    ("text", "upright"), [("食べた", True), ("cat", False), ("ラーメン", False), ("👨", False)]
)
def test_only_text_that_stacks_well_is_stacked(text, upright):
    assert is_upright(text) is upright


def test_elided_text_never_is_wider_than_its_room(qapp):
    load_fonts()
    labels = Labels(small_font())
    for room in (0.0, 3.0, 12.0, 40.0, 400.0):
        assert labels.width(labels.elided("とてもとても長いトークン", room)) <= room


def test_markup_is_drawn_as_text(qapp):
    load_fonts()
    labels = Labels(small_font())

    def drawn(text: str) -> bytes:
        image = QImage(80, 20, QImage.Format.Format_RGB32)
        image.fill(QColor("white"))
        painter = QPainter(image)
        labels.draw(painter, 2, 10, text)
        painter.end()
        return bytes(image.constBits())

    assert drawn("<b>x</b>") != drawn("x")


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_a_number_looks_the_same_the_first_time_and_ever_after(qapp, scale):
    load_fonts()
    rng = random.Random(0)
    for font in (number_font(), number_font(small=True), small_font(), text_font(bold=True)):
        labels = Labels(font)
        for form in ("{:.2f}", "−{:.2f}", "{:.1f}%", "−{:.3f}", "{:.0f}", "= {:.2f}") * 20:
            text, place = form.format(rng.random() * 100), (2 + rng.random() * 9, 12 + rng.random() * 9)
            drawn = []
            for _ in range(3):
                image = QImage(round(90 * scale), round(30 * scale), QImage.Format.Format_RGB32)
                image.setDevicePixelRatio(scale)
                image.fill(QColor("white"))
                painter = QPainter(image)
                labels.draw(painter, *place, text)
                painter.end()
                drawn.append(bytes(image.constBits()))
            assert drawn[0] == drawn[1] == drawn[2], text


def test_numbers_are_as_wide_as_they_are_drawn(qapp):
    load_fonts()
    rng = random.Random(0)
    cells = number_font(small=True)
    cells.setLetterSpacing(cells.SpacingType.PercentageSpacing, 95)
    for font in (cells, number_font(), number_font(small=True), small_font(bold=True), text_font(bold=True)):
        labels, metrics = Labels(font), QFontMetricsF(font)
        for form in ("{:.2f}", "−{:.2f}", "{:.1f}%", "−{:.3f}", "{:.0f}", "1.{:.0f}.2", "±{:.1f}") * 20:
            text = form.format(rng.random() * 1000)
            assert labels.width(text) == metrics.horizontalAdvance(text)


def test_a_number_of_many_on_a_line_looks_as_if_it_were_alone(qapp):
    load_fonts()
    cells = number_font(small=True)
    cells.setLetterSpacing(cells.SpacingType.PercentageSpacing, 95)
    for font in (cells, number_font()):
        for text in ("3.14", "−0.07", "65.7", "100.0", "−∞", "1.2e9", "12345.67"):
            layout = QTextLayout(text, font)
            layout.beginLayout()
            layout.createLine()
            layout.endLayout()
            wanted = [
                (glyph, place.x(), place.y())
                for run in layout.glyphRuns()
                for glyph, place in zip(run.glyphIndexes(), run.positions(), strict=True)
            ]
            labels = Labels(font)
            runs = labels.centred_runs(0.0, [(QColor("black"), labels.width(text) / 2, text)])
            found = [
                (glyph, place.x(), place.y())
                for _, run in runs
                for glyph, place in zip(run.glyphIndexes(), run.positions(), strict=True)
            ]
            top = found[0][2] - wanted[0][2]
            assert found == [(glyph, pytest.approx(x), pytest.approx(y + top)) for glyph, x, y in wanted]
