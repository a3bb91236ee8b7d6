"""A picture that a person exports carries the document and opens as one again, for whoever gets it."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QCheckBox, QFileDialog, QLineEdit, QMessageBox

from attnviz.core.inputs import Inputs
from attnviz.core.masks import CausalMask, NoMask
from attnviz.core.output_edits import set_w_o
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import PrefixMask, SinkMask, SlidingWindowMask
from attnviz.core.projection_edits import start_projection
from attnviz.gui.app import create_application
from attnviz.io import picture_session
from attnviz.io.opening import open_document
from attnviz.io.session import SUFFIX

Button = QMessageBox.StandardButton


def export(person, path, *, by_keys: bool = False) -> None:
    person.shortcut("Ctrl+E")
    if by_keys:
        person.key(Qt.Key.Key_Return)
    else:
        person.press_button("picture/save")
    person.choose_file(path)
    person.settle()


def test_a_picture_opens_as_the_document_it_shows(person, tmp_path):
    person.enter_number("q/0/1/number", "0.5")
    person.click("token/3")
    person.settle()
    bars, path = person.bars(), tmp_path / "lecture.png"
    export(person, path, by_keys=True)
    assert person.message() == f"Wrote {path}, 1200 × 1000 pixels, with the document inside."
    assert QImage(str(path)).size().toTuple() == (1200, 1000)
    person.choose("presets", "preset/toy")
    person.answer(Button.Discard)
    person.settle()
    person.shortcut("Ctrl+O")
    person.choose_file(path)
    person.settle()
    assert person.message() == f"Opened {path}."
    assert person.window.windowTitle() == "lecture[*] — attnviz"
    assert person.selected_token() == "を"
    assert person.bars() == bars
    person.click("token/6")
    person.settle()
    assert person.field("q/0/1/number") == "0.5"


def test_saving_what_came_out_of_a_picture_asks_where_and_leaves_the_picture(person, tmp_path):
    path = tmp_path / "lecture.png"
    export(person, path)
    picture = path.read_bytes()
    assert person.drop_file(path) == "Drop to open “lecture.png”"
    person.settle()
    person.enter_number("q/0/1/number", "0.5")
    person.shortcut("Ctrl+S")
    person.until(lambda: isinstance(person.face(), QFileDialog))
    assert person.control("fileNameEdit", QLineEdit).text() == f"lecture{SUFFIX}"
    person.choose_file(tmp_path / "other.png")
    assert not (tmp_path / "other.png").exists()
    assert "is the name of a picture" in person.message()
    assert person.window.isWindowModified()
    person.shortcut("Ctrl+S")
    person.choose_file(tmp_path / f"lecture{SUFFIX}")
    assert not person.window.isWindowModified()
    assert path.read_bytes() == picture


def test_a_picture_stands_among_the_files_opened_last(person, tmp_path):
    path = tmp_path / "lecture.png"
    export(person, path)
    person.drop_file(path)
    person.settle()
    person.choose("presets", "preset/toy")
    person.settle()
    person.choose_in_menus(["file", "recent"], lambda action: action.text().startswith("lecture.png"))
    person.settle()
    assert person.tokens()[0] == "猫"


def test_the_document_can_be_left_out_and_then_the_picture_is_one_alone(person, tmp_path):
    path = tmp_path / "alone.png"
    person.shortcut("Ctrl+E")
    box = person.control("picture/document", QCheckBox)
    assert box.isChecked()
    assert "all its tokens and numbers" in box.accessibleDescription()
    while person.focus() is not box:
        person.key(Qt.Key.Key_Tab)
    person.key(Qt.Key.Key_Space)
    person.press_button("picture/save")
    person.choose_file(path)
    assert person.message() == f"Wrote {path}, 1200 × 1000 pixels."
    assert b"attnviz-session" not in path.read_bytes()
    before = person.bars()
    person.drop_file(path)
    assert "This picture carries no document" in person.message()
    assert person.refusal() == person.message()
    assert person.bars() == before


def test_a_document_too_large_for_a_picture_is_left_out_and_that_is_said(person, tmp_path, monkeypatch):
    monkeypatch.setattr(picture_session, "MAX_CARRIED_BYTES", 100)
    export(person, tmp_path / "a.png")
    assert "without the document: it is too large" in person.message()
    assert b"attnviz-session" not in (tmp_path / "a.png").read_bytes()


def test_a_large_document_is_carried_without_holding_the_window_up(sit_down, tmp_path):
    random = np.random.default_rng(0)
    from attnviz.core.inputs import Head

    vectors = [random.normal(size=(300, 64)).astype(np.float32) for _ in range(3)]
    inputs = Inputs("t", [f"t{index}" for index in range(300)], [Head(f"{n}", *vectors) for n in range(4)])
    person = sit_down(inputs)
    export(person, tmp_path / "large.png")
    person.until(lambda: "with the document inside" in person.message())
    assert open_document(tmp_path / "large.png").session.inputs.equals(inputs)


MASKS = [
    CausalMask(),
    NoMask(),
    PaddingMask((1, 4)),
    SlidingWindowMask(3),
    SinkMask(1, 2),
    PrefixMask(4),
    None,
]


@pytest.mark.parametrize("mask", MASKS, ids=lambda mask: "custom" if mask is None else mask.kind)
def test_every_kind_of_mask_with_projections_and_own_names_survives(sit_down, tmp_path, mask):
    from dataclasses import replace

    from attnviz.core.masks import CustomMask
    from attnviz.io.presets import load_preset

    create_application()
    random = np.random.default_rng(0)
    base = load_preset("neko", "ja").inputs
    mask = CustomMask(random.random((10, 10)) < 0.5) if mask is None else mask
    inputs = set_w_o(start_projection(base, 0), random.normal(size=(8, 5)), random.normal(size=5))
    inputs = replace(inputs, mask=mask, mask_fill=-1e4, scale_strength=0.7).with_head(
        1, replace(base.heads[1], name="私の head <b>", v_names=("α", " ", "", "🐱"))
    )
    person = sit_down(inputs)
    export(person, tmp_path / "a.png")
    assert open_document(tmp_path / "a.png").session.inputs.equals(inputs)
