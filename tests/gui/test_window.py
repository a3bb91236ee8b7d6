"""The window as a whole: what it opens on, that all parts move together, and that it remembers."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QSplitter, QWidget

from attnviz.core import edits
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import NoMask
from attnviz.core.selection import Selection
from attnviz.core.stages import STAGE_NAMES
from attnviz.gui.tab_order import tab_stops
from attnviz.text.token_edits import set_text


def settled(qtbot, window):
    """Wait until the views show the document as it is now."""
    qtbot.waitUntil(
        lambda: not window.runner.is_busy and window.stages.request.inputs is window.document.inputs
    )


@pytest.mark.parametrize("language", ["ja", "en"])
def test_it_opens_on_the_example_with_sore_selected(make_window, language):
    window = make_window(language=language)
    assert window.document.inputs.tokens[window.document.selection.query] == "それ"
    assert window.parts.weights.shown_percent(2) == "65.7%"
    assert window.parts.stages.panel("weights").shown_number(6, 2) == "65.7"
    assert window.document.is_clean
    assert not window.isWindowModified()
    names = {"ja": "動物", "en": "animal"}
    assert window.document.inputs.heads[0].names_of("q")[0] == names[language]


def test_an_edit_reaches_every_part_of_the_window(qtbot, window):
    window.document.apply(lambda inputs: edits.set_vector_value(inputs, 0, "q", 6, 1, 0.0))
    settled(qtbot, window)
    field = window.findChild(QLineEdit, "q/0/1/number")
    assert float(field.text()) == 0.0
    assert window.parts.weights.shown_percent(2) != "65.7%"
    assert window.isWindowModified()
    window.document.undo()
    settled(qtbot, window)
    assert window.parts.weights.shown_percent(2) == "65.7%"
    assert not window.isWindowModified()


def test_the_parts_in_a_tab_behind_follow_when_it_comes_to_the_front(qtbot, window):
    parts = window.parts
    window.document.apply(lambda inputs: edits.set_vector_value(inputs, 0, "q", 0, 0, 2.5))
    settled(qtbot, window)
    parts.show_tab(parts.vectors)
    assert parts.vectors.grids["q"].model().index(0, 0).data() == "2.5"
    parts.show_tab(parts.head_outputs)
    qtbot.waitUntil(window.live.has_all_heads)
    assert parts.head_outputs.isVisible()


def test_a_chosen_head_shows_everywhere(qtbot, window):
    window.deeds["head/1"].trigger()
    settled(qtbot, window)
    qtbot.waitUntil(lambda: window.stages.request.region.head == 1)
    assert window.document.selection.head == 1
    window.deeds["head/8"].trigger()
    assert window.document.selection.head == 1


def test_a_key_is_chosen_without_a_new_computation(qtbot, window):
    before = window.stages
    window.parts.stages.cell_chosen.emit(6, 0)
    assert window.document.selection == Selection(0, 6, 0)
    assert window.stages is before
    assert window.parts.arithmetic.isVisible()


def test_a_cell_of_another_query_is_shown_at_once_and_never_with_the_query_before(qtbot, window, monkeypatch):
    shown, draw = [], window.draw
    monkeypatch.setattr(
        window, "draw", lambda stages, key: (shown.append((stages.request.query, key)), draw(stages, key))
    )
    window.parts.stages.cell_chosen.emit(3, 1)
    qtbot.waitUntil(window.live.is_up_to_date)
    assert shown == [(3, 1)]


def test_answers_are_shown_with_their_own_tokens_while_a_newer_edit_waits(qtbot, window, small_inputs):
    window.document.select(Selection(0, 9, 9))
    window.document.replace(small_inputs)
    settled(qtbot, window)
    assert window.document.selection == Selection(0, 0, 0)
    assert len(window.stages.row.weights) == 4


def test_the_mask_key_hides_the_future_and_shows_it_again(qtbot, window):
    window.deeds["toggle_mask"].trigger()
    settled(qtbot, window)
    assert isinstance(window.document.inputs.mask, NoMask)
    assert not window.deeds["toggle_mask"].isChecked()
    window.deeds["toggle_mask"].trigger()
    assert window.document.inputs.mask.kind == "causal"
    assert window.deeds["toggle_mask"].isChecked()


def test_undo_and_redo_are_offered_only_where_there_is_a_step(window):
    deeds, document = window.deeds, window.document
    assert not deeds["undo"].isEnabled()
    document.apply(lambda inputs: edits.set_scale_strength(inputs, 2.0))
    assert deeds["undo"].isEnabled()
    deeds["undo"].trigger()
    assert deeds["redo"].isEnabled()
    deeds["redo"].trigger()
    assert document.inputs.scale_strength == 2.0


def test_a_refusal_is_said_beside_the_field_and_in_the_status_line_until_the_next_input(qtbot, window):
    field = window.findChild(QLineEdit, "q/0/1/number")
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "1,5")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    bubble = window.findChild(QLabel, "refusal")
    assert bubble.isVisible()
    assert "decimal comma" in bubble.text()
    assert window.status.currentMessage() == bubble.text()
    assert window.document.inputs.heads[0].q[6, 1] == 1.5
    distance = bubble.geometry().center() - field.mapTo(window, field.rect().center())
    assert distance.manhattanLength() < 400
    assert window.rect().contains(bubble.geometry())
    QApplication.processEvents()
    qtbot.keyClick(field, Qt.Key.Key_Left)
    assert not bubble.isVisible()


def test_the_language_changes_live_and_an_untouched_preset_with_it(qtbot, make_window):
    window = make_window(language="en")
    window.document.select_query(3)
    window.deeds["language/ja"].trigger()
    assert window.document.inputs.heads[0].name == "意味"
    assert window.document.selection.query == 3
    window.document.apply(lambda inputs: edits.set_scale_strength(inputs, 2.0))
    window.deeds["language/en"].trigger()
    assert window.document.inputs.heads[0].name == "意味"  # it is the person's now
    settled(qtbot, window)


def test_the_theme_changes_live(qtbot, window):
    def ground():
        return window.grab().toImage().pixelColor(window.width() // 2, window.height() - 30).lightness()

    assert ground() > 200
    window.deeds["theme/dark"].trigger()
    assert ground() < 60
    assert window.parts.stages.panel("masked").isVisible()
    window.deeds["theme/light"].trigger()
    assert ground() > 200


def test_the_choices_of_the_view_menu_are_remembered(qtbot, make_window):
    first = make_window()
    for name in ("weights_range/largest", "mask_panel/m", "bars/by_weight"):
        first.deeds[name].trigger()
    assert first.by_weight.isChecked()
    first.parts.show_tab(first.parts.vectors)
    first.close()
    second = make_window()
    assert second.deeds.choice("weights_range") == "largest"
    assert second.deeds.choice("mask_panel") == "m"
    assert second.by_weight.isChecked()
    assert second.parts.tabs.currentWidget() is second.parts.vectors


def test_the_button_of_the_bars_and_the_menu_say_the_same(window):
    window.by_weight.click()
    assert window.deeds.choice("bars") == "by_weight"
    window.by_weight.click()
    assert window.deeds.choice("bars") == "by_token"


def test_a_note_comes_with_its_preset_and_goes_with_it(qtbot, window):
    window.menus.preset_chosen.emit("toy")
    assert window.parts.note.isVisible()
    window.parts.note.findChild(QAbstractButton, "note/close").click()
    assert not window.parts.note.isVisible()
    window.menus.preset_chosen.emit("toy")
    assert window.parts.note.isVisible()
    window.menus.preset_chosen.emit("neko")
    assert not window.parts.note.isVisible()
    settled(qtbot, window)


def test_tab_reaches_every_control_once_and_in_the_order_they_are_read(qtbot, window):
    first = tab_stops(window, window.parts.regions())[0]
    first.setFocus()
    reached = []
    for _ in range(200):
        reached.append(window.focusWidget())
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        if window.focusWidget() is first:
            break
    names = [widget.objectName() for widget in reached]
    assert len(set(reached)) == len(reached)
    wanted = ["head/0", "mask", "scale_strength", "export", "sentence", "tokens", "q/0/0", "q/0/0/number"]
    wanted += ["q/0/3/number", "q/1/0", "stages", "mask_kind", "weights_of_query/bars"]
    places = [names.index(name) for name in wanted]
    assert places == sorted(places)
    qtbot.keyClick(first, Qt.Key.Key_Backtab)
    assert window.focusWidget() is reached[-1]


def test_every_control_that_takes_the_keyboard_has_an_accessible_name(window):
    parts = window.parts
    nameless = set()
    for page in (parts.arithmetic, parts.vectors, parts.head_outputs):
        parts.show_tab(page)
        for widget in tab_stops(window, parts.regions()):
            said = widget.accessibleName() or getattr(widget, "text", str)()
            if not said:
                nameless.add(widget.objectName())
    assert nameless == set()


@pytest.mark.parametrize(("which", "name"), [("q", "q/0/1/number"), ("k", "vectors/k")])
def test_a_term_leads_back_to_the_field_where_it_is_edited(qtbot, window, which, name):
    window.activateWindow()
    window.parts.arithmetic.term_chosen.emit(which, 6, 1)
    assert window.focusWidget().objectName() == name


def test_copying_a_panel_gives_a_picture_and_a_table(window):
    window.parts.stages.setFocus()
    window.deeds["copy"].trigger()
    data = QGuiApplication.clipboard().mimeData()
    assert data.hasImage()
    rows = [line.split("\t") for line in data.text().splitlines()]
    assert rows[0] == ["", *window.document.inputs.tokens]
    assert rows[7][0] == "それ"
    assert np.float32(rows[7][3]) == window.stages.row.weights[2]


def test_copying_a_large_panel_holds_nothing_up(qtbot, window):
    window.document.apply(lambda inputs: set_text(inputs, "a " * 300), "")
    qtbot.waitUntil(window.live.is_up_to_date)
    window.parts.stages.setFocus()
    QGuiApplication.clipboard().clear()
    window.deeds["copy"].trigger()
    assert QGuiApplication.clipboard().text() == ""
    assert window.runner.is_busy
    qtbot.waitUntil(lambda: window.status.currentMessage().startswith("Copied the panel"))
    data = QGuiApplication.clipboard().mimeData()
    assert data.hasImage()
    assert len(data.text().splitlines()) == 301


def test_copying_means_the_panel_that_was_clicked_last(qtbot, window):
    grid = window.parts.stages
    place = grid.panel("scores").cell_rect(0, 1).center()
    qtbot.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=place)
    window.deeds["copy"].trigger()
    rows = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert rows[7][3] == "5.5"
    settled(qtbot, window)


def test_a_panel_offers_to_be_copied_and_exported(qtbot, window):
    grid = window.parts.stages
    place = grid.viewport().mapTo(window, grid.panel("scaled").plot_rect().center())
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, window.mapToGlobal(place))
    QApplication.sendEvent(window, event)
    menu = QApplication.activePopupWidget()
    assert menu.actions()[0].text() == "Copy this panel"
    menu.actions()[0].trigger()
    menu.close()
    assert "2.75" in QGuiApplication.clipboard().text()


def test_copying_the_bars_gives_rows_of_name_and_number(window):
    window.parts.weights.bars.setFocus()
    window.deeds["copy"].trigger()
    assert QGuiApplication.clipboard().text().splitlines()[0].startswith("猫\t0.18")
    window.parts.output.bars.setFocus()
    window.deeds["copy"].trigger()
    assert len(QGuiApplication.clipboard().text().splitlines()) == 4


def test_the_keys_are_listed_and_the_program_says_what_it_is(qtbot, window):
    for action, name in (("keys", "keys_dialog"), ("about", "about_dialog")):
        window.deeds[action].trigger()
        dialog = window.findChild(QWidget, name)
        assert dialog.isVisible()
        dialog.close()


@pytest.mark.parametrize("size", [(1024, 700), (1360, 860), (1920, 1080)])
def test_nothing_is_pushed_out_of_the_window(qtbot, window, size):
    window.resize(*size)
    window.parts.share_out(*size)
    QApplication.processEvents()
    assert (window.width(), window.height()) == size
    for part in (*window.parts.editors, *window.parts.views):
        if part.isVisible():
            place = part.mapTo(window, QPoint(0, 0))
            assert window.rect().contains(part.rect().translated(place)), part.objectName()


def test_ten_rows_have_room_for_their_tokens_in_a_small_window(window):
    window.resize(1024, 700)
    window.parts.share_out(1024, 700)
    QApplication.processEvents()
    for stage in STAGE_NAMES:
        assert window.parts.stages.panel(stage).cell_rect(0, 0).height() >= 13


def test_no_number_beside_the_stages_can_be_pushed_out_of_sight(window):
    window.parts.findChild(QSplitter, "columns").setSizes([1, 2000, 1])
    QApplication.processEvents()
    field, bars = (window.findChild(QWidget, name) for name in ("q/0/0/number", "weights_of_query/bars"))
    assert field.visibleRegion().boundingRect().size() == field.size()
    assert bars.width() >= 140


def test_a_document_of_1024_tokens_and_64_dimensions_is_shown(qtbot, make_window):
    rng = np.random.default_rng(1)
    vectors = [rng.standard_normal((1024, 64)).astype(np.float32) for _ in range(3)]
    inputs = Inputs("", tuple(str(i) for i in range(1024)), tuple(Head(str(h), *vectors) for h in range(4)))
    window = make_window(inputs)
    window.document.select_query(1000)
    settled(qtbot, window)
    assert window.stages.scores.shape == (1024, 1024)
    for page in (window.parts.vectors, window.parts.head_outputs):
        window.parts.show_tab(page)
        window.grab()
    qtbot.waitUntil(window.live.has_all_heads, timeout=20_000)
    settled(qtbot, window)
