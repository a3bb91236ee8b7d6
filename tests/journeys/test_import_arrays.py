"""A person brings arrays of their own into a document, is told what does not fit, and takes it back."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDialog, QPushButton

from attnviz.__main__ import main
from attnviz.gui.import_dialog import ImportDialog
from attnviz.io.presets import load_preset
from tests.models import published_partials, tensors_of, trained

RNG = np.random.default_rng(0)


def numbers(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def begin(person, path) -> None:
    """Drop a file on the window and wait for what is asked."""
    person.drop_file(path)
    person.until(lambda: isinstance(person.face(), ImportDialog))


def said(person) -> str:
    return person.face().result_text().replace("\xa0", " ")


def can_import(person) -> bool:
    return person.control("import/import", QPushButton).isEnabled()


def finish(person) -> None:
    person.press_button("import/import")
    person.until(lambda: not isinstance(person.face(), QDialog))
    person.settle()


def test_vectors_of_a_model_come_in_as_one_step_and_go_with_undo(person, tmp_path):
    q, k, v = numbers(3, 5, 8), numbers(3, 5, 8), numbers(3, 5, 6)
    path = tmp_path / "model.npz"
    np.savez(path, q=q, k=k, v=v, weights=numbers(3, 5, 5), tokens=np.array(["a", "b", "c", "d", "e"]))
    person.shortcut("Ctrl+I")
    person.choose_file(path)
    person.until(lambda: isinstance(person.face(), ImportDialog))
    assert said(person) == (
        "The document will have 3 heads, 5 tokens (a, b, c, d, e); head 0: q 5 × 8, k 5 × 8, v 5 × 6."
    )
    person.key(Qt.Key.Key_Return)
    person.until(lambda: not isinstance(person.face(), QDialog))
    person.settle()
    assert person.message() == f"Imported {path}; undo takes it back."
    assert person.tokens() == ["a", "b", "c", "d", "e"]
    scores = q[0] @ k[0].T
    assert person.cells("scores", 4)[0].replace("−", "-") == f"{scores[4, 0]:.2f}"
    assert person.window.isWindowModified()
    person.shortcut("Ctrl+Z")
    person.settle()
    assert person.tokens()[0] == "猫"
    assert not person.window.isWindowModified()


def test_a_lone_table_asks_what_it_is_by_the_keyboard_alone(person, tmp_path):
    q = numbers(10, 4).round(2)
    np.savetxt(tmp_path / "mine.csv", q, delimiter=",", fmt="%.2f")
    begin(person, tmp_path / "mine.csv")
    assert said(person) == "Nothing was chosen to be imported; say what an array becomes."
    assert not can_import(person)
    role = person.control("import/0/role", QComboBox)
    while person.focus() is not role:
        person.key(Qt.Key.Key_Tab)
    person.key(Qt.Key.Key_Down)  # q
    assert role.currentData() == "q"
    person.key(Qt.Key.Key_Tab)
    assert person.focus() is person.control("import/0/head", QComboBox)
    person.key(Qt.Key.Key_Down)  # head 1
    person.key(Qt.Key.Key_Up)  # head 0
    assert "10 tokens" in said(person)
    person.key(Qt.Key.Key_Return)
    person.until(lambda: not isinstance(person.face(), QDialog))
    person.settle()
    assert person.tokens()[0] == "猫"
    assert float(person.field("q/0/1/number").replace("−", "-")) == pytest.approx(q[6, 1])


def test_a_shape_that_does_not_fit_is_explained_and_changes_nothing(person, tmp_path):
    np.save(tmp_path / "q.npy", numbers(7, 4))
    before = person.bars()
    begin(person, tmp_path / "q.npy")
    assert said(person) == "“q” has 7 rows (axis 0), but there are 10 tokens; one row per token is wanted."
    assert not can_import(person)
    person.pick("import/0/role", "x")
    assert "“q” has 7 rows (axis 0)" in said(person)
    person.pick("import/0/role", "w_q")
    assert "there is no x" in said(person)
    person.key(Qt.Key.Key_Escape)
    person.settle()
    assert person.bars() == before
    assert not person.window.isWindowModified()


def test_matrices_side_by_side_and_transposed_make_derived_heads(person, tmp_path):
    x, w = numbers(10, 6), numbers(3, 6, 12)
    arrays = {"x": x, **{f"layer.{which}_proj.weight": w[n].T for n, which in enumerate("qkv")}}
    np.savez(tmp_path / "layer.npz", **arrays)
    begin(person, tmp_path / "layer.npz")
    assert "q 10 × 12" in said(person)
    for row in (1, 2, 3):
        person.pick(f"import/{row}/head", -2)
    person.click("import/shares")
    person.shortcut("Ctrl+A")
    person.type("3")
    person.key(Qt.Key.Key_Tab)
    person.pick("import/how", "replace")
    assert "3 heads, 10 tokens" in said(person)
    assert "q 10 × 4" in said(person)
    finish(person)
    heads = person.window.document.inputs.heads
    assert [head.source for head in heads] == ["projection"] * 3
    np.testing.assert_allclose(heads[1].k, x @ w[1][:, 4:8], rtol=1e-5, atol=1e-5)


def test_heads_are_added_where_one_says_so(person, tmp_path):
    (tmp_path / "more.json").write_text(json.dumps({which: numbers(1, 10, 3).tolist() for which in "qk"}))
    begin(person, tmp_path / "more.json")
    person.pick("import/how", "add")
    finish(person)
    assert [head.name for head in person.window.document.inputs.heads] == ["meaning", "previous", "2"]


def test_a_file_that_holds_objects_is_refused_in_a_sentence(person, tmp_path):
    np.save(tmp_path / "evil.npy", np.array([{}], object), allow_pickle=True)
    before = person.bars()
    person.drop_file(tmp_path / "evil.npy")
    person.until(person.refusal)
    assert "could run anything" in person.refusal()
    assert person.bars() == before


def test_what_was_exported_comes_back_by_import(person, tmp_path):
    person.choose("file", "export_table")
    person.pick("table/stage", "all")
    person.pick("table/head", -1)
    person.press_button("table/save")
    path = tmp_path / "all.npz"
    person.choose_file(path)
    person.until(path.exists)
    person.settle()
    before = person.bars()
    person.enter_number("q/0/1/number", "0")
    begin(person, path)
    finish(person)
    assert person.bars() == before
    assert person.head_in_front() == "meaning"  # names stay, since numbers of the same heads come back


def test_what_was_exported_comes_back_with_its_tokens_and_the_names_of_its_heads(person, tmp_path):
    path = tmp_path / "all.npz"
    assert main(["export", "--preset", "gpt2-small", "--stage", "all", "-o", str(path)]) == 0
    begin(person, path)
    person.until(lambda: can_import(person))
    finish(person)
    wanted = load_preset("gpt2-small").inputs
    shown = person.window.document.inputs
    assert [head.name for head in shown.heads] == [head.name for head in wanted.heads]
    assert shown.tokens == wanted.tokens


def test_the_layers_of_a_trained_model_come_in_one_after_the_other(sit_down, tmp_path):
    folder = trained("gpt-nano-sort")
    published = published_partials(folder)
    weights = tensors_of(folder / "hf" / "model.safetensors")
    path = tmp_path / "gpt-nano.npz"
    np.savez(path, x=published["ln1"][0], tokens=np.array(list("CBABBC·····")), **weights)
    person = sit_down()
    begin(person, path)
    person.pick("import/layer", "transformer.h.0")
    person.click("import/shares")
    person.shortcut("Ctrl+A")
    person.type("3")
    person.key(Qt.Key.Key_Tab)
    person.until(lambda: can_import(person) and "3 heads" in said(person))
    assert said(person).startswith(
        "“transformer.h.0.attn.c_attn.weight”, 48 × 144, is split into W_Q, W_K, W_V of 48 × 48 each.\n"
        "The document will have 3 heads, 11 tokens"
    )
    finish(person)
    wanted = 100 * published["attSm"][0, 0, 3]
    assert person.cells("weights", 3)[:4] == [f"{weight:.1f}" for weight in wanted[:4]]
    heads = person.window.document.inputs.heads
    assert [np.allclose(head.q, published["q"][0, place], atol=2e-5) for place, head in enumerate(heads)] == [
        True
    ] * 3
