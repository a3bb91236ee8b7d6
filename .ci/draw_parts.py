"""Draws the pictures of the docs that `attnviz render` cannot be asked for: tabs, dialogs, an edited layer.

Usage: QT_QPA_PLATFORM=offscreen python .ci/draw_parts.py FOLDER
"""

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QCoreApplication, QEventLoop, QMimeData, QPoint, QRect, QSettings, Qt, QUrl
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from attnviz.core.inputs import Inputs
from attnviz.core.output_edits import set_w_o
from attnviz.core.request import OUTPUT, THUMBNAILS, Request
from attnviz.core.selection import Selection
from attnviz.core.stages import Stages
from attnviz.engine.arrays import inputs_from_arrays
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.gui.app import create_application, open_window
from attnviz.gui.appearance import Appearance
from attnviz.gui.code_dialog import CodeDialog
from attnviz.gui.dropping import DropHint
from attnviz.gui.import_dialog import ImportDialog
from attnviz.gui.language import Language
from attnviz.gui.lesson_panel import Card
from attnviz.gui.lesson_play import after_step, beginning
from attnviz.gui.main_window import MainWindow
from attnviz.gui.picture_dialog import PictureDialog
from attnviz.gui.settings import OPTIONS, Settings
from attnviz.gui.shown_picture import PlannedPicture
from attnviz.gui.theme import theme_named
from attnviz.gui.views.map_window import Window
from attnviz.gui.views.shape_view import ShapeView
from attnviz.gui.window_picture import window_image
from attnviz.io.array_files import read_arrays
from attnviz.io.lessons import load_lesson
from attnviz.io.picture_wish import PictureWish
from attnviz.io.presets import load_preset
from attnviz.text.joining import join

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

    files(folder, language)
    dialogs_of_files(folder)

    long_text(folder, language)
    lost_array(folder, language)

    preset = load_preset("neko", "ja")
    dialog = CodeDialog(LIGHT)
    dialog.show_part("weights")
    dialog.draw(computed(preset.inputs, preset.selection), preset.selection, None)
    dialog.resize(1180, 700)
    dialog.show()
    app.processEvents()
    dialog.grab().save(_at(folder, "code"))
    dialog.close()

    preset = load_preset("andrea", "en")  # a picture by `attnviz render` would carry all of it
    tab(preset.inputs, preset.selection, "arithmetic", (1360, 860)).save(_at(folder, "andrea"))

    preset = load_preset("gpt2-small", "en")
    selection, options = Selection(0, 700, 0), {"summary": "entropy"}
    image = tab(preset.inputs, selection, "all_heads", (1360, 860), options=options)
    image.save(_at(folder, "summaries"))

    # Alone, at the height of all that the tab can scroll to.
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


def files(folder: Path, language: Language) -> None:
    """Draw what a window says of files: after a crash, and while one is dragged over it."""
    language.speak("en")
    with tempfile.TemporaryDirectory() as place:
        settings = Settings(QSettings(str(Path(place, "settings.ini")), QSettings.Format.IniFormat))
        window = open_window(settings, language, load_preset("neko", "en").inputs, "cpu")
        window.resize(1024, 700)
        window.parts.share_out(1024, 700)
        window.document.select_query(6)
        _wait(lambda: window.live is not None and window.live.is_up_to_date())
        when = time.mktime((2026, 11, 29, 14, 5, 0, 0, 0, -1))
        window.parts.recovery.show_recovered("猫と魚", when, is_detached=True)
        _wait(lambda: not window.runner.is_busy)
        window.grab(QRect(0, 0, 1024, 330)).save(_at(folder, "recovery"))
        window.parts.recovery.hide()
        dragged = QMimeData()
        dragged.setUrls([QUrl.fromLocalFile("/tmp/猫と魚.attnviz")])
        hint = window.findChild(DropHint, "drop_hint")
        assert hint is not None
        hint.show_for(dragged)
        _wait(hint.isVisible)
        window.grab(QRect(0, 0, 1024, 700)).save(_at(folder, "drop"))
        window.abandon()
        window.deleteLater()


def dialogs_of_files(folder: Path) -> None:
    """Draw the dialogs that export a picture and import arrays."""
    preset, rng = load_preset("neko", "en"), np.random.default_rng(1)
    stages = computed(preset.inputs, preset.selection)

    def plan(wish: PictureWish) -> PlannedPicture:
        seen = Window.whole(preset.inputs.n_query, preset.inputs.n_key)
        usual = {group: choices[0] for group, choices in OPTIONS.items()}
        return PlannedPicture(wish, stages, preset.selection, ("", None), usual, "", "", seen, None, None)

    arrays = {
        "x": (10, 32), "layers.0.attn.q_proj.weight": (32, 32), "w_k": (4, 32, 8), "w_v": (4, 32, 8),
        "b_q": (4, 8), "out_proj.weight": (32, 32), "weights": (4, 10, 10), "ln_1": (32,),
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "layer.npz")
        np.savez(file, **{name: rng.normal(size=shape) for name, shape in arrays.items()})  # type: ignore[arg-type]
        found = read_arrays(file)
    dialogs = {
        "picture-dialog": PictureDialog("stages", "light", plan),
        "import": ImportDialog(found, preset.inputs, 0, join, LIGHT),
    }
    for name, dialog in dialogs.items():
        dialog.show()
        _wait(dialog.isVisible)
        dialog.grab().save(_at(folder, name))
        dialog.close()


def _wait(is_done: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    for _ in range(3):  # what is laid out anew is painted in the next round
        QCoreApplication.processEvents()
    while not is_done() and time.monotonic() < end:
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    QCoreApplication.processEvents()


def long_text(folder: Path, language: Language) -> None:
    """Draw a window on the long text, all of it and a part, as a person sees it once it is refined."""
    preset = load_preset("long", "en")
    with tempfile.TemporaryDirectory() as settings_folder:
        store = QSettings(str(Path(settings_folder, "settings.ini")), QSettings.Format.IniFormat)
        settings = Settings(store)
        settings.theme = "light"
        window = open_window(settings, language, preset.inputs, "cpu")
        window.document.select(preset.selection)
        window.resize(1360, 860)
        window.parts.share_out(1360, 860)
        _refined(window)
        window.grab().save(_at(folder, "long"))
        stages = window.parts.stages
        stages.show_alone("weights")
        stages.look_at(Window(17_500.0, 25_500.0, 6_000.0, 6_000.0))
        _refined(window)
        window.grab().save(_at(folder, "long-near"))
        stages.show_alone(None)
        window.deeds["find"].trigger()
        field = window.parts.token_editor.findChild(QLineEdit, "tokens/find/text")
        assert isinstance(field, QLineEdit)
        field.setText("village")
        window.document.select_cell(20_000, 15_000)
        QTest.keyClick(field, Qt.Key.Key_Return)
        _refined(window)
        if window.stages is not None:
            window.document.select_key(int(window.stages.row.weights.argmax()))
        _refined(window)
        window.grab().save(_at(folder, "long-find"))
        window.abandon()
        window.deleteLater()
        QApplication.sendPostedEvents(window, 0)


def lost_array(folder: Path, language: Language) -> None:
    """Draw a window on vectors that lie in files, one of which was deleted."""
    preset = load_preset("long", "en")
    head = preset.inputs.heads[0]
    with tempfile.TemporaryDirectory() as place:
        arrays = {}
        for which in "qkv":
            file = Path(place, f"{which}.npy")
            np.save(file, getattr(head, which))
            arrays[which] = np.load(file, mmap_mode="r")
        settings = Settings(QSettings(str(Path(place, "settings.ini")), QSettings.Format.IniFormat))
        settings.theme = "light"
        inputs = inputs_from_arrays(**arrays, tokens=preset.inputs.tokens)
        window = open_window(settings, language, replace(inputs, text=preset.inputs.text), "cpu")
        window.document.select(preset.selection)
        window.resize(1360, 860)
        window.parts.share_out(1360, 860)
        _refined(window)
        Path(place, "k.npy").unlink()
        _wait(lambda: "k.npy" in window.status.currentMessage())
        window.grab().save(_at(folder, "lost-array"))
        window.abandon()
        window.deleteLater()
        QApplication.sendPostedEvents(window, 0)


def _refined(window: MainWindow) -> None:
    """Wait until the window shows what is looked at, in full."""
    while window.runner.is_busy or not (window.live and window.live.is_up_to_date()):
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
    QApplication.processEvents()


def tab(
    inputs: Inputs,
    selection: Selection,
    name: str,
    size: tuple[int, int],
    lesson: Card | None = None,
    options: dict[str, str] | None = None,
) -> QImage:
    """Draw the window with a tab in front, size in px, the card of a lesson, and choices of the View menu."""
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
        options=options,
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
