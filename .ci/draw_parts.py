"""Draws the pictures of the docs that `attnviz render` cannot be asked for: tabs, dialogs, an edited layer.

Usage: QT_QPA_PLATFORM=offscreen python .ci/draw_parts.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage

from attnviz.core.inputs import Inputs
from attnviz.core.projection_edits import set_w_o
from attnviz.core.request import OUTPUT, THUMBNAILS, Request
from attnviz.core.selection import Selection
from attnviz.core.stages import Stages
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.gui.app import create_application
from attnviz.gui.appearance import Appearance
from attnviz.gui.code_dialog import CodeDialog
from attnviz.gui.language import Language
from attnviz.gui.lesson_panel import Card
from attnviz.gui.lesson_play import after_step, beginning
from attnviz.gui.theme import theme_named
from attnviz.gui.views.shape_view import ShapeView
from attnviz.gui.window_picture import window_image
from attnviz.io.lessons import load_lesson
from attnviz.io.presets import load_preset

LIGHT = theme_named("light")


def main(folder: Path) -> None:
    """Draw all of them."""
    app = create_application()
    appearance, language = Appearance(), Language()
    appearance.choose("light")
    language.speak("en")

    preset = load_preset("linear-map", "en")
    tab(preset.inputs, preset.selection, "vectors", (1200, 820)).save(_at(folder, "linear-map"))

    # With a W_O that is no longer the identity.
    preset, rng = load_preset("neko", "en"), np.random.default_rng(1)
    inputs = set_w_o(preset.inputs, rng.standard_normal((8, 6)).round(1), rng.standard_normal(6).round(1))
    tab(inputs, preset.selection, "heads_to_output", (1360, 980)).save(_at(folder, "heads-to-output"))

    # In the middle of a lesson, at its second step.
    lesson = load_lesson("it-looks-at-the-fish")
    moment, step = after_step(lesson, beginning(lesson, "en"), 1, "en"), lesson.steps[1]
    card = Card(lesson.title.en, 1, len(lesson.steps), step.do.en, step.see.en, can_do=True, is_seen=True)
    tab(moment.inputs, moment.selection, moment.tab, (1360, 860), card).save(_at(folder, "lesson"))

    preset = load_preset("neko", "ja")
    dialog = CodeDialog(LIGHT)
    dialog.show_part("weights")
    dialog.draw(computed(preset.inputs, preset.selection), preset.selection, None)
    dialog.resize(1180, 700)
    dialog.show()
    app.processEvents()
    dialog.grab().save(_at(folder, "code"))
    dialog.close()

    # Alone, at the height of all that the tab can scroll to.
    preset = load_preset("andrea", "en")
    view = ShapeView()
    view.set_theme(LIGHT)
    view.draw(computed(preset.inputs, preset.selection), preset.selection)
    view.resize(1360, 576)
    view.show()
    app.processEvents()
    view.setFocus()
    image = QImage(view.size(), QImage.Format.Format_RGB32)
    view.render(image, QPoint())
    image.save(_at(folder, "shapes"))
    view.close()


def tab(
    inputs: Inputs, selection: Selection, name: str, size: tuple[int, int], lesson: Card | None = None
) -> QImage:
    """Draw the window with a tab in front, size in px, and the card of a lesson."""
    stages = computed(inputs, selection)
    return window_image(
        stages,
        selection,
        size=size,
        scale=1.0,
        theme=LIGHT,
        engine=(stages.engine, None),
        tab=name,
        lesson=lesson,
    )


def computed(inputs: Inputs, selection: Selection) -> Stages:
    """Give all stages of the selected head, and what the tab of all heads shows."""
    engine = NumpyEngine()
    extras = frozenset({OUTPUT, THUMBNAILS})
    stages = engine.compute(Request.whole(inputs, selection.head, selection.query, extras))
    engine.close()
    assert stages is not None  # nobody cancels
    return stages


def _at(folder: Path, name: str) -> str:
    return str(folder / f"{name}-en-light.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
