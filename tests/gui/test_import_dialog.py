"""The import dialog: what is offered of a file, what is said of it, in both languages."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QPushButton

from attnviz.gui.import_dialog import ImportDialog
from attnviz.gui.import_entries import MAX_ENTRIES, entries_of
from attnviz.gui.language import Language
from attnviz.gui.number_field import NumberField
from attnviz.io.array_files import read_arrays
from tests.gui.test_translation_ja import english_in, texts_of


@pytest.fixture
def asked(window, qtbot, tmp_path):
    """The dialog for a file that holds these arrays."""

    def ask(arrays, suffix="npz"):
        path = tmp_path / f"a.{suffix}"
        if suffix == "npz":
            np.savez(path, **arrays)
        else:
            path.write_text(json.dumps(arrays), "utf-8")
        window.importing.import_file(path)
        qtbot.waitUntil(lambda: window.findChild(ImportDialog) is not None)
        return window.findChild(ImportDialog)

    yield ask
    for dialog in window.findChildren(ImportDialog):
        dialog.reject()


def is_offered(dialog):
    return dialog.findChild(QPushButton, "import/import").isEnabled()


def test_arrays_of_several_heads_stand_on_one_line(asked):
    dialog = asked({f"{which}_{head}": np.ones((10, 2 + head)) for which in "qk" for head in range(3)})
    assert dialog.findChild(QComboBox, "import/1/role") is not None
    assert dialog.findChild(QComboBox, "import/2/role") is None
    assert dialog.findChild(QComboBox, "import/0/head").currentText() == "all 3 heads"
    assert "3 heads, 10 tokens" in dialog.result_text()
    assert is_offered(dialog)


def test_a_file_of_many_arrays_shows_some_and_says_how_many_more(tmp_path, asked):
    np.savez(tmp_path / "many.npz", q=np.ones((1, 2)), **{f"other{n}": np.ones(1) for n in range(100)})
    entries, _, left_out = entries_of(read_arrays(tmp_path / "many.npz"))
    assert len(entries) == MAX_ENTRIES
    assert left_out == 101 - MAX_ENTRIES
    assert entries[0].name == "q"


def test_an_array_that_cannot_be_read_says_why_and_the_others_can_be_taken(asked):
    dialog = asked({"q": [[1, 2], [3]], "k": np.ones((2, 10, 4)).tolist()}, "json")
    assert not dialog.findChild(QComboBox, "import/0/role").isVisible()
    assert is_offered(dialog)


def test_large_arrays_are_tried_beside_the_window_and_the_last_choice_counts(window, qtbot, asked):
    dialog = asked({which: np.ones((2, 200, 300), np.float32) for which in "qk"})
    how = dialog.findChild(QComboBox, "import/how")
    for choice in ("add", "replace", "add"):
        how.setCurrentIndex(how.findData(choice))
        assert dialog.result_text() == "Looking whether it fits…"
        assert not is_offered(dialog)
    qtbot.waitUntil(lambda: not window.background.is_busy)
    assert dialog.result_text().startswith("“q” has 200 rows (axis 1), but there are 10 tokens")
    how.setCurrentIndex(how.findData("replace"))
    qtbot.waitUntil(lambda: is_offered(dialog))
    dialog.findChild(QPushButton, "import/import").click()
    qtbot.waitUntil(lambda: not window.background.is_busy)
    assert window.document.inputs.n_tokens == 200
    assert window.document.undo_steps == 1


def test_a_dialog_put_away_while_it_looks_is_not_asked_again(window, qtbot, asked):
    dialog = asked({which: np.ones((2, 200, 300), np.float32) for which in "qk"})
    before = window.document.inputs
    dialog.reject()
    qtbot.waitUntil(lambda: not window.background.is_busy)
    assert window.document.inputs is before


def test_tokens_of_the_file_are_taken_unless_the_tick_is_off(asked):
    tokens = np.array([f"t{n}" for n in range(10)])
    dialog = asked({"q": np.ones((2, 10, 4)), "k": np.ones((2, 10, 4)), "tokens": tokens})
    box = dialog.findChild(QCheckBox, "import/tokens")
    assert "(t0, t1" in dialog.result_text()
    box.setChecked(False)
    assert "(猫, が" in dialog.result_text()


def test_tab_goes_through_the_arrays_first_and_then_to_the_button(qtbot, asked):
    dialog = asked({"x": np.ones((10, 3)), "q": np.ones((10, 4))})
    qtbot.waitUntil(dialog.isActiveWindow)
    passed = []
    for _ in range(8):
        passed.append(dialog.focusWidget().objectName())
        QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
    names = ["import/0/role", "import/0/transposed", "import/1/role", "import/1/head"]
    assert [name for name in passed if name in names] == names
    assert passed[0] == "import/0/role"
    assert passed.index("import/how") > passed.index("import/1/head")


def test_a_number_of_heads_that_is_none_is_refused_in_a_sentence(qtbot, asked):
    dialog = asked({"q": np.ones((10, 4))})
    head = dialog.findChild(QComboBox, "import/0/head")
    head.setCurrentIndex(head.findData(-2))
    field = dialog.findChild(NumberField, "import/shares")
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "0")
    QTest.keyClick(field, Qt.Key.Key_Tab)
    assert dialog.result_text() == "0 is out of range; write a number from 1 to 256."


def test_it_speaks_japanese(window, asked):
    language = Language()
    language.speak("ja")
    try:
        dialog = asked({"x": np.ones((10, 3)), "weights": np.ones(3), "b": np.array([{}], object)})
        texts = texts_of(dialog)
        names = {"a.npz", "x", "weights", "b"}
        assert dialog.findChild(QLabel, "import/left_out").text().startswith("ほかの配列から")
        left = {word for text in texts.values() for word in english_in(text)} - names
        left -= {"npz", "Python", "torch"}
        assert left == set()
    finally:
        language.speak("en")


def test_another_file_takes_the_place_of_the_one_that_was_asked_about(window, qtbot, tmp_path):
    for name, tokens in (("a", 4), ("b", 5)):
        np.savez(tmp_path / f"{name}.npz", **{which: np.ones((3, tokens, 2)) for which in "qk"})
        window.importing.import_file(tmp_path / f"{name}.npz")
    qtbot.waitUntil(lambda: "b.npz" in " ".join(each.windowTitle() for each in shown_dialogs(window)))
    [dialog] = shown_dialogs(window)
    dialog.findChild(QPushButton, "import/import").click()
    assert window.document.inputs.n_tokens == 5
    assert "b.npz" in window.status.currentMessage()


def test_an_import_of_what_is_there_already_says_that_nothing_has_changed(window, asked):
    head = window.document.inputs.heads[0]
    dialog = asked({"q_0": head.q})
    dialog.findChild(QPushButton, "import/import").click()
    assert window.document.undo_steps == 0
    assert "nothing has changed" in window.status.currentMessage()


def shown_dialogs(window):
    return [dialog for dialog in window.findChildren(ImportDialog) if dialog.isVisible()]


def test_what_will_be_is_said_of_one_and_of_many_and_of_the_keys(asked):
    dialog = asked(
        {"q": np.ones((1, 1, 2)), "k": np.ones((1, 3, 2)), "tokens": ["a"], "key_tokens": list("xyz")}
    )
    assert dialog.result_text().replace("\xa0", " ") == (
        "The document will have 1 head, 1 token (a), 3 keys (x, y, z); head 0: q 1 × 2, k 3 × 2, v 3 × 2."
    )
    assert dialog.findChild(QComboBox, "import/0/head").currentText() == "the only head"


def layer(number, d_model=48, turned=False):
    """The arrays of a layer of GPT-2, as transformers has them, or ``turned``, as minGPT and nanoGPT have."""
    shapes = {"attn.c_attn.weight": (d_model, 3 * d_model), "attn.c_proj.weight": (d_model, d_model)}
    shapes |= {"mlp.c_fc.weight": (d_model, 4 * d_model), "mlp.c_proj.weight": (4 * d_model, d_model)}
    arrays = {name: np.ones(shape[::-1] if turned else shape) for name, shape in shapes.items()}
    arrays |= {"attn.c_attn.bias": np.ones(3 * d_model), "attn.c_proj.bias": np.ones(d_model)}
    return {f"transformer.h.{number}.{name}": array for name, array in arrays.items()}


def said(dialog):
    return dialog.result_text().replace("\xa0", " ")


def choices(dialog):
    """What is chosen of each array: its name's end, role, head and whether it is transposed."""
    return {
        row.entry.name.removeprefix("transformer."): (row.choice().role, row.choice().is_transposed)
        for row in dialog._rows
        if row.choice().role
    }


@pytest.mark.parametrize("turned", [False, True], ids=["Conv1D", "Linear"])
def test_a_layer_of_gpt2_is_known_by_its_names_and_split_into_heads(qtbot, asked, turned):
    dialog = asked({"x": np.ones((10, 768)), **layer(0, 768, turned)})
    qtbot.waitUntil(lambda: is_offered(dialog), timeout=30_000)
    assert choices(dialog) == {
        "x": ("x", False),
        "h.0.attn.c_attn.weight": ("w_qkv", turned),
        "h.0.attn.c_attn.bias": ("b_qkv", False),
        "h.0.attn.c_proj.weight": ("w_o", turned),
        "h.0.attn.c_proj.bias": ("b_o", False),
    }
    assert dialog.findChild(NumberField, "import/shares").value == 12
    size = "2304 × 768" if turned else "768 × 2304"
    assert (
        f"“transformer.h.0.attn.c_attn.weight”, {size}, is split into W_Q, W_K, W_V of 768 × 768 each.\n"
        "The document will have 12 heads, 10 tokens"
    ) in said(dialog)
    assert "W_Q 768 × 64" in said(dialog)
    assert is_offered(dialog)


def test_of_several_layers_one_is_taken_and_another_can_be_chosen(asked):
    dialog = asked({"x": np.ones((10, 48)), **layer(0), **layer(1), **layer(11)})
    box = dialog.findChild(QComboBox, "import/layer")
    assert [box.itemText(place) for place in range(box.count())] == [
        f"transformer.h.{number}" for number in (0, 1, 11)
    ]
    assert {name[:4] for name in choices(dialog)} == {"x", "h.0."}
    assert is_offered(dialog)
    box.setCurrentIndex(2)
    assert {name.split(".attn")[0] for name in choices(dialog)} == {"x", "h.11"}
    assert "“transformer.h.11.attn.c_attn.weight”" in said(dialog)
    assert is_offered(dialog)


def test_torchs_attention_is_known_by_its_names(asked):
    dialog = asked(
        {
            "x": np.ones((10, 128)),
            "layers.0.self_attn.in_proj_weight": np.ones((384, 128)),
            "layers.0.self_attn.in_proj_bias": np.ones(384),
            "layers.0.self_attn.out_proj.weight": np.ones((128, 128)),
        }
    )
    assert choices(dialog) == {
        "x": ("x", False),
        "layers.0.self_attn.in_proj_weight": ("w_qkv", True),
        "layers.0.self_attn.in_proj_bias": ("b_qkv", False),
        "layers.0.self_attn.out_proj.weight": ("w_o", True),
    }
    assert "“layers.0.self_attn.in_proj_weight”, 384 × 128, is split into W_Q, W_K, W_V of 128 × 128" in said(
        dialog
    )
    assert dialog.findChild(QComboBox, "import/layer").isVisible() is False


def test_without_x_the_dialog_says_that_it_is_missing(asked):
    dialog = asked(layer(0))
    assert "there is no x" in dialog.result_text()
    assert not is_offered(dialog)


def test_a_matrix_that_is_no_three_of_one_is_refused_with_its_axis(asked):
    dialog = asked({"x": np.ones((10, 8)), "c_attn.weight": np.ones((8, 25))})
    assert "“c_attn.weight” has 25 columns (axis 1), which q, k and v cannot share evenly" in said(dialog)
    assert not is_offered(dialog)
