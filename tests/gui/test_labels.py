import pytest
from PySide6.QtGui import QColor, QImage, QPainter

from attnviz.gui.fonts import load_fonts, small_font
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
