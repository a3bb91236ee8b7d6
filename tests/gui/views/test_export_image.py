import numpy as np
import pytest
from PySide6.QtGui import QImage

from attnviz.core.masks import NoMask
from attnviz.core.selection import Selection
from attnviz.gui.colormaps import HIGHEST, weights_lut
from attnviz.gui.export_image import PANELS, drawing_of, finished, png_bytes
from attnviz.gui.theme import DARK, LIGHT
from attnviz.gui.views.stage_grid import StageGrid

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def stages(neko, stages_of):
    return stages_of(neko, 6)


def pixels(image: QImage) -> np.ndarray:
    """Give the image's colours, uint8 (height, width, 3)."""
    whole = image.convertToFormat(QImage.Format.Format_RGB32)
    flat = np.frombuffer(whole.constBits(), np.uint8).reshape(whole.height(), whole.bytesPerLine() // 4, 4)
    return flat[:, : whole.width(), 2::-1].copy()


@pytest.mark.parametrize("panel", PANELS)
@pytest.mark.parametrize(
    ("size", "scale"),
    [((801, 603), 1.0), ((1201, 799), 1.5), ((1000, 1), 2.0), ((1, 1), 1.0), ((40, 40), 4.0)],
)
def test_a_picture_has_exactly_the_size_asked_for(stages, panel, size, scale):
    image = finished(drawing_of(stages, Selection(0, 6, 2), panel=panel, size=size, scale=scale, theme=LIGHT))
    assert (image.width(), image.height()) == size
    assert image.devicePixelRatio() == scale
    again = QImage.fromData(png_bytes(image), "PNG")
    assert (again.width(), again.height()) == size


def test_a_lone_weight_is_in_the_top_row_and_third_column(inputs_of, stages_of):
    inputs = inputs_of([[0, 0, 50], [0, 0, 0], [0, 0, 0]], mask=NoMask())
    image = finished(
        drawing_of(stages_of(inputs, 1), Selection(0, 1, 0), panel="weights", size=(400, 400), theme=LIGHT)
    )
    deepest = np.argwhere((pixels(image) == weights_lut(LIGHT)[HIGHEST]).all(axis=2))
    top, left = deepest.min(axis=0)
    bottom, right = deepest.max(axis=0)
    # Elsewhere only the legend has that colour; the cell is far larger.
    cell = deepest[deepest[:, 0] < 200]
    assert len(cell) > 1000
    assert cell[:, 1].min() > 200
    assert bottom >= top
    assert right >= left


def test_a_picture_looks_like_the_screen_of_its_size(stages, qtbot, drawn):
    grid = StageGrid()
    qtbot.addWidget(grid)
    grid.resize(760, 480)
    grid.show()
    qtbot.waitExposed(grid)
    grid.draw(stages, Selection(0, 6, 2))
    screen = pixels(drawn(grid.viewport())).astype(int)
    picture = pixels(finished(drawing_of(stages, Selection(0, 6, 2), size=(760, 480), theme=LIGHT))).astype(
        int
    )
    assert (np.abs(screen - picture).max(axis=2) > 40).mean() < 0.002


def test_twice_the_scale_is_the_same_picture_in_finer_pixels(stages):
    once = pixels(finished(drawing_of(stages, Selection(0, 6, 2), size=(760, 480), theme=LIGHT))).astype(int)
    twice = pixels(
        finished(drawing_of(stages, Selection(0, 6, 2), size=(1520, 960), scale=2.0, theme=LIGHT))
    ).astype(int)
    shrunk = twice.reshape(480, 2, 760, 2, 3).mean(axis=(1, 3))
    assert np.abs(shrunk - once).mean() < 4


def test_the_ground_is_the_theme_s(stages):
    for theme in (LIGHT, DARK):
        image = finished(drawing_of(stages, Selection(0, 6, 2), size=(300, 200), theme=theme))
        assert image.pixelColor(0, 0) == theme.ground


def test_drawing_twice_gives_the_same_bytes(stages):
    first, second = (
        png_bytes(finished(drawing_of(stages, Selection(0, 6, 2), size=(500, 400), theme=DARK)))
        for _ in range(2)
    )
    assert first == second


def test_every_number_of_tokens_is_drawn(inputs_of, stages_of):
    for n in (1, 2, 257, 600):
        values = np.zeros((n, n), np.float32)
        values[n - 1, n // 2] = 1e5
        image = finished(
            drawing_of(
                stages_of(inputs_of(values), 0),
                Selection(0, 0, 0),
                panel="weights",
                size=(300, 300),
                theme=LIGHT,
            )
        )
        colours = pixels(image)[60:290, 60:]
        assert (colours == weights_lut(LIGHT)[HIGHEST]).all(axis=2).any()


def test_an_unknown_panel_is_refused(stages):
    with pytest.raises(KeyError):
        finished(drawing_of(stages, Selection(), panel="alpha", size=(10, 10), theme=LIGHT))


@pytest.mark.long
def test_the_largest_picture_is_drawn(stages):
    image = finished(drawing_of(stages, Selection(0, 6, 2), size=(16384, 16384), theme=LIGHT))
    assert (image.width(), image.height()) == (16384, 16384)
