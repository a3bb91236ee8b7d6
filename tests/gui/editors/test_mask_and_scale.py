"""The mask's controls and the scale strength."""

import math
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox

from attnviz.core.masks import CustomMask
from attnviz.gui.editors.hide_future import HideFuture
from attnviz.gui.editors.mask_panel import Choice, MaskPanel
from attnviz.gui.editors.scale_strength import ScaleStrength, StrengthSlider
from attnviz.gui.number_field import NumberField
from tests.gui.editors.hands import drag

LEFT = Qt.MouseButton.LeftButton


def own_mask(desk) -> None:
    desk.set(replace(desk.inputs, mask=CustomMask(np.eye(10, dtype=bool))))


def pick(choice: Choice, identity: str) -> None:
    """Choose as a person does, by keys in the closed list."""
    choice.setFocus()
    while choice.currentData() != identity:
        before = choice.currentIndex()
        wanted = choice.findData(identity)
        QTest.keyClick(choice, Qt.Key.Key_Down if wanted > before else Qt.Key.Key_Up)
        assert choice.currentIndex() != before or choice.currentData() == identity


# --- hide the future


@pytest.fixture
def box(desk) -> QCheckBox:
    desk.put(HideFuture, 200, 40)
    return desk.find(QCheckBox, "mask")


def click(box: QCheckBox) -> None:
    QTest.keyClick(box, Qt.Key.Key_Space)


def test_the_box_takes_the_mask_off_and_puts_it_on(desk, box):
    assert box.isChecked()
    click(box)
    assert desk.inputs.mask.kind == "none"
    assert not box.isChecked()
    click(box)
    assert desk.inputs.mask.kind == "causal"
    assert desk.gestures == ["", ""]


def test_a_mask_of_ones_own_is_half_checked_and_a_click_hides_the_future(desk, box):
    own_mask(desk)
    assert box.checkState() == Qt.CheckState.PartiallyChecked
    assert desk.gestures == []
    click(box)
    assert desk.inputs.mask.kind == "causal"
    assert box.checkState() == Qt.CheckState.Checked


def test_a_click_nobody_takes_leaves_the_box_as_it_was(desk, box):
    desk.is_deaf = True
    click(box)
    assert box.isChecked()


# --- mask panel


@pytest.fixture
def panel(desk) -> MaskPanel:
    return desk.put(MaskPanel, 220, 40)


def test_the_kind_is_chosen(desk, panel):
    kind = desk.find(Choice, "mask_kind")
    assert [kind.itemData(i) for i in range(kind.count())] == ["causal", "none"]
    pick(kind, "none")
    assert desk.inputs.mask.kind == "none"


def test_a_mask_of_ones_own_is_offered_only_where_there_is_one(desk, panel):
    own_mask(desk)
    kind = desk.find(Choice, "mask_kind")
    assert kind.currentData() == "custom"
    assert desk.gestures == []
    pick(kind, "none")
    assert kind.findData("custom") == -1


def test_the_mask_value_is_chosen(desk, panel):
    fill = desk.find(Choice, "mask_fill")
    assert fill.currentText() == "−∞"
    pick(fill, "-1e9")
    assert desk.inputs.mask_fill == -1e9
    assert desk.find(NumberField, "mask_fill/number").isHidden()


def test_a_number_is_typed_as_the_mask_value(desk, panel):
    pick(desk.find(Choice, "mask_fill"), "number")
    number = desk.find(NumberField, "mask_fill/number")
    assert number.isVisible()
    assert number.hasFocus()
    QTest.keyClicks(number, "-2.5\r")
    assert desk.inputs.mask_fill == -2.5
    QTest.keyClicks(number, "-inf\r")
    assert len(desk.refusals) == 1
    assert number.text() == "−2.5"


def test_the_panel_fits_into_a_heading(desk, panel):
    desk.set(replace(desk.inputs, mask_fill=-2.5))
    number = desk.find(NumberField, "mask_fill/number")
    assert panel.width() == 220
    assert panel.rect().contains(number.geometry())


def test_a_refresh_shows_minus_infinity_again(desk, panel):
    desk.set(replace(desk.inputs, mask_fill=-2.5))
    desk.set(replace(desk.inputs, mask_fill=-math.inf))
    assert desk.find(Choice, "mask_fill").currentData() == "-inf"
    assert desk.find(NumberField, "mask_fill/number").isHidden()
    assert desk.gestures == []


# --- scale strength


@pytest.fixture
def slider(desk) -> StrengthSlider:
    desk.put(ScaleStrength, 400, 40)
    return desk.find(StrengthSlider, "scale_strength")


def test_the_ends_are_a_hundredth_and_a_hundred_and_the_middle_is_one(desk, slider):
    assert slider.knob_position() == 0.0
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_End)
    assert desk.inputs.scale_strength == 100.0
    QTest.keyClick(slider, Qt.Key.Key_Home)
    assert desk.inputs.scale_strength == 0.01


def test_dragging_the_strength_is_one_gesture_and_snaps_to_one(desk, slider):
    y = slider.height() / 2
    drag(slider, (slider.x_of(0), y), (slider.x_of(50), y), (slider.x_of(3), y))
    assert desk.inputs.scale_strength == 1.0
    assert len(desk.gestures) == 2
    assert len(set(desk.gestures)) == 1


def test_a_double_click_resets_the_strength(desk, slider):
    desk.set(replace(desk.inputs, scale_strength=7.0))
    QTest.mouseDClick(slider, LEFT)
    assert desk.inputs.scale_strength == 1.0


def test_a_typed_strength_is_kept_exactly(desk, slider):
    field = desk.find(NumberField, "scale_strength/number")
    assert field.text() == "1.0"
    field.setFocus()
    QTest.keyClicks(field, "2.345\r")
    assert desk.inputs.scale_strength == 2.345
    assert field.text() == "2.345"


@pytest.mark.parametrize("text", ["0", "-1", "0.009", "101", "nan"])
def test_a_strength_out_of_range_is_refused(desk, slider, text):
    field = desk.find(NumberField, "scale_strength/number")
    field.setFocus()
    QTest.keyClicks(field, text + "\r")
    assert desk.inputs.scale_strength == 1.0
    assert len(desk.refusals) == 1
    assert field.text() == "1.0"


def test_a_strength_set_from_elsewhere_asks_for_nothing(desk, slider):
    desk.set(replace(desk.inputs, scale_strength=3.3))
    assert desk.gestures == []
    assert slider.knob_position() == pytest.approx(math.log10(3.3) * 50)
