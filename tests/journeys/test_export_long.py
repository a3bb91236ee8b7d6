"""A person exports a picture of a long text at the size of a poster."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel

from tests.journeys.test_export import set_size
from tests.journeys.test_long_documents import long_text


def is_fine(path) -> bool:
    """Say whether neighbours differ as px of their own do: what was enlarged repeats them."""
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_Grayscale8)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    inside = pixels[900:1200, 300:600].astype(int)  # below the diagonal
    return bool((np.abs(np.diff(inside, axis=1)) > 0).mean() > 0.4)


def test_a_poster_of_a_long_text_shows_what_the_screen_has_no_room_for(sit_down, tmp_path):
    person = sit_down(long_text(5_000), engine="cpu")
    path = tmp_path / "poster.png"
    person.shortcut("Ctrl+E")
    person.pick("picture/panel", "scaled")
    set_size(person, 1800, 1800)
    person.until(lambda: "3 × 3 cells" in person.control("picture/cells", QLabel).text())
    person.press_button("picture/save")
    person.choose_file(path)
    person.until(lambda: person.message() == f"Wrote {path}, 1800 × 1800 pixels, with the document inside.")
    assert is_fine(path)
    assert person.window.document.is_clean
    assert min(person.window.stages.request.region.bins) > 3
