"""What holds for every editor: a refresh asks for nothing, texts follow the language, both themes draw."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QTranslator
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget

from attnviz.core import edits, output_edits, projection_edits
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import NoMask
from attnviz.core.selection import Selection
from attnviz.gui.editors.head_bar import HeadBar
from attnviz.gui.editors.hide_future import HideFuture
from attnviz.gui.editors.mask_panel import MaskPanel
from attnviz.gui.editors.output_map import OutputMap
from attnviz.gui.editors.query_sliders import QuerySliders
from attnviz.gui.editors.scale_strength import ScaleStrength
from attnviz.gui.editors.token_editor import TokenEditor
from attnviz.gui.editors.vector_table import VectorTable
from attnviz.gui.theme import DARK, LIGHT
from attnviz.text import token_edits

EDITORS = [
    HeadBar, HideFuture, MaskPanel, OutputMap, QuerySliders, ScaleStrength, TokenEditor, VectorTable,
]  # fmt: skip
every_editor = pytest.mark.parametrize("kind", EDITORS)


def documents(inputs: Inputs) -> list[Inputs]:
    """Documents that differ in everything an editor shows."""
    one = inputs.heads[0]
    wide = np.random.default_rng(0).normal(size=(10, 64)).astype(np.float32)
    return [
        edits.set_vector_value(inputs, 0, "q", 6, 1, 77.5),
        edits.set_vector_value(inputs, 0, "q", 6, 1, 0.1234567),
        replace(inputs, mask=NoMask(), mask_fill=-3.25, scale_strength=33.3),
        token_edits.remove_token(inputs, 0),
        token_edits.set_text(inputs, "猫"),
        edits.set_v_is_k(inputs, 0, v_is_k=False),
        edits.resize_head(inputs, 0, 7, 3),
        output_edits.resize_output(inputs, 5),
        projection_edits.add_bias(projection_edits.start_projection(inputs, 0), 0, "b_q"),
        replace(inputs, heads=(one,) * 12),
        replace(inputs, heads=(Head("wide", wide, wide, wide),)),
        inputs,
    ]


@every_editor
def test_a_refresh_asks_for_nothing_and_chooses_nothing(desk, kind):
    editor = desk.put(kind)
    chosen = []
    editor.query_chosen.connect(chosen.append)
    editor.head_chosen.connect(chosen.append)
    for inputs in documents(desk.inputs):
        desk.set(inputs)
        desk.choose(Selection(1, 3, 0))
        QApplication.processEvents()
    assert desk.gestures == []
    assert chosen == []
    assert desk.refusals == []


@every_editor
def test_a_refresh_makes_no_widget_where_only_numbers_changed(desk, kind):
    editor = desk.put(kind)
    before = {id(widget) for widget in editor.findChildren(QWidget)}
    for value in (0.5, 2.0, -1.0):
        desk.set(edits.set_vector_value(desk.inputs, 0, "q", 6, 1, value))
    assert {id(widget) for widget in editor.findChildren(QWidget)} == before


@every_editor
def test_an_editor_can_be_drawn_in_both_themes(desk, kind):
    editor = desk.put(kind)
    pictures = []
    for theme in (LIGHT, DARK):
        editor.setPalette(theme.palette())
        editor.set_theme(theme)
        pictures.append(editor.grab().toImage())
    assert pictures[0] != pictures[1]


@every_editor
def test_every_control_has_a_name_and_is_told_to_accessibility_tools(desk, kind):
    editor = desk.put(kind)
    for inputs in documents(desk.inputs)[2::5]:
        desk.set(inputs)
        controls = [
            widget
            for widget in editor.findChildren(QWidget)
            if widget.focusPolicy().value & 1 and widget.isVisible() and widget.focusProxy() is None
        ]
        assert controls
        for widget in controls:
            assert widget.objectName(), widget
            assert widget.accessibleName(), widget.objectName()


class Longer(QTranslator):
    """A language in which everything is half as long again."""

    def translate(self, context, source, disambiguation=None, n=-1):
        return source + "あ" * (len(source) // 4 + 1)

    def isEmpty(self):
        return False


@every_editor
def test_texts_follow_the_language(desk, kind):
    editor = desk.put(kind)
    desk.set(desk.inputs)
    language = Longer()
    QCoreApplication.installTranslator(language)
    try:
        QApplication.processEvents()
        told = [editor.accessibleName()] + [w.accessibleName() for w in editor.findChildren(QWidget)]
        assert any("ああ" in text for text in told)
        parts = editor.findChildren(QLabel) + editor.findChildren(QAbstractButton)
        texts = [part.text() for part in parts if part.isVisible()]
        assert all("{" not in text for text in told + texts)
    finally:
        QCoreApplication.removeTranslator(language)
        QApplication.processEvents()
    assert not any("ああ" in w.accessibleName() for w in editor.findChildren(QWidget))
    assert desk.gestures == []
