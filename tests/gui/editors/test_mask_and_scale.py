"""The mask's controls and the scale strength."""

import math
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QListView, QWidget

from attnviz.core.masks import CausalMask, CustomMask, NoMask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import PrefixMask, SinkMask, SlidingWindowMask
from attnviz.gui.editors.choice import Choice
from attnviz.gui.editors.hide_future import HideFuture
from attnviz.gui.editors.mask_panel import MaskPanel
from attnviz.gui.editors.padding_list import PaddingModel
from attnviz.gui.editors.scale_strength import ScaleStrength, StrengthSlider
from attnviz.gui.number_field import NumberField
from tests.gui.editors.hands import drag

LEFT = Qt.MouseButton.LeftButton


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


@pytest.mark.parametrize(
    ("mask", "state"),
    [
        (CausalMask(), Qt.CheckState.Checked),
        (NoMask(), Qt.CheckState.Unchecked),
        (SlidingWindowMask(3), Qt.CheckState.Checked),
        (SinkMask(1, 3), Qt.CheckState.Checked),
        (PrefixMask(4), Qt.CheckState.PartiallyChecked),
        (PaddingMask((2,)), Qt.CheckState.Unchecked),
        (PaddingMask((2,), hides_future=True), Qt.CheckState.Checked),
        (CustomMask(np.eye(10, dtype=bool)), Qt.CheckState.Checked),
        (CustomMask(np.ones((10, 10), bool)), Qt.CheckState.Unchecked),
        (CustomMask(np.eye(10, k=1, dtype=bool)), Qt.CheckState.PartiallyChecked),
    ],
)
def test_the_box_says_of_every_kind_whether_the_future_is_hidden(desk, box, mask, state):
    desk.set(replace(desk.inputs, mask=mask))
    assert box.checkState() == state
    assert desk.gestures == []
    click(box)
    assert desk.inputs.mask.hides_future is (state != Qt.CheckState.Checked)
    assert box.checkState() in (Qt.CheckState.Checked, Qt.CheckState.Unchecked)


def test_a_click_keeps_what_a_mask_of_ones_own_hides_of_the_past(desk, box):
    cells = np.ones((10, 10), bool)
    cells[6, 2] = cells[0, 1] = False
    desk.set(replace(desk.inputs, mask=CustomMask(cells)))
    click(box)
    wanted = np.tri(10, dtype=bool)
    wanted[6, 2] = False
    assert desk.inputs.mask.equals(CustomMask(wanted))


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
    kinds = [kind.itemData(i) for i in range(kind.count())]
    assert kinds == ["causal", "none", "padding", "window", "sinks", "prefix", "custom"]
    for wanted in kinds[1:]:
        pick(kind, wanted)
        assert desk.inputs.mask.kind == wanted


@pytest.mark.parametrize(("name", "last"), [("mask_kind", "custom"), ("mask_fill", "-1e4")])
def test_steps_by_keys_are_one_gesture_while_the_list_keeps_the_focus(desk, panel, name, last):
    choice = desk.find(Choice, name)
    first = choice.currentData()
    pick(choice, last)
    pick(choice, first)
    assert len(desk.gestures) == 2 * abs(choice.findData(last) - choice.findData(first))
    assert len(set(desk.gestures)) == 1
    assert desk.gestures[0] != ""
    choice.clearFocus()
    pick(choice, last)
    assert len(set(desk.gestures)) == 2


def test_a_choice_from_the_open_list_is_a_step_of_its_own(desk, panel):
    kind = desk.find(Choice, "mask_kind")
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down):
        kind.setFocus()
        kind.showPopup()
        QTest.keyClick(kind.view(), key)
        QTest.keyClick(kind.view(), Qt.Key.Key_Return)
    assert desk.inputs.mask.kind == "padding"
    assert desk.gestures == ["", ""]


def test_a_mask_of_ones_own_begins_with_the_cells_of_the_mask_before(desk, panel):
    desk.set(replace(desk.inputs, mask=PrefixMask(4)))
    pick(desk.find(Choice, "mask_kind"), "custom")
    assert desk.inputs.mask.equals(CustomMask(PrefixMask(4).allowed((0, 10), (0, 10))))


def test_padding_begins_with_no_token_and_the_future_as_it_was(desk, panel):
    kind = desk.find(Choice, "mask_kind")
    desk.set(replace(desk.inputs, mask=NoMask()))
    pick(kind, "padding")
    assert desk.inputs.mask.equals(PaddingMask())
    desk.set(replace(desk.inputs, mask=SlidingWindowMask(3)))
    pick(kind, "padding")
    assert desk.inputs.mask.equals(PaddingMask(hides_future=True))


@pytest.mark.parametrize(
    ("mask", "fields"),
    [
        (CausalMask(), set()),
        (NoMask(), set()),
        (PaddingMask(), {"mask_tokens"}),
        (SlidingWindowMask(3), {"mask_width"}),
        (SinkMask(1, 3), {"mask_sinks", "mask_width"}),
        (PrefixMask(4), {"mask_length"}),
        (CustomMask(np.eye(10, dtype=bool)), {"mask_paint"}),
    ],
)
def test_a_kind_shows_its_own_numbers_and_no_others(desk, panel, mask, fields):
    desk.set(replace(desk.inputs, mask=mask))
    names = {"mask_tokens", "mask_width", "mask_sinks", "mask_length", "mask_paint"}
    assert {name for name in names if desk.find(QWidget, name).isVisible()} == fields
    for name in fields:
        assert desk.find(QWidget, name).accessibleName()
        assert desk.find(QWidget, name).toolTip()
    assert desk.gestures == []


def test_the_numbers_of_a_rule_are_typed(desk, panel):
    desk.set(replace(desk.inputs, mask=SinkMask(1, 3)))
    for name, text, wanted in (("mask_sinks", "2", SinkMask(2, 3)), ("mask_width", "4", SinkMask(2, 4))):
        desk.find(NumberField, name).setFocus()
        QTest.keyClicks(desk.find(NumberField, name), text + "\r")
        assert desk.inputs.mask.equals(wanted)
    desk.set(replace(desk.inputs, mask=PrefixMask(4)))
    desk.find(NumberField, "mask_length").setFocus()
    QTest.keyClicks(desk.find(NumberField, "mask_length"), "99\r")
    assert desk.inputs.mask.equals(PrefixMask(99))


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "x", "1000001", "nan", "1e400", ""])
def test_a_width_that_is_none_is_refused_and_the_old_one_stays(desk, panel, text):
    desk.set(replace(desk.inputs, mask=SlidingWindowMask(3)))
    field = desk.find(NumberField, "mask_width")
    field.setFocus()
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Delete)
    QTest.keyClicks(field, text + "\r")
    assert len(desk.refusals) == 1
    assert desk.inputs.mask.equals(SlidingWindowMask(3))
    assert field.text() == "3"


def test_steps_by_keys_are_one_gesture_and_end_at_the_least_width(desk, panel):
    desk.set(replace(desk.inputs, mask=SlidingWindowMask(3)))
    field = desk.find(NumberField, "mask_width")
    field.setFocus()
    for _ in range(4):
        QTest.keyClick(field, Qt.Key.Key_Down)
    assert desk.inputs.mask.equals(SlidingWindowMask(1))
    assert len(set(desk.gestures)) == 1
    assert desk.gestures[0]


def test_a_rule_comes_back_with_its_numbers(desk, panel):
    kind = desk.find(Choice, "mask_kind")
    desk.set(replace(desk.inputs, mask=SlidingWindowMask(7)))
    pick(kind, "none")
    pick(kind, "window")
    assert desk.inputs.mask.equals(SlidingWindowMask(7))


def test_nothing_grows_while_a_number_does(desk, panel):
    desk.set(replace(desk.inputs, mask=SinkMask(1, 3)))
    places = [desk.find(QWidget, name).geometry() for name in ("mask_kind", "mask_sinks", "mask_width")]
    desk.set(replace(desk.inputs, mask=SinkMask(1000, 100_000)))
    after = [desk.find(QWidget, name).geometry() for name in ("mask_kind", "mask_sinks", "mask_width")]
    assert after == places


def tick(tokens: QListView, row: int) -> Qt.CheckState:
    return Qt.CheckState(tokens.model().index(row, 0).data(Qt.ItemDataRole.CheckStateRole))


def test_tokens_are_hidden_in_the_list_by_space_and_by_click(desk, panel):
    desk.set(replace(desk.inputs, mask=PaddingMask()))
    desk.find(QWidget, "mask_tokens").click()
    tokens = desk.find(QListView, "mask/padding/tokens")
    assert tokens.window().isVisible()
    assert tokens.model().index(6, 0).data() == "6  それ"
    QTest.keyClick(tokens, Qt.Key.Key_Down)
    QTest.keyClick(tokens, Qt.Key.Key_Space)
    assert desk.inputs.mask.equals(PaddingMask((1,)))
    box = tokens.visualRect(tokens.model().index(5, 0)).topLeft() + QPoint(10, 9)
    QTest.mouseClick(tokens.viewport(), LEFT, pos=box)
    assert desk.inputs.mask.equals(PaddingMask((1, 5)))
    assert desk.find(QAbstractButton, "mask_tokens").text() == "tokens: 2"
    QTest.keyClick(tokens, Qt.Key.Key_Space)
    assert desk.gestures == [""] * len(desk.gestures)
    QTest.keyClick(tokens, Qt.Key.Key_Escape)
    assert not tokens.window().isVisible()


def test_the_list_follows_the_document_and_says_nothing(desk, panel):
    desk.set(replace(desk.inputs, mask=PaddingMask((3,))))
    desk.find(QWidget, "mask_tokens").click()
    tokens = desk.find(QListView, "mask/padding/tokens")
    assert tick(tokens, 3) == Qt.CheckState.Checked
    desk.set(replace(desk.inputs, mask=PaddingMask((4,))))
    assert tick(tokens, 3) == Qt.CheckState.Unchecked
    assert tick(tokens, 4) == Qt.CheckState.Checked
    desk.set(replace(desk.inputs, mask=NoMask()))
    assert not tokens.window().isVisible()
    assert desk.gestures == []


def test_a_stroke_is_one_gesture_and_the_next_is_another(desk, panel):
    desk.set(replace(desk.inputs, mask=CustomMask(np.ones((10, 10), bool))))
    panel.paint([((0, 1), (0, 1))], False, True)
    panel.paint([((1, 2), (0, 1)), ((2, 3), (0, 1))], False, False)
    panel.paint([((5, 6), (0, 1))], False, True)
    panel.toggle(0, 0)
    hidden = np.argwhere(~desk.inputs.mask.array).tolist()
    assert hidden == [[1, 0], [2, 0], [5, 0]]
    first, second, third, fourth = desk.gestures
    assert first == second != third
    assert fourth == ""


def test_painting_is_on_with_the_kind_chosen_and_off_with_another(desk, qtbot, panel):
    heard = []
    panel.painting_changed.connect(heard.append)
    desk.set(replace(desk.inputs, mask=CustomMask(np.ones((10, 10), bool))))
    assert heard == []
    desk.set(replace(desk.inputs, mask=PrefixMask(2)))
    pick(desk.find(Choice, "mask_kind"), "custom")
    assert heard == [True]
    desk.set(replace(desk.inputs, mask=NoMask()))
    assert heard == [True, False]


def test_the_mask_value_is_chosen(desk, panel):
    fill = desk.find(Choice, "mask_fill")
    assert fill.currentText() == "−∞"
    pick(fill, "-1e9")
    assert desk.inputs.mask_fill == -1e9
    assert desk.find(NumberField, "mask_fill/number").isHidden()
    pick(fill, "-1e4")
    assert desk.inputs.mask_fill == -1e4


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


def test_the_list_of_a_hundred_thousand_tokens_makes_the_texts_in_view_alone(qtbot):
    model = PaddingModel()
    tokens, asked = tuple(f"w{place}" for place in range(131_072)), []
    model.take(tokens, (7, 131_071))
    model.dataChanged.connect(lambda first, last: asked.append((first.row(), last.row())))
    model.take(tokens, (7, 100_000))
    assert asked == [(100_000, 131_071)]
    assert model.index(100_000).data() == "100000  w100000"
    assert Qt.CheckState(model.index(7).data(Qt.ItemDataRole.CheckStateRole)) == Qt.CheckState.Checked
